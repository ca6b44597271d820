/* motet open: a saved run, looked at or executed again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motet/amount.h"
#include "debug.h"
#include "json.h"
#include "memory.h"
#include "motet/saved.h"
#include "option.h"
#include "run.h"
#include "sentence.h"
#include "stage.h"

struct open_options {
    struct debug_options debug; /* first: options of `motet debug` are set here */
    struct motet_saved_run_options how;
    const char **parts; /* how.parts */
    bool json, verify, scenario, at_said, debugged;
    struct motet_span at;
};

static bool set_at(void *into, const char *text, struct motet_error *e)
{
    struct open_options *o = into;
    o->at_said = true;
    return motet_read_time(text, &o->at, e);
}

static bool set_debug(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct open_options *)into)->debugged = true;
}

static bool set_verify(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct open_options *)into)->verify = true;
}

static bool set_anew(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct open_options *)into)->how.anew = true;
}

static bool set_scenario(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct open_options *)into)->scenario = true;
}

static bool open_set_json(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct open_options *)into)->json = true;
}

static bool open_set_threads(void *into, const char *text, struct motet_error *e)
{
    uint64_t value;
    if (!motet_read_number(text, 1024, &value, e))
        return false;
    ((struct open_options *)into)->how.threads = (unsigned)value;
    return true;
}

static bool open_set_part(void *into, const char *text, struct motet_error *e)
{
    struct open_options *o = into;
    (void)e;
    o->parts = cli_one_more(o->parts, o->how.part_count, sizeof *o->parts);
    o->parts[o->how.part_count++] = text;
    o->how.parts = o->parts;
    return true;
}

static const struct option options[] = {
    {"at", "TIME",
     "goes to that time and says where the nodes are, or debugs from there: 12.5s, 300ms, or @N ticks of the only node",
     set_at},
    {"debug", NULL,
     "debugs it as motet debug does, forward and backward; so do the options gdb, dap, exec, line and tui", set_debug},
    {"verify", NULL,
     "executes the whole run again and compares all digests; if one differs, the status is 1 and it says where",
     set_verify},
    {"anew", NULL,
     "ignores the snapshots and executes from the beginning. Snapshots are copies of memory: use this for a saved run "
     "from a source you do not trust",
     set_anew},
    {"part", "FILE",
     "where a part from outside is now (docs/parts.md), if not where it was. A part that has changed since is refused. "
     "May be given many times",
     open_set_part},
    {"scenario", NULL, "prints the text of the scenario that was run", set_scenario},
    {"threads", "N", "threads that run a network, by default one for each processor; results do not depend on it",
     open_set_threads},
    {"engine", "ENGINE", "how firmware is executed: loop or translate, as for motet run", run_set_engine},
    {"json", NULL, "prints all of it as one line of JSON", open_set_json},
    {NULL, NULL, NULL, NULL},
};

/* ---- what it is ---- */

static const char *about(const motet_saved_run *r, const char *wanted)
{
    const char *name, *text;
    for (size_t i = 0; motet_saved_run_about(r, i, &name, &text); i++)
        if (strcmp(name, wanted) == 0)
            return text;
    return NULL;
}

static motet_node *open_node_at(const motet_saved_run *r, size_t i)
{
    return motet_network_at(motet_saved_run_network(r), i);
}

static void print_summary(const motet_saved_run *r, const char *file)
{
    struct motet_saved_run_info info;
    motet_saved_run_info(r, &info);
    const motet_machine *m = motet_node_machine(open_node_at(r, 0));
    printf("%-10s %s, %zu bytes\n", "saved run", file, info.file_size);
    if (about(r, "command"))
        printf("%-10s %s\n", "made by", about(r, "command"));
    if (info.nodes == 1)
        printf("%-10s 1, %s with %s\n", "nodes", motet_machine_board(m), motet_machine_chip(m));
    else
        printf("%-10s %zu\n", "nodes", info.nodes);
    printf("%-10s %.6f s%s%s\n", "time", (double)info.end / (double)info.hz, about(r, "ended") ? ", ended by " : "",
           about(r, "ended") ? about(r, "ended") : "");
    printf("%-10s %" PRIu64 "\n", "seed", info.seed);
    printf("%-10s %zu\n", "inputs", info.inputs);
    printf("%-10s %zu%s%s\n", "snapshots", info.snapshots, info.reason ? ", not used: " : "",
           info.reason ? info.reason : "");
    printf("%-10s %s\n", "digest", info.digest);
    if (about(r, "violation") && about(r, "story")) /* a counterexample of motet check */
        printf("\n%s%s", about(r, "violation"), about(r, "story"));
}

static const char *open_state_of(const motet_node *n)
{
    static const char *const ends[] = {
        [MOTET_EXIT_FAULT] = "stopped at a fault", [MOTET_EXIT_FIRMWARE] = "ended", [MOTET_EXIT_HALT] = "halted"};
    enum motet_exit e = motet_node_exit(n);
    return e != MOTET_RUNNING ? ends[e] : motet_node_sleeping(n) ? "asleep" : "running";
}

static void print_moment(const motet_saved_run *r)
{
    struct motet_saved_run_info info;
    char digest[MOTET_DIGEST_TEXT], place[256];
    motet_saved_run_info(r, &info);
    motet_network_digest(motet_saved_run_network(r), digest);
    printf("%.9f s, digest %s\n", (double)motet_saved_run_now(r) / (double)info.hz, digest);
    for (size_t i = 0; i < info.nodes; i++) {
        const motet_node *n = open_node_at(r, i);
        const motet_machine *m = motet_node_machine(n);
        printf("node %" PRIu32 ": %s at %s, %" PRIu64 " instructions\n", motet_node_id(n), open_state_of(n),
               motet_machine_place(m, motet_node_pc(n), place, sizeof place), motet_node_instructions(n));
    }
}

