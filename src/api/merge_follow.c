/* Interface logs that are still being written, as one story. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/merge_interface.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pack.h"
#include "interface/format.h"
#include "merge/follow.h"
#include "motet/merge.h"

enum { FEED_DEPTHS = 64, FEED_FRAME = 8 /* size and check */, FEED_FRAME_MAX = 1 << 24 };

struct merge_feed {
    motet_follow *of;
    uint32_t number;
    char *name;
    uint8_t *bytes; /* not read yet */
    size_t size, room;
    bool open, over;
    struct interface_reader reader;
    uint64_t pending[FEED_DEPTHS]; /* 1 + the number of a send whose result is not known yet, by depth; 0: none */
    bool waits;                    /* of the event that is added, */
    uint64_t now, added;           /* when, and its number */
};

struct motet_follow {
    struct follow *follow;
    struct merge_feed *feeds;
    size_t count;
};

/* ---- life ---- */

motet_follow *motet_follow_new(const struct motet_follow_options *o)
{
    motet_follow *f = memory_new(sizeof *f);
    f->count = o->feeds;
    f->feeds = memory_array(o->feeds, sizeof *f->feeds);
    f->follow = follow_new(&(struct follow_options){
        .nodes = (uint32_t)o->feeds, .delay = o->delay, .patience = o->patience, .json = o->json, .to = o->to});
    for (size_t i = 0; i < o->feeds; i++) {
        f->feeds[i].of = f;
        f->feeds[i].number = (uint32_t)i;
        f->feeds[i].name = memory_string(o->names[i]);
    }
    return f;
}

void motet_follow_free(motet_follow *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->count; i++) {
        struct merge_feed *feed = &f->feeds[i];
        if (feed->open)
            interface_header_free(&feed->reader.header);
        free(feed->bytes);
        free(feed->name);
    }
    follow_free(f->follow);
    free(f->feeds);
    free(f);
}

/* ---- events ---- */

static void feed_add(void *context, const struct story_event *e)
{
    struct merge_feed *feed = context;
    feed->added = follow_add(feed->of->follow, feed->number, e, feed->waits && e->kind == CAUSAL_SEND, feed->now);
}

static void feed_cut(void *context, unsigned what)
{
    struct merge_feed *feed = context;
    follow_cut(feed->of->follow, feed->number, what);
}

static void feed_settle(struct merge_feed *feed, uint32_t depth, bool accepted)
{
    if (depth < FEED_DEPTHS && feed->pending[depth])
        follow_accept(feed->of->follow, feed->number, feed->pending[depth] - 1, accepted);
    if (depth < FEED_DEPTHS)
        feed->pending[depth] = 0;
}

static bool feed_has_result(const struct interface_function *f)
{
    for (uint32_t i = 0; i < f->field_count; i++)
        if (strcmp(f->fields[i].name, "accepted") == 0)
            return true;
    return false;
}

static void feed_event(struct merge_feed *feed, const struct interface_event *e)
{
    const struct interface_header *h = &feed->reader.header;
    struct merge_sink sink = {feed, feed_add, feed_cut};
    bool call = interface_is_call(e), returns = interface_is_return(e);
    const struct interface_function *f = call || returns ? &h->functions[e->function] : NULL;
    bool send = f && f->role == INTERFACE_ROLE_SEND && e->depth < FEED_DEPTHS;
    uint64_t accepted;
    if (call || !f) /* what was under way at this depth or deeper has no result any more */
        for (uint32_t i = f ? e->depth : 0; i < FEED_DEPTHS; i++)
            feed_settle(feed, i, true);
    if (send && returns && interface_number(h, e, "accepted", &accepted))
        feed_settle(feed, e->depth, accepted != 0);
    feed->waits = send && call && feed_has_result(f);
    merge_interface_event(&sink, h, e, false);
    if (feed->waits && interface_content(h, e))
        feed->pending[e->depth] = feed->added + 1;
}

/* ---- bytes ---- */

