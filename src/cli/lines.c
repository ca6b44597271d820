#include "lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { LINE_LIMIT = 400, PREFIX = 16 };

struct printed {
    uint64_t time;
    size_t node, order;
    char *text;
    size_t length;
    bool error;
};

/* One node's: only its own thread touches it while it runs. */
struct voice {
    char line[LINE_LIMIT + PREFIX];
    size_t used;
    uint64_t time;
    struct printed *done;
    size_t count, room, order;
};

struct lines {
    struct voice **voices; /* NULL for nodes without output */
    size_t nodes;
};

struct lines *lines_new(size_t nodes)
{
    struct lines *l = cli_array(1, sizeof *l);
    l->nodes = nodes;
    l->voices = cli_array(nodes, sizeof *l->voices);
    return l;
}

void lines_free(struct lines *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->nodes; i++)
        if (l->voices[i]) {
            free(l->voices[i]->done);
            free(l->voices[i]);
        }
    free(l->voices);
    free(l);
}

static struct voice *voice_of(struct lines *l, size_t node)
{
    if (!l->voices[node])
        l->voices[node] = cli_array(1, sizeof(struct voice));
    return l->voices[node];
}

static void cli_lines_add(struct voice *v, size_t node, uint64_t time, const char *text, size_t length, bool error)
{
    if (v->count == v->room) {
        v->room = v->room ? 2 * v->room : 8;
        v->done = cli_resized(v->done, v->room, sizeof *v->done);
    }
    v->done[v->count++] = (struct printed){time, node, v->order++, cli_text(text, length), length, error};
}

static void cli_lines_end_line(struct voice *v, size_t node)
{
    v->line[v->used++] = '\n';
    cli_lines_add(v, node, v->time, v->line, v->used, false);
    v->used = 0;
}

void lines_put(struct lines *l, size_t node, uint32_t id, uint64_t time, uint8_t byte)
{
    struct voice *v = voice_of(l, node);
    if (byte == '\r')
        return;
    v->time = time;
    if (v->used == 0)
        v->used = (size_t)snprintf(v->line, PREFIX, "%lu: ", (unsigned long)id);
    if (byte != '\n')
        v->line[v->used++] = (char)byte;
    if (byte == '\n' || v->used == LINE_LIMIT)
        cli_lines_end_line(v, node);
}

void lines_say(struct lines *l, size_t node, uint64_t time, const char *text)
{
    cli_lines_add(voice_of(l, node), node, time, text, strlen(text), true);
}

static int cli_lines_by_time(const void *a, const void *b)
{
    const struct printed *p = a, *q = b;
    if (p->time != q->time)
        return p->time < q->time ? -1 : 1;
    if (p->node != q->node)
        return p->node < q->node ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

bool lines_waiting(const struct lines *l)
{
    for (size_t i = 0; i < l->nodes; i++)
        if (l->voices[i] && l->voices[i]->count)
            return true;
    return false;
}

void lines_print(struct lines *l, bool at_end)
{
    size_t count = 0;
    for (size_t i = 0; i < l->nodes; i++) {
        struct voice *v = l->voices[i];
        if (v && at_end && v->used)
            cli_lines_end_line(v, i);
        count += v ? v->count : 0;
    }
    if (!count)
        return;
    struct printed *all = cli_array(count, sizeof *all);
    count = 0;
    for (size_t i = 0; i < l->nodes; i++) {
        struct voice *v = l->voices[i];
        if (!v || !v->count)
            continue;
        memcpy(all + count, v->done, v->count * sizeof *all);
        count += v->count;
        v->count = 0;
    }
    qsort(all, count, sizeof *all, cli_lines_by_time);
    for (size_t i = 0; i < count; i++) {
        if (all[i].error)
            fflush(stdout);
        fwrite(all[i].text, 1, all[i].length, all[i].error ? stderr : stdout);
        free(all[i].text);
    }
    fflush(stdout);
    free(all);
}
