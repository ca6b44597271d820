#include "api/ranks.h"

#include <dlfcn.h>
#include <limits.h>

#include "api/installed.h"

/* A function of the module, which stays loaded. */
static void *ranks_function(const char *name, struct motet_error *e)
{
    char path[PATH_MAX];
    struct motet_error why = {""};
    void *module =
        installed_module("motet_mpi.so", path, sizeof path, &why) ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    void *function = module ? dlsym(module, name) : NULL;
    if (!function)
        error_set(e, "work cannot be shared over MPI: %s (it needs MPI when it is built: Debian's libopenmpi-dev)",
                  why.text[0] ? why.text : dlerror());
    return function;
}

bool ranks_join(struct ranks *r, struct motet_error *e)
{
    ranks_begin_function *begin;
    *(void **)&begin = ranks_function("motet_mpi_begin", e);
    return begin && begin(r, e);
}

void ranks_leave(bool all)
{
    ranks_end_function *end;
    struct motet_error e;
    *(void **)&end = ranks_function("motet_mpi_end", &e);
    if (end)
        end(all);
}
