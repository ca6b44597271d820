/* coverage: which instructions and lines of source were executed, and how often. */
#include "monitor/functions.h"
#include "monitor/monitor.h"

/* A line of source. Its count is that of its most executed instruction. */
struct line {
    const char *file;
    unsigned number;
    uint64_t count;
};

struct coverage {
    struct monitor_site site;
    struct functions functions;
    uint64_t *counts; /* by address / 2 */
    size_t room;
    struct line *lines; /* by file, then number */
    size_t line_count, line_room;
};

static void coverage_executed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct coverage *c = context;
    (void)n, (void)after;
    if (pc / 2 >= c->room)
        c->counts = monitor_reaching(c->counts, &c->room, pc / 2, sizeof *c->counts);
    c->counts[pc / 2]++;
}

static uint64_t count_at(const struct coverage *c, uint32_t pc)
{
    return pc / 2 < c->room ? c->counts[pc / 2] : 0;
}

static bool coverage_has_lines(const motet_machine *m)
{
    struct motet_instruction i;
    for (uint32_t at = 0; motet_machine_instruction(m, at, &i); at += i.size)
        if (i.kind == MOTET_CODE_INSTRUCTION && i.file && i.line)
            return true;
    return false;
}

static const char coverage_how[] = "give an ELF file that was built with -g and not stripped";

/* lcov's format holds lines and nothing else. One firmware of the network with lines is enough. */
static bool coverage_can_write_lcov(const struct monitor_site *site, struct motet_error *e)
{
    for (size_t i = 0; i < motet_network_count(site->network); i++)
        if (coverage_has_lines(motet_node_machine(motet_network_at(site->network, i))))
            return true;
    return monitor_sentence(e, "%.600s has no line information, which format=lcov needs; %s",
                            motet_machine_path(site->machine), coverage_how);
}

static void *coverage_attach(const struct monitor_site *site, struct motet_error *e)
{
    const char *format = monitor_option(site, "format");
    if (format && strcmp(format, "lcov") == 0 && !coverage_can_write_lcov(site, e))
        return NULL;
    struct coverage *c = memory_new(sizeof *c);
    c->site = *site;
    functions_make(&c->functions, site->machine);
    motet_probe(site->node, MOTET_EVERYWHERE, MOTET_BEFORE, coverage_executed, c);
    return c;
}

/* ---- lines ---- */

static int by_line(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int files = strcmp(x->file, y->file);
    if (files)
        return files;
    return x->number != y->number ? (x->number > y->number) - (x->number < y->number) : 0;
}

static void collect_lines(void *state)
{
    struct coverage *c = state;
    struct motet_instruction i;
    for (uint32_t at = 0; motet_machine_instruction(c->site.machine, at, &i); at += i.size) {
        if (i.kind != MOTET_CODE_INSTRUCTION || !i.file || !i.line)
            continue;
        c->lines = memory_grow(c->lines, &c->line_room, c->line_count, sizeof *c->lines);
        c->lines[c->line_count++] = (struct line){i.file, i.line, count_at(c, at)};
    }
    if (!c->line_count)
        return;
    qsort(c->lines, c->line_count, sizeof *c->lines, by_line);
    size_t kept = 0;
    for (size_t k = 1; k < c->line_count; k++) {
        if (by_line(&c->lines[kept], &c->lines[k]) != 0)
            c->lines[++kept] = c->lines[k];
        else if (c->lines[k].count > c->lines[kept].count)
            c->lines[kept].count = c->lines[k].count;
    }
    c->line_count = kept + 1;
}

struct share {
    unsigned executed, all;
};

static struct share coverage_of_function(const struct coverage *c, const struct function *f)
{
    struct motet_instruction i;
    struct share s = {0, 0};
    for (uint32_t at = f->address; at < f->end && motet_machine_instruction(c->site.machine, at, &i); at += i.size)
        if (i.kind == MOTET_CODE_INSTRUCTION) {
            s.all++;
            s.executed += count_at(c, at) != 0;
        }
    return s;
}

static size_t file_end(const struct coverage *c, size_t from)
{
    size_t k = from;
    while (k < c->line_count && strcmp(c->lines[k].file, c->lines[from].file) == 0)
        k++;
    return k;
}

static struct share of_lines(const struct coverage *c, size_t from, size_t to)
{
    struct share s = {0, (unsigned)(to - from)};
    for (size_t k = from; k < to; k++)
        s.executed += c->lines[k].count != 0;
    return s;
}

static double percent(struct share s)
{
    return s.all ? 100.0 * s.executed / s.all : 0;
}

