#include "silence.h"

#include "timer.h"

static uint8_t quiet[SILENCE_NODES]; /* 1 and the seconds since a node was heard; 0: not heard yet, or reported */
static void (*report)(uint16_t node);

static void count(struct timer *t)
{
    (void)t;
    for (uint8_t node = 0; node < SILENCE_NODES; node++)
        if (quiet[node] && ++quiet[node] > SILENCE_SECONDS + 1) {
            quiet[node] = 0;
            report(node);
        }
}

static struct timer timer = {.fired = count};

void silence_start(void (*silent)(uint16_t node))
{
    report = silent;
    timer_every(&timer, TICKS_OF_MS(MS_PER_SECOND));
}

void silence_heard(uint16_t node)
{
    if (node < SILENCE_NODES)
        quiet[node] = 1;
}
