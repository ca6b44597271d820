/* An interface log as a part of a story: calls across the boundary, of which some send and receive messages. */
#include "api/merge_interface.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/merge.h"
#include "base/error.h"
#include "base/memory.h"
#include "image/image.h"
#include "interface/boundary.h"
#include "interface/log.h"
#include "interface/print.h"
#include "motet/merge.h"

enum { MERGE_DEPTHS = 64, MERGE_CONTENT = 512 };

/* Orders of sends that were refused, as their results say. */
struct merge_refused {
    uint64_t *orders;
    size_t count, room;
};

static const struct interface_function *merge_function(const struct interface_header *h,
                                                       const struct interface_event *e)
{
    return (interface_is_call(e) || interface_is_return(e)) && e->function < h->function_count
               ? &h->functions[e->function]
               : NULL;
}

static int merge_by_order(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;
    return (one > two) - (one < two);
}

static bool merge_find_refused(struct merge_refused *r, const char *path, struct motet_error *e)
{
    struct interface_reader in;
    struct interface_event is;
    uint64_t called[MERGE_DEPTHS] = {0}, accepted;
    if (!interface_open(&in, path, e))
        return false;
    while (interface_next(&in, &is)) {
        const struct interface_function *f = merge_function(&in.header, &is);
        if (!f || f->role != INTERFACE_ROLE_SEND || is.depth >= MERGE_DEPTHS)
            continue;
        if (interface_is_call(&is)) {
            called[is.depth] = is.order;
        } else if (interface_number(&in.header, &is, "accepted", &accepted) && !accepted) {
            r->orders = memory_grow(r->orders, &r->room, r->count, sizeof *r->orders);
            r->orders[r->count++] = called[is.depth];
        }
    }
    interface_close(&in);
    if (r->count)
        qsort(r->orders, r->count, sizeof *r->orders, merge_by_order);
    return true;
}

static bool merge_is_refused(const struct merge_refused *r, uint64_t order)
{
    return r->count && bsearch(&order, r->orders, r->count, sizeof *r->orders, merge_by_order);
}

/* ---- events ---- */

static enum causal_kind merge_kind(const struct interface_header *h, const struct interface_event *e, bool refused)
{
    const struct interface_function *f = merge_function(h, e);
    if (!f || !interface_is_call(e) || !interface_content(h, e))
        return CAUSAL_OTHER;
    if (f->role == INTERFACE_ROLE_SEND && !refused)
        return CAUSAL_SEND;
    return f->role == INTERFACE_ROLE_RECEIVE ? CAUSAL_RECEIVE : CAUSAL_OTHER;
}

/* The type of the message and its bytes, as a frame has them one after the other. */
static size_t merge_content(const struct interface_header *h, const struct interface_event *e,
                            uint8_t content[MERGE_CONTENT])
{
    const struct interface_bytes *bytes = interface_content(h, e);
    uint64_t type;
    size_t count = 0;
    if (!bytes)
        return 0;
    if (interface_number(h, e, "type", &type))
        content[count++] = (uint8_t)type;
    size_t size = bytes->size < MERGE_CONTENT - count ? bytes->size : MERGE_CONTENT - count;
    memcpy(content + count, bytes->bytes, size);
    return count + size;
}

static void merge_add_call(const struct merge_sink *s, const struct interface_header *h,
                           const struct interface_event *e, bool refused, uint64_t time)
{
    const struct interface_function *f = merge_function(h, e);
    char *text = NULL, *place = memory_format(f->file[0] ? "%s:%" PRIu32 : "", f->file, f->line);
    size_t size, name = strlen(f->name);
    uint8_t content[MERGE_CONTENT];
    uint64_t from;
    FILE *memory = memory_must(open_memstream(&text, &size));
    interface_print_event(h, e, memory);
    memory_written(memory);
    s->add(s->context, &(struct story_event){
                           .kind = merge_kind(h, e, refused),
                           .time = time,
                           .what = f->name,
                           .details = strncmp(text, f->name, name) == 0 ? text + name : text,
                           .place = place,
                           .content = content,
                           .content_size = merge_content(h, e, content),
                           .from = interface_number(h, e, "from", &from) ? (uint32_t)from : STORY_NOBODY,
                       });
    free(text);
    free(place);
}

