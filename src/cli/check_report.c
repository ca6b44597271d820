#include "check_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"
#include "sentence.h"

const char *check_violation(enum motet_violation v)
{
    static const char *const names[] = {"none", "fault", "watchdog", "status", "property", "awake", "unread"};
    return names[v];
}

static void check_tell_choice(FILE *file, const motet_network *n, const struct motet_choice *c, bool critical)
{
    char what[160];
    const char *mark = critical ? " (the critical transition)" : "";
    motet_choice_text(n, c, what, sizeof what);
    if (c->node == MOTET_ALL_NODES)
        fprintf(file, "%14.6f s  all     %s%s\n", (double)c->at * 1e-9, what, mark);
    else
        fprintf(file, "%14.6f s  node %" PRIu32 "  %s%s\n", (double)c->at * 1e-9, c->node, what, mark);
}

static void check_tell_event(FILE *file, const struct motet_check_event *e)
{
    fprintf(file, "%14.6f s  node %" PRIu32 "    %s:", (double)e->at * 1e-9, e->node, e->what);
    for (size_t i = 0; i < e->count; i++)
        fprintf(file, "%s %s %s -> %s", i ? "," : "", e->changes[i].name, e->changes[i].before, e->changes[i].after);
    if (e->more)
        fprintf(file, ", and %zu more", e->more);
    fprintf(file, "\n");
}

/* The choices and some of the events as lines: time, node, what, and the variables that it changed. */
static char *check_story(const motet_check *c, const motet_network *n)
{
    struct motet_choice choice;
    struct motet_check_event event;
    struct motet_check_result r;
    char *text = NULL;
    size_t size = 0, choices = 0, events = 0;
    FILE *file = open_memstream(&text, &size);
    motet_check_result(c, &r);
    for (bool more = file != NULL; more;) {
        bool a = motet_check_choice(c, choices, &choice), b = motet_check_event(c, events, &event);
        more = a || b;
        if (a && (!b || choice.at <= event.at))
            check_tell_choice(file, n, &choice, choices++ == r.critical);
        else if (b)
            check_tell_event(file, &event), events++;
    }
    if (file)
        fclose(file);
    return text;
}

/* Of what must happen at some time. */
static void check_print_critical(const struct motet_check_result *r)
{
    if (!r->probes)
        return;
    if (r->critical != SIZE_MAX)
        printf("up to the critical transition the network could still recover; after it, no probe did "
               "(%" PRIu64 " probes)\n",
               r->probes);
    else
        printf("no choice is the reason: the network does not come to it without any (%" PRIu64 " probes)\n",
               r->probes);
}

/* What a search to a depth tries all ways of. */
static const char *check_of_depth(const struct check_options *o)
{
    return o->how.also ? "choices" : o->senses.count ? "frames and conversions" : "frames";
}

static void check_print_left_out(const motet_check *c, const struct motet_check_result *r)
{
    uint32_t node;
    if (!r->left_out)
        return;
    printf("  without node%s", r->left_out == 1 ? "" : "s");
    for (size_t i = 0; motet_check_left_out(c, i, &node); i++)
        printf("%s %" PRIu32, i ? "," : "", node);
    printf(", which %s not needed for it\n", r->left_out == 1 ? "is" : "are");
}

/* Before the first choice the network is in its steady state. */
static void check_print_events(const motet_check *c, const struct motet_check_result *r)
{
    struct motet_choice any;
    const char *from = r->events.timers == r->since_steady.timers && r->events.tasks == r->since_steady.tasks
                           ? "the steady state"
                           : "the first choice";
    if (!motet_check_choice(c, 0, &any))
        from = "the steady state";
    printf("from %s to the error: %" PRIu64 " task%s, %" PRIu64 " interrupt%s and %" PRIu64 " of timers\n", from,
           r->events.tasks, r->events.tasks == 1 ? "" : "s", r->events.interrupts, r->events.interrupts == 1 ? "" : "s",
           r->events.timers);
}

/* Some walks begin before the steady state. */
static void check_name_walk(const struct check_options *o, const struct motet_check_result *r, char *by, size_t size)
{
    int length = snprintf(by, size, "found by walk %" PRIu64, r->walk);
    if (length > 0 && r->begin < o->how.steady)
        snprintf(by + length, size - (size_t)length, ", which begins at %g s", (double)(r->begin / 1000) * 1e-6);
}

static void check_print_found(const struct check_options *o, const motet_check *c, const struct motet_check_result *r,
                              const char *story)
{
    const char *file = o->save;
    char by[96] = "found with the fewest deviations";
    if (o->how.depth)
        snprintf(by, sizeof by, "found among all ways of the first %u %s", o->how.depth, check_of_depth(o));
    else if (!o->how.deviations)
        check_name_walk(o, r, by, sizeof by);
    printf("%s", r->words);
    printf("%s; the environment departs from the plain run %zu time%s", by, r->choices, r->choices == 1 ? "" : "s");
    if (r->runs)
        printf(" (%zu before %" PRIu64 " runs made it shorter)", r->found, r->runs);
    printf(":\n");
    check_print_left_out(c, r);
    printf("%s%14.6f s  node %" PRIu32 "  the error\n", story, (double)r->at * 1e-9, r->node);
    check_print_critical(r);
    if (r->plain_at)
        printf("the plain run comes to this error by itself, at %.6f s\n", (double)r->plain_at * 1e-9);
    check_print_events(c, r);
    if (!o->no_save)
        printf("saved in %s; motet open --debug %s goes through it, motet check --replay %s tells whether the error is "
               "still there\n",
               file, file, file);
}

