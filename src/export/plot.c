#include "export/plot.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "export/json.h"

enum { WIDTH = 960, HEIGHT = 480, LEFT = 80, RIGHT = 170, TOP = 40, BOTTOM = 60, TICKS = 8, COLOURS = 8 };

static const char *const colours[COLOURS] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                             "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f"};

struct axis {
    double from, to, step;
};

struct canvas {
    FILE *file;
    struct axis x, y;
};

/* ---- text ---- */

/* Characters that XML 1.0 (section 2.2) allows; others as question marks. */
static void export_plot_put_text(FILE *f, const char *text)
{
    while (*text) {
        size_t count = json_utf8(text);
        unsigned char c = (unsigned char)*text;
        if (c == '<' || c == '>' || c == '&')
            fputs(c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;", f);
        else if (!count || c < 0x20)
            fputc('?', f);
        else
            fwrite(text, 1, count, f);
        text += count ? count : 1;
    }
}

static void put_label(FILE *f, double x, double y, const char *anchor, const char *text)
{
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    export_plot_put_text(f, text);
    fputs("</text>\n", f);
}

/* ---- axes ---- */

/* Differences of larger ones are not finite. */
static bool plottable(double value)
{
    return isfinite(value) && fabs(value) < 1e300;
}

/* 1, 2 or 5 times a power of ten that makes at most so many steps. */
static double round_step(double span, unsigned steps)
{
    double least = span / steps, power = pow(10, floor(log10(least)));
    for (unsigned i = 0; i < 3; i++) {
        double step = (double[]){1, 2, 5}[i] * power;
        if (step >= least * 0.999999)
            return step;
    }
    return 10 * power;
}

static struct axis axis_of(double from, double to)
{
    if (!(to > from)) {
        double aside = fabs(from) > 1 ? fabs(from) / 10 : 1;
        from -= aside;
        to += aside;
    }
    return (struct axis){from, to, round_step(to - from, TICKS)};
}

static void extend(double *from, double *to, double value)
{
    *from = value < *from ? value : *from;
    *to = value > *to ? value : *to;
}

static double across(const struct canvas *c, double x)
{
    return LEFT + (x - c->x.from) / (c->x.to - c->x.from) * (WIDTH - LEFT - RIGHT);
}

static double export_plot_down(const struct canvas *c, double y)
{
    return HEIGHT - BOTTOM - (y - c->y.from) / (c->y.to - c->y.from) * (HEIGHT - TOP - BOTTOM);
}

static double tick(const struct axis *a, long number)
{
    double value = (ceil(a->from / a->step - 1e-9) + (double)number) * a->step;
    return fabs(value) < a->step * 1e-9 ? 0 : value;
}

static void put_axes(const struct canvas *c)
{
    char text[32];
    FILE *f = c->file;
    double x, y;
    for (long i = 0; i <= 2 * TICKS && (x = tick(&c->x, i)) <= c->x.to + c->x.step * 1e-9; i++) {
        snprintf(text, sizeof text, "%.10g", x);
        fprintf(f, "<line class=\"g\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n", across(c, x), TOP, across(c, x),
                HEIGHT - BOTTOM);
        put_label(f, across(c, x), HEIGHT - BOTTOM + 18, "middle", text);
    }
    for (long i = 0; i <= 2 * TICKS && (y = tick(&c->y, i)) <= c->y.to + c->y.step * 1e-9; i++) {
        snprintf(text, sizeof text, "%.10g", y);
        fprintf(f, "<line class=\"g\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", LEFT, export_plot_down(c, y),
                WIDTH - RIGHT, export_plot_down(c, y));
        put_label(f, LEFT - 6, export_plot_down(c, y) + 4, "end", text);
    }
}

static void put_head(const struct canvas *c, const struct plot *p)
{
    FILE *f = c->file;
    fprintf(f,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<style>.g{stroke:#ddd} .s{fill:none;stroke-width:1.5} .b{fill:#1f77b4}</style>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    put_axes(c);
    put_label(f, WIDTH / 2.0, TOP - 16, "middle", p->title);
    put_label(f, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16, "middle", p->x);
    put_label(f, LEFT, TOP - 6, "end", p->y);
}

/* ---- time series ---- */

static void put_series(const struct canvas *c, const struct plot *p, const struct plot_series *s, size_t number)
{
    FILE *f = c->file;
    bool first = true, none = true;
    double last = 0;
    fprintf(f, "<path class=\"s\" stroke=\"%s\" d=\"", colours[number % COLOURS]);
    for (size_t i = 0; i < s->count; i++) {
        double x = s->points[i].x, y = s->points[i].y;
        if (isnan(y) && plottable(x) && p->steps && !first)
            fprintf(f, "H%.2f", across(c, x));
        first |= isnan(y);
        if (!plottable(x) || !plottable(y))
            continue;
        if (p->steps && !first)
            fprintf(f, "H%.2f", across(c, x));
        fprintf(f, "%s%.2f %.2f", first ? "M" : "L", across(c, x), export_plot_down(c, y));
        first = none = false;
        last = x;
    }
    if (p->steps && !first && c->x.to > last)
        fprintf(f, "H%.2f", across(c, c->x.to));
    fputs(none ? "M0 0\"/>\n" : "\"/>\n", f);
    double at = TOP + 10 + 18 * (double)number;
    if (at > HEIGHT - BOTTOM)
        return; /* no room to name it */
    fprintf(f, "<rect x=\"%d\" y=\"%.1f\" width=\"12\" height=\"4\" fill=\"%s\"/>\n", WIDTH - RIGHT + 12, at - 6,
            colours[number % COLOURS]);
    put_label(f, WIDTH - RIGHT + 30, at, "start", s->name);
}

bool plot_series(FILE *f, const struct plot *p, const struct plot_series *series, size_t count)
{
    double from[2] = {INFINITY, INFINITY}, to[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < series[i].count; k++) {
            struct plot_point point = series[i].points[k];
            if (!plottable(point.x) || !plottable(point.y))
                continue;
            extend(&from[0], &to[0], point.x);
            extend(&from[1], &to[1], point.y);
        }
    if (p->to > p->from) {
        extend(&from[0], &to[0], p->from);
        extend(&from[0], &to[0], p->to);
    }
    for (unsigned i = 0; i < 2; i++)
        if (from[i] > to[i])
            from[i] = to[i] = 0;
    struct canvas c = {f, axis_of(from[0], to[0]), axis_of(from[1], to[1])};
    put_head(&c, p);
    for (size_t i = 0; i < count; i++)
        put_series(&c, p, &series[i], i);
    fputs("</svg>\n", f);
    return !ferror(f);
}

/* ---- distributions ---- */

static void put_bars(const struct canvas *c, const size_t *counts, unsigned bins)
{
    for (unsigned i = 0; i < bins; i++) {
        double left = across(c, c->x.from + i * c->x.step), right = across(c, c->x.from + (i + 1) * c->x.step);
        double top = export_plot_down(c, (double)counts[i]);
        if (counts[i])
            fprintf(
                c->file,
                "<rect class=\"b\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>%zu</title></rect>\n",
                left, top, right - left > 1.5 ? right - left - 1 : right - left, HEIGHT - BOTTOM - top, counts[i]);
    }
}

bool plot_distribution(FILE *f, const struct plot *p, const double *values, size_t count, unsigned bins)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < count; i++)
        if (plottable(values[i]))
            extend(&least, &most, values[i]);
    if (least > most)
        least = most = 0;
    struct axis x = axis_of(least, most);
    double width = round_step(x.to - x.from, bins > 2 ? bins - 2 : 1); /* rounding to its multiples can add two */
    x.from = floor(least / width) * width;
    unsigned used = (unsigned)floor((most - x.from) / width) + 1;
    x.to = x.from + used * width;
    size_t *counts = memory_array(used + 1, sizeof *counts), highest = 1;
    for (size_t i = 0; i < count; i++)
        if (plottable(values[i])) {
            double bin = floor((values[i] - x.from) / width);
            counts[bin < 0 ? 0 : bin < used ? (unsigned)bin : used - 1]++;
        }
    for (unsigned i = 0; i < used; i++)
        highest = counts[i] > highest ? counts[i] : highest;
    struct canvas c = {f, {x.from, x.to, round_step(x.to - x.from, TICKS)}, axis_of(0, (double)highest)};
    put_head(&c, p);
    c.x.step = width;
    put_bars(&c, counts, used);
    fputs("</svg>\n", f);
    free(counts);
    return !ferror(f);
}
