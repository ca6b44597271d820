/* motet check: executes a network with many choices of its environment, and looks for errors. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_report.h"
#include "json.h"
#include "memory.h"
#include "motet/check.h"
#include "motet/engine.h"
#include "pace.h"
#include "ranked.h"
#include "sentence.h"
#include "terminal.h"

/* ---- progress ---- */

struct check_watch {
    bool shown, on;
    double began, shown_at;
};

static bool check_stop(void *context, const struct motet_check_progress *p)
{
    struct check_watch *w = context;
    double now = pace_clock();
    if (w->on && p && now - w->shown_at >= 0.5) {
        double seconds = now - w->began;
        w->shown_at = now;
        w->shown = true;
        fprintf(stderr, "\r%" PRIu64 " walks, %.0f s simulated, %.0f a second, %.0f choices a second", p->walks,
                (double)p->nanoseconds * 1e-9, (double)p->nanoseconds * 1e-9 / seconds, (double)p->choices / seconds);
        if (p->reached >= 0)
            fprintf(stderr, ", %.1f %% of the code reached", 100 * p->reached);
        fprintf(stderr, " \033[K");
        fflush(stderr);
    }
    return terminal_interrupted();
}

/* ---- going on ---- */

#define CHECK_RESUME "motet check 1 "

/* The file is one line: what is checked as a digest, deviations that are all tried, and the next walk or deviation. */
static bool check_read_resume(const struct check_options *o, motet_check *c, struct motet_error *e)
{
    char line[128] = "", digest[MOTET_DIGEST_TEXT], there[MOTET_DIGEST_TEXT];
    unsigned begin;
    uint64_t first;
    FILE *file = o->resume ? fopen(o->resume, "r") : NULL;
    if (!o->resume || (!file && errno == ENOENT))
        return true;
    motet_check_digest(c, digest);
    bool read = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    if (!read || sscanf(line, CHECK_RESUME "%32[0-9a-f] %u %" SCNu64, there, &begin, &first) != 3)
        return sentence(e, "%s: says nothing of how far a check has come", o->resume);
    if (strcmp(there, digest) != 0)
        return sentence(e, "%s: is of a check of something else, or with other options; give those, or another file",
                        o->resume);
    motet_check_go_on(c, begin, first);
    return true;
}

static bool check_write_resume(const struct check_options *o, const motet_check *c, struct motet_error *e)
{
    struct motet_check_result result, *r = &result;
    char digest[MOTET_DIGEST_TEXT];
    if (!o->resume)
        return true;
    motet_check_result(c, r);
    motet_check_digest(c, digest);
    FILE *file = fopen(o->resume, "w");
    bool unfinished = r->violation || r->stopped;
    unsigned begin = o->how.deviations ? r->deviations + 1 : 0;
    bool good = file && fprintf(file, CHECK_RESUME "%s %u %" PRIu64 "\n", digest, begin,
                                o->how.deviations && !unfinished ? 0 : r->next) > 0;
    if (file && fclose(file) != 0)
        good = false;
    return good || sentence(e, "cannot write %s: %s", o->resume, strerror(errno));
}

/* ---- the verb ---- */

/* What the scenario does at its times is done in each walk; so it is executed once, and noted. */
static bool check_play_scenario(struct stage *s, uint64_t until)
{
    while (s->scenario && motet_scenario_next(s->scenario) <= until && !motet_scenario_over(s->scenario)) {
        uint64_t next = motet_scenario_next(s->scenario);
        while (motet_network_now(s->network) < next)
            if (motet_network_run(s->network, next) == MOTET_NETWORK_IDLE)
                break;
        if (!motet_scenario_act(s->scenario, &s->error))
            return false;
    }
    return true;
}

static int check_stage(struct stage *s, struct check_options *o)
{
    struct check_watch w = {.on = isatty(STDERR_FILENO) && !o->run.quiet};
    if (s->scenario && motet_scenario_has_conditions(s->scenario))
        return complain("%s acts by when(), which a check cannot repeat; use at(), or a property", o->run.file);
    if (!check_rules_load(&o->rules, o->property ? o->property : s->scenario ? o->run.file : NULL, &o->how, &s->error))
        return complain("%s", s->error.text);
    for (size_t i = 0; i < motet_network_count(s->network); i++)
        show_set_faults(&o->run, motet_network_at(s->network, i));
    motet_check *c = motet_check_new(s->network, &o->how, &s->error);
    if (!c)
        return complain("%s: %s", o->run.file, s->error.text);
    if (o->rules.maker)
        motet_check_properties(c, o->rules.maker);
    terminal_catch_signals();
    w.began = w.shown_at = pace_clock();
    struct motet_check_result result;
    int status;
    uint64_t until = 0;
    bool good = check_options_name(o, c, &s->error) && motet_check_until(c, &until, &s->error) &&
                check_play_scenario(s, until) && check_read_resume(o, c, &s->error) &&
                motet_check_run(c, check_stop, &w, &s->error);
    if (w.shown)
        fprintf(stderr, "\r\033[K");
    motet_check_result(c, &result);
    if (good && result.rank)
        status = 0; /* rank 0 speaks */
    else if (good && check_write_resume(o, c, &s->error))
        status = check_report(o, c, s->network);
    else
        status = complain("%s", s->error.text);
    motet_check_free(c);
    return status;
}

