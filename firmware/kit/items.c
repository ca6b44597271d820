#include "items.h"

#include <stddef.h>

#include "board.h"
#include "bytes.h"
#include "trickle.h"

#define VECTOR_ENTRY 5 /* key, version */
#define DATA_LENGTH  7 /* key, version, value */

struct item items[ITEMS];
static void (*changed)(uint8_t key, uint16_t value);

static uint8_t message[ITEMS_MESSAGE_MAX];
static struct radio_packet packet = {.to = RADIO_EVERYBODY, .data = message};

static struct trickle trickle = {.say = items_protocol_say, .shortest = 64, .longest = 64UL * 1024, .enough = 1};

uint8_t *items_payload(void)
{
    return packet.busy ? NULL : message;
}

void items_send(uint8_t type, uint8_t length)
{
    packet.type = type;
    packet.length = length;
    radio_send(&packet);
}

bool items_say_data(uint8_t key)
{
    uint8_t *to = items_payload();
    if (!to)
        return false;
    *to++ = key;
    bytes_put16(bytes_put32(to, items[key].version), items[key].value);
    items_send(ITEMS_DATA, DATA_LENGTH);
    return true;
}

bool items_say_vector(const uint8_t *keys, uint8_t count)
{
    uint8_t *to = items_payload();
    if (!to)
        return false;
    for (uint8_t i = 0; i < count; i++) {
        *to++ = keys[i];
        to = bytes_put32(to, items[keys[i]].version);
    }
    items_send(ITEMS_VECTOR, count * VECTOR_ENTRY);
    return true;
}

/* Jenkins's one-at-a-time hash: unlike in a CRC, what is equal by chance with one salt is not so with all. */
uint16_t items_hash(uint8_t begin, uint8_t end, uint16_t salt)
{
    uint32_t hash = salt;
    for (uint8_t key = begin; key < end; key++) {
        uint32_t version = items[key].version;
        for (uint8_t i = 0; i < 4; i++) {
            hash += version & 0xff;
            hash += hash << 10;
            hash ^= hash >> 6;
            version >>= 8;
        }
    }
    hash += hash << 3;
    hash ^= hash >> 11;
    hash += hash << 15;
    return hash >> 16;
}

static enum items_difference compare(uint8_t key, uint32_t theirs)
{
    int32_t difference = (int32_t)(theirs - items[key].version);
    return difference == 0 ? ITEMS_SAME : difference < 0 ? ITEMS_OLDER : ITEMS_NEWER;
}

static void received_data(const struct radio_message *m)
{
    uint8_t key = m->data[0];
    uint32_t version = bytes_get32(m->data + 1);
    enum items_difference theirs = compare(key, version);
    if (theirs != ITEMS_NEWER) {
        items_protocol_heard(key, theirs, true);
        return;
    }
    items[key].version = version;
    items[key].value = bytes_get16(m->data + 5);
    items_disagree();
    items_protocol_news(key);
    changed(key, items[key].value);
}

static void received_vector(const struct radio_message *m)
{
    for (const uint8_t *entry = m->data; entry < m->data + m->length; entry += VECTOR_ENTRY)
        if (*entry < ITEMS)
            items_protocol_heard(*entry, compare(*entry, bytes_get32(entry + 1)), false);
}

static void received(const struct radio_message *m)
{
    if (m->type == ITEMS_DATA && m->length == DATA_LENGTH && m->data[0] < ITEMS)
        received_data(m);
    else if (m->type == ITEMS_VECTOR && m->length % VECTOR_ENTRY == 0)
        received_vector(m);
    else if (m->type >= ITEMS_SUMMARY && m->type <= ITEMS_VERTICAL)
        items_protocol_received(m);
}

static struct radio_listener listener = {.received = received, .type = RADIO_ANY_TYPE};

void items_disagree(void)
{
    trickle_reset(&trickle);
}

void items_agree(void)
{
    trickle_heard(&trickle);
}

void items_change(uint8_t key, uint16_t value)
{
    items[key].version = ((items[key].version & 0xffff0000) + 0x10000) | node_id;
    items[key].value = value;
    items_disagree();
    items_protocol_news(key);
}

void items_start(void (*application)(uint8_t key, uint16_t value))
{
    changed = application;
    radio_listen(&listener);
    trickle_start(&trickle);
}
