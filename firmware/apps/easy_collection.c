/* Every 50 ms each node but the root sends a number, one more than the last, and the root passes them to the host.
 * Where the queue is full LED 0 toggles and the number stays for the next time: so none is left out. */
#include "board.h"
#include "bytes.h"
#include "collection.h"
#include "host.h"
#include "leds.h"
#include "radio.h"
#include "task.h"
#include "timer.h"

#define NODES 8

uint16_t numbers[NODES]; /* for observers, at the root: the last one of each node */

static uint16_t number;

static void taken(uint16_t origin, const uint8_t *data, uint8_t length)
{
    if (origin < NODES && length == 2)
        numbers[origin] = bytes_get16(data);
    host_pass(origin, data, length);
}

static void tick(struct timer *t)
{
    (void)t;
    uint8_t bytes[2];
    bytes_put16(bytes, number);
#ifdef BUG_SEND_BUSY
    collection_send(bytes, sizeof bytes);
#else
    if (!collection_send(bytes, sizeof bytes)) {
        leds_toggle(LED_0);
        return;
    }
#endif
    number++;
}

static struct timer timer = {.fired = tick};

void app_start(void)
{
    bool root = node_id == 0;
    radio_start();
    if (root)
        host_start();
    collection_start(root, taken);
    if (!root)
        timer_every(&timer, TICKS_OF_MS(50));
}
