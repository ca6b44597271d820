#include "monitor/distribution.h"

enum { FIRST_ROOM = 64, BARS = 16, BAR_WIDTH = 50, JSON_VALUES = 1000 };

static struct distribution_entry *slot(struct distribution_entry *entries, size_t room, uint64_t value)
{
    size_t i = (size_t)(value * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (room - 1);
    while (entries[i].count && entries[i].value != value)
        i = (i + 1) & (room - 1);
    return &entries[i];
}

static void grow(struct distribution *d)
{
    size_t room = d->room ? 2 * d->room : FIRST_ROOM;
    struct distribution_entry *entries = monitor_zeroed(room * sizeof *entries);
    for (size_t i = 0; i < d->room; i++)
        if (d->entries[i].count)
            *slot(entries, room, d->entries[i].value) = d->entries[i];
    free(d->entries);
    d->entries = entries;
    d->room = room;
}

void distribution_add(struct distribution *d, uint64_t value)
{
    if (2 * d->used >= d->room)
        grow(d);
    struct distribution_entry *e = slot(d->entries, d->room, value);
    d->used += e->count == 0;
    e->value = value;
    e->count++;
    d->least = !d->count || value < d->least ? value : d->least;
    d->most = value > d->most ? value : d->most;
    d->sum += (double)value;
    d->count++;
}

void distribution_free(struct distribution *d)
{
    free(d->entries);
}

double distribution_mean(const struct distribution *d)
{
    return d->count ? d->sum / (double)d->count : 0;
}

static int by_value(const void *a, const void *b)
{
    const struct distribution_entry *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

static void sort(struct distribution *d)
{
    size_t kept = 0;
    if (d->sorted)
        return;
    d->sorted = true;
    for (size_t i = 0; i < d->room; i++)
        if (d->entries[i].count)
            d->entries[kept++] = d->entries[i];
    if (kept)
        qsort(d->entries, kept, sizeof *d->entries, by_value);
}

uint64_t distribution_quantile(struct distribution *d, double share)
{
    double wanted = share * (double)d->count, sum = 0;
    sort(d);
    for (size_t i = 0; i < d->used; i++) {
        sum += (double)d->entries[i].count;
        if (sum >= wanted)
            return d->entries[i].value;
    }
    return d->most;
}

void distribution_line(struct distribution *d, FILE *out)
{
    fprintf(out, "count %" PRIu64, d->count);
    if (d->count)
        fprintf(out,
                ", least %" PRIu64 ", mean %.1f, most %" PRIu64 ", median %" PRIu64 ", 90%% %" PRIu64 ", 99%% %" PRIu64,
                d->least, distribution_mean(d), d->most, distribution_quantile(d, 0.5), distribution_quantile(d, 0.9),
                distribution_quantile(d, 0.99));
}

void distribution_bars(struct distribution *d, const char *indent, FILE *out)
{
    uint64_t counts[BARS] = {0}, highest = 0;
    if (d->used < 2)
        return;
    sort(d);
    uint64_t width = (d->most - d->least) / BARS + 1;
    for (size_t i = 0; i < d->used; i++) {
        uint64_t *bar = &counts[(d->entries[i].value - d->least) / width];
        *bar += d->entries[i].count;
        highest = *bar > highest ? *bar : highest;
    }
    for (unsigned i = 0; i < BARS && d->least + i * width <= d->most; i++) {
        unsigned length = (unsigned)((double)counts[i] * BAR_WIDTH / (double)highest);
        fprintf(out, "%s%10" PRIu64 " to %-10" PRIu64 " %10" PRIu64 " %.*s\n", indent, d->least + i * width,
                d->least + (i + 1) * width - 1, counts[i], (int)(length + (counts[i] && !length)),
                "##################################################");
    }
}

void distribution_json(struct distribution *d, FILE *out)
{
    sort(d);
    fprintf(out, "{\"count\": %" PRIu64, d->count);
    if (d->count)
        fprintf(out,
                ", \"least\": %" PRIu64 ", \"mean\": %.3f, \"most\": %" PRIu64 ", \"median\": %" PRIu64
                ", \"percentile_90\": %" PRIu64 ", \"percentile_99\": %" PRIu64,
                d->least, distribution_mean(d), d->most, distribution_quantile(d, 0.5), distribution_quantile(d, 0.9),
                distribution_quantile(d, 0.99));
    fprintf(out, ", \"values\": [");
    for (size_t i = 0; i < d->used && d->used <= JSON_VALUES; i++)
        fprintf(out, "%s[%" PRIu64 ", %" PRIu64 "]", i ? ", " : "", d->entries[i].value, d->entries[i].count);
    fprintf(out, "]}");
}
