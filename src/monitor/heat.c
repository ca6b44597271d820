/* heat: how often each variable is read and written, by whom most. */
#include "monitor/functions.h"
#include "monitor/monitor.h"

struct counts {
    uint64_t reads, writes;
};

/* A variable, or a stretch of memory without one. */
struct area {
    const char *name;
    uint32_t address, size;
    struct counts sum;
    uint64_t *writers; /* by function; NULL until it is written */
};

struct heat {
    struct monitor_site site;
    struct functions functions;
    uint32_t first, size; /* memory that is watched */
    struct counts *bytes;
    uint32_t *area_of;  /* by byte */
    struct area *areas; /* the first is all that is none */
    size_t count, room;
};

static void heat_accessed(void *context, const motet_node *n, const struct motet_access *a)
{
    struct heat *h = context;
    (void)n;
    for (unsigned i = 0; i < a->size; i++) {
        uint32_t at = a->address + i - h->first;
        if (at >= h->size)
            continue;
        if (a->write)
            h->bytes[at].writes++;
        else
            h->bytes[at].reads++;
    }
    uint32_t at = a->address - h->first;
    if (at >= h->size)
        return;
    struct area *area = &h->areas[h->area_of[at]];
    if (!a->write) {
        area->sum.reads++;
        return;
    }
    area->sum.writes++;
    if (!area->writers)
        area->writers = memory_array(h->functions.count, sizeof *area->writers);
    area->writers[functions_at(&h->functions, a->pc)]++;
}

static void find_areas(struct heat *h)
{
    struct motet_symbol s;
    uint32_t address, size;
    h->areas = memory_grow(h->areas, &h->room, h->count, sizeof *h->areas);
    h->areas[h->count++] = (struct area){.name = "(stack and the rest)", .size = h->size};
    for (size_t i = 0; motet_machine_symbol(h->site.machine, i, &s); i++) {
        if (s.kind != MOTET_SYMBOL_VARIABLE || !s.size ||
            !motet_machine_variable(h->site.machine, s.name, &address, &size))
            continue;
        if (address < h->first || address + size > h->first + h->size || h->area_of[address - h->first])
            continue;
        h->areas = memory_grow(h->areas, &h->room, h->count, sizeof *h->areas);
        for (uint32_t k = 0; k < size; k++)
            h->area_of[address - h->first + k] = (uint32_t)h->count;
        h->areas[h->count++] = (struct area){.name = s.name, .address = address, .size = size};
        h->areas[0].size -= size;
    }
}

static void *heat_attach(const struct monitor_site *site, struct motet_error *e)
{
    struct heat *h = memory_new(sizeof *h);
    struct motet_firmware f;
    (void)e;
    h->site = *site;
    motet_machine_firmware(site->machine, &f);
    h->first = f.ram_start;
    h->size = f.ram_size;
    h->bytes = memory_array(h->size, sizeof *h->bytes);
    h->area_of = memory_array(h->size, sizeof *h->area_of);
    functions_make(&h->functions, site->machine);
    find_areas(h);
    motet_watch(site->node, h->first, h->first + h->size - 1, MOTET_READ | MOTET_WRITE | MOTET_AFTER, heat_accessed, h);
    return h;
}

static void heat_end(void *state)
{
    struct heat *h = state;
    for (size_t i = 0; i < h->count; i++)
        free(h->areas[i].writers);
    functions_free(&h->functions);
    free(h->bytes);
    free(h->area_of);
    free(h->areas);
    free(h);
}

static uint64_t warmth(const struct area *a)
{
    return a->sum.reads + a->sum.writes;
}

static int by_warmth(const void *a, const void *b)
{
    const struct area *x = *(const struct area *const *)a, *y = *(const struct area *const *)b;
    if (warmth(x) != warmth(y))
        return warmth(x) < warmth(y) ? 1 : -1;
    return (x->address > y->address) - (x->address < y->address);
}

static const struct area **hottest(const struct heat *h, size_t *count)
{
    const struct area **list = memory_array(h->count, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < h->count; i++)
        if (warmth(&h->areas[i]))
            list[(*count)++] = &h->areas[i];
    qsort(list, *count, sizeof *list, by_warmth);
    return list;
}

static const char *main_writer(const struct heat *h, const struct area *a)
{
    size_t best = 0;
    for (size_t i = 0; a->writers && i < h->functions.count; i++)
        if (a->writers[i] > a->writers[best])
            best = i;
    return a->writers ? h->functions.list[best].name : "";
}

static void heat_write_text(void *state, FILE *out)
{
    const struct heat *h = state;
    size_t count;
    const struct area **list = hottest(h, &count);
    fprintf(out, "%12s %12s %6s  %-24s %s\n", "reads", "writes", "bytes", "variable", "written most by");
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%12" PRIu64 " %12" PRIu64 " %6" PRIu32 "  %-24s %s\n", list[i]->sum.reads, list[i]->sum.writes,
                list[i]->size, list[i]->name, main_writer(h, list[i]));
    free(list);
}

static void heat_write_json(void *state, FILE *out)
{
    const struct heat *h = state;
    size_t count;
    const struct area **list = hottest(h, &count);
    fprintf(out, ", \"variables\": [");
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s{\"name\": ", i ? ", " : "");
        monitor_json_string(out, list[i]->name);
        fprintf(out, ", \"address\": %" PRIu32 ", \"size\": %" PRIu32 ", \"reads\": %" PRIu64 ", \"writes\": %" PRIu64,
                list[i]->address, list[i]->size, list[i]->sum.reads, list[i]->sum.writes);
        fprintf(out, ", \"written_most_by\": ");
        monitor_json_string(out, main_writer(h, list[i]));
        fprintf(out, "}");
    }
    fprintf(out, "]");
    free(list);
}

static void heat_write_csv(void *state, FILE *out)
{
    const struct heat *h = state;
    fprintf(out, "node,address,reads,writes,variable\n");
    for (uint32_t i = 0; i < h->size; i++)
        if (h->bytes[i].reads || h->bytes[i].writes)
            fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%s\n", motet_node_id(h->site.node),
                    h->first + i, h->bytes[i].reads, h->bytes[i].writes,
                    h->area_of[i] ? h->areas[h->area_of[i]].name : "");
}

static const struct monitor_format formats[] = {
    {"text", "variables by the number of accesses", heat_write_text, false},
    {"json", "the same for machines", heat_write_json, false},
    {"csv", "a line for each byte that was accessed", heat_write_csv, true},
    {NULL, NULL, NULL, false},
};

extern const struct monitor monitor_heat;
const struct monitor monitor_heat = {
    .name = "heat",
    .about = "how often each variable is read and written",
    .formats = formats,
    .attach = heat_attach,
    .free = heat_end,
};
