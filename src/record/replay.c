#include "record/replay.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "image/image.h"
#include "isa/isa.h"
#include "node/interrupts.h"
#include "node/map.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/wiring.h"
#include "node/stops.h"
#include "node/taps.h"
#include "record/checkpoint.h"
#include "record/crc.h"
#include "record/replay_cores.h"
#include "record/replay_places.h"
#include "record/replay_stamps.h"
#include "record/replay_trial.h"

enum { EVENT_SILENCE, EVENT_RESUME, EVENT_STAMP, EVENT_HOLD, EVENTS };

/* Ticks without an event after which none will come: no delay of a library is longer. Where nothing was counted for the
 * shorter time, and code is not marked as one that does not count, that is known already. */
#define SILENCE       (UINT64_C(1) << 32)
#define SILENCE_LOOKS (UINT64_C(1) << 26)

/* ---- the log's device ---- */

static const struct replay *record_replay_config_of(const struct device *d)
{
    const struct replay *r = d->config;
    return r;
}

static struct replay_state *record_replay_state_of(struct node *n, const struct device *d)
{
    return device_state(n, d);
}

/* The part that is executed now. */
static const struct log_part *record_replay_part_of(const struct replay *r, const struct replay_state *s)
{
    const struct log_part *p = r->part;
    for (unsigned i = 0; i < s->parts; i++)
        p = p->next;
    return p;
}

static void record_replay_end(struct node *n, struct replay_state *s, enum replay_end why)
{
    s->end = (uint8_t)why;
    node_exit(n, NODE_EXIT_LOG, 0);
}

/* All that there is has been executed, and nothing tells why there is no more. */
static void record_replay_end_of_log(struct node *n, struct replay_state *s)
{
    s->restarted = record_replay_part_of(record_replay_config_of(n->machine->log), s)->restarted;
    record_replay_end(n, s, REPLAY_LOG_ENDED);
}

static bool differ(struct node *n, struct replay_state *s, enum replay_difference what)
{
    s->difference = (uint8_t)what;
    record_replay_end(n, s, REPLAY_DIFFERS);
    return true;
}

void replay_unrecorded(struct node *n, const struct device *d)
{
    differ(n, record_replay_state_of(n, d), REPLAY_UNRECORDED);
}

static void record_replay_connect(const struct device *d, struct wiring *w)
{
    wire_log(w, d);
    unknown_connect(record_replay_config_of(d), d, w->machine, w);
}

static void record_replay_tell(struct node *n, const struct device *d, const struct replay_heard *h)
{
    const struct replay *r = record_replay_config_of(d);
    if (r->listener)
        r->listener(r->listener_context, n, h);
}

static void set_count(struct node *n, const struct replay *r, unsigned count)
{
    count += r->count_first;
    n->data[r->count] = (uint8_t)count;
    n->data[r->count + 1] = (uint8_t)(count >> 8);
}

/* The place of the next interrupt, if it has one. */
static void set_trap(struct node *n, const struct device *d)
{
    const struct log_event *e = &record_replay_state_of(n, d)->decoder.next;
    bool placed = e->kind == LOG_INTERRUPT && (e->where == LOG_IN_CODE || e->where == LOG_IN_LIBRARY);
    unsigned unit = n->machine->chip->isa->address_unit;
    uint32_t address = record_replay_config_of(d)->stamped ? stamp_of(e, unit).address : log_address(e) * unit;
    if (record_replay_config_of(d)->stamped && !address)
        placed = false;
    stops_move_trap(n, placed ? address : UINT32_MAX);
}

static void set_traps(struct node *n, const struct device *d)
{
    const struct replay *r = record_replay_config_of(d);
    for (size_t i = 0; i < r->place_count; i++)
        stops_trap(n, r->places[i].address);
    set_trap(n, d);
    n->stops->trap_pass = UINT64_MAX;
}

/* From the last event on: so often it is looked at whether execution still gets anywhere. */
static void record_replay_listen_on(struct node *n, const struct device *d, uint64_t wait)
{
    struct replay_state *s = record_replay_state_of(n, d);
    s->silent_count = (uint16_t)replay_count(n, record_replay_config_of(d));
    event_in(n, d, EVENT_SILENCE, CLOCK_TICK, wait + SILENCE_LOOKS);
}

/* The part ends with the notice that is next. The recorder writes a check after it, which confirms all that came
 * before. */
static void record_replay_end_with_notice(struct node *n, const struct device *d, enum replay_end why)
{
    struct replay_state *s = record_replay_state_of(n, d);
    struct decoder after = s->decoder;
    decoder_take(&after, record_replay_part_of(record_replay_config_of(d), s));
    if (after.next.kind == LOG_CHANGED) {
        differ(n, s, REPLAY_CHANGED);
        return;
    }
    if (after.verified == after.events) {
        s->verified = s->decoder.verified = s->decoder.events;
        s->verified_at = n->state->now;
    }
    record_replay_end(n, s, why);
}

