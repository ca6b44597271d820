/* Samples the light sensor every so often, at first every 250 ms, and broadcasts each ten readings, for a base station.
 * A report is: version, interval in ms, node, number, the readings, each of 16 bits.
 *
 * All nodes come to have the same interval, that of the highest version (which may overflow): a node that hears a newer
 * one, in a report or from the host (version and interval suffice), takes it over, and sends it with its own reports.
 */
#include "adc.h"
#include "board.h"
#include "bytes.h"
#include "leds.h"
#include "radio.h"
#include "task.h"
#include "timer.h"

#define READINGS          10
#define TYPE_OSCILLOSCOPE 0x93

static struct {
    uint16_t version, interval;
    uint16_t readings[READINGS];
    uint16_t number;
} local = {.interval = 250};

static uint8_t reading, message[8 + 2 * READINGS];
static struct radio_packet packet = {
    .to = RADIO_EVERYBODY, .type = TYPE_OSCILLOSCOPE, .data = message, .length = sizeof message};

/* A report that finds the one before still on its way is left out; its number goes to the next. */
static void report(void)
{
    if (packet.busy) {
        leds_toggle(LED_0);
        return;
    }
    uint8_t *to = bytes_put16(bytes_put16(message, local.version), local.interval);
    to = bytes_put16(bytes_put16(to, node_id), local.number++);
    for (uint8_t i = 0; i < READINGS; i++)
        to = bytes_put16(to, local.readings[i]);
    radio_send(&packet);
    leds_toggle(LED_1);
}

static void report_if_full(void)
{
    if (reading == READINGS) {
        report();
        reading = 0;
    }
}

static void sampled(struct adc_request *r, uint16_t value)
{
    (void)r;
    local.readings[reading++] = value;
#ifndef BUG_READING_INDEX
    report_if_full();
#endif
}

/* Two, so that a sample that is late does not cost the next. */
static struct adc_request requests[2] = {
    {.done = sampled, .channel = SENSOR_LIGHT},
    {.done = sampled, .channel = SENSOR_LIGHT},
};

static void sample(struct timer *t)
{
    (void)t;
#ifdef BUG_READING_INDEX
    report_if_full();
#endif
    if (!adc_read(&requests[0]) && !adc_read(&requests[1]))
        leds_toggle(LED_0);
}

static struct timer timer = {.fired = sample};

static void received(const struct radio_message *m)
{
    if (m->length < 4)
        return;
    uint16_t version = bytes_get16(m->data), interval = bytes_get16(m->data + 2);
    if ((int16_t)(version - local.version) <= 0 || interval == 0)
        return;
    local.version = version;
    local.interval = interval;
    timer_every(&timer, TICKS_OF_MS(interval));
    leds_toggle(LED_2);
}

static struct radio_listener listener = {.received = received, .type = TYPE_OSCILLOSCOPE};

void app_start(void)
{
    radio_start();
    radio_listen(&listener);
    timer_every(&timer, TICKS_OF_MS(local.interval));
}
