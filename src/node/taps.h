/* Taps: probes, watches, alarms and hooks on a node, as include/motet/watch.h offers them.
 *
 * Invariant: looking changes nothing. Taps lie outside the arena; what they leave in the node are marks: on decoded
 * instructions in the node's own copy of its code, on granules of the data space, a tick at which a slice is paused,
 * and a set of events with hooks. Where there are none, nothing is slower.
 *
 * A callback may add and remove taps. Those removed stay linked, dead, until the outermost callback has returned; those
 * added are not called for what is happening already. Every change sets node->cut, so that the loops of the instruction
 * sets take up the new marks after the current instruction.
 */
#ifndef NODE_TAPS_H
#define NODE_TAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "motet/base/happening.h"
#include "node/map.h"
#include "node/node.h"

enum tap_kind { TAP_PROBE, TAP_WATCH, TAP_ALARM, TAP_HOOK, TAP_GROUP };

struct motet_tap {
    enum tap_kind kind;
    bool dead;
    uint8_t when;         /* enum motet_when */
    uint8_t clock;        /* enum motet_clock */
    uint32_t first, last; /* addresses */
    uint32_t what;        /* happenings */
    union {
        motet_probed *probed;
        motet_watched *watched;
        motet_alarmed *alarmed;
        motet_hooked *hooked;
        void (*release)(void *context); /* of a group: removes what it is made of */
    };
    void *context;
    uint64_t order; /* counted over all taps of a node */
    uint64_t due, period;
    uint64_t *counts; /* of an alarm that only counts where the CPU is: by code address / 2; else NULL */
    size_t count_room;
    struct node *node;
    struct motet_tap *next; /* probes on one address: the next in the bucket */
};

struct tap_list {
    struct motet_tap **items; /* by order */
    unsigned count;
    size_t room;
};

/* Why an instruction is marked; a byte for each word of code. */
enum { MARK_STOP = 1, MARK_BEFORE = 2, MARK_AFTER = 4, MARK_FLOW = 8 };

enum { TAP_BUCKETS = 256, TAP_NESTED = 32 };

struct taps {
    struct tap_list ranges; /* probes on more than one address */
    struct motet_tap *buckets[TAP_BUCKETS];
    struct motet_tap **ends[TAP_BUCKETS]; /* where the next goes in; NULL: nothing was there yet */
    unsigned single_count;
    const struct motet_tap *alone; /* a probe before every instruction that nothing else shares a mark with, or NULL */
    struct tap_list watches, alarms, hooks, groups;
    uint64_t order; /* of the next tap */
    unsigned depth; /* callbacks under way */
    bool swept;     /* false: dead taps wait for the outermost callback to end */
    bool entering;  /* an interrupt is being entered: its pushes belong to no instruction */

    uint8_t *marks; /* by code address / 2 */
    uint32_t mark_count;
    uint32_t marked;   /* those that are not 0 */
    bool code_due;     /* which code the node executes is to be decided before the next slice */
    uint64_t pass;     /* the instruction count at which probes before the instruction have been called already */
    uint32_t after_pc; /* while node->pausing: the instruction after which probes are to be called */
    uint32_t after_sp; /* before it */
    uint64_t after_count;

    uint8_t *watched;          /* a bit for each slot (node/map.h) */
    struct watch_table *table; /* the watches by page of slots (watches.c); NULL: to be made anew */
    uint32_t gap_low, gap_end; /* addresses around the stack pointer without a watch; both 0: to be found anew */
    uint32_t gap_sp;           /* as it was when they were found: it may be watched itself */
    bool changed;              /* watches came or went since a hit began */
    uint8_t asked;             /* enum motet_when of all watches */
    bool watches_registers;    /* so instructions that reach them directly go the slow way */
    bool cycle_alarms;         /* some alarm counts in cycles of the CPU */
    struct motet_tap *beat;    /* the only alarm, where it comes again after so many cycles of the CPU, or NULL */

    struct {
        uint32_t sp;
        uint8_t line;
    } nested[TAP_NESTED]; /* interrupts entered while there was an observer */
    unsigned nested_count;
    char **register_names;             /* by place, found so far */
    struct radio_events *radio_events; /* radio_events.c; NULL: there was no listener */
};

