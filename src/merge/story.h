/* A story: what several nodes logged, in one causal order, with what each event was.
 *
 * Add nodes one after the other, each with its events in local order. Then tell the story, and write it in a format of
 * another tool. Invariant: every format shows the same events with the same times and the same edges.
 */
#ifndef MERGE_STORY_H
#define MERGE_STORY_H

#include <stdio.h>

#include "base/error.h"
#include "merge/causal.h"

struct story;

struct story *story_new(const struct causal_options *o);
void story_free(struct story *s);

/* Begins a node. `log` is the file that tells of it. False, with a sentence, if there is one with that id already. */
bool story_node(struct story *s, uint32_t id, const char *log, struct motet_error *e);

#define STORY_NOBODY UINT32_MAX

struct story_event {
    enum causal_kind kind;
    uint64_t time;       /* nanoseconds of the node's clock */
    uint64_t cycle;      /* that the node's CPU had executed; 0: not known */
    const char *what;    /* "send", a function's name */
    const char *details; /* parameters, bytes; "" if there are none */
    const char *place;   /* file:line of the source; "" if not known */
    const void *content; /* of a packet: what its sender and its receivers know of it */
    size_t content_size;
    uint32_t from; /* of a receive: the id that the packet gives for its sender, or STORY_NOBODY */
};
void story_add(struct story *s, const struct story_event *e);
void story_cut(struct story *s, unsigned what); /* enum causal_cut */

void story_tell(struct story *s); /* after all events */

const struct causal *story_causal(const struct story *s);
uint32_t story_id(const struct story *s, uint32_t node);
const char *story_log(const struct story *s, uint32_t node);
uint64_t story_cycle(const struct story *s, uint32_t event);

/* A finding as a sentence; returns `text`. */
char *story_finding(const struct story *s, const struct causal_finding *f, char *text, size_t size);

/* ---- writing ---- */

struct story_range {
    uint64_t from, until; /* global nanoseconds */
};

/* False if it could not all be written. */
typedef bool story_writer(const struct story *s, struct story_range r, FILE *f);
story_writer story_write_text, story_write_json, story_write_shiviz, story_write_perfetto, story_write_svg,
    story_write_html, story_write_data; /* data: what the page has of it, as JSON */

#endif
