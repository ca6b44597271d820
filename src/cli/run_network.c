/* motet run with several nodes: a network, what its nodes print in one order, their ports connected. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "endpoint.h"
#include "lines.h"
#include "memory.h"
#include "network_stimuli.h"
#include "pace.h"
#include "run.h"
#include "sentence.h"
#include "terminal.h"
#include "trace.h"

/* Nanoseconds between looking up: with input from outside, and without, where it depends on how long they take. Where
 * runs are cut makes no difference to them. */
enum { INPUT_SLICE = 1000000, SLICE_MIN = 10000000, SLICE_MAX = 1000000000 };

/* A port of a node that is connected to something. */
struct port {
    size_t node;
    struct endpoint endpoint;
};

struct stage {
    struct run_options *o;
    const motet_machine *machine; /* of all nodes; NULL: a scenario has its own */
    motet_network *network;
    motet_scenario *scenario;        /* or NULL */
    struct network_stimuli *stimuli; /* or NULL */
    uint64_t stimulus;               /* when the next one is */
    motet_save *save;                /* or NULL */
    struct lines *lines;
    struct attached *attached;
    struct port *ports; /* by node and line */
    size_t port_count;
    struct seat {
        struct stage *stage;
        size_t number;
        unsigned trace;
        unsigned long faults;
        bool explained;
    } * seats; /* a node's observer has its own */
    uint64_t until, slice;
    double started;
    struct pace pace;
    const char *reason; /* as in the JSON */
    bool faulted, failed, broken;
    size_t checks_failed;
    struct motet_error error;
};

/* ---- what nodes do, each in its thread ---- */

static struct endpoint *run_network_port_of(const struct stage *s, size_t node, unsigned line)
{
    for (size_t i = 0; i < s->port_count; i++)
        if (s->ports[i].node == node && s->ports[i].endpoint.line == line)
            return &s->ports[i].endpoint;
    return NULL;
}

static struct trace_place run_network_place(const struct seat *seat, const motet_node *n, uint64_t tick)
{
    return (struct trace_place){n, motet_network_time(seat->stage->network, n, tick), .named = true};
}

static void run_network_say(const struct seat *seat, const motet_node *n, uint64_t tick, const char *text)
{
    if (*text)
        lines_say(seat->stage->lines, seat->number, motet_network_time(seat->stage->network, n, tick), text);
}

static void run_network_on_pin(void *context, const motet_node *n, uint64_t tick, unsigned pin, bool level)
{
    const struct seat *seat = context;
    char text[TRACE_TEXT];
    trace_pin(text, seat->trace, run_network_place(seat, n, tick), pin, level);
    run_network_say(seat, n, tick, text);
}

static void run_network_on_reset(void *context, const motet_node *n, uint64_t tick, const char *cause)
{
    const struct seat *seat = context;
    char text[TRACE_TEXT];
    trace_reset(text, seat->trace, run_network_place(seat, n, tick), cause);
    run_network_say(seat, n, tick, text);
}

static void run_network_on_serial(void *context, const motet_node *n, uint64_t tick, unsigned line, unsigned frame)
{
    const struct seat *seat = context;
    struct stage *s = seat->stage;
    char text[TRACE_TEXT];
    trace_serial(text, seat->trace, run_network_place(seat, n, tick), line, frame);
    run_network_say(seat, n, tick, text);
    if (frame & MOTET_FRAME_BREAK)
        return;
    if (s->scenario)
        motet_scenario_heard(s->scenario, seat->number, line, (uint8_t)frame);
    struct endpoint *p = s->port_count ? run_network_port_of(s, seat->number, line) : NULL;
    if (p)
        endpoint_put(p, (uint8_t)frame);
    else if (line == motet_machine_terminal(motet_node_machine(n)) || line == MOTET_CONSOLE)
        lines_put(s->lines, seat->number, motet_node_id(n), motet_network_time(s->network, n, tick), (uint8_t)frame);
}

static void run_network_on_fault(void *context, const motet_node *n, const struct motet_fault *f)
{
    struct seat *seat = context;
    char text[8192 + 64];
    seat->faults++;
    if (seat->explained)
        return; /* one for each node is enough to go on */
    seat->explained = true;
    int used = snprintf(text, 64, "motet: node %" PRIu32 ": ", motet_node_id(n));
    motet_node_explain(n, f, text + used, sizeof text - (size_t)used);
    run_network_say(seat, n, f->tick, text);
}

