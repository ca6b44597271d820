/* Every node samples its light sensor once a second and sends each five readings to the root, node 0, which passes what
 * comes on to the host. A packet there is: origin, number of the report, the readings, each of 16 bits. */
#include <string.h>

#include "adc.h"
#include "board.h"
#include "bytes.h"
#include "collection.h"
#include "leds.h"
#include "radio.h"
#include "serial.h"
#include "task.h"
#include "timer.h"

#define READINGS 5
#define REPORT   (2 + 2 * READINGS)

static uint16_t readings[READINGS], reports;
static uint8_t reading;

/* ---- at the root ---- */

#define TO_HOST_MAX 8
static struct to_host {
    struct serial_packet packet;
    uint8_t bytes[2 + COLLECTION_DATA_MAX];
} to_host[TO_HOST_MAX];

static void arrived(uint16_t origin, const uint8_t *data, uint8_t length)
{
    for (struct to_host *h = to_host; h < to_host + TO_HOST_MAX; h++)
        if (!h->packet.busy) {
            bytes_put16(h->bytes, origin);
            memcpy(h->bytes + 2, data, length);
            h->packet.data = h->bytes;
            h->packet.length = 2 + length;
            h->packet.protocol = SERIAL_PLAIN;
            serial_send(&h->packet);
            leds_toggle(LED_2);
            return;
        }
    leds_toggle(LED_0);
}

static void from_host(struct serial_buffer *b)
{
    serial_release(b);
}

/* ---- everywhere ---- */

static void report(void)
{
    uint8_t bytes[REPORT];
    uint8_t *to = bytes_put16(bytes, reports++);
    for (uint8_t i = 0; i < READINGS; i++)
        to = bytes_put16(to, readings[i]);
    leds_toggle(collection_send(bytes, sizeof bytes) ? LED_1 : LED_0);
}

static void sampled(struct adc_request *r, uint16_t value)
{
    (void)r;
    readings[reading++] = value;
    if (reading == READINGS) {
        reading = 0;
        report();
    }
}

static struct adc_request light = {.done = sampled, .channel = SENSOR_LIGHT};

static void sample(struct timer *t)
{
    (void)t;
    adc_read(&light);
}

static struct timer timer = {.fired = sample};

void app_start(void)
{
    bool root = node_id == 0;
    radio_start();
#ifdef LPL
    radio_low_power(LPL);
#endif
    if (root)
        serial_start(from_host);
    collection_start(root, arrived);
    timer_every(&timer, TICKS_OF_MS(MS_PER_SECOND));
}
