/* Stories as a page, or as the data that are their part of one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "export/json.h"
#include "export/page.h"
#include "merge/story_internal.h"

struct html {
    const struct story *story;
    struct story_range range;
    FILE *file;
    uint32_t *numbers; /* of each event in the page, or CAUSAL_NONE */
    uint32_t *events;  /* in the page's order */
    uint32_t count;
    uint32_t *words; /* offsets of the texts that the page has once */
    size_t word_count, word_room;
};

static void html_collect(void *context, uint32_t event, const uint32_t *clock)
{
    struct html *h = context;
    (void)clock;
    h->numbers[event] = CAUSAL_NONE;
    if (!story_within(h->range, causal_event(h->story->causal, event)->time))
        return;
    h->numbers[event] = h->count;
    h->events[h->count++] = event;
}

static uint32_t html_word(struct html *h, uint32_t text)
{
    for (uint32_t i = 0; i < h->word_count; i++)
        if (h->words[i] == text)
            return i;
    h->words = memory_grow(h->words, &h->word_room, h->word_count, sizeof *h->words);
    h->words[h->word_count] = text;
    return (uint32_t)h->word_count++;
}

typedef void html_value(struct html *h, uint32_t event);

static void html_time(struct html *h, uint32_t event)
{
    fprintf(h->file, "%.9f", (double)causal_event(h->story->causal, event)->time * 1e-9);
}

static void html_node(struct html *h, uint32_t event)
{
    fprintf(h->file, "%u", (unsigned)causal_event(h->story->causal, event)->node);
}

static void html_kind(struct html *h, uint32_t event)
{
    fprintf(h->file, "%u", (unsigned)causal_event(h->story->causal, event)->kind);
}

static void html_cause(struct html *h, uint32_t event)
{
    uint32_t cause = causal_cause(h->story->causal, event);
    uint32_t number = cause == CAUSAL_NONE ? CAUSAL_NONE : h->numbers[cause];
    if (number == CAUSAL_NONE)
        fputs("-1", h->file);
    else
        fprintf(h->file, "%" PRIu32, number);
}

static void html_position(struct html *h, uint32_t event)
{
    fprintf(h->file, "%" PRIu32, story_position(h->story, event));
}

static void html_what(struct html *h, uint32_t event)
{
    fprintf(h->file, "%" PRIu32, html_word(h, story_detail(h->story, event)->what));
}

static void html_place_of(struct html *h, uint32_t event)
{
    fprintf(h->file, "%" PRIu32, html_word(h, story_detail(h->story, event)->place));
}

static void html_details(struct html *h, uint32_t event)
{
    json_put_in_page(h->file, story_text(h->story, story_detail(h->story, event)->details));
}

static void html_list(struct html *h, const char *name, html_value *value)
{
    fprintf(h->file, ",\n\"%s\": [", name);
    for (uint32_t i = 0; i < h->count; i++) {
        if (i)
            putc(',', h->file);
        value(h, h->events[i]);
    }
    putc(']', h->file);
}

static void html_nodes(struct html *h)
{
    const struct story *s = h->story;
    fputs("\"nodes\": [", h->file);
    for (size_t i = 0; i < s->node_count; i++)
        fprintf(h->file, "%s%" PRIu32, i ? "," : "", s->nodes[i].id);
    fputs("],\n\"logs\": [", h->file);
    for (size_t i = 0; i < s->node_count; i++) {
        fputs(i ? "," : "", h->file);
        json_put_in_page(h->file, s->nodes[i].log);
    }
    putc(']', h->file);
}

static void html_words(struct html *h)
{
    fputs(",\n\"words\": [", h->file);
    for (size_t i = 0; i < h->word_count; i++) {
        fputs(i ? "," : "", h->file);
        json_put_in_page(h->file, story_text(h->story, h->words[i]));
    }
    putc(']', h->file);
}

static void html_findings(struct html *h)
{
    const struct causal_finding *list;
    size_t count = causal_findings(h->story->causal, &list);
    char text[400];
    fputs(",\n\"findings\": [", h->file);
    for (size_t i = 0; i < count; i++) {
        uint32_t number = h->numbers[list[i].event];
        fprintf(h->file, "%s{\"event\": %" PRId64 ", \"text\": ", i ? ",\n" : "",
                number == CAUSAL_NONE ? INT64_C(-1) : (int64_t)number);
        json_put_in_page(h->file, story_finding(h->story, &list[i], text, sizeof text));
        putc('}', h->file);
    }
    putc(']', h->file);
}

static void html_data(struct html *h)
{
    putc('{', h->file);
    html_nodes(h);
    html_list(h, "time", html_time);
    html_list(h, "node", html_node);
    html_list(h, "kind", html_kind);
    html_list(h, "cause", html_cause);
    html_list(h, "position", html_position);
    html_list(h, "what", html_what);
    html_list(h, "place", html_place_of);
    html_list(h, "details", html_details);
    html_words(h);
    html_findings(h);
    fputs("}", h->file);
}

bool story_write_data(const struct story *s, struct story_range r, FILE *f)
{
    struct html h = {.story = s, .range = r, .file = f};
    h.numbers = memory_array(causal_count(s->causal), sizeof *h.numbers);
    h.events = memory_array(causal_count(s->causal), sizeof *h.events);
    html_word(&h, 0); /* number 0 is "" */
    causal_walk(s->causal, html_collect, &h);
    html_data(&h);
    free(h.numbers);
    free(h.events);
    free(h.words);
    return !ferror(f);
}

bool story_write_html(const struct story *s, struct story_range r, FILE *f)
{
    page_begin(f);
    fputs("{\"run\":null,\"window\":null,\"story\":", f);
    story_write_data(s, r, f);
    fputs("}", f);
    page_end(f);
    return !ferror(f);
}
