#include "motet/cc.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board/board.h"
#include "chip/chip.h"
#include "api/handles.h"
#include "rewrite/cc.h"

typedef int rewrite_function(const struct cc_options *o, char **arguments, size_t count);

/* The module lies beside the program, or where it was installed. */
static void *open_module(void)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 32);
    if (n > 0) {
        path[n] = '\0';
        strcpy(strrchr(path, '/') + 1, "motet_rewrite.so");
        void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (module)
            return module;
    }
    return dlopen(MOTET_MODULES "/motet_rewrite.so", RTLD_NOW | RTLD_LOCAL);
}

bool motet_cc(const struct motet_cc *o, char **command, size_t count, int *status, struct motet_error *e)
{
    const struct board *board = NULL;
    const struct chip *chip = NULL;
    if (o->board && !machine_choose(NULL, o->board, &board, &chip, e))
        return false;
    void *module = open_module();
    rewrite_function *run = NULL;
    if (module)
        *(void **)&run = dlsym(module, "motet_rewrite_cc");
    if (!run) {
        snprintf(e->text, sizeof e->text,
                 "this build of Motet cannot rewrite sources: %s (libclang 19 is needed when it is built)", dlerror());
        return false;
    }
    const char *target = getenv("MOTET_TARGET");
    struct cc_options options = {
        .target_files = target ? target : MOTET_TARGET_FILES,
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
