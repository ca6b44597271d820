/* profile: instructions and cycles of every function, its own and with what it called; callers of each.
 *
 * What an instruction cost is the difference of the cycle counter from before it to before the next. It belongs to the
 * function whose call is on top (calls.h). That is the one it lies in, but for passages (functions.h), which are a part
 * of the function that jumps to them, and for an interrupt's entry and its vector, which belong to the handler. Time in
 * interrupt handlers is not part of what they interrupt: handlers are roots of their own.
 */
#include "monitor/calls.h"
#include "monitor/monitor.h"

struct cost {
    uint64_t instructions, cycles;
};

/* A chain of calls: a function called at a place by the chain before. */
struct chain {
    size_t before, function;
    uint32_t site;
    uint64_t calls;
    struct cost self, all; /* all, with what it called, is made at the end */
    size_t child, sibling; /* 0: none */
};

/* An instruction. */
struct place {
    struct cost cost;  /* for the function it lies in */
    uint32_t function; /* which is this, and 1; 0: not looked for yet */
};

struct profile {
    struct monitor_site site;
    struct calls calls;
    struct place *at; /* by address / 2 */
    size_t room;
    struct cost *elsewhere; /* by function: its cost in code that does not lie in it */
    struct chain *chains;   /* the first is empty */
    size_t chain_count, chain_room;
    size_t current;    /* whose cycles these are */
    bool unnamed;      /* they are those of an interrupt whose handler is not known yet: */
    struct cost early; /* its own so far */
    uint32_t last;     /* the instruction under way */
    uint64_t seen;     /* cycles that are counted */
    struct summary {
        size_t function;
        uint64_t calls;
        struct cost self, all;
    } * summaries; /* made at the end, most cycles first */
    size_t summary_count;
    struct edge {
        uint32_t site;
        size_t from, to;
        uint64_t calls;
        struct cost all;
    } * edges; /* likewise, by site and callee */
    size_t edge_count, edge_room;
};

/* ---- counting ---- */

static void profile_add(struct cost *to, struct cost c)
{
    to->instructions += c.instructions;
    to->cycles += c.cycles;
}

static struct place *place_at(struct profile *p, uint32_t pc)
{
    if (pc / 2 >= p->room)
        p->at = monitor_reaching(p->at, &p->room, pc / 2, sizeof *p->at);
    struct place *at = &p->at[pc / 2];
    if (!at->function)
        at->function = (uint32_t)functions_at(&p->calls.functions, pc) + 1;
    return at;
}

/* For what is on top. */
static void charge(struct profile *p, uint32_t pc, struct cost c)
{
    if (p->unnamed) {
        profile_add(&p->early, c);
        return;
    }
    struct chain *top = &p->chains[p->current];
    struct place *at = place_at(p, pc);
    profile_add(&top->self, c);
    profile_add(at->function == top->function + 1 ? &at->cost : &p->elsewhere[top->function], c);
}

/* What went by up to now belongs to the instruction under way. */
static void spend(struct profile *p)
{
    uint64_t now = monitor_cycles(p->site.node), spent = now > p->seen ? now - p->seen : 0;
    p->seen = now;
    if (!spent)
        return;
    charge(p, p->last, (struct cost){.cycles = spent});
}

static void profile_executed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct profile *p = context;
    (void)n, (void)after;
    spend(p);
    p->last = p->calls.jumped_from = pc;
    charge(p, pc, (struct cost){.instructions = 1});
}

static void profile_interrupted(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct profile *p = context;
    (void)n;
    spend(p);
    p->last = h->interrupt.handler;
    p->unnamed = true;
}

static size_t chain_of(struct profile *p, size_t before, const struct call *c)
{
    size_t i = p->chains[before].child;
    while (i && (p->chains[i].function != c->function || p->chains[i].site != c->site))
        i = p->chains[i].sibling;
    if (i)
        return i;
    p->chains = memory_grow(p->chains, &p->chain_room, p->chain_count, sizeof *p->chains);
    i = p->chain_count++;
    p->chains[i] =
        (struct chain){.before = before, .function = c->function, .site = c->site, .sibling = p->chains[before].child};
    p->chains[before].child = i;
    return i;
}

