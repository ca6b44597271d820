/* motet sweep: many runs of a scenario, over seeds and parameters, and a table of what they report. */
#include "motet/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json.h"
#include "memory.h"
#include "pace.h"
#include "ranked.h"
#include "sentence.h"
#include "stage.h"
#include "terminal.h"

enum { SWEEP_KEPT = 10, SWEEP_SAID = 4096, SWEEP_WORKERS = 1024 };

struct sweep_options {
    struct run_options run; /* what all runs have in common */
    const char *seeds;
    const char **with, **plots;
    size_t with_count, plot_count;
    const char *table, *keep, *resume;
    unsigned workers;

    motet_sweep *sweep;
    FILE *journal; /* --resume: takes each answer */
    bool keeping;  /* the jobs are runs that failed, in turn: */
    size_t *kept;
    size_t kept_count;
    size_t done, failed;
    double begun;
    bool shown, broken;
    struct motet_error error;
};

/* ---- options ---- */

static bool sweep_set_seeds(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct sweep_options *)into)->seeds = text;
    return true;
}

static bool sweep_set_with(void *into, const char *text, struct motet_error *e)
{
    struct sweep_options *o = into;
    (void)e;
    o->with = cli_one_more(o->with, o->with_count, sizeof *o->with);
    o->with[o->with_count++] = text;
    return true;
}

static bool sweep_set_plot(void *into, const char *text, struct motet_error *e)
{
    struct sweep_options *o = into;
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return sentence(e, "%s is not of the form REPORT=FILE", text);
    o->plots = cli_one_more(o->plots, o->plot_count, sizeof *o->plots);
    o->plots[o->plot_count++] = text;
    return true;
}

static bool sweep_set_table(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct sweep_options *)into)->table = text;
    return true;
}

static bool sweep_set_keep(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct sweep_options *)into)->keep = text;
    return true;
}

static bool sweep_set_resume(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct sweep_options *)into)->resume = text;
    return true;
}

static bool sweep_set_workers(void *into, const char *text, struct motet_error *e)
{
    uint64_t count;
    if (!motet_read_number(text, SWEEP_WORKERS, &count, e))
        return false;
    ((struct sweep_options *)into)->workers = (unsigned)count;
    return count > 0 || sentence(e, "there must be a worker");
}

static const struct option sweep_options[] = {
    {"seeds", "FIRST..LAST", "runs with each of these seeds, or with COUNT of them from 1 on; by default 1..10",
     sweep_set_seeds},
    {"with", "NAME=VALUE,...",
     "runs with each of these values of a parameter, for which the scenario asks by parameter(NAME, default). May be "
     "given many times: then with all combinations",
     sweep_set_with},
    {"workers", "N", "runs at once, by default one for each processor; the table does not depend on it",
     sweep_set_workers},
    {"table", "FILE", "writes a row for each run: CSV, or JSON lines where the name ends in .json or .jsonl",
     sweep_set_table},
    {"plot", "REPORT=FILE",
     "draws one report as SVG: its mean with a confidence of 95 % over the first parameter that has numbers, or its "
     "distribution. May be given many times",
     sweep_set_plot},
    {"keep", "FOLDER",
     "saves the first 10 runs that failed here, for motet open and motet debug; by default in failed-runs, which is "
     "made only then",
     sweep_set_keep},
    {"resume", "FILE",
     "notes each run in this file as it ends, and does not do those again that it has: after an interruption the same "
     "command goes on",
     sweep_set_resume},
    {NULL, NULL, NULL, NULL},
};

static bool sweep_plan(struct sweep_options *o)
{
    const char *text = o->seeds ? o->seeds : "1..10", *dots = strstr(text, "..");
    char first[24] = "1";
    uint64_t from, to;
    struct motet_error why;
    if (dots && (size_t)(dots - text) < sizeof first)
        snprintf(first, sizeof first, "%.*s", (int)(dots - text), text);
    if (!motet_read_number(first, UINT64_MAX, &from, &why) ||
        !motet_read_number(dots ? dots + 2 : text, UINT64_MAX, &to, &why))
        return sentence(&o->error, "--seeds: %.1000s", why.text);
    if (to < from || to - from >= 10000000)
        return sentence(&o->error, "--seeds: %s is not a range of 1 to 10000000 seeds", text);
    o->sweep = motet_sweep_new(from, to);
    for (size_t i = 0; i < o->with_count; i++)
        if (!motet_sweep_vary(o->sweep, o->with[i], &why))
            return sentence(&o->error, "--with: %.1000s", why.text);
    return true;
}

