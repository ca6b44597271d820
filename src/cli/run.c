/* motet run: one node, its serial ports connected, until it ends. */
#include "memory.h"
#include "run.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "endpoint.h"
#include "option.h"
#include "pace.h"
#include "sentence.h"
#include "terminal.h"
#include "trace.h"

enum {
    INPUT_WINDOWS = 1000, /* a simulated second: how often input is offered to the node */
    IDLE_WINDOWS = 10,    /* a simulated second: how often to look up where there is no input */
    SEEN_FAULTS = 64,
};

struct run {
    const struct run_options *o;
    struct stimulus *stimulus;
    struct attached *attached;
    motet_node *node;
    motet_save *save; /* or NULL */
    uint64_t hz, until;
    struct endpoint ports[RUN_LINES];
    struct endpoint *last_standard; /* who wrote to standard output last */
    struct motet_error error;
    struct run_result result;
    double started, flushed, shown;
    struct pace pace;
    bool progress, progress_printed;
    struct {
        uint32_t pc;
        enum motet_fault_kind kind;
    } seen[SEEN_FAULTS];
    unsigned seen_count;
};

/* ---- output ---- */

static void clear_progress(struct run *r)
{
    if (r->progress_printed)
        fprintf(stderr, "\r\033[K");
    r->progress_printed = false;
}

/* Everything sent so far gets out before something is said on standard error. */
static void before_speaking(struct run *r)
{
    clear_progress(r);
    for (unsigned i = 0; i < RUN_LINES; i++)
        if (!endpoint_flush(&r->ports[i], &r->error))
            r->result.reason = RUN_BROKEN;
}

static void break_line(struct run *r)
{
    bool open = r->last_standard && r->last_standard->last != '\n' && r->last_standard->last >= 0;
    if (open && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO))
        fputc('\n', stderr);
}

static void show_progress(struct run *r, double now)
{
    if (!r->progress || now - r->shown < 0.25)
        return;
    double simulated = (double)motet_node_now(r->node) / (double)r->hz;
    r->shown = now;
    r->progress_printed = true;
    fprintf(stderr, "\r\033[Kmotet: %.1f s simulated, %.1f times as fast as real time", simulated,
            simulated / (now - r->started));
    fflush(stderr);
}

/* ---- what the node does ---- */

static void run_say(struct run *r, const char *text)
{
    if (!*text)
        return;
    before_speaking(r);
    fputs(text, stderr);
}

static void run_on_pin(void *context, const motet_node *n, uint64_t tick, unsigned pin, bool level)
{
    struct run *r = context;
    char text[TRACE_TEXT];
    trace_pin(text, r->o->trace, trace_alone(n, tick), pin, level);
    run_say(r, text);
}

static void run_on_serial(void *context, const motet_node *n, uint64_t tick, unsigned line, unsigned frame)
{
    struct run *r = context;
    struct endpoint *p = line < RUN_LINES ? &r->ports[line] : NULL;
    char text[TRACE_TEXT];
    trace_serial(text, r->o->trace, trace_alone(n, tick), line, frame);
    run_say(r, text);
    if (!p || frame & MOTET_FRAME_BREAK)
        return;
    if (p->standard && r->last_standard != p) {
        if (r->last_standard)
            before_speaking(r);
        r->last_standard = p;
    }
    endpoint_put(p, (uint8_t)frame);
}

static void run_on_reset(void *context, const motet_node *n, uint64_t tick, const char *cause)
{
    struct run *r = context;
    char text[TRACE_TEXT];
    trace_reset(text, r->o->trace, trace_alone(n, tick), cause);
    run_say(r, text);
}

/* A warning is given once for each place. */
static bool seen_before(struct run *r, const struct motet_fault *f)
{
    for (unsigned i = 0; i < r->seen_count; i++)
        if (r->seen[i].pc == f->pc && r->seen[i].kind == f->kind)
            return true;
    if (r->seen_count == SEEN_FAULTS)
        return true;
    r->seen[r->seen_count].pc = f->pc;
    r->seen[r->seen_count++].kind = f->kind;
    return false;
}

static void run_on_fault(void *context, const motet_node *n, const struct motet_fault *f)
{
    struct run *r = context;
    char text[8192];
    struct colours c = terminal_colours();
    r->result.faults++;
    if (seen_before(r, f))
        return;
    before_speaking(r);
    break_line(r);
    motet_node_explain(n, f, text, sizeof text);
    size_t title = strcspn(text, "\n");
    fprintf(stderr, "motet: %s%.*s%s%s", c.bad, (int)title, text, c.off, text + title);
}

