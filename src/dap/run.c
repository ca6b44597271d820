/* Moving: forward, backward, to a place; and why it stopped. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "dap/arguments.h"
#include "dap/dap.h"
#include "dap/text.h"
#include "motet/log.h"

#define RUN_LOOK     0.005 /* seconds between two looks for messages */
#define RUN_PROGRESS 0.5   /* seconds until a user wants to know how far it is, and between two words about it */

/* ---- while it moves ---- */

static double run_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void run_work(motet_dap *d)
{
    d->since = run_clock();
}

static double run_seconds(const motet_dap *d)
{
    return (double)motet_timeline_now(d->timeline) / (double)MOTET_SECOND;
}

static void run_progress(motet_dap *d, bool over)
{
    char text[64];
    if (!d->client->progress || (over && !d->progress_shown))
        return;
    snprintf(text, sizeof text, "at %.3f s", run_seconds(d));
    if (over)
        client_event(d->client, "progressEnd", json_pack("{s:s}", "progressId", "move"));
    else if (d->progress_shown)
        client_event(d->client, "progressUpdate", json_pack("{s:s, s:s}", "progressId", "move", "message", text));
    else
        client_event(d->client, "progressStart",
                     json_pack("{s:s, s:s, s:s, s:b}", "progressId", "move", "title", "Searching", "message", text,
                               "cancellable", 1));
    d->progress_shown = !over;
}

