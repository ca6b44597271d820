/* Talks with the host in packets. Every second it sends an acknowledged packet: 'c', a counter, and how many of these
 * have arrived. It sends back every packet it receives, straight from the receive buffer, which it keeps until the
 * packet has gone out; the LEDs show the low bits of the last byte received. */
#include <stddef.h>

#include "bytes.h"
#include "leds.h"
#include "serial.h"
#include "task.h"
#include "timer.h"

struct echo {
    struct serial_packet packet; /* first, so that a pointer to it is one to the echo */
    struct serial_buffer *buffer;
};

static uint16_t counter, arrived_count;
static uint8_t report[5];

static void report_sent(struct serial_packet *p, bool arrived)
{
    (void)p;
    arrived_count += arrived;
}

static struct serial_packet report_packet = {
    .sent = report_sent, .data = report, .length = sizeof report, .protocol = SERIAL_ACKNOWLEDGED};

static void tick(struct timer *t)
{
    (void)t;
    counter++;
    if (report_packet.busy)
        return;
    report[0] = 'c';
    bytes_put16(bytes_put16(report + 1, counter), arrived_count);
    serial_send(&report_packet);
}

static struct timer timer = {.fired = tick};

static void echo_sent(struct serial_packet *p, bool arrived)
{
    (void)arrived;
    struct echo *e = (struct echo *)p;
    serial_release(e->buffer);
}

static struct echo echoes[2] = {
    {.packet = {.sent = echo_sent, .protocol = SERIAL_PLAIN}},
    {.packet = {.sent = echo_sent, .protocol = SERIAL_PLAIN}},
};

static void received(struct serial_buffer *b)
{
    struct echo *e = &echoes[echoes[0].packet.busy];
    if (b->length)
        leds_set(b->data[b->length - 1] & 7);
    e->buffer = b;
    e->packet.data = b->data;
    e->packet.length = b->length;
    if (!serial_send(&e->packet))
        serial_release(b);
}

void app_start(void)
{
    serial_start(received);
    timer_every(&timer, TICKS_OF_MS(MS_PER_SECOND));
}
