/* Life of a server, and the requests by name. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dap/arguments.h"
#include "dap/dap.h"
#include "dap/text.h"

/* ---- what is shown ---- */

void dap_console(motet_dap *d, const char *category, const char *text)
{
    motet_dap_output(d->client, category, text, strlen(text));
}

static void dap_said(void *context, const char *text)
{
    motet_dap *d = context;
    pthread_mutex_lock(&d->said_lock);
    answer_say(&d->said, "%s", text);
    pthread_mutex_unlock(&d->said_lock);
}

void dap_flush(motet_dap *d, bool standing)
{
    if (d->how.flush)
        d->how.flush(d->how.context, d->client, standing);
    pthread_mutex_lock(&d->said_lock);
    struct answer said = d->said;
    d->said = (struct answer){.text = NULL};
    pthread_mutex_unlock(&d->said_lock);
    if (said.text)
        dap_console(d, "console", said.text);
    answer_free(&said);
}

unsigned dap_line_out(const motet_dap *d, unsigned line)
{
    return d->client->lines_from_0 && line ? line - 1 : line;
}

/* ---- life ---- */

static motet_dap *dap_new(const struct motet_dap_options *o)
{
    motet_dap *d = memory_new(sizeof *d);
    d->how = *o;
    d->stop_at_end = d->stop_at_faults = true;
    d->held_first = 1;
    pthread_mutex_init(&d->said_lock, NULL);
    return d;
}

static motet_dap *dap_begin(motet_dap *d, motet_timeline *t, uint64_t until)
{
    struct motet_inspector_face face = {d, dap_said, run_interrupted};
    d->timeline = t;
    d->inspector = motet_inspector_new(t, until, &face);
    d->commands.timeline = t;
    d->commands.until = until;
    evaluate_commands(d);
    return d;
}

motet_dap *motet_dap_of_network(motet_network *n, const struct motet_dap_options *o)
{
    motet_dap *d = dap_new(o);
    struct motet_timeline_options how = {o->debug.memory, o->debug.actor, run_interrupted, d};
    return dap_begin(d, motet_timeline_of_network(n, &how), o->debug.until);
}

motet_dap *motet_dap_of_saved_run(motet_saved_run *r, const struct motet_dap_options *o, uint64_t at)
{
    motet_dap *d = dap_new(o);
    struct motet_timeline_options how = {o->debug.memory, {.act = NULL}, run_interrupted, d};
    motet_timeline *t = motet_timeline_of_saved_run(r, &how);
    dap_begin(d, t, motet_timeline_until(t));
    if (at)
        motet_timeline_seek(t, at);
    return d;
}

void motet_dap_free(motet_dap *d)
{
    if (!d)
        return;
    variables_forget(d);
    points_clear(d);
    motet_inspector_free(d->inspector);
    motet_timeline_free(d->timeline);
    pthread_mutex_destroy(&d->said_lock);
    answer_free(&d->said);
    free(d->looks);
    free(d->look_numbers);
    free(d->points);
    free(d->held);
    free(d);
}

/* ---- requests about the conversation ---- */

static bool dap_configured(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    (void)a, (void)body;
    if (d->configured)
        return argument_error(e, "configurationDone was sent already");
    d->configured = true;
    d->then.what = DAP_THEN_BEGIN;
    return true;
}

static bool dap_terminate(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    (void)a, (void)body, (void)e;
    d->moving = false;
    d->then.what = DAP_THEN_TERMINATE;
    return true;
}

static bool dap_disconnect(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    bool attached = d->client->launch == NULL; /* not ours to end, unless the client says so */
    bool kill = !attached;
    (void)body;
    if (!argument_flag(a, "terminateDebuggee", &kill, e))
        return false;
    d->end = kill ? MOTET_DEBUG_KILLED : MOTET_DEBUG_DETACHED;
    d->client->in_order = d->over = true;
    d->moving = false;
    return true;
}

/* The only thing that can be cancelled is a move; a search in an `evaluate` has ended when this is answered. */
static bool dap_cancel(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    (void)a, (void)body, (void)e;
    if (d->moving)
        d->then = (struct dap_then){DAP_THEN_STOP, "pause", NULL, d->move.node};
    d->moving = false;
    return true;
}

/* ---- by name ---- */