static void profile_begun(void *context, struct calls *c)
{
    struct profile *p = context;
    struct call *top = calls_top(c);
    bool interrupt = top->line != CALLS_NO_LINE, root = interrupt || c->count == 1;
    if (!p->elsewhere)
        p->elsewhere = memory_array(c->functions.count, sizeof *p->elsewhere);
    spend(p);
    if (c->count == 1)
        p->last = motet_node_pc(c->node); /* the time in which a reset holds the chip is its first instruction's */
    if (interrupt)
        top->site = 0; /* wherever it came */
    top->tag = chain_of(p, root ? 0 : c->list[c->count - 2].tag, top);
    p->current = top->tag;
    p->chains[p->current].calls++;
    if (p->unnamed) {
        p->unnamed = false;
        charge(p, p->last, p->early);
        p->early = (struct cost){0, 0};
    }
}

static void profile_ending(void *context, struct calls *c)
{
    struct profile *p = context;
    spend(p);
    p->current = c->count > 1 ? c->list[c->count - 2].tag : 0;
}

static void *profile_attach(const struct monitor_site *site, struct motet_error *e)
{
    (void)e;
    struct profile *p = memory_new(sizeof *p);
    p->site = *site;
    p->seen = motet_node_cycles(site->node);
    p->last = motet_node_pc(site->node);
    p->chains = memory_grow(p->chains, &p->chain_room, p->chain_count, sizeof *p->chains);
    p->chains[p->chain_count++] = (struct chain){.before = 0};
    calls_follow(&p->calls, site->node, profile_begun, profile_ending, p);
    motet_hook(site->node, MOTET_ON(INTERRUPT_ENTRY), profile_interrupted, p);
    motet_probe(site->node, MOTET_EVERYWHERE, MOTET_BEFORE, profile_executed, p);
    return p;
}

/* ---- adding up ---- */

/* A chain is made after the one before it, so from the last to the first all that is called is known. */
static void add_up_chains(struct profile *p)
{
    for (size_t i = 0; i < p->chain_count; i++)
        p->chains[i].all = p->chains[i].self;
    for (size_t i = p->chain_count; i-- > 1;)
        profile_add(&p->chains[p->chains[i].before].all, p->chains[i].all);
}

/* Of a function that is in a chain twice only the outer call counts, or its time would be counted twice. */
static bool profile_outermost(const struct profile *p, size_t i)
{
    for (size_t k = p->chains[i].before; k; k = p->chains[k].before)
        if (p->chains[k].function == p->chains[i].function)
            return false;
    return true;
}

static int by_cycles(const void *a, const void *b)
{
    const struct summary *x = a, *y = b;
    if (x->self.cycles != y->self.cycles)
        return x->self.cycles < y->self.cycles ? 1 : -1;
    return (x->function > y->function) - (x->function < y->function);
}

static void summarise_functions(struct profile *p)
{
    size_t count = p->calls.functions.count, kept = 0;
    p->summaries = memory_array(count, sizeof *p->summaries);
    for (size_t i = 0; i < count; i++)
        p->summaries[i].function = i;
    for (size_t i = 1; i < p->chain_count; i++) {
        struct summary *s = &p->summaries[p->chains[i].function];
        profile_add(&s->self, p->chains[i].self);
        s->calls += p->chains[i].calls;
        if (profile_outermost(p, i))
            profile_add(&s->all, p->chains[i].all);
    }
    for (size_t i = 0; i < count; i++)
        if (p->summaries[i].self.instructions || p->summaries[i].calls)
            p->summaries[kept++] = p->summaries[i];
    p->summary_count = kept;
    qsort(p->summaries, kept, sizeof *p->summaries, by_cycles);
}

