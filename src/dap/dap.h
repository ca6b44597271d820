/* The server: what is debugged, and a client's view of it.
 *
 * Nodes are threads, numbered from 1. A frame's id holds its node and level. References to variables are valid until
 * something moves. A memory reference is a debugger's address with the number of the node above its 32 bits, so those
 * of the first node are plain addresses.
 *
 * Invariant: while a move is under way, requests wait in the client's queue, but for those that end it. A run forward
 * is paused for each request and goes on after it.
 */
#ifndef DAP_DAP_H
#define DAP_DAP_H

#include <pthread.h>

#include "dap/client.h"
#include "debugger/commands.h"
#include "motet/inspect.h"
#include "motet/variable.h"

#define DAP_FILTER_FAULTS "fault"
#define DAP_FILTER_ENDS   "end"

enum { DAP_TEXT = 4096, DAP_LEVELS = 1024, DAP_PLACES = 64 };

/* A breakpoint as the client knows it. */
enum dap_point_kind { DAP_POINT_SOURCE, DAP_POINT_FUNCTION, DAP_POINT_INSTRUCTION, DAP_POINT_DATA };

struct dap_point {
    enum dap_point_kind kind;
    char *source;     /* SOURCE: its path */
    json_int_t id;    /* of the protocol */
    unsigned number;  /* of the inspector; 0: it is not verified */
    char *message;    /* a log point's, or NULL */
    char compare[3];  /* hit condition: "==", ">=", "%" ...; "" for none */
    uint64_t operand; /* and what is compared with */
    uint64_t hits;
};

/* What a reference to variables stands for. */
struct dap_held {
    uint32_t node;
    size_t level;
    motet_variable *variable;   /* or NULL: a scope, */
    enum motet_variables scope; /* with these */
};

struct motet_dap {
    struct commands commands;
    struct motet_dap_options how;
    motet_timeline *timeline;
    motet_inspector *inspector;
    struct command *looks; /* the inspector's commands that only look, with their numbers there */
    size_t *look_numbers, look_count;
    motet_dap_client *client;
    enum motet_debug_end end;
    bool over;       /* the conversation is */
    bool configured; /* the client has set its breakpoints */
    bool terminated; /* the client was told so */
    bool ended;      /* the run is at its end */
    bool no_debug, stop_on_entry, stop_at_end;
    bool stop_at_faults, stop_at_ends;

    bool moving; /* forward or backward, as `move` says */
    struct motet_move move;
    const char *reason;   /* of the stop after it */
    double looked, since; /* seconds: when messages were looked for; when the work under way began */
    bool progress_shown;

    struct dap_then { /* what is to be done after a request was answered */
        enum { DAP_THEN_NOTHING, DAP_THEN_STOP, DAP_THEN_BEGIN, DAP_THEN_TERMINATE } what;
        const char *reason, *text;
        uint32_t node;
    } then;

    struct dap_point *points;
    size_t point_count, point_room;
    json_int_t point_ids;

    struct dap_held *held;
    size_t held_count, held_room;
    json_int_t held_first; /* the reference of held[0] */

    pthread_mutex_t said_lock; /* conditions are evaluated in the threads of nodes */
    struct answer said;        /* what the inspector said meanwhile */
};

/* ---- requests: each fills in a body; false with a sentence ---- */

typedef bool dap_request(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e);

/* points.c */
dap_request points_source, points_function, points_instruction, points_data, points_data_info, points_locations,
    points_exceptions;
struct dap_point *points_met(motet_dap *d, unsigned number);
bool points_stops(motet_dap *d, struct dap_point *p, uint32_t node); /* false: the move goes on */
void points_clear(motet_dap *d);
void points_reset(motet_dap *d); /* hits */

/* run.c */
dap_request run_continue, run_reverse, run_next, run_step_in, run_step_out, run_step_back, run_pause, run_restart,
    run_restart_frame, run_goto_targets, run_goto, run_exception;
void run_move(motet_dap *d); /* until it stops, or requests are to be answered */
void run_stopped(motet_dap *d, const char *reason, uint32_t node, const struct dap_point *p, const char *text);
void run_then(motet_dap *d); /* after an answer: what it has announced */
void run_work(motet_dap *d); /* something begins that may take long */
bool run_interrupted(void *dap);

/* look.c */
dap_request look_threads, look_stack, look_scopes, look_sources, look_source;
json_t *look_source_of(const char *file);
bool look_thread(motet_dap *d, const json_t *a, uint32_t *node, struct motet_error *e);
bool look_frame(motet_dap *d, const json_t *a, uint32_t *node, size_t *level, struct motet_error *e);

/* variables.c */
dap_request variables_list, variables_set, variables_set_expression;
json_int_t variables_hold(motet_dap *d, struct dap_held h);
struct dap_held *variables_held(motet_dap *d, json_int_t reference);
void variables_forget(motet_dap *d);
void variables_describe(motet_dap *d, motet_variable *v, uint32_t node, size_t level, char format, json_t *into);
bool variables_format(const json_t *a, char *format, struct motet_error *e); /* for motet_variable_text */
/* Sets it and describes what it is then; takes over the variable. */
bool variables_change(motet_dap *d, motet_variable *v, uint32_t node, size_t level, const char *text, char format,
                      json_t *body, struct motet_error *e);
motet_variable *variables_member(motet_dap *d, const struct dap_held *h, const char *name);

/* memory.c */
dap_request memory_read, memory_write, memory_disassemble;
json_t *memory_reference(uint32_t node, uint32_t address);
bool memory_referred(motet_dap *d, const char *reference, uint32_t *node, uint32_t *address, struct motet_error *e);

/* evaluate.c */
dap_request evaluate, evaluate_complete;
void evaluate_commands(motet_dap *d); /* makes the table of those that only look */
void evaluate_expand(motet_dap *d, uint32_t node, const char *message, struct answer *a); /* {expressions} */

/* serve.c */
void dap_console(motet_dap *d, const char *category, const char *text);
void dap_flush(motet_dap *d, bool standing); /* shows what was printed and said */
unsigned dap_line_out(const motet_dap *d, unsigned line);

#endif