static const struct dap_verb {
    const char *name;
    dap_request *run;
    bool standing; /* only while nothing moves */
} dap_verbs[] = {
    {"configurationDone", dap_configured, false},
    {"threads", look_threads, false},
    {"stackTrace", look_stack, true},
    {"scopes", look_scopes, true},
    {"variables", variables_list, true},
    {"setVariable", variables_set, true},
    {"setExpression", variables_set_expression, true},
    {"evaluate", evaluate, true},
    {"completions", evaluate_complete, true},
    {"source", look_source, false},
    {"loadedSources", look_sources, false},
    {"setBreakpoints", points_source, false},
    {"setFunctionBreakpoints", points_function, false},
    {"setInstructionBreakpoints", points_instruction, false},
    {"setDataBreakpoints", points_data, false},
    {"dataBreakpointInfo", points_data_info, true},
    {"setExceptionBreakpoints", points_exceptions, false},
    {"breakpointLocations", points_locations, false},
    {"continue", run_continue, true},
    {"reverseContinue", run_reverse, true},
    {"next", run_next, true},
    {"stepIn", run_step_in, true},
    {"stepOut", run_step_out, true},
    {"stepBack", run_step_back, true},
    {"pause", run_pause, false},
    {"restart", run_restart, false},
    {"restartFrame", run_restart_frame, true},
    {"gotoTargets", run_goto_targets, true},
    {"goto", run_goto, true},
    {"exceptionInfo", run_exception, true},
    {"readMemory", memory_read, true},
    {"writeMemory", memory_write, true},
    {"disassemble", memory_disassemble, true},
    {"terminate", dap_terminate, false},
    {"disconnect", dap_disconnect, false},
    {"cancel", dap_cancel, false},
};

static const struct dap_verb *dap_verb_named(const char *name)
{
    for (size_t i = 0; i < sizeof dap_verbs / sizeof dap_verbs[0]; i++)
        if (strcmp(dap_verbs[i].name, name) == 0)
            return &dap_verbs[i];
    return NULL;
}

static bool dap_allowed(const motet_dap *d, const struct dap_verb *v, const char *name, struct motet_error *e)
{
    if (!v && (strcmp(name, "initialize") == 0 || strcmp(name, "launch") == 0 || strcmp(name, "attach") == 0))
        return argument_error(e, "%s was sent already", name);
    if (!v)
        return argument_error(e, "there is no request '%.60s'", name);
    if (v->standing && d->moving)
        return argument_error(e, "the nodes are running; pause them first");
    if (v->standing && !d->configured && strcmp(name, "dataBreakpointInfo") != 0)
        return argument_error(e, "send configurationDone first");
    return true;
}

static void dap_answer(motet_dap *d, const json_t *request)
{
    const char *name = client_command(request);
    const struct dap_verb *v = dap_verb_named(name);
    struct motet_error e = {""};
    json_t *body = json_object();
    d->then.what = DAP_THEN_NOTHING;
    if (dap_allowed(d, v, name, &e) && v->run(d, client_arguments(request), body, &e)) {
        client_respond(d->client, request, json_incref(body));
        run_then(d);
    } else {
        client_refuse(d->client, request, e.text);
    }
    json_decref(body);
}

/* ---- the conversation ---- */

static void dap_welcome(motet_dap *d)
{
    motet_dap_client *c = d->client;
    const json_t *a = client_arguments(c->launch);
    struct motet_error ignored;
    bool attach = strcmp(client_command(c->launch), "attach") == 0;
    d->stop_on_entry = attach;
    d->stop_at_end = true;
    d->no_debug = false;
    argument_flag(a, "stopOnEntry", &d->stop_on_entry, &ignored);
    argument_flag(a, "stopAtEnd", &d->stop_at_end, &ignored);
    argument_flag(a, "noDebug", &d->no_debug, &ignored);
    client_respond(c, c->launch, NULL);
    client_event(c, "initialized", NULL);
    if (attach) {
        json_decref(c->launch);
        c->launch = NULL;
    }
}

enum motet_debug_end motet_dap_serve(motet_dap *d, motet_dap_client *c)
{
    d->client = c;
    d->over = d->configured = d->terminated = d->moving = false;
    d->end = MOTET_DEBUG_CLOSED;
    dap_welcome(d);
    while (!d->over) {
        json_t *request = client_next(c, !d->moving);
        if (request)
            dap_answer(d, request);
        else if (c->closed)
            break;
        else
            run_move(d);
        json_decref(request);
    }
    variables_forget(d);
    points_clear(d);
    return d->end;
}
