/* Which code wrote a variable last. */
#include <inttypes.h>
#include <stdio.h>

#include "debugger/internal.h"

enum { BYTES = 16 };

/* What is looked for: bytes of a node's data memory. */
struct last_write {
    uint32_t node, first, size;
    const char *what; /* as it was typed */
};

static bool last_write_find(struct commands *c, struct last_write *w, struct answer *a)
{
    const motet_node *n = motet_timeline_node(c->timeline, w->node);
    enum motet_memory memory;
    struct motet_error e;
    uint32_t address;
    if (!*w->what)
        return answer_refuse(a, "last-write of what? such as last-write total, last-write links[0].etx");
    if (!motet_node_named(n, w->node == c->node ? c->level : 0, w->what, &address, &w->size, &e))
        return answer_refuse(a, "%s", e.text);
    if (w->size && motet_node_locate(n, address, w->size, &memory, &w->first) && memory == MOTET_MEMORY_DATA)
        return true;
    return answer_refuse(a, "'%s' (0x%" PRIx32 ") is not in data memory", w->what, address);
}

static void last_write_bytes(const motet_node *n, const struct last_write *w, char text[3 * BYTES])
{
    uint8_t bytes[BYTES];
    uint32_t count = w->size < BYTES ? w->size : BYTES;
    motet_node_peek(n, w->first, bytes, count);
    for (uint32_t i = 0; i < count; i++)
        snprintf(text + 3 * i, 4, i + 1 < count ? "%02x " : "%02x", bytes[i]);
}

static void last_write_say(struct commands *c, const struct last_write *w, struct answer *a)
{
    const motet_node *n = motet_timeline_node(c->timeline, w->node);
    char before[3 * BYTES + 1], after[3 * BYTES + 1];
    uint32_t selected = c->node;
    c->node = w->node;
    answer_say(a, "%s was written at ", w->what);
    commands_say_here(c, a);
    c->node = selected;
    last_write_bytes(n, w, before);
    motet_timeline_step(c->timeline, w->node, MOTET_NEVER);
    last_write_bytes(n, w, after);
    answer_text(a, "before", before);
    answer_text(a, "after", after);
    answer_say(a, "  from %s to %s\n", before, after);
}

/* Looks for it with nothing else armed, and comes back. */
void commands_last_write(struct commands *c, const char *arguments, struct answer *a)
{
    char what[COMMANDS_TEXT];
    struct last_write w = {.what = what};
    if (!commands_take_node(c, arguments, false, what, &w.node, a) || !last_write_find(c, &w, a))
        return;
    struct motet_position here = motet_timeline_position(c->timeline);
    struct motet_timeline_watch watch = {w.first, w.first + w.size - 1, MOTET_WRITE};
    uint32_t count = motet_timeline_count(c->timeline);
    for (uint32_t i = 0; i < count; i++)
        motet_timeline_stops(c->timeline, i, NULL, 0, &watch, i == w.node);
    struct motet_timeline_event e = motet_timeline_run_back(c->timeline);
    for (uint32_t i = 0; i < count; i++)
        motet_timeline_stops(c->timeline, i, NULL, 0, NULL, 0);
    if (e.why == MOTET_TIMELINE_WATCH)
        last_write_say(c, &w, a);
    else if (e.why == MOTET_TIMELINE_INTERRUPTED)
        answer_refuse(a, "interrupted");
    else
        answer_say(a, "%s was not written since the beginning\n", w.what);
    motet_timeline_go(c->timeline, here);
}
