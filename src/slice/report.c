#include "slice/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "export/json.h"
#include "ir/ir.h"
#include "slice/cost.h"

/* ---- functions in order ---- */

struct row {
    int function, level;
    const char *file, *name;
    unsigned line;
};

static int report_compare(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int file = strcmp(x->file, y->file);
    if (x->level != y->level) /* those without a level last */
        return !x->level ? 1 : !y->level ? -1 : x->level < y->level ? -1 : 1;
    return file ? file : x->line != y->line ? (x->line < y->line ? -1 : 1) : strcmp(x->name, y->name);
}

/* The functions of the slice, and those that delay; copies once. */
static struct row *report_rows(const struct report *r, size_t *count)
{
    const struct program *p = r->d->p;
    struct row *rows = memory_array((size_t)p->function_count + 1, sizeof *rows);
    *count = 0;
    for (int f = 0; f < p->function_count; f++) {
        const struct function *is = &p->functions[f];
        bool delays = r->delays && r->delays[f];
        if (!is->is_reachable || is->group != f || (!r->w->inside[f] && !delays))
            continue;
        rows[(*count)++] = (struct row){.function = f,
                                        .level = r->l && r->l->in[f] ? r->l->level[f] : 0,
                                        .file = is->file,
                                        .name = is->name,
                                        .line = is->line};
    }
    qsort(rows, *count, sizeof *rows, report_compare);
    return rows;
}

static bool report_checks(const struct report *r, int function)
{
    for (size_t i = 0; i < r->o->invariant_count; i++)
        if (r->invariants[i].checker == function)
            return true;
    return false;
}

/* What is special about a function. */
static const char *report_kind(const struct report *r, const struct row *row)
{
    const struct program *p = r->d->p;
    bool collapsed = r->l && r->l->real[row->function] >= 0 && r->l->real[row->function] != row->function;
    if (report_checks(r, row->function))
        return "checks the invariant";
    if (r->stops && r->stops[row->function])
        return "stop";
    if (!r->w->inside[row->function])
        return "delays";
    if (collapsed)
        return "forwards";
    return p->functions[row->function].is_handler ? "handler" : "";
}

static bool report_is_listed(const struct report *r, const struct row *row)
{
    return !r->o->level || (row->level && row->level <= r->o->level);
}

/* ---- the table ---- */

static void report_levels(const struct report *r)
{
    fprintf(r->out, "\nlevel  functions    sum  references  registers  table bytes  code bytes\n");
    for (int level = 1, before = 0; level <= r->l->highest; level++) {
        struct cost c;
        cost_of(&c, r->d, r->l, level);
        fprintf(r->out, "%5d  %9d  %5d  %10d  %9d  %11d  %10d\n", level, c.functions - before, c.functions,
                c.references, c.registers, c.table, c.code);
        before = c.functions;
    }
}

static void report_list(const struct report *r)
{
    size_t count;
    struct row *rows = report_rows(r, &count);
    fprintf(r->out, r->l ? "\nlevel  boundary  function\n" : "\nfunction\n");
    for (size_t i = 0; i < count; i++) {
        const char *kind = report_kind(r, &rows[i]);
        if (!report_is_listed(r, &rows[i]))
            continue;
        if (r->l && rows[i].level)
            fprintf(r->out, "%5d  %-8s  ", rows[i].level,
                    levels_is_boundary(r->l, rows[i].function, rows[i].level) ? "yes" : "");
        else if (r->l)
            fprintf(r->out, "%5s  %-8s  ", "-", "");
        fprintf(r->out, "%s  %s:%u%s%s\n", rows[i].name, rows[i].file, rows[i].line, kind[0] ? "  " : "", kind);
    }
    free(rows);
}

static int report_delaying(const struct report *r)
{
    int count = 0;
    for (int f = 0; r->delays && f < r->d->p->function_count; f++)
        count += r->delays[f] && !r->w->inside[r->d->p->functions[f].group] && r->d->p->functions[f].group == f;
    return count;
}

