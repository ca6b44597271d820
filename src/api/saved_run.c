/* Opening a saved run, and going to a time of it. */
#include "base/memory.h"
#include "motet/saved.h"

#include <stdlib.h>
#include <string.h>

#include "api/layout.h"
#include "api/saved_run.h"
#include "network/network.h"

/* ---- reading ---- */

static bool section_of(motet_saved_run *r, enum saved_section kind, uint8_t **bytes, struct unpack *u,
                       struct motet_error *e)
{
    size_t size, at = saved_file_find(r->file, kind, 0);
    if (at == saved_file_sections(r->file))
        return error_set(e, "it has no section of kind %d", kind);
    *bytes = saved_file_read(r->file, at, &size, e);
    *u = (struct unpack){.at = *bytes, .end = *bytes ? *bytes + size : NULL};
    return *bytes != NULL;
}

static bool read_about(motet_saved_run *r, struct motet_error *e)
{
    uint8_t *bytes;
    struct unpack u;
    if (!section_of(r, SECTION_ABOUT, &bytes, &u, e))
        return false;
    while (unpack_left(&u)) {
        r->about = memory_resize(r->about, r->about_count + 1, sizeof *r->about);
        r->about[r->about_count].name = unpack_text(&u);
        r->about[r->about_count++].text = unpack_text(&u);
    }
    free(bytes);
    return !u.failed || error_set(e, "its description makes no sense");
}

static bool read_inputs(motet_saved_run *r, struct motet_error *e)
{
    uint8_t *bytes;
    struct unpack u;
    if (!section_of(r, SECTION_INPUTS, &bytes, &u, e))
        return false;
    bool good = saved_inputs_unpack(&r->saved.inputs, &u);
    free(bytes);
    if (!good)
        return error_set(e, "its inputs make no sense");
    if (!section_of(r, SECTION_ANALOG, &bytes, &u, e))
        return false;
    good = saved_inputs_unpack_readings(&r->saved.inputs, &u);
    free(bytes);
    return good || error_set(e, "its analog readings make no sense");
}

static bool read_moments(motet_saved_run *r, struct motet_error *e)
{
    uint8_t *bytes;
    struct unpack u;
    if (!section_of(r, SECTION_MOMENTS, &bytes, &u, e))
        return false;
    r->layout = unpack_digest(&u);
    r->moment_count = (size_t)unpack_below(&u, unpack_left(&u) / 16 + 1);
    r->moments = memory_array(r->moment_count + 1, sizeof *r->moments);
    for (size_t i = 0; i < r->moment_count; i++) {
        saved_moment_unpack(&u, &r->moments[i]);
        u.failed |= r->moments[i].entries > r->saved.inputs.count ||
                    (i && r->moments[i].time < r->moments[i - 1].time) ||
                    (i && r->moments[i].entries < r->moments[i - 1].entries);
    }
    free(bytes);
    return (!u.failed && r->moment_count > 0) || error_set(e, "its moments make no sense");
}

const uint8_t *saved_run_firmware(void *context, size_t number, const char **name, size_t *size)
{
    motet_saved_run *r = context;
    struct motet_error e;
    size_t section = saved_file_find(r->file, SECTION_FILE, 0);
    for (size_t i = 0; i < number && section < saved_file_sections(r->file); i++)
        section = saved_file_find(r->file, SECTION_FILE, section + 1);
    if (section >= saved_file_sections(r->file))
        return NULL;
    free(r->firmware);
    free(r->firmware_name);
    size_t whole;
    r->firmware_name = NULL;
    r->firmware = saved_file_read(r->file, section, &whole, &e);
    if (!r->firmware)
        return NULL;
    struct unpack u = {.at = r->firmware, .end = r->firmware + whole};
    *name = r->firmware_name = unpack_text(&u);
    *size = unpack_left(&u);
    return u.failed ? NULL : u.at;
}

/* Whether the snapshots are of nodes as this build lays them out. */
static void judge_snapshots(motet_saved_run *r, bool anew)
{
    struct digest here = layout_of((const motet_machine *const *)r->saved.machines, r->saved.machine_count);
    if (anew)
        r->reason = "they were to be left aside";
    else if (!digest_equal(here, r->layout))
        r->reason = "they are of another build of Motet";
}

static void saved_run_copy_parts(motet_saved_run *r, const struct motet_saved_run_options *o)
{
    r->parts = memory_array(o->part_count, sizeof *r->parts);
    for (size_t i = 0; i < o->part_count; i++)
        r->parts[r->part_count++] = memory_string(o->parts[i]);
    r->saved.parts = (struct saved_parts){(const char *const *)r->parts, r->part_count};
}

