/* motet trace: what a firmware that was built with motet cc --trace-level has noted in RAM. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motet/trace.h"
#include "option.h"
#include "sentence.h"

struct trace_options {
    const char *elf, *board;
};

static bool cli_trace_set_elf(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct trace_options *)into)->elf = text;
    return true;
}

static bool cli_trace_set_board(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct trace_options *)into)->board = text;
    return true;
}

static const struct option options[] = {
    {"elf", "FIRMWARE", "the firmware that wrote the trace", cli_trace_set_elf},
    {"board", "BOARD", "the board, or chip, it is for, where the firmware does not say it", cli_trace_set_board},
    {NULL, NULL, NULL, NULL},
};

/* What has happened to the depth of calls; entries that were lost leave returns without them. */
static int cli_trace_step(const struct motet_trace_event *e)
{
    bool enters = e->kind == MOTET_TRACE_ENTERED || e->kind == MOTET_TRACE_CALLED;
    return enters ? 1 : e->kind == MOTET_TRACE_LEFT ? -1 : 0;
}

static int cli_trace_depth(const motet_trace *t)
{
    struct motet_trace_event e;
    int depth = 0, lowest = 0;
    for (size_t i = 0; motet_trace_event(t, i, &e); i++) {
        depth += cli_trace_step(&e);
        lowest = depth < lowest ? depth : lowest;
    }
    return -lowest;
}

static void cli_trace_place(const char *sign, const struct motet_trace_event *e, const char *what)
{
    printf("%s %s  %s:%u  ", sign, e->name ? e->name : "?", e->file ? e->file : "?", e->line);
    if (e->level)
        printf("level %u%s\n", e->level, what);
    else
        printf("not traced%s\n", what);
}

/* Bytes of one variable that follow each other, in one line. */
static void cli_trace_changes(const motet_trace *t, size_t event, int depth)
{
    struct motet_trace_change c, before = {NULL, 0, 0};
    for (size_t i = 0; motet_trace_change(t, event, i, &c); before = c, i++) {
        bool same = before.name && strcmp(before.name, c.name) == 0 && c.offset == before.offset + 1;
        if (!same)
            printf("%s%*s= %s+%u", i ? "\n" : "", 2 * depth, "", c.name, c.offset);
        printf(" %02x", c.value);
    }
    printf("\n");
}

static void cli_trace_print(const motet_trace *t)
{
    struct motet_trace_event e;
    char text[64];
    int depth = cli_trace_depth(t);
    for (size_t i = 0; motet_trace_inlined(t, i, &e); i++)
        cli_trace_place("+", &e, ", called by traced functions alone, without notes");
    for (size_t i = 0; motet_trace_event(t, i, &e); i++) {
        depth -= e.kind == MOTET_TRACE_LEFT;
        if (e.kind != MOTET_TRACE_CHANGED)
            printf("%*s", 2 * depth, "");
        switch (e.kind) {
        case MOTET_TRACE_ENTERED: cli_trace_place(">", &e, ", from outside"); break;
        case MOTET_TRACE_CALLED: cli_trace_place(">", &e, ""); break;
        case MOTET_TRACE_LEFT: cli_trace_place("<", &e, ""); break;
        case MOTET_TRACE_BACK: cli_trace_place(".", &e, ", has returned"); break;
        case MOTET_TRACE_INTERRUPT:
            snprintf(text, sizeof text, ", after %u counted references", e.number);
            cli_trace_place("!", &e, text);
            break;
        case MOTET_TRACE_VALUE:
            printf("= value");
            for (size_t k = 0; k < e.size; k++)
                printf(" %02x", e.bytes[k]);
            printf("\n");
            break;
        case MOTET_TRACE_CHANGED: cli_trace_changes(t, i, depth); break;
        case MOTET_TRACE_SETTLED: printf("! handlers changed that\n"); break;
        case MOTET_TRACE_END: printf("# invariant %u is violated\n", e.number); break;
        }
        depth += cli_trace_step(&e) > 0;
    }
}

static int cli_trace_run(const struct verb *v, int argc, char **argv)
{
    struct trace_options o = {0};
    struct motet_error e = {""};
    const char *path;
    int status = 0;
    if (!options_parse(v, argc, argv, &o, &path, 1, &status))
        return status;
    if (!o.elf)
        return complain("which firmware wrote the trace? Give --elf");
    struct motet_options machine = MOTET_OPTIONS_DEFAULT;
    machine.board = o.board;
    motet_machine *m = motet_machine_load(o.elf, &machine, &e);
    motet_trace *t = m ? motet_trace_load(m, path, &e) : NULL;
    if (t)
        cli_trace_print(t);
    bool good = t != NULL;
    motet_trace_free(t);
    motet_machine_free(m);
    return good ? 0 : complain("%s", e.text);
}

extern const struct verb verb_trace;
const struct verb verb_trace = {
    .name = "trace",
    .operands = "FILE",
    .about = "print what a firmware has traced in RAM",
    .more =
        "Prints what a firmware that was built with motet cc --trace-level has noted, the last event last: which "
        "functions were entered and left, values, changes of variables, interrupts. FILE has the bytes of its "
        "variable motet_trace_log: from a debugger, from motet run --monitor traced, or as motet_trace_send has sent "
        "them. motet replay --native executes the traced functions with these values.",
    .options = options,
    .run = cli_trace_run,
};
