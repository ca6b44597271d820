/* What loops that wait for a timer will read (device_type.outlook). */
#include "device/avr/clocks.h"
#include "device/avr/timer_state.h"

/* An asynchronous timer stays what it is up to the next edge of its clock, once all that the last one brought is seen.
 */
static bool timer_outlook_to_edge(const struct node *n, const struct timer_state *t, struct outlook *s)
{
    const struct clock *asy = &n->state->clocks[AVR_CLOCK_ASY];
    uint64_t now = timer_now(n, t);
    if (t->external || t->fresh || t->deaf || t->last != now || !asy->period)
        return false;
    s->until = clock_tick_of(asy, now + 1);
    return true;
}

/* The timer as it is now, where nothing but its clock acts on it. */
static bool timer_outlook_now(const struct node *n, const struct timer_state *t, struct timer_state *now)
{
    uint64_t cycle = timer_now(n, t);
    *now = *t;
    if (t->fast || t->prescaler.base > cycle || sampler_due(&t->capture) != NEVER || sampler_due(&t->clock) != NEVER)
        return false;
    if (t->last > cycle)
        return false;
    if (t->divisor != TIMER_STOPPED && t->divisor < TIMER_FALLING)
        waveform_run(&now->wave, prescaler_ticks(&t->prescaler, t->divisor, t->last, cycle), 0, 0);
    now->last = cycle;
    return true;
}

static uint64_t timer_outlook_tick(const struct node *n, uint64_t cycle)
{
    return clock_tick_of(&n->state->clocks[CLOCK_IO], cycle);
}

/* The CPU's cycles are those of the timer's clock. */
static bool timer_outlook_in_step(const struct node *n)
{
    const struct clock *cpu = &n->state->clocks[CLOCK_CPU], *io = &n->state->clocks[CLOCK_IO];
    return cpu->period == io->period && (cpu->period == CLOCK_ONE || cpu->base_tick == io->base_tick);
}

static bool timer_outlook_is_read(const struct node *n, const struct timer_config *c, const struct timer_state *t,
                                  uint16_t count)
{
    return n->data[c->count] == (uint8_t)count &&
           (!c->wide || (t->temp == count >> 8 && n->data[c->count + 1] == count >> 8));
}

bool timer_outlook_count(const struct node *n, const struct device *d, struct outlook *s)
{
    const struct timer_config *c = d->config;
    const struct timer_state *t = device_state(n, d);
    struct timer_state now;
    if (c->high)
        return false;
    if (t->asynchronous) /* one that woke up in this cycle reads as before it */
        return timer_outlook_to_edge(n, t, s) && timer_outlook_is_read(n, c, t, t->wave.count);
    if (!timer_outlook_now(n, t, &now))
        return false;
    if (t->divisor == TIMER_STOPPED || t->divisor >= TIMER_FALLING || t->prescaler.held)
        return timer_outlook_is_read(n, c, t, now.wave.count);
    if (t->divisor != 1) {
        s->until = timer_outlook_tick(n, prescaler_cycle(&t->prescaler, t->divisor, now.last, 1));
        return timer_outlook_is_read(n, c, t, now.wave.count);
    }
    uint64_t counts = waveform_counts(&now.wave);
    if (!counts || !timer_outlook_in_step(n))
        return false;
    s->kind = OUTLOOK_COUNTS;
    s->value = now.wave.count;
    s->width = c->wide ? 2 : 1;
    s->until = timer_outlook_tick(n, now.last + counts + 1);
    return true;
}

bool timer_outlook_flags(const struct node *n, const struct device *d, struct outlook *s)
{
    const struct timer_state *t = device_state(n, d);
    struct timer_state now;
    const uint8_t all = WAVEFORM_OVERFLOW | 7 * WAVEFORM_MATCH | WAVEFORM_CAPTURED;
    if (t->asynchronous)
        return timer_outlook_to_edge(n, t, s) && t->wave.flags == t->told_flags;
    if (!timer_outlook_now(n, t, &now) || now.wave.flags != t->told_flags)
        return false;
    uint8_t awaited = (uint8_t)(all & ~now.wave.flags);
    if (t->divisor == TIMER_STOPPED || t->divisor >= TIMER_FALLING || !awaited)
        return true;
    uint64_t clocks = waveform_run(&now.wave, UINT64_MAX, awaited, 0);
    uint64_t cycle = prescaler_cycle(&t->prescaler, t->divisor, now.last, clocks);
    s->until = cycle == NEVER ? NEVER : timer_outlook_tick(n, cycle);
    return true;
}

bool timer_outlook_asynchronous(const struct node *n, const struct device *d, struct outlook *s)
{
    const struct timer_state *t = device_state(n, d);
    return !t->asynchronous || timer_outlook_to_edge(n, t, s);
}