/* What of a node is traced: what is of all, and its own. */
static unsigned traced(const struct run_options *o, uint32_t id)
{
    unsigned what = o->trace;
    for (size_t i = 0; i < o->node_trace_count; i++)
        what |= o->node_trace[i].id == id ? o->node_trace[i].what : 0;
    return what;
}

static void run_network_watch_nodes(struct stage *s)
{
    size_t count = motet_network_count(s->network);
    s->seats = cli_array(count, sizeof *s->seats);
    s->lines = lines_new(count);
    for (size_t i = 0; i < count; i++) {
        motet_node *n = motet_network_at(s->network, i);
        unsigned trace = traced(s->o, motet_node_id(n));
        s->seats[i] = (struct seat){.stage = s, .number = i, .trace = trace};
        struct motet_observer observer = {
            .context = &s->seats[i],
            .pin = trace & (TRACE_LEDS | TRACE_PINS) ? run_network_on_pin : NULL,
            .serial = run_network_on_serial,
            .fault = run_network_on_fault,
            .reset = trace & TRACE_RESETS ? run_network_on_reset : NULL,
        };
        motet_node_observe(n, &observer);
        for (unsigned k = 0; k < MOTET_FAULT_KINDS; k++)
            motet_node_on_fault(n, (enum motet_fault_kind)k, s->o->on_fault[k]);
    }
}

/* ---- ports ---- */

/* Finds the nodes whose ports are to be connected; opens nothing. */
static bool check_ports(struct stage *s)
{
    const struct run_options *o = s->o;
    s->ports = cli_array(o->node_serial_count, sizeof *s->ports);
    for (size_t i = 0; i < o->node_serial_count; i++) {
        const struct node_serial *want = &o->node_serial[i];
        const motet_node *n = motet_network_node(s->network, want->id);
        size_t number = 0;
        if (!n)
            return sentence(&s->error, "--serial: there is no node %" PRIu32, want->id);
        if (want->line != MOTET_CONSOLE && !motet_machine_has_serial(motet_node_machine(n), want->line))
            return sentence(&s->error, "--serial: node %" PRIu32 " has no serial port %u", want->id, want->line);
        while (motet_network_at(s->network, number) != n)
            number++;
        if (run_network_port_of(s, number, want->line))
            return sentence(&s->error, "--serial: port %u of node %" PRIu32 " is given twice", want->line, want->id);
        if (!endpoint_check_files(n, want->line, want->place, &s->error))
            return false;
        s->ports[s->port_count++] =
            (struct port){.node = number, .endpoint = {.line = want->line, .in = -1, .out = -1, .listener = -1}};
    }
    return true;
}

static bool run_network_open_ports(struct stage *s)
{
    for (size_t i = 0; i < s->port_count; i++) {
        struct port *p = &s->ports[i];
        const char *where = s->o->node_serial[i].place;
        const motet_node *n = motet_network_at(s->network, p->node);
        if (!endpoint_open(&p->endpoint, n, p->endpoint.line, where, s->o->quiet, &s->error))
            return false;
    }
    for (size_t i = 0; i < s->port_count; i++)
        if (!endpoint_wait(&s->ports[i].endpoint, &s->error))
            return false;
    return true;
}

static bool run_network_exchange(struct stage *s)
{
    for (size_t i = 0; i < s->port_count; i++) {
        struct endpoint *p = &s->ports[i].endpoint;
        motet_node *n = motet_network_at(s->network, s->ports[i].node);
        bool here = motet_network_alive(s->network, n);
        if (here && endpoint_has_input(p) && !endpoint_feed(p, n, &s->error))
            return false;
        if (p->output_count && !endpoint_flush(p, &s->error))
            return false;
    }
    return true;
}

static void run_network_close_ports(struct stage *s)
{
    for (size_t i = 0; i < s->port_count; i++)
        if (!endpoint_close(&s->ports[i].endpoint, &s->error))
            s->broken = true;
    terminal_restore();
}

/* ---- the loop ---- */