/* How states were told apart in a search to a depth. */
static void check_print_states(const struct motet_check_result *r)
{
    if (!r->states.matching)
        printf("states were not matched");
    else
        printf("%" PRIu64 " states matched, %" PRIu64 " of them explored all the same", r->states.matched,
               r->states.again);
    if (r->states.bits)
        printf("; the memory did not suffice, and with a probability of at most %.2g a state was missed",
               r->states.missed);
    if (r->states.bits && r->states.wrong) /* by hashing, not by an error of the matching */
        printf(" (as %" PRIu64 " of those explored all the same would have been: --memory gives more)",
               r->states.wrong);
    else if (r->states.wrong)
        printf("; MATCHING WAS WRONG %" PRIu64 " times, so errors may have been missed: an error of Motet, please "
               "report it and use --no-matching",
               r->states.wrong);
}

static void check_print_exhausted(const struct check_options *o, const struct motet_check_result *r)
{
    printf("no violation whatever becomes of the first %u %s in %g s from the steady state at %g s; %.0f s "
           "simulated%s\n",
           o->how.depth, check_of_depth(o), (double)o->how.length * 1e-9, (double)o->how.steady * 1e-9,
           (double)r->done.nanoseconds * 1e-9, r->stopped ? "; stopped before the end" : "");
    check_print_states(r);
    size_t number = 0;
    bool any = false;
    for (const char *what; (what = check_options_left_out(o, &number)); any = true)
        printf("%s%s", any ? ", " : "; left out: ", what);
    printf("\n");
}

/* A rank knows only what its own walks have reached; and when something was found, other workers were under way. */
static bool check_knows_reach(const struct check_options *o, const struct motet_check_result *r)
{
    return !o->how.ranks && !r->violation && r->done.reached >= 0;
}

static void check_print_walked(const struct check_options *o, const struct motet_check_result *r)
{
    printf("no violation in %" PRIu64 " walk%s of %g s, each from a steady state at %g s%s; seed %" PRIu64
           ", %.0f s simulated, %" PRIu64 " choices",
           r->next, r->next == 1 ? "" : "s", (double)o->how.length * 1e-9, (double)o->how.steady * 1e-9,
           o->how.early ? " or before" : "", o->how.seed, (double)r->done.nanoseconds * 1e-9, r->done.choices);
    if (check_knows_reach(o, r))
        printf(", %.1f %% of the code reached", 100 * r->done.reached);
    printf("%s\n", r->stopped ? "; stopped before the end" : "");
}

/* What was tried, which is all that a check can say. */
static void check_print_clean(const struct check_options *o, const struct motet_check_result *r)
{
    if (o->how.depth)
        check_print_exhausted(o, r);
    else if (o->how.deviations)
        printf("no violation with at most %u deviation%s in %g s from the steady state at %g s; %.0f s simulated%s\n",
               r->deviations, r->deviations == 1 ? "" : "s", (double)o->how.length * 1e-9, (double)o->how.steady * 1e-9,
               (double)r->done.nanoseconds * 1e-9, r->stopped ? "; stopped before the end" : "");
    else
        check_print_walked(o, r);
}

/* A choice about all nodes has no node of its own. */
static void check_json_node(const char *separator, const struct motet_choice *c)
{
    printf("%s{\"at\": %.9f, \"node\": ", separator, (double)c->at * 1e-9);
    if (c->node == MOTET_ALL_NODES)
        printf("null");
    else
        printf("%" PRIu32, c->node);
}

static void check_json_events(const char *name, const struct motet_check_events *e)
{
    printf(", \"%s\": {\"tasks\": %" PRIu64 ", \"interrupts\": %" PRIu64 ", \"timers\": %" PRIu64 "}", name, e->tasks,
           e->interrupts, e->timers);
}

static void check_json_left_out(const motet_check *c)
{
    uint32_t node;
    printf(", \"left_out\": [");
    for (size_t i = 0; motet_check_left_out(c, i, &node); i++)
        printf("%s%" PRIu32, i ? ", " : "", node);
    printf("]");
}

static void check_print_json_events(const motet_check *c)
{
    struct motet_check_event e;
    printf(", \"story\": [");
    for (size_t i = 0; motet_check_event(c, i, &e); i++) {
        printf("%s{\"time\": %.9f, \"node\": %" PRIu32 ", \"event\": ", i ? ", " : "", (double)e.at * 1e-9, e.node);
        json_print(e.what);
        printf(", \"changes\": [");
        for (size_t k = 0; k < e.count; k++) {
            printf("%s{\"name\": ", k ? ", " : "");
            json_print(e.changes[k].name);
            printf(", \"before\": ");
            json_print(e.changes[k].before);
            printf(", \"after\": ");
            json_print(e.changes[k].after);
            printf("}");
        }
        printf("], \"more\": %zu}", e.more);
    }
    printf("]");
}