/* ---- the loop ---- */

static bool has_input(const struct run *r, bool paced_only)
{
    for (unsigned i = 0; i < RUN_LINES; i++)
        if (endpoint_has_input(&r->ports[i]) && (!paced_only || r->ports[i].paced))
            return true;
    return false;
}

static bool run_exchange(struct run *r)
{
    double now = pace_clock();
    bool flush = r->o->realtime || now - r->flushed > 0.02;
    for (unsigned i = 0; i < RUN_LINES; i++) {
        struct endpoint *p = &r->ports[i];
        if (endpoint_has_input(p) && !endpoint_feed(p, r->node, &r->error))
            return false;
        if (flush && p->output_count && !endpoint_flush(p, &r->error))
            return false;
    }
    if (flush)
        r->flushed = now;
    show_progress(r, now);
    return true;
}

/* Asleep with nothing pending: only somebody at the other end of a port can go on. */
static void wait_for_input(struct run *r)
{
    struct pollfd fds[RUN_LINES];
    nfds_t count = 0;
    for (unsigned i = 0; i < RUN_LINES; i++) {
        if (!endpoint_flush(&r->ports[i], &r->error))
            r->result.reason = RUN_BROKEN;
        if (r->ports[i].in >= 0)
            fds[count++] = (struct pollfd){.fd = r->ports[i].in, .events = POLLIN};
    }
    poll(fds, count, 100);
}

/* How far to run before looking up again. Windows begin at fixed ticks, whatever happened before; those in which
 * nothing can happen are passed at once. `change` is when a pin is driven next. */
static uint64_t stretch_end(struct run *r, uint64_t change)
{
    uint64_t now = motet_node_now(r->node), next = motet_node_next(r->node);
    bool input = has_input(r, false), idle = !input && !r->o->realtime;
    bool for_good = next == MOTET_NEVER && change == MOTET_NEVER;
    uint64_t window = r->hz / (idle ? IDLE_WINDOWS : INPUT_WINDOWS);
    uint64_t from = idle && next != MOTET_NEVER ? next : now;
    uint64_t end = idle && for_good ? r->until : (from / window + 1) * window;
    if (for_good && r->until == MOTET_NEVER && !r->o->realtime && has_input(r, true))
        wait_for_input(r);
    end = end < change ? end : change;
    return end < r->until ? end : r->until;
}

static enum run_reason reason_of(enum motet_exit e)
{
    return e == MOTET_EXIT_FAULT ? RUN_FAULT : e == MOTET_EXIT_FIRMWARE ? RUN_FIRMWARE : RUN_HALT;
}

static enum run_reason run_node(struct run *r)
{
    for (;;) {
        uint64_t change = stimulus_apply(r->stimulus, r->node);
        if (terminal_interrupted())
            return RUN_INTERRUPTED;
        if (r->stimulus->failed) {
            r->error = r->stimulus->error;
            return RUN_BROKEN;
        }
        if (!run_exchange(r) || r->result.reason == RUN_BROKEN)
            return RUN_BROKEN;
        if (motet_node_now(r->node) >= r->until)
            return RUN_TIME;
        enum motet_exit e = motet_node_run(r->node, stretch_end(r, change));
        if (!attached_good(r->attached, &r->error))
            return RUN_BROKEN;
        if (attached_over(r->attached))
            return RUN_ENOUGH;
        if (e != MOTET_RUNNING && e != MOTET_STOPPED)
            return reason_of(e);
        if (r->o->realtime)
            pace_hold(&r->pace, (double)motet_node_now(r->node) / (double)r->hz);
    }
}

/* ---- before and after ---- */