/* An event has been taken: what comes next. */
static void record_replay_go_on(struct node *n, const struct device *d)
{
    struct replay_state *s = record_replay_state_of(n, d);
    const struct log_event *e = &s->decoder.next;
    if (s->verified != s->decoder.verified) {
        s->verified = s->decoder.verified;
        s->verified_at = n->state->now;
    }
    if (e->kind == LOG_END)
        record_replay_end_of_log(n, s);
    else if (e->kind == LOG_DAMAGED)
        differ(n, s, REPLAY_BAD_LOG);
    else if (e->kind == LOG_CHANGED)
        differ(n, s, REPLAY_CHANGED);
    else if (e->kind == LOG_NOTICE && e->notice == LOG_NOTICE_GAP)
        record_replay_end_with_notice(n, d, REPLAY_GAP);
    else if (e->kind == LOG_NOTICE && e->notice == LOG_NOTICE_RESET)
        record_replay_end_with_notice(n, d, REPLAY_RESET);
    set_trap(n, d);
    s->silent_times = 0;
    record_replay_listen_on(n, d, 0);
}

static void record_replay_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    struct replay_state *s = record_replay_state_of(n, d);
    const struct log_part *p = record_replay_config_of(d)->part;
    memset(s, 0, sizeof *s);
    decoder_begin(&s->decoder, p);
    unknown_reset(n, d);
    set_traps(n, d);
    record_replay_listen_on(n, d, 0);
    if (p->continues)
        event_in(n, d, EVENT_RESUME, CLOCK_TICK, 0);
}

static void record_replay_restored(struct node *n, const struct device *d)
{
    unknown_restored(n, d);
    set_traps(n, d);
}

/* From a checkpoint: an entry of the recorder has just been entered; motet_idle, if the log does not say which. */
static void record_replay_resume(struct node *n, const struct device *d)
{
    struct replay_state *s = record_replay_state_of(n, d);
    const struct replay *r = record_replay_config_of(d);
    n->state->starting = 0;
    n->machine->chip->isa->set_pc(n, r->idle);
    const struct place *p = NULL;
    if (checkpoint_put(&r->part->checkpoint, n))
        p = replay_place_at(r, n->machine->chip->isa->pc(n));
    if (!p || !replay_hosts_worker(p->entry)) {
        differ(n, s, REPLAY_NO_CHECKPOINT);
        return;
    }
    unknown_resumed(n, d);
    s->begun = 1;
    s->left = stamp_now(n);
    record_replay_go_on(n, d);
}

static void stamp_due(struct node *n, const struct device *d);

static void record_replay_silent(struct node *n, const struct device *d)
{
    const struct replay *r = record_replay_config_of(d);
    struct replay_state *s = record_replay_state_of(n, d);
    bool goes_on = r->stamped || (r->uncounted && n->data[r->uncounted]) || replay_count(n, r) != s->silent_count;
    if (goes_on && !n->state->sleeping && ++s->silent_times < SILENCE / SILENCE_LOOKS)
        record_replay_listen_on(n, d, 0);
    else
        differ(n, s, REPLAY_NEVER_COMES);
}

static void record_replay_event(struct node *n, const struct device *d, unsigned which)
{
    if (which == EVENT_RESUME)
        record_replay_resume(n, d);
    else if (which == EVENT_STAMP)
        stamp_due(n, d);
    else if (which == EVENT_SILENCE)
        record_replay_silent(n, d);
}

static void record_replay_acknowledge(struct node *n, const struct device *d, unsigned line)
{
    (void)d, (void)line;
    interrupts_clear(n);
}

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
static void enter_routine(struct node *n, struct replay_state *s)
{
    const struct isa *isa = n->machine->chip->isa;
    if (s->routine_count == REPLAY_ROUTINES || !s->decoder.next.sp)
        return;
    s->routines[s->routine_count].sp = (uint16_t)isa->sp(n);
    s->routines[s->routine_count++].interrupted = s->decoder.next.sp;
    isa->set_sp(n, s->decoder.next.sp);
}

static void return_to_routine(struct node *n, struct replay_state *s)
{
    const struct isa *isa = n->machine->chip->isa;
    if (s->routine_count && s->routines[s->routine_count - 1].interrupted == isa->sp(n))
        isa->set_sp(n, s->routines[--s->routine_count].sp);
}

