#include "chip/chip.h"
#include "isa/isa.h"
#include "node/interrupts.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/stops.h"
#include "record/replay_device.h"
#include "record/replay_trial.h"

/* ---- routines that are recorded as a whole ---- */

/* Whether the next interrupt came in the routine, or in what it calls. The event recorded after the routine is the
 * next one except for such interrupts. So the interrupt came there if the stack was not above its level at the
 * beginning. */
static bool came_in_routine(const struct node *n, const struct replay *r, const struct routine *of, uint32_t call)
{
    const struct log_event *e = &replay_state_of(n)->decoder.next;
    uint32_t at = log_address(e) * n->machine->chip->isa->address_unit;
    if (of->calls && e->sp && e->kind == LOG_INTERRUPT && (e->where == LOG_IN_LIBRARY || e->where == LOG_IN_CODE))
        return e->sp <= n->machine->chip->isa->sp(n);
    return e->kind == LOG_INTERRUPT && (e->where == LOG_IN_LIBRARY || (of->whole && e->where == LOG_IN_CODE)) &&
           e->count == replay_count(n, r) && ((at >= call && at < of->call_end) || (at >= of->first && at < of->end));
}

/* The stack is as it was in the routine while a handler runs, and then as its call has it. */
void replay_enter_routine(struct node *n, struct replay_state *s)
{
    const struct isa *isa = n->machine->chip->isa;
    if (s->routine_count == REPLAY_ROUTINES || !s->decoder.next.sp)
        return;
    s->routines[s->routine_count].sp = (uint16_t)isa->sp(n);
    s->routines[s->routine_count++].interrupted = s->decoder.next.sp;
    isa->set_sp(n, s->decoder.next.sp);
}

void replay_return_to_routine(struct node *n, struct replay_state *s)
{
    const struct isa *isa = n->machine->chip->isa;
    if (s->routine_count && s->routines[s->routine_count - 1].interrupted == isa->sp(n))
        isa->set_sp(n, s->routines[--s->routine_count].sp);
}

/* What a routine calls may count; it sets the count to zero in the end. */
void replay_pass_counts(struct node *n, const struct device *d, const struct routine *of)
{
    struct replay_state *s = replay_own_state(n, d);
    while (of->calls && s->decoder.next.kind == LOG_WRAPPED) {
        decoder_take(&s->decoder, replay_part_of(replay_config_of(d), s));
        replay_go_on(n, d);
    }
}

/* ---- interrupts ---- */

/* Handlers of interrupts in the recorder that have ended. */
void replay_leave_inside(struct node *n, const struct device *d)
{
    struct replay_state *s = replay_own_state(n, d);
    uint32_t sp = n->machine->chip->isa->sp(n);
    while (s->inside_count && s->inside[s->inside_count - 1].sp <= sp) {
        s->inside_count--;
        s->resumed = s->inside[s->inside_count].entered;
        if (s->inside[s->inside_count].sp == sp)
            n->machine->chip->isa->set_sp(n, sp = s->inside[s->inside_count].entry);
        unknown_residue(n, d, sp, true);
    }
}

/* An entry can be interrupted after its first instruction, and then has an address of its own. */
static bool came_in_entry(const struct node *n, const struct log_event *e, const struct place *p)
{
    enum { FIRST_INSTRUCTIONS = 4 /* bytes after which one can come */ };
    uint32_t at = log_address(e) * n->machine->chip->isa->address_unit;
    return p && p->entry < ENTRY_VECTOR && e->where == LOG_IN_CODE && at > p->address &&
           at - p->address <= FIRST_INSTRUCTIONS;
}

static enum replay_entered stamp_entered(const struct node *n, const struct replay_state *s, const struct place *p)
{
    enum {
        FROM_WINDOW = 2 /* cycles to motet_idle, which is called with interrupts off; others are their own window */
    };
    bool before = s->resumed == REPLAY_IN_WINDOW && s->let_in && p->entry == ENTRY_IDLE;
    struct stamp t = stamp_of(&s->decoder.next, n->machine->chip->isa->address_unit);
    uint64_t here = stamp_elapsed(n, s) + (before ? FROM_WINDOW : 0);
    if (!t.cycles)
        return REPLAY_IN_WINDOW;
    if (s->resumed == REPLAY_DEEPER || (s->polled ? t.address > p->address : t.cycles > here))
        return REPLAY_DEEPER;
    return s->resumed == REPLAY_IN_WINDOW && t.cycles < here ? REPLAY_IN_WINDOW : REPLAY_AT_BEGIN;
}

