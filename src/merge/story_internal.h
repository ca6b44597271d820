/* What the writers of stories share. */
#ifndef MERGE_STORY_INTERNAL_H
#define MERGE_STORY_INTERNAL_H

#include "merge/story.h"

struct story_detail {
    uint64_t local, cycle;
    uint32_t what, details, place, bytes; /* offsets into the texts; 0 is "" */
};

struct story {
    struct causal *causal;
    struct story_told_node {
        uint32_t id;
        char *log;
    } * nodes;
    size_t node_count, node_room;
    struct story_detail *details; /* by causal_event.detail */
    size_t detail_count, detail_room;
    char *texts;
    size_t text_size, text_room;
    uint32_t *words; /* offsets of texts that come again, hashed */
    size_t word_count, word_room;
    uint32_t *senders; /* ids that packets name */
    size_t sender_count, sender_room;
};

static inline const char *story_text(const struct story *s, uint32_t at)
{
    return s->texts + at;
}

const struct story_detail *story_detail(const struct story *s, uint32_t event);
uint32_t story_position(const struct story *s, uint32_t event); /* on its node, from 0 */

static inline bool story_within(struct story_range r, uint64_t time)
{
    return time >= r.from && time <= r.until;
}

/* An event as it is written. Texts are "" where there are none. */
struct story_line {
    uint64_t time, local, cycle; /* cycle 0: not known */
    uint32_t id;                 /* of the node */
    uint64_t position;           /* on its node, from 0 */
    enum causal_kind kind;
    const char *what, *details, *place, *bytes;
    bool caused; /* by this event; of a copy: which it repeats */
    uint32_t cause_node;
    uint64_t cause;
    bool open;        /* of a receive: several nodes may have sent it */
    bool ends;        /* of a send: all its receives are known, */
    uint32_t effects; /* and how many they are */
};

typedef void story_clock(void *context, FILE *f); /* writes the members of a vector clock */
void story_line_text(FILE *f, const struct story_line *l);
void story_line_json(FILE *f, const struct story_line *l, story_clock *clock, void *context);

/* "send", "receive" or "event" */
const char *story_kind_name(unsigned kind);

#endif