static bool feed_id_is_new(const struct merge_feed *feed, struct motet_error *e)
{
    uint32_t id = feed->reader.header.node;
    for (size_t i = 0; i < feed->of->count; i++) {
        const struct merge_feed *other = &feed->of->feeds[i];
        if (other != feed && other->open && other->reader.header.node == id)
            return error_set(e, "%s and %s are both of node %" PRIu32 "; a node has one log", other->name, feed->name,
                             id);
    }
    return true;
}

/* The bytes of the frame at an offset, its head included; 0 if that is not known yet. */
static size_t feed_frame(const struct merge_feed *feed, size_t offset)
{
    struct unpack u = {.at = feed->bytes + offset, .end = feed->bytes + feed->size};
    return feed->size - offset < FEED_FRAME ? 0 : FEED_FRAME + (size_t)unpack_number(&u, 4);
}

static bool feed_open(struct merge_feed *feed, struct motet_error *e)
{
    if (feed->size < INTERFACE_MAGIC_SIZE)
        return true;
    size_t header = feed_frame(feed, INTERFACE_MAGIC_SIZE);
    bool known = interface_recognised(feed->bytes, feed->size);
    if (known && header <= FEED_FRAME_MAX && (!header || feed->size < INTERFACE_MAGIC_SIZE + header))
        return true;
    if (!interface_open_bytes(&feed->reader, feed->name, feed->bytes, feed->size, e))
        return false;
    feed->open = true;
    follow_name(feed->of->follow, feed->number, feed->reader.header.node);
    return feed_id_is_new(feed, e);
}

static bool feed_read(struct merge_feed *feed, struct motet_error *e)
{
    struct interface_reader *r = &feed->reader;
    struct interface_event is;
    r->bytes = feed->bytes;
    r->size = feed->size;
    while (interface_next(r, &is))
        feed_event(feed, &is);
    feed->size -= r->next_block;
    memmove(feed->bytes, feed->bytes + r->next_block, feed->size);
    r->next_block = 0;
    return feed_frame(feed, 0) <= FEED_FRAME_MAX ||
           error_set(e, "%s is damaged: what should be the size of a block is %zu", feed->name, feed_frame(feed, 0));
}

bool motet_follow_take(motet_follow *f, size_t number, const void *bytes, size_t size, uint64_t now,
                       struct motet_error *e)
{
    struct merge_feed *feed = &f->feeds[number];
    while (feed->size + size > feed->room)
        feed->bytes = memory_grow(feed->bytes, &feed->room, feed->room, 1);
    memcpy(feed->bytes + feed->size, bytes, size);
    feed->size += size;
    feed->now = now;
    return (feed->open || feed_open(feed, e)) && (!feed->open || feed_read(feed, e));
}

void motet_follow_end(motet_follow *f, size_t number)
{
    f->feeds[number].over = true;
    follow_end(f->follow, (uint32_t)number);
}

void motet_follow_pass(motet_follow *f, uint64_t now)
{
    for (size_t i = 0; i < f->count; i++)
        if (!f->feeds[i].open && !f->feeds[i].over)
            return; /* an id is not known: what a node received cannot be told from a stranger's */
    follow_pass(f->follow, now);
}

void motet_follow_finish(motet_follow *f)
{
    for (size_t i = 0; i < f->count; i++)
        if (!f->feeds[i].over)
            motet_follow_end(f, i);
    follow_pass(f->follow, UINT64_MAX);
}

void motet_follow_summary(const motet_follow *f, struct motet_follow_summary *s)
{
    struct follow_counts c;
    follow_counts(f->follow, &c);
    *s = (struct motet_follow_summary){.events = c.events,
                                       .sends = c.sends,
                                       .receives = c.receives,
                                       .matched = c.matched,
                                       .undecided = c.undecided,
                                       .unknown = c.unknown,
                                       .late = c.late};
    for (size_t i = 0; i < f->count; i++)
        s->nodes += f->feeds[i].open;
}