static void check_print_json(const struct check_options *o, const motet_check *c, const motet_network *n,
                             const struct motet_check_result *r)
{
    struct motet_choice one;
    char what[160];
    printf("{\"violation\": \"%s\", \"walks\": %" PRIu64 ", \"length\": %.9f, \"steady\": %.9f, \"seed\": %" PRIu64
           ", \"simulated\": %.3f, \"stopped\": %s",
           check_violation(r->violation), r->done.walks, (double)o->how.length * 1e-9, (double)o->how.steady * 1e-9,
           o->how.seed, (double)r->done.nanoseconds * 1e-9, r->stopped ? "true" : "false");
    if (o->how.ranks)
        printf(", \"lost\": %u", r->lost);
    if (check_knows_reach(o, r))
        printf(", \"reached\": %.4f", r->done.reached);
    if (o->how.depth)
        printf(", \"depth\": %u, \"stretches\": %" PRIu64 ", \"matched\": %" PRIu64 ", \"again\": %" PRIu64
               ", \"wrong\": %" PRIu64 ", \"bitstate\": %s, \"missed\": %.3g",
               o->how.depth, r->states.stretches, r->states.matched, r->states.again, r->states.wrong,
               r->states.bits ? "true" : "false", r->states.missed);
    if (r->violation) {
        printf(", \"node\": %" PRIu32 ", \"at\": %.9f, \"walk\": %" PRIu64 ", \"begin\": %.9f, \"file\": ", r->node,
               (double)r->at * 1e-9, r->walk, (double)r->begin * 1e-9);
        if (o->no_save)
            printf("null");
        else
            json_print(o->save);
        printf(", \"words\": ");
        json_print(r->words);
        if (r->critical != SIZE_MAX)
            printf(", \"critical\": %zu", r->critical);
        printf(", \"found\": %zu, \"runs\": %" PRIu64, r->found, r->runs);
        check_json_events("events", &r->events);
        check_json_events("since_steady", &r->since_steady);
        check_json_left_out(c);
        if (r->plain_at)
            printf(", \"plain_at\": %.9f", (double)r->plain_at * 1e-9);
        printf(", \"choices\": [");
        for (size_t i = 0; motet_check_choice(c, i, &one); i++) {
            motet_choice_text(n, &one, what, sizeof what);
            check_json_node(i ? ", " : "", &one);
            printf(", \"source\": \"%s\", \"other\": %" PRIu32 ", \"ordinal\": %" PRIu64 ", \"outcome\": %" PRIu32
                   ", \"words\": ",
                   motet_choice_source_name(one.source), one.other, one.ordinal, one.outcome);
            json_print(what);
            printf("}");
        }
        printf("]");
        check_print_json_events(c);
    }
    printf("}\n");
}

/* Of a check that ranks of MPI have shared. */
static void check_print_lost(const struct motet_check_result *r)
{
    if (r->lost)
        printf("%u rank%s fell silent; the others have done %s part\n", r->lost, r->lost == 1 ? "" : "s",
               r->lost == 1 ? "its" : "their");
}

int check_junit(struct check_options *o, const char *file, enum motet_violation v, const char *words, const char *saved)
{
    struct motet_error e;
    if (o->run.junit)
        junit_case(o->run.junit, file, o->replay ? "the error is repaired" : "no violation", 0);
    if (o->run.junit && v)
        junit_failure(o->run.junit, check_violation(v), words);
    if (o->run.junit && v && saved)
        junit_attach(o->run.junit, saved);
    if (!junit_end(&o->run.junit, "motet check", &e))
        return complain("%s", e.text);
    return v ? STATUS_FAULT : 0;
}

int check_report(struct check_options *o, motet_check *c, const motet_network *n)
{
    struct motet_check_result r;
    struct motet_error e;
    motet_check_result(c, &r);
    char *story = check_story(c, n), stuck[32];
    snprintf(stuck, sizeof stuck, "%" PRIu64, o->how.stuck);
    const char *about[20] = {"command", o->command, "ended", check_violation(r.violation), "story", story, "violation",
                             r.words,   "stuck",    stuck};
    about[10 + check_rules_about(&o->rules, about + 10)] = NULL;
    bool good = !r.violation || o->no_save || motet_check_save(c, o->save, about, &e);
    motet_check_result(c, &r);
    if (good && o->run.json)
        check_print_json(o, c, n, &r);
    else if (good && r.violation)
        check_print_found(o, c, &r, story);
    else if (good)
        check_print_clean(o, &r);
    if (good && !o->run.json)
        check_print_lost(&r);
    free(story);
    return good ? check_junit(o, o->run.file, r.violation, r.words, o->no_save ? NULL : o->save)
                : complain("%s", e.text);
}