/* ---- one run, in a process of its own ---- */

static void sweep_prepare(struct sweep_options *o, size_t run)
{
    struct run_options *r = &o->run;
    r->seed = motet_sweep_seed(o->sweep, run);
    r->quiet = true;
    r->threads = 1;
    for (size_t i = 0; i < motet_sweep_parameters(o->sweep); i++) {
        struct motet_scenario_parameter p = motet_sweep_parameter(o->sweep, run, i);
        run_add_parameter(r, p.name, strlen(p.name), p.value);
    }
}

struct sweep_child {
    FILE *answer, *said;
};

/* What the run said on standard error belongs to its answer: the first of it. */
static void sweep_over(void *context, const struct stage *s, int status)
{
    struct sweep_child *c = context;
    char said[SWEEP_SAID] = "";
    if (terminal_interrupted()) /* before it began: it is left to the next time */
        return;
    fflush(stderr);
    rewind(c->said);
    said[fread(said, 1, sizeof said - 1, c->said)] = 0;
    motet_sweep_answer(c->answer, status, s->scenario, said);
}

static void sweep_one(void *context, size_t number, FILE *answer)
{
    struct sweep_options *o = context;
    struct sweep_child child = {.answer = answer, .said = tmpfile()};
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    char path[4096];
    if (!child.said || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0 ||
        dup2(fileno(child.said), STDERR_FILENO) < 0)
        return;
    if (o->keeping) {
        number = o->kept[number];
        snprintf(path, sizeof path, "%s/run-%zu.motet", o->keep, number);
        o->run.save = path;
    }
    sweep_prepare(o, number);
    o->run.json = false;
    o->run.junit = NULL; /* the sweep's */
    run_file(&o->run, sweep_over, &child);
}

/* ---- what comes of them ---- */

static bool sweep_wanted(void *context, size_t number)
{
    return !motet_sweep_has(((struct sweep_options *)context)->sweep, number);
}

static void sweep_note(struct sweep_options *o, size_t number, const char *answer, size_t size)
{
    if (!o->journal)
        return;
    fprintf(o->journal, "run %zu %zu\n", number, size);
    fwrite(answer, 1, size, o->journal);
    if (fflush(o->journal) != 0 && !o->broken)
        o->broken = !sentence(&o->error, "cannot write %s: %s", o->resume, strerror(errno));
}

static void sweep_done(void *context, size_t number, const char *answer, size_t size, int signal)
{
    struct sweep_options *o = context;
    char text[128];
    if (!signal && !size && terminal_interrupted())
        return;
    if (!answer || !motet_sweep_take(o->sweep, number, answer, size)) {
        size = (size_t)snprintf(text, sizeof text, "status %d\nsaid\nmotet: the run %s (%d)\n", STATUS_FAULT,
                                signal ? "was killed by a signal" : "ended without an answer", signal);
        answer = text;
        motet_sweep_take(o->sweep, number, answer, size);
    }
    sweep_note(o, number, answer, size);
    o->done++;
    o->failed += motet_sweep_failed(o->sweep, number);
}

static void sweep_show(struct sweep_options *o)
{
    double took = pace_clock() - o->begun, speed = took > 0 ? (double)o->done / took : 0;
    size_t count = motet_sweep_count(o->sweep), left = 0;
    for (size_t i = 0; i < count; i++)
        left += !motet_sweep_has(o->sweep, i);
    fprintf(stderr, "\r\033[K%zu of %zu runs, %zu failed, %.1f runs/s", count - left, count, o->failed, speed);
    if (speed > 0)
        fprintf(stderr, ", about %.0f s left", (double)left / speed);
    o->shown = true;
}

