#include "merge/story.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/line.h"
#include "base/memory.h"
#include "merge/story_internal.h"

struct story *story_new(const struct causal_options *o)
{
    struct story *s = memory_new(sizeof *s);
    s->causal = causal_new(o);
    s->texts = memory_new(1);
    s->text_size = s->text_room = 1;
    return s;
}

void story_free(struct story *s)
{
    if (!s)
        return;
    causal_free(s->causal);
    for (size_t i = 0; i < s->node_count; i++)
        free(s->nodes[i].log);
    free(s->nodes);
    free(s->details);
    free(s->texts);
    free(s->words);
    free(s->senders);
    free(s);
}

bool story_node(struct story *s, uint32_t id, const char *log, struct motet_error *e)
{
    for (size_t i = 0; i < s->node_count; i++)
        if (s->nodes[i].id == id)
            return error_set(e, "%s and %s are both of node %" PRIu32 "; a node has one log", s->nodes[i].log, log, id);
    if (s->node_count == CAUSAL_NODES)
        return error_set(e, "%s is one log too many; %u nodes can be merged", log, (unsigned)CAUSAL_NODES);
    causal_node(s->causal);
    s->nodes = memory_grow(s->nodes, &s->node_room, s->node_count, sizeof *s->nodes);
    s->nodes[s->node_count].id = id;
    s->nodes[s->node_count++].log = memory_string(log);
    return true;
}

void story_cut(struct story *s, unsigned what)
{
    causal_cut(s->causal, what);
}

/* ---- texts ---- */

static uint32_t story_keep(struct story *s, const char *text)
{
    size_t size = strlen(text) + 1, at = s->text_size;
    if (size == 1 || at + size > UINT32_MAX)
        return 0;
    while (at + size > s->text_room)
        s->texts = memory_grow(s->texts, &s->text_room, s->text_room, 1);
    memcpy(s->texts + at, text, size);
    s->text_size += size;
    return (uint32_t)at;
}

static size_t story_word_slot(const struct story *s, const char *text)
{
    size_t at = (size_t)digest_of(text, strlen(text)).low & (s->word_room - 1);
    while (s->words[at] && strcmp(s->texts + s->words[at], text) != 0)
        at = (at + 1) & (s->word_room - 1);
    return at;
}

static void story_more_words(struct story *s)
{
    uint32_t *old = s->words;
    size_t count = s->word_room;
    if (2 * s->word_count < count)
        return;
    s->word_room = count ? 2 * count : 256;
    s->words = memory_array(s->word_room, sizeof *s->words);
    for (size_t i = 0; i < count; i++)
        if (old[i])
            s->words[story_word_slot(s, s->texts + old[i])] = old[i];
    free(old);
}

/* A text that comes again and again is kept once. */
static uint32_t story_word(struct story *s, const char *text)
{
    if (!*text)
        return 0;
    story_more_words(s);
    size_t at = story_word_slot(s, text);
    if (!s->words[at]) {
        s->words[at] = story_keep(s, text);
        s->word_count++;
    }
    return s->words[at];
}

/* ---- events ---- */

/* The number of an id among those that packets name; nodes are put in their places when all are known. */
static uint32_t story_sender(struct story *s, uint32_t id)
{
    if (id == STORY_NOBODY)
        return CAUSAL_ANYONE;
    for (uint32_t i = 0; i < s->sender_count; i++)
        if (s->senders[i] == id)
            return i;
    if (s->sender_count == CAUSAL_NODES)
        return CAUSAL_ANYONE;
    s->senders = memory_grow(s->senders, &s->sender_room, s->sender_count, sizeof *s->senders);
    s->senders[s->sender_count] = id;
    return (uint32_t)s->sender_count++;
}

/* As hexadecimal digits. */
static uint32_t story_keep_bytes(struct story *s, const uint8_t *bytes, size_t count)
{
    char *text = memory_bytes(2 * count + 1);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    uint32_t kept = story_keep(s, text);
    free(text);
    return kept;
}

void story_add(struct story *s, const struct story_event *e)
{
    s->details = memory_grow(s->details, &s->detail_room, s->detail_count, sizeof *s->details);
    struct story_detail *d = &s->details[s->detail_count];
    *d = (struct story_detail){.local = e->time, .cycle = e->cycle};
    d->what = story_word(s, e->what);
    d->place = story_word(s, e->place);
    d->details = story_keep(s, e->details);
    d->bytes = story_keep_bytes(s, e->content, e->content_size);
    causal_add(s->causal, &(struct causal_event){
                              .time = e->time,
                              .content = e->kind == CAUSAL_OTHER ? 0 : digest_of(e->content, e->content_size).low,
                              .detail = (uint32_t)s->detail_count++,
                              .kind = e->kind,
                              .from = e->kind == CAUSAL_RECEIVE ? story_sender(s, e->from) : CAUSAL_ANYONE,
                          });
}

void story_tell(struct story *s)
{
    uint32_t *numbers = memory_resize(NULL, s->sender_count, sizeof *numbers);
    for (size_t i = 0; i < s->sender_count; i++) {
        numbers[i] = CAUSAL_STRANGER;
        for (uint32_t k = 0; k < s->node_count; k++)
            if (s->nodes[k].id == s->senders[i])
                numbers[i] = k;
    }
    causal_name_senders(s->causal, numbers);
    free(numbers);
    causal_merge(s->causal);
}

/* ---- asking ---- */

const struct causal *story_causal(const struct story *s)
{
    return s->causal;
}

uint32_t story_id(const struct story *s, uint32_t node)
{
    return s->nodes[node].id;
}

const char *story_log(const struct story *s, uint32_t node)
{
    return s->nodes[node].log;
}

const struct story_detail *story_detail(const struct story *s, uint32_t event)
{
    return &s->details[causal_event(s->causal, event)->detail];
}

uint64_t story_cycle(const struct story *s, uint32_t event)
{
    return story_detail(s, event)->cycle;
}

uint32_t story_position(const struct story *s, uint32_t event)
{
    uint32_t first, end;
    causal_range(s->causal, causal_event(s->causal, event)->node, &first, &end);
    return event - first;
}

const char *story_kind_name(unsigned kind)
{
    static const char *const names[] = {"event", "send", "receive"};
    return names[kind];
}

static void story_say_event(const struct story *s, struct line *l, uint32_t event)
{
    const struct causal_event *e = causal_event(s->causal, event);
    const struct story_detail *d = story_detail(s, event);
    line_say(l, "event %" PRIu32 " of node %" PRIu32 " at %.6f s (%s", story_position(s, event), s->nodes[e->node].id,
             (double)e->time * 1e-9, story_text(s, d->what));
    if (d->details)
        line_say(l, ": %.60s", story_text(s, d->details));
    line_say(l, ")");
}

char *story_finding(const struct story *s, const struct causal_finding *f, char *text, size_t size)
{
    struct line l = {text, size, 0};
    text[0] = '\0';
    story_say_event(s, &l, f->event);
    switch (f->wrong) {
    case CAUSAL_CYCLE:
        line_say(&l, " would come before its own cause, ");
        story_say_event(s, &l, f->other);
        line_say(&l, ": the logs contradict each other");
        break;
    case CAUSAL_NO_SEND: line_say(&l, " received what no log has sent, though none has a gap there"); break;
    case CAUSAL_BACKWARD:
        line_say(&l, " has an earlier clock than the event before it: %.6f s after %.6f s",
                 (double)story_detail(s, f->event)->local * 1e-9, (double)story_detail(s, f->other)->local * 1e-9);
        break;
    }
    return text;
}
