/* Checking: executes a network many times, each time with other choices of its environment, and looks for errors.
 *
 * Nothing is proved: a check that has found nothing says how much it has tried. What it finds is a counterexample: a
 * run with the choices that lead to the error, which can be saved, opened and debugged like any other (motet/saved.h).
 */
#ifndef MOTET_CHECK_H
#define MOTET_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/choice.h"
#include "motet/error.h"
#include "motet/network.h"
#include "motet/property.h"

#include "motet/base/begin.h"

typedef struct motet_check motet_check;

/* How often the environment departs from its default in a walk, on average; 0: never. */
struct motet_weights {
    double lost, damaged;       /* probability, of a frame at a receiver */
    double held;                /* probability, of an interrupt */
    uint64_t hold;              /* nanoseconds: it is held so long at most */
    double busy;                /* the channel becomes busy, times a second */
    double faint;               /* probability, that what keeps it busy is far: frames of near nodes get through */
    uint64_t busy_for;          /* nanoseconds at most */
    double reset, power, death; /* of a node, times a second */
    double foreign;             /* a node hears a frame of IEEE 802.15.4 from outside, times a second; by default 0 */
    double preempt;             /* probability, of an interrupt, to come where it can matter; see `preempt` below */
    uint64_t late;              /* nanoseconds: a node is switched on so much later at most */
    double serial;              /* probability, of what a scenario sends at once, to come otherwise */
    uint64_t shift;             /* nanoseconds: so much earlier or later at most */
    double sensed;              /* probability, of a conversion, to find another voltage (motet_check_sense) */
};

/* How walks choose. */
enum motet_walk {
    MOTET_WALK_MIXED,    /* each walk multiplies the weights by factors of its own */
    MOTET_WALK_WEIGHTED, /* by the weights as they are */
    MOTET_WALK_UNIFORM,  /* all outcomes of what comes up are as probable; the weights say only which there are */
    MOTET_WALK_PCT,      /* one to five departures a walk, at times drawn beforehand */
};

struct motet_check_options {
    uint64_t seed;
    uint64_t walks;
    enum motet_walk walk;
    uint64_t steady;   /* nanoseconds: until then no choice is made but when nodes are switched on */
    bool early;        /* some walks begin before; properties hold from `steady` on all the same */
    uint64_t length;   /* nanoseconds, of a walk from where it begins */
    uint64_t patience; /* nanoseconds without any choice after which what a property waits for is late */
    uint64_t stuck; /* nanoseconds, whole seconds: a node that slept before and is awake for so long, or leaves a frame
                     * in its radio's receive buffer for so long, is stuck; 0: never */
    unsigned workers; /* 0: one for each processor; the result does not depend on it */
    struct motet_weights weights;
    bool preempt; /* interrupts also come between instructions where they can matter: in all walks, not in some */
    unsigned deviations; /* not 0: instead of walks, all runs that depart from the plain one up to so often */
    unsigned depth;      /* not 0: instead, all ways that so many first frames can go at their receivers */
    unsigned also;       /* with a depth, a bit 1 << source for choices that count beside frames: BUSY, RESET, POWER and
                          * DEATH at instants a quarter of a second apart; HOLD; SERIAL */
    bool no_matching;    /* then: states with the same futures are explored again and again */
    uint64_t memory;     /* bytes, for states that were explored; beyond it they are known by three bits each */
    bool unguided;       /* no walk goes back to where it last reached something new */
    bool as_found;       /* the counterexample is not made shorter */
    bool ranks;          /* this process is one of several ranks of MPI that share the check, once in its life */
};
void motet_check_defaults(struct motet_check_options *o);

/* For a network that has not run. What is done to it from now on, by a scenario for example, is kept and done again at
 * the same times in each walk. It stays the caller's, and lives longer than the check. */
motet_check *motet_check_new(motet_network *n, const struct motet_check_options *o, struct motet_error *e);
void motet_check_free(motet_check *c);

/* Voltages that an analog line may have, of one node or MOTET_ALL_NODES; a later set for the same line counts beside
 * the first where the node differs. */
bool motet_check_sense(motet_check *c, uint32_t node, unsigned line, const int32_t *microvolts, size_t count,
                       struct motet_error *e);

/* How long interrupts of a device ("adc") may be held, in nanoseconds, in place of `hold`. Beyond 1 ms for a timer, the
 * clocks of correct firmware would lose time: that is refused. */
bool motet_check_hold(motet_check *c, const char *device, uint64_t nanoseconds, struct motet_error *e);

/* Goes on with a check of the same network, firmware and options: walks below this number, or first deviations, were
 * tried before (motet_check_result.next); with deviations, also all runs with fewer than `begin`. */
void motet_check_go_on(motet_check *c, unsigned begin, uint64_t first);

/* A digest of network, firmware and the options that decide what a walk is; once everything is done to the network. */
void motet_check_digest(const motet_check *c, char text[MOTET_DIGEST_TEXT]);

/* What must hold, from the steady state on, beside what is always an error. It must stay until the check is freed. */
void motet_check_properties(motet_check *c, const struct motet_property_maker *m);

struct motet_check_progress {
    uint64_t walks;       /* completed; or first deviations, each with all that follow it */
    uint64_t nanoseconds; /* simulated, from the steady states on */
    uint64_t choices;     /* that came up */
    double reached; /* share of the instructions of all firmwares that some walk has executed; below 0: not known */
};

/* How far walks go: with properties that say what must happen at some time, beyond their length. */
bool motet_check_until(motet_check *c, uint64_t *until, struct motet_error *e);

