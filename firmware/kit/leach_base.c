#include "board.h"
#include "bytes.h"
#include "leach_message.h"
#include "radio.h"
#include "timer.h"

static void (*pass)(uint16_t origin, const uint8_t data[LEACH_DATA]);

static uint8_t message[2];
static struct radio_packet packet = {
    .to = RADIO_EVERYBODY, .type = TYPE_ROUND, .data = message, .length = sizeof message};

static void begin_round(struct timer *t)
{
    (void)t;
    if (packet.busy)
        return;
    bytes_put16(message, leach_rounds++);
    radio_send(&packet);
}

static struct timer timer = {.fired = begin_round};

/* The last reports, to know by when one comes again because its acknowledgement was lost. */
#define HEADS 8
static struct {
    uint16_t from, round;
    uint8_t frame;
} last[HEADS];
static uint8_t next;

static bool is_repetition(uint16_t from, uint16_t round, uint8_t frame)
{
    for (uint8_t i = 0; i < HEADS; i++)
        if (last[i].from == from && last[i].round == round && last[i].frame == frame)
            return true;
    last[next].from = from;
    last[next].round = round;
    last[next].frame = frame;
    next = (next + 1) % HEADS;
    return false;
}

static void report_received(const struct radio_message *m)
{
    if (m->length < REPORT_HEADER || is_repetition(m->from, bytes_get16(m->data), m->data[2]))
        return;
    for (uint8_t at = REPORT_HEADER; at + REPORT_ENTRY <= m->length; at += REPORT_ENTRY)
        pass(bytes_get16(m->data + at), m->data + at + 2);
}

static struct radio_listener listener = {.received = report_received, .type = TYPE_REPORT};

void leach_base_start(void (*received)(uint16_t origin, const uint8_t data[LEACH_DATA]))
{
    pass = received;
    radio_listen(&listener);
    timer_every(&timer, TICKS_OF_MS(LEACH_ROUND_MS));
}
