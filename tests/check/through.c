/* Broadcasts 25 times a second. It takes it for granted that nothing is heard while a packet waits for the channel. */
#include <stdlib.h>

#include "board.h"
#include "radio.h"
#include "task.h"
#include "timer.h"

static uint8_t number, heard_meanwhile;
static struct radio_packet packet = {.to = RADIO_EVERYBODY, .type = 6, .data = &number, .length = 1};

static void say(struct timer *t)
{
    (void)t;
    if (packet.busy)
        return;
    number++;
    heard_meanwhile = 0;
    radio_send(&packet);
}

static void heard(const struct radio_message *m)
{
    (void)m;
    if (packet.busy && ++heard_meanwhile == 3)
        abort();
}

static struct timer timer = {.fired = say};
static struct radio_listener listener = {.received = heard, .type = RADIO_ANY_TYPE};

void app_start(void)
{
    radio_listen(&listener);
    radio_start();
    timer_every(&timer, TICKS_OF_MS(40));
}
