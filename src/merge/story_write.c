/* Stories as lines: for people, as JSON, for ShiViz; and for Perfetto. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "export/json.h"
#include "export/perfetto.h"
#include "merge/story_internal.h"

struct story_output {
    const struct story *story;
    struct story_range range;
    FILE *file;
    struct perfetto **processes;
    uint32_t *before; /* events of each node before the range */
};

static bool story_walk(const struct story *s, struct story_range r, FILE *f, causal_step *step)
{
    struct story_output o = {.story = s, .range = r, .file = f};
    causal_walk(s->causal, step, &o);
    return !ferror(f);
}

static struct story_line story_line(const struct story *s, uint32_t event)
{
    const struct causal_event *e = causal_event(s->causal, event);
    const struct story_detail *d = story_detail(s, event);
    uint32_t cause = causal_cause(s->causal, event);
    struct story_line l = {.time = e->time,
                           .local = d->local,
                           .cycle = d->cycle,
                           .id = story_id(s, e->node),
                           .position = story_position(s, event),
                           .kind = (enum causal_kind)e->kind,
                           .what = story_text(s, d->what),
                           .details = story_text(s, d->details),
                           .place = story_text(s, d->place),
                           .bytes = story_text(s, d->bytes),
                           .caused = cause != CAUSAL_NONE,
                           .open = e->open,
                           .ends = true,
                           .effects = causal_effects(s->causal, event)};
    if (l.caused) {
        l.cause_node = story_id(s, causal_event(s->causal, cause)->node);
        l.cause = story_position(s, cause);
    }
    return l;
}

/* ---- text ---- */

void story_line_text(FILE *f, const struct story_line *l)
{
    fprintf(f, "%13.6f s  node %-4" PRIu32 " #%-6" PRIu64 " %s", (double)l->time * 1e-9, l->id, l->position, l->what);
    if (*l->details)
        fprintf(f, " %s", l->details);
    if (*l->place)
        fprintf(f, " at %s", l->place);
    if (l->caused)
        fprintf(f, "%s#%" PRIu64 " of node %" PRIu32, l->kind == CAUSAL_RECEIVE ? "  <- " : "  again ", l->cause,
                l->cause_node);
    else if (l->kind == CAUSAL_RECEIVE)
        fputs(l->open ? "  <- one of several" : "  <- unknown", f);
    else if (l->kind == CAUSAL_SEND && l->effects)
        fprintf(f, "  -> %" PRIu32, l->effects);
    else if (l->kind == CAUSAL_SEND && l->ends)
        fputs("  -> nobody", f);
    putc('\n', f);
}

static void story_text_step(void *context, uint32_t event, const uint32_t *clock)
{
    const struct story_output *o = context;
    struct story_line l = story_line(o->story, event);
    (void)clock;
    if (story_within(o->range, l.time))
        story_line_text(o->file, &l);
}

bool story_write_text(const struct story *s, struct story_range r, FILE *f)
{
    return story_walk(s, r, f, story_text_step);
}

/* ---- JSON lines ---- */

static void story_json_text(FILE *f, const char *name, const char *text)
{
    if (!*text)
        return;
    fprintf(f, ", \"%s\": ", name);
    json_put(f, text);
}

void story_line_json(FILE *f, const struct story_line *l, story_clock *clock, void *context)
{
    fprintf(f, "{\"time\": %.9f, \"node\": %" PRIu32 ", \"event\": %" PRIu64 ", \"kind\": \"%s\", \"local\": %.9f",
            (double)l->time * 1e-9, l->id, l->position, story_kind_name(l->kind), (double)l->local * 1e-9);
    if (l->cycle)
        fprintf(f, ", \"cycle\": %" PRIu64, l->cycle);
    story_json_text(f, "what", l->what);
    story_json_text(f, "details", l->details);
    story_json_text(f, "bytes", l->bytes);
    story_json_text(f, "place", l->place);
    if (l->caused)
        fprintf(f, ", \"%s\": {\"node\": %" PRIu32 ", \"event\": %" PRIu64 "}",
                l->kind == CAUSAL_RECEIVE ? "cause" : "repeats", l->cause_node, l->cause);
    fputs(", \"clock\": {", f);
    clock(context, f);
    fputs("}}\n", f);
}

/* A vector clock, without the events of each node that do not count. */
struct story_counted {
    const struct story *story;
    const uint32_t *clock, *before; /* before: NULL: all count */
};

