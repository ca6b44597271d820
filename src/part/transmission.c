#include "part/transmission.h"

#include <string.h>

#include "node/machine.h"
#include "node/node.h"
#include "part/earshot.h"

static uint64_t transmission_ahead(const struct node *n)
{
    return node_now(n) + node_ticks(n, AIR_AHEAD) + 1;
}

static struct air_message transmission_message(const struct node *n, const struct transmission *t, enum air_kind kind,
                                               uint64_t tick)
{
    struct air_message m;
    memset(&m, 0, sizeof m);
    m.kind = kind;
    m.modulation = AIR_OQPSK_250K;
    m.sender = n->id;
    m.transmission = t->number;
    m.tick = tick;
    m.hertz = t->hertz;
    m.bit_rate = 250000;
    m.dbm = t->dbm;
    return m;
}

void transmission_begin(struct node *n, struct transmission *t, uint64_t tick, double hertz, double dbm)
{
    t->number++;
    t->begin = tick;
    t->end = NEVER;
    t->hertz = hertz;
    t->dbm = (float)dbm;
    t->sent_bytes = 0;
    t->header = 0;
    uint64_t noticed = tick > transmission_ahead(n) ? tick : transmission_ahead(n);
    struct air_message m = transmission_message(n, t, AIR_BEGIN, noticed);
    m.begun = (double)(noticed - tick) / (double)n->machine->hz;
    air_send(n, &m);
}

uint64_t transmission_byte_begins(const struct node *n, const struct transmission *t, unsigned byte)
{
    return t->begin + earshot_symbols(n, 2u * byte);
}

uint64_t transmission_due(const struct node *n, const struct transmission *t)
{
    return transmission_byte_begins(n, t, t->sent_bytes) - node_ticks(n, AIR_AHEAD) - 1;
}

void transmission_say(struct node *n, struct transmission *t, const uint8_t *bytes, unsigned count)
{
    if (count == 0)
        return;
    uint64_t tick = transmission_byte_begins(n, t, t->sent_bytes);
    struct air_message m =
        transmission_message(n, t, AIR_BYTES, tick > transmission_ahead(n) ? tick : transmission_ahead(n));
    m.first = t->sent_bytes;
    m.count = (uint16_t)count;
    memcpy(m.bytes, bytes, count);
    t->sent_bytes = (uint16_t)(t->sent_bytes + count);
    air_send(n, &m);
}

/* A nibble F of the word is sent as 0 (SWRS041, "Frame Format"). */
void transmission_header(struct node *n, struct transmission *t, unsigned preamble, unsigned word)
{
    uint8_t bytes[32] = {0};
    for (unsigned i = 0; i < 4; i++) {
        unsigned nibble = word >> 4 * i & 15;
        if (nibble != 15)
            bytes[preamble + i / 2] |= (uint8_t)(nibble << 4 * (i % 2));
    }
    t->header = (uint8_t)(preamble + 2);
    transmission_say(n, t, bytes, t->header);
}

void transmission_end(struct node *n, struct transmission *t, uint64_t tick)
{
    struct air_message m = transmission_message(n, t, AIR_END, tick);
    t->end = tick;
    air_send(n, &m);
}

void transmission_break_off(struct node *n, struct transmission *t)
{
    if (t->begin == NEVER)
        return;
    if (t->end == NEVER)
        transmission_end(n, t, transmission_ahead(n) > t->begin ? transmission_ahead(n) : t->begin);
    t->begin = NEVER;
}