/* ---- life ---- */

struct taps *taps_of(struct node *n); /* made on first use */
void taps_free(struct node *n);
void taps_restored(struct node *n); /* a snapshot was restored */

struct motet_tap *tap_probe(struct node *n, uint32_t first, uint32_t last, unsigned when, motet_probed *f,
                            void *context);
struct motet_tap *tap_watch(struct node *n, uint32_t first, uint32_t last, unsigned when, motet_watched *f,
                            void *context);
struct motet_tap *tap_alarm(struct node *n, enum motet_clock clock, uint64_t at, uint64_t period, motet_alarmed *f,
                            void *context);
struct motet_tap *tap_sample(struct node *n, uint64_t at, uint64_t period, uint64_t *counts, size_t room);
struct motet_tap *tap_hook(struct node *n, uint32_t what, motet_hooked *f, void *context);

/* Something made of other taps; `release` removes them, when this one is removed or the node ends. */
struct motet_tap *tap_group(struct node *n, void (*release)(void *context), void *context);
void tap_remove(struct motet_tap *t);

/* Around calling back: dead taps are kept in between. */
void taps_enter(struct taps *t);
void taps_leave(struct taps *t);

/* ---- marks on code (probes.c) ---- */

/* What the callback of a probe that was alone has brought about. */
bool marks_changed(struct node *n);

/* Works out the marks of [first, last] anew, after a change of probes, stops or code. */
void marks_renew(struct node *n, uint32_t first, uint32_t last);

/* Decides which code the node executes: the machine's, which may be translated, where nothing needs code of its own.
 * A slice under way is left to end first. */
void code_choose(struct node *n);

/* A marked instruction is the next, and what the core holds is in node->glance: calls probes before it. True if
 * there is more to do than to execute it: not to (node->stopped_before), to end the slice after it (node->cut) or to
 * pause there (node->pausing). */
bool marks_met(struct node *n, uint32_t pc);

/* The same where all instructions have one probe alone (taps->alone). */
static inline bool probe_all(struct node *n, uint32_t pc)
{
    const struct motet_tap *alone = n->taps->alone;
    n->taps->depth = 1;
    alone->probed(alone->context, n->handle, pc, false);
    n->taps->depth = 0;
    n->glance.slice = NULL;
    return __builtin_expect(n->cut, 0) && marks_changed(n);
}

/* A slice pauses between two instructions: calls probes after the last, and alarms that are due. */
void taps_pause(struct node *n);

/* ---- data (watches.c) ---- */

static inline bool taps_watched(const struct node *n, uint32_t address, unsigned size)
{
    const uint8_t *bits = n->taps->watched;
    for (unsigned i = 0; i < size; i++) {
        uint32_t slot = map_slot(n->machine, address + i);
        if (bits[slot / 8] >> (slot & 7) & 1)
            return true;
    }
    return false;
}

/* Whether the page's mark is that of a watch alone, and it is for other addresses. */
static inline bool taps_miss(const struct node *n, unsigned mark, uint32_t address, unsigned size)
{
    return mark == PAGE_WATCHED && !taps_watched(n, address, size);
}

/* Whether a tap wants to see an access of the firmware. */
static inline bool taps_look(const struct node *n, uint32_t address, unsigned size)
{
    return (n->watching && taps_watched(n, address, size)) || (n->hooked & MOTET_ON(REGISTER));
}
void watches_call(struct node *n, const struct motet_access *a, unsigned when);
void taps_accessed(struct node *n, const struct motet_access *a); /* after it */

static inline void taps_accessing(struct node *n, const struct motet_access *a) /* before it */
{
    if (n->watching && (n->taps->asked & MOTET_BEFORE))
        watches_call(n, a, MOTET_BEFORE);
}

/* Works out the marks of data addresses anew. */
void watches_renew(struct node *n);

/* Drops the table of watches by page, before one of them is freed. */
void watches_forget(struct taps *t);

/* Narrows [low, end), where pushes from `sp` down need no second look, to what is not watched, known to the log and
 * accessed before. */
