/* motet run: firmware on one node or many, its ports connected, until it ends. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "pace.h"
#include "sentence.h"
#include "stage.h"
#include "stores.h"
#include "terminal.h"

/* ---- the end ---- */

static bool run_failed(const struct stage *s)
{
    for (size_t i = 0; i < motet_network_count(s->network); i++) {
        const motet_node *n = motet_network_at(s->network, i);
        if (motet_node_exit(n) == MOTET_EXIT_FIRMWARE && motet_node_exit_status(n))
            return true;
    }
    return false;
}

static int run_exit_status(const struct stage *s, const struct result *r)
{
    bool too_late = r->reason == RUN_TIME && s->o->until_exit;
    if (r->reason == RUN_FAULT)
        return STATUS_FAULT;
    return r->checks_failed || run_failed(s) || too_late ? STATUS_FIRMWARE : 0;
}

/* The scenario's checks: those that failed are no error of the run. Those at the end are not for a run that was broken
 * off. */
static bool run_check(struct stage *s, struct result *r)
{
    size_t failed = 0;
    bool broken_off = r->reason == RUN_FAULT || r->reason == RUN_INTERRUPTED;
    if (!s->scenario || (broken_off ? motet_scenario_failed(s->scenario, &failed, &s->error)
                                    : motet_scenario_check(s->scenario, &failed, &s->error)))
        return true;
    r->checks_failed += failed;
    if (failed)
        fprintf(stderr, "%s", s->error.text);
    return failed > 0;
}

/* A capture without frames although radios were sending. */
static void run_say_empty_capture(const struct stage *s)
{
    uint64_t count = motet_network_capture_empty(s->network);
    if (count)
        complain("--pcap: %s has no frames, since none of the transmissions (%" PRIu64
                 ") has a format that Motet knows: "
                 "IEEE 802.15.4, or the kit's or TinyOS's on a CC1000",
                 s->o->pcap, count);
}

/* Closes everything that is open, also after errors; the first error is the one reported. */
static bool run_close(struct stage *s, struct result *r)
{
    struct motet_error later;
    bool good = r->reason != RUN_BROKEN;
    if (good)
        good = attached_end(s->attached, &s->error);
    r->checks_failed = s->attached ? attached_failed(s->attached) : 0;
    if (s->lines)
        show_pending(s, true);
    show_progress_end(s);
    good &= ports_close(s->ports, good ? &s->error : &later);
    terminal_restore();
    run_say_empty_capture(s);
    good &= motet_network_capture_end(s->network, good ? &s->error : &later);
    r->reason = good ? r->reason : RUN_BROKEN;
    good &= run_save_end(s->save, r->reason, good ? &s->error : &later);
    s->save = NULL;
    return good;
}

static int run_finish(struct stage *s, struct result *r)
{
    struct run_options *o = s->o;
    if (!run_close(s, r) || !run_check(s, r))
        return complain("%s", s->error.text);
    show_line_end(s);
    if (r->reason == RUN_TIME && o->until_exit)
        complain(motet_network_count(s->network) > 1 ? "not all nodes had ended the run when the time was over"
                                                     : "the firmware had not ended the run when the time was over");
    if (!stores_save(o, s->network, &s->error))
        return complain("%s", s->error.text);
    summary_print(s, r);
    if ((o->json || motet_monitors_count(o->monitors)) && ports_within_line(s->ports))
        putchar('\n');
    if (!motet_monitors_write(o->monitors, stdout, o->json, &s->error))
        return complain("%s", s->error.text);
    if (o->json)
        summary_json(s, r);
    int status = run_exit_status(s, r);
    return run_junit_write(s, r, status) ? status : complain("%s", s->error.text);
}

/* ---- the beginning ---- */

/* All nodes of a firmware without symbols keep the same id. */
static void run_warn_of_ids(const struct stage *s)
{
    struct motet_symbol any;
    if (!s->o->quiet && s->machines && motet_network_count(s->network) > 1 &&
        !motet_machine_symbol(motet_node_machine(motet_network_at(s->network, 0)), 0, &any))
        fprintf(stderr,
                "motet: %s has no symbols, so every node has the id that it was built with; give the ELF file (TinyOS "
                "calls it main.exe, Contiki NAME.sky)\n",
                s->o->file);
}

static bool run_begin(struct stage *s)
{
    struct run_options *o = s->o;
    if (s->scenario && s->until == MOTET_NEVER)
        return sentence(&s->error, "%s does not say how long to run; call run_for, or give --for", o->file);
    terminal_catch_signals();
    setvbuf(stderr, NULL, _IOLBF, 0); /* a write for each line of a trace, not for each piece of it */
    stage_observe(s);
    if (!stage_attach(s) || !ports_open(s->ports, o->quiet, &s->error))
        return false;
    run_warn_of_ids(s);
    s->progress = !o->quiet && isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
    return true;
}

int run_file(struct run_options *o, void (*over)(void *context, const struct stage *s, int status), void *context)
{
    struct stage s;
    struct result r = {.reason = RUN_BROKEN};
    int status;
    if (!stage_load(&s, o, !o->view)) {
        status = complain("%s", s.error.text);
    } else if (!run_begin(&s)) {
        run_close(&s, &r);
        status = complain("%s", s.error.text);
    } else {
        s.started = s.progress_at = pace_clock();
        r.reason = loop_run(&s);
        r.wall_seconds = pace_clock() - s.started;
        status = run_finish(&s, &r);
    }
    if (over)
        over(context, &s, status);
    stage_free(&s);
    return status;
}

static char *run_joined(int argc, char **argv)
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
    char *command = run_joined(argc, argv);
    struct run_options o;
    int status;
    run_options_init(&o);
    o.command = command;
    if (options_parse(v, argc, argv, &o, &o.file, 1, &status))
        status = run_file(&o, NULL, NULL);
    run_options_free(&o);
    free(command);
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
        "to standard error. With --nodes or --topology several nodes run that firmware; a file whose name ends in .lua "
        "is a scenario and says for itself what to run. An option about a node takes the prefix NODE: with its id, or "
        "*: for every node.",
    .options = run_options,
    .aliases = run_aliases,
    .run = run_run,
};
