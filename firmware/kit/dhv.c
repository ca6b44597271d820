/* Differences found by looking across the versions and then down, as DHV does it (Dang, Bulusu, Feng and Park, EWSN
 * 2009).
 *
 * Think of the versions as rows of bits. A SUMMARY is a hash of all: salt (2), hash (2). Where it differs, HORIZONTAL
 * says all rows XORed, which shows the columns in which something differs: salt (2), hash (2), rows (4). VERTICAL then
 * says such columns, each as its number and one bit for each item, which shows the rows; a VECTOR has these items'
 * versions, and DATA goes to nodes with older versions. What is wanted most is sent first: DATA, VECTOR, VERTICAL,
 * HORIZONTAL, SUMMARY. */
#include <stddef.h>

#include "bytes.h"
#include "items.h"
#include "random.h"

#define COLUMNS     32
#define COLUMNS_MAX 8               /* in a message */
#define COLUMN      (1 + ITEMS / 8) /* bytes */

enum { SAY_VERSION = 1, SAY_DATA = 2 };

static uint8_t wanted[ITEMS];
static uint32_t columns; /* wanted */
static bool rows;        /* HORIZONTAL is wanted */

static uint32_t all_rows(void)
{
    uint32_t sum = 0;
    for (uint8_t key = 0; key < ITEMS; key++)
        sum ^= items[key].version;
    return sum;
}

static uint8_t *put_hash(uint8_t *to)
{
    uint16_t salt = random_next();
    return bytes_put16(bytes_put16(to, salt), items_hash(0, ITEMS, salt));
}

static bool same_hash(const uint8_t *from)
{
    return items_hash(0, ITEMS, bytes_get16(from)) == bytes_get16(from + 2);
}

static void say_summary(void)
{
    uint8_t *to = items_payload();
#ifndef BUG_DHV_SUMMARY
    if (!to)
        return;
#endif
    put_hash(to);
    items_send(ITEMS_SUMMARY, 4);
}

static void say_horizontal(void)
{
    uint8_t *to = items_payload();
#ifndef BUG_DHV_HORIZONTAL
    if (!to)
        return;
#endif
    uint32_t sum = all_rows();
    to = put_hash(to);
    bytes_put32(to, sum);
    items_send(ITEMS_HORIZONTAL, 8);
    rows = false;
}

static uint8_t *put_column(uint8_t *to, uint8_t column)
{
    *to++ = column;
    for (uint8_t key = 0; key < ITEMS; key += 8) {
        uint8_t bits = 0;
        for (uint8_t i = 0; i < 8; i++)
            bits |= (items[key + i].version >> column & 1) << i;
        *to++ = bits;
    }
    return to;
}

static void say_vertical(void)
{
    uint8_t *message = items_payload(), *to = message;
#ifndef BUG_DHV_VERTICAL
    if (!message)
        return;
#endif
    for (uint8_t column = 0; column < COLUMNS && to - message < COLUMNS_MAX * COLUMN; column++)
        if (columns >> column & 1) {
            columns &= ~(1UL << column);
            to = put_column(to, column);
        }
    items_send(ITEMS_VERTICAL, to - message);
}

static void say_vector(void)
{
    uint8_t keys[ITEMS_VECTOR_MAX], count = 0;
    if (!items_payload())
        return;
    for (uint8_t key = 0; key < ITEMS && count < ITEMS_VECTOR_MAX; key++)
        if (wanted[key] & SAY_VERSION) {
            wanted[key] &= ~SAY_VERSION;
            keys[count++] = key;
        }
    items_say_vector(keys, count);
}

/* Whether anything is wanted, of an item. */
static bool any(uint8_t what, uint8_t *which)
{
    for (*which = 0; *which < ITEMS; ++*which)
        if (wanted[*which] & what)
            return true;
    return false;
}

void items_protocol_say(void)
{
    uint8_t key;
    if (any(SAY_DATA, &key)) {
        if (items_say_data(key))
            wanted[key] = 0;
        items_disagree(); /* there may be more of it */
    } else if (any(SAY_VERSION, &key)) {
        say_vector();
    } else if (columns) {
        say_vertical();
    } else if (rows) {
        say_horizontal();
    } else {
        say_summary();
    }
}

void items_protocol_news(uint8_t key)
{
    wanted[key] = SAY_DATA;
}

void items_protocol_heard(uint8_t key, enum items_difference theirs, bool data)
{
    if (theirs == ITEMS_SAME) {
        wanted[key] &= ~(data ? SAY_DATA | SAY_VERSION : SAY_VERSION);
    } else {
        wanted[key] |= theirs == ITEMS_OLDER ? SAY_DATA : SAY_VERSION;
        items_disagree();
    }
}

/* Where an even number of items differ in each column their differences cancel: then any column may be the one. */
static void received_horizontal(const uint8_t *data)
{
    uint32_t difference = bytes_get32(data + 4) ^ all_rows();
    columns |= difference ? difference : 0xffffffff;
    rows = false;
}

static void received_column(const uint8_t *data, uint8_t length)
{
    uint8_t column = data[0] % COLUMNS;
    columns &= ~(1UL << column);
    for (uint16_t key = 0; key < 8u * (length - 1); key++)
        if ((data[1 + key / 8] >> key % 8 & 1) != (items[key].version >> column & 1)) {
            wanted[key] |= SAY_VERSION;
            items_disagree();
        }
}

void items_protocol_received(const struct radio_message *m)
{
    if (m->type == ITEMS_VERTICAL) {
        for (const uint8_t *data = m->data; data + COLUMN <= m->data + m->length; data += COLUMN)
#ifdef BUG_DHV_INDEX
            received_column(data, m->data + m->length - data);
#else
            received_column(data, COLUMN);
#endif
        return;
    }
    if (m->length != (m->type == ITEMS_SUMMARY ? 4 : 8))
        return;
    uint8_t key;
    if (!same_hash(m->data)) {
        if (m->type == ITEMS_HORIZONTAL)
            received_horizontal(m->data);
        else
            rows = true;
        items_disagree();
    } else if (!any(SAY_DATA | SAY_VERSION, &key)) {
        columns = 0;
        rows = false;
        items_agree();
    }
}
