/* motet graph: a firmware's control flow, for Graphviz. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "firmware.h"
#include "sentence.h"

struct graph_options {
    struct motet_options machine;
    const char *function;
    bool calls;
};

static bool cli_graph_set_function(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct graph_options *)into)->function = text;
    return true;
}

static bool cli_graph_set_calls(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct graph_options *)into)->calls = true;
}

static const struct option options[] = {
    FIRMWARE_BOARD,
    {"function", "NAME", "draws this function only; with --calls, what it calls and what calls it",
     cli_graph_set_function},
    {"calls", NULL, "draws which function calls which, instead of the flow within functions", cli_graph_set_calls},
    {NULL, NULL, NULL, NULL},
};

/* What is drawn, and of which function; UINT32_MAX: of all. */
struct graph {
    const motet_machine *machine;
    motet_analysis *analysis;
    uint32_t function;
};

/* ---- names ---- */

/* A text inside of quotes, in a label whose lines are set to the left. */
static void cli_graph_escaped(const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
}

/* "main", or the address of code that no symbol names. */
static const char *cli_graph_name(const struct graph *g, uint32_t function, char text[256])
{
    struct motet_instruction i;
    if (motet_machine_instruction(g->machine, function, &i) && i.label)
        snprintf(text, 256, "%s", i.label);
    else
        snprintf(text, 256, "0x%" PRIx32, function);
    return text;
}

/* The function of the block that an instruction is in; false if it is in none. */
static bool cli_graph_function_of(const struct graph *g, uint32_t at, uint32_t *function)
{
    struct motet_block b;
    size_t low = 0, high = 1;
    while (motet_analysis_block(g->analysis, high, &b) && b.first <= at)
        high *= 2;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (motet_analysis_block(g->analysis, middle, &b) && b.first <= at)
            low = middle;
        else
            high = middle;
    }
    if (!motet_analysis_block(g->analysis, low, &b) || at < b.first || at >= b.end)
        return false;
    *function = b.function;
    return true;
}

/* ---- the flow within functions ---- */

static bool cli_graph_wants(const struct graph *g, uint32_t function)
{
    return g->function == UINT32_MAX || g->function == function;
}

static void cli_graph_block(const struct graph *g, const struct motet_block *b)
{
    struct motet_instruction i;
    const char *file = NULL;
    unsigned line = 0;
    printf("        b%" PRIx32 " [label=\"", b->first);
    for (uint32_t at = b->first; at < b->end && motet_machine_instruction(g->machine, at, &i); at += i.size) {
        const char *slash = i.file ? strrchr(i.file, '/') : NULL;
        if (i.file && (i.file != file || i.line != line)) {
            cli_graph_escaped(slash ? slash + 1 : i.file);
            printf(":%u\\l", i.line);
        }
        file = i.file;
        line = i.line;
        printf("%" PRIx32 ": ", at);
        cli_graph_escaped(i.text);
        printf("\\l");
    }
    printf("\"];\n");
}

static void cli_graph_clusters(const struct graph *g)
{
    struct motet_block b;
    char name[256];
    bool open = false;
    uint32_t function = 0;
    for (size_t i = 0; motet_analysis_block(g->analysis, i, &b); i++) {
        if (!cli_graph_wants(g, b.function))
            continue;
        if (!open || b.function != function) {
            printf("%s    subgraph cluster_%" PRIx32 "_%zu {\n        label=\"", open ? "    }\n" : "", b.function, i);
            cli_graph_escaped(cli_graph_name(g, b.function, name));
            printf("\";\n");
        }
        open = true;
        function = b.function;
        cli_graph_block(g, &b);
    }
    if (open)
        printf("    }\n");
}

static const char *cli_graph_style(enum motet_edge_kind kind)
{
    switch (kind) {
    case MOTET_EDGE_BRANCH: return " [color=blue, label=\"if\"]";
    case MOTET_EDGE_TABLE: return " [color=blue, label=\"table\"]";
    case MOTET_EDGE_CALL: return " [style=dashed, color=gray40, label=\"call\"]";
    default: return "";
    }
}

/* The first instruction of the block that ends with this one. */
static uint32_t cli_graph_block_of(const struct graph *g, uint32_t at, size_t *number)
{
    struct motet_block b = {0};
    while (motet_analysis_block(g->analysis, *number, &b) && b.end <= at)
        ++*number;
    return b.first;
}

/* A function that is not drawn. */
static void cli_graph_other(const struct graph *g, uint32_t function)
{
    char name[256];
    printf("    f%" PRIx32 " [shape=plaintext, label=\"", function);
    cli_graph_escaped(cli_graph_name(g, function, name));
    printf("\"];\n");
}