static bool all_ended(const struct stage *s)
{
    for (size_t i = 0; i < motet_network_count(s->network); i++)
        if (motet_node_exit(motet_network_at(s->network, i)) == MOTET_RUNNING)
            return false;
    return true;
}

/* A node has ended: the run goes on without it, unless it stopped at a fault or was the last. */
static bool goes_on(struct stage *s)
{
    for (size_t i = 0; i < motet_network_count(s->network); i++) {
        const motet_node *n = motet_network_at(s->network, i);
        if (motet_node_exit(n) == MOTET_EXIT_FAULT)
            s->faulted = true;
        if (motet_node_exit(n) == MOTET_EXIT_FIRMWARE && motet_node_exit_status(n))
            s->failed = true;
    }
    return !s->faulted && !all_ended(s);
}

static uint64_t run_network_next_stop(const struct stage *s, uint64_t now)
{
    bool input = s->port_count || s->o->realtime;
    uint64_t slice = input ? INPUT_SLICE : s->slice, to = (now / slice + 1) * slice;
    uint64_t act = s->scenario ? motet_scenario_next(s->scenario) : MOTET_NEVER;
    to = act < to ? act : to;
    to = s->stimulus < to ? s->stimulus : to;
    return to < s->until ? to : s->until;
}

/* All sleep for good, and nobody outside can wake them. */
static bool nothing_left(const struct stage *s)
{
    return !s->port_count && s->stimulus == MOTET_NEVER && motet_network_next(s->network) == MOTET_NEVER &&
           (!s->scenario || motet_scenario_next(s->scenario) == MOTET_NEVER);
}

/* At the end of a slice all nodes are brought up to its time, sleepers too: the fewer the better, as long as somebody
 * who looks on or interrupts does not wait. */
static void adapt_slice(struct stage *s, double seconds)
{
    if (seconds < 0.02 && s->slice < SLICE_MAX)
        s->slice *= 2;
    else if (seconds > 0.1 && s->slice > SLICE_MIN)
        s->slice /= 2;
}

/* Returns how the run ended, as the JSON names it. */
static const char *run_stage(struct stage *s)
{
    s->slice = SLICE_MIN;
    for (;;) {
        double before = pace_clock();
        uint64_t now = motet_network_now(s->network);
        if (terminal_interrupted())
            return "interrupted";
        if (s->scenario && motet_scenario_next(s->scenario) <= now && !motet_scenario_act(s->scenario, &s->error))
            return "error";
        if (s->scenario && motet_scenario_over(s->scenario))
            return "ended";
        s->stimulus = s->stimuli ? network_stimuli_apply(s->stimuli) : MOTET_NEVER;
        if (!run_network_exchange(s) || (s->stimuli && !network_stimuli_good(s->stimuli, &s->error)))
            return "error";
        if (now >= s->until)
            return "time";
        if (s->until == MOTET_NEVER && nothing_left(s))
            return "halt";
        enum motet_network_end end = motet_network_run(s->network, run_network_next_stop(s, now));
        lines_print(s->lines, false);
        if (!attached_good(s->attached, &s->error))
            return "error";
        if (attached_over(s->attached))
            return "script";
        adapt_slice(s, pace_clock() - before);
        if (end == MOTET_NETWORK_ENDED && !goes_on(s))
            return s->faulted ? "fault" : "exit";
        if (s->o->realtime)
            pace_hold(&s->pace, (double)motet_network_now(s->network) / 1e9);
    }
}

/* ---- the end ---- */

static void run_network_print_json(const struct stage *s, double seconds)
{
    char digest[MOTET_DIGEST_TEXT];
    unsigned long faults = 0;
    uint64_t instructions = 0;
    for (size_t i = 0; i < motet_network_count(s->network); i++) {
        faults += s->seats[i].faults;
        instructions += motet_node_instructions(motet_network_at(s->network, i));
    }
    motet_network_digest(s->network, digest);
    printf("{\"nodes\": %zu, \"seed\": %" PRIu64 ", \"time\": %.9f", motet_network_count(s->network), s->o->seed,
           (double)motet_network_now(s->network) / 1e9);
    printf(", \"wall_time\": %.6f, \"instructions\": %" PRIu64 ", \"transmissions\": %" PRIu64, seconds, instructions,
           motet_network_transmissions(s->network));
    printf(", \"digest\": \"%s\", \"exit_reason\": \"%s\", \"faults\": %lu, \"checks_failed\": %zu}\n", digest,
           s->reason, faults, s->checks_failed);
}