static int check_file(struct check_options *o)
{
    struct stage s;
    int status = stage_load(&s, &o->run, false) ? check_stage(&s, o) : complain("%s", s.error.text);
    stage_free(&s);
    check_rules_free(&o->rules);
    return status;
}

static int check_again(struct check_options *o)
{
    struct motet_check_replay r;
    struct motet_check_replay_options with = {.firmware = o->run.file, .repaired = o->repaired};
    struct check_rules rules;
    struct motet_error e = {""};
    if (o->repaired && !o->run.file)
        return complain("motet check --repaired needs the FIRMWARE in which the error may be repaired");
    bool good =
        check_rules_open(&rules, o->replay, o->property, &with, &e) && motet_check_replay(o->replay, &with, &r, &e);
    check_rules_free(&rules);
    if (!good)
        return complain("%s", e.text);
    if (o->run.json) {
        printf("{\"violation\": \"%s\", \"digest\": \"%s\", \"same\": %s", check_violation(r.violation), r.digest,
               r.same ? "true" : "false");
        if (r.violation) {
            printf(", \"node\": %" PRIu32 ", \"at\": %.9f, \"words\": ", r.node, (double)r.at * 1e-9);
            json_print(r.words);
        }
        printf("}\n");
    } else if (r.violation) {
        printf("%sthe error is still there\n", r.words);
    } else {
        printf("the error does not come up with these choices\n");
    }
    int status = check_junit(o, o->replay, r.violation, r.words, NULL);
    free(r.words);
    return status;
}

static char *check_joined(int argc, char **argv)
{
    size_t size = sizeof "motet check";
    for (int i = 0; i < argc; i++)
        size += strlen(argv[i]) + 1;
    char *text = cli_array(size, 1);
    size_t used = (size_t)sprintf(text, "motet check");
    for (int i = 0; i < argc; i++)
        used += (size_t)sprintf(text + used, " %s", argv[i]);
    return text;
}

/* Nodes of a check sleep most of the time, and are taken back again and again: translating their code costs more than
 * it saves (docs/engine.md). Who asks for it gets it. */
static void check_choose_engine(void)
{
    struct motet_error e;
    if (!getenv("MOTET_ENGINE"))
        motet_engine("loop", &e);
}

static int check_run(const struct verb *v, int argc, char **argv)
{
    char *command = check_joined(argc, argv);
    struct check_options o = {.save = "counterexample.motet", .command = command};
    int status;
    run_options_init(&o.run);
    motet_check_defaults(&o.how);
    check_choose_engine();
    if (options_parse(v, argc, argv, &o, &o.run.file, 1, &status)) {
        o.how.seed = o.run.seed;
        o.how.ranks = ranked_is();
        status = o.replay     ? check_again(&o)
                 : o.repaired ? complain("motet check --repaired is about a counterexample; give it with --replay")
                 : o.how.depth && o.resume
                     ? complain("motet check: a search with --depth cannot go on with --resume; begin it anew")
                 : o.run.file ? check_file(&o)
                              : complain("motet check needs a FILE: a firmware, or a scenario (.lua)");
    }
    run_options_free(&o.run);
    free(command);
    return status;
}

static const char *const check_borrowed[] = {"board",    "seed", "clock",  "fuses", "lock",   "fault", "nodes",
                                             "topology", "link", "medium", "noise", "loss",   "boot",  "drift",
                                             "set",      "json", "junit",  "quiet", "engine", NULL};

extern const struct verb verb_check;
const struct verb verb_check = {
    .name = "check",
    .operands = "[FILE]",
    .about = "look for errors in what could happen",
    .more =
        "Brings a network to its steady state and goes on from there many times, each time with other choices of its "
        "environment: frames are lost or damaged, the channel is busy, interrupts come later, nodes are reset, lose "
        "power or die. Every fault that Motet reports, a reset by the watchdog, a firmware that ends with a status "
        "other than 0 and a property that does not hold is an error. The first one is printed with the choices that "
        "led to it and saved as a run.",
    .options = check_option_list,
    .lent = run_options,
    .borrowed = check_borrowed,
    .run = check_run,
};
