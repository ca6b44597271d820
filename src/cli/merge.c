/* motet merge: logs of several nodes as one story. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "merge_follow.h"
#include "motet/amount.h"
#include "motet/merge.h"
#include "option.h"
#include "replay_network.h"
#include "run.h"
#include "sentence.h"
#include "stretch.h"

enum { MERGE_LOGS = 4094, MERGE_SHOWN = 20 };

struct merge_elf {
    bool one; /* of one node */
    uint32_t id;
    const char *path;
};

struct merge_options {
    struct run_options run; /* first: options of `motet run` are set here */
    struct merge_elf *elfs;
    size_t elf_count;
    const char **calls;
    size_t call_count;
    const char *time;
    const char *files[MOTET_MERGE_FORMATS];
    struct motet_span from, until, delay;
    struct motet_span patience;
    bool until_said, quiet, follow;
};

static bool merge_set_elf(void *into, const char *text, struct motet_error *e)
{
    struct merge_options *o = into;
    (void)e;
    o->elfs = cli_one_more(o->elfs, o->elf_count, sizeof *o->elfs);
    struct merge_elf *is = &o->elfs[o->elf_count++];
    is->path = replay_network_id(text, &is->one, &is->id);
    return true;
}

static bool merge_set_call(void *into, const char *text, struct motet_error *e)
{
    struct merge_options *o = into;
    (void)e;
    o->calls = cli_one_more(o->calls, o->call_count, sizeof *o->calls);
    o->calls[o->call_count++] = text;
    return true;
}

static bool merge_set_time(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct merge_options *)into)->time = text;
    return true;
}

static bool merge_set_from(void *into, const char *text, struct motet_error *e)
{
    return motet_read_time(text, &((struct merge_options *)into)->from, e);
}

static bool merge_set_until(void *into, const char *text, struct motet_error *e)
{
    struct merge_options *o = into;
    o->until_said = true;
    return motet_read_time(text, &o->until, e);
}

static bool merge_set_delay(void *into, const char *text, struct motet_error *e)
{
    return motet_read_time(text, &((struct merge_options *)into)->delay, e);
}

static bool merge_set_patience(void *into, const char *text, struct motet_error *e)
{
    return motet_read_time(text, &((struct merge_options *)into)->patience, e);
}

static bool merge_set_follow(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct merge_options *)into)->follow = true;
}

static bool merge_set_quiet(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct merge_options *)into)->quiet = true;
}

static bool merge_set_html(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct merge_options *)into)->files[MOTET_MERGE_HTML] = text;
    return true;
}

static bool merge_set_svg(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct merge_options *)into)->files[MOTET_MERGE_SVG] = text;
    return true;
}

static bool merge_set_shiviz(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct merge_options *)into)->files[MOTET_MERGE_SHIVIZ] = text;
    return true;
}

static bool merge_set_perfetto(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct merge_options *)into)->files[MOTET_MERGE_PERFETTO] = text;
    return true;
}

static const struct option options[] = {
    {"elf", "[ID:]FIRMWARE",
     "the firmware that wrote the logs of recording nodes; with an id that of one node. May be given many times",
     merge_set_elf},
    {"board", "BOARD", "the board or chip; by default the chip the firmware was built for", run_set_board},
    {"set", "[ID:]SYMBOL=VALUE", "a variable that the recording nodes had set when their firmware reached main",
     run_set_variable},
    {"time", "EXPRESSION/HZ",
     "the clock of recording nodes: the firmware's own, a C expression, and how often it counts a second. Without it "
     "only the order of their events is known",
     merge_set_time},
    {"call", "FUNCTION",
     "calls of this function are events, too; also FILE:LINE and other places of code. May be given many times",
     merge_set_call},
    {"from", "TIME", "shows events from this global time on", merge_set_from},
    {"until", "TIME", "shows events up to this global time", merge_set_until},
    {"delay", "TIME",
     "the longest time from a send to its receive, by which packets of the same content are told apart; by default "
     "100ms",
     merge_set_delay},
    {"html", "FILE", "writes a page with the space-time diagram, which needs no other file and no network",
     merge_set_html},
    {"svg", "FILE", "writes the space-time diagram as a picture", merge_set_svg},
    {"shiviz", "FILE", "writes the events with their vector clocks for ShiViz", merge_set_shiviz},
    {"perfetto", "FILE", "writes a trace for ui.perfetto.dev, with an arrow for each message", merge_set_perfetto},
    {"follow", NULL,
     "goes on while interface logs are being written: files, pipes, serial ports, tcp:[HOST:]PORT. Prints events as "
     "soon "
     "as their order is certain; Ctrl-C ends it",
     merge_set_follow},
    {"patience", "TIME", "with --follow: how long a log that does not grow is waited for; by default 2s",
     merge_set_patience},
    {"json", NULL, "prints events as lines of JSON, each with its vector clock", run_set_json},
    {"quiet", NULL, "prints no events, only the summary and what is wrong", merge_set_quiet},
    {NULL, NULL, NULL, NULL},
};

