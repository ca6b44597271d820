#include "trickle.h"

#include "random.h"

static void begin(struct trickle *t)
{
    uint32_t half = TICKS_OF_MS(t->interval) / 2;
    uint32_t wait = half + (half >> 8) * (random_next() & 0xff);
    t->said = false;
    t->heard = 0;
    t->rest = 2 * half - wait;
    timer_once(&t->timer, wait);
}

static void fired(struct timer *timer)
{
    struct trickle *t = (struct trickle *)timer;
    if (t->said) {
        if (t->interval < t->longest)
            t->interval *= 2;
        begin(t);
        return;
    }
    t->said = true;
    timer_once(&t->timer, t->rest);
    if (t->enough == 0 || t->heard < t->enough)
        t->say();
}

void trickle_start(struct trickle *t)
{
    t->timer.fired = fired;
    t->interval = t->shortest;
    begin(t);
}

/* A node that is in its shortest interval stays there (RFC 6206, 4.2, rule 6). */
void trickle_reset(struct trickle *t)
{
    if (t->interval == t->shortest)
        return;
    t->interval = t->shortest;
    begin(t);
}

void trickle_heard(struct trickle *t)
{
    if (t->heard < 255)
        t->heard++;
}
