/* Keeping a run in a file while it goes on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "api/layout.h"
#include "api/marks.h"
#include "network/network.h"
#include "timeline/recording.h"
#include "timeline/subject.h"

enum {
    SPACING = 10,           /* snapshots a second at first */
    DOUBLED = 512,          /* after so many snapshots they are twice as far apart */
    CHUNK_STATES = 16,      /* snapshots compressed together */
    CHUNK_BYTES = 32 << 20, /* or so many bytes of them */
};

struct motet_keep {
    motet_node *node; /* or */
    motet_network *network;
    struct chronicle *chronicle;
    struct recording_writer *writer;
    uint64_t next, spacing;
    struct pack about, marks, chunk;
    struct pack state, before; /* this snapshot, and the one before it in the chunk */
    size_t about_count, mark_count, chunk_states, chunk_number;
    bool torn;
};

static void *must(void *p)
{
    if (!p)
        abort();
    return p;
}

static bool keep_fail(struct motet_error *to, const struct error *from)
{
    memcpy(to->text, from->text, sizeof to->text);
    return false;
}

static size_t node_count(const motet_keep *k)
{
    return k->network ? motet_network_count(k->network) : 1;
}

static motet_node *keep_node_at(const motet_keep *k, size_t i)
{
    return k->network ? motet_network_at(k->network, i) : k->node;
}

/* ---- snapshots ---- */

uint64_t keep_next(const motet_keep *k)
{
    return k->next;
}

static void end_chunk(motet_keep *k)
{
    if (k->chunk_states == 0)
        return;
    recording_add(k->writer, RECORDING_STATES, k->chunk.bytes, k->chunk.count);
    k->chunk.count = 0;
    k->before.count = 0;
    k->chunk_states = 0;
    k->chunk_number++;
}

static void keep_pack_state(motet_keep *k)
{
    k->state.count = 0;
    if (k->network) {
        struct network_snapshot *s = network_snapshot(network_of(k->network));
        network_snapshot_pack(s, &k->state);
        network_snapshot_free(s);
    } else {
        struct snapshot *s = snapshot_take(k->node->node);
        snapshot_pack(s, &k->state);
        snapshot_free(s);
    }
    size_t at = k->chunk.count;
    pack_bytes(&k->chunk, k->state.bytes, k->state.count);
    marks_difference(k->chunk.bytes + at, k->state.count, k->before.bytes, k->before.count);
    struct pack swap = k->before;
    k->before = k->state;
    k->state = swap;
}

static void add_mark(motet_keep *k, uint64_t time, bool with_state)
{
    struct mark m = {.time = time, .entries = k->chronicle->journal.count, .chunk = k->chunk_number};
    m.digest = k->network ? network_digest(network_of(k->network)) : node_digest(k->node->node);
    m.at = k->chunk.count;
    if (k->node) {
        struct subject s = subject_of_node(k->node->node);
        struct position at = {.inputs = 0};
        s.position(s.context, &at);
        m.now = at.now;
        m.instructions = at.instructions;
        m.phase = at.phase;
    }
    if (with_state)
        keep_pack_state(k);
    m.size = k->chunk.count - m.at;
    mark_pack(&k->marks, &m);
    k->mark_count++;
    k->chunk_states += with_state;
    if (k->chunk_states == CHUNK_STATES || k->chunk.count > CHUNK_BYTES)
        end_chunk(k);
}

/* What a fault was is no part of the state: those who go there execute it again. */
static bool anyone_ended(const motet_keep *k)
{
    for (size_t i = 0; i < node_count(k); i++)
        if (keep_node_at(k, i)->node->state->exit)
            return true;
    return false;
}

void keep_mark(motet_keep *k, uint64_t time)
{
    add_mark(k, time, !anyone_ended(k));
    if (k->mark_count % DOUBLED == 0)
        k->spacing *= 2;
    while (k->next <= time)
        k->next = k->next < UINT64_MAX - k->spacing ? k->next + k->spacing : UINT64_MAX;
}

void keep_tear(motet_keep *k)
{
    k->torn = true;
}

/* ---- life ---- */

