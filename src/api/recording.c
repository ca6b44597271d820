/* Recordings, opened. */
#include "motet/recording.h"

#include <stdlib.h>
#include <string.h>

#include "api/layout.h"
#include "api/recording.h"
#include "network/network.h"

static void *must(void *p)
{
    if (!p)
        abort();
    return p;
}

static bool api_recording_fail(struct motet_error *to, const struct error *from)
{
    memcpy(to->text, from->text, sizeof to->text);
    return false;
}

/* ---- reading ---- */

static bool section_of(motet_recording *r, enum recording_kind kind, uint8_t **bytes, struct unpack *u, struct error *e)
{
    size_t size, at = recording_find(r->file, kind, 0);
    if (at == recording_sections(r->file))
        return error_set(e, "it has no section of kind %d", kind);
    *bytes = recording_read(r->file, at, &size, e);
    *u = (struct unpack){.at = *bytes, .end = *bytes ? *bytes + size : NULL};
    return *bytes != NULL;
}

static bool read_about(motet_recording *r, struct error *e)
{
    uint8_t *bytes;
    struct unpack u;
    if (!section_of(r, RECORDING_ABOUT, &bytes, &u, e))
        return false;
    while (unpack_left(&u)) {
        r->about = must(realloc(r->about, (r->about_count + 1) * sizeof *r->about));
        r->about[r->about_count].name = unpack_text(&u);
        r->about[r->about_count++].text = unpack_text(&u);
    }
    free(bytes);
    return !u.failed || error_set(e, "what is said about it makes no sense");
}

static bool read_journal(motet_recording *r, struct error *e)
{
    uint8_t *bytes;
    struct unpack u;
    if (!section_of(r, RECORDING_JOURNAL, &bytes, &u, e))
        return false;
    bool good = journal_unpack(&r->story.journal, &u);
    free(bytes);
    if (!good)
        return error_set(e, "its journal makes no sense");
    if (!section_of(r, RECORDING_ANALOG, &bytes, &u, e))
        return false;
    good = journal_unpack_readings(&r->story.journal, &u);
    free(bytes);
    return good || error_set(e, "its analog readings make no sense");
}

static bool read_marks(motet_recording *r, struct error *e)
{
    uint8_t *bytes;
    struct unpack u;
    if (!section_of(r, RECORDING_MARKS, &bytes, &u, e))
        return false;
    r->layout = unpack_digest(&u);
    r->mark_count = (size_t)unpack_below(&u, unpack_left(&u) / 16 + 1);
    r->marks = must(calloc(r->mark_count + 1, sizeof *r->marks));
    for (size_t i = 0; i < r->mark_count; i++) {
        mark_unpack(&u, &r->marks[i]);
        u.failed |= r->marks[i].entries > r->story.journal.count || (i && r->marks[i].time < r->marks[i - 1].time) ||
                    (i && r->marks[i].entries < r->marks[i - 1].entries);
    }
    free(bytes);
    return (!u.failed && r->mark_count > 0) || error_set(e, "its marks make no sense");
}

const uint8_t *recording_firmware(void *context, size_t number, const char **name, size_t *size)
{
    motet_recording *r = context;
    struct error e;
    size_t section = recording_find(r->file, RECORDING_FILE, 0);
    for (size_t i = 0; i < number && section < recording_sections(r->file); i++)
        section = recording_find(r->file, RECORDING_FILE, section + 1);
    if (section >= recording_sections(r->file))
        return NULL;
    free(r->firmware);
    free(r->firmware_name);
    size_t whole;
    r->firmware_name = NULL;
    r->firmware = recording_read(r->file, section, &whole, &e);
    if (!r->firmware)
        return NULL;
    struct unpack u = {.at = r->firmware, .end = r->firmware + whole};
    *name = r->firmware_name = unpack_text(&u);
    *size = unpack_left(&u);
    return u.failed ? NULL : u.at;
}

/* Whether the snapshots are of nodes as this build lays them out. */
static void judge_snapshots(motet_recording *r, bool anew)
{
    struct digest here = layout_of((const motet_machine *const *)r->story.machines, r->story.machine_count);
    if (anew)
        r->reason = "they were to be left aside";
    else if (!digest_equal(here, r->layout))
        r->reason = "they are of another build of Motet";
}

static void *take_state(const struct story *s)
{
    return s->network ? (void *)network_snapshot(network_of(s->network)) : (void *)snapshot_take(s->node->node);
}

void recording_put_back(struct story *s, const void *state)
{
    if (s->network)
        network_restore(network_of(s->network), state);
    else
        snapshot_restore(s->node->node, state);
}

