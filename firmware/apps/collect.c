/* Every 20 s each node reads its five sensors, one after the other, and sends the readings to the root, node 0. A
 * packet at the host is: origin, number of the report, light, sound, two of acceleration, supply, each of 16 bits. */
#include "adc.h"
#include "board.h"
#include "bytes.h"
#include "collection.h"
#include "host.h"
#include "leds.h"
#include "radio.h"
#include "task.h"
#include "timer.h"

static const uint8_t channels[] = {SENSOR_LIGHT, SENSOR_SOUND, SENSOR_X, SENSOR_Y, SENSOR_VOLTAGE};
#define SENSORS sizeof channels

static uint8_t report[2 + 2 * SENSORS];
static uint16_t reports;
static uint8_t sensor;

static void next(struct adc_request *r, uint16_t value)
{
    bytes_put16(report + 2 + 2 * sensor, value);
    if (++sensor < SENSORS) {
        r->channel = channels[sensor];
        adc_read(r);
        return;
    }
    bytes_put16(report, reports++);
    leds_toggle(collection_send(report, sizeof report) ? LED_1 : LED_0);
}

static struct adc_request request = {.done = next};

static void begin(struct timer *t)
{
    (void)t;
    if (request.client.waiting)
        return;
    sensor = 0;
    request.channel = channels[0];
    adc_read(&request);
}

static struct timer timer = {.fired = begin};

void app_start(void)
{
    bool root = node_id == 0;
    radio_start();
    if (root)
        host_start();
    collection_start(root, host_pass);
    timer_every(&timer, TICKS_OF_MS(20UL * MS_PER_SECOND));
}
