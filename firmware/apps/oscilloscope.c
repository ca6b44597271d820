/* Samples the light sensor every 250 ms and reports each five readings to the host, as one packet of numbers of 16
 * bits: node, number of the report, the readings. */
#include "adc.h"
#include "board.h"
#include "bytes.h"
#include "leds.h"
#include "serial.h"
#include "task.h"
#include "timer.h"

#define READINGS 5

static uint8_t message[2 + 2 + 2 * READINGS];
static uint16_t readings[READINGS], reports;
static uint8_t count;

static struct serial_packet packet = {.data = message, .length = sizeof message, .protocol = SERIAL_PLAIN};

/* The readings are copied, so that sampling goes on while the packet is on its way. */
static void report(void)
{
    if (packet.busy) {
        leds_toggle(LED_0);
        return;
    }
    uint8_t *to = bytes_put16(bytes_put16(message, node_id), reports);
    for (uint8_t i = 0; i < READINGS; i++)
        to = bytes_put16(to, readings[i]);
    serial_send(&packet);
    reports++;
    leds_toggle(LED_1);
}

static void sampled(struct adc_request *r, uint16_t value)
{
    (void)r;
    readings[count++] = value;
    if (count == READINGS) {
        count = 0;
        report();
    }
}

static struct adc_request light = {.done = sampled, .channel = SENSOR_LIGHT};

static void sample(struct timer *t)
{
    (void)t;
    if (!adc_read(&light))
        leds_toggle(LED_0);
}

static struct timer timer = {.fired = sample};

static void received(struct serial_buffer *b)
{
    serial_release(b);
}

void app_start(void)
{
    serial_start(received);
    timer_every(&timer, TICKS_OF_MS(250));
}