/* ---- writing ---- */

static void coverage_write_text(void *state, FILE *out)
{
    const struct coverage *c = state;
    fprintf(out, "%7s  %-13s  %s\n", "share", "instructions", "function");
    for (size_t i = 1; i < c->functions.count; i++) {
        struct share s = coverage_of_function(c, &c->functions.list[i]);
        if (s.all)
            fprintf(out, "%6.1f%%  %5u of %5u  %s\n", percent(s), s.executed, s.all, c->functions.list[i].name);
    }
    if (c->line_count)
        fprintf(out, "%7s  %-13s  %s\n", "share", "lines", "file");
    else
        fprintf(out, "%s has no line information, so lines are not counted; %s\n", motet_machine_path(c->site.machine),
                coverage_how);
    for (size_t from = 0, to; from < c->line_count; from = to) {
        to = file_end(c, from);
        struct share s = of_lines(c, from, to);
        fprintf(out, "%6.1f%%  %5u of %5u  %s\n", percent(s), s.executed, s.all, c->lines[from].file);
    }
}

static void coverage_write_json(void *state, FILE *out)
{
    const struct coverage *c = state;
    const char *comma = "";
    fprintf(out, ", \"functions\": [");
    for (size_t i = 1; i < c->functions.count; i++) {
        struct share s = coverage_of_function(c, &c->functions.list[i]);
        if (!s.all)
            continue;
        fprintf(out, "%s{\"name\": ", comma);
        monitor_json_string(out, c->functions.list[i].name);
        fprintf(out, ", \"entered\": %" PRIu64 ", \"executed\": %u, \"instructions\": %u}",
                count_at(c, c->functions.list[i].address), s.executed, s.all);
        comma = ", ";
    }
    fprintf(out, "], \"files\": [");
    for (size_t from = 0, to; from < c->line_count; from = to) {
        to = file_end(c, from);
        struct share s = of_lines(c, from, to);
        fprintf(out, "%s{\"name\": ", from ? ", " : "");
        monitor_json_string(out, c->lines[from].file);
        fprintf(out, ", \"executed\": %u, \"lines\": %u}", s.executed, s.all);
    }
    fprintf(out, "], \"line_information\": %s", c->line_count ? "true" : "false");
}

static void write_lcov_functions(const struct coverage *c, const char *file, FILE *out)
{
    struct share s = {0, 0};
    for (size_t i = 1; i < c->functions.count; i++) {
        const struct function *f = &c->functions.list[i];
        struct motet_instruction first;
        if (!motet_machine_instruction(c->site.machine, f->address, &first) || !first.file || !first.line ||
            strcmp(first.file, file) != 0)
            continue;
        uint64_t entered = count_at(c, f->address);
        fprintf(out, "FN:%u,%s\nFNDA:%" PRIu64 ",%s\n", first.line, f->name, entered, f->name);
        s.all++;
        s.executed += entered != 0;
    }
    fprintf(out, "FNF:%u\nFNH:%u\n", s.all, s.executed);
}

/* As geninfo(1) describes the format. */
static void write_lcov(void *state, FILE *out)
{
    const struct coverage *c = state;
    for (size_t from = 0, to; from < c->line_count; from = to) {
        to = file_end(c, from);
        struct share s = of_lines(c, from, to);
        fprintf(out, "TN:node_%" PRIu32 "\nSF:%s\n", motet_node_id(c->site.node), c->lines[from].file);
        write_lcov_functions(c, c->lines[from].file, out);
        for (size_t k = from; k < to; k++)
            fprintf(out, "DA:%u,%" PRIu64 "\n", c->lines[k].number, c->lines[k].count);
        fprintf(out, "LF:%u\nLH:%u\nend_of_record\n", s.all, s.executed);
    }
}

static void coverage_end(void *state)
{
    struct coverage *c = state;
    functions_free(&c->functions);
    free(c->counts);
    free(c->lines);
    free(c);
}

static const struct monitor_format formats[] = {
    {"text", "the share of each function and file", coverage_write_text, false},
    {"json", "the same for machines", coverage_write_json, false},
    {"lcov", "for genhtml: how often each line was executed", write_lcov, false},
    {NULL, NULL, NULL, false},
};

extern const struct monitor monitor_coverage;
const struct monitor monitor_coverage = {
    .name = "coverage",
    .about = "which instructions and lines of source were executed, and how often",
    .formats = formats,
    .attach = coverage_attach,
    .finish = collect_lines,
    .free = coverage_end,
};