static void summarise(const struct stage *s, double seconds)
{
    double simulated = (double)motet_network_now(s->network) / 1e9;
    size_t nodes = motet_network_count(s->network);
    char digest[MOTET_DIGEST_TEXT];
    if (!s->o->quiet)
        fprintf(stderr, "motet: %s; %zu node%s, %.6f s simulated in %.3f s, %" PRIu64 " transmissions\n",
                s->faulted                         ? "stopped at the fault"
                : strcmp(s->reason, "time") == 0   ? "time limit reached"
                : strcmp(s->reason, "halt") == 0   ? "all nodes sleep for good"
                : strcmp(s->reason, "exit") == 0   ? "all nodes have ended"
                : strcmp(s->reason, "ended") == 0  ? "the scenario ended the run"
                : strcmp(s->reason, "script") == 0 ? "a script ended the run"
                                                   : s->reason,
                nodes, nodes == 1 ? "" : "s", simulated, seconds, motet_network_transmissions(s->network));
    if (s->o->digest) {
        motet_network_digest(s->network, digest);
        fprintf(stderr, "motet: digest %s\n", digest);
    }
}

static int run_network_exit_status(const struct stage *s)
{
    if (s->faulted)
        return STATUS_FAULT;
    if (s->failed || s->checks_failed)
        return STATUS_FIRMWARE;
    if (s->o->until_exit && strcmp(s->reason, "time") == 0) {
        complain("not all nodes had ended the run when the time was over");
        return STATUS_FIRMWARE;
    }
    return 0;
}

static int run_network_finish(struct stage *s, double seconds)
{
    if (strcmp(s->reason, "error") != 0 && !attached_end(s->attached, &s->error))
        s->broken = true;
    s->checks_failed += attached_failed(s->attached);
    lines_print(s->lines, true);
    run_network_close_ports(s);
    if (!motet_network_capture_end(s->network, &s->error))
        s->broken = true;
    if (!run_save_end(s->save, s->reason, &s->error))
        s->broken = true;
    if (s->broken || strcmp(s->reason, "error") == 0)
        return complain("%s", s->error.text);
    bool judged = s->scenario && !s->faulted && strcmp(s->reason, "interrupted") != 0;
    if (judged && !motet_scenario_check(s->scenario, &s->checks_failed, &s->error)) {
        if (!s->checks_failed)
            return complain("%s", s->error.text);
        fprintf(stderr, "%s", s->error.text);
    }
    for (size_t i = 0; i < s->o->node_flash_count; i++) {
        const motet_node *n = motet_network_node(s->network, s->o->node_flash[i].id);
        if (n && !run_save_flash(s->o, n, s->o->node_flash[i].id, &s->error))
            return complain("%s", s->error.text);
    }
    summarise(s, seconds);
    if (!motet_monitors_write(s->o->monitors, stdout, s->o->json, &s->error))
        return complain("%s", s->error.text);
    if (s->o->json)
        run_network_print_json(s, seconds);
    return run_network_exit_status(s);
}

static bool check_options(const struct run_options *o, struct motet_error *e)
{
    for (unsigned i = 0; i < RUN_LINES; i++)
        if (o->serial[i])
            return sentence(e, "--serial: in a network say which node's port it is, such as 0:%u=%s", i, o->serial[i]);
    if (o->limited && o->limit.in_ticks)
        return sentence(e, "--for: nodes have ticks of their own; give a time such as 10s");
    return true;
}

/* What can be wrong with options about the nodes there are, before anything is written. */
static bool check_nodes(struct stage *s)
{
    const struct run_options *o = s->o;
    for (size_t i = 0; i < o->node_trace_count; i++)
        if (!motet_network_node(s->network, o->node_trace[i].id))
            return sentence(&s->error, "--trace: there is no node %" PRIu32, o->node_trace[i].id);
    return check_ports(s) && (!o->stimulated || (s->stimuli = network_stimuli_new(s->o, s->network, &s->error)));
}