void recording_free_state(const struct story *s, void *state)
{
    if (s->network)
        network_snapshot_free(state);
    else
        snapshot_free(state);
}

motet_recording *motet_recording_open(const char *path, const struct motet_recording_options *o, struct motet_error *e)
{
    struct error error = {""};
    struct recording *file = recording_open(path, &error);
    if (!file) {
        api_recording_fail(e, &error);
        return NULL;
    }
    motet_recording *r = must(calloc(1, sizeof *r));
    r->file = file;
    if (!read_about(r, &error) || !read_journal(r, &error) || !read_marks(r, &error) ||
        !story_begin(&r->story, o->threads, recording_firmware, r, &error)) {
        error_prefix(&error, "%s", path);
        api_recording_fail(e, &error);
        motet_recording_free(r);
        return NULL;
    }
    judge_snapshots(r, o->anew);
    r->chunk = SIZE_MAX;
    r->first = take_state(&r->story);
    r->first_entries = r->story.next;
    return r;
}

void motet_recording_free(motet_recording *r)
{
    if (!r)
        return;
    if (r->first)
        recording_free_state(&r->story, r->first);
    story_free(&r->story);
    for (size_t i = 0; i < r->about_count; i++) {
        free(r->about[i].name);
        free(r->about[i].text);
    }
    free(r->about);
    free(r->marks);
    free(r->states);
    free(r->lender);
    free(r->firmware);
    free(r->firmware_name);
    recording_close(r->file);
    free(r);
}

/* ---- what it says ---- */

void motet_recording_info(const motet_recording *r, struct motet_recording_info *info)
{
    const struct journal *j = &r->story.journal;
    const struct mark *last = &r->marks[r->mark_count - 1];
    *info = (struct motet_recording_info){
        .file_size = recording_file_size(r->file),
        .nodes = r->story.nodes,
        .end = r->story.network ? last->time : last->now,
        .hz = r->story.network ? MOTET_SECOND : motet_machine_hz(motet_node_machine(r->story.node)),
        .inputs = j->count - r->story.begun,
        .usable = !r->reason,
        .reason = r->reason,
    };
    for (size_t i = 0; i < r->mark_count; i++)
        info->snapshots += r->marks[i].size > 0;
    for (size_t i = 0; i < j->count; i++)
        if (j->entries[i].kind == JOURNAL_NETWORK || j->entries[i].kind == JOURNAL_ALONE)
            info->seed = j->entries[i].number;
    digest_print(last->digest, info->digest);
}

bool motet_recording_about(const motet_recording *r, size_t number, const char **name, const char **text)
{
    if (number >= r->about_count)
        return false;
    *name = r->about[number].name;
    *text = r->about[number].text;
    return true;
}

motet_node *motet_recording_node(const motet_recording *r)
{
    return r->story.node;
}

motet_network *motet_recording_network(const motet_recording *r)
{
    return r->story.network;
}

uint64_t motet_recording_now(const motet_recording *r)
{
    return r->story.node ? r->story.node->node->state->now : r->story.time;
}

/* ---- going somewhere ---- */

/* Snapshots of a chunk follow each other, each as the difference to the one before. */
static void undo_differences(motet_recording *r, size_t chunk)
{
    const struct mark *before = NULL;
    for (size_t i = 0; i < r->mark_count; i++) {
        const struct mark *m = &r->marks[i];
        if (m->chunk != chunk || !m->size)
            continue;
        if (m->at > r->states_size || m->size > r->states_size - m->at || (before && m->at < before->at + before->size))
            return;
        if (before)
            marks_difference(r->states + m->at, m->size, r->states + before->at, before->size);
        before = m;
    }
}

