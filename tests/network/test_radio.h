/* The simplest radio there can be, for tests of networks: four registers, a pin, no settings.
 *
 * A firmware writes bytes to DATA and then SEND to COMMAND; 128 microseconds later they are on the air, 32 microseconds
 * a byte. A frame heard whole, with no other on the air meanwhile, is ready: the pin is high, STATUS says so, DATA
 * gives its length and then its bytes, STRENGTH the power in dBm. TAKE makes room for the next. Registers lie at
 * addresses that the ATmega128 lists as reserved.
 */
#ifndef TESTS_NETWORK_TEST_RADIO_H
#define TESTS_NETWORK_TEST_RADIO_H

#define TEST_RADIO_DATA     0xe0
#define TEST_RADIO_COMMAND  0xe1
#define TEST_RADIO_STATUS   0xe2
#define TEST_RADIO_STRENGTH 0xe3

#define TEST_RADIO_SEND     1
#define TEST_RADIO_TAKE     2

#define TEST_RADIO_SENDING  1
#define TEST_RADIO_CARRIER  2
#define TEST_RADIO_READY    4

#define TEST_RADIO_ROOM     64 /* bytes of a frame */

#ifndef __AVR__

#include <string.h>

#include "board/board.h"
#include "chip/chips.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/pins.h"

enum { TEST_RADIO_QUEUE = 48 };
enum { TEST_RADIO_EVENT_SENT, TEST_RADIO_EVENT_HEAR };
#define TEST_RADIO_BYTE 32e-6 /* seconds */

struct test_radio_heard {
    uint64_t tick;
    uint32_t sender, transmission;
    float dbm;
    uint8_t kind, count;
    uint8_t bytes[TEST_RADIO_ROOM];
};

struct test_radio_state {
    uint32_t transmission, on_air;
    uint32_t sender, heard_transmission; /* of the frame being received */
    uint8_t receiving, damaged, ready, sending;
    int8_t strength;
    uint8_t out_count, in_count, in_at, queued;
    uint8_t out[TEST_RADIO_ROOM], in[TEST_RADIO_ROOM];
    struct test_radio_heard queue[TEST_RADIO_QUEUE];
};

static void test_radio_connect(const struct device *d, struct wiring *w)
{
    wire_register(w, d, TEST_RADIO_DATA, TEST_RADIO_DATA, WIRE_READ | WIRE_WRITE, 0);
    wire_register(w, d, TEST_RADIO_COMMAND, TEST_RADIO_COMMAND, WIRE_WRITE, 0);
    wire_register(w, d, TEST_RADIO_STATUS, TEST_RADIO_STATUS, WIRE_READ, 0);
    wire_register(w, d, TEST_RADIO_STRENGTH, TEST_RADIO_STRENGTH, WIRE_READ, 0);
    wire_air(w, d);
}

static void test_radio_show(struct node *n, const struct test_radio_state *s)
{
    pin_drive(n, PIN(D, 0), s->ready ? PIN_HIGH : PIN_LOW);
}

static void test_radio_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    test_radio_show(n, device_state(n, d));
}

static void test_radio_send(struct node *n, const struct device *d)
{
    struct test_radio_state *s = device_state(n, d);
    uint64_t start = node_now(n) + node_ticks(n, AIR_AHEAD) + 1;
    uint64_t end = start + node_ticks(n, s->out_count * TEST_RADIO_BYTE);
    struct air_message m;
    memset(&m, 0, sizeof m);
    m.kind = AIR_BEGIN;
    m.sender = n->id;
    m.transmission = s->transmission++;
    m.tick = start;
    m.hertz = 2.405e9;
    m.bit_rate = 250e3;
    air_send(n, &m);
    m.kind = AIR_BYTES;
    m.count = s->out_count;
    memcpy(m.bytes, s->out, s->out_count);
    air_send(n, &m);
    m.kind = AIR_END;
    m.tick = end;
    air_send(n, &m);
    s->sending = 1;
    s->damaged |= s->receiving;
    s->out_count = 0;
    event_at(n, d, TEST_RADIO_EVENT_SENT, CLOCK_TICK, end);
}