static bool run_open_ports(struct run *r, const motet_machine *m)
{
    const struct run_options *o = r->o;
    unsigned terminal = motet_machine_terminal(m);
    bool stdio_taken = false;
    for (unsigned i = 0; i < RUN_LINES; i++) {
        r->ports[i] = (struct endpoint){.line = i, .in = -1, .out = -1, .listener = -1, .last = -1};
        stdio_taken |= i != terminal && o->serial[i] && strcmp(o->serial[i], "stdio") == 0;
    }
    for (unsigned i = 0; i < RUN_LINES; i++) {
        const char *spec = o->serial[i];
        if (spec && i != MOTET_CONSOLE && !motet_machine_has_serial(m, i))
            return sentence(&r->error, "--serial: %s has no serial port %u", motet_machine_chip(m), i);
        if (spec && !endpoint_check_files(NULL, i, spec, &r->error))
            return false;
    }
    for (unsigned i = 0; i < RUN_LINES; i++) {
        const char *spec = o->serial[i];
        if (!spec && i == terminal)
            spec = stdio_taken && !o->serial[MOTET_CONSOLE] ? "null" : "stdio";
        if (!spec && i == MOTET_CONSOLE)
            spec = "stdio";
        if (spec && !endpoint_open(&r->ports[i], NULL, i, spec, o->quiet, &r->error))
            return false;
    }
    if (!motet_machine_has_serial(m, terminal))
        r->ports[terminal].in = -1; /* nobody there to read standard input */
    for (unsigned i = 0; i < RUN_LINES; i++)
        if (!endpoint_wait(&r->ports[i], &r->error))
            return false;
    return true;
}

static void run_close_ports(struct run *r)
{
    for (unsigned i = 0; i < RUN_LINES; i++)
        if (!endpoint_close(&r->ports[i], &r->error))
            r->result.reason = RUN_BROKEN;
    terminal_restore();
}

static int run_exit_status(const struct run *r)
{
    switch (r->result.reason) {
    case RUN_FAULT: return STATUS_FAULT;
    case RUN_BROKEN: return STATUS_USAGE;
    default: break;
    }
    if (attached_failed(r->attached))
        return STATUS_FIRMWARE;
    switch (r->result.reason) {
    case RUN_FIRMWARE: return motet_node_exit_status(r->node) ? STATUS_FIRMWARE : 0;
    case RUN_TIME: return r->o->until_exit ? STATUS_FIRMWARE : 0;
    default: return 0;
    }
}

static int run_finish(struct run *r)
{
    clear_progress(r);
    if (r->result.reason != RUN_BROKEN && !attached_end(r->attached, &r->error))
        r->result.reason = RUN_BROKEN;
    run_close_ports(r);
    if (!run_save_end(r->save, run_reason_name(r->result.reason), &r->error))
        r->result.reason = RUN_BROKEN;
    if (r->result.reason == RUN_BROKEN)
        return complain("%s", r->error.text);
    break_line(r);
    if (r->result.reason == RUN_TIME && r->o->until_exit)
        complain("the firmware had not ended the run when the time was over");
    if (!run_save_flash(r->o, r->node, 0, &r->error))
        return complain("%s", r->error.text);
    run_summarise(r->o, r->node, &r->result);
    if ((r->o->json || motet_monitors_count(r->o->monitors)) && r->last_standard && r->last_standard->last != '\n')
        putchar('\n');
    if (!motet_monitors_write(r->o->monitors, stdout, r->o->json, &r->error))
        return complain("%s", r->error.text);
    if (r->o->json)
        run_json(r->o, r->node, &r->result);
    return run_exit_status(r);
}

static void set_up_node(struct run *r)
{
    const struct run_options *o = r->o;
    struct motet_observer observer = {
        .context = r,
        .pin = o->trace & (TRACE_LEDS | TRACE_PINS) ? run_on_pin : NULL,
        .serial = run_on_serial,
        .fault = run_on_fault,
        .reset = o->trace & TRACE_RESETS ? run_on_reset : NULL,
    };
    for (unsigned i = 0; i < MOTET_FAULT_KINDS; i++)
        motet_node_on_fault(r->node, (enum motet_fault_kind)i, o->on_fault[i]);
    motet_node_observe(r->node, &observer);
    stimulus_connect(r->stimulus, r->node);
}

static void run_script_said(void *context, const motet_node *n, uint64_t tick, const char *line)
{
    struct run *r = context;
    (void)n, (void)tick;
    clear_progress(r);
    break_line(r);
    fprintf(stderr, "%s\n", line);
}

