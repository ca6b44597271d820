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
#include "node/machine.h"
#include "node/node.h"
#include "node/wiring.h"
#include "node/stops.h"
#include "record/checkpoint.h"
#include "record/replay_cores.h"
#include "record/replay_device.h"
#include "record/replay_trial.h"

/* Ticks without an event after which none will come: no delay of a library is longer. Where nothing was counted for the
 * shorter time, and code is not marked as one that does not count, that is known already. */
#define SILENCE       (UINT64_C(1) << 32)
#define SILENCE_LOOKS (UINT64_C(1) << 26)

/* ---- the log's device ---- */

/* The part that is executed now. */
const struct log_part *replay_part_of(const struct replay *r, const struct replay_state *s)
{
    const struct log_part *p = r->part;
    for (unsigned i = 0; i < s->parts; i++)
        p = p->next;
    return p;
}

void replay_end_because(struct node *n, struct replay_state *s, enum replay_end why)
{
    s->end = (uint8_t)why;
    node_exit(n, NODE_EXIT_LOG, 0);
}

/* All that there is has been executed, and nothing tells why there is no more. */
void replay_end_of_log(struct node *n, struct replay_state *s)
{
    s->restarted = replay_part_of(replay_config_of(n->machine->log), s)->restarted;
    replay_end_because(n, s, REPLAY_LOG_ENDED);
}

bool replay_differ(struct node *n, struct replay_state *s, enum replay_difference what)
{
    s->difference = (uint8_t)what;
    replay_end_because(n, s, REPLAY_DIFFERS);
    return true;
}

void replay_unrecorded(struct node *n, const struct device *d)
{
    replay_differ(n, replay_own_state(n, d), REPLAY_UNRECORDED);
}

static void replay_device_connect(const struct device *d, struct wiring *w)
{
    wire_log(w, d);
    unknown_connect(replay_config_of(d), d, w->machine, w);
}

void replay_tell(struct node *n, const struct device *d, const struct replay_heard *h)
{
    const struct replay *r = replay_config_of(d);
    if (r->listener)
        r->listener(r->listener_context, n, h);
}

void replay_set_count(struct node *n, const struct replay *r, unsigned count)
{
    count += r->count_first;
    n->data[r->count] = (uint8_t)count;
    n->data[r->count + 1] = (uint8_t)(count >> 8);
}

/* The place of the next interrupt, if it has one. */
static void set_trap(struct node *n, const struct device *d)
{
    const struct log_event *e = &replay_own_state(n, d)->decoder.next;
    bool placed = e->kind == LOG_INTERRUPT && (e->where == LOG_IN_CODE || e->where == LOG_IN_LIBRARY);
    unsigned unit = n->machine->chip->isa->address_unit;
    uint32_t address = replay_config_of(d)->stamped ? stamp_of(e, unit).address : log_address(e) * unit;
    if (replay_config_of(d)->stamped && !address)
        placed = false;
    stops_move_trap(n, placed ? address : UINT32_MAX);
}

static void set_traps(struct node *n, const struct device *d)
{
    const struct replay *r = replay_config_of(d);
    for (size_t i = 0; i < r->place_count; i++)
        stops_trap(n, r->places[i].address);
    set_trap(n, d);
    n->stops->trap_pass = UINT64_MAX;
}

/* From the last event on: so often it is looked at whether execution still gets anywhere. */
static void replay_device_listen_on(struct node *n, const struct device *d, uint64_t wait)
{
    struct replay_state *s = replay_own_state(n, d);
    s->silent_count = (uint16_t)replay_count(n, replay_config_of(d));
    event_in(n, d, REPLAY_EVENT_SILENCE, CLOCK_TICK, wait + SILENCE_LOOKS);
}

/* The part ends with the notice that is next. The recorder writes a check after it, which confirms all that came
 * before. */
void replay_end_with_notice(struct node *n, const struct device *d, enum replay_end why)
{
    struct replay_state *s = replay_own_state(n, d);
    struct decoder after = s->decoder;
    decoder_take(&after, replay_part_of(replay_config_of(d), s));
    if (after.next.kind == LOG_CHANGED) {
        replay_differ(n, s, REPLAY_CHANGED);
        return;
    }
    if (after.verified == after.events) {
        s->verified = s->decoder.verified = s->decoder.events;
        s->verified_at = n->state->now;
    }
    replay_end_because(n, s, why);
}