/* ---- JSON ---- */

static void print_json_nodes(const motet_saved_run *r, size_t count)
{
    char place[256];
    printf(", \"nodes\": [");
    for (size_t i = 0; i < count; i++) {
        const motet_node *n = open_node_at(r, i);
        const motet_machine *m = motet_node_machine(n);
        printf("%s{\"id\": %" PRIu32 ", \"board\": ", i ? ", " : "", motet_node_id(n));
        json_print(motet_machine_board(m));
        printf(", \"state\": ");
        json_print(open_state_of(n));
        printf(", \"place\": ");
        json_print(motet_machine_place(m, motet_node_pc(n), place, sizeof place));
        printf(", \"instructions\": %" PRIu64 "}", motet_node_instructions(n));
    }
    printf("]");
}

static void open_print_json(const motet_saved_run *r, const char *file, const struct motet_saved_run_check *c)
{
    struct motet_saved_run_info info;
    const char *name, *text;
    char digest[MOTET_DIGEST_TEXT];
    motet_saved_run_info(r, &info);
    printf("{\"file\": ");
    json_print(file);
    printf(", \"size\": %zu, \"seed\": %" PRIu64 ", \"time\": %.9f", info.file_size, info.seed,
           (double)info.end / (double)info.hz);
    printf(", \"inputs\": %zu, \"snapshots\": %zu, \"snapshots_usable\": %s", info.inputs, info.snapshots,
           info.usable ? "true" : "false");
    printf(", \"digest\": \"%s\"", info.digest);
    for (size_t i = 0; motet_saved_run_about(r, i, &name, &text); i++) {
        printf(", ");
        json_print(name);
        printf(": ");
        json_print(text);
    }
    motet_network_digest(motet_saved_run_network(r), digest);
    printf(", \"now\": %.9f, \"digest_now\": \"%s\"", (double)motet_saved_run_now(r) / (double)info.hz, digest);
    print_json_nodes(r, info.nodes);
    if (c)
        printf(", \"verified\": %zu", c->digests);
    printf("}\n");
}

/* ---- the verb ---- */

static int verify(motet_saved_run *r, const struct open_options *o, const char *file)
{
    struct motet_saved_run_check c;
    struct motet_error e = {""};
    if (!motet_saved_run_verify(r, &c, &e)) {
        complain("%s: %s", file, e.text);
        return STATUS_FAULT;
    }
    if (o->json)
        open_print_json(r, file, &c);
    else
        printf("all %zu digests are equal\n", c.digests);
    return 0;
}

static void say_unused(const motet_saved_run *r, const struct open_options *o, const char *file)
{
    struct motet_saved_run_info info;
    motet_saved_run_info(r, &info);
    if (info.reason && !o->how.anew)
        fprintf(stderr, "motet: %s: the snapshots are not used: %s; everything is executed again\n", file, info.reason);
}

static int open_show(motet_saved_run *r, const struct open_options *o, const char *file)
{
    struct motet_error e = {""};
    uint64_t at = 0;
    if (o->at_said && !stage_time(motet_saved_run_network(r), "at", &o->at, &at, &e))
        return complain("%s", e.text);
    if (o->at_said && !motet_saved_run_seek(r, at, &e))
        return complain("%s: %s", file, e.text);
    if (!o->json)
        say_unused(r, o, file);
    if (o->json)
        open_print_json(r, file, NULL);
    else if (o->at_said)
        print_moment(r);
    else
        print_summary(r, file);
    return 0;
}

static int print_scenario(const motet_saved_run *r, const char *file)
{
    const char *text = about(r, "scenario");
    if (!text)
        return complain("%s: was made without a scenario", file);
    fputs(text, stdout);
    return 0;
}

static int open_run(const struct verb *v, int argc, char **argv)
{
    struct open_options o = {.json = false};
    struct motet_error e = {""};
    const char *file;
    int status;
    if (!options_parse(v, argc, argv, &o, &file, 1, &status))
        return status;
    motet_saved_run *r = motet_saved_run_open(file, &o.how, &e);
    free(o.parts);
    if (!r)
        return complain("%s", e.text);
    if (!motet_saved_run_network(r)) {
        motet_saved_run_free(r);
        return complain("%s: was saved by a Motet that knew nodes without a network; save the run again", file);
    }
    bool debugged = o.debugged || o.debug.face || o.debug.listen || o.debug.exec;
    if (debugged)
        say_unused(r, &o, file);
    status = o.scenario ? print_scenario(r, file)
             : o.verify ? verify(r, &o, file)
             : debugged ? debug_saved_run(r, o.at_said ? &o.at : NULL, &o.debug)
                        : open_show(r, &o, file);
    motet_saved_run_free(r);
    return status;
}

static const char *const borrowed[] = {"gdb", "dap", "exec", "line", "tui", "memory", NULL};

extern const struct verb verb_open;
const struct verb verb_open = {
    .name = "open",
    .operands = "FILE",
    .about = "go through a saved run again",
    .more = "Opens a run that motet run --save has saved, on this or any other machine: describes it, goes to any "
            "moment of it, or executes all of it again and compares.",
    .options = options,
    .lent = debug_options,
    .borrowed = borrowed,
    .run = open_run,
};