static motet_keep *keep_keep(motet_keep like, const char *path, struct motet_error *e)
{
    struct error error = {""};
    if (!like.chronicle || like.chronicle->keep) {
        snprintf(e->text, sizeof e->text, "%s: what has run already, or is being kept, cannot be kept from here on",
                 path);
        return NULL;
    }
    like.writer = recording_create(path, &error);
    if (!like.writer) {
        keep_fail(e, &error);
        return NULL;
    }
    motet_keep *k = must(malloc(sizeof *k));
    *k = like;
    k->spacing = k->spacing ? k->spacing : 1;
    k->next = k->spacing;
    k->chronicle->keep = k;
    for (size_t i = 0; i < node_count(k); i++)
        node_listen(keep_node_at(k, i), k->chronicle);
    return k;
}

motet_keep *motet_keep_node(motet_node *n, const char *path, struct motet_error *e)
{
    return keep_keep((motet_keep){.node = n,
                                  .chronicle = n->network ? NULL : n->chronicle,
                                  .spacing = motet_machine_hz(n->machine) / SPACING},
                     path, e);
}

motet_keep *motet_keep_network(motet_network *n, const char *path, struct motet_error *e)
{
    return keep_keep((motet_keep){.network = n, .chronicle = *network_chronicle(n), .spacing = MOTET_SECOND / SPACING},
                     path, e);
}

void motet_keep_about(motet_keep *k, const char *name, const char *text)
{
    pack_text(&k->about, name);
    pack_text(&k->about, text);
    k->about_count++;
}

/* The chronicle goes on in case somebody else wants to keep it; what is read from analog inputs does not. */
static void end_keeping(motet_keep *k)
{
    for (size_t i = 0; i < node_count(k); i++)
        node_listen(keep_node_at(k, i), NULL);
    k->chronicle->keep = NULL;
    pack_free(&k->about);
    pack_free(&k->marks);
    pack_free(&k->chunk);
    pack_free(&k->state);
    pack_free(&k->before);
    free(k);
}

static const char *keep_base_name(const motet_machine *m)
{
    const char *path = image_path(m->machine->image), *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Names tell files apart, as paths did. */
static void name_file(const motet_keep *k, size_t number, char *name, size_t size)
{
    const char *own = keep_base_name(k->chronicle->machines[number]);
    bool taken = false;
    for (size_t i = 0; i < number; i++)
        taken |= strcmp(keep_base_name(k->chronicle->machines[i]), own) == 0;
    if (taken)
        snprintf(name, size, "%zu-%s", number, own);
    else
        snprintf(name, size, "%s", own);
}

static void write_files(motet_keep *k)
{
    for (size_t i = 0; i < k->chronicle->machine_count; i++) {
        const struct image *image = k->chronicle->machines[i]->machine->image;
        struct pack p = {.bytes = NULL};
        size_t size;
        const void *bytes = image_file(image, &size);
        char name[256];
        name_file(k, i, name, sizeof name);
        pack_text(&p, name);
        pack_bytes(&p, bytes, size);
        recording_add(k->writer, RECORDING_FILE, p.bytes, p.count);
        pack_free(&p);
    }
}

static void write_marks(motet_keep *k)
{
    struct pack p = {.bytes = NULL};
    pack_digest(&p, layout_of(k->chronicle->machines, k->chronicle->machine_count));
    pack_count(&p, k->mark_count);
    pack_bytes(&p, k->marks.bytes, k->marks.count);
    recording_add(k->writer, RECORDING_MARKS, p.bytes, p.count);
    pack_free(&p);
}

static void write_journal(motet_keep *k)
{
    struct pack p = {.bytes = NULL};
    journal_pack(&k->chronicle->journal, &p);
    recording_add(k->writer, RECORDING_JOURNAL, p.bytes, p.count);
    p.count = 0;
    journal_pack_readings(&k->chronicle->journal, &p);
    recording_add(k->writer, RECORDING_ANALOG, p.bytes, p.count);
    pack_free(&p);
}

bool motet_keep_finish(motet_keep *k, struct motet_error *e)
{
    struct error error = {""};
    if (k->torn) {
        snprintf(e->text, sizeof e->text, "a run in which a snapshot was restored cannot be kept");
        motet_keep_abandon(k);
        return false;
    }
    add_mark(k, k->network ? network_now(network_of(k->network)) : k->node->ran_to, false);
    end_chunk(k);
    recording_add(k->writer, RECORDING_ABOUT, k->about.bytes, k->about.count);
    write_files(k);
    write_journal(k);
    write_marks(k);
    bool good = recording_finish(k->writer, &error);
    end_keeping(k);
    return good ? true : keep_fail(e, &error);
}

void motet_keep_abandon(motet_keep *k)
{
    if (!k)
        return;
    recording_abandon(k->writer);
    end_keeping(k);
}
