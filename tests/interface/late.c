/* A timing fault: node 1 sends a beat every 500 ms, the tenth of them 900 ms late. The others wait 800 ms for each. */
#include <stddef.h>

#include "board.h"
#include "radio.h"
#include "timer.h"

#define TYPE_BEAT 9

static uint8_t number[1];
static struct radio_packet packet = {.to = RADIO_EVERYBODY, .type = TYPE_BEAT, .data = number, .length = sizeof number};

static void beat(struct timer *t)
{
    number[0]++;
    radio_send(&packet);
    timer_once(t, TICKS_OF_MS(number[0] == 9 ? 1400 : 500));
}
static struct timer beat_timer = {.fired = beat};

static void timed_out(struct timer *t)
{
    timer_once(t, TICKS_OF_MS(800));
}
static struct timer patience = {.fired = timed_out};

static void heard(const struct radio_message *m)
{
    number[0] = m->data[0];
    timer_once(&patience, TICKS_OF_MS(800));
}
static struct radio_listener listener = {.received = heard, .type = TYPE_BEAT};

void app_start(void)
{
    radio_start();
    radio_listen(&listener);
    if (node_id == 1)
        timer_once(&beat_timer, TICKS_OF_MS(500));
    else
        timer_once(&patience, TICKS_OF_MS(3000));
}
