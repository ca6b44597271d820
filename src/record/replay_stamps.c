#include "record/replay_stamps.h"

#include "chip/chip.h"
#include "node/machine.h"

/* Where an entry of the recorder can still be interrupted: its first instructions, and the way to it from the window of
 * motet_idle. */
enum { ENTRY_CYCLES = 12, ENTRY_BYTES = 12 };

static enum stamp_comes comes_in_entry(const struct replay_state *s, const struct stamp *t, const struct place *p,
                                       uint64_t elapsed)
{
    bool here;
    if (!t->cycles)
        here = replay_hosts_worker(p->entry);
    else if (s->polled)
        here = t->address >= p->address && t->address < p->address + ENTRY_BYTES;
    else
        here = t->cycles >= elapsed && t->cycles - elapsed <= ENTRY_CYCLES;
    return here ? STAMP_HERE : STAMP_MISSED;
}

enum stamp_comes stamp_comes(const struct node *n, const struct replay_state *s, const struct stamp *t,
                             const struct place *p)
{
    const struct isa *isa = n->machine->chip->isa;
    if (s->left == NEVER)
        return STAMP_LATER;
    uint64_t elapsed = stamp_elapsed(n, s);
    if (p && p->entry < ENTRY_VECTOR)
        return comes_in_entry(s, t, p, elapsed);
    bool fits = (!t->address || t->address == isa->pc(n)) && isa->accepts(n);
    /* Where an interrupt came in the last round of a loop replay may go round once more: the next is late by that. */
    bool polls = s->polled || (p && p->entry == ENTRY_POLL && t->address && elapsed > t->cycles);
    if (polls)
        return t->cycles && fits ? STAMP_HERE : STAMP_LATER;
    if (!t->cycles || elapsed < t->cycles)
        return STAMP_LATER;
    if (stamp_may_be_round(t) && !isa->accepts(n))
        return STAMP_LATER;
    uint64_t late = elapsed - t->cycles;
    return fits && (late == 0 || (stamp_may_be_round(t) && late % STAMP_ROUND == 0)) ? STAMP_HERE : STAMP_MISSED;
}
