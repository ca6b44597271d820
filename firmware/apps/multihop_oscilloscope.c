/* Every node samples its light sensor once a second and sends each five readings to the root, node 0, which passes what
 * comes on to the host. A packet there is: origin, number of the report, the readings, each of 16 bits.
 *
 * With WATCHED the root also checks that no node falls silent. If one does, the host gets a packet with that node's
 * address and nothing else, and all nodes keep their logs (keep.h). */
#include <stddef.h>

#include "adc.h"
#include "board.h"
#include "bytes.h"
#include "collection.h"
#include "host.h"
#include "keep.h"
#include "leds.h"
#include "radio.h"
#include "silence.h"
#include "task.h"
#include "timer.h"

#define READINGS 5
#define REPORT   (2 + 2 * READINGS)

static uint16_t readings[READINGS], reports;
static uint8_t reading;

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

#ifdef WATCHED
static void watched(uint16_t origin, const uint8_t *data, uint8_t length)
{
    silence_heard(origin);
    host_pass(origin, data, length);
}

static void silent(uint16_t node)
{
    host_pass(node, NULL, 0);
    keep_all(node);
}

static void collect(bool root)
{
    keep_start();
    if (root)
        silence_start(silent);
    collection_start(root, watched);
}
#else
static void collect(bool root)
{
    collection_start(root, host_pass);
}
#endif

void app_start(void)
{
    bool root = node_id == 0;
    radio_start();
#ifdef LPL
    radio_low_power(LPL);
#endif
    if (root)
        host_start();
    collect(root);
    timer_every(&timer, TICKS_OF_MS(MS_PER_SECOND));
}
