/* motet slice: which functions can affect an invariant, and how far they are from it. */
#include <stdlib.h>
#include <string.h>

#include "motet/slice.h"
#include "option.h"
#include "sentence.h"

enum { MOST = 64 };

struct slice_options {
    struct motet_slice slice;
    const char *invariants[MOST], *stops[MOST], *next[MOST];
};

#define SET(name)                                                                         \
    static bool cli_slice_set_##name(void *into, const char *text, struct motet_error *e) \
    {                                                                                     \
        (void)e;                                                                          \
        ((struct slice_options *)into)->slice.name = text;                                \
        return true;                                                                      \
    }
SET(board)
SET(database)
SET(forward)
SET(why)
SET(post)
SET(graph)
SET(lines)
SET(plan)
SET(clock)

static bool cli_slice_add_invariant(void *into, const char *text, struct motet_error *e)
{
    struct slice_options *o = into;
    if (o->slice.invariant_count == MOST)
        return sentence(e, "more than %d invariants are given", MOST);
    o->invariants[o->slice.invariant_count++] = text;
    return true;
}

static bool cli_slice_add_stop(void *into, const char *text, struct motet_error *e)
{
    struct slice_options *o = into;
    if (o->slice.stop_count == MOST)
        return sentence(e, "more than %d places to stop at are given", MOST);
    o->stops[o->slice.stop_count++] = text;
    return true;
}

static bool cli_slice_add_next(void *into, const char *text, struct motet_error *e)
{
    struct slice_options *o = into;
    if (o->slice.next_count == MOST)
        return sentence(e, "more than %d traces are given", MOST);
    o->next[o->slice.next_count++] = text;
    return true;
}

static bool cli_slice_set_part(void *into, const char *text, struct motet_error *e)
{
    struct motet_slice *o = &((struct slice_options *)into)->slice;
    return option_part(text, &o->part, &o->parts, e);
}

static bool cli_slice_set_measure(void *into, const char *text, struct motet_error *e)
{
    static const char *const names[] = {
        [MOTET_SLICE_EVERYTHING] = "everything", [MOTET_SLICE_SLICED] = "sliced", [MOTET_SLICE_INLINED] = "inlined"};
    for (unsigned i = MOTET_SLICE_EVERYTHING; i <= MOTET_SLICE_INLINED; i++)
        if (strcmp(names[i], text) == 0) {
            ((struct slice_options *)into)->slice.measure = (enum motet_slice_measure)i;
            return true;
        }
    return sentence(e, "--measure has no '%s'; everything, sliced and inlined are known", text);
}

static bool cli_slice_set_level(void *into, const char *text, struct motet_error *e)
{
    char *end;
    long level = strtol(text, &end, 10);
    if (*end || level < 1 || level > 1000)
        return sentence(e, "'%s' is no level: 1 is the nearest to the check", text);
    ((struct slice_options *)into)->slice.level = (int)level;
    return true;
}

static bool cli_slice_set_json(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct slice_options *)into)->slice.json = true;
}

static const struct option options[] = {
    {"invariant", "INVARIANT",
     "what must hold: [FILE:][FUNCTION:] EXPRESSION [within TIME | every TIME]. FUNCTION is where it is checked; it "
     "may be "
     "a name of nesC with dots, or lines (FILE:10-20). Without an expression, the named function checks it. May be "
     "given "
     "several times",
     cli_slice_add_invariant},
    {"board", "BOARD", "the board that the sources are for, where only compiler options are given after --",
     cli_slice_set_board},
    {"commands", "FILE", "takes sources and options from a compilation database (compile_commands.json)",
     cli_slice_set_database},
    {"stop-at", "FILE|FUNCTION",
     "ends the slice there: the function's results are recorded, and what it depends on does not count. May be given "
     "several times",
     cli_slice_add_stop},
    {"forward", "NAME", "shows what a function or variable (FILE:NAME) can affect, for the review of a change",
     cli_slice_set_forward},
    {"why", "FUNCTION", "prints the chain of dependences that brings a function into the slice, with source lines",
     cli_slice_set_why},
    {"level", "N", "lists and draws functions up to this level only", cli_slice_set_level},
    {"graph", "FILE", "draws the functions with calls and dependences: a picture (.svg), else a text for Graphviz",
     cli_slice_set_graph},
    {"lines", "FILE", "writes each line of the sources that is in the slice, with its function", cli_slice_set_lines},
    {"plan", "FILE", "writes the functions up to --level, for motet cc --trace, and prints nothing",
     cli_slice_set_plan},
    {"part", "K/N", "of a plan: takes one of N parts of the highest level, where all of it does not fit the chip",
     cli_slice_set_part},
    {"measure", "WHAT",
     "writes a plan for sizes alone, whose trace cannot be read: of everything, of all that is in the slice (sliced), "
     "or of that without notes where a replay needs none (inlined)",
     cli_slice_set_measure},
    {"next", "FIRMWARE:TRACE",
     "chooses what to trace next: the functions that ran in the trace, and those of the next level that are connected "
     "with one of them. With --plan, for motet cc --trace. May be given several times",
     cli_slice_add_next},
    {"clock", "EXPRESSION/HZ", "of a plan: what invariants about time go by, as for motet cc", cli_slice_set_clock},
    {"post", "FUNCTION", "a function of the firmware that queues a task: its argument leads to the task's function",
     cli_slice_set_post},
    {"json", NULL, "prints JSON", cli_slice_set_json},
    {NULL, NULL, NULL, NULL},
};

static int cli_slice_run(const struct verb *v, int argc, char **argv)
{
    int own = options_before_command(v, argc, argv);
    if (own < 0)
        return 0;
    enum { MOST_FILES = 1024 };
    const char *files[MOST_FILES + 1] = {NULL};
    struct verb without = *v; /* the command is not for options_parse */
    without.operands = "[FILE...]";
    struct slice_options o = {0};
    struct motet_error e = {""};
    int status;
    if (!options_parse(&without, own, argv, &o, files, MOST_FILES, &status))
        return status;
    o.slice.files = files;
    while (files[o.slice.file_count])
        o.slice.file_count++;
    o.slice.invariants = o.invariants;
    o.slice.stops = o.stops;
    o.slice.next = o.next;
    o.slice.command = argv + own + 1;
    o.slice.command_count = own < argc ? (size_t)(argc - own - 1) : 0;
    if (!motet_slice(&o.slice, &e)) {
        fflush(stdout);
        return complain("%s", e.text);
    }
    return 0;
}

extern const struct verb verb_slice;
const struct verb verb_slice = {
    .name = "slice",
    .operands = "[FILE...] [-- COMMAND...]",
    .about = "find the functions that can affect an invariant",
    .more =
        "Reads a firmware's C sources and works out which functions can affect an invariant, through values, memory, "
        "branches and calls, also across tasks and interrupt handlers. A level says how far a function is from the "
        "check. The sources are FILEs with a compiler's options after --, or a compiler's whole command after --, or "
        "a compilation database.",
    .options = options,
    .run = cli_slice_run,
};
