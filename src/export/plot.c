#include "export/plot.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/spool.h"
#include "export/json.h"

/* The curves are between LEFT and END; the legend is to the right of it. */
enum { HEIGHT = 480, LEFT = 80, END = 790, TOP = 40, BOTTOM = 60, TICKS = 8, COLOURS = 8, DASHES = 5 };
enum { KEY_WIDTH = 170, KEY_HEIGHT = 18, KEY_ROWS = (HEIGHT - TOP - BOTTOM) / KEY_HEIGHT, KEY_COLUMNS = 10 };

struct axis {
    double from, to, step;
};

struct canvas {
    FILE *file;
    struct axis x, y;
    int width;
};

/* ---- colours ---- */

struct colour {
    char text[8]; /* "#1f77b4" */
};

/* Of a hue in tenths of a degree and a lightness in percent, at a saturation of 70 %. */
static struct colour colour_of_hue(unsigned hue, unsigned lightness)
{
    unsigned chroma = 70 * (lightness < 50 ? 2 * lightness : 200 - 2 * lightness); /* of 10,000 */
    unsigned rgb[3];
    struct colour c;
    for (unsigned i = 0; i < 3; i++) { /* red, green and blue are a third of the circle apart */
        unsigned away = (hue + 3600 - 1200 * i) % 3600;
        away = away > 1800 ? 3600 - away : away;
        unsigned part = away <= 600 ? 600 : away >= 1200 ? 0 : 1200 - away;
        rgb[i] = (lightness * 100 - chroma / 2 + chroma * part / 600) * 255 / 10000;
    }
    snprintf(c.text, sizeof c.text, "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
    return c;
}

/* After the first, hues a golden angle apart: neighbours differ most, and none comes again. */
static struct colour colour_of(size_t number)
{
    static const struct colour first[COLOURS] = {{"#1f77b4"}, {"#d62728"}, {"#2ca02c"}, {"#9467bd"},
                                                 {"#ff7f0e"}, {"#17becf"}, {"#8c564b"}, {"#7f7f7f"}};
    static const unsigned lightness[] = {40, 55, 30};
    if (number == PLOT_NO_COLOUR)
        return (struct colour){"#000000"};
    return number < COLOURS ? first[number]
                            : colour_of_hue((unsigned)(number % 3600 * 1379 % 3600), lightness[number % 3]);
}

static void put_style(FILE *f, const struct plot_series *s)
{
    static const char *const dashes[DASHES] = {"", "7 3", "2 3", "9 3 2 3", "14 4"};
    fprintf(f, "stroke=\"%s\"", colour_of(s->colour).text);
    if (s->dash % DASHES)
        fprintf(f, " stroke-dasharray=\"%s\"", dashes[s->dash % DASHES]);
}

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
    return LEFT + (x - c->x.from) / (c->x.to - c->x.from) * (END - LEFT);
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
                END, export_plot_down(c, y));
        put_label(f, LEFT - 6, export_plot_down(c, y) + 4, "end", text);
    }
}

/* As much of the stretch as the picture has. */
static void put_shade(const struct canvas *c, const struct plot *p)
{
    double from = p->shade_from > c->x.from ? p->shade_from : c->x.from,
           to = p->shade_to < c->x.to ? p->shade_to : c->x.to;
    if (from < to)
        fprintf(c->file, "<rect class=\"h\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n", across(c, from), TOP,
                across(c, to) - across(c, from), HEIGHT - TOP - BOTTOM);
}

