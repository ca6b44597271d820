/* Broadcasts a number four times a second. In its first five seconds it cannot bear that one is missing. */
#include <stdlib.h>

#include "board.h"
#include "radio.h"
#include "task.h"
#include "timer.h"

static uint8_t number, last;
static uint32_t began;
static struct radio_packet packet = {.to = RADIO_EVERYBODY, .type = 6, .data = &number, .length = 1};

static void say(struct timer *t)
{
    (void)t;
    number++;
    radio_send(&packet);
}

static void heard(const struct radio_message *m)
{
    bool young = timer_now() - began < TICKS_OF_MS(5000);
    if (young && last && (uint8_t)(m->data[0] - last) > 1)
        abort();
    last = m->data[0];
}

static struct timer timer = {.fired = say};
static struct radio_listener listener = {.received = heard, .type = RADIO_ANY_TYPE};

void app_start(void)
{
    began = timer_now();
    radio_listen(&listener);
    radio_start();
    timer_every(&timer, TICKS_OF_MS(250));
}
