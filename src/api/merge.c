#include "motet/merge.h"

#include <stdlib.h>

#include "api/merge.h"
#include "base/memory.h"

motet_merge *motet_merge_new(const struct motet_merge_options *o)
{
    motet_merge *m = memory_new(sizeof *m);
    m->payloads = o->payloads;
    m->story = story_new(&(struct causal_options){.delay = o->delay, .copies = o->copies, .clockless = o->clockless});
    return m;
}

void motet_merge_free(motet_merge *m)
{
    if (!m)
        return;
    story_free(m->story);
    free(m->anchors);
    free(m->happened);
    free(m);
}

bool motet_merge_node(motet_merge *m, uint32_t id, const char *log, struct motet_error *e)
{
    return story_node(m->story, id, log, e);
}

void motet_merge_finish(motet_merge *m)
{
    story_tell(m->story);
}

static void merge_first_last(const struct causal *c, struct motet_merge_summary *s)
{
    s->first = UINT64_MAX;
    for (uint32_t i = 0; i < causal_count(c); i++) {
        uint64_t time = causal_event(c, i)->time;
        s->first = time < s->first ? time : s->first;
        s->last = time > s->last ? time : s->last;
    }
    s->first = s->first == UINT64_MAX ? 0 : s->first;
}

void motet_merge_summary(const motet_merge *m, struct motet_merge_summary *s)
{
    const struct causal *c = story_causal(m->story);
    const struct causal_finding *list;
    struct causal_counts n;
    causal_counts(c, &n);
    *s = (struct motet_merge_summary){
        .nodes = causal_nodes(c),
        .events = causal_count(c),
        .sends = n.sends,
        .copies = n.copies,
        .receives = n.receives,
        .matched = n.matched,
        .weaker = n.weaker,
        .undecided = n.undecided,
        .beyond = n.beyond,
        .strangers = n.strangers,
        .lost = n.lost,
        .reference = causal_nodes(c) ? story_id(m->story, n.reference) : 0,
        .uncertainty = n.uncertainty,
        .moved = n.farthest,
        .findings = causal_findings(c, &list),
    };
    merge_first_last(c, s);
}

bool motet_merge_finding(const motet_merge *m, size_t number, char *text, size_t size)
{
    const struct causal_finding *list;
    if (number >= causal_findings(story_causal(m->story), &list))
        return false;
    story_finding(m->story, &list[number], text, size);
    return true;
}

static const struct {
    const char *name;
    story_writer *write;
} merge_formats[MOTET_MERGE_FORMATS] = {
    [MOTET_MERGE_TEXT] = {"text", story_write_text},       [MOTET_MERGE_JSON] = {"json", story_write_json},
    [MOTET_MERGE_SHIVIZ] = {"shiviz", story_write_shiviz}, [MOTET_MERGE_PERFETTO] = {"perfetto", story_write_perfetto},
    [MOTET_MERGE_SVG] = {"svg", story_write_svg},          [MOTET_MERGE_HTML] = {"html", story_write_html},
};

const char *motet_merge_format_name(enum motet_merge_format f)
{
    return (unsigned)f < MOTET_MERGE_FORMATS ? merge_formats[f].name : NULL;
}

bool motet_merge_write(const motet_merge *m, enum motet_merge_format f, uint64_t from, uint64_t until, FILE *to)
{
    return merge_formats[f].write(m->story, (struct story_range){from, until}, to);
}
