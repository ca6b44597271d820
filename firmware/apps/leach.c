/* Clusters: every node sends a number and its light sensor's reading, frame by frame, over its head to node 0, which
 * passes them to its host as the origin's address and the data. LED 0 is lit on heads. */
#include "adc.h"
#include "board.h"
#include "bytes.h"
#include "host.h"
#include "leach.h"
#include "leds.h"
#include "radio.h"
#include "task.h"
#include "timer.h"

#define NODES 32

uint16_t frames_taken;           /* for observers: by a node, */
uint16_t frames_received[NODES]; /* and at the base, of each */

static uint16_t reading;

static void read_done(struct adc_request *r, uint16_t value)
{
    (void)r;
    reading = value;
}

static struct adc_request request = {.done = read_done, .channel = SENSOR_LIGHT};

static void sample(uint8_t data[LEACH_DATA])
{
    bytes_put16(bytes_put16(data, ++frames_taken), reading);
    adc_read(&request);
    leds_set(leach_is_head() ? LED_0 : 0);
}

static void received(uint16_t origin, const uint8_t data[LEACH_DATA])
{
    if (origin < NODES)
        frames_received[origin]++;
    host_pass(origin, data, LEACH_DATA);
}

void app_start(void)
{
    radio_start();
    if (node_id == LEACH_BASE) {
        host_start();
        leach_base_start(received);
    } else {
        leach_start(sample);
    }
}
