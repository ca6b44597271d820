/* Saving a run in a file while it runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "api/layout.h"
#include "api/saved_moments.h"
#include "base/memory.h"
#include "network/network.h"
#include "timeline/saved_file.h"

enum {
    SPACING = 10,           /* snapshots a second at first */
    DOUBLED = 512,          /* after so many snapshots they are twice as far apart */
    CHUNK_STATES = 16,      /* snapshots compressed together */
    CHUNK_BYTES = 32 << 20, /* or so many bytes of them */
};

struct motet_save {
    motet_network *network;
    struct save_inputs *save_inputs;
    struct saved_file_writer *writer;
    uint64_t next, spacing;
    struct pack about, moments, chunk;
    struct pack state, before; /* this snapshot, and the one before it in the chunk */
    size_t about_count, moment_count, chunk_states, chunk_number;
    bool torn;
};

/* ---- snapshots ---- */

uint64_t save_next(const motet_save *k)
{
    return k->next;
}

static void end_chunk(motet_save *k)
{
    if (k->chunk_states == 0)
        return;
    saved_file_add(k->writer, SECTION_STATES, k->chunk.bytes, k->chunk.count);
    k->chunk.count = 0;
    k->before.count = 0;
    k->chunk_states = 0;
    k->chunk_number++;
}

static void save_pack_state(motet_save *k)
{
    k->state.count = 0;
    struct network_snapshot *s = network_snapshot(network_of(k->network));
    network_snapshot_pack(s, &k->state);
    network_snapshot_free(s);
    size_t at = k->chunk.count;
    pack_bytes(&k->chunk, k->state.bytes, k->state.count);
    saved_moments_difference(k->chunk.bytes + at, k->state.count, k->before.bytes, k->before.count);
    struct pack swap = k->before;
    k->before = k->state;
    k->state = swap;
}

static void add_moment(motet_save *k, uint64_t time, bool with_state)
{
    struct saved_moment m = {.time = time, .entries = k->save_inputs->inputs.count, .chunk = k->chunk_number};
    m.digest = network_digest(network_of(k->network));
    m.ready = network_is_ready(network_of(k->network));
    m.at = k->chunk.count;
    if (with_state)
        save_pack_state(k);
    m.size = k->chunk.count - m.at;
    saved_moment_pack(&k->moments, &m);
    k->moment_count++;
    k->chunk_states += with_state;
    if (k->chunk_states == CHUNK_STATES || k->chunk.count > CHUNK_BYTES)
        end_chunk(k);
}

/* The explanation of a fault is not part of the state: going there executes it again. */
static bool anyone_ended(const motet_save *k)
{
    for (size_t i = 0; i < motet_network_count(k->network); i++)
        if (motet_network_at(k->network, i)->node->state->exit)
            return true;
    return false;
}

void save_moment(motet_save *k, uint64_t time)
{
    add_moment(k, time, !anyone_ended(k));
    if (k->moment_count % DOUBLED == 0)
        k->spacing *= 2;
    while (k->next <= time)
        k->next = k->next < UINT64_MAX - k->spacing ? k->next + k->spacing : UINT64_MAX;
}

void save_tear(motet_save *k)
{
    k->torn = true;
}

/* ---- life ---- */

motet_save *motet_save_network(motet_network *n, const char *path, struct motet_error *e)
{
    struct save_inputs *inputs = *network_save_inputs(n);
    if (!inputs || inputs->save) {
        snprintf(e->text, sizeof e->text, "%s: a run that has begun, or is being saved, cannot be saved from here on",
                 path);
        return NULL;
    }
    struct saved_file_writer *writer = saved_file_create(path, e);
    if (!writer)
        return NULL;
    motet_save *k = memory_bytes(sizeof *k);
    *k = (motet_save){.network = n,
                      .save_inputs = inputs,
                      .writer = writer,
                      .spacing = MOTET_SECOND / SPACING,
                      .next = MOTET_SECOND / SPACING};
    inputs->save = k;
    for (size_t i = 0; i < motet_network_count(n); i++)
        node_listen(motet_network_at(n, i), inputs);
    return k;
}

void motet_save_about(motet_save *k, const char *name, const char *text)
{
    pack_text(&k->about, name);
    pack_text(&k->about, text);
    k->about_count++;
}

/* The notes go on, since another save may begin; those of analog readings end. */
static void end_saving(motet_save *k)
{
    for (size_t i = 0; i < motet_network_count(k->network); i++)
        node_listen(motet_network_at(k->network, i), NULL);
    k->save_inputs->save = NULL;
    pack_free(&k->about);
    pack_free(&k->moments);
    pack_free(&k->chunk);
    pack_free(&k->state);
    pack_free(&k->before);
    free(k);
}

static const char *save_base_name(const motet_machine *m)
{
    const char *path = image_path(m->machine->image), *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Names tell files apart, as paths did. */
static void name_file(const motet_save *k, size_t number, char *name, size_t size)
{
    const char *own = save_base_name(k->save_inputs->machines[number]);
    bool taken = false;
    for (size_t i = 0; i < number; i++)
        taken |= strcmp(save_base_name(k->save_inputs->machines[i]), own) == 0;
    if (taken)
        snprintf(name, size, "%zu-%s", number, own);
    else
        snprintf(name, size, "%s", own);
}

static void write_files(motet_save *k)
{
    for (size_t i = 0; i < k->save_inputs->machine_count; i++) {
        const struct image *image = k->save_inputs->machines[i]->machine->image;
        struct pack p = {.bytes = NULL};
        size_t size;
        const void *bytes = image_file(image, &size);
        char name[256];
        name_file(k, i, name, sizeof name);
        pack_text(&p, name);
        pack_bytes(&p, bytes, size);
        saved_file_add(k->writer, SECTION_FILE, p.bytes, p.count);
        pack_free(&p);
    }
}

static void write_moments(motet_save *k)
{
    struct pack p = {.bytes = NULL};
    pack_digest(&p, layout_of(k->save_inputs->machines, k->save_inputs->machine_count));
    pack_count(&p, k->moment_count);
    pack_bytes(&p, k->moments.bytes, k->moments.count);
    saved_file_add(k->writer, SECTION_MOMENTS, p.bytes, p.count);
    pack_free(&p);
}

static void write_inputs(motet_save *k)
{
    struct pack p = {.bytes = NULL};
    saved_inputs_pack(&k->save_inputs->inputs, &p);
    saved_file_add(k->writer, SECTION_INPUTS, p.bytes, p.count);
    p.count = 0;
    saved_inputs_pack_readings(&k->save_inputs->inputs, &p);
    saved_file_add(k->writer, SECTION_ANALOG, p.bytes, p.count);
    pack_free(&p);
}

bool motet_save_finish(motet_save *k, struct motet_error *e)
{
    if (k->torn) {
        snprintf(e->text, sizeof e->text, "a run in which a snapshot was restored cannot be saved");
        motet_save_abandon(k);
        return false;
    }
    add_moment(k, network_now(network_of(k->network)), false);
    end_chunk(k);
    saved_file_add(k->writer, SECTION_ABOUT, k->about.bytes, k->about.count);
    write_files(k);
    write_inputs(k);
    write_moments(k);
    bool good = saved_file_finish(k->writer, e);
    end_saving(k);
    return good;
}

void motet_save_abandon(motet_save *k)
{
    if (!k)
        return;
    saved_file_abandon(k->writer);
    end_saving(k);
}