/* Requests that end a move. The others are answered after it; a run forward is paused for them. */
static bool run_ends(const char *command)
{
    static const char *const ends[] = {"pause", "disconnect", "terminate", "restart", "cancel"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (strcmp(ends[i], command) == 0)
            return true;
    return false;
}

static bool run_resumes(const motet_dap *d)
{
    return d->moving && d->move.extent == MOTET_MOVE_RUN && !d->move.backward;
}

bool run_interrupted(void *dap)
{
    motet_dap *d = dap;
    double now = run_clock();
    json_t *message;
    size_t i;
    if (!d->client || now - d->looked < RUN_LOOK)
        return false;
    d->looked = now;
    dap_flush(d, false);
    client_look(d->client);
    if (!run_resumes(d) && now - d->since > RUN_PROGRESS) {
        d->since = now;
        run_progress(d, false);
    }
    json_array_foreach(d->client->queue, i,
                       message) if (run_resumes(d) || run_ends(client_command(message))) return true;
    return d->client->closed;
}

/* ---- why it stopped ---- */

void run_stopped(motet_dap *d, const char *reason, uint32_t node, const struct dap_point *p, const char *text)
{
    char description[120];
    variables_forget(d);
    d->moving = false;
    d->commands.node = node;
    d->commands.level = 0;
    motet_inspector_moved(d->inspector);
    motet_inspector_select(d->inspector, node, 0);
    dap_flush(d, true);
    run_progress(d, true);
    snprintf(description, sizeof description, "%s at %.6f s", reason, run_seconds(d));
    json_t *body = json_pack("{s:s, s:s, s:I, s:b}", "reason", reason, "description", description, "threadId",
                             (json_int_t)node + 1, "allThreadsStopped", 1);
    if (p)
        json_object_set_new(body, "hitBreakpointIds", json_pack("[I]", p->id));
    if (text)
        json_object_set_new(body, "text", text_string(text));
    client_event(d->client, "stopped", body);
}

static int run_status(const motet_dap *d)
{
    const motet_node *n = motet_timeline_node(d->timeline, 0);
    enum motet_exit how = motet_node_exit(n);
    return how == MOTET_EXIT_FIRMWARE ? (int)motet_node_exit_status(n) : how == MOTET_EXIT_FAULT;
}

static void run_terminate(motet_dap *d)
{
    d->moving = false;
    if (d->terminated)
        return;
    d->terminated = true;
    dap_flush(d, true);
    client_event(d->client, "exited", json_pack("{s:i}", "exitCode", run_status(d)));
    client_event(d->client, "terminated", NULL);
}

/* The first line of what a node's end is about. */
static const char *run_ended(const motet_dap *d, uint32_t node, char *text, size_t size)
{
    const motet_node *n = motet_timeline_node(d->timeline, node);
    const struct motet_fault *f = motet_node_fault(n);
    struct motet_replay r;
    switch (motet_node_exit(n)) {
    case MOTET_EXIT_FAULT:
        if (f)
            motet_node_explain(n, f, text, size);
        text[f ? strcspn(text, "\n") : 0] = '\0';
        break;
    case MOTET_EXIT_LOG:
        motet_node_replay(n, &r);
        snprintf(text, size, "The replay is over: %s", r.how);
        break;
    case MOTET_EXIT_FIRMWARE:
        snprintf(text, size, "The firmware ended with status %u", motet_node_exit_status(n));
        break;
    case MOTET_EXIT_HALT: snprintf(text, size, "The CPU stands still for good: nothing can wake it"); break;
    default: snprintf(text, size, "This is where the run ends");
    }
    return text;
}

static bool run_is_fault(const motet_dap *d, uint32_t node)
{
    return motet_node_exit(motet_timeline_node(d->timeline, node)) == MOTET_EXIT_FAULT;
}

/* A node has ended; whether the others go on is up to the client. */
static void run_node_ended(motet_dap *d, uint32_t node)
{
    char text[DAP_TEXT] = "", line[DAP_TEXT + 40];
    bool fault = run_is_fault(d, node);
    run_ended(d, node, text, sizeof text);
    if (fault ? d->stop_at_faults : d->stop_at_ends) {
        run_stopped(d, fault ? "exception" : "end", node, NULL, text);
        return;
    }
    snprintf(line, sizeof line, "node %" PRIu32 ": %s\n", motet_node_id(motet_timeline_node(d->timeline, node)), text);
    dap_console(d, "console", line);
}

/* The node that ended last. */
static uint32_t run_last(const motet_dap *d)
{
    uint64_t last = 0, tick, cycles;
    uint32_t node = d->move.node;
    for (uint32_t i = 0; i < motet_timeline_count(d->timeline); i++) {
        bool ended = motet_node_ended(motet_timeline_node(d->timeline, i), &tick, &cycles);
        uint64_t time = ended ? motet_timeline_time(d->timeline, i, tick) : 0;
        if (ended && time >= last) {
            last = time;
            node = i;
        }
    }
    return node;
}

/* Everything has ended. The client can still go back; if it wants to go on all the same, the session ends. */
static void run_all_ended(motet_dap *d)
{
    char text[DAP_TEXT] = "";
    uint32_t node = run_last(d);
    bool fault = run_is_fault(d, node);
    if (d->no_debug || !d->stop_at_end) {
        run_terminate(d);
        return;
    }
    run_ended(d, node, text, sizeof text);
    d->ended = true;
    run_stopped(d, fault && d->stop_at_faults ? "exception" : "end", node, NULL, text);
}

static void run_tell_point(motet_dap *d, const struct motet_moved *how)
{
    static const char *const reasons[] = {[DAP_POINT_SOURCE] = "breakpoint",
                                          [DAP_POINT_FUNCTION] = "function breakpoint",
                                          [DAP_POINT_INSTRUCTION] = "instruction breakpoint",
                                          [DAP_POINT_DATA] = "data breakpoint"};
    struct dap_point *p = points_met(d, how->point);
    if (!p || d->no_debug || !points_stops(d, p, how->event.node))
        return; /* it goes on */
    run_stopped(d, reasons[p->kind], how->event.node, p, NULL);
}

/* After a move, or a part of it: stops, or goes on. */
static void run_tell(motet_dap *d, const struct motet_moved *how)
{
    switch (how->event.why) {
    case MOTET_TIMELINE_STOP:
    case MOTET_TIMELINE_WATCH: run_tell_point(d, how); break;
    case MOTET_TIMELINE_EXIT: run_node_ended(d, how->event.node); break;
    case MOTET_TIMELINE_END: run_all_ended(d); break;
    case MOTET_TIMELINE_BEGIN: run_stopped(d, d->reason, d->move.node, NULL, "This is where history begins"); break;
    case MOTET_TIMELINE_INTERRUPTED: break; /* by a request, which is answered next */
    default:
        if (motet_timeline_now(d->timeline) >= d->commands.until && !d->move.backward)
            run_all_ended(d);
        else
            run_stopped(d, d->reason, d->move.node, NULL,
                        how->lost ? "No line was reached; step by instructions, or set a breakpoint" : NULL);
    }
}

void run_move(motet_dap *d)
{
    struct motet_moved how;
    struct motet_error e = {""};
    run_work(d);
    if (motet_inspector_move(d->inspector, &d->move, &how, &e)) {
        run_tell(d, &how);
        return;
    }
    dap_console(d, "important", e.text);
    run_stopped(d, "step", d->move.node, NULL, e.text);
}

/* ---- requests ---- */

static void run_start(motet_dap *d, struct motet_move m, const char *reason)
{
    variables_forget(d);
    d->moving = true;
    d->move = m;
    d->reason = reason;
    if (m.backward)
        d->ended = false;
}

/* Where the run has ended there is nothing to go on to. */
static bool run_over(motet_dap *d)
{
    if (d->ended)
        d->then.what = DAP_THEN_TERMINATE;
    return d->ended;
}

bool run_continue(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    uint32_t node;
    if (!look_thread(d, a, &node, e))
        return false;
    json_object_set_new(body, "allThreadsContinued", json_true());
    if (!run_over(d))
        run_start(d, (struct motet_move){.node = node, .extent = MOTET_MOVE_RUN}, "pause");
    return true;
}

bool run_reverse(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    uint32_t node;
    (void)body;
    if (!look_thread(d, a, &node, e))
        return false;
    run_start(d, (struct motet_move){.node = node, .extent = MOTET_MOVE_RUN, .backward = true}, "entry");
    return true;
}

static bool run_step(motet_dap *d, const json_t *a, enum motet_extent extent, bool backward, struct motet_error *e)
{
    const char *granularity = "statement";
    struct motet_move m = {.extent = extent, .backward = backward};
    const char *files[1];
    if (!look_thread(d, a, &m.node, e) || !argument_text(a, "granularity", &granularity, e))
        return false;
    m.instruction = strcmp(granularity, "instruction") == 0 ||
                    !motet_machine_files(motet_node_machine(motet_timeline_node(d->timeline, m.node)), files, 1);
    struct motet_call caller;
    if (extent == MOTET_MOVE_OUT && !motet_node_call(motet_timeline_node(d->timeline, m.node), 1, &caller))
        return argument_error(e, "there is no function that this one was called from");
    if (backward || !run_over(d))
        run_start(d, m, "step");
    return true;
}

bool run_next(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    (void)body;
    return run_step(d, a, MOTET_MOVE_OVER, false, e);
}

bool run_step_in(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    (void)body;
    return run_step(d, a, MOTET_MOVE_INTO, false, e);
}

bool run_step_out(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    (void)body;
    return run_step(d, a, MOTET_MOVE_OUT, false, e);
}

bool run_step_back(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    (void)body;
    return run_step(d, a, MOTET_MOVE_OVER, true, e);
}

bool run_pause(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    uint32_t node;
    (void)body;
    if (!look_thread(d, a, &node, e))
        return false;
    if (d->moving)
        d->then = (struct dap_then){DAP_THEN_STOP, "pause", NULL, node};
    d->moving = false;
    return true;
}

/* After the configuration, or from the beginning again. */
static void run_begin(motet_dap *d)
{
    d->ended = false;
    if (d->stop_on_entry && !d->no_debug)
        run_stopped(d, "entry", d->commands.node, NULL, NULL);
    else
        run_start(d, (struct motet_move){.node = d->commands.node, .extent = MOTET_MOVE_RUN}, "pause");
}

bool run_restart(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    (void)a, (void)body, (void)e;
    run_work(d);
    d->moving = false;
    variables_forget(d);
    points_reset(d);
    motet_timeline_seek(d->timeline, 0);
    motet_inspector_moved(d->inspector);
    d->then.what = DAP_THEN_BEGIN;
    return true;
}

void run_then(motet_dap *d)
{
    if (d->then.what == DAP_THEN_STOP)
        run_stopped(d, d->then.reason, d->then.node, NULL, d->then.text);
    else if (d->then.what == DAP_THEN_BEGIN)
        run_begin(d);
    else if (d->then.what == DAP_THEN_TERMINATE)
        run_terminate(d);
}

/* Back to the call of the frame's function, and into it. */
bool run_restart_frame(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    struct motet_move m = {.extent = MOTET_MOVE_OUT, .backward = true};
    struct motet_position here = motet_timeline_position(d->timeline);
    struct motet_moved how;
    struct motet_call before, after;
    (void)body;
    if (!argument_needs(a, "frameId", e) || !look_frame(d, a, &m.node, &m.level, e))
        return false;
    const motet_node *n = motet_timeline_node(d->timeline, m.node);
    if (!motet_node_call(n, m.level, &before))
        return argument_error(e, "there is no such frame any more");
    uint32_t entry;
    if (!motet_machine_body(motet_node_machine(n), before.function, &entry))
        return argument_error(e, "where %s begins is not known", before.function);
    if (!motet_inspector_move(d->inspector, &m, &how, e))
        return false;
    m = (struct motet_move){.node = m.node, .extent = MOTET_MOVE_THERE, .address = entry};
    bool there = how.event.why == MOTET_TIMELINE_REACHED && motet_inspector_move(d->inspector, &m, &how, e) &&
                 how.event.why == MOTET_TIMELINE_REACHED && motet_node_call(n, 0, &after) &&
                 strcmp(after.function, before.function) == 0;
    if (!there)
        motet_timeline_go(d->timeline, here);
    if (!there)
        return argument_error(e, "the frame was not restarted: a breakpoint lies between, or its call is not known");
    d->ended = false;
    d->then = (struct dap_then){DAP_THEN_STOP, "restart", NULL, m.node};
    return true;
}

/* ---- goto: to another time at which a line was executed. Nothing is skipped, since nothing is changed. ---- */

bool run_goto_targets(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    static const char *const labels[] = {"back to the last time it was executed", "on to the next time it is executed"};
    json_t *source = NULL, *targets = json_array();
    const char *path = NULL;
    int64_t line = 0;
    json_object_set_new(body, "targets", targets);
    if (!argument_needs(a, "source", e) || !argument_needs(a, "line", e) || !argument_object(a, "source", &source, e) ||
        !argument_text(source, "path", &path, e) || !argument_number(a, "line", 0, INT32_MAX, &line, e))
        return false;
    if (!path)
        return argument_error(e, "the source has no path");
    for (uint32_t node = 0; node < motet_timeline_count(d->timeline); node++) {
        unsigned at = (unsigned)line + d->client->lines_from_0;
        uint32_t address;
        const motet_node *n = motet_timeline_node(d->timeline, node);
        if (!motet_machine_lines(motet_node_machine(n), path, &at, &address, 1))
            continue;
        for (int forward = 0; forward < 2; forward++) {
            char label[100];
            snprintf(label, sizeof label, "node %" PRIu32 ": %s", motet_node_id(n), labels[forward]);
            json_array_append_new(targets, json_pack("{s:I, s:s, s:I, s:o}", "id",
                                                     (json_int_t)address * 2 + forward + ((json_int_t)node << 33),
                                                     "label", label, "line", (json_int_t)dap_line_out(d, at),
                                                     "instructionPointerReference", memory_reference(node, address)));
        }
    }
    return true;
}

bool run_goto(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    int64_t target = 0;
    struct motet_position here = motet_timeline_position(d->timeline);
    struct motet_moved how;
    (void)body;
    if (!argument_needs(a, "targetId", e) || !argument_number(a, "targetId", 0, INT64_MAX, &target, e))
        return false;
    struct motet_move m = {.node = (uint32_t)(target >> 33),
                           .extent = MOTET_MOVE_THERE,
                           .backward = !(target & 1),
                           .address = (uint32_t)(target >> 1)};
    if (m.node >= motet_timeline_count(d->timeline))
        return argument_error(e, "there is no such target");
    run_work(d);
    if (!motet_inspector_move(d->inspector, &m, &how, e))
        return false;
    if (how.event.why != MOTET_TIMELINE_REACHED) {
        motet_timeline_go(d->timeline, here);
        motet_inspector_moved(d->inspector);
        return argument_error(e, "the line is not executed %s here", m.backward ? "before" : "after");
    }
    d->ended = false;
    d->then = (struct dap_then){DAP_THEN_STOP, "goto", NULL, m.node};
    return true;
}

/* ---- faults ---- */

bool run_exception(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    char text[2 * DAP_TEXT] = "", where[DAP_TEXT] = "";
    uint32_t node;
    if (!look_thread(d, a, &node, e))
        return false;
    const motet_node *n = motet_timeline_node(d->timeline, node);
    const struct motet_fault *f = motet_node_fault(n);
    if (!f || !run_is_fault(d, node))
        return argument_error(e, "node %" PRIu32 " stands at no fault", motet_node_id(n));
    motet_node_explain(n, f, text, sizeof text);
    motet_node_where(n, where, sizeof where);
    json_t *details = json_pack("{s:s}", "typeName", motet_fault_name(f->kind));
    json_object_set_new(details, "message", text_string(text));
    json_object_set_new(details, "stackTrace", text_string(where));
    json_object_set_new(body, "exceptionId", text_string(motet_fault_name(f->kind)));
    json_object_set_new(body, "breakMode", json_string("unhandled"));
    json_object_set_new(body, "details", details);
    json_object_set_new(body, "description", text_json(text, strcspn(text, "\n")));
    return true;
}