static int run_machine(struct run_options *o, const motet_machine *m)
{
    static struct run r; /* large, and there is one run a process */
    r = (struct run){.o = o, .stimulus = &o->stimulus, .hz = motet_machine_hz(m)};
    r.until = o->limited ? motet_span_ticks(&o->limit, r.hz) : MOTET_NEVER;
    r.progress = !o->quiet && isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
    if (!stimulus_prepare(r.stimulus, m, r.hz, &r.error))
        return complain("%s", r.error.text);
    terminal_catch_signals();
    setvbuf(stderr, NULL, _IOLBF, 0); /* a write for each line of a trace, not for each piece of it */
    if (!run_open_ports(&r, m)) {
        char why[sizeof r.error.text];
        memcpy(why, r.error.text, sizeof why);
        run_close_ports(&r);
        return complain("%s", why);
    }
    r.node = motet_node_new(m, 0, o->seed);
    const char *option = "--set";
    bool good = topology_set(&o->topology, r.node, &r.error);
    if (good && o->save) {
        option = "--save";
        r.save = motet_save_node(r.node, o->save, &r.error);
        good = r.save != NULL;
    }
    if (!good) {
        run_close_ports(&r);
        motet_node_free(r.node);
        return complain("%s: %s", option, r.error.text);
    }
    if (r.save)
        run_save_begin(r.save, o);
    set_up_node(&r);
    r.attached = attached_new(&o->attachments, &r.error);
    if (!r.attached || !attached_add(r.attached, r.node, run_script_said, &r, &r.error) ||
        !motet_monitors_attach(o->monitors, r.node, &r.error)) {
        char why[sizeof r.error.text];
        memcpy(why, r.error.text, sizeof why);
        run_close_ports(&r);
        attached_free_scripts(r.attached);
        motet_node_free(r.node);
        attached_free(r.attached);
        return complain("%s", why);
    }
    r.started = r.shown = r.flushed = pace_clock();
    pace_begin(&r.pace);
    enum run_reason reason = run_node(&r);
    r.result.reason = r.result.reason == RUN_BROKEN ? RUN_BROKEN : reason;
    r.result.wall_seconds = pace_clock() - r.started;
    int status = run_finish(&r);
    attached_free_scripts(r.attached);
    motet_node_free(r.node);
    attached_free(r.attached);
    return status;
}

static bool is_scenario(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".lua") == 0;
}

static int run_file(struct run_options *o)
{
    struct motet_error e = {""};
    if (is_scenario(o->file))
        return run_scenario(o);
    if (!topology_is_network(&o->topology) && (o->pcap || o->for_node || o->topology.said))
        return complain("--pcap, --link, --medium, --noise, --loss, --boot, --drift and what begins with NODE: are for "
                        "networks; say how many nodes with --nodes");
    motet_machine *m = motet_machine_load(o->file, &o->machine, &e);
    int status = !m                                  ? complain("%s", e.text)
                 : topology_is_network(&o->topology) ? run_network(o, m)
                                                     : run_machine(o, m);
    motet_machine_free(m);
    return status;
}

static char *joined(int argc, char **argv)
{
    size_t size = sizeof "motet run";
    for (int i = 0; i < argc; i++)
        size += strlen(argv[i]) + 1;
    char *text = cli_array(size, 1);
    size_t used = (size_t)sprintf(text, "motet run");
    for (int i = 0; i < argc; i++)
        used += (size_t)sprintf(text + used, " %s", argv[i]);
    return text;
}

static int run_run(const struct verb *v, int argc, char **argv)
{
    char *command = joined(argc, argv);
    struct run_options o = {.machine = MOTET_OPTIONS_DEFAULT, .command = command, .monitors = motet_monitors_new()};
    int status;
    topology_init(&o.topology);
    if (options_parse(v, argc, argv, &o, &o.file, 1, &status))
        status = run_file(&o);
    stimulus_free(&o.stimulus);
    for (size_t i = 0; i < o.node_stimulus_count; i++)
        stimulus_free(&o.node_stimulus[i].stimulus);
    free(o.node_stimulus);
    free(o.node_trace);
    free(o.node_flash);
    topology_free(&o.topology);
    free(o.node_serial);
    free(command);
    attachments_free(&o.attachments);
    motet_monitors_free(o.monitors);
    return status;
}

extern const struct verb verb_run;
const struct verb verb_run = {
    .name = "run",
    .operands = "FILE",
    .about = "run a firmware",
    .more =
        "Runs a firmware (ELF, Intel HEX or S-records) on a simulated board, cycle by cycle, until it ends, the time "
        "is over or "
        "Ctrl-C. What the firmware sends over the board's terminal port goes to standard output; everything else goes "
        "to standard error. With --nodes or --topology it runs a network of nodes with that firmware; a file whose "
        "name ends in .lua is a scenario and says for itself what to run.",
    .options = run_options,
    .aliases = run_aliases,
    .run = run_run,
};
