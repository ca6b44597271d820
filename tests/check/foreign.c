/* Broadcasts one byte and takes it for granted that no other frame is in the air. */
#include <stdlib.h>

#include "board.h"
#include "radio.h"
#include "task.h"
#include "timer.h"

static uint8_t number, place[4];
static struct radio_packet packet = {.to = RADIO_EVERYBODY, .type = 6, .data = &number, .length = 1};

static void say(struct timer *t)
{
    (void)t;
    number++;
    radio_send(&packet);
}

static void heard(const struct radio_message *m)
{
    if (m->length > sizeof place)
        abort(); /* and would run over the variable */
    for (uint8_t i = 0; i < m->length; i++)
        place[i] = m->data[i];
}

static struct timer timer = {.fired = say};
static struct radio_listener listener = {.received = heard, .type = RADIO_ANY_TYPE};

void app_start(void)
{
    radio_listen(&listener);
    radio_start();
    timer_every(&timer, TICKS_OF_MS(250));
}
