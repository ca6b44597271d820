#include "motet/slice.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>

#include "api/handles.h"
#include "api/installed.h"
#include "board/board.h"
#include "chip/chip.h"
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

bool motet_slice(const struct motet_slice *o, struct motet_error *e)
{
    const struct board *board = NULL;
    const struct chip *chip = NULL;
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
        .json = o->json,
    };
    return run(&options, stdout, e);
}