/* ---- reading ---- */

static const char *merge_elf_of(const struct merge_options *o, uint32_t id)
{
    const char *path = NULL;
    for (size_t i = 0; i < o->elf_count; i++)
        if (o->elfs[i].one ? o->elfs[i].id == id : !path)
            path = o->elfs[i].path;
    return path;
}

/* A stretch that could not be followed to the end of its log is told, and what came before is used. */
static void merge_tell_difference(const struct stretch *s, int *status)
{
    struct motet_replay r;
    motet_node_replay(stretch_node(s), &r);
    if (!r.differs)
        return;
    fprintf(stderr, "motet: node %" PRIu32 ": %s\n", motet_node_id(stretch_node(s)), r.how);
    *status = STATUS_FAULT;
}

static bool merge_stretch(struct merge_options *o, motet_merge *m, const motet_log *l, size_t *part, bool lost,
                          int *status, struct motet_error *e)
{
    struct stretch s = {.machine = NULL};
    struct motet_log_part is;
    struct motet_replay r;
    motet_log_part(l, *part, &is);
    struct motet_merge_replay how = {
        .time = o->time, .calls = o->calls, .call_count = o->call_count, .starts = is.checkpoint == 0, .lost = lost};
    bool good = stretch_load(&s, &o->run, l, *part, e) && motet_merge_add_replay(m, s.network, &how, e);
    if (good) {
        merge_tell_difference(&s, status);
        motet_node_replay(stretch_node(&s), &r);
        *part = r.part;
    }
    stretch_free(&s);
    return good;
}

static bool merge_log(struct merge_options *o, motet_merge *m, const motet_log *l, int *status, struct motet_error *e)
{
    struct motet_log_part before;
    bool lost = false;
    for (size_t part = SIZE_MAX; (part = stretch_part_after(l, part)) != SIZE_MAX;) {
        if (!merge_stretch(o, m, l, &part, lost, status, e))
            return false;
        motet_log_part(l, part, &before);
        lost = !before.reset;
    }
    return true;
}

/* Its firmware is not needed; one that is given must be its own. */
static bool merge_add_interface(const struct merge_options *o, motet_merge *m, const char *path, struct motet_error *e)
{
    uint32_t id;
    if (!motet_interface_node(path, &id, e))
        return false;
    const char *elf = merge_elf_of(o, id);
    return (!elf || motet_interface_is_of(path, elf, e)) && motet_merge_add_interface(m, path, e);
}

static bool merge_add(struct merge_options *o, motet_merge *m, const char *text, int *status, struct motet_error *e)
{
    bool said;
    uint32_t id;
    const char *path = replay_network_id(text, &said, &id);
    if (motet_interface_is_log(path))
        return (!said || sentence(e, "%s is an interface log, which holds the id of its node; leave out %" PRIu32 ":",
                                  path, id)) &&
               merge_add_interface(o, m, path, e);
    motet_log *l = motet_log_load(path, 0, e);
    o->run.file = merge_elf_of(o, id);
    o->run.topology.id_said = true;
    o->run.topology.id = id;
    bool good = l && (said || sentence(e, "which node wrote %s? say so with its id, as in 4:%s", path, path)) &&
                (o->run.file || sentence(e, "which firmware wrote %s? give it with --elf", path)) &&
                motet_merge_node(m, id, path, e) && merge_log(o, m, l, status, e);
    motet_log_free(l);
    return good;
}

/* ---- telling ---- */

static void merge_tell_summary(const motet_merge *m)
{
    struct motet_merge_summary s;
    motet_merge_summary(m, &s);
    fprintf(stderr, "motet: %" PRIu32 " nodes, %" PRIu32 " events; %" PRIu32 " packets sent", s.nodes, s.events,
            s.sends - s.copies);
    if (s.copies)
        fprintf(stderr, " (and %" PRIu32 " copies)", s.copies);
    fprintf(stderr, ", %" PRIu32 " of them received by nobody; %" PRIu32 " of %" PRIu32 " receives have their send",
            s.lost, s.matched, s.receives);
    if (s.weaker)
        fprintf(stderr, ", %" PRIu32 " of them the earliest of several", s.weaker);
    if (s.undecided)
        fprintf(stderr, ", %" PRIu32 " could have come from several nodes", s.undecided);
    if (s.beyond)
        fprintf(stderr, ", %" PRIu32 " were sent where a log has ended or has a gap", s.beyond);
    if (s.strangers)
        fprintf(stderr, ", %" PRIu32 " came from nodes without a log", s.strangers);
    fprintf(stderr, ". Times are those of node %" PRIu32 "; other clocks are known within %.3f ms\n", s.reference,
            (double)s.uncertainty * 1e-6);
}

