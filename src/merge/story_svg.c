/* Stories as space-time diagrams in SVG: a line for each node, time from left to right, an arrow for each message. */
#include <inttypes.h>
#include <math.h>

#include "merge/story_internal.h"

enum { SVG_LEFT = 90, SVG_TOP = 30, SVG_ROW = 60, SVG_MARGIN = 20, SVG_LEAST = 800, SVG_MOST = 20000, SVG_EVENT = 6 };

struct svg {
    const struct story *story;
    struct story_range range;
    FILE *file;
    uint64_t first, last; /* of what is shown */
    uint32_t count;
    double width; /* of the lines */
};

static void svg_text(FILE *f, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            fputs("&lt;", f);
        else if (*text == '&')
            fputs("&amp;", f);
        else
            putc((unsigned char)*text < ' ' ? ' ' : *text, f);
}

static double svg_x(const struct svg *v, uint64_t time)
{
    double span = v->last > v->first ? (double)(v->last - v->first) : 1;
    return SVG_LEFT + (double)(time - v->first) / span * v->width;
}

static double svg_y(uint32_t node)
{
    return SVG_TOP + (node + 0.5) * SVG_ROW;
}

static void svg_count(void *context, uint32_t event, const uint32_t *clock)
{
    struct svg *v = context;
    uint64_t time = causal_event(v->story->causal, event)->time;
    (void)clock;
    if (!story_within(v->range, time))
        return;
    v->first = v->count ? v->first : time;
    v->last = time;
    v->count++;
}

static void svg_arrow(const struct svg *v, uint32_t cause, const struct causal_event *to)
{
    const struct causal_event *from = causal_event(v->story->causal, cause);
    if (story_within(v->range, from->time))
        fprintf(v->file, "<line class='m' x1='%.2f' y1='%.2f' x2='%.2f' y2='%.2f' marker-end='url(#a)'/>\n",
                svg_x(v, from->time), svg_y(from->node), svg_x(v, to->time), svg_y(to->node));
}

static void svg_step(void *context, uint32_t event, const uint32_t *clock)
{
    static const char *const classes[] = {"o", "s", "r"};
    const struct svg *v = context;
    const struct story *s = v->story;
    const struct causal_event *e = causal_event(s->causal, event);
    const struct story_detail *d = story_detail(s, event);
    (void)clock;
    if (!story_within(v->range, e->time))
        return;
    if (e->kind == CAUSAL_RECEIVE && causal_cause(s->causal, event) != CAUSAL_NONE)
        svg_arrow(v, causal_cause(s->causal, event), e);
    fprintf(v->file, "<circle class='%s' cx='%.2f' cy='%.2f' r='3'><title>#%" PRIu32 " %.6f s ", classes[e->kind],
            svg_x(v, e->time), svg_y(e->node), story_position(s, event), (double)e->time * 1e-9);
    svg_text(v->file, story_text(s, d->what));
    putc(' ', v->file);
    svg_text(v->file, story_text(s, d->details));
    putc(' ', v->file);
    svg_text(v->file, story_text(s, d->place));
    fputs("</title></circle>\n", v->file);
}

static void svg_nodes(const struct svg *v)
{
    for (uint32_t i = 0; i < v->story->node_count; i++)
        fprintf(v->file,
                "<text x='10' y='%.1f'>node %" PRIu32
                "</text><line class='n' x1='%d' y1='%.1f' x2='%.1f' y2='%.1f'/>\n",
                svg_y(i) + 4, story_id(v->story, i), SVG_LEFT, svg_y(i), SVG_LEFT + v->width, svg_y(i));
}

/* Times at round numbers of seconds, about one in 100 pixels. */
static void svg_times(const struct svg *v)
{
    double span = (double)(v->last - v->first) * 1e-9, step = pow(10, ceil(log10(fmax(span, 1e-6) * 100 / v->width)));
    double y = SVG_TOP + (double)v->story->node_count * SVG_ROW;
    double begin = ceil((double)v->first * 1e-9 / step);
    for (unsigned i = 0; (begin + i) * step <= (double)v->last * 1e-9; i++) {
        double t = (begin + i) * step;
        double x = SVG_LEFT + (t - (double)v->first * 1e-9) / fmax(span, 1e-9) * v->width;
        fprintf(v->file,
                "<line class='t' x1='%.1f' y1='%d' x2='%.1f' y2='%.1f'/><text x='%.1f' y='%.1f'>%.*f s</text>\n", x,
                SVG_TOP, x, y, x + 2, y + 12, step >= 1 ? 0 : (int)ceil(-log10(step)), t);
    }
}

bool story_write_svg(const struct story *s, struct story_range r, FILE *f)
{
    struct svg v = {.story = s, .range = r, .file = f};
    causal_walk(s->causal, svg_count, &v);
    v.width = fmin(fmax((double)v.count * SVG_EVENT, SVG_LEAST), SVG_MOST);
    fprintf(f,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%zu' font-family='sans-serif' "
            "font-size='12'>\n<style>.n{stroke:#888}.t{stroke:#ddd}.m{stroke:#36c;stroke-width:.7}.o{fill:#666}"
            ".s{fill:#c50}.r{fill:#083}</style>\n<defs><marker id='a' viewBox='0 0 6 6' refX='8' refY='3' "
            "markerWidth='6' markerHeight='6' orient='auto'><path d='M0 0L6 3L0 6z' fill='#36c'/></marker></defs>\n",
            SVG_LEFT + v.width + SVG_MARGIN, SVG_TOP + s->node_count * SVG_ROW + SVG_MARGIN);
    svg_times(&v);
    svg_nodes(&v);
    causal_walk(s->causal, svg_step, &v);
    fputs("</svg>\n", f);
    return !ferror(f);
}
