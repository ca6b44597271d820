/* The stage: everything that takes part in executing firmware, set up in one place for all verbs: machine or scenario,
 * network, stimuli, ports, observers, scripts, monitors, the file of a saved run.
 *
 * One node is a network of one. Invariants: stage_load and stage_hold check all options and write nothing; a stage that
 * could not be set up, in whichever part, is freed by stage_free like any other.
 */
#ifndef CLI_STAGE_H
#define CLI_STAGE_H

#include "batteries.h"
#include "lines.h"
#include "machines.h"
#include "ports.h"
#include "run.h"
#include "stimuli.h"

enum { STAGE_FAULTS = 64 }; /* of a node, that are explained */

/* What the observer of a node knows. Only the node's thread uses it while the node runs. */
struct seat {
    struct stage *stage;
    size_t number;
    unsigned trace;
    unsigned long faults; /* reported, with any action */
    struct seat_fault {
        uint32_t pc;
        enum motet_fault_kind kind;
    } * explained; /* a fault is explained once for each place */
    unsigned explained_count;
    uint64_t shown[RUN_LINES]; /* until when output was shown, where a debugger executes it again */
};

struct stage {
    struct run_options *o;
    struct machines *machines; /* of all nodes; NULL: the scenario, or another owner, has them */
    motet_scenario *scenario;  /* or NULL */
    motet_network *network;
    bool owned;     /* the network is freed with the stage */
    uint64_t until; /* nanoseconds; MOTET_NEVER */
    struct stimuli *stimuli;
    struct batteries *batteries;
    struct ports *ports;
    struct lines *lines;
    struct seat *seats;
    struct attached *attached;
    motet_save *save; /* or NULL */
    bool named;       /* several nodes, or those of a scenario: output begins with the id of its node */
    bool again;       /* a debugger executes things again; their output is shown once */
    bool explains;    /* faults are explained all the same, once for each place */
    bool progress, progress_shown;
    double started, progress_at; /* seconds of wall_time */
    bool broken;                 /* output failed; `error` says how */
    struct motet_error error;
};

/* Loads the options' file: firmware, or a scenario. `terminal`: a node that is the only one has standard input and
 * output. False with a sentence in `error`. */
bool stage_load(struct stage *s, struct run_options *o, bool terminal);

/* The same with a network that exists already, and its machines: a saved run, a replay. It stays the caller's. */
bool stage_hold(struct stage *s, struct run_options *o, motet_network *n);

/* Puts observers on all nodes (show.c). */
void stage_observe(struct stage *s);

/* Puts monitors, scripts and plugins on all nodes and begins files (--pcap, --save). */
bool stage_attach(struct stage *s);
void stage_free(struct stage *s);

/* A time of an option on the network's clock; ticks are those of the only node. */
bool stage_time(const motet_network *n, const char *option, const struct motet_span *at, uint64_t *time,
                struct motet_error *e);

/* ---- show.c: what a user sees while the nodes run ---- */

void show_pending(struct stage *s, bool at_end); /* lines of the nodes, while nothing runs */
void show_progress(struct stage *s);
void show_progress_end(struct stage *s);
void show_line_end(struct stage *s); /* standard error begins a line, where both are one terminal */

/* What faults of a node bring about, as the options say. */
void show_set_faults(const struct run_options *o, motet_node *n);

/* What a script says. The context is the node's seat. */
void show_said(void *context, const motet_node *n, uint64_t tick, const char *line);

/* ---- loop.c ---- */

enum run_reason loop_run(struct stage *s);

/* ---- summary.c: the last words ---- */

struct result {
    enum run_reason reason;
    double wall_seconds;
    size_t checks_failed;
};

void summary_print(const struct stage *s, const struct result *r); /* on standard error */
void summary_json(const struct stage *s, const struct result *r);  /* a line on standard output */

/* ---- run_junit.c ---- */

/* The run and the scenario's checks as test cases, where --junit was given. False with a sentence in `error`. */
bool run_junit_write(struct stage *s, const struct result *r, int status);

#endif
