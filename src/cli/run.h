/* The options of a run, which all verbs that execute firmware share, and how a run went. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "motet/amount.h"
#include "attach.h"
#include "junit.h"
#include "motet/monitor.h"
#include "motet/motet.h"
#include "motet/saved.h"
#include "motet/view.h"
#include "option.h"
#include "stimulus.h"
#include "topology.h"
#include "which.h"

enum { RUN_LINES = 8 }; /* serial ports of a node; the last is the console */

struct port_option {
    struct which which;
    unsigned line;
    const char *place;
};

struct trace_option {
    struct which which;
    unsigned what;
};

struct fault_option {
    struct which which;
    enum motet_fault_kind first, last;
    enum motet_fault_action action;
};

struct part_option { /* a part from outside */
    struct which which;
    const char *wish;
};

struct battery_option {
    struct which which;
    double milliamp_hours;
};

struct store_option { /* a file with, or for, the contents of a memory */
    struct which which;
    enum motet_store store;
    bool save; /* writes the file at the end; else the contents come from it */
    const char *path;
};

struct stimulus_option { /* all that is given with one prefix */
    struct which which;
    struct stimulus stimulus;
};

struct run_options {
    const char *file;
    struct motet_options machine;
    bool limited;
    struct motet_span limit;
    bool until_exit;
    uint64_t seed;
    struct which_names named;
    struct fault_option *faults;
    size_t fault_count;
    struct trace_option *traces;
    size_t trace_count;
    struct port_option *ports;
    size_t port_count;
    struct stimulus_option *stimuli;
    size_t stimulus_count;
    struct battery_option *batteries;
    size_t battery_count;
    struct store_option *stores;
    size_t store_count;
    struct part_option *parts;
    size_t part_count;
    struct topology topology;
    unsigned threads;
    const char *pcap;
    struct attachments attachments;
    motet_monitors *monitors;
    motet_view *view;    /* what the run is shown by, or NULL: then a lone node has standard input and output */
    const char *save;    /* the file to save the run in, or NULL */
    const char *command; /* what was typed, for the saved run */
    struct motet_scenario_parameter *with; /* their names are in memory of their own */
    size_t with_count;
    struct junit *junit; /* the file for the outcome of checks, or NULL */
    bool realtime, json, quiet, digest;
};

extern const struct option run_options[];
extern const struct option_alias run_aliases[];

void run_options_init(struct run_options *o);
void run_options_free(struct run_options *o);

/* Those of them that other verbs have too; `into` begins with a struct run_options. */
bool run_set_board(void *into, const char *text, struct motet_error *e);
bool run_set_variable(void *into, const char *text, struct motet_error *e);
bool run_set_engine(void *into, const char *text, struct motet_error *e); /* of the process */
bool run_set_script(void *into, const char *text, struct motet_error *e);
bool run_set_log_interface(void *into, const char *text, struct motet_error *e);
bool run_set_plot(void *into, const char *text, struct motet_error *e);
bool run_set_monitor(void *into, const char *text, struct motet_error *e);
bool run_set_part(void *into, const char *text, struct motet_error *e);
bool run_set_junit(void *into, const char *text, struct motet_error *e);
bool run_set_json(void *into, const char *text, struct motet_error *e);

/* Why a run ended. */
enum run_reason {
    RUN_TIME,
    RUN_INTERRUPTED,
    RUN_FAULT,
    RUN_FIRMWARE,
    RUN_HALT,
    RUN_SCRIPT,
    RUN_SCENARIO,
    RUN_BROKEN /* by an error */
};
const char *run_reason_name(enum run_reason r); /* as in the JSON */

/* Runs the options' file to its end. `over` may be NULL; it is called with what is left of the run and its status, also
 * where it could not begin. Returns the status. */
struct stage;
int run_file(struct run_options *o, void (*over)(void *context, const struct stage *s, int status), void *context);

/* Adds NAME=VALUE for a scenario. */
void run_add_parameter(struct run_options *o, const char *name, size_t length, const char *value);

/* Describes the run in its file, and completes the file. */
void run_save_begin(motet_save *k, const struct run_options *o);
bool run_save_end(motet_save *k, enum run_reason reason, struct motet_error *e);

#endif