/* What a routine calls may count; it sets the count to zero in the end. */
static void pass_counts(struct node *n, const struct device *d, const struct routine *of)
{
    struct replay_state *s = record_replay_state_of(n, d);
    while (of->calls && s->decoder.next.kind == LOG_WRAPPED) {
        decoder_take(&s->decoder, record_replay_part_of(record_replay_config_of(d), s));
        record_replay_go_on(n, d);
    }
}

/* ---- interrupts ---- */

/* Handlers of interrupts in the recorder that have ended. */
static void leave_inside(struct node *n, const struct device *d)
{
    struct replay_state *s = record_replay_state_of(n, d);
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
static void record_replay_forget_flags(struct node *n, const struct device *d)
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
    const struct replay *r = record_replay_config_of(d);
    struct replay_state *s = record_replay_state_of(n, d);
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
        record_replay_forget_flags(n, d);
    s->inside[s->inside_count].entered = (uint8_t)entered;
    s->inside[s->inside_count++].sp = (uint16_t)sp;
}

/* The interrupt is raised; asleep, the CPU has to wake up first, and takes it then. `inside`: the entry of the recorder
 * that it came in, or NULL. False if it cannot be here. */
static bool raise(struct node *n, const struct device *d, const struct place *inside)
{
    struct replay_state *s = record_replay_state_of(n, d);
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
        return (inside || record_replay_config_of(d)->stamped) && differ(n, s, REPLAY_NOT_ACCEPTED);
    }
    const struct place *p = replay_place_at(record_replay_config_of(d), before);
    record_replay_tell(n, d,
                       &(struct replay_heard){.kind = REPLAY_HEARD_INTERRUPT,
                                              .vector = log_vector(&s->decoder.next),
                                              .asleep = asleep,
                                              .inside = inside,
                                              .read_inside = inside && p && p->entry != ENTRY_WRAPPED});
    s->left = NEVER;
    event_cancel(n, d, EVENT_STAMP);
    decoder_expect(&s->decoder, record_replay_part_of(record_replay_config_of(d), s), n->data, n->machine->data_size);
    decoder_take(&s->decoder, record_replay_part_of(record_replay_config_of(d), s));
    return true;
}

/* The next interrupt with a cycle stamp; false if there is none, or it is of another time. */
static bool stamp_next(const struct node *n, const struct device *d, struct stamp *t)
{
    const struct log_event *e = &replay_state_of(n)->decoder.next;
    if (e->kind != LOG_INTERRUPT || e->where == LOG_ASLEEP)
        return false;
    *t = stamp_of(e, n->machine->chip->isa->address_unit);
    return t->count == replay_count(n, record_replay_config_of(d));
}

static bool stamp_comes_here(struct node *n, const struct device *d, const struct place *p)
{
    struct stamp t;
    struct replay_state *s = record_replay_state_of(n, d);
    enum stamp_comes comes = stamp_next(n, d, &t) ? stamp_comes(n, s, &t, p) : STAMP_LATER;
    if (comes == STAMP_MISSED)
        differ(n, s, REPLAY_NEVER_COMES);
    return comes == STAMP_HERE;
}

/* When to look for it; where it has an address there is a trap. */
static void record_replay_set_stamp(struct node *n, const struct device *d)
{
    struct stamp t;
    const struct replay_state *s = record_replay_state_of(n, d);
    if (!record_replay_config_of(d)->stamped)
        return;
    if (s->left != NEVER && stamp_next(n, d, &t) && t.cycles && !t.address)
        event_at(n, d, EVENT_STAMP, CLOCK_CPU, s->left + t.cycles);
    else
        event_cancel(n, d, EVENT_STAMP);
}

/* The recorder is left, so many cycles ago. */
static void leave_stamp(struct node *n, const struct device *d, unsigned ago)
{
    struct replay_state *s = record_replay_state_of(n, d);
    s->left = stamp_now(n) - ago - record_replay_config_of(d)->least;
    s->polled = 0;
}

/* Where it was left and nothing has been executed since. */
static bool comes_at_once(const struct node *n, const struct device *d)
{
    struct stamp t;
    const struct replay_state *s = replay_state_of(n);
    return record_replay_config_of(d)->stamped && s->left != NEVER && stamp_next(n, d, &t) && t.cycles &&
           t.cycles == stamp_elapsed(n, s);
}

/* It is looked for once more where the timer has come round. */
static void set_next_round(struct node *n, const struct device *d)
{
    struct stamp t;
    const struct replay_state *s = record_replay_state_of(n, d);
    if (!s->end && stamp_next(n, d, &t) && stamp_may_be_round(&t) && s->left != NEVER)
        event_at(n, d, EVENT_STAMP, CLOCK_CPU, stamp_next_round(n, s, &t));
}

/* The current instruction has checked its own end: the interrupt may come after it. A recorded address is a trap
 * already. */
