/* Walks: a driver that takes choices from a plan, then draws them at random.
 *
 * Before its change point a walk does what the plan says and nothing else. From there on it draws. A pure replay never
 * draws, a fresh walk has an empty plan. What was chosen other than by default is noted, in the order it was made.
 *
 * Invariant: a walk is a function of seed, weights and plan. What is drawn for a choice depends on the seed and the
 * name of the choice alone, not on what was drawn before; with change points, on which of them are over.
 */
#ifndef CHECK_WALK_H
#define CHECK_WALK_H

#include "check/sites.h"
#include "check/world.h"

/* Voltages that a sensor may have. */
struct sensor_values {
    uint32_t node; /* or CHOICE_ALL */
    uint32_t line;
    int32_t *microvolts;
    size_t count;
};

/* A limit of its own for how long interrupts of a device are held. */
struct hold_limit {
    const char *device; /* "adc" */
    uint32_t microseconds;
};

/* How often the environment departs from its default. */
struct weights {
    double lost, damaged;       /* probabilities, of a frame at a receiver */
    double held;                /* probability, of an interrupt */
    uint32_t hold;              /* at most so many microseconds */
    double busy;                /* times a second, for each node and as often for all together */
    double faint;               /* probability, that it is so by something far (enum busy_kind) */
    uint32_t busy_for;          /* at most so many microseconds */
    double reset, power, death; /* times a second, for each node */
    double foreign;             /* times a second: a node hears a frame of no node */
    uint32_t late;              /* a node is switched on up to so many microseconds late */
    double preempt;             /* probability, of an interrupt, to come at one of its sites */
    const struct sites *sites;  /* of all nodes; NULL: no interrupt is asked about */
    double sensed;              /* probability, of a conversion, to find another voltage of its set */
    const struct sensor_values *sensors;
    size_t sensor_count;
    const struct hold_limit *limits; /* in place of `hold` for some devices */
    size_t limit_count;
    double serial;                /* probability, of what the host sends at once, to come otherwise */
    uint32_t shift;               /* at most so many microseconds earlier or later */
    const struct choice *serials; /* what the host sends, by time; `at`: when; outcome: how many bytes */
    size_t serial_count;
    bool favours; /* all of it less often for nodes other than this: */
    uint32_t favoured;
    uint64_t calm; /* nanosecond from which on all is as ever again; 0: none */

    /* Not 0: nothing departs from its default but at so many change points. They are drawn beforehand, in time up to
     * `end`; of what has a weight, each is as probable. At each the next occasion of one kind on one node is taken. */
    unsigned changes;
    uint64_t end; /* nanosecond */
};
enum { WALK_CHANGES = 8 }; /* at most */

/* The weights of a walk: those given, each multiplied by a factor of the walk's own, or left out. */
struct weights weights_mixed(const struct weights *w, uint64_t seed);

/* Channels are busy for seconds, always by something far, and many frames are lost; otherwise nodes lose power now and
 * then, and nothing else. So a node's message is due while the one before still waits, and others are heard meanwhile:
 * errors that need several of that in a row hardly come up where each weight has a factor of its own. */
struct weights weights_stalled(const struct weights *w);

/* How walks choose. */
enum walk_kind {
    WALK_MIXED,    /* weights_mixed */
    WALK_WEIGHTED, /* by the weights as they are given */
    WALK_UNIFORM,  /* where something is asked, all outcomes that have a weight are as probable, the default too */
    WALK_PCT,      /* one to five change points (Burckhardt and others, ASPLOS 2010), in time up to `end` */
};
struct weights weights_of(const struct weights *w, enum walk_kind kind, uint64_t seed, uint64_t end);

struct trace {
    struct choice *list;
    size_t count, room;
};
void trace_add(struct trace *t, const struct choice *c);
void trace_copy(struct trace *to, const struct choice *list, size_t count);
void trace_free(struct trace *t);

struct walk;

/* `plan` may be NULL; from `from` on (NEVER: not at all) choices are drawn. It must not change while the walk lives. */
struct walk *walk_new(struct network *n, const struct weights *w, uint64_t seed, const struct trace *plan,
                      uint64_t from);
void walk_free(struct walk *w);
const struct driver *walk_driver(const struct walk *w);
struct trace *walk_trace(struct walk *w);            /* what was chosen so far */
void walk_skip(struct walk *w, uint64_t now);        /* what the plan has up to that time is done already */
void walk_note(struct walk *w, struct trace *asked); /* everything that is asked, with the default as outcome; NULL */
uint64_t walk_asked(const struct walk *w);           /* how often it was asked */

/* How long interrupts of that line may be held, in microseconds. `own`: its device has a limit of its own; or NULL. */
uint32_t walk_hold_limit(const struct network *n, const struct weights *w, uint32_t node, uint32_t line, bool *own);

/* Whether that line is of a timer, which may keep a clock. */
bool walk_is_of_timer(const struct network *n, uint32_t node, uint32_t line);

/* How what the host sends from then on comes in a walk; what comes as meant is left out. */
void walk_draw_serials(const struct weights *w, uint64_t from, uint64_t seed, struct trace *t);

/* The delays with which the nodes of a walk are switched on. */
void walk_draw_delays(const struct network *n, const struct weights *w, uint64_t seed, struct trace *t);

#endif