/* Called about ten times a second, and while a counterexample is made shorter, then with NULL; true ends the check with
 * what was found so far. */
typedef bool motet_check_stop(void *context, const struct motet_check_progress *p);

/* Searches. False with a sentence if it could not begin; finding an error is no failure. `stop` may be NULL. */
bool motet_check_run(motet_check *c, motet_check_stop *stop, void *context, struct motet_error *e);

enum motet_violation {
    MOTET_VIOLATION_NONE,
    MOTET_VIOLATION_FAULT,    /* a fault that Motet reports (motet/fault.h) */
    MOTET_VIOLATION_WATCHDOG, /* a watchdog has reset the node */
    MOTET_VIOLATION_STATUS,   /* the firmware ended with a status that is not 0 */
    MOTET_VIOLATION_PROPERTY, /* a property does not hold */
    MOTET_VIOLATION_AWAKE,    /* a node never sleeps again */
    MOTET_VIOLATION_UNREAD,   /* what a radio has received is never fetched */
};

/* How much happened between two times: what T-Check calls the length of a trace. */
struct motet_check_events {
    uint64_t tasks;      /* calls from main(), but those in which it sleeps */
    uint64_t interrupts; /* entered, those of timers left out */
    uint64_t timers;     /* interrupts of timers */
};

/* A variable that an event has changed. */
struct motet_check_change {
    const char *name;           /* "links[2].etx" */
    const char *before, *after; /* as text */
};

/* A task or a handler of the counterexample. */
struct motet_check_event {
    uint64_t at;      /* nanoseconds: when it began */
    uint32_t node;    /* id */
    const char *what; /* "task fire", "interrupt of timer0" */
    const struct motet_check_change *changes;
    size_t count;
    size_t more; /* others that it changed */
};

struct motet_check_result {
    enum motet_violation violation;
    uint32_t node;       /* id */
    uint64_t at;         /* nanoseconds */
    uint64_t next;       /* all walks below this number, or first deviations, were tried and none went wrong */
    uint64_t walk;       /* number of the walk, or of the first deviation, that found it; from 0 */
    uint64_t begin;      /* nanoseconds: where that walk began to make choices */
    unsigned deviations; /* all runs with so many were tried, as far as none went wrong */
    bool stopped;        /* before all walks were done */
    unsigned rank;       /* of this process; the counterexample is at rank 0 alone */
    unsigned lost;       /* ranks that fell silent; the others have done their part */
    struct motet_check_progress done;
    size_t choices;  /* other than the default, in the counterexample */
    size_t found;    /* and in the walk that found it */
    uint64_t runs;   /* executions that made it shorter */
    size_t critical; /* number of the choice after which what must happen does so no more; SIZE_MAX: none */
    uint64_t probes; /* runs that it took to find that; 0: it was not looked for */
    uint64_t
        plain_at;    /* nanoseconds: the plain run has the error as well, then; 0: it has not, or there is no choice */
    size_t left_out; /* nodes that the counterexample does without; they are never switched on in it */
    struct motet_check_events events;       /* in the counterexample, from its first choice to the error */
    struct motet_check_events since_steady; /* the same from `begin` on */
    const char *words;                      /* what went wrong and where, in lines; NULL: nothing did */

    /* Of a search to a depth: stretches of time that were executed, and states that were not explored because one with
     * the same futures was. Some of these are explored all the same; `wrong` is 0 unless Motet itself is. */
    struct {
        uint64_t stretches, matched, again, wrong;
        bool matching; /* states were compared at all */
        bool bits;     /* the memory did not suffice: states are known by three bits each */
        double missed; /* then, at most, the probability that a state was missed */
    } states;
};
void motet_check_result(const motet_check *c, struct motet_check_result *r);

/* The choices of the counterexample, in the order of their times; false past the last. */
bool motet_check_choice(const motet_check *c, size_t number, struct motet_choice *choice);

/* Nodes that the counterexample does without, by id; false past the last. */
bool motet_check_left_out(const motet_check *c, size_t number, uint32_t *node);

/* Events of the counterexample in the order of their times: the few with the changes of variables that are rarest in
 * it, and the last of the node that fails. Variables that properties read come first. False past the last. */
bool motet_check_event(const motet_check *c, size_t number, struct motet_check_event *e);

/* A choice in words: "the frame is lost", with the nodes and, where it is known, the name of the interrupt. */
size_t motet_choice_text(const motet_network *n, const struct motet_choice *choice, char *text, size_t size);

/* Saves the counterexample as a run. `about` are pairs of names and texts for the reader, NULL at the end. */
bool motet_check_save(motet_check *c, const char *path, const char *const *about, struct motet_error *e);

/* Executes a saved run again, with its own firmware or a later build of it, and looks for errors as a check does. A
 * `firmware` that is not its own is refused, unless `repaired` says that it is a later build; it may be NULL. */
struct motet_check_replay_options {
    const char *firmware;
    bool repaired;
    const struct motet_property_maker *properties; /* NULL: none */
    uint64_t from, patience, stuck;                /* `steady`, `patience` and `stuck` of the check */
};
struct motet_check_replay {
    enum motet_violation violation;
    uint32_t node;
    uint64_t at;
    bool same; /* with its own firmware: the digest at the end is the one in the file */
    char digest[MOTET_DIGEST_TEXT];
    char *words; /* for the caller to free; NULL: nothing went wrong */
};
bool motet_check_replay(const char *path, const struct motet_check_replay_options *o, struct motet_check_replay *r,
                        struct motet_error *e);

#include "motet/base/end.h"

#endif