static void look_behind(struct node *n, const struct device *d)
{
    struct stamp t;
    if (stamp_next(n, d, &t) && !t.address)
        stops_move_trap(n, n->machine->chip->isa->pc(n));
    n->cut = true;
    set_next_round(n, d);
}

/* At entries of the recorder, and asleep, the log is asked anyway. */
static void stamp_due(struct node *n, const struct device *d)
{
    const struct place *p = replay_place_at(record_replay_config_of(d), n->machine->chip->isa->pc(n));
    if (n->horizon)
        look_behind(n, d);
    else if (n->state->sleeping || (p && p->entry < ENTRY_VECTOR))
        return;
    else if (!stamp_comes_here(n, d, p))
        set_next_round(n, d);
    else if (raise(n, d, NULL) && !record_replay_state_of(n, d)->end)
        record_replay_go_on(n, d);
}

/* Registers can hold unrecorded values that are never used. Then they fit nowhere, and the only place left is the
 * right one. */
static bool comes_here(struct node *n, const struct device *d, const struct place *p)
{
    bool entry = p && p->entry < ENTRY_VECTOR;
    const struct replay *r = record_replay_config_of(d);
    struct replay_state *s = record_replay_state_of(n, d);
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
            differ(n, s, REPLAY_UNCERTAIN);
        return !s->end;
    }
    enum later later = trial_comes_later(n, r, e, false);
    if (later == LATER_MAYBE)
        differ(n, s, REPLAY_UNCERTAIN);
    return later == LATER_NEVER;
}

/* ---- entries of the recorder ---- */

static bool other_event(struct node *n, struct replay_state *s, enum entry asked, unsigned site)
{
    if (s->decoder.next.kind == LOG_END) { /* found only when its value was asked for */
        record_replay_end_of_log(n, s);
        return true;
    }
    if (s->decoder.next.kind == LOG_CHANGED)
        return differ(n, s, REPLAY_CHANGED);
    if (s->decoder.next.kind == LOG_DAMAGED)
        return differ(n, s, REPLAY_BAD_LOG);
    s->asked = (uint8_t)asked;
    s->asked_site = site;
    return differ(n, s, REPLAY_OTHER_EVENT);
}

/* The result of an entry: so many bytes, of which these bits are the log's. */
static void record_replay_known_result(struct node *n, const struct device *d, unsigned size, unsigned bits)
{
    const struct isa *isa = n->machine->chip->isa;
    unsigned wide = isa->register_size(isa->result_register);
    for (unsigned i = 0; i < size; i += wide)
        unknown_known_register(n, d, isa->result_register + i / wide, bits >> 8 * i & ((1u << 8 * wide) - 1));
}

static bool answer_read(struct node *n, const struct device *d, enum entry entry)
{
    const struct isa *isa = n->machine->chip->isa;
    const struct replay *r = record_replay_config_of(d);
    struct replay_state *s = record_replay_state_of(n, d);
    unsigned size = entry == ENTRY_READ8 ? 1 : 2, all = size == 1 ? 0xff : 0xffff, logged;
    unsigned value = isa->argument(n, 0) & all, live = isa->argument(n, 1) & all, site = isa->argument(n, 2);
    if (!decoder_read(&s->decoder, record_replay_part_of(r, s), site, size, live, &logged))
        return other_event(n, s, entry, site);
    value = (logged & live) | (value & ~live);
    isa->leave(n, value, size);
    record_replay_known_result(n, d, size, live);
    record_replay_tell(
        n, d,
        &(struct replay_heard){
            .kind = REPLAY_HEARD_READ, .site = site, .size = size, .value = (logged & live) | (value & ~live)});
    record_replay_forget_flags(n, d);
    set_count(n, r, 0);
    if (taps_wanted(n, MOTET_ON(LOGGED)))
        taps_logged(n, replay_site_name(r, site), value);
    return true;
}

static bool answer_block(struct node *n, const struct device *d)
{
    const struct isa *isa = n->machine->chip->isa;
    const struct replay *r = record_replay_config_of(d);
    struct replay_state *s = record_replay_state_of(n, d);
    unsigned at = isa->argument(n, 0), size = isa->argument(n, 1), site = isa->argument(n, 2);
    uint8_t *bytes = n->data + at;
    if (at + size > n->machine->data_size ||
        !decoder_block(&s->decoder, record_replay_part_of(r, s), site, size, bytes))
        return other_event(n, s, ENTRY_BLOCK, site);
    unknown_known(n, d, at, size);
    record_replay_tell(n, d,
                       &(struct replay_heard){.kind = REPLAY_HEARD_BLOCK, .site = site, .size = size, .bytes = bytes});
    isa->leave(n, 0, 0);
    set_count(n, r, 0);
    return true;
}

