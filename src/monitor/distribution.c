#include "monitor/distribution.h"

enum { FIRST_ROOM = 64, BARS = 16, BAR_WIDTH = 50, JSON_VALUES = 1000 };
enum { SVG_BARS = 64, SVG_BAR = 10, SVG_HEIGHT = 240, SVG_LEFT = 20, SVG_TOP = 50 };

static struct distribution_entry *distribution_slot(struct distribution_entry *entries, size_t room, uint64_t value)
{
    size_t i = (size_t)(value * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (room - 1);
    while (entries[i].count && entries[i].value != value)
        i = (i + 1) & (room - 1);
    return &entries[i];
}

static void distribution_grow(struct distribution *d)
{
    size_t room = d->room ? 2 * d->room : FIRST_ROOM;
    struct distribution_entry *entries = memory_array(room, sizeof *entries);
    for (size_t i = 0; i < d->room; i++)
        if (d->entries[i].count)
            *distribution_slot(entries, room, d->entries[i].value) = d->entries[i];
    free(d->entries);
    d->entries = entries;
    d->room = room;
}

void distribution_add(struct distribution *d, uint64_t value)
{
    if (2 * d->used >= d->room)
        distribution_grow(d);
    struct distribution_entry *e = distribution_slot(d->entries, d->room, value);
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

/* A value as it is written. */
struct distribution_text {
    char text[32];
};

static struct distribution_text distribution_written(const struct distribution *d, uint64_t value)
{
    struct distribution_text t;
    uint64_t unit = 1;
    for (unsigned i = 0; i < d->decimals; i++)
        unit *= 10;
    if (unit == 1)
        snprintf(t.text, sizeof t.text, "%" PRIu64, value);
    else
        snprintf(t.text, sizeof t.text, "%" PRIu64 ".%0*" PRIu64, value / unit, (int)d->decimals, value % unit);
    return t;
}
#define WRITTEN(value) distribution_written(d, value).text

static double distribution_scaled_mean(const struct distribution *d)
{
    double mean = distribution_mean(d);
    for (unsigned i = 0; i < d->decimals; i++)
        mean /= 10;
    return mean;
}

void distribution_line(struct distribution *d, FILE *out)
{
    fprintf(out, "count %" PRIu64, d->count);
    if (d->count)
        fprintf(out, ", least %s, mean %.*f, most %s, median %s, 90%% %s, 99%% %s", WRITTEN(d->least),
                (int)d->decimals + 1, distribution_scaled_mean(d), WRITTEN(d->most),
                WRITTEN(distribution_quantile(d, 0.5)), WRITTEN(distribution_quantile(d, 0.9)),
                WRITTEN(distribution_quantile(d, 0.99)));
}

/* Counts the values into bars of equal width, which is returned; the highest bar is at least 1. */
static uint64_t distribution_fill(struct distribution *d, uint64_t *counts, unsigned bars, uint64_t *highest)
{
    uint64_t width = (d->most - d->least) / bars + 1;
    *highest = 1;
    sort(d);
    for (size_t i = 0; i < d->used; i++) {
        uint64_t *bar = &counts[(d->entries[i].value - d->least) / width];
        *bar += d->entries[i].count;
        *highest = *bar > *highest ? *bar : *highest;
    }
    return width;
}

void distribution_bars(struct distribution *d, const char *indent, FILE *out)
{
    uint64_t counts[BARS] = {0}, highest;
    if (d->used < 2)
        return;
    uint64_t width = distribution_fill(d, counts, BARS, &highest);
    for (unsigned i = 0; i < BARS && d->least + i * width <= d->most; i++) {
        unsigned length = (unsigned)((double)counts[i] * BAR_WIDTH / (double)highest);
        fprintf(out, "%s%10s to %-10s %10" PRIu64 " %.*s\n", indent, WRITTEN(d->least + i * width),
                WRITTEN(d->least + (i + 1) * width - 1), counts[i], (int)(length + (counts[i] && !length)),
                "##################################################");
    }
}

void distribution_json(struct distribution *d, FILE *out)
{
    sort(d);
    fprintf(out, "{\"count\": %" PRIu64, d->count);
    if (d->count)
        fprintf(out,
                ", \"least\": %s, \"mean\": %.*f, \"most\": %s, \"median\": %s, \"percentile_90\": %s, "
                "\"percentile_99\": %s",
                WRITTEN(d->least), (int)d->decimals + 3, distribution_scaled_mean(d), WRITTEN(d->most),
                WRITTEN(distribution_quantile(d, 0.5)), WRITTEN(distribution_quantile(d, 0.9)),
                WRITTEN(distribution_quantile(d, 0.99)));
    fprintf(out, ", \"values\": [");
    for (size_t i = 0; i < d->used && d->used <= JSON_VALUES; i++)
        fprintf(out, "%s[%s, %" PRIu64 "]", i ? ", " : "", WRITTEN(d->entries[i].value), d->entries[i].count);
    fprintf(out, "]}");
}

static void write_escaped(const char *text, FILE *out)
{
    for (; *text; text++)
        if (*text == '<' || *text == '>' || *text == '&')
            fprintf(out, "&#%d;", *text);
        else
            fputc((unsigned char)*text < ' ' ? '?' : *text, out);
}

void distribution_svg(struct distribution *d, const char *title, const char *unit, FILE *out)
{
    uint64_t counts[SVG_BARS] = {0}, highest;
    uint64_t width = distribution_fill(d, counts, SVG_BARS, &highest);
    int wide = SVG_BARS * SVG_BAR + 2 * SVG_LEFT, bottom = SVG_TOP + SVG_HEIGHT;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" ",
            wide, bottom + 30);
    fprintf(out, "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
    fprintf(out, "<text x=\"%d\" y=\"18\" font-size=\"14\">", SVG_LEFT);
    write_escaped(title, out);
    fprintf(out, "</text>\n<text x=\"%d\" y=\"36\">", SVG_LEFT);
    distribution_line(d, out);
    fprintf(out, " %s</text>\n", unit);
    for (int i = 0; i < SVG_BARS; i++) {
        double height = (double)counts[i] * SVG_HEIGHT / (double)highest;
        if (!counts[i])
            continue;
        height = height < 1 ? 1 : height;
        fprintf(out, "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"#3b6ea5\">", SVG_LEFT + i * SVG_BAR,
                bottom - height, SVG_BAR - 1, height);
        fprintf(out, "<title>%s to %s: %" PRIu64 "</title></rect>\n", WRITTEN(d->least + (uint64_t)i * width),
                WRITTEN(d->least + (uint64_t)(i + 1) * width - 1), counts[i]);
    }
    fprintf(out, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"black\"/>\n", SVG_LEFT, bottom,
            wide - SVG_LEFT, bottom);
    fprintf(out, "<text x=\"%d\" y=\"%d\">%s</text>\n", SVG_LEFT, bottom + 18, WRITTEN(d->least));
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s %s</text>\n</svg>\n", wide - SVG_LEFT, bottom + 18,
            WRITTEN(d->least + SVG_BARS * width - 1), unit);
}