/* As motet_forget of target/recorder does. */
void replay_forget_flags(struct node *n, const struct device *d)
{
    n->machine->chip->isa->forget_flags(n);
    unknown_known_flags(n, d);
}

/* An interrupt in the recorder: its handler runs from the stack pointer that there was on the node. In the window of a
 * read the flags are forgotten already: a handler may keep them in a register, which the place of an interrupt in it
 * may depend on. */
static void enter_inside(struct node *n, const struct device *d, const struct place *p)
{
    const struct isa *isa = n->machine->chip->isa;
    const struct replay *r = replay_config_of(d);
    struct replay_state *s = replay_own_state(n, d);
    const struct log_event *e = &s->decoder.next;
    uint32_t sp = isa->sp(n), pushed = isa->register_size(0);
    bool deeper = came_in_entry(n, e, p);
    enum replay_entered entered = r->stamped ? stamp_entered(n, s, p) : deeper ? REPLAY_DEEPER : REPLAY_AT_BEGIN;
    if (s->inside_count == REPLAY_INSIDE)
        return;
    s->inside[s->inside_count].entry = (uint16_t)sp;
    if (entered == REPLAY_DEEPER) {
        unknown_residue(n, d, sp, false);
        isa->set_sp(n, sp -= pushed);
    }
    bool window = r->stamped ? entered == REPLAY_IN_WINDOW : !deeper && e->where == LOG_INSIDE;
    if (window && (p->entry == ENTRY_READ8 || p->entry == ENTRY_READ16))
        replay_forget_flags(n, d);
    s->inside[s->inside_count].entered = (uint8_t)entered;
    s->inside[s->inside_count++].sp = (uint16_t)sp;
}

/* The interrupt is raised; asleep, the CPU has to wake up first, and takes it then. `inside`: the entry of the recorder
 * that it came in, or NULL. False if it cannot be here. */
bool replay_raise(struct node *n, const struct device *d, const struct place *inside)
{
    struct replay_state *s = replay_own_state(n, d);
    const struct isa *isa = n->machine->chip->isa;
    bool asleep = n->state->sleeping;
    uint32_t before = isa->pc(n);
    interrupts_clear(n);
    interrupts_set(n, log_vector(&s->decoder.next) % isa->interrupts.lines, true);
    if (inside) {
        isa->left_out(n);
        enter_inside(n, d, inside);
    }
    if (!asleep && !isa->interrupt(n)) { /* after SEI or RETI: then it came in another round */
        interrupts_clear(n);
        return (inside || replay_config_of(d)->stamped) && replay_differ(n, s, REPLAY_NOT_ACCEPTED);
    }
    const struct place *p = replay_place_at(replay_config_of(d), before);
    replay_tell(n, d,
                &(struct replay_heard){.kind = REPLAY_HEARD_INTERRUPT,
                                       .vector = log_vector(&s->decoder.next),
                                       .asleep = asleep,
                                       .inside = inside,
                                       .read_inside = inside && p && p->entry != ENTRY_WRAPPED});
    s->left = NEVER;
    event_cancel(n, d, REPLAY_EVENT_STAMP);
    decoder_expect(&s->decoder, replay_part_of(replay_config_of(d), s), n->data, n->machine->data_size);
    decoder_take(&s->decoder, replay_part_of(replay_config_of(d), s));
    return true;
}

/* The next interrupt with a cycle stamp; false if there is none, or it is of another time. */
bool replay_stamp_next(const struct node *n, const struct device *d, struct stamp *t)
{
    const struct log_event *e = &replay_state_of(n)->decoder.next;
    if (e->kind != LOG_INTERRUPT || e->where == LOG_ASLEEP)
        return false;
    *t = stamp_of(e, n->machine->chip->isa->address_unit);
    return t->count == replay_count(n, replay_config_of(d));
}