motet_saved_run *motet_saved_run_open(const char *path, const struct motet_saved_run_options *o, struct motet_error *e)
{
    struct saved_file *file = saved_file_open(path, e);
    if (!file)
        return NULL;
    motet_saved_run *r = memory_new(sizeof *r);
    r->file = file;
    saved_run_copy_parts(r, o);
    if (!read_about(r, e) || !read_inputs(r, e) || !read_moments(r, e) ||
        !saved_nodes_begin(&r->saved, o->threads, saved_run_firmware, r, e)) {
        error_prefix(e, "%s", path);
        motet_saved_run_free(r);
        return NULL;
    }
    judge_snapshots(r, o->anew);
    r->chunk = SIZE_MAX;
    r->first = network_snapshot(network_of(r->saved.network));
    r->first_entries = r->saved.next;
    return r;
}

void motet_saved_run_free(motet_saved_run *r)
{
    if (!r)
        return;
    network_snapshot_free(r->first);
    saved_nodes_free(&r->saved);
    for (size_t i = 0; i < r->about_count; i++) {
        free(r->about[i].name);
        free(r->about[i].text);
    }
    free(r->about);
    for (size_t i = 0; i < r->part_count; i++)
        free(r->parts[i]);
    free(r->parts);
    free(r->moments);
    free(r->states);
    free(r->lender);
    free(r->firmware);
    free(r->firmware_name);
    saved_file_close(r->file);
    free(r);
}

/* ---- its firmware ---- */

/* Whether the firmware of that number has these bytes; `there` becomes false where there is no such number. */
static bool saved_run_has(motet_saved_run *r, size_t number, const struct image *i, bool *there)
{
    const char *name;
    size_t size, wanted;
    const void *is = image_file(i, &wanted);
    const uint8_t *has = saved_run_firmware(r, number, &name, &size);
    *there = has != NULL;
    return has && size == wanted && memcmp(has, is, size) == 0;
}

bool saved_run_is_of(motet_saved_run *r, const struct image *i, struct motet_error *e)
{
    char digest[MOTET_DIGEST_TEXT], own[MOTET_DIGEST_TEXT];
    const char *name = "";
    size_t size, own_size = 0;
    bool there = true;
    for (size_t number = 0; there; number++)
        if (saved_run_has(r, number, i, &there))
            return true;
    const void *bytes = image_file(i, &size);
    const uint8_t *its = saved_run_firmware(r, 0, &name, &own_size);
    digest_print(digest_of(bytes, size), digest);
    digest_print(digest_of(its, its ? own_size : 0), own);
    return error_set(e, "the run was made with another firmware than %s: with %s, whose digest is %.8s and not %.8s",
                     image_path(i), name, own, digest);
}

bool motet_saved_run_is_of(motet_saved_run *r, const char *firmware, struct motet_error *e)
{
    struct image *i = image_load(firmware, e);
    bool same = i && saved_run_is_of(r, i, e);
    image_free(i);
    return same;
}

/* ---- what it says ---- */

void motet_saved_run_info(const motet_saved_run *r, struct motet_saved_run_info *info)
{
    const struct saved_inputs *j = &r->saved.inputs;
    const struct saved_moment *last = &r->moments[r->moment_count - 1];
    *info = (struct motet_saved_run_info){
        .file_size = saved_file_size(r->file),
        .nodes = r->saved.nodes,
        .end = last->time,
        .hz = MOTET_SECOND,
        .inputs = j->count - r->saved.begun,
        .usable = !r->reason,
        .reason = r->reason,
    };
    for (size_t i = 0; i < r->moment_count; i++)
        info->snapshots += r->moments[i].size > 0;
    for (size_t i = 0; i < j->count; i++)
        if (j->entries[i].kind == SAVED_NETWORK)
            info->seed = j->entries[i].number;
    digest_print(last->digest, info->digest);
}

bool motet_saved_run_about(const motet_saved_run *r, size_t number, const char **name, const char **text)
{
    if (number >= r->about_count)
        return false;
    *name = r->about[number].name;
    *text = r->about[number].text;
    return true;
}

motet_network *motet_saved_run_network(const motet_saved_run *r)
{
    return r->saved.network;
}

uint64_t motet_saved_run_now(const motet_saved_run *r)
{
    return r->saved.time;
}

/* ---- going somewhere ---- */

/* Snapshots of a chunk follow each other, each as the difference to the one before. */
static void undo_differences(motet_saved_run *r, size_t chunk)
{
    const struct saved_moment *before = NULL;
    for (size_t i = 0; i < r->moment_count; i++) {
        const struct saved_moment *m = &r->moments[i];
        if (m->chunk != chunk || !m->size)
            continue;
        if (m->at > r->states_size || m->size > r->states_size - m->at || (before && m->at < before->at + before->size))
            return;
        if (before)
            saved_moments_difference(r->states + m->at, m->size, r->states + before->at, before->size);
        before = m;
    }
}

