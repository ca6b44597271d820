/* What the files of the verb `run` share: the options as given, and how the run went. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "motet/amount.h"
#include "attach.h"
#include "motet/monitor.h"
#include "motet/motet.h"
#include "motet/saved.h"
#include "option.h"
#include "stimulus.h"
#include "topology.h"

enum { RUN_LINES = 8 };

/* A serial port of one node of a network. */
struct node_serial {
    uint32_t id;
    unsigned line;
    const char *place;
};

struct node_trace {
    uint32_t id;
    unsigned what;
};

struct node_flash {
    uint32_t id; /* of a network's node */
    const char *path;
};

struct node_stimulus {
    uint32_t id;
    struct stimulus stimulus;
};

struct run_options {
    const char *file;
    struct motet_options machine;
    bool limited;
    struct motet_span limit;
    bool until_exit;
    uint64_t seed;
    enum motet_fault_action on_fault[MOTET_FAULT_KINDS];
    unsigned trace; /* of every node */
    struct node_trace *node_trace;
    size_t node_trace_count;
    const char *serial[RUN_LINES]; /* endpoint of each line, NULL where none was given */
    struct node_serial *node_serial;
    size_t node_serial_count;
    struct stimulus stimulus; /* of every node */
    struct node_stimulus *node_stimulus;
    size_t node_stimulus_count;
    struct topology topology;
    unsigned threads;
    const char *pcap;
    struct attachments attachments;
    motet_monitors *monitors;
    struct node_flash *node_flash; /* files for the contents of serial flash memories */
    size_t node_flash_count;
    const char *save;    /* the file to save the run in, or NULL */
    const char *command; /* what was typed, for the saved run */
    bool stimulated;     /* --analog or --drive was given */
    bool for_node;       /* something was given for a single node of a network */
    bool realtime, json, quiet, digest;
};

enum run_reason { RUN_TIME, RUN_INTERRUPTED, RUN_FAULT, RUN_FIRMWARE, RUN_HALT, RUN_ENOUGH, RUN_BROKEN };

struct run_result {
    enum run_reason reason;
    double wall_seconds;
    unsigned long faults; /* reported, by whatever action */
};

extern const struct option run_options[];
extern const struct option_alias run_aliases[];

/* Those of them that other verbs have too; `into` begins with a struct run_options. */
bool run_set_script(void *into, const char *text, struct motet_error *e);
bool run_set_plot(void *into, const char *text, struct motet_error *e);
bool run_set_monitor(void *into, const char *text, struct motet_error *e);

/* Describes the run in its file, and completes the file. */
void run_save_begin(motet_save *k, const struct run_options *o);
bool run_save_end(motet_save *k, const char *reason, struct motet_error *e);
const char *run_reason_name(enum run_reason r); /* as in the JSON */

/* The last words: a summary on standard error, a line of JSON on standard output. */
void run_summarise(const struct run_options *o, const motet_node *n, const struct run_result *r);
void run_json(const struct run_options *o, const motet_node *n, const struct run_result *r);

/* Writes what the node's serial flash memory holds, if --save-flash asks for it. */
bool run_save_flash(const struct run_options *o, const motet_node *n, uint32_t id, struct motet_error *e);

/* Runs a network of nodes with one firmware as the options say it. */
int run_network(struct run_options *o, const motet_machine *m);

/* The same for a Lua file that says it. */
int run_scenario(struct run_options *o);

#endif