/* An event has been taken: what comes next. */
void replay_go_on(struct node *n, const struct device *d)
{
    struct replay_state *s = replay_own_state(n, d);
    const struct log_event *e = &s->decoder.next;
    if (s->verified != s->decoder.verified) {
        s->verified = s->decoder.verified;
        s->verified_at = n->state->now;
    }
    if (e->kind == LOG_END)
        replay_end_of_log(n, s);
    else if (e->kind == LOG_DAMAGED)
        replay_differ(n, s, REPLAY_BAD_LOG);
    else if (e->kind == LOG_CHANGED)
        replay_differ(n, s, REPLAY_CHANGED);
    else if (e->kind == LOG_NOTICE && e->notice == LOG_NOTICE_GAP)
        replay_end_with_notice(n, d, REPLAY_GAP);
    else if (e->kind == LOG_NOTICE && e->notice == LOG_NOTICE_RESET)
        replay_end_with_notice(n, d, REPLAY_RESET);
    set_trap(n, d);
    s->silent_times = 0;
    replay_device_listen_on(n, d, 0);
}

static void replay_device_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    struct replay_state *s = replay_own_state(n, d);
    const struct log_part *p = replay_config_of(d)->part;
    memset(s, 0, sizeof *s);
    decoder_begin(&s->decoder, p);
    unknown_reset(n, d);
    set_traps(n, d);
    replay_device_listen_on(n, d, 0);
    if (p->continues)
        event_in(n, d, REPLAY_EVENT_RESUME, CLOCK_TICK, 0);
}

static void replay_device_restored(struct node *n, const struct device *d)
{
    unknown_restored(n, d);
    set_traps(n, d);
}

/* From a checkpoint: an entry of the recorder has just been entered; motet_idle, if the log does not say which. */
static void replay_device_resume(struct node *n, const struct device *d)
{
    struct replay_state *s = replay_own_state(n, d);
    const struct replay *r = replay_config_of(d);
    n->state->starting = 0;
    n->machine->chip->isa->set_pc(n, r->idle);
    const struct place *p = NULL;
    if (checkpoint_put(&r->part->checkpoint, n))
        p = replay_place_at(r, n->machine->chip->isa->pc(n));
    if (!p || !replay_hosts_worker(p->entry)) {
        replay_differ(n, s, REPLAY_NO_CHECKPOINT);
        return;
    }
    unknown_resumed(n, d);
    s->begun = 1;
    s->left = stamp_now(n);
    replay_go_on(n, d);
}

static void replay_device_silent(struct node *n, const struct device *d)
{
    const struct replay *r = replay_config_of(d);
    struct replay_state *s = replay_own_state(n, d);
    bool goes_on = r->stamped || (r->uncounted && n->data[r->uncounted]) || replay_count(n, r) != s->silent_count;
    if (goes_on && !n->state->sleeping && ++s->silent_times < SILENCE / SILENCE_LOOKS)
        replay_device_listen_on(n, d, 0);
    else
        replay_differ(n, s, REPLAY_NEVER_COMES);
}

static void replay_device_event(struct node *n, const struct device *d, unsigned which)
{
    if (which == REPLAY_EVENT_RESUME)
        replay_device_resume(n, d);
    else if (which == REPLAY_EVENT_STAMP)
        replay_stamp_due(n, d);
    else if (which == REPLAY_EVENT_SILENCE)
        replay_device_silent(n, d);
}

static void replay_device_acknowledge(struct node *n, const struct device *d, unsigned line)
{
    (void)d, (void)line;
    interrupts_clear(n);
}

/* ---- the plan ---- */

/* How many ticks are left until the next event may be taken. */
static uint64_t replay_device_wait(struct node *n, const struct device *d)
{
    const struct replay *r = replay_config_of(d);
    struct replay_state *s = replay_own_state(n, d);
    while (s->hold < r->hold_count && r->holds[s->hold].event < s->decoder.events)
        s->hold++;
    if (s->hold == r->hold_count || r->holds[s->hold].event > s->decoder.events)
        return 0;
    uint64_t tick = r->holds[s->hold].tick;
    return tick > n->state->now ? tick - n->state->now : 0;
}

/* Asleep the node sleeps on. */
static bool replay_device_sleeps_on(struct node *n, const struct device *d)
{
    uint64_t wait = replay_device_wait(n, d);
    if (!wait)
        return false;
    event_in(n, d, REPLAY_EVENT_HOLD, CLOCK_TICK, wait);
    replay_device_listen_on(n, d, wait);
    return true;
}

