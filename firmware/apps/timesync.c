/* One time for all: LED 0 of every node is lit in the first half of each second of global time.
 *
 * Nodes from POLLER on take no part but ask, every 3 s, what time it is: the others keep the global time of the frame
 * that asks, for observers. It came to all of them at the same instant. */
#include "board.h"
#include "bytes.h"
#include "leds.h"
#include "radio.h"
#include "task.h"
#include "timer.h"
#include "timesync.h"

#define POLLER    0xff00
#define TYPE_POLL 0x3f

uint16_t poll_number; /* the last that was heard */
uint32_t poll_time;   /* the global time of it, */
uint8_t poll_known;   /* if that is known */
uint16_t poll_root;

static void shine(struct timer *t)
{
    uint32_t since = timesync_global(timer_now()) % TICKS_PER_SECOND, half = TICKS_PER_SECOND / 2;
    leds_set(timesync_known() && since < half ? LED_0 : 0);
    timer_once(t, half - since % half);
}

static struct timer shining = {.fired = shine};

static void polled(const struct radio_message *m)
{
    if (m->length != 2 || !m->timed)
        return;
    poll_number = bytes_get16(m->data);
    poll_time = timesync_global(m->time);
    poll_known = timesync_known();
    poll_root = timesync_root();
}

static struct radio_listener listener = {.received = polled, .type = TYPE_POLL};

static uint8_t message[2];
static struct radio_packet packet = {
    .to = RADIO_EVERYBODY, .type = TYPE_POLL, .data = message, .length = sizeof message};

static void poll(struct timer *t)
{
    (void)t;
    if (packet.busy)
        return;
    bytes_put16(message, ++poll_number);
    radio_send(&packet);
}

static struct timer polling = {.fired = poll};

void app_start(void)
{
    radio_start();
    if (node_id >= POLLER) {
        timer_every(&polling, 3 * TICKS_PER_SECOND);
        return;
    }
    radio_listen(&listener);
    timesync_start();
    timer_once(&shining, TICKS_PER_SECOND);
}