static void test_radio_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    struct test_radio_state *s = device_state(n, d);
    (void)old;
    if (role == TEST_RADIO_DATA && s->out_count < TEST_RADIO_ROOM && !s->sending)
        s->out[s->out_count++] = (uint8_t)value;
    else if (role == TEST_RADIO_COMMAND && value == TEST_RADIO_SEND && !s->sending)
        test_radio_send(n, d);
    else if (role == TEST_RADIO_COMMAND && value == TEST_RADIO_TAKE)
        s->ready = 0;
    test_radio_show(n, s);
}

static void test_radio_read(struct node *n, const struct device *d, unsigned role)
{
    struct test_radio_state *s = device_state(n, d);
    uint8_t value = (uint8_t)s->strength;
    if (role == TEST_RADIO_STATUS)
        value = (uint8_t)((s->sending ? TEST_RADIO_SENDING : 0) | (s->on_air ? TEST_RADIO_CARRIER : 0) |
                          (s->ready ? TEST_RADIO_READY : 0));
    if (role == TEST_RADIO_DATA) {
        value = !s->ready || s->in_at > s->in_count ? 0 : s->in_at ? s->in[s->in_at - 1] : s->in_count;
        s->in_at++;
    }
    n->data[role] = value;
}

static void test_radio_happens(struct node *n, struct test_radio_state *s, const struct test_radio_heard *h)
{
    bool same = s->receiving && s->sender == h->sender && s->heard_transmission == h->transmission;
    if (h->kind == AIR_BEGIN) {
        s->damaged |= s->on_air++ > 0;
        if (s->on_air == 1 && !s->ready && !s->sending) {
            s->receiving = 1;
            s->damaged = s->in_count = s->in_at = 0;
            s->sender = h->sender;
            s->heard_transmission = h->transmission;
            s->strength = (int8_t)h->dbm;
        }
    } else if (h->kind == AIR_BYTES && same) {
        memcpy(s->in, h->bytes, h->count);
        s->in_count = h->count;
    } else if (h->kind == AIR_END) {
        s->on_air -= s->on_air > 0;
        if (same) {
            s->ready = !s->damaged && s->in_count;
            s->receiving = 0;
        }
    }
    test_radio_show(n, s);
}

static void test_radio_event(struct node *n, const struct device *d, unsigned event)
{
    struct test_radio_state *s = device_state(n, d);
    if (event == TEST_RADIO_EVENT_SENT) {
        s->sending = 0;
        return;
    }
    while (s->queued && s->queue[0].tick <= node_now(n)) {
        struct test_radio_heard h = s->queue[0];
        s->queued--;
        memmove(s->queue, s->queue + 1, s->queued * sizeof h);
        memset(&s->queue[s->queued], 0, sizeof h);
        test_radio_happens(n, s, &h);
    }
    if (s->queued)
        event_at(n, d, TEST_RADIO_EVENT_HEAR, CLOCK_TICK, s->queue[0].tick);
}

static void test_radio_hear(struct node *n, const struct device *d, const struct air_message *m)
{
    struct test_radio_state *s = device_state(n, d);
    if (s->queued == TEST_RADIO_QUEUE)
        return;
    struct test_radio_heard *h = &s->queue[s->queued++];
    memset(h, 0, sizeof *h);
    h->tick = m->tick;
    h->sender = m->sender;
    h->transmission = m->transmission;
    h->dbm = m->dbm;
    h->kind = (uint8_t)m->kind;
    if (m->kind == AIR_BYTES) {
        h->count = (uint8_t)(m->count < TEST_RADIO_ROOM ? m->count : TEST_RADIO_ROOM);
        memcpy(h->bytes, m->bytes, h->count);
    }
    event_at(n, d, TEST_RADIO_EVENT_HEAR, CLOCK_TICK, s->queue[0].tick);
}

static const struct device_type test_radio = {
    .name = "test radio",
    .state_size = sizeof(struct test_radio_state),
    .events = 2,
    .connect = test_radio_connect,
    .reset = test_radio_reset,
    .event = test_radio_event,
    .read = test_radio_read,
    .write = test_radio_write,
    .hear = test_radio_hear,
};

static const struct chip_device test_radio_parts[] = {{"radio", &test_radio, NULL}};

static const struct board test_radio_board = {
    .name = "test",
    .chip = &chip_atmega128,
    .hz = 7372800,
    .watch_hz = 32768,
    .millivolts = 3000,
    BOARD_PARTS(test_radio_parts),
};

#endif

#endif