static void merge_add_other(const struct merge_sink *s, const char *what, uint64_t time)
{
    s->add(s->context, &(struct story_event){.kind = CAUSAL_OTHER,
                                             .time = time,
                                             .what = what,
                                             .details = "",
                                             .place = "",
                                             .content = "",
                                             .from = STORY_NOBODY});
}

void merge_interface_event(const struct merge_sink *s, const struct interface_header *h,
                           const struct interface_event *e, bool refused)
{
    uint64_t time = h->hertz ? (uint64_t)((double)e->time * 1e9 / (double)h->hertz) : e->order;
    switch (e->kind) {
    case INTERFACE_CALL_IN:
    case INTERFACE_CALL_OUT: merge_add_call(s, h, e, refused, time); break;
    case INTERFACE_RETURN_IN:
    case INTERFACE_RETURN_OUT:
        if (e->value_count || e->byte_count)
            merge_add_call(s, h, e, refused, time);
        break;
    case INTERFACE_GAP: s->cut(s->context, CAUSAL_LOST); break;
    case INTERFACE_BEGIN: merge_add_other(s, "logging begins", time); break;
    case INTERFACE_OFF:
        merge_add_other(s, "logging ends", time);
        s->cut(s->context, CAUSAL_LOST);
        break;
    case INTERFACE_RESET:
        s->cut(s->context, CAUSAL_NEW_CLOCK);
        merge_add_other(s, "start", time);
        break;
    default: break; /* reads and snapshots are for replay */
    }
}

static void merge_add_to_story(void *story, const struct story_event *e)
{
    story_add(story, e);
}

static void merge_cut_story(void *story, unsigned what)
{
    story_cut(story, what);
}

bool motet_interface_node(const char *path, uint32_t *id, struct motet_error *e)
{
    struct interface_reader in;
    if (!interface_open(&in, path, e))
        return false;
    *id = in.header.node;
    interface_close(&in);
    return true;
}

static bool merge_is_of(const struct interface_header *h, const char *path, const struct image *i,
                        struct motet_error *e)
{
    uint64_t build = boundary_build(i);
    if (build != h->build)
        return error_set(e,
                         "%s is build %016" PRIx64 ", but %s was made by build %016" PRIx64
                         "; give the firmware of its node with --elf %" PRIu32 ":FIRMWARE, or none",
                         image_path(i), build, path, h->build, h->node);
    for (uint32_t k = 0; k < h->function_count; k++)
        if (!image_symbol_at(i, h->functions[k].address)) /* names may differ: compilers split functions */
            return error_set(e, "%s has a function %s, which %s has not", path, h->functions[k].name, image_path(i));
    return true;
}

bool motet_interface_is_of(const char *path, const char *firmware, struct motet_error *e)
{
    struct interface_reader in;
    if (!interface_open(&in, path, e))
        return false;
    struct image *i = image_load(firmware, e);
    bool good = i && merge_is_of(&in.header, path, i, e);
    image_free(i);
    interface_close(&in);
    return good;
}

bool motet_merge_add_interface(motet_merge *m, const char *path, struct motet_error *e)
{
    struct merge_refused refused = {.orders = NULL};
    struct interface_reader in;
    struct interface_event is;
    bool good = merge_find_refused(&refused, path, e) && interface_open(&in, path, e);
    if (good) {
        good = story_node(m->story, in.header.node, path, e);
        struct merge_sink sink = {m->story, merge_add_to_story, merge_cut_story};
        while (good && interface_next(&in, &is))
            merge_interface_event(&sink, &in.header, &is, merge_is_refused(&refused, is.order));
        interface_close(&in);
    }
    free(refused.orders);
    return good;
}