static bool sweep_stop(void *context)
{
    struct sweep_options *o = context;
    if (!o->run.quiet && isatty(STDERR_FILENO))
        sweep_show(o);
    return o->broken || terminal_interrupted();
}

/* ---- going on after an interruption ---- */

/* What the sweep is of: the scenario's nodes at the beginning, the seeds and parameters. */
static char *sweep_identity(const struct sweep_options *o, const char *digest)
{
    size_t count = motet_sweep_count(o->sweep), size = 256;
    for (size_t i = 0; i < o->with_count; i++)
        size += strlen(o->with[i]) + 2;
    char *text = cli_array(size, 1);
    size_t used = (size_t)snprintf(text, size, "motet sweep %s %s seeds %" PRIu64 "..%" PRIu64, MOTET_VERSION, digest,
                                   motet_sweep_seed(o->sweep, 0), motet_sweep_seed(o->sweep, count - 1));
    if (o->run.limited)
        used += (size_t)snprintf(text + used, size - used, " for %" PRIu64, o->run.limit.nanoseconds);
    for (size_t i = 0; i < o->with_count; i++)
        used += (size_t)snprintf(text + used, size - used, " %s", o->with[i]);
    return text;
}

/* Takes what the file has. Its last answer may have been cut off: it is left out, and `whole` says where it begins. */
static bool sweep_read_journal(struct sweep_options *o, FILE *file, const char *identity, long *whole)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length = getline(&line, &room, file);
    if (length > 0 && (line[length - 1] != '\n' || strncmp(line, identity, (size_t)length - 1) != 0 ||
                       strlen(identity) != (size_t)length - 1)) {
        free(line);
        return sentence(&o->error,
                        "%s is of another sweep: of other firmware, another scenario, other seeds or "
                        "parameters; give another file, or remove it",
                        o->resume);
    }
    *whole = length > 0 ? ftell(file) : 0;
    size_t number, size;
    while ((length = getline(&line, &room, file)) > 0 && line[length - 1] == '\n' &&
           sscanf(line, "run %zu %zu", &number, &size) == 2 && size < 1 << 20) {
        char *answer = cli_array(size + 1, 1);
        bool all = fread(answer, 1, size, file) == size && motet_sweep_take(o->sweep, number, answer, size);
        free(answer);
        if (!all)
            break;
        o->failed += motet_sweep_failed(o->sweep, number);
        *whole = ftell(file);
    }
    free(line);
    return true;
}

static bool sweep_open_journal(struct sweep_options *o, const char *digest)
{
    long whole = 0;
    char *identity = sweep_identity(o, digest);
    FILE *file = fopen(o->resume, "r");
    bool good = !file || sweep_read_journal(o, file, identity, &whole);
    if (file)
        fclose(file);
    if (good && file && truncate(o->resume, whole) != 0)
        good = sentence(&o->error, "cannot write %s: %s", o->resume, strerror(errno));
    o->journal = good ? fopen(o->resume, "a") : NULL;
    if (good && !o->journal)
        good = sentence(&o->error, "cannot write %s: %s", o->resume, strerror(errno));
    if (good && !whole)
        fprintf(o->journal, "%s\n", identity);
    free(identity);
    return good;
}

/* ---- runs that failed ---- */

static void sweep_kept(void *context, size_t number, const char *answer, size_t size, int signal)
{
    struct sweep_options *o = context;
    (void)size;
    if (answer && !signal && !o->run.json)
        fprintf(stderr, "motet: kept as %s/run-%zu.motet\n", o->keep, o->kept[number]);
}

static bool sweep_interrupted(void *context)
{
    (void)context;
    return terminal_interrupted();
}

static void sweep_print_failed(const struct sweep_options *o, size_t run)
{
    const char *said = motet_sweep_said(o->sweep, run);
    fprintf(stderr, "motet: run %zu failed: %.*s\n       to see it again: motet run %s --seed %" PRIu64, run,
            (int)strcspn(said, "\n"), said, o->run.file, motet_sweep_seed(o->sweep, run));
    for (size_t i = 0; i < motet_sweep_parameters(o->sweep); i++) {
        struct motet_scenario_parameter p = motet_sweep_parameter(o->sweep, run, i);
        fprintf(stderr, " --with %s=%s", p.name, p.value);
    }
    fprintf(stderr, "\n");
}