/* Sets the count; true if it has come round, which is an event. */
static bool count_to(struct node *n, const struct device *d, unsigned count)
{
    const struct replay *r = record_replay_config_of(d);
    struct replay_state *s = record_replay_state_of(n, d);
    set_count(n, r, count);
    if ((count + r->count_first) & 0xffff)
        return false;
    set_count(n, r, 0);
    if (s->decoder.next.kind != LOG_WRAPPED)
        return other_event(n, s, ENTRY_WRAPPED, 0);
    decoder_take(&s->decoder, record_replay_part_of(r, s));
    return true;
}

/* Like a read, but only of what lies among the registers. */
static bool answer_pointer(struct node *n, const struct device *d, enum entry entry)
{
    const struct isa *isa = n->machine->chip->isa;
    const struct replay *r = record_replay_config_of(d);
    struct replay_state *s = record_replay_state_of(n, d);
    unsigned size = entry == ENTRY_POINTER8 ? 1 : 2, at = isa->argument(n, 0), site = isa->argument(n, 1), value;
    if (at >= n->machine->ram->first) {
        value = at < n->machine->data_size ? n->data[at] : 0;
        value |= size == 2 && at + 1 < n->machine->data_size ? (unsigned)n->data[at + 1] << 8 : 0;
        bool took = count_to(n, d, replay_count(n, r) + 1);
        isa->leave(n, value, size);
        unknown_loaded(n, d, at, size);
        return took;
    }
    if (!decoder_read(&s->decoder, record_replay_part_of(r, s), site, size, size == 1 ? 0xff : 0xffff, &value))
        return other_event(n, s, entry, site);
    isa->leave(n, value, size);
    record_replay_known_result(n, d, size, 0xffff);
    record_replay_tell(n, d,
                       &(struct replay_heard){.kind = REPLAY_HEARD_READ, .site = site, .size = size, .value = value});
    set_count(n, r, 0);
    return true;
}

static bool answer_wrapped(struct node *n, const struct device *d)
{
    const struct replay *r = record_replay_config_of(d);
    bool took = count_to(n, d, replay_count(n, r) + r->count_wraps);
    n->machine->chip->isa->leave(n, 0, 0);
    return took;
}

/* Left, and nothing was recorded: with stamps that counts. */
static bool answer_nothing(struct node *n, const struct device *d)
{
    const struct replay *r = record_replay_config_of(d);
    bool took = r->stamped && count_to(n, d, replay_count(n, r) + 1);
    n->machine->chip->isa->leave(n, 0, 0);
    return took;
}

static bool answer_begin(struct node *n, const struct device *d)
{
    const struct replay *r = record_replay_config_of(d);
    struct replay_state *s = record_replay_state_of(n, d);
    const struct log_event *e = &s->decoder.next;
    if (e->kind != LOG_NOTICE || e->notice != LOG_NOTICE_BEGIN)
        return other_event(n, s, ENTRY_BEGIN, 0);
    if (r->last >= r->first && crc16(0, n->data + r->first, r->last - r->first) != e->value)
        return differ(n, s, REPLAY_OTHER_MEMORY);
    decoder_take(&s->decoder, record_replay_part_of(r, s));
    s->begun = 1;
    record_replay_tell(n, d, &(struct replay_heard){.kind = REPLAY_HEARD_BEGIN});
    set_count(n, r, 0);
    n->machine->chip->isa->leave(n, 0, 0);
    return true;
}

/* A checkpoint was taken here: the next part begins with it, and memory must be what it says. */
static bool pass_checkpoint(struct node *n, const struct device *d)
{
    const struct replay *r = record_replay_config_of(d);
    struct replay_state *s = record_replay_state_of(n, d);
    const struct log_part *next = record_replay_part_of(r, s)->next;
    if (!next) {
        record_replay_end(n, s, REPLAY_CONTINUES);
        return true;
    }
    if (!checkpoint_fits(&next->checkpoint, n, r->first, r->last, &s->asked_site))
        return differ(n, s, REPLAY_OTHER_CHECKPOINT);
    s->parts++;
    s->before += s->decoder.at;
    struct decoder was = s->decoder;
    decoder_begin(&s->decoder, next);
    s->decoder.events += was.events + 1;
    s->decoder.verified = s->decoder.events; /* the checkpoint has confirmed them */
    s->decoder.interrupts += was.interrupts;
    return true;
}

static bool is_checkpoint(const struct node *n, const struct replay *r, const struct log_event *e)
{
    return e->kind == LOG_NOTICE && e->notice == LOG_NOTICE_CHECKPOINT && e->value == replay_count(n, r);
}