static bool stamp_comes_here(struct node *n, const struct device *d, const struct place *p)
{
    struct stamp t;
    struct replay_state *s = replay_own_state(n, d);
    enum stamp_comes comes = replay_stamp_next(n, d, &t) ? stamp_comes(n, s, &t, p) : STAMP_LATER;
    if (comes == STAMP_MISSED)
        replay_differ(n, s, REPLAY_NEVER_COMES);
    return comes == STAMP_HERE;
}

/* When to look for it; where it has an address there is a trap. */
void replay_set_stamp(struct node *n, const struct device *d)
{
    struct stamp t;
    const struct replay_state *s = replay_own_state(n, d);
    if (!replay_config_of(d)->stamped)
        return;
    if (s->left != NEVER && replay_stamp_next(n, d, &t) && t.cycles && !t.address)
        event_at(n, d, REPLAY_EVENT_STAMP, CLOCK_CPU, s->left + t.cycles);
    else
        event_cancel(n, d, REPLAY_EVENT_STAMP);
}

/* The recorder is left, so many cycles ago. */
void replay_leave_stamp(struct node *n, const struct device *d, unsigned ago)
{
    struct replay_state *s = replay_own_state(n, d);
    s->left = stamp_now(n) - ago - replay_config_of(d)->least;
    s->polled = 0;
}

/* Where it was left and nothing has been executed since. */
bool replay_comes_at_once(const struct node *n, const struct device *d)
{
    struct stamp t;
    const struct replay_state *s = replay_state_of(n);
    return replay_config_of(d)->stamped && s->left != NEVER && replay_stamp_next(n, d, &t) && t.cycles &&
           t.cycles == stamp_elapsed(n, s);
}

/* It is looked for once more where the timer has come round. */
static void set_next_round(struct node *n, const struct device *d)
{
    struct stamp t;
    const struct replay_state *s = replay_own_state(n, d);
    if (!s->end && replay_stamp_next(n, d, &t) && stamp_may_be_round(&t) && s->left != NEVER)
        event_at(n, d, REPLAY_EVENT_STAMP, CLOCK_CPU, stamp_next_round(n, s, &t));
}

/* The current instruction has checked its own end: the interrupt may come after it. A recorded address is a trap
 * already. */
static void look_behind(struct node *n, const struct device *d)
{
    struct stamp t;
    if (replay_stamp_next(n, d, &t) && !t.address)
        stops_move_trap(n, n->machine->chip->isa->pc(n));
    n->cut = true;
    set_next_round(n, d);
}

/* At entries of the recorder, and asleep, the log is asked anyway. */
void replay_stamp_due(struct node *n, const struct device *d)
{
    const struct place *p = replay_place_at(replay_config_of(d), n->machine->chip->isa->pc(n));
    if (n->horizon)
        look_behind(n, d);
    else if (n->state->sleeping || (p && p->entry < ENTRY_VECTOR))
        return;
    else if (!stamp_comes_here(n, d, p))
        set_next_round(n, d);
    else if (replay_raise(n, d, NULL) && !replay_own_state(n, d)->end)
        replay_go_on(n, d);
}

/* Registers can hold unrecorded values that are never used. Then they fit nowhere, and the only place left is the
 * right one. */
bool replay_comes_here(struct node *n, const struct device *d, const struct place *p)
{
    bool entry = p && p->entry < ENTRY_VECTOR;
    const struct replay *r = replay_config_of(d);
    struct replay_state *s = replay_own_state(n, d);
    const struct log_event *e = &s->decoder.next;
    if (r->stamped)
        return stamp_comes_here(n, d, p);
    if (p && p->entry == ENTRY_ROUTINE && came_in_routine(n, r, &p->routine, p->address))
        return true;
    if (e->kind != LOG_INTERRUPT || e->where == LOG_ASLEEP || e->count != replay_count(n, r))
        return false;
    if (e->where == LOG_INSIDE)
        return entry;
    if (came_in_entry(n, e, p))
        return true;
    if (!trial_may_come(n, r, e))
        return false;
    if (trial_is_moment(n, e)) {
        if (e->where == LOG_IN_LIBRARY && trial_is_ambiguous(n, r, e))
            replay_differ(n, s, REPLAY_UNCERTAIN);
        return !s->end;
    }
    enum later later = trial_comes_later(n, r, e, false);
    if (later == LATER_MAYBE)
        replay_differ(n, s, REPLAY_UNCERTAIN);
    return later == LATER_NEVER;
}
