#include "disseminate.h"

#include "board.h"
#include "bytes.h"
#include "radio.h"
#include "trickle.h"

#define TYPE_VALUE 0x20 /* below 0x40, no 6LoWPAN to sniffers (RFC 4944, 5.1) */

static uint16_t version, author; /* the author decides between equal versions */
static uint32_t value;
static void (*changed)(uint32_t value);

static uint8_t message[8];
static struct radio_packet packet = {
    .to = RADIO_EVERYBODY, .type = TYPE_VALUE, .data = message, .length = sizeof message};

static void say(void)
{
    if (packet.busy)
        return;
    uint8_t *to = bytes_put16(bytes_put16(message, version), author);
    bytes_put16(bytes_put16(to, value >> 16), value & 0xffff);
    radio_send(&packet);
}

static struct trickle trickle = {.say = say, .shortest = 128, .longest = 64UL * 1024, .enough = 1};

static int16_t newer(uint16_t other_version, uint16_t other_author)
{
    int16_t difference = (int16_t)(other_version - version);
    return difference ? difference : (int16_t)(other_author - author);
}

static void received(const struct radio_message *m)
{
    if (m->length != sizeof message)
        return;
    uint16_t its_version = bytes_get16(m->data), its_author = bytes_get16(m->data + 2);
    int16_t difference = newer(its_version, its_author);
    if (difference == 0) {
        trickle_heard(&trickle);
        return;
    }
    trickle_reset(&trickle);
    if (difference < 0)
        return;
    version = its_version;
    author = its_author;
    value = (uint32_t)bytes_get16(m->data + 4) << 16 | bytes_get16(m->data + 6);
    changed(value);
}

static struct radio_listener listener = {.received = received, .type = TYPE_VALUE};

void disseminate_start(void (*application)(uint32_t value))
{
    changed = application;
    radio_listen(&listener);
    trickle_start(&trickle);
}

void disseminate_change(uint32_t new_value)
{
    version++;
    author = node_id;
    value = new_value;
    trickle_reset(&trickle);
}