/* The bytes of a mark's snapshot, in memory that stays until the next are asked for. */
static bool state_bytes(motet_recording *r, const struct mark *m, struct unpack *u)
{
    struct error ignored;
    if (r->chunk != m->chunk) {
        size_t section = recording_find(r->file, RECORDING_STATES, 0), count = recording_sections(r->file);
        for (size_t i = 0; i < m->chunk && section < count; i++)
            section = recording_find(r->file, RECORDING_STATES, section + 1);
        free(r->states);
        r->chunk = SIZE_MAX;
        r->states = section < count ? recording_read(r->file, section, &r->states_size, &ignored) : NULL;
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

void *recording_state(motet_recording *r, size_t mark)
{
    struct story *s = &r->story;
    struct unpack u;
    if (!state_bytes(r, &r->marks[mark], &u))
        return NULL;
    return s->network ? (void *)network_snapshot_unpack(network_of(s->network), &u)
                      : (void *)snapshot_unpack(s->node->node->machine, &u);
}

void recording_rewind(motet_recording *r)
{
    recording_put_back(&r->story, r->first);
    story_moved(&r->story, 0, r->first_entries);
}

/* The last mark with a snapshot not behind the time; SIZE_MAX if there is none. */
static size_t mark_before(const motet_recording *r, uint64_t time)
{
    for (size_t i = r->mark_count; i-- > 0 && !r->reason;)
        if (r->marks[i].size && r->marks[i].time <= time)
            return i;
    return SIZE_MAX;
}

static void go_to_mark(motet_recording *r, size_t mark)
{
    void *state = recording_state(r, mark);
    if (state) {
        recording_put_back(&r->story, state);
        recording_free_state(&r->story, state);
        story_moved(&r->story, r->marks[mark].time, r->marks[mark].entries);
    }
    if (!state || !digest_equal(story_digest(&r->story), r->marks[mark].digest)) {
        r->reason = "one of them is not what its digest says";
        recording_rewind(r);
    }
}

bool motet_recording_seek(motet_recording *r, uint64_t time, struct motet_error *e)
{
    struct error error = {""};
    const struct mark *last = &r->marks[r->mark_count - 1];
    size_t mark = mark_before(r, time);
    uint64_t from = mark == SIZE_MAX ? 0 : r->marks[mark].time;
    bool beyond = time >= last->time || (r->story.node && time >= last->now);
    if (time < r->story.time || from > r->story.time) {
        if (mark == SIZE_MAX)
            recording_rewind(r);
        else
            go_to_mark(r, mark);
    }
    return story_go(&r->story, beyond ? last->time : time, beyond ? last->entries : SIZE_MAX, &error) ||
           api_recording_fail(e, &error);
}

bool motet_recording_verify(motet_recording *r, struct motet_recording_check *c, struct motet_error *e)
{
    struct error error = {""};
    *c = (struct motet_recording_check){0};
    recording_rewind(r);
    for (size_t i = 0; i < r->mark_count; i++) {
        const struct mark *m = &r->marks[i];
        if (!story_go(&r->story, m->time, m->entries, &error))
            return api_recording_fail(e, &error);
        if (!digest_equal(story_digest(&r->story), m->digest)) {
            double hz = r->story.node ? (double)motet_machine_hz(motet_node_machine(r->story.node)) : 1e9;
            error_set(&error, "the digest differs at %.6f s, digest %zu of %zu; until %.6f s all are equal",
                      (double)(r->story.node ? m->now : m->time) / hz, i + 1, r->mark_count, (double)c->until / hz);
            return api_recording_fail(e, &error);
        }
        c->digests++;
        c->until = r->story.node ? m->now : m->time;
    }
    return true;
}

uint64_t recording_until(const motet_recording *r)
{
    const struct mark *last = &r->marks[r->mark_count - 1];
    return last->time < UINT64_MAX ? last->time : last->now;
}

/* ---- to another recording ---- */

static bool copy_journal(const struct journal *from, uint64_t until, struct journal *to)
{
    struct pack p = {.bytes = NULL}, readings = {.bytes = NULL};
    struct journal part = *from;
    while (part.count && part.entries[part.count - 1].at > until)
        part.count--;
    journal_pack(&part, &p);
    journal_pack_readings(&part, &readings);
    struct unpack u = {.at = p.bytes, .end = p.bytes + p.count};
    struct unpack v = {.at = readings.bytes, .end = readings.bytes + readings.count};
    bool good = journal_unpack(to, &u) && journal_unpack_readings(to, &v);
    pack_free(&p);
    pack_free(&readings);
    return good;
}

bool recording_retell(const struct journal *j, story_file *file, void *context, uint64_t until, const char *path,
                      struct error *e)
{
    struct story s = {.node = NULL};
    struct motet_error error = {""};
    motet_keep *k = NULL;
    bool good = (copy_journal(j, until, &s.journal) || error_set(e, "the journal cannot be copied")) &&
                story_begin(&s, 0, file, context, e);
    if (good) {
        k = s.network ? motet_keep_network(s.network, path, &error) : motet_keep_node(s.node, path, &error);
        good = k || error_set(e, "%s", error.text);
    }
    good = good && story_go(&s, until, SIZE_MAX, e);
    if (good) {
        motet_keep_about(k, "ended", "saved");
        good = motet_keep_finish(k, &error) || error_set(e, "%s", error.text);
    } else {
        motet_keep_abandon(k);
    }
    story_free(&s);
    return good;
}
