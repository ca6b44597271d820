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

/* ---- text ---- */

static void story_text_step(void *context, uint32_t event, const uint32_t *clock)
{
    const struct story_output *o = context;
    const struct story *s = o->story;
    const struct causal_event *e = causal_event(s->causal, event);
    const struct story_detail *d = story_detail(s, event);
    uint32_t cause = causal_cause(s->causal, event);
    (void)clock;
    if (!story_within(o->range, e->time))
        return;
    fprintf(o->file, "%13.6f s  node %-4" PRIu32 " #%-6" PRIu32 " %s", (double)e->time * 1e-9, story_id(s, e->node),
            story_position(s, event), story_text(s, d->what));
    if (d->details)
        fprintf(o->file, " %s", story_text(s, d->details));
    if (d->place)
        fprintf(o->file, " at %s", story_text(s, d->place));
    if (cause != CAUSAL_NONE)
        fprintf(o->file, "%s#%" PRIu32 " of node %" PRIu32, e->kind == CAUSAL_RECEIVE ? "  <- " : "  again ",
                story_position(s, cause), story_id(s, causal_event(s->causal, cause)->node));
    else if (e->kind == CAUSAL_RECEIVE)
        fputs(e->open ? "  <- one of several" : "  <- unknown", o->file);
    else if (e->kind == CAUSAL_SEND && causal_effects(s->causal, event))
        fprintf(o->file, "  -> %" PRIu32, causal_effects(s->causal, event));
    else if (e->kind == CAUSAL_SEND)
        fputs("  -> nobody", o->file);
    putc('\n', o->file);
}

bool story_write_text(const struct story *s, struct story_range r, FILE *f)
{
    return story_walk(s, r, f, story_text_step);
}

/* ---- JSON lines ---- */

static void story_json_text(const struct story *s, FILE *f, const char *name, uint32_t text)
{
    if (!text)
        return;
    fprintf(f, ", \"%s\": ", name);
    json_put(f, story_text(s, text));
}

/* `before`: events of each node that do not count; NULL: all do. */
static void story_put_clock(const struct story *s, FILE *f, const uint32_t *clock, const uint32_t *before)
{
    const char *comma = "";
    putc('{', f);
    for (uint32_t i = 0; i < s->node_count; i++)
        if (clock[i] > (before ? before[i] : 0)) {
            fprintf(f, "%s\"%" PRIu32 "\":%" PRIu32, comma, s->nodes[i].id, clock[i] - (before ? before[i] : 0));
            comma = ", ";
        }
    putc('}', f);
}

static void story_json_step(void *context, uint32_t event, const uint32_t *clock)
{
    const struct story_output *o = context;
    const struct story *s = o->story;
    const struct causal_event *e = causal_event(s->causal, event);
    const struct story_detail *d = story_detail(s, event);
    uint32_t cause = causal_cause(s->causal, event);
    FILE *f = o->file;
    if (!story_within(o->range, e->time))
        return;
    fprintf(f, "{\"time\": %.9f, \"node\": %" PRIu32 ", \"event\": %" PRIu32 ", \"kind\": \"%s\", \"local\": %.9f",
            (double)e->time * 1e-9, story_id(s, e->node), story_position(s, event), story_kind_name(e->kind),
            (double)d->local * 1e-9);
    if (d->cycle)
        fprintf(f, ", \"cycle\": %" PRIu64, d->cycle);
    story_json_text(s, f, "what", d->what);
    story_json_text(s, f, "details", d->details);
    story_json_text(s, f, "bytes", d->bytes);
    story_json_text(s, f, "place", d->place);
    if (cause != CAUSAL_NONE)
        fprintf(f, ", \"%s\": {\"node\": %" PRIu32 ", \"event\": %" PRIu32 "}",
                e->kind == CAUSAL_RECEIVE ? "cause" : "repeats", story_id(s, causal_event(s->causal, cause)->node),
                story_position(s, cause));
    fputs(", \"clock\": ", f);
    story_put_clock(s, f, clock, NULL);
    fputs("}\n", f);
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
    fprintf(o->file, "%" PRIu32 " ", story_id(s, e->node));
    story_put_clock(s, o->file, clock, o->before);
    fprintf(o->file, "\n%s%s%s at %.6f s\n", story_text(s, d->what), d->details ? " " : "", story_text(s, d->details),
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
