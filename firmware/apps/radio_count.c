/* Every 250 ms broadcasts a counter; the LEDs show the low bits of the one received last. */
#include <stddef.h>

#include "bytes.h"
#include "leds.h"
#include "radio.h"
#include "task.h"
#include "timer.h"

#define TYPE_COUNT 6

static uint8_t count_bytes[2];
static uint16_t count;
static struct radio_packet packet = {
    .to = RADIO_EVERYBODY, .type = TYPE_COUNT, .data = count_bytes, .length = sizeof count_bytes};

static void tick(struct timer *t)
{
    (void)t;
    count++;
    if (packet.busy)
        return;
    bytes_put16(count_bytes, count);
    radio_send(&packet);
}

static struct timer timer = {.fired = tick};

static void received(const struct radio_message *m)
{
    if (m->length == sizeof count_bytes)
        leds_set(bytes_get16(m->data) & 7);
}

static struct radio_listener listener = {.received = received, .type = TYPE_COUNT};

void app_start(void)
{
    radio_start();
    radio_listen(&listener);
    timer_every(&timer, TICKS_OF_MS(250));
}