void report_table(const struct report *r)
{
    for (size_t i = 0; i < r->o->invariant_count; i++) {
        fprintf(r->out, "invariant  %s\nchecked in", r->invariants[i].s.text);
        for (size_t n = 0; n < r->invariants[i].check_count; n++)
            fprintf(r->out, "%s%s", n ? ", " : " ", r->d->p->functions[r->invariants[i].checks[n]].name);
        fprintf(r->out, "\n");
    }
    if (r->o->forward)
        fprintf(r->out, "affected by %s\n", r->o->forward);
    fprintf(r->out, "slice      %d of %d functions (%d %%)\n", r->w->functions, r->all,
            r->all ? 100 * r->w->functions / r->all : 0);
    if (r->l && r->l->collapsed)
        fprintf(r->out, "forwarding %d functions that only call another have no level of their own\n", r->l->collapsed);
    if (report_delaying(r))
        fprintf(r->out, "delaying   %d functions outside of the slice have loops that can make the check late\n",
                report_delaying(r));
    if (r->l)
        report_levels(r);
    report_list(r);
}

/* ---- JSON ---- */

/* In how many places a function is called, also through pointers. */
static int report_calls(const struct report *r, int function)
{
    const struct program *p = r->d->p;
    int calls = 0;
    for (int i = 0; i < p->instruction_count; i++)
        for (int t = r->d->points->first_target[i]; t >= 0; t = r->d->points->targets[t].next)
            calls += p->functions[r->d->points->targets[t].function].group == function;
    return calls;
}

static void report_json_function(const struct report *r, const struct row *row)
{
    fprintf(r->out, "{\"name\":");
    json_put(r->out, row->name);
    fprintf(r->out, ",\"file\":");
    json_put(r->out, row->file);
    fprintf(r->out, ",\"line\":%u,\"calls\":%d", row->line, report_calls(r, row->function));
    if (r->l && row->level)
        fprintf(r->out, ",\"level\":%d,\"boundary\":%s", row->level,
                levels_is_boundary(r->l, row->function, row->level) ? "true" : "false");
    const char *kind = report_kind(r, row);
    if (kind[0]) {
        fprintf(r->out, ",\"kind\":");
        json_put(r->out, kind);
    }
    fprintf(r->out, "}");
}

static void report_json_levels(const struct report *r)
{
    fprintf(r->out, ",\"levels\":[");
    for (int level = 1, before = 0; level <= r->l->highest; level++) {
        struct cost c;
        cost_of(&c, r->d, r->l, level);
        fprintf(
            r->out,
            "%s{\"level\":%d,\"functions\":%d,\"sum\":%d,\"references\":%d,\"registers\":%d,\"table\":%d,\"code\":%d}",
            level > 1 ? "," : "", level, c.functions - before, c.functions, c.references, c.registers, c.table, c.code);
        before = c.functions;
    }
    fprintf(r->out, "],\"forwarding\":%d", r->l->collapsed);
}

/* Variables of which something is in the slice. */
static void report_json_variables(const struct report *r)
{
    const struct objects *o = &r->d->points->o;
    size_t listed = 0;
    fprintf(r->out, ",\"variables\":[");
    for (size_t i = 0; i < o->count; i++) {
        bool in = false;
        for (int c = o->list[i].cells; c >= 0 && o->list[i].kind == OBJECT_VARIABLE; c = o->cells[c].before)
            in = in || r->w->reached[r->d->cells + c];
        if (!in)
            continue;
        char name[300];
        unsigned line;
        ir_name(o->list[i].value, name, sizeof name);
        fprintf(r->out, "%s{\"name\":", listed++ ? ",\n" : "\n");
        json_put(r->out, name);
        fprintf(r->out, ",\"file\":");
        json_put(r->out, ir_file(o->list[i].value, &line));
        fprintf(r->out, ",\"line\":%u}", line);
    }
    fprintf(r->out, "]");
}

