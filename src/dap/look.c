/* Looking: threads, call chains, scopes, sources. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dap/arguments.h"
#include "dap/dap.h"
#include "dap/text.h"

enum { LOOK_FILES = 4096, LOOK_SOURCE = 4 << 20 };

/* ---- what ids mean ---- */

bool look_thread(motet_dap *d, const json_t *a, uint32_t *node, struct motet_error *e)
{
    int64_t id = 0;
    if (!argument_needs(a, "threadId", e) ||
        !argument_number(a, "threadId", 1, motet_timeline_count(d->timeline), &id, e))
        return false;
    *node = (uint32_t)id - 1;
    return true;
}

/* Without a frame it is the innermost one of the node where it stopped last. */
bool look_frame(motet_dap *d, const json_t *a, uint32_t *node, size_t *level, struct motet_error *e)
{
    int64_t id = 0, most = (int64_t)motet_timeline_count(d->timeline) * DAP_LEVELS;
    *node = d->commands.node;
    *level = 0;
    if (!argument_number(a, "frameId", 1, most, &id, e))
        return false;
    if (id) {
        *node = (uint32_t)((id - 1) / DAP_LEVELS);
        *level = (size_t)((id - 1) % DAP_LEVELS);
    }
    return true;
}

/* ---- sources ---- */

static const char *look_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

json_t *look_source_of(const char *file)
{
    json_t *source = json_object();
    char whole[PATH_MAX];
    const char *path = motet_source_path(file);
    bool found = path && realpath(path, whole);
    json_object_set_new(source, "name", text_string(look_base_name(file)));
    json_object_set_new(source, "path", text_string(found ? whole : file));
    if (!found) {
        json_object_set_new(source, "presentationHint", json_string("deemphasize"));
        json_object_set_new(source, "origin", json_string("cannot be read on this computer"));
    }
    return source;
}

static void look_add_sources(const motet_machine *m, json_t *sources, json_t *seen)
{
    const char **files = memory_array(LOOK_FILES, sizeof *files);
    size_t count = motet_machine_files(m, files, LOOK_FILES);
    for (size_t i = 0; i < count && i < LOOK_FILES; i++) {
        json_t *source = look_source_of(files[i]);
        const char *path = json_string_value(json_object_get(source, "path"));
        if (!json_object_get(seen, path)) {
            json_object_set_new(seen, path, json_true());
            json_array_append(sources, source);
        }
        json_decref(source);
    }
    free(files);
}

bool look_sources(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    json_t *sources = json_array(), *seen = json_object();
    const motet_machine *last = NULL;
    (void)a, (void)e;
    for (uint32_t i = 0; i < motet_timeline_count(d->timeline); i++) {
        const motet_machine *m = motet_node_machine(motet_timeline_node(d->timeline, i));
        if (m != last)
            look_add_sources(m, sources, seen);
        last = m;
    }
    json_decref(seen);
    json_object_set_new(body, "sources", sources);
    return true;
}

/* Only files that the firmware of a node was made of. */
static bool look_is_known(motet_dap *d, const char *path)
{
    uint32_t address;
    const motet_machine *last = NULL;
    for (uint32_t i = 0; i < motet_timeline_count(d->timeline); i++) {
        const motet_machine *m = motet_node_machine(motet_timeline_node(d->timeline, i));
        unsigned line = 1;
        if (m != last && motet_machine_lines(m, path, &line, &address, 1))
            return true;
        last = m;
    }
    return false;
}

bool look_source(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    json_t *source = NULL;
    const char *path = NULL;
    if (!argument_object(a, "source", &source, e) || !argument_text(source, "path", &path, e))
        return false;
    if (!path)
        return argument_error(e, "the source has no path");
    FILE *f = look_is_known(d, path) ? motet_source_open(path) : NULL;
    if (!f)
        return argument_error(e, "%.300s: is no file of the firmware, or cannot be read", path);
    char *text = memory_bytes(LOOK_SOURCE);
    size_t length = fread(text, 1, LOOK_SOURCE, f);
    fclose(f);
    json_object_set_new(body, "content", text_json(text, length));
    json_object_set_new(body, "mimeType", json_string("text/x-c"));
    free(text);
    return true;
}

/* ---- threads and frames ---- */