static bool answer_idle(struct node *n, const struct device *d)
{
    struct replay_state *s = record_replay_state_of(n, d);
    bool took = count_to(n, d, replay_count(n, record_replay_config_of(d)) + 1);
    const struct isa *isa = n->machine->chip->isa;
    if (s->let_in)
        isa->accept(n, false);
    record_replay_tell(n, d, &(struct replay_heard){.kind = REPLAY_HEARD_IDLE, .let_in = s->let_in});
    isa->leave(n, s->let_in, 1);
    record_replay_known_result(n, d, 1, 0xffff);
    s->let_in = 0;
    return took;
}

static bool answer_routine(struct node *n, const struct device *d, const struct place *p)
{
    const struct replay *r = record_replay_config_of(d);
    struct replay_state *s = record_replay_state_of(n, d);
    uint8_t result[ISA_RESULT];
    if (p->routine.whole) { /* instructions were executed, so the next interrupt may come at once */
        n->machine->chip->isa->left_out(n);
        if (p->routine.calls) /* the function itself does that (src/rewrite/measure.c) */
            set_count(n, r, 0 - r->count_first);
        return answer_nothing(n, d);
    }
    if (!decoder_block(&s->decoder, record_replay_part_of(r, s), p->routine.site, sizeof result, result))
        return other_event(n, s, ENTRY_BLOCK, p->routine.site);
    n->machine->chip->isa->leave_routine(n, result);
    unknown_known_registers(n, d);
    set_count(n, r, 0);
    return true;
}

static bool answer_freeze(struct node *n, const struct device *d)
{
    struct replay_state *s = record_replay_state_of(n, d);
    const struct log_event *e = &s->decoder.next;
    if (e->kind != LOG_NOTICE || e->notice != LOG_NOTICE_FROZEN)
        return other_event(n, s, ENTRY_FREEZE, 0);
    record_replay_end_with_notice(n, d, REPLAY_FROZEN);
    return false;
}

/* True if an event was taken. */
static bool record_replay_answer(struct node *n, const struct device *d, const struct place *p)
{
    if (replay_hosts_worker(p->entry) &&
        is_checkpoint(n, record_replay_config_of(d), &record_replay_state_of(n, d)->decoder.next))
        return pass_checkpoint(n, d);
    switch (p->entry) {
    case ENTRY_READ8:
    case ENTRY_READ16: return answer_read(n, d, p->entry);
    case ENTRY_BLOCK: return answer_block(n, d);
    case ENTRY_WRAPPED: return answer_wrapped(n, d);
    case ENTRY_POINTER8:
    case ENTRY_POINTER16: return answer_pointer(n, d, p->entry);
    case ENTRY_BEGIN: return answer_begin(n, d);
    case ENTRY_IDLE: return answer_idle(n, d);
    case ENTRY_POLLED:
        n->data[record_replay_config_of(d)->uncounted]--;
        record_replay_forget_flags(n, d);
        return answer_nothing(n, d);
    case ENTRY_BREATHE:
    case ENTRY_CLEAR:
    case ENTRY_FLUSH: return answer_nothing(n, d);
    case ENTRY_FREEZE: return answer_freeze(n, d);
    case ENTRY_ROUTINE: return answer_routine(n, d, p);
    case ENTRY_VECTOR:
        n->machine->chip->isa->set_pc(n, p->to);
        set_count(n, record_replay_config_of(d), 0);
        return false;
    default: return false;
    }
}

/* ---- polling loops ---- */

/* Whether the next interrupt came in the loop. Where it waits in library code, the registers tell which of several
 * visits it was. */
static bool record_replay_stays(struct node *n, const struct device *d, const struct place *p,
                                const struct log_event *e)
{
    const struct replay *r = record_replay_config_of(d);
    if (!p->poll.waits)
        return trial_comes_round_by(n, r, p, e);
    enum later here = trial_comes_in_round(trial_from(n), r, p, e);
    if (here != LATER_MAYBE)
        return here == LATER_FITS;
    enum later later = trial_comes_later(n, r, e, true);
    if (later == LATER_MAYBE)
        differ(n, record_replay_state_of(n, d), REPLAY_UNCERTAIN);
    return later == LATER_NEVER;
}

/* What was recorded of a register of a device goes there. */
static void record_replay_put(struct node *n, const struct poll *p)
{
    unsigned value = n->machine->chip->isa->get_register(n, p->register_number);
    for (unsigned i = 0; i < p->size && p->leave + i < n->machine->data_size; i++)
        n->data[p->leave + i] = (uint8_t)(value >> 8 * i);
}

