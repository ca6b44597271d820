/* Every 50 ms a node sends a number, one more than the last; and the bug of a demonstration (scripts/levels): it does
 * not look whether the queue has taken it. When the queue is full, a number is lost. */
#include "board.h"
#include "bytes.h"
#include "collection.h"
#include "host.h"
#include "leds.h"
#include "radio.h"
#include "task.h"
#include "timer.h"

static uint16_t number, queued; /* the next one; how many the queue has taken */

static bool send(uint16_t n)
{
    uint8_t bytes[2];
    bytes_put16(bytes, n);
    return collection_send(bytes, sizeof bytes);
}

static void tick(struct timer *t)
{
    (void)t;
    queued += send(number);
    number++;
}

static struct timer timer = {.fired = tick};

static void taken(uint16_t origin, const uint8_t *data, uint8_t length)
{
    host_pass(origin, data, length);
}

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
