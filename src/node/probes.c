/* Marks on code, and the probes they call. */
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/stops.h"
#include "node/taps.h"

static const uint32_t flow_happenings = MOTET_ON(CALL) | MOTET_ON(RETURN) | MOTET_ON(INTERRUPT_EXIT);

static bool covers(const struct motet_tap *t, uint32_t pc, unsigned when)
{
    return (t->when & when) && pc >= t->first && pc <= t->last;
}

/* ---- marks ---- */

static void find_alone(struct node *n)
{
    struct taps *t = n->taps;
    bool shared = t->single_count || t->ranges.count != 1 || t->pass != UINT64_MAX || (n->hooked & flow_happenings) ||
                  (n->stops && (n->stops->at_count || n->stops->traps));
    const struct motet_tap *only = shared ? NULL : t->ranges.items[0];
    bool all = only && only->first == 0 && only->last / 2 >= t->mark_count - 1;
    t->alone = all && !only->dead && only->when == MOTET_BEFORE ? only : NULL;
}

static unsigned probes_marks_of(const struct motet_tap *t, uint32_t pc)
{
    if (t->dead || !covers(t, pc, MOTET_BEFORE | MOTET_AFTER))
        return 0;
    return (t->when & MOTET_BEFORE ? MARK_BEFORE : 0u) | (t->when & MOTET_AFTER ? MARK_AFTER : 0u);
}

static unsigned probes_wanted(const struct node *n, uint32_t pc)
{
    const struct taps *t = n->taps;
    unsigned mark = stops_marks(n, pc) ? MARK_STOP : 0;
    for (unsigned i = 0; i < t->ranges.count; i++)
        mark |= probes_marks_of(t->ranges.items[i], pc);
    for (const struct motet_tap *s = t->buckets[pc / 2 % TAP_BUCKETS]; s; s = s->next)
        mark |= probes_marks_of(s, pc);
    if ((n->hooked & flow_happenings) && n->machine->chip->isa->flow(n, pc) != MOTET_FLOW_ON)
        mark |= MARK_FLOW;
    return mark;
}

static void pass_at(struct node *n, uint64_t count)
{
    n->taps->pass = count;
    find_alone(n);
}

void marks_renew(struct node *n, uint32_t first, uint32_t last)
{
    struct taps *t = n->taps;
    const struct isa *isa = n->machine->chip->isa;
    if (!t)
        return;
    for (uint32_t i = first / 2; i < t->mark_count && i <= last / 2; i++) {
        unsigned mark = probes_wanted(n, 2 * i);
        if (mark || t->marks[i]) /* also where the mark stays: the code may be new */
            isa->mark(n, 2 * i, mark != 0);
        t->marked += (mark != 0) - (t->marks[i] != 0);
        t->marks[i] = (uint8_t)mark;
    }
    find_alone(n);
    code_choose(n);
}

void code_choose(struct node *n)
{
    struct taps *t = n->taps;
    bool own = n->heat.cold || (t && (t->marked || t->watches_registers));
    if (t)
        t->code_due = n->executing;
    if (!n->executing && (own || n->code != n->machine->code))
        n->machine->chip->isa->choose_code(n, own);
}

/* ---- meeting them ---- */

/* Those put on while this goes on wait for the next instruction. Dead ones stay linked meanwhile. */
static void probes_call(struct node *n, uint32_t pc, unsigned when)
{
    struct taps *t = n->taps;
    uint64_t order = t->order;
    unsigned i = 0, count = t->ranges.count;
    struct motet_tap *single = t->single_count ? t->buckets[pc / 2 % TAP_BUCKETS] : NULL;
    for (;;) {
        while (i < count && !covers(t->ranges.items[i], pc, when))
            i++;
        while (single && !covers(single, pc, when))
            single = single->next;
        struct motet_tap *range = i < count ? t->ranges.items[i] : NULL;
        bool is_range = range && (!single || range->order < single->order);
        struct motet_tap *tap = is_range ? range : single;
        if (!tap || tap->order >= order)
            return;
        if (!tap->dead)
            tap->probed(tap->context, n->handle, pc, when == MOTET_AFTER);
        if (is_range)
            i++;
        else
            single = single->next;
    }
}

bool marks_changed(struct node *n)
{
    struct taps *t = n->taps;
    taps_enter(t);
    taps_leave(t);
    n->stopped_before = n->stopped;
    if (n->stopped)
        pass_at(n, n->state->instructions);
    return true;
}

bool marks_met(struct node *n, uint32_t pc)
{
    struct taps *t = n->taps;
    unsigned mark = t->marks[pc / 2];
    uint64_t count = n->state->instructions;
    n->stopped_before = (mark & MARK_STOP) && stops_meet(n, pc, count);
    if (n->stopped_before) {
        n->glance.slice = NULL;
        return true;
    }
    if ((mark & MARK_BEFORE) && t->pass != count) {
        taps_enter(t);
        probes_call(n, pc, MOTET_BEFORE);
        taps_leave(t);
        if (n->stopped) {
            pass_at(n, count);
            n->glance.slice = NULL;
            return n->stopped_before = true;
        }
    }
    n->glance.slice = NULL;
    if (mark & (MARK_AFTER | MARK_FLOW)) {
        n->pausing = true;
        t->after_pc = pc;
        t->after_count = count;
        t->after_sp = n->machine->chip->isa->sp(n);
    }
    if (t->pass != UINT64_MAX)
        pass_at(n, UINT64_MAX);
    return n->pausing || n->cut;
}

void taps_pause(struct node *n)
{
    struct taps *t = n->taps;
    if (n->pausing) {
        n->pausing = false;
        unsigned mark = t->marks[t->after_pc / 2];
        if (n->state->instructions != t->after_count) { /* it was completed */
            taps_enter(t);
            if (mark & MARK_AFTER)
                probes_call(n, t->after_pc, MOTET_AFTER);
            if (n->hooked & flow_happenings)
                taps_flow(n, t->after_pc);
            taps_leave(t);
        }
    }
    if (n->time >= n->alarm)
        alarms_run(n);
}