void watches_narrow(const struct node *n, uint32_t sp, uint32_t *low, uint32_t *end);

/* Where pushes need no second look. */
static inline uint32_t taps_stack_span(const struct node *n, uint32_t sp, uint32_t *low, uint32_t end)
{
    if (__builtin_expect(n->watching || n->machine->log || n->uses, 0))
        watches_narrow(n, sp, low, &end);
    return *low < end ? end - *low : 0;
}

/* ---- time (alarms.c) ---- */

void alarms_renew(struct node *n); /* node->alarm anew */
void alarms_run(struct node *n);   /* calls those due at node->time */

/* The last time at which an alarm was due, up to now; it is due next a period after it. */
static inline uint64_t alarm_passes(struct motet_tap *a, uint64_t now)
{
    uint64_t due = a->due;
    if (a->period && now - due >= a->period && now > due)
        due += (now - due) / a->period * a->period;
    a->due = a->period && due < NEVER - a->period ? due + a->period : NEVER;
    return due;
}

/* Takes the sample of an alarm that only counts. */
static inline void sample_count(struct motet_tap *a, uint32_t pc)
{
    if (pc / 2 < a->count_room)
        a->counts[pc / 2]++;
}

/* Calls taps->beat, which is due at the cycle that the CPU has come to. False if that has brought anything about. */
static inline bool beat_ring(struct node *n, uint64_t cycle)
{
    struct taps *t = n->taps;
    struct motet_tap *a = t->beat;
    uint64_t due = alarm_passes(a, cycle);
    t->depth = 1;
    a->alarmed(a->context, n->handle, due);
    t->depth = 0;
    n->glance.slice = NULL;
    if (__builtin_expect(n->cut, 0)) {
        taps_enter(t);
        taps_leave(t);
        return false;
    }
    return true;
}

/* ---- happenings (hooks.c) ---- */

static inline bool taps_wanted(const struct node *n, uint32_t what)
{
    return __builtin_expect((n->hooked & what) != 0, 0);
}

/* Calls all hooks of the event; fills in the tick. */
void taps_tell(struct node *n, struct motet_happened *h);

void hooks_renew(struct node *n); /* node->hooked anew */
void taps_interrupt_posted(struct node *n, unsigned line);
void taps_interrupt_entered(struct node *n, unsigned line, uint32_t from);
void taps_flow(struct node *n, uint32_t from);              /* a call or return is done */
void taps_slept(struct node *n, enum motet_happening what); /* sleep or wake */
void taps_register(struct node *n, const struct motet_access *a);
void taps_reset(struct node *n, enum reset_cause cause);
void taps_pin(struct node *n, unsigned pin, bool level);
void taps_serial(struct node *n, enum motet_happening what, unsigned line, unsigned frame);
void taps_part(struct node *n, const struct device *d); /* does something else than before */
void taps_part_report(struct node *n, const struct device *d, const char *text);
void taps_mark(struct node *n, uint8_t mark);
void taps_spi(struct node *n, unsigned bus, uint8_t out, uint8_t in);
void taps_logged(struct node *n, const char *name, uint32_t value);

/* ---- radio (radio_events.c) ---- */

enum { FATE_NONE = -1, FATE_RECEIVED = 100, FATE_BEGUN = 101 }; /* beside enum motet_loss; begun: not decided yet */

void radio_events_sent(struct node *n, const struct air_message *m);
void radio_events_heard(struct node *n, const struct air_message *m);

/* For radios: what became of a transmission that was heard; for the medium: that a link has lost one. */
void radio_events_fate(struct node *n, uint32_t sender, uint32_t transmission, int fate);
void radio_events_lost(struct node *n, const struct air_message *m, double dbm);

/* For radios of bits, which know no frames: a bit of a transmission was handed to the CPU, in the order they came. */
void radio_events_bit(struct node *n, uint32_t sender, uint32_t transmission, uint32_t bit, bool as_sent);

/* For radios: what it does now; reported when that changes. */
void radio_events_state(struct node *n, enum motet_radio_state state);
void radio_events_free(struct taps *t);

#endif