static void record_replay_known_poll(struct node *n, const struct device *d, const struct poll *p)
{
    unsigned wide = n->machine->chip->isa->register_size(p->register_number);
    for (unsigned i = 0; i < p->size; i += wide)
        unknown_known_register(n, d, p->register_number + i / wide, 0xffff);
}

/* The loop is left at once, unless the next interrupt came in it. */
static void poll(struct node *n, const struct device *d, const struct place *p)
{
    const struct replay *r = record_replay_config_of(d);
    struct replay_state *s = record_replay_state_of(n, d);
    struct stamp t;
    const struct log_event *e = &s->decoder.next;
    bool placed = e->kind == LOG_INTERRUPT && (e->where == LOG_IN_CODE || e->where == LOG_IN_LIBRARY);
    s->polled = 1;
    bool comes = r->stamped ? stamp_next(n, d, &t) : placed && e->count == replay_count(n, r);
    bool stay = comes && record_replay_stays(n, d, p, e);
    trial_set_poll(n, &p->poll, stay);
    if (!p->poll.waits)
        record_replay_known_poll(n, d, &p->poll);
}

/* ---- the plan ---- */

/* How many ticks are left until the next event may be taken. */
static uint64_t record_replay_wait(struct node *n, const struct device *d)
{
    const struct replay *r = record_replay_config_of(d);
    struct replay_state *s = record_replay_state_of(n, d);
    while (s->hold < r->hold_count && r->holds[s->hold].event < s->decoder.events)
        s->hold++;
    if (s->hold == r->hold_count || r->holds[s->hold].event > s->decoder.events)
        return 0;
    uint64_t tick = r->holds[s->hold].tick;
    return tick > n->state->now ? tick - n->state->now : 0;
}

/* Asleep the node sleeps on. */
static bool record_replay_sleeps_on(struct node *n, const struct device *d)
{
    uint64_t wait = record_replay_wait(n, d);
    if (!wait)
        return false;
    event_in(n, d, EVENT_HOLD, CLOCK_TICK, wait);
    record_replay_listen_on(n, d, wait);
    return true;
}

/* Awake, at an entry of the recorder, the CPU stands still. */
static bool record_replay_stands(struct node *n, const struct device *d)
{
    struct replay_state *s = record_replay_state_of(n, d);
    const struct clock *cpu = &n->state->clocks[CLOCK_CPU];
    uint64_t wait = s->held ? 0 : record_replay_wait(n, d), now = n->state->now;
    uint64_t cycles = wait ? clock_cycle_at(cpu, now + wait) - clock_cycle_at(cpu, now) : 0;
    s->held = cycles > 0;
    if (!cycles)
        return false;
    node_stall(n, cycles);
    record_replay_listen_on(n, d, wait);
    return true;
}

static bool record_replay_wake(struct node *n, const struct device *d)
{
    struct replay_state *s = record_replay_state_of(n, d);
    const struct log_event *e = &s->decoder.next;
    decoder_wake(&s->decoder, record_replay_part_of(record_replay_config_of(d), s));
    if (e->kind != LOG_INTERRUPT || e->where != LOG_ASLEEP)
        return other_event(n, s, ENTRY_NONE, 0);
    return raise(n, d, NULL);
}

/* The next interrupt, if its place is here. */
static bool record_replay_interrupted(struct node *n, const struct device *d, const struct place *p)
{
    struct replay_state *s = record_replay_state_of(n, d);
    const struct isa *isa = n->machine->chip->isa;
    if (!comes_here(n, d, p))
        return s->end;
    if (p && p->entry == ENTRY_ROUTINE) {
        enter_routine(n, s);
        isa->left_out(n);
    }
    bool inside = p && p->entry < ENTRY_VECTOR;
    if (p && p->entry == ENTRY_IDLE && inside && !isa->accepts(n)) {
        s->let_in = 1;
        isa->accept(n, true);
    }
    return raise(n, d, inside ? p : NULL);
}

/* Entries that take more of the stack than the others, or are functions of the application that are left out. */
static bool is_deep(enum entry entry)
{
    return entry == ENTRY_BEGIN || entry == ENTRY_FLUSH || entry == ENTRY_FREEZE || entry == ENTRY_CLEAR ||
           entry == ENTRY_ROUTINE;
}

