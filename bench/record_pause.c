#include "record_pause.h"

#include <string.h>

#include <motet/watch.h>

/* The flash is "read" while it is selected. */
static void pause_count(struct pause_tap *t, const motet_node *n)
{
    uint64_t cycles = motet_node_cycles(n), taken = cycles - t->cycles;
    const char *doing = motet_node_doing(n, "flash");
    t->cycles = cycles;
    t->awake += taken;
    if (t->selected)
        t->moving += taken;
    t->selected = doing && strcmp(doing, "read") == 0;
}

static void pause_end(struct pause_tap *t, uint64_t now)
{
    if (t->off_since != MOTET_NEVER && now - t->off_since > t->longest)
        t->longest = now - t->off_since;
    t->off_since = MOTET_NEVER;
}

static void pause_looked(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct pause_tap *t = context;
    uint64_t now = motet_node_now(n);
    (void)pc, (void)after;
    pause_count(t, n);
    if (!(motet_node_register(n, t->status) & t->enabled)) {
        if (t->off_since == MOTET_NEVER)
            t->off_since = now;
        return;
    }
    pause_end(t, now);
}

/* An MSP430 lets interrupts in and falls asleep in one instruction; and where one is taken they were on just before. */
static void pause_happened(void *context, const motet_node *n, const struct motet_happened *h)
{
    (void)n;
    pause_end(context, h->tick);
}

/* Start-up, in which nothing is expected yet, does not count. */
static void pause_started(void *context, const motet_node *n, uint64_t due)
{
    (void)n, (void)due;
    ((struct pause_tap *)context)->longest = 0;
}

static void pause_copying(void *context, const motet_node *n, const struct motet_access *a)
{
    struct pause_tap *t = context;
    uint64_t now = motet_node_now(n);
    if (a->value && !t->began)
        t->began = now;
    if (a->value || !t->began)
        return;
    t->checkpoint += now - t->began;
    t->checkpoints++;
    t->began = 0;
}

void pause_put(motet_node *n, const motet_machine *m, struct pause_tap *t)
{
    const char *name;
    unsigned size;
    struct motet_value doing;
    struct motet_error e;
    bool avr = motet_machine_register(m, 32, &name, &size); /* SREG: an MSP430 has 16 */
    *t = (struct pause_tap){
        .status = avr ? 32 : 2, .enabled = avr ? 0x80 : 0x08, .off_since = MOTET_NEVER, .second = motet_machine_hz(m)};
    motet_probe(n, MOTET_EVERYWHERE, MOTET_BEFORE, pause_looked, t);
    motet_hook(n, MOTET_ON(SLEEP) | MOTET_ON(INTERRUPT_ENTRY), pause_happened, t);
    motet_alarm(n, MOTET_TICKS, t->second, 0, pause_started, t);
    if (motet_node_value(n, "motet_recorder.copy.doing", &doing, &e))
        motet_watch(n, doing.address, doing.address, MOTET_WRITE | MOTET_AFTER, pause_copying, t);
}