static void cli_graph_edge(const struct graph *g, const struct motet_edge *e, uint32_t block)
{
    uint32_t from, to;
    if (!cli_graph_function_of(g, e->from, &from) || !cli_graph_function_of(g, e->to, &to))
        return;
    bool begins = cli_graph_wants(g, from), ends = cli_graph_wants(g, to);
    if (!begins && !ends)
        return;
    if (!begins || !ends)
        cli_graph_other(g, begins ? to : from);
    printf("    %c%" PRIx32 " -> %c%" PRIx32 "%s;\n", begins ? 'b' : 'f', begins ? block : from, ends ? 'b' : 'f',
           ends ? e->to : to, cli_graph_style(e->kind));
}

static void cli_graph_flow(const struct graph *g)
{
    struct motet_edge e;
    size_t number = 0;
    cli_graph_clusters(g);
    for (size_t i = 0; motet_analysis_edge(g->analysis, i, &e); i++)
        cli_graph_edge(g, &e, cli_graph_block_of(g, e.from, &number));
}

/* ---- calls ---- */

struct call {
    uint32_t from, to; /* functions */
    bool jump;         /* or a fall from the end of one into the next */
};

static void cli_graph_call(const struct graph *g, const struct call *c)
{
    char from[256], to[256];
    printf("    \"");
    cli_graph_escaped(cli_graph_name(g, c->from, from));
    printf("\" -> \"");
    cli_graph_escaped(cli_graph_name(g, c->to, to));
    printf("\"%s;\n", c->jump ? " [style=dotted, label=\"goes on\"]" : "");
}

/* Whether the same line was printed before: `from` ascends with its function, so its other edges are near. */
static bool cli_graph_seen(const struct graph *g, size_t number, const struct call *c)
{
    struct motet_edge e;
    while (number-- > 0 && motet_analysis_edge(g->analysis, number, &e)) {
        uint32_t from, to;
        if (!cli_graph_function_of(g, e.from, &from) || from != c->from)
            return false;
        bool jump = e.kind != MOTET_EDGE_CALL;
        if (cli_graph_function_of(g, e.to, &to) && to == c->to && jump == c->jump && (!jump || to != from))
            return true;
    }
    return false;
}

static void cli_graph_pointers(const struct graph *g)
{
    uint32_t at, function;
    char name[256];
    uint32_t before = UINT32_MAX;
    for (size_t i = 0; motet_analysis_indirect(g->analysis, i, &at); i++) {
        if (!cli_graph_function_of(g, at, &function) || function == before || !cli_graph_wants(g, function))
            continue;
        before = function;
        printf("    \"");
        cli_graph_escaped(cli_graph_name(g, function, name));
        printf("\" -> \"a pointer\" [style=dashed];\n");
    }
    if (before == UINT32_MAX || g->function != UINT32_MAX)
        return;
    for (size_t i = 0; motet_analysis_taken(g->analysis, i, &function); i++) {
        printf("    \"a pointer\" -> \"");
        cli_graph_escaped(cli_graph_name(g, function, name));
        printf("\" [style=dashed];\n");
    }
}

static void cli_graph_calls(const struct graph *g)
{
    struct motet_edge e;
    for (size_t i = 0; motet_analysis_edge(g->analysis, i, &e); i++) {
        struct call c = {.jump = e.kind != MOTET_EDGE_CALL};
        if (!cli_graph_function_of(g, e.from, &c.from) || !cli_graph_function_of(g, e.to, &c.to))
            continue;
        bool drawn = !c.jump || c.from != c.to;
        if (drawn && (cli_graph_wants(g, c.from) || cli_graph_wants(g, c.to)) && !cli_graph_seen(g, i, &c))
            cli_graph_call(g, &c);
    }
    cli_graph_pointers(g);
}

static int cli_graph_run(const struct verb *v, int argc, char **argv)
{
    struct graph_options o = {.machine = MOTET_OPTIONS_DEFAULT};
    struct motet_error e = {""};
    const char *file;
    int status = 0;
    if (!options_parse(v, argc, argv, &o, &file, 1, &status))
        return status;
    motet_machine *m = motet_machine_load(file, &o.machine, &e);
    if (!m)
        return complain("%s", e.text);
    struct graph g = {.machine = m, .function = UINT32_MAX};
    struct motet_symbol function;
    if (o.function && !firmware_find(m, o.function, true, &function)) {
        motet_machine_free(m);
        return STATUS_USAGE;
    }
    if (o.function)
        g.function = function.address;
    g.analysis = motet_analysis_new(m, NULL, 0, &e);
    printf("digraph firmware {\n    node [shape=box, fontname=monospace, fontsize=9];\n");
    (o.calls ? cli_graph_calls : cli_graph_flow)(&g);
    printf("}\n");
    motet_analysis_free(g.analysis);
    motet_machine_free(m);
    return 0;
}

extern const struct verb verb_graph;
const struct verb verb_graph = {
    .name = "graph",
    .operands = "FILE",
    .about = "draw a firmware's control flow, for Graphviz",
    .more = "Prints the control-flow graph of a firmware in Graphviz's language: a box for each run of instructions, a "
            "frame for each function. Make a picture with: motet graph FILE | dot -Tsvg >graph.svg",
    .options = options,
    .run = cli_graph_run,
};