void report_json(const struct report *r)
{
    size_t count, listed = 0;
    struct row *rows = report_rows(r, &count);
    fprintf(r->out, "{\"invariants\":[");
    for (size_t i = 0; i < r->o->invariant_count; i++) {
        fprintf(r->out, "%s", i ? "," : "");
        json_put(r->out, r->invariants[i].s.text);
    }
    fprintf(r->out, "],\"functions_in_slice\":%d,\"functions\":%d", r->w->functions, r->all);
    if (r->l)
        report_json_levels(r);
    fprintf(r->out, ",\"slice\":[");
    for (size_t i = 0; i < count; i++)
        if (report_is_listed(r, &rows[i])) {
            fprintf(r->out, "%s", listed++ ? ",\n" : "\n");
            report_json_function(r, &rows[i]);
        }
    fprintf(r->out, "]");
    report_json_variables(r);
    fprintf(r->out, "}\n");
    free(rows);
}

/* ---- the graph ---- */

static void report_node(const struct report *r, FILE *f, int node)
{
    if (node == r->l->check)
        fprintf(f, "\"the check\"");
    else
        fprintf(f, "\"%s\\n%s:%u\"", r->d->p->functions[node].name,
                strrchr(r->d->p->functions[node].file, '/') ? strrchr(r->d->p->functions[node].file, '/') + 1
                                                            : r->d->p->functions[node].file,
                r->d->p->functions[node].line);
}

static bool report_is_drawn(const struct report *r, int node)
{
    return node == r->l->check ||
           (node < r->l->check && r->l->level[node] > 0 && (!r->o->level || r->l->level[node] <= r->o->level));
}

static void report_dot(const struct report *r, FILE *f)
{
    static const char *const colours[] = {"#ffd7d7", "#ffe8c8", "#fff8c8", "#e0f4d0", "#d4ecf7"};
    fprintf(f,
            "digraph slice {\n    rankdir=BT;\n    node [shape=box, style=filled, fontname=monospace, fontsize=9];\n");
    for (int node = 0; node <= r->l->check; node++) {
        if (!report_is_drawn(r, node))
            continue;
        int level = node == r->l->check ? 0 : r->l->level[node];
        fprintf(f, "    ");
        report_node(r, f, node);
        fprintf(f, " [fillcolor=\"%s\"%s];\n", !level ? "#ff9f9f" : colours[(level - 1) % 5],
                level && levels_is_boundary(r->l, node, level) ? ", penwidth=2" : "");
    }
    for (int a = 0; a <= r->l->check; a++)
        for (int b = 0; b <= r->l->check; b++) {
            if (!report_is_drawn(r, a) || !report_is_drawn(r, b))
                continue;
            for (int kind = 0; kind < 2; kind++) {
                if (kind ? !levels_depends(r->l, a, b) : !levels_calls(r->l, b, a))
                    continue;
                fprintf(f, "    ");
                report_node(r, f, a);
                fprintf(f, " -> ");
                report_node(r, f, b);
                fprintf(f, kind ? " [style=dotted];\n" : ";\n");
            }
        }
    fprintf(f, "}\n");
}