static void story_put_clock(void *context, FILE *f)
{
    const struct story_counted *c = context;
    const char *comma = "";
    for (uint32_t i = 0; i < c->story->node_count; i++) {
        uint32_t before = c->before ? c->before[i] : 0;
        if (c->clock[i] > before) {
            fprintf(f, "%s\"%" PRIu32 "\":%" PRIu32, comma, c->story->nodes[i].id, c->clock[i] - before);
            comma = ", ";
        }
    }
}

static void story_json_step(void *context, uint32_t event, const uint32_t *clock)
{
    const struct story_output *o = context;
    struct story_line l = story_line(o->story, event);
    if (story_within(o->range, l.time))
        story_line_json(o->file, &l, story_put_clock, &(struct story_counted){o->story, clock, NULL});
}

bool story_write_json(const struct story *s, struct story_range r, FILE *f)
{
    return story_walk(s, r, f, story_json_step);
}

/* ---- ShiViz: two lines an event, with its default expression; clocks count from the range's first events on ---- */

static void story_shiviz_step(void *context, uint32_t event, const uint32_t *clock)
{
    const struct story_output *o = context;
    const struct story *s = o->story;
    const struct causal_event *e = causal_event(s->causal, event);
    const struct story_detail *d = story_detail(s, event);
    if (!story_within(o->range, e->time))
        return;
    fprintf(o->file, "%" PRIu32 " {", story_id(s, e->node));
    story_put_clock(&(struct story_counted){s, clock, o->before}, o->file);
    fprintf(o->file, "}\n%s%s%s at %.6f s\n", story_text(s, d->what), d->details ? " " : "", story_text(s, d->details),
            (double)e->time * 1e-9);
}

bool story_write_shiviz(const struct story *s, struct story_range r, FILE *f)
{
    struct story_output o = {.story = s, .range = r, .file = f};
    o.before = memory_array(s->node_count, sizeof *o.before);
    for (uint32_t i = 0; i < s->node_count; i++) {
        uint32_t first, end;
        causal_range(s->causal, i, &first, &end);
        while (first + o.before[i] < end && causal_event(s->causal, first + o.before[i])->time < r.from)
            o.before[i]++;
    }
    fputs("(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)\n\n", f);
    causal_walk(s->causal, story_shiviz_step, &o);
    free(o.before);
    return !ferror(f);
}

/* ---- Perfetto ---- */

enum { STORY_TRACK = 0, STORY_SLICE = 1000 /* nanoseconds: arrows need slices */ };

static void story_perfetto_step(void *context, uint32_t event, const uint32_t *clock)
{
    struct story_output *o = context;
    const struct story *s = o->story;
    const struct causal_event *e = causal_event(s->causal, event), *sent;
    const struct story_detail *d = story_detail(s, event);
    uint32_t cause = causal_cause(s->causal, event);
    (void)clock;
    if (!story_within(o->range, e->time))
        return;
    char *name = memory_format("%s%s%s", story_text(s, d->what), d->details ? " " : "", story_text(s, d->details));
    perfetto_slice(o->processes[e->node], STORY_TRACK, e->time, e->time + STORY_SLICE, name);
    free(name);
    sent = cause == CAUSAL_NONE ? NULL : causal_event(s->causal, cause);
    if (sent && e->kind == CAUSAL_RECEIVE && story_within(o->range, sent->time))
        perfetto_flow(o->processes[e->node], STORY_TRACK, e->time,
                      (struct perfetto_start){story_id(s, sent->node), sent->time, cause});
}

bool story_write_perfetto(const struct story *s, struct story_range r, FILE *f)
{
    struct spool_file *spool = spool_file_new();
    struct story_output o = {.story = s, .range = r, .file = f};
    o.processes = memory_array(s->node_count, sizeof(struct perfetto *));
    for (size_t i = 0; i < s->node_count; i++) {
        char name[40];
        snprintf(name, sizeof name, "node %" PRIu32, s->nodes[i].id);
        o.processes[i] = perfetto_new(spool, s->nodes[i].id, name);
        perfetto_track(o.processes[i], STORY_TRACK, "log");
    }
    causal_walk(s->causal, story_perfetto_step, &o);
    bool good = perfetto_write(o.processes, s->node_count, f, 0) && !spool_file_error(spool);
    for (size_t i = 0; i < s->node_count; i++)
        perfetto_free(o.processes[i]);
    free(o.processes);
    spool_file_free(spool);
    return good;
}