/* The first of them run once more, and are saved. */
static bool sweep_keep(struct sweep_options *o)
{
    unsigned lost;
    o->kept = cli_array(SWEEP_KEPT, sizeof *o->kept);
    for (size_t i = 0; i < motet_sweep_count(o->sweep) && o->kept_count < SWEEP_KEPT; i++)
        if (motet_sweep_failed(o->sweep, i)) {
            sweep_print_failed(o, i);
            o->kept[o->kept_count++] = i;
        }
    if (!o->kept_count)
        return true;
    if (mkdir(o->keep, 0777) != 0 && errno != EEXIST)
        return sentence(&o->error, "cannot make the folder %s for runs that failed: %s", o->keep, strerror(errno));
    o->keeping = true;
    struct motet_jobs jobs = {.context = o,
                              .count = o->kept_count,
                              .workers = o->workers,
                              .one = sweep_one,
                              .done = sweep_kept,
                              .stop = sweep_interrupted};
    return motet_jobs_run(&jobs, &lost, &o->error) == 0;
}

/* Each run as a test case, where --junit was given. */
static bool sweep_junit(struct sweep_options *o)
{
    for (size_t run = 0; o->run.junit && run < motet_sweep_count(o->sweep); run++) {
        char name[256], again[SWEEP_SAID + 512];
        int used = snprintf(name, sizeof name, "seed %" PRIu64, motet_sweep_seed(o->sweep, run));
        for (size_t i = 0; i < motet_sweep_parameters(o->sweep) && used < (int)sizeof name; i++) {
            struct motet_scenario_parameter p = motet_sweep_parameter(o->sweep, run, i);
            used += snprintf(name + used, sizeof name - (size_t)used, ", %s=%s", p.name, p.value);
        }
        junit_case(o->run.junit, o->run.file, name, 0);
        if (!motet_sweep_failed(o->sweep, run))
            continue;
        snprintf(again, sizeof again, "%sto see it again: motet run %s --seed %" PRIu64,
                 motet_sweep_said(o->sweep, run), o->run.file, motet_sweep_seed(o->sweep, run));
        junit_failure(o->run.junit, "run", again);
        for (size_t i = 0; i < o->kept_count; i++)
            if (o->kept[i] == run) {
                snprintf(name, sizeof name, "%s/run-%zu.motet", o->keep, run);
                junit_attach(o->run.junit, name);
            }
    }
    return junit_end(&o->run.junit, "motet sweep", &o->error);
}

/* ---- all of it ---- */

/* Loads the first run's scenario: what is wrong with it is said before anything runs. */
static bool sweep_try(struct sweep_options *o, char digest[MOTET_DIGEST_TEXT])
{
    struct stage s;
    size_t length = strlen(o->run.file);
    struct run_options saved = o->run;
    if (length < 5 || strcmp(o->run.file + length - 4, ".lua") != 0)
        return sentence(&o->error, "%s is no scenario (.lua); a scenario says what is run and reports what it measures",
                        o->run.file);
    o->run.with = NULL;
    o->run.with_count = 0;
    sweep_prepare(o, 0);
    bool good = stage_load(&s, &o->run, false);
    if (good && s.until == MOTET_NEVER)
        good = sentence(&s.error, "%s does not say how long to run; call run_for, or give --for", o->run.file);
    if (good)
        motet_network_digest(s.network, digest);
    else
        o->error = s.error;
    stage_free(&s);
    for (size_t i = 0; i < o->run.with_count; i++)
        free((char *)o->run.with[i].name);
    free(o->run.with);
    o->run = saved;
    return good;
}

static bool sweep_write(const struct sweep_options *o, struct motet_error *e)
{
    if (o->table && !motet_sweep_write(o->sweep, o->table, e))
        return false;
    for (size_t i = 0; i < o->plot_count; i++) {
        const char *equals = strchr(o->plots[i], '=');
        char *report = cli_text(o->plots[i], (size_t)(equals - o->plots[i]));
        bool good = motet_sweep_plot(o->sweep, report, equals + 1, e);
        free(report);
        if (!good)
            return false;
    }
    return true;
}

