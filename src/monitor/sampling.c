/* sampling: where the CPU is at every so many cycles; cheap, and near the truth where there are many samples. */
#include "monitor/functions.h"
#include "monitor/monitor.h"
#include "motet/timeline.h"

enum { DEPTH = 32 };

/* A chain of calls as it was found, innermost first. */
struct stack {
    uint64_t hash, count;
    unsigned depth;
    uint32_t functions[DEPTH];
};

struct sampling {
    struct monitor_site site;
    struct functions functions;
    size_t passage; /* the first of them */
    bool chains;
    motet_tap *tap;
    uint64_t period;
    uint64_t *at; /* samples by address / 2 */
    size_t room;
    struct stack *stacks; /* a hash table */
    size_t stack_count, stack_room;
};

/* The function at an address. A sample does not say for which function a passage runs: all passages are one line. */
static size_t sampling_function(const struct sampling *s, uint32_t pc)
{
    size_t f = functions_at(&s->functions, pc);
    return s->functions.list[f].passage ? s->passage : f;
}

static const char *sampling_name(const struct sampling *s, size_t function)
{
    const struct function *f = &s->functions.list[function];
    return f->passage ? "(switches and prologues that functions share)" : f->name;
}

static struct stack *sampling_slot(struct stack *stacks, size_t room, const struct stack *s)
{
    size_t i = (size_t)s->hash & (room - 1);
    while (stacks[i].count && (stacks[i].hash != s->hash || stacks[i].depth != s->depth ||
                               memcmp(stacks[i].functions, s->functions, s->depth * sizeof s->functions[0]) != 0))
        i = (i + 1) & (room - 1);
    return &stacks[i];
}

static void sampling_grow(struct sampling *s)
{
    size_t room = s->stack_room ? 2 * s->stack_room : 64;
    struct stack *stacks = memory_array(room, sizeof *stacks);
    for (size_t i = 0; i < s->stack_room; i++)
        if (s->stacks[i].count)
            *sampling_slot(stacks, room, &s->stacks[i]) = s->stacks[i];
    free(s->stacks);
    s->stacks = stacks;
    s->stack_room = room;
}

static void sampling_keep_chain(struct sampling *s, const motet_node *n)
{
    struct motet_frame frames[DEPTH];
    struct stack k = {.hash = 14695981039346656037u};
    size_t count = motet_node_frames(n, frames, DEPTH);
    k.depth = (unsigned)(count < DEPTH ? count : DEPTH);
    for (unsigned i = 0; i < k.depth; i++) {
        k.functions[i] = (uint32_t)sampling_function(s, frames[i].pc);
        k.hash = (k.hash ^ k.functions[i]) * 1099511628211u;
    }
    if (2 * s->stack_count >= s->stack_room)
        sampling_grow(s);
    struct stack *found = sampling_slot(s->stacks, s->stack_room, &k);
    if (!found->count) {
        *found = k;
        s->stack_count++;
    }
    found->count++;
}

static void sampling_sampled(void *context, const motet_node *n, uint64_t due)
{
    struct sampling *s = context;
    (void)due;
    sampling_keep_chain(s, n);
}

/* Cycles count anew where a node is switched on again. */
static void sampling_start(struct sampling *s)
{
    motet_node *n = s->site.node;
    uint64_t first = motet_node_cycles(n) + s->period;
    motet_tap_remove(s->tap);
    s->tap = s->chains ? motet_alarm(n, MOTET_CYCLES, first, s->period, sampling_sampled, s)
                       : motet_sample(n, first, s->period, s->at, s->room);
}

static void sampling_reset(void *context, const motet_node *n, const struct motet_happened *h)
{
    (void)n, (void)h;
    sampling_start(context);
}

static void sampling_end(void *state)
{
    struct sampling *s = state;
    functions_free(&s->functions);
    free(s->at);
    free(s->stacks);
    free(s);
}

static size_t code_room(const motet_machine *m)
{
    struct motet_region r;
    uint32_t end = 0;
    for (size_t i = 0; motet_machine_region(m, i, &r); i++)
        end = r.kind == MOTET_REGION_FLASH ? r.first + r.size : end;
    return end / 2;
}