static bool record_replay_due(struct node *n, const struct device *d)
{
    struct replay_state *s = record_replay_state_of(n, d);
    const struct place *p = replay_place_at(record_replay_config_of(d), n->machine->chip->isa->pc(n));
    bool took = true;
    leave_inside(n, d);
    if (p && p->entry == ENTRY_ROUTINE) {
        return_to_routine(n, s);
        pass_counts(n, d, &p->routine);
    }
    if (s->end)
        return true;
    if (n->state->sleeping) {
        if (record_replay_sleeps_on(n, d))
            return false;
        took = record_replay_wake(n, d);
    } else if (s->held || !record_replay_interrupted(n, d, p)) {
        if (!p || p->entry == ENTRY_POLL) {
            if (p && p->poll.puts)
                record_replay_put(n, &p->poll);
            else if (p)
                poll(n, d, p);
            n->stops->trap_pass = n->state->instructions;
            return false;
        }
        if (record_replay_stands(n, d))
            return true;
        bool early = !s->begun && p->entry != ENTRY_BEGIN && p->entry != ENTRY_POLLED;
        uint32_t sp = n->machine->chip->isa->sp(n);
        s->resumed = REPLAY_AT_BEGIN;
        took = early ? differ(n, s, REPLAY_NOT_BEGUN) : record_replay_answer(n, d, p);
        unknown_residue(n, d, sp, is_deep(p->entry));
        if (n->machine->chip->isa->pc(n) != p->address) /* at a checkpoint it is not left yet */
            leave_stamp(n, d, p->entry == ENTRY_VECTOR ? STAMP_STUB : 0);
    }
    unknown_moved(n, d);
    if (took && !s->end)
        record_replay_go_on(n, d);
    if (!s->end && comes_at_once(n, d))
        stamp_due(n, d);
    record_replay_set_stamp(n, d);
    return true;
}

const struct device_type replay_type = {
    .name = "log",
    .state_size = sizeof(struct replay_state),
    .events = EVENTS,
    .connect = record_replay_connect,
    .reset = record_replay_reset,
    .event = record_replay_event,
    .acknowledge = record_replay_acknowledge,
    .due = record_replay_due,
    .read = unknown_read,
    .write = unknown_write,
    .before = unknown_before,
    .touched = unknown_touched,
    .restored = record_replay_restored,
};

/* ---- from outside ---- */

static bool check_build(const struct image *image, const struct log_part *part, struct motet_error *e)
{
    uint64_t build = image_build(image), wrote = part->build;
    if (!part->named && part->continues)
        checkpoint_is_whole(&part->checkpoint, &wrote);
    if (build == wrote)
        return true;
    return error_set(e,
                     "%s is build %016" PRIx64 ", but the log was made by build %016" PRIx64
                     "; give the firmware that recorded it",
                     image_path(image), build, wrote);
}

/* Such a log has a codec of its own. */
static struct replay *replay_new_cores(const struct image *image, const struct log_part *part, struct motet_error *e)
{
    struct replay *r = memory_new(sizeof *r);
    r->part = part;
    r->device = (struct chip_device){"log", &replay_cores_type, r};
    bool good = replay_cores_find(r, image, e) && check_build(image, part, e);
    if (good && (part->codec != LOG_WORDS || part->continues))
        good = error_set(e, "the log is written with codec %u (%s), which no firmware for this chip writes",
                         part->codec, log_codec_name(part->codec));
    if (good)
        return r;
    replay_free(r);
    return NULL;
}

struct replay *replay_new(const struct image *image, const struct isa *isa, const struct log_part *part,
                          struct motet_error *e)
{
    if (isa->cores)
        return replay_new_cores(image, part, e);
    struct replay *r = memory_new(sizeof *r);
    r->part = part;
    r->by_bytes = isa->register_size(0) == 1;
    r->least = isa->interrupts_at_once; /* where they never come at once, a stamp of zero says that it has none */
    if (!replay_find_places(r, image, isa, e) || !check_build(image, part, e) || !unknown_find_registers(r, image, e)) {
        replay_free(r);
        return NULL;
    }
    if (!decoder_knows(part)) {
        error_set(e, "the log is written with codec %u (%s), which this Motet cannot read", part->codec,
                  log_codec_name(part->codec));
        replay_free(r);
        return NULL;
    }
    replay_find_sites(r, image);
    r->device = (struct chip_device){"log", &replay_type, r};
    return r;
}

void replay_plan(struct replay *r, const struct replay_hold *holds, size_t count)
{
    free(r->holds);
    r->holds = memory_copy(holds, count * sizeof *holds);
    r->hold_count = count;
}

void replay_listen(struct replay *r, replay_listener *f, void *context)
{
    r->listener = f;
    r->listener_context = context;
}

void replay_free(struct replay *r)
{
    if (!r)
        return;
    free(r->holds);
    free(r->places);
    free(r->registers);
    free(r->sites);
    free(r->site_names);
    free(r);
}

const struct chip_device *replay_device(const struct replay *r)
{
    return &r->device;
}

bool replay_is(const struct node *n)
{
    return n->machine->log && n->machine->log->type == &replay_type;
}

const struct replay_state *replay_state_of(const struct node *n)
{
    assert(n->machine->log);
    return device_state(n, n->machine->log);
}