bool look_threads(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    json_t *threads = json_array();
    (void)a, (void)e;
    for (uint32_t i = 0; i < motet_timeline_count(d->timeline); i++) {
        const motet_node *n = motet_timeline_node(d->timeline, i);
        char name[100];
        snprintf(name, sizeof name, "node %" PRIu32 " (%s)", motet_node_id(n),
                 motet_machine_board(motet_node_machine(n)));
        json_array_append_new(threads, json_pack("{s:I, s:s}", "id", (json_int_t)i + 1, "name", name));
    }
    json_object_set_new(body, "threads", threads);
    return true;
}

static json_t *look_frame_json(motet_dap *d, uint32_t node, size_t level, const struct motet_call *c, bool guessed)
{
    json_t *frame = json_pack("{s:I, s:i, s:i, s:b}", "id", (json_int_t)node * DAP_LEVELS + (json_int_t)level + 1,
                              "line", 0, "column", 0, "canRestart", 1);
    json_object_set_new(frame, "name", text_string(c->function));
    json_object_set_new(frame, "instructionPointerReference", memory_reference(node, c->pc));
    if (c->file) {
        json_object_set_new(frame, "source", look_source_of(c->file));
        json_object_set_new(frame, "line", json_integer(dap_line_out(d, c->line)));
        json_object_set_new(frame, "column", json_integer(!d->client->columns_from_0));
    }
    if (guessed || !c->file)
        json_object_set_new(frame, "presentationHint", json_string("subtle"));
    return frame;
}

bool look_stack(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    enum { LOOK_FRAMES = 256 };
    struct motet_frame known[LOOK_FRAMES];
    struct motet_call c;
    json_t *frames = json_array();
    int64_t first = 0, count = 0;
    uint32_t node;
    json_object_set_new(body, "stackFrames", frames);
    if (!look_thread(d, a, &node, e) || !argument_number(a, "startFrame", 0, INT32_MAX, &first, e) ||
        !argument_number(a, "levels", 0, INT32_MAX, &count, e))
        return false;
    const motet_node *n = motet_timeline_node(d->timeline, node);
    size_t walked = motet_node_frames(n, known, LOOK_FRAMES), level = 0;
    for (; level < LOOK_FRAMES && motet_node_call(n, level, &c); level++)
        if ((int64_t)level >= first && (!count || (int64_t)level < first + count))
            json_array_append_new(
                frames,
                look_frame_json(d, node, level, &c, level < walked && level < LOOK_FRAMES && known[level].guessed));
    json_object_set_new(body, "totalFrames", json_integer((json_int_t)level));
    return true;
}

/* ---- scopes ---- */

static const struct look_scope {
    enum motet_variables which;
    const char *name, *hint;
    bool expensive;
} look_all_scopes[] = {
    {MOTET_VARIABLES_LOCALS, "Locals", "locals", false},
    {MOTET_VARIABLES_STATICS, "Statics", NULL, false},
    {MOTET_VARIABLES_GLOBALS, "Globals", NULL, false},
    {MOTET_VARIABLES_REGISTERS, "Registers", "registers", false},
    {MOTET_VARIABLES_DEVICES, "Device registers", "registers", true},
};

bool look_scopes(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    json_t *scopes = json_array();
    uint32_t node;
    size_t level;
    json_object_set_new(body, "scopes", scopes);
    if (!argument_needs(a, "frameId", e) || !look_frame(d, a, &node, &level, e))
        return false;
    for (size_t i = 0; i < sizeof look_all_scopes / sizeof look_all_scopes[0]; i++) {
        const struct look_scope *s = &look_all_scopes[i];
        size_t count = motet_node_variables(motet_timeline_node(d->timeline, node), level, s->which, 0, NULL, 0);
        if (!count && s->which != MOTET_VARIABLES_LOCALS)
            continue;
        json_int_t reference = variables_hold(d, (struct dap_held){.node = node, .level = level, .scope = s->which});
        json_t *scope = json_pack("{s:s, s:I, s:I, s:b}", "name", s->name, "variablesReference", reference,
                                  "namedVariables", (json_int_t)count, "expensive", s->expensive);
        if (s->hint)
            json_object_set_new(scope, "presentationHint", json_string(s->hint));
        json_array_append_new(scopes, scope);
    }
    return true;
}
