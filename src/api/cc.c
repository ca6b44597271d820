#include "motet/cc.h"

#include <dlfcn.h>
#include <limits.h>

#include "api/handles.h"
#include "api/installed.h"
#include "board/board.h"
#include "chip/chip.h"
#include "rewrite/cc.h"

typedef int rewrite_function(const struct cc_options *o, char **arguments, size_t count);

static rewrite_function *cc_open_module(struct motet_error *e)
{
    char path[PATH_MAX];
    struct motet_error why = {""};
    rewrite_function *run = NULL;
    void *module =
        installed_module("motet_rewrite.so", path, sizeof path, &why) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (module)
        *(void **)&run = dlsym(module, "motet_rewrite_cc");
    if (!run)
        error_set(e, "motet cc cannot rewrite sources: %s (a build without libclang 19 does not have it)",
                  why.text[0] ? why.text : dlerror());
    return run;
}

bool motet_cc(const struct motet_cc *o, char **command, size_t count, int *status, struct motet_error *e)
{
    const struct board *board = NULL;
    const struct chip *chip = NULL;
    if (o->board && !machine_choose(NULL, o->board, &board, &chip, e))
        return false;
    char target[PATH_MAX];
    rewrite_function *run = cc_open_module(e);
    if (!run || !installed_target(target, sizeof target, e))
        return false;
    struct cc_options options = {
        .target_files = target,
        .board = board ? board->name : o->board,
        .chip = chip ? chip->name : NULL,
        .codec = o->codec,
        .stamp = o->stamp,
        .report = o->report,
        .json = o->json,
        .keep = o->keep,
        .record = true,
        .recorder_only = o->recorder_only,
    };
    *status = run(&options, command, count);
    return true;
}
