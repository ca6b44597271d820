#include "motet/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "base/memory.h"
#include "base/pages.h"
#include "board/board.h"
#include "chip/chip.h"
#include "interface/replay.h"
#include "record/dump.h"
#include "record/log.h"
#include "record/replay.h"

struct motet_log {
    struct log *log;
};

static motet_log *handle_of(struct log *log)
{
    if (!log)
        return NULL;
    motet_log *l = memory_bytes(sizeof *l);
    l->log = log;
    return l;
}

motet_log *motet_log_load(const char *path, unsigned page_size, struct motet_error *e)
{
    return handle_of(log_load(path, page_size, e));
}

motet_log *motet_log_read(const char *name, const void *bytes, size_t size, unsigned page_size, struct motet_error *e)
{
    return handle_of(log_parse(name, bytes, size, page_size, e));
}

motet_log *motet_log_receive(const char *name, int descriptor, unsigned patience,
                             void (*progress)(void *context, unsigned pages), void *context, struct motet_error *e)
{
    struct dump_options o = {patience, 3000, progress, context};
    return handle_of(dump_receive(name, descriptor, &o, e));
}

void motet_log_free(motet_log *l)
{
    if (!l)
        return;
    log_free(l->log);
    free(l);
}

void motet_log_info(const motet_log *l, struct motet_log_info *info)
{
    const struct log *g = l->log;
    *info = (struct motet_log_info){
        .page_size = g->page_size,
        .pages = g->pages,
        .damaged = g->damaged,
        .blank = g->blank,
        .former = g->former,
        .missing = g->missing,
        .before = g->first,
        .parts = g->count,
    };
}

bool motet_log_part(const motet_log *l, size_t number, struct motet_log_part *part)
{
    if (number >= l->log->count)
        return false;
    const struct log_part *p = &l->log->parts[number];
    *part = (struct motet_log_part){
        .number = p->number,
        .build = p->build,
        .codec = log_codec_name(p->codec),
        .pages = p->pages,
        .beyond = p->beyond,
        .bytes = p->size,
        .checkpoint = p->continues ? p->checkpoint.pages + p->checkpoint.beyond : 0,
        .usable = log_part_usable(p),
        .gap = p->gap,
        .reset = p->recovered,
        .frozen = p->frozen,
        .next = p->next ? p->next - l->log->parts : MOTET_NO_PART,
    };
    return true;
}

size_t motet_log_begin(const motet_log *l)
{
    const struct log *g = l->log;
    size_t begin = 0;
    for (size_t i = 0; i < g->count; i++)
        if (log_part_usable(&g->parts[i]) && (i == 0 || g->parts[begin].next != &g->parts[i]))
            begin = i;
    return begin;
}

bool motet_log_save(const motet_log *l, const char *path, struct motet_error *e)
{
    return log_save(l->log, path, e);
}

static motet_machine *record_load(const char *path, const struct motet_options *options, const struct log_part *part,
                                  struct motet_error *e)
{
    const struct board *board;
    const struct chip *chip;
    struct image *image = image_load(path, e);
    struct replay *replay = NULL;
    if (image && machine_choose(image, options->board, &board, &chip, e))
        replay = replay_new(image, chip->isa, part, e);
    if (!replay) {
        image_free(image);
        return NULL;
    }
    struct machine_options o = {.hz = options->hz, .lock = options->lock, .log = replay_device(replay)};
    memcpy(o.fuses, options->fuses, sizeof o.fuses);
    struct machine *m = machine_new(chip, board, image, &o, e);
    if (!m) {
        replay_free(replay);
        return NULL;
    }
    motet_machine *handle = memory_bytes(sizeof *handle);
    *handle = (motet_machine){.machine = m, .replay = replay};
    return handle;
}

motet_machine *motet_replay_load(const char *path, const struct motet_options *options, const motet_log *l, size_t part,
                                 struct motet_error *e)
{
    motet_machine *m = NULL;
    if (part >= l->log->count)
        error_set(e, "the log has no part %zu; it has %zu", part, l->log->count);
    else if (!log_part_usable(&l->log->parts[part]))
        error_set(e, "nothing can be replayed from part %zu on: its beginning is lost", part);
    else
        m = record_load(path, options, &l->log->parts[part], e);
    if (!m)
        return NULL;
    m->log = l->log;
    m->part = part;
    return m;
}

motet_machine *motet_component_load(const char *path, const struct motet_options *options, const char *log,
                                    struct motet_error *e)
{
    const struct board *board;
    const struct chip *chip;
    struct interface_reader reader;
    struct component_replay *component = NULL;
    if (!interface_open(&reader, log, e))
        return NULL;
    struct image *image = image_load(path, e);
    if (image && machine_choose(image, options->board, &board, &chip, e)) {
        component = component_replay_new(&reader, image, e);
    } else {
        interface_close(&reader);
    }
    if (!component) {
        image_free(image);
        return NULL;
    }
    struct machine_options o = {.hz = options->hz, .lock = options->lock, .log = component_replay_device(component)};
    memcpy(o.fuses, options->fuses, sizeof o.fuses);
    struct machine *m = machine_new(chip, board, image, &o, e);
    if (!m) {
        component_replay_free(component);
        return NULL;
    }
    motet_machine *handle = memory_new(sizeof *handle);
    *handle = (motet_machine){.machine = m, .component = component};
    if (component_replay_connect(component, m, e))
        return handle;
    motet_machine_free(handle);
    return NULL;
}

bool motet_interface_is_log(const char *path)
{
    uint8_t bytes[16];
    FILE *in = fopen(path, "rb");
    size_t count = in ? fread(bytes, 1, sizeof bytes, in) : 0;
    if (in)
        fclose(in);
    return interface_recognised(bytes, count);
}

/* The part of the log a replay is in. */
static size_t record_part_of(const motet_node *n)
{
    const struct log_part *parts = n->machine->log->parts, *p = parts + n->machine->part;
    for (unsigned i = 0; i < replay_state_of(n->node)->parts && p->next; i++)
        p = p->next;
    return (size_t)(p - parts);
}

static void record_component(const motet_node *n, struct motet_replay *r)
{
    struct component_replay_status s;
    component_replay_status(n->node, &s);
    *r = (struct motet_replay){
        .events = s.events, .interrupts = s.interrupts, .verified = s.events, .ended = s.ended, .differs = s.deviates};
    component_replay_explain(n->node, r->how, sizeof r->how);
}

void motet_node_replay(const motet_node *n, struct motet_replay *r)
{
    if (n->machine->component) {
        record_component(n, r);
        return;
    }
    const struct replay_state *s = replay_state_of(n->node);
    *r = (struct motet_replay){
        .events = s->decoder.events,
        .interrupts = s->decoder.interrupts,
        .verified = s->verified,
        .ended = s->end != REPLAY_GOES_ON,
        .differs = s->end == REPLAY_DIFFERS,
        .part = record_part_of(n),
    };
    replay_explain(n->node, r->how, sizeof r->how);
}

bool motet_node_logged(const motet_node *n, uint64_t *events, uint64_t *bytes)
{
    if (!n->node->machine->log || n->machine->component)
        return false;
    const struct replay_state *s = replay_state_of(n->node);
    *events = s->decoder.events;
    *bytes = s->before + s->decoder.at;
    for (size_t i = 0; i < n->machine->part; i++)
        *bytes += n->machine->log->parts[i].size;
    return true;
}
