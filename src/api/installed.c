#include "api/installed.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder of the file that holds this function: the program, or libmotet.so. There is room for PATH_MAX. */
static bool installed_here(char *folder)
{
    Dl_info info;
    struct link_map *map = NULL;
    bool (*function)(char *) = installed_here;
    void *self;
    memcpy(&self, &function, sizeof self);
    if (!dladdr1(self, &info, (void **)&map, RTLD_DL_LINKMAP))
        return false;
    if (!realpath(map->l_name[0] ? map->l_name : "/proc/self/exe", folder)) /* the program itself has no name here */
        return false;
    *strrchr(folder, '/') = '\0';
    return true;
}

/* The first of these that exists, from the folder of this file: in a build, from bin/, from lib/. */
static bool installed_find(const char *const *places, const char *name, char *path, size_t size, struct motet_error *e)
{
    char here[PATH_MAX];
    if (!installed_here(here))
        return error_set(e, "cannot find out where Motet is installed");
    for (size_t i = 0; places[i]; i++) {
        int length = snprintf(path, size, "%s/%s%s", here, places[i], name);
        if (length > 0 && (size_t)length < size && access(path, R_OK) == 0)
            return true;
    }
    return error_set(e,
                     "%s is missing: it is neither beside %s nor in %s/%s; build all of Motet (make), or install it "
                     "(cmake --install)",
                     name, here, here, places[1]);
}

bool installed_module(const char *name, char *path, size_t size, struct motet_error *e)
{
    static const char *const places[] = {"", MOTET_LIBRARY_FROM_BIN "/motet/", "motet/", NULL};
    return installed_find(places, name, path, size, e);
}

bool installed_target(char *path, size_t size, struct motet_error *e)
{
    static const char *const places[] = {"", MOTET_DATA_FROM_BIN "/motet/", MOTET_DATA_FROM_LIBRARY "/motet/", NULL};
    const char *told = getenv("MOTET_TARGET");
    if (told && *told)
        return (size_t)snprintf(path, size, "%s", told) < size || error_set(e, "MOTET_TARGET is too long");
    return installed_find(places, "target", path, size, e);
}

native_build_function *installed_native(struct motet_error *e)
{
    char path[PATH_MAX];
    struct motet_error why = {""};
    native_build_function *build = NULL;
    void *module =
        installed_module("motet_llvm.so", path, sizeof path, &why) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (module)
        *(void **)&build = dlsym(module, "motet_native_build");
    if (!build)
        error_set(e, "native programs cannot be made: %s (they need LLVM 19: Debian's libllvm19 and clang-19)",
                  why.text[0] ? why.text : dlerror());
    return build;
}