static size_t merge_tell_findings(const motet_merge *m)
{
    char text[500];
    size_t count = 0;
    for (; motet_merge_finding(m, count, text, sizeof text); count++)
        if (count < MERGE_SHOWN)
            fprintf(stderr, "motet: %s\n", text);
    if (count > MERGE_SHOWN)
        fprintf(stderr, "motet: and %zu more of this kind\n", count - MERGE_SHOWN);
    return count;
}

static bool merge_write_file(const struct merge_options *o, const motet_merge *m, unsigned format, uint64_t until,
                             struct motet_error *e)
{
    FILE *f = fopen(o->files[format], "w");
    bool good = f && motet_merge_write(m, (enum motet_merge_format)format, o->from.nanoseconds, until, f);
    if (f && fclose(f) != 0)
        good = false;
    return good || sentence(e, "cannot write to %.200s: %s", o->files[format], strerror(errno));
}

static bool merge_write(const struct merge_options *o, const motet_merge *m, struct motet_error *e)
{
    uint64_t until = o->until_said ? o->until.nanoseconds : MOTET_NEVER;
    bool files = false;
    for (unsigned i = 0; i < MOTET_MERGE_FORMATS; i++)
        if (o->files[i]) {
            files = true;
            if (!merge_write_file(o, m, i, until, e))
                return false;
        }
    if (o->quiet || (files && !o->run.json))
        return true;
    return motet_merge_write(m, o->run.json ? MOTET_MERGE_JSON : MOTET_MERGE_TEXT, o->from.nanoseconds, until,
                             stdout) ||
           sentence(e, "cannot write to standard output: %s", strerror(errno));
}

static int merge_logs(struct merge_options *o, const char **logs)
{
    struct motet_error e = {""};
    int status = 0;
    bool good = true;
    size_t count = 0, interfaces = 0;
    for (; logs[count]; count++)
        interfaces += motet_interface_is_log(logs[count]);
    motet_merge *m = motet_merge_new(&(struct motet_merge_options){
        .delay = o->delay.nanoseconds, .clockless = !o->time && interfaces<count, .payloads = interfaces> 0});
    for (size_t i = 0; logs[i] && good; i++)
        good = merge_add(o, m, logs[i], &status, &e);
    if (good) {
        motet_merge_finish(m);
        good = merge_write(o, m, &e);
    }
    if (good) {
        merge_tell_summary(m);
        status = merge_tell_findings(m) ? STATUS_FAULT : status;
    }
    motet_merge_free(m);
    return good ? status : complain("%s", e.text);
}

/* Logs that are being written are interface logs, and lines are all that can be written of them. */
static int merge_live(const struct merge_options *o, const char *const *logs)
{
    for (unsigned i = 0; i < MOTET_MERGE_FORMATS; i++)
        if (o->files[i])
            return complain("--follow prints lines; for --%s merge the logs when they are complete",
                            motet_merge_format_name((enum motet_merge_format)i));
    if (o->elf_count || o->call_count || o->time || o->until_said || o->from.nanoseconds || o->quiet)
        return complain("--follow takes interface logs as they come; leave out --elf, --call, --time, --from, --until "
                        "and --quiet");
    return merge_follow(&(struct merge_follow_options){.delay = o->delay.nanoseconds,
                                                       .patience = o->patience.nanoseconds,
                                                       .json = o->run.json},
                        logs);
}

static int merge_verb(const struct verb *v, int argc, char **argv)
{
    struct merge_options o = {.elfs = NULL};
    const char **logs = cli_array(MERGE_LOGS + 1, sizeof *logs);
    int status;
    run_options_init(&o.run);
    if (options_parse(v, argc, argv, &o, logs, MERGE_LOGS, &status))
        status = o.follow ? merge_live(&o, logs) : merge_logs(&o, logs);
    run_options_free(&o.run);
    free(o.elfs);
    free(o.calls);
    free(logs);
    return status;
}

extern const struct verb verb_merge;
const struct verb verb_merge = {
    .name = "merge",
    .operands = "LOG...",
    .about = "put logs of several nodes into one story",
    .more = "Replays the logs, finds the frames that were sent and received, matches them, and prints all events in "
            "one order in which causes come before effects. LOG is an interface log, or ID:LOG where ID is that of a "
            "recording node and LOG what motet collect wrote, or a flash memory's contents. Prints what is wrong with "
            "the logs: receives without "
            "a send, circles of cause and effect, clocks that run backward; it then returns 1.",
    .options = options,
    .run = merge_verb,
};