static int by_site(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static void collect_edges(struct profile *p)
{
    size_t kept = 0;
    for (size_t i = 1; i < p->chain_count; i++) {
        const struct chain *c = &p->chains[i];
        if (!c->before)
            continue;
        p->edges = memory_grow(p->edges, &p->edge_room, p->edge_count, sizeof *p->edges);
        p->edges[p->edge_count++] =
            (struct edge){c->site, functions_at(&p->calls.functions, c->site), c->function, c->calls, c->all};
    }
    if (!p->edge_count)
        return;
    qsort(p->edges, p->edge_count, sizeof *p->edges, by_site);
    for (size_t i = 1; i < p->edge_count; i++) {
        if (by_site(&p->edges[kept], &p->edges[i]) != 0) {
            p->edges[++kept] = p->edges[i];
            continue;
        }
        p->edges[kept].calls += p->edges[i].calls;
        profile_add(&p->edges[kept].all, p->edges[i].all);
    }
    p->edge_count = kept + 1;
}

static void profile_finish(void *state)
{
    struct profile *p = state;
    spend(p);
    calls_end(&p->calls);
    add_up_chains(p);
    summarise_functions(p);
    collect_edges(p);
}

static struct cost total(const struct profile *p)
{
    struct cost t = {0, 0};
    for (size_t i = 0; i < p->summary_count; i++)
        profile_add(&t, p->summaries[i].self);
    return t;
}

static const char *profile_name_of(const struct profile *p, size_t function)
{
    return p->calls.functions.list[function].name;
}

/* ---- writing ---- */

static void profile_write_text(void *state, FILE *out)
{
    const struct profile *p = state;
    struct cost t = total(p);
    fprintf(out, "%" PRIu64 " instructions, %" PRIu64 " cycles\n", t.instructions, t.cycles);
    fprintf(out, "%7s %14s %14s %14s %10s  %s\n", "share", "cycles", "instructions", "with calls", "calls", "function");
    for (size_t i = 0; i < p->summary_count; i++) {
        const struct summary *s = &p->summaries[i];
        fprintf(out, "%6.2f%% %14" PRIu64 " %14" PRIu64 " %14" PRIu64 " %10" PRIu64 "  %s\n",
                t.cycles ? 100.0 * (double)s->self.cycles / (double)t.cycles : 0, s->self.cycles, s->self.instructions,
                s->all.cycles, s->calls, profile_name_of(p, s->function));
    }
    fprintf(out, "%14s %10s  %s\n", "cycles", "calls", "caller -> called");
    for (size_t i = 0; i < p->edge_count; i++) {
        const struct edge *d = &p->edges[i];
        fprintf(out, "%14" PRIu64 " %10" PRIu64 "  %s+0x%" PRIx32 " -> %s\n", d->all.cycles, d->calls,
                profile_name_of(p, d->from), d->site - p->calls.functions.list[d->from].address,
                profile_name_of(p, d->to));
    }
}

static void profile_write_json(void *state, FILE *out)
{
    const struct profile *p = state;
    struct cost t = total(p);
    fprintf(out, ", \"instructions\": %" PRIu64 ", \"cycles\": %" PRIu64 ", \"functions\": [", t.instructions,
            t.cycles);
    for (size_t i = 0; i < p->summary_count; i++) {
        const struct summary *s = &p->summaries[i];
        fprintf(out, "%s{\"name\": ", i ? ", " : "");
        monitor_json_string(out, profile_name_of(p, s->function));
        fprintf(out, ", \"calls\": %" PRIu64 ", \"instructions\": %" PRIu64 ", \"cycles\": %" PRIu64, s->calls,
                s->self.instructions, s->self.cycles);
        fprintf(out, ", \"instructions_with_calls\": %" PRIu64 ", \"cycles_with_calls\": %" PRIu64 "}",
                s->all.instructions, s->all.cycles);
    }
    fprintf(out, "], \"calls\": [");
    for (size_t i = 0; i < p->edge_count; i++) {
        const struct edge *d = &p->edges[i];
        fprintf(out, "%s{\"from\": ", i ? ", " : "");
        monitor_json_string(out, profile_name_of(p, d->from));
        fprintf(out, ", \"pc\": %" PRIu32 ", \"to\": ", d->site);
        monitor_json_string(out, profile_name_of(p, d->to));
        fprintf(out, ", \"calls\": %" PRIu64 ", \"instructions\": %" PRIu64 ", \"cycles\": %" PRIu64 "}", d->calls,
                d->all.instructions, d->all.cycles);
    }
    fprintf(out, "]");
}

static struct motet_instruction source_at(const struct profile *p, uint32_t pc)
{
    struct motet_instruction i;
    if (!motet_machine_instruction(p->site.machine, pc, &i))
        i = (struct motet_instruction){.file = NULL};
    if (!i.file)
        i.line = 0;
    return i;
}

static const char *profile_file_of(const struct motet_instruction *i)
{
    return i->file ? i->file : "???";
}

static void write_calls_at(const struct profile *p, size_t *edge, uint32_t pc, FILE *out)
{
    for (; *edge < p->edge_count && p->edges[*edge].site <= pc; ++*edge) {
        const struct edge *d = &p->edges[*edge];
        struct motet_instruction to = source_at(p, p->calls.functions.list[d->to].address);
        if (d->site < pc)
            continue;
        fprintf(out, "cfi=%s\ncfn=%s\ncalls=%" PRIu64 " %u\n", profile_file_of(&to), profile_name_of(p, d->to),
                d->calls, to.line);
        fprintf(out, "%u %" PRIu64 " %" PRIu64 "\n", source_at(p, pc).line, d->all.instructions, d->all.cycles);
    }
}

/* On the line where the function begins. */
static void write_elsewhere(const struct profile *p, FILE *out)
{
    for (size_t f = 0; f < p->calls.functions.count; f++) {
        struct cost cost = p->elsewhere[f];
        struct motet_instruction first = source_at(p, p->calls.functions.list[f].address);
        if (cost.instructions || cost.cycles)
            fprintf(out, "\nfl=%s\nfn=%s\n%u %" PRIu64 " %" PRIu64 "\n", profile_file_of(&first), profile_name_of(p, f),
                    first.line, cost.instructions, cost.cycles);
    }
}

/* As valgrind's manual describes the format, "Callgrind Format Specification". */
static void write_callgrind(void *state, FILE *out)
{
    const struct profile *p = state;
    struct cost t = total(p);
    size_t edge = 0, function = SIZE_MAX;
    char file[1024] = "";
    fprintf(out, "# callgrind format\nversion: 1\ncreator: motet\ncmd: node %" PRIu32 "\npositions: line\n",
            motet_node_id(p->site.node));
    fprintf(out, "event: Ir : Instructions\nevent: Cy : Cycles\nevents: Ir Cy\nsummary: %" PRIu64 " %" PRIu64 "\n",
            t.instructions, t.cycles);
    for (size_t i = 0; i < p->room; i++) {
        uint32_t pc = (uint32_t)(2 * i);
        struct cost cost = p->at[i].cost;
        if (!cost.instructions && !cost.cycles)
            continue;
        struct motet_instruction here = source_at(p, pc);
        size_t f = functions_at(&p->calls.functions, pc);
        if (f != function) {
            struct motet_instruction first = source_at(p, f ? p->calls.functions.list[f].address : pc);
            snprintf(file, sizeof file, "%s", profile_file_of(&first));
            fprintf(out, "\nfl=%s\nfn=%s\n", file, profile_name_of(p, f));
        }
        function = f;
        if (strcmp(file, profile_file_of(&here)) != 0) {
            snprintf(file, sizeof file, "%s", profile_file_of(&here));
            fprintf(out, "fi=%s\n", file);
        }
        fprintf(out, "%u %" PRIu64 " %" PRIu64 "\n", here.line, cost.instructions, cost.cycles);
        write_calls_at(p, &edge, pc, out);
    }
    write_elsewhere(p, out);
}

static void write_chain(const struct profile *p, size_t i, FILE *out)
{
    if (p->chains[i].before) {
        write_chain(p, p->chains[i].before, out);
        fputc(';', out);
    }
    fputs(profile_name_of(p, p->chains[i].function), out);
}

/* Chains that differ in the places of their calls only are one here: each chain's first of the same functions. */
static void profile_write_folded(void *state, FILE *out)
{
    const struct profile *p = state;
    size_t *first = memory_array(p->chain_count, sizeof *first);
    uint64_t *cycles = memory_array(p->chain_count, sizeof *cycles);
    for (size_t i = 1; i < p->chain_count; i++) {
        size_t before = first[p->chains[i].before], k = before + 1;
        while (k < i && (first[k] != k || first[p->chains[k].before] != before ||
                         p->chains[k].function != p->chains[i].function))
            k++;
        first[i] = k;
        cycles[k] += p->chains[i].self.cycles;
    }
    for (size_t i = 1; i < p->chain_count; i++)
        if (cycles[i]) {
            write_chain(p, i, out);
            fprintf(out, " %" PRIu64 "\n", cycles[i]);
        }
    free(first);
    free(cycles);
}

static void profile_end(void *state)
{
    struct profile *p = state;
    calls_free(&p->calls);
    free(p->at);
    free(p->elsewhere);
    free(p->chains);
    free(p->summaries);
    free(p->edges);
    free(p);
}

static const struct monitor_format formats[] = {
    {"text", "functions by their cycles, and the calls between them", profile_write_text, false},
    {"json", "the same for machines", profile_write_json, false},
    {"callgrind", "for KCachegrind and callgrind_annotate, by lines of source", write_callgrind, true},
    {"folded", "a line for each chain of calls and its cycles, for flame graphs", profile_write_folded, true},
    {NULL, NULL, NULL, false},
};

extern const struct monitor monitor_profile;
const struct monitor monitor_profile = {
    .name = "profile",
    .about = "instructions and cycles of every function, exactly, and the calls between functions",
    .formats = formats,
    .attach = profile_attach,
    .finish = profile_finish,
    .free = profile_end,
};