static void *sampling_attach(const struct monitor_site *site, struct motet_error *e)
{
    struct sampling *s = memory_new(sizeof *s);
    const char *format = monitor_option(site, "format");
    s->site = *site;
    s->period = 1000;
    s->chains = format && strcmp(format, "folded") == 0;
    functions_make(&s->functions, site->machine);
    while (s->passage < s->functions.count && !s->functions.list[s->passage].passage)
        s->passage++;
    s->room = code_room(site->machine);
    s->at = memory_array(s->room, sizeof *s->at);
    if (!monitor_number(site, "period", &s->period, e) ||
        (!s->period && !monitor_sentence(e, "period=0: there is nothing between two samples"))) {
        sampling_end(s);
        return NULL;
    }
    sampling_start(s);
    motet_hook(site->node, MOTET_ON(RESET), sampling_reset, s);
    return s;
}

struct share {
    uint64_t count;
    size_t function;
};

static int by_count(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->function > y->function) - (x->function < y->function);
}

struct shares {
    struct share *list; /* by functions, then those that have any, the most first */
    size_t count;
    uint64_t samples;
};

static struct shares share_out(const struct sampling *s)
{
    struct shares all = {.list = memory_array(s->functions.count, sizeof *all.list)};
    for (size_t i = 0; i < s->functions.count; i++)
        all.list[i].function = i;
    for (size_t i = 0; i < s->room; i++)
        if (s->at[i]) {
            all.list[sampling_function(s, (uint32_t)(2 * i))].count += s->at[i];
            all.samples += s->at[i];
        }
    qsort(all.list, s->functions.count, sizeof *all.list, by_count);
    while (all.count < s->functions.count && all.list[all.count].count)
        all.count++;
    return all;
}

static void sampling_write_text(void *state, FILE *out)
{
    const struct sampling *s = state;
    struct shares all = share_out(s);
    fprintf(out, "%" PRIu64 " samples, one in %" PRIu64 " cycles\n%7s %12s  %s\n", all.samples, s->period, "share",
            "samples", "function");
    for (size_t i = 0; i < all.count; i++)
        fprintf(out, "%6.2f%% %12" PRIu64 "  %s\n", 100.0 * (double)all.list[i].count / (double)all.samples,
                all.list[i].count, sampling_name(s, all.list[i].function));
    free(all.list);
}

static void sampling_write_json(void *state, FILE *out)
{
    const struct sampling *s = state;
    struct shares all = share_out(s);
    fprintf(out, ", \"samples\": %" PRIu64 ", \"period\": %" PRIu64 ", \"functions\": [", all.samples, s->period);
    for (size_t i = 0; i < all.count; i++) {
        fprintf(out, "%s{\"name\": ", i ? ", " : "");
        monitor_json_string(out, sampling_name(s, all.list[i].function));
        fprintf(out, ", \"samples\": %" PRIu64 "}", all.list[i].count);
    }
    fprintf(out, "]");
    free(all.list);
}

static int by_chain(const void *a, const void *b)
{
    const struct stack *x = a, *y = b;
    unsigned i = 0;
    while (i < x->depth && i < y->depth && x->functions[x->depth - 1 - i] == y->functions[y->depth - 1 - i])
        i++;
    if (i == x->depth || i == y->depth)
        return (x->depth > y->depth) - (x->depth < y->depth);
    uint32_t f = x->functions[x->depth - 1 - i], g = y->functions[y->depth - 1 - i];
    return (f > g) - (f < g);
}

static void sampling_write_folded(void *state, FILE *out)
{
    const struct sampling *s = state;
    struct stack *list = memory_array(s->stack_count, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < s->stack_room; i++)
        if (s->stacks[i].count)
            list[count++] = s->stacks[i];
    qsort(list, count, sizeof *list, by_chain);
    for (size_t i = 0; i < count; i++) {
        for (unsigned k = list[i].depth; k-- > 0;)
            fprintf(out, "%s%s", sampling_name(s, list[i].functions[k]), k ? ";" : "");
        fprintf(out, " %" PRIu64 "\n", list[i].count);
    }
    free(list);
}

static const struct motet_monitor_option options[] = {
    {"period", "CYCLES", "from one sample to the next, by default 1000"},
    {NULL, NULL, NULL},
};

static const struct monitor_format formats[] = {
    {"text", "functions by their samples", sampling_write_text, false},
    {"json", "the same for machines", sampling_write_json, false},
    {"folded", "a line for each chain of calls and its samples, for flame graphs", sampling_write_folded, true},
    {NULL, NULL, NULL, false},
};

extern const struct monitor monitor_sampling;
const struct monitor monitor_sampling = {
    .name = "sampling",
    .about = "where the CPU is at every so many cycles: a profile that costs little",
    .options = options,
    .formats = formats,
    .attach = sampling_attach,
    .free = sampling_end,
};
