#include "motet/slice.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "api/installed.h"
#include "base/memory.h"
#include "board/board.h"
#include "chip/chip.h"
#include "image/image.h"
#include "record/trace_log.h"
#include "slice/slice.h"

typedef bool slice_function(const struct slice_options *o, FILE *out, struct motet_error *e);

static slice_function *slice_open_module(struct motet_error *e)
{
    char path[PATH_MAX];
    struct motet_error why = {""};
    slice_function *run = NULL;
    void *module =
        installed_module("motet_llvm.so", path, sizeof path, &why) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (module)
        *(void **)&run = dlsym(module, "motet_llvm_slice");
    if (!run)
        error_set(e, "motet slice cannot read programs: %s (a build without LLVM 19 does not have it)",
                  why.text[0] ? why.text : dlerror());
    return run;
}

/* ---- what traces have shown ---- */

struct slice_traces {
    struct image **images; /* their functions' names are those of the logs */
    struct trace_log *logs;
    size_t count;
    struct slice_seen *seen;
    size_t seen_count, seen_room;
    int level;
};

static void slice_add_seen(struct slice_traces *t, const struct trace_function *f)
{
    if (!f || f->kind != TRACE_TRACED)
        return;
    t->seen = memory_grow(t->seen, &t->seen_room, t->seen_count, sizeof *t->seen);
    t->seen[t->seen_count++] = (struct slice_seen){f->name, f->file, f->line};
}

/* Calls from inside are not noted of functions that call nothing, and of those that are called only so. */
static void slice_add_leaves(struct slice_traces *t, const struct trace_plan *p)
{
    for (size_t i = 0; i < p->function_count; i++)
        if (p->functions[i].is_leaf || p->functions[i].is_inlined)
            slice_add_seen(t, &p->functions[i]);
}

static bool slice_read_trace(struct slice_traces *t, const char *text, struct motet_error *e)
{
    const char *colon = strrchr(text, ':');
    char firmware[PATH_MAX];
    if (!colon || colon == text || !colon[1])
        return error_set(e, "--next takes FIRMWARE:TRACE, not '%s'", text);
    snprintf(firmware, sizeof firmware, "%.*s", (int)(colon - text), text);
    struct image *image = image_load(firmware, e);
    if (!image)
        return false;
    t->images[t->count] = image;
    struct trace_log *l = &t->logs[t->count++];
    if (!trace_log_load(l, image, colon + 1, e))
        return false;
    for (size_t i = 0; i < l->event_count; i++) {
        enum trace_event_kind kind = l->events[i].kind;
        if (kind == TRACE_ENTERED || kind == TRACE_CALLED || kind == TRACE_INTERRUPT)
            slice_add_seen(t, trace_plan_function(&l->plan, l->events[i].number));
    }
    if (t->seen_count)
        slice_add_leaves(t, &l->plan);
    t->level = (int)l->plan.level > t->level ? (int)l->plan.level : t->level;
    return t->level > 0 || error_set(e, "%s does not say its level; build it again with this motet cc", firmware);
}

static bool slice_read_traces(struct slice_traces *t, const struct motet_slice *o, struct motet_error *e)
{
    *t = (struct slice_traces){.images = memory_array(o->next_count + 1, sizeof *t->images),
                               .logs = memory_array(o->next_count + 1, sizeof *t->logs)};
    for (size_t i = 0; i < o->next_count; i++)
        if (!slice_read_trace(t, o->next[i], e))
            return false;
    return true;
}

static void slice_free_traces(struct slice_traces *t)
{
    for (size_t i = 0; i < t->count; i++) {
        trace_log_free(&t->logs[i]);
        image_free(t->images[i]);
    }
    free(t->images);
    free(t->logs);
    free(t->seen);
}

bool motet_slice(const struct motet_slice *o, struct motet_error *e)
{
    const struct board *board = NULL;
    const struct chip *chip = NULL;
    struct slice_traces traces;
    char target[PATH_MAX];
    if (o->board && !machine_choose(NULL, o->board, &board, &chip, e))
        return false;
    slice_function *run = slice_open_module(e);
    if (!run || !installed_target(target, sizeof target, e))
        return false;
    struct slice_options options = {
        .input = {.files = (char **)o->files,
                  .file_count = o->file_count,
                  .command = (char **)o->command,
                  .command_count = o->command_count,
                  .database = o->database,
                  .chip = chip ? chip->name : NULL,
                  .target_files = target},
        .invariants = o->invariants,
        .invariant_count = o->invariant_count,
        .stops = o->stops,
        .stop_count = o->stop_count,
        .forward = o->forward,
        .why = o->why,
        .post = o->post,
        .graph = o->graph,
        .nodes = o->lines,
        .plan = o->plan,
        .clock = o->clock,
        .level = o->level,
        .part = o->part,
        .parts = o->parts,
        .measure = (enum slice_measure)o->measure,
        .json = o->json,
    };
    bool good = slice_read_traces(&traces, o, e);
    options.seen = traces.seen;
    options.seen_count = traces.seen_count;
    options.seen_level = traces.level;
    good = good && run(&options, stdout, e);
    slice_free_traces(&traces);
    return good;
}