static void put_head(const struct canvas *c, const struct plot *p)
{
    FILE *f = c->file;
    fprintf(f,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<style>.g{stroke:#ddd} .s,.k{fill:none;stroke-width:1.5} .k{stroke-width:3} .b{fill:#1f77b4} "
            ".h{fill:#f2e6d0}</style>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
            c->width, HEIGHT, c->width, HEIGHT, c->width, HEIGHT);
    put_shade(c, p);
    put_axes(c);
    put_label(f, (LEFT + END) / 2.0, TOP - 16, "middle", p->title);
    put_label(f, (LEFT + END) / 2.0, HEIGHT - 16, "middle", p->x);
    fprintf(f, "<g transform=\"rotate(-90)\">");
    put_label(f, -(TOP + HEIGHT - BOTTOM) / 2.0, 16, "middle", p->y);
    fputs("</g>\n", f);
}

/* ---- time series ---- */

/* The commands of a path; false if there is no point to draw. */
static bool put_path(const struct canvas *c, const struct plot *p, const struct spool *of)
{
    FILE *f = c->file;
    bool first = true, none = true;
    double last = 0;
    struct spool_reader points;
    struct plot_point point;
    spool_reader_begin(&points, of);
    while (spool_read(&points, &point, sizeof point)) {
        double x = point.x, y = point.y;
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
    spool_reader_end(&points);
    if (p->steps && !first && c->x.to > last)
        fprintf(f, "H%.2f", across(c, c->x.to));
    return !none;
}

static void put_series(const struct canvas *c, const struct plot *p, const struct plot_series *s)
{
    FILE *f = c->file;
    fprintf(f, "<path class=\"s\" ");
    put_style(f, s);
    fputs(" d=\"", f);
    if (!s->points || !put_path(c, p, s->points))
        fputs("M0 0", f);
    fputs("\"><title>", f);
    export_plot_put_text(f, s->name);
    fputs("</title></path>\n", f);
}

static size_t export_plot_keys(const struct plot_series *series, size_t count)
{
    size_t keys = 0;
    for (size_t i = 0; i < count; i++)
        keys += series[i].key != NULL;
    return keys;
}

static int width_with_keys(size_t keys)
{
    size_t columns = (keys + KEY_ROWS - 1) / KEY_ROWS;
    return END + KEY_WIDTH * (int)(columns < 1 ? 1 : columns < KEY_COLUMNS ? columns : KEY_COLUMNS);
}

/* Column by column; what finds no place in the last one is counted there. */
static void put_legend(FILE *f, const struct plot_series *series, size_t count)
{
    size_t keys = export_plot_keys(series, count), at = 0, room = KEY_ROWS * KEY_COLUMNS;
    for (size_t i = 0; i < count; i++) {
        char rest[48];
        double x = END + 12 + KEY_WIDTH * (double)(at / KEY_ROWS), y = TOP + 10 + KEY_HEIGHT * (double)(at % KEY_ROWS);
        if (!series[i].key)
            continue;
        if (keys > room && at == room - 1) {
            snprintf(rest, sizeof rest, "... and %zu more", keys - at);
            put_label(f, x, y, "start", rest);
            return;
        }
        fprintf(f, "<path class=\"k\" ");
        put_style(f, &series[i]);
        fprintf(f, " d=\"M%.1f %.1fh26\"/>\n", x, y - 4);
        put_label(f, x + 32, y, "start", series[i].key);
        at++;
    }
}

static void extend_by(double from[2], double to[2], const struct plot_series *s)
{
    struct spool_reader points;
    struct plot_point point;
    if (!s->points)
        return;
    spool_reader_begin(&points, s->points);
    while (spool_read(&points, &point, sizeof point))
        if (plottable(point.x) && plottable(point.y)) {
            extend(&from[0], &to[0], point.x);
            extend(&from[1], &to[1], point.y);
        }
    spool_reader_end(&points);
}

bool plot_series(FILE *f, const struct plot *p, const struct plot_series *series, size_t count)
{
    double from[2] = {INFINITY, INFINITY}, to[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++)
        extend_by(from, to, &series[i]);
    if (p->to > p->from) {
        extend(&from[0], &to[0], p->from);
        extend(&from[0], &to[0], p->to);
    }
    for (unsigned i = 0; i < 2; i++)
        if (from[i] > to[i])
            from[i] = to[i] = 0;
    int width = width_with_keys(export_plot_keys(series, count));
    struct canvas c = {f, axis_of(from[0], to[0]), axis_of(from[1], to[1]), width};
    put_head(&c, p);
    for (size_t i = 0; i < count; i++)
        put_series(&c, p, &series[i]);
    put_legend(f, series, count);
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

bool plot_distribution(FILE *f, const struct plot *p, const struct spool *values, unsigned bins)
{
    double least = INFINITY, most = -INFINITY, value;
    struct spool_reader reader;
    spool_reader_begin(&reader, values);
    while (spool_read(&reader, &value, sizeof value))
        if (plottable(value))
            extend(&least, &most, value);
    if (least > most)
        least = most = 0;
    struct axis x = axis_of(least, most);
    double width = round_step(x.to - x.from, bins > 2 ? bins - 2 : 1); /* rounding to its multiples can add two */
    x.from = floor(least / width) * width;
    unsigned used = (unsigned)floor((most - x.from) / width) + 1;
    x.to = x.from + used * width;
    size_t *counts = memory_array(used + 1, sizeof *counts), highest = 1;
    spool_seek(&reader, 0);
    while (spool_read(&reader, &value, sizeof value))
        if (plottable(value)) {
            double bin = floor((value - x.from) / width);
            counts[bin < 0 ? 0 : bin < used ? (unsigned)bin : used - 1]++;
        }
    spool_reader_end(&reader);
    for (unsigned i = 0; i < used; i++)
        highest = counts[i] > highest ? counts[i] : highest;
    struct canvas c = {
        f, {x.from, x.to, round_step(x.to - x.from, TICKS)}, axis_of(0, (double)highest), END + KEY_WIDTH};
    put_head(&c, p);
    c.x.step = width;
    put_bars(&c, counts, used);
    fputs("</svg>\n", f);
    free(counts);
    return !ferror(f);
}