static void run_network_script_said(void *context, const motet_node *n, uint64_t tick, const char *line)
{
    char text[4096];
    snprintf(text, sizeof text, "%" PRIu32 ": %s\n", motet_node_id(n), line);
    run_network_say(context, n, tick, text);
}

static bool run_network_attach(struct stage *s)
{
    s->attached = attached_new(&s->o->attachments, &s->error);
    for (size_t i = 0; s->attached && i < motet_network_count(s->network); i++)
        if (!attached_add(s->attached, motet_network_at(s->network, i), run_network_script_said, &s->seats[i],
                          &s->error))
            return false;
    return s->attached != NULL;
}

/* Whoever runs TinyOS's main.ihex wonders why all nodes say that they are node 1. */
static void tell_of_ids(const struct stage *s)
{
    struct motet_symbol any;
    if (!s->o->quiet && s->machine && motet_network_count(s->network) > 1 && !motet_machine_symbol(s->machine, 0, &any))
        fprintf(stderr,
                "motet: %s has no symbols, so every node has the id that it was built with; give the ELF file (TinyOS "
                "calls it main.exe, Contiki NAME.sky)\n",
                s->o->file);
}

static int play(struct stage *s)
{
    if (s->o->limited)
        s->until = s->o->limit.nanoseconds;
    if (!check_nodes(s) || !motet_monitors_attach_network(s->o->monitors, s->network, &s->error))
        return complain("%s", s->error.text);
    if (s->o->pcap && !motet_network_capture(s->network, s->o->pcap, &s->error))
        return complain("--pcap: %s", s->error.text);
    if (s->o->save && !(s->save = motet_save_network(s->network, s->o->save, &s->error)))
        return complain("--save: %s", s->error.text);
    if (s->save)
        run_save_begin(s->save, s->o);
    terminal_catch_signals();
    run_network_watch_nodes(s);
    if (!run_network_attach(s))
        return complain("%s", s->error.text);
    if (!run_network_open_ports(s)) {
        char why[sizeof s->error.text];
        memcpy(why, s->error.text, sizeof why);
        run_network_close_ports(s);
        motet_save_abandon(s->save);
        return complain("%s", why);
    }
    tell_of_ids(s);
    s->started = pace_clock();
    pace_begin(&s->pace);
    s->reason = run_stage(s);
    return run_network_finish(s, pace_clock() - s->started);
}

static void run_network_clear(struct stage *s)
{
    attached_free_scripts(s->attached);
    network_stimuli_free(s->stimuli);
    free(s->ports);
    free(s->seats);
    lines_free(s->lines);
}

int run_network(struct run_options *o, const motet_machine *m)
{
    struct stage s = {.o = o, .machine = m, .until = MOTET_NEVER};
    if (!check_options(o, &s.error) || !(s.network = topology_build(&o->topology, m, o->seed, o->threads, &s.error)))
        return complain("%s", s.error.text);
    int status = play(&s);
    run_network_clear(&s);
    motet_network_free(s.network);
    attached_free(s.attached);
    return status;
}

int run_scenario(struct run_options *o)
{
    struct stage s = {.o = o};
    const struct topology *t = &o->topology;
    if (o->stimulated)
        return complain("%s says for itself what is on pins and inputs; see drive and analog there", o->file);
    const struct motet_options *m = &o->machine;
    if (m->board || m->hz || m->fuses[0] >= 0 || m->fuses[1] >= 0 || m->fuses[2] >= 0 || m->lock >= 0)
        return complain("%s says for itself which boards there are; no options about them go with it", o->file);
    if (topology_is_network(t) || t->said || t->variable_count)
        return complain("%s says for itself which nodes, links, media and variables there are", o->file);
    if (!check_options(o, &s.error) || !(s.scenario = motet_scenario_load(o->file, o->seed, o->threads, &s.error)))
        return complain("%s", s.error.text);
    s.network = motet_scenario_network(s.scenario);
    s.until = motet_scenario_until(s.scenario);
    int status = s.until == MOTET_NEVER && !o->limited
                     ? complain("%s does not say how long to run; call run_for, or give --for", o->file)
                     : play(&s);
    run_network_clear(&s);
    motet_scenario_free(s.scenario);
    attached_free(s.attached);
    return status;
}