/* The bytes of a moment's snapshot, in memory that stays until the next are asked for. */
static bool state_bytes(motet_saved_run *r, const struct saved_moment *m, struct unpack *u)
{
    struct motet_error ignored;
    if (r->chunk != m->chunk) {
        size_t section = saved_file_find(r->file, SECTION_STATES, 0), count = saved_file_sections(r->file);
        for (size_t i = 0; i < m->chunk && section < count; i++)
            section = saved_file_find(r->file, SECTION_STATES, section + 1);
        free(r->states);
        r->chunk = SIZE_MAX;
        r->states = section < count ? saved_file_read(r->file, section, &r->states_size, &ignored) : NULL;
        if (!r->states)
            return false;
        r->chunk = m->chunk;
        undo_differences(r, m->chunk);
    }
    if (m->at > r->states_size || m->size > r->states_size - m->at)
        return false;
    *u = (struct unpack){.at = r->states + m->at, .end = r->states + m->at + m->size};
    return true;
}

struct network_snapshot *saved_run_state(motet_saved_run *r, size_t moment)
{
    struct unpack u;
    if (!state_bytes(r, &r->moments[moment], &u))
        return NULL;
    return network_snapshot_unpack(network_of(r->saved.network), &u);
}

void saved_run_rewind(motet_saved_run *r)
{
    network_restore(network_of(r->saved.network), r->first);
    saved_nodes_moved(&r->saved, 0, r->first_entries);
}

/* The last moment with a snapshot at or before the time; SIZE_MAX if there is none. */
static size_t moment_before(const motet_saved_run *r, uint64_t time)
{
    for (size_t i = r->moment_count; i-- > 0 && !r->reason;)
        if (r->moments[i].size && r->moments[i].time <= time)
            return i;
    return SIZE_MAX;
}

static void go_to_moment(motet_saved_run *r, size_t moment)
{
    struct network_snapshot *state = saved_run_state(r, moment);
    if (state) {
        network_restore(network_of(r->saved.network), state);
        network_snapshot_free(state);
        saved_nodes_moved(&r->saved, r->moments[moment].time, r->moments[moment].entries);
    }
    if (!state || !digest_equal(saved_nodes_digest(&r->saved), r->moments[moment].digest)) {
        r->reason = "one of them is not what its digest says";
        saved_run_rewind(r);
    }
}

/* Runs from before to a moment. */
static bool go_on_to_moment(motet_saved_run *r, const struct saved_moment *m, struct motet_error *e)
{
    if (!saved_nodes_go(&r->saved, m->time, m->entries, e))
        return false;
    if (m->ready && r->saved.nodes == 1)
        network_make_ready(network_of(r->saved.network));
    return true;
}

bool motet_saved_run_seek(motet_saved_run *r, uint64_t time, struct motet_error *e)
{
    const struct saved_moment *last = &r->moments[r->moment_count - 1];
    size_t moment = moment_before(r, time);
    uint64_t from = moment == SIZE_MAX ? 0 : r->moments[moment].time;
    if (time < r->saved.time || from > r->saved.time) {
        if (moment == SIZE_MAX)
            saved_run_rewind(r);
        else
            go_to_moment(r, moment);
    }
    if (time >= last->time)
        return go_on_to_moment(r, last, e);
    return saved_nodes_go(&r->saved, time, SIZE_MAX, e);
}

bool motet_saved_run_verify(motet_saved_run *r, struct motet_saved_run_check *c, struct motet_error *e)
{
    *c = (struct motet_saved_run_check){0};
    saved_run_rewind(r);
    for (size_t i = 0; i < r->moment_count; i++) {
        const struct saved_moment *m = &r->moments[i];
        if (!go_on_to_moment(r, m, e))
            return false;
        if (!digest_equal(saved_nodes_digest(&r->saved), m->digest)) {
            error_set(e, "the digest differs at %.6f s, digest %zu of %zu; until %.6f s all are equal",
                      (double)m->time * 1e-9, i + 1, r->moment_count, (double)c->until * 1e-9);
            return false;
        }
        c->digests++;
        c->until = m->time;
    }
    return true;
}

uint64_t saved_run_until(const motet_saved_run *r)
{
    return r->moments[r->moment_count - 1].time;
}

/* ---- to another saved run ---- */

bool saved_run_save_again(const struct saved_inputs *j, struct saved_parts parts, saved_firmware *file, void *context,
                          uint64_t until, const char *path, struct motet_error *e)
{
    struct saved_nodes s = {.parts = parts};
    motet_save *k = NULL;
    bool good = (saved_inputs_copy(j, until, &s.inputs) || error_set(e, "the inputs cannot be copied")) &&
                saved_nodes_begin(&s, 0, file, context, e);
    if (good) {
        k = motet_save_network(s.network, path, e);
        good = k;
    }
    good = good && saved_nodes_go(&s, until, SIZE_MAX, e);
    if (good) {
        motet_save_about(k, "ended", "saved");
        good = motet_save_finish(k, e);
    } else {
        motet_save_abandon(k);
    }
    saved_nodes_free(&s);
    return good;
}