static int sweep_conclude(struct sweep_options *o, unsigned lost)
{
    size_t count = motet_sweep_count(o->sweep), have = 0;
    for (size_t i = 0; i < count; i++)
        have += motet_sweep_has(o->sweep, i);
    if (o->shown)
        fprintf(stderr, "\r\033[K");
    if (o->broken || !sweep_write(o, &o->error))
        return complain("%s", o->error.text);
    motet_sweep_print(o->sweep, stdout, o->run.json);
    if (o->run.json)
        printf("{\"runs\": %zu, \"of\": %zu, \"failed\": %zu, \"ranks_lost\": %u}\n", have, count, o->failed, lost);
    fflush(stdout);
    if (lost)
        fprintf(stderr, "motet: %u rank%s fell silent; others have done the runs\n", lost, lost == 1 ? "" : "s");
    if (!o->run.quiet)
        fprintf(stderr, "motet: %zu of %zu runs, %zu failed, in %.1f s\n", have, count, o->failed,
                pace_clock() - o->begun);
    if (have < count) {
        fprintf(stderr, o->resume ? "motet: interrupted; the same command goes on\n"
                                  : "motet: interrupted; with --resume FILE the same command would go on\n");
        return STATUS_FAULT;
    }
    if (!sweep_keep(o) || !sweep_junit(o))
        return complain("%s", o->error.text);
    return o->failed ? STATUS_FIRMWARE : 0;
}

static int sweep_scenario(struct sweep_options *o)
{
    char digest[MOTET_DIGEST_TEXT];
    unsigned lost = 0;
    bool ranked = ranked_is();
    if (!sweep_plan(o) || !sweep_try(o, digest))
        return complain("%s", o->error.text);
    if (o->resume && ranked_number() == 0 && !sweep_open_journal(o, digest))
        return complain("%s", o->error.text);
    terminal_catch_signals();
    o->begun = pace_clock();
    struct motet_jobs jobs = {.context = o,
                              .count = motet_sweep_count(o->sweep),
                              .workers = o->workers,
                              .ranks = ranked,
                              .wanted = sweep_wanted,
                              .one = sweep_one,
                              .done = sweep_done,
                              .stop = sweep_stop};
    int rank = motet_jobs_run(&jobs, &lost, &o->error);
    if (rank < 0)
        return complain("%s", o->error.text);
    return rank ? 0 : sweep_conclude(o, lost); /* rank 0 speaks */
}

static int sweep_run(const struct verb *v, int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct sweep_options o = {.keep = "failed-runs", .workers = processors > 0 ? (unsigned)processors : 1};
    int status;
    run_options_init(&o.run);
    o.run.command = "motet sweep";
    if (options_parse(v, argc, argv, &o, &o.run.file, 1, &status))
        status = o.run.file ? sweep_scenario(&o) : complain("motet sweep needs a FILE: a scenario (.lua)");
    if (o.journal)
        fclose(o.journal);
    motet_sweep_free(o.sweep);
    run_options_free(&o.run);
    free(o.with);
    free(o.plots);
    free(o.kept);
    return status;
}

static const char *const sweep_borrowed[] = {"for", "fault", "script", "json", "junit", "quiet", "engine", NULL};

extern const struct verb verb_sweep;
const struct verb verb_sweep = {
    .name = "sweep",
    .operands = "FILE",
    .about = "run a scenario many times, over seeds and parameters",
    .more =
        "Runs a scenario with each seed and each combination of parameters, on all processors and, under mpirun, on "
        "several machines. The scenario asks for parameters by parameter(NAME, default) and says what it measured by "
        "report(NAME, number). The means of all reports with their confidence and quantiles are printed, the same "
        "whatever the number of workers. A run that fails a check or stops at a fault is told with the command that "
        "shows it again, and saved.",
    .options = sweep_options,
    .lent = run_options,
    .borrowed = sweep_borrowed,
    .run = sweep_run,
};