static FILE *report_open_dot(const char *path, pid_t *child)
{
    int ends[2];
    if (pipe(ends) != 0)
        return NULL;
    *child = fork();
    if (*child == 0) {
        dup2(ends[0], 0);
        close(ends[0]);
        close(ends[1]);
        execlp("dot", "dot", "-Tsvg", "-o", path, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    return fdopen(ends[1], "w");
}

bool report_graph(const struct report *r, const char *path, struct motet_error *e)
{
    size_t length = strlen(path);
    bool svg = length > 4 && strcmp(path + length - 4, ".svg") == 0;
    pid_t child = -1;
    FILE *f = svg ? report_open_dot(path, &child) : fopen(path, "w");
    if (!f)
        return error_set(e, "cannot write %s: %s", path, strerror(errno));
    report_dot(r, f);
    bool good = fclose(f) == 0;
    int status = 0;
    if (svg && (waitpid(child, &status, 0) < 0 || status != 0))
        return error_set(e, "dot of Graphviz did not make %s; a file that does not end in .svg gets the graph as text",
                         path);
    return good || error_set(e, "cannot write %s: %s", path, strerror(errno));
}

/* ---- why ---- */

static void report_place(const struct report *r, int node)
{
    unsigned line = 0;
    int instruction = depend_instruction(r->d, node), function = depend_function(r->d, node);
    const char *file = instruction >= 0 ? ir_file(r->d->p->instructions[instruction].value, &line) : "";
    if (!line && function >= 0) {
        file = r->d->p->functions[function].file;
        line = r->d->p->functions[function].line;
    }
    if (function >= 0)
        fprintf(r->out, "%s:%u: %s", file, line, r->d->p->functions[function].name);
}

/* The step from a node to the one reached from it, in words, if that says something. */
static void report_step(const struct report *r, const struct dependence *e)
{
    char cell[300];
    const struct objects *o = &r->d->points->o;
    int at = e->kind == DEPEND_READ ? e->to - r->d->cells : e->kind == DEPEND_WRITE ? e->from - r->d->cells : -1;
    if (at >= 0)
        objects_name(o, o->cells[at].object, o->cells[at].offset, cell, sizeof cell);
    switch (e->kind) {
    case DEPEND_READ:
        report_place(r, e->from);
        fprintf(r->out, " reads %s\n", cell);
        break;
    case DEPEND_WRITE:
        report_place(r, e->to);
        fprintf(r->out, " writes %s\n", cell);
        break;
    case DEPEND_BRANCH:
        report_place(r, e->to);
        fprintf(r->out, " decides whether it runs\n");
        break;
    case DEPEND_CALL:
    case DEPEND_POST:
        report_place(r, e->to);
        fprintf(r->out, " %s %s\n", e->kind == DEPEND_CALL ? "calls" : "posts",
                r->d->p->functions[depend_function(r->d, e->from)].name);
        break;
    case DEPEND_ARGUMENT:
        report_place(r, e->to);
        fprintf(r->out, " passes an argument to %s\n", r->d->p->functions[depend_function(r->d, e->from)].name);
        break;
    case DEPEND_RESULT:
        if (depend_descends(r->d, e)) {
            report_place(r, e->from);
            fprintf(r->out, " uses the result of %s\n", r->d->p->functions[e->to - r->d->results].name);
            break;
        }
        break;
    default: break;
    }
}

bool report_why(const struct report *r, const char *name, struct motet_error *e)
{
    const struct program *p = r->d->p;
    int best = -1, length = 0, found = program_find(p, NULL, name, 0), *way = NULL;
    if (found < 0)
        return error_set(e, "there is no function '%s'", name);
    for (int node = 0; node < r->d->count; node++) {
        int function = r->w->reached[node] ? depend_function(r->d, node) : -1, steps;
        if (function < 0 || !stated_is_name(p->functions[function].name, name))
            continue;
        int *other = walk_way(r->w, r->d, node, &steps);
        bool better = best < 0 || steps < length;
        free(better ? way : other);
        if (better) {
            best = node;
            length = steps;
            way = other;
        }
    }
    if (best < 0) {
        fprintf(r->out, "%s is not in the slice%s\n", p->functions[found].name,
                r->delays && r->delays[found] ? "; it has a loop that can make the check late" : "");
        return true;
    }
    fprintf(r->out, "why %s is in the slice, from %s on:\n", p->functions[found].name,
            r->w->forward ? r->o->forward : "the invariant");
    for (int i = length; i-- > 0;)
        report_step(r, &r->d->edges[way[i]]);
    free(way);
    return true;
}

/* ---- everything, for other programs ---- */

bool report_nodes(const struct report *r, const char *path, struct motet_error *e)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return error_set(e, "cannot write %s: %s", path, strerror(errno));
    const struct program *p = r->d->p;
    for (int i = 0; i < p->instruction_count; i++) {
        unsigned line;
        const char *file = ir_file(p->instructions[i].value, &line);
        bool in = r->w->reached[i] || r->w->reached[r->d->calls + i];
        if (in && line)
            fprintf(f, "%s:%u %s\n", file, line, p->functions[program_function_of(p, i)].name);
    }
    return fclose(f) == 0 || error_set(e, "cannot write %s: %s", path, strerror(errno));
}