/* Awake, at an entry of the recorder, the CPU stands still. */
static bool replay_device_stands(struct node *n, const struct device *d)
{
    struct replay_state *s = replay_own_state(n, d);
    const struct clock *cpu = &n->state->clocks[CLOCK_CPU];
    uint64_t wait = s->held ? 0 : replay_device_wait(n, d), now = n->state->now;
    uint64_t cycles = wait ? clock_cycle_at(cpu, now + wait) - clock_cycle_at(cpu, now) : 0;
    s->held = cycles > 0;
    if (!cycles)
        return false;
    node_stall(n, cycles);
    replay_device_listen_on(n, d, wait);
    return true;
}

static bool replay_device_wake(struct node *n, const struct device *d)
{
    struct replay_state *s = replay_own_state(n, d);
    const struct log_event *e = &s->decoder.next;
    decoder_wake(&s->decoder, replay_part_of(replay_config_of(d), s));
    if (e->kind != LOG_INTERRUPT || e->where != LOG_ASLEEP)
        return replay_other_event(n, s, ENTRY_NONE, 0);
    return replay_raise(n, d, NULL);
}

/* The next interrupt, if its place is here. */
static bool replay_device_interrupted(struct node *n, const struct device *d, const struct place *p)
{
    struct replay_state *s = replay_own_state(n, d);
    const struct isa *isa = n->machine->chip->isa;
    if (!replay_comes_here(n, d, p))
        return s->end;
    if (p && p->entry == ENTRY_ROUTINE) {
        replay_enter_routine(n, s);
        isa->left_out(n);
    }
    bool inside = p && p->entry < ENTRY_VECTOR;
    if (p && p->entry == ENTRY_IDLE && inside && !isa->accepts(n)) {
        s->let_in = 1;
        isa->accept(n, true);
    }
    return replay_raise(n, d, inside ? p : NULL);
}

/* Entries that take more of the stack than the others, or are functions of the application that are left out. */
static bool is_deep(enum entry entry)
{
    return entry == ENTRY_BEGIN || entry == ENTRY_FLUSH || entry == ENTRY_FREEZE || entry == ENTRY_CLEAR ||
           entry == ENTRY_ROUTINE;
}

static bool replay_device_due(struct node *n, const struct device *d)
{
    struct replay_state *s = replay_own_state(n, d);
    const struct place *p = replay_place_at(replay_config_of(d), n->machine->chip->isa->pc(n));
    bool took = true;
    replay_leave_inside(n, d);
    if (p && p->entry == ENTRY_ROUTINE) {
        replay_return_to_routine(n, s);
        replay_pass_counts(n, d, &p->routine);
    }
    if (s->end)
        return true;
    if (n->state->sleeping) {
        if (replay_device_sleeps_on(n, d))
            return false;
        took = replay_device_wake(n, d);
    } else if (s->held || !replay_device_interrupted(n, d, p)) {
        if (!p || p->entry == ENTRY_POLL) {
            if (p && p->poll.puts)
                replay_put_polled(n, &p->poll);
            else if (p)
                replay_poll(n, d, p);
            n->stops->trap_pass = n->state->instructions;
            return false;
        }
        if (replay_device_stands(n, d))
            return true;
        bool early = !s->begun && p->entry != ENTRY_BEGIN && p->entry != ENTRY_POLLED;
        uint32_t sp = n->machine->chip->isa->sp(n);
        s->resumed = REPLAY_AT_BEGIN;
        took = early ? replay_differ(n, s, REPLAY_NOT_BEGUN) : replay_answer(n, d, p);
        unknown_residue(n, d, sp, is_deep(p->entry));
        if (n->machine->chip->isa->pc(n) != p->address) /* at a checkpoint it is not left yet */
            replay_leave_stamp(n, d, p->entry == ENTRY_VECTOR ? STAMP_STUB : 0);
    }
    unknown_moved(n, d);
    if (took && !s->end)
        replay_go_on(n, d);
    if (!s->end && replay_comes_at_once(n, d))
        replay_stamp_due(n, d);
    replay_set_stamp(n, d);
    return true;
}

const struct device_type replay_type = {
    .name = "log",
    .state_size = sizeof(struct replay_state),
    .events = REPLAY_EVENTS,
    .connect = replay_device_connect,
    .reset = replay_device_reset,
    .event = replay_device_event,
    .acknowledge = replay_device_acknowledge,
    .due = replay_device_due,
    .read = unknown_read,
    .write = unknown_write,
    .before = unknown_before,
    .touched = unknown_touched,
    .restored = replay_device_restored,
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
