#include "api/engine.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/installed.h"
#include "isa/heat.h"
#include "isa/layout.h"
#include "motet/engine.h"

/* By then the loop has taken a time of the order that LLVM takes to load and to translate a program (docs/engine.md,
 * "What it costs"): a run that ends right after loses some tenths of a second, one of a few times that length gains. */
enum { ENGINE_FIRST = 64000000 };

static pthread_mutex_t engine_lock = PTHREAD_MUTEX_INITIALIZER;
static heat_translate *engine_translator; /* of the module, once it is open */

static heat_translate *engine_open(struct motet_error *e)
{
    char path[PATH_MAX];
    pthread_mutex_lock(&engine_lock);
    if (!engine_translator && installed_module("motet_translate.so", path, sizeof path, e)) {
        void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        uint64_t (*layout)(void) = NULL;
        if (module)
            *(void **)&layout = dlsym(module, "motet_translate_layout");
        if (!module)
            error_set(e, "%s", dlerror());
        else if (!layout || layout() != isa_layout())
            error_set(e, "%s is of another version of Motet; build or install both together", path);
        else
            *(void **)&engine_translator = dlsym(module, "motet_translate");
    }
    heat_translate *found = engine_translator;
    pthread_mutex_unlock(&engine_lock);
    return found;
}

static bool engine_load(struct motet_error *e)
{
    return engine_open(e) != NULL;
}

static bool engine_translate(const struct heat_code *code, const uint32_t *trace, size_t count, struct heat_made *made,
                             struct motet_error *e)
{
    heat_translate *translate = engine_open(e);
    return translate && translate(code, trace, count, made, e);
}

/* loop, translate, or translate:N */
static bool engine_parse(const char *name, bool *translate, uint64_t *first)
{
    static const char word[] = "translate";
    *translate = strncmp(name, word, strlen(word)) == 0;
    *first = ENGINE_FIRST;
    if (!*translate)
        return strcmp(name, "loop") == 0;
    const char *rest = name + strlen(word);
    if (!*rest)
        return true;
    char *end;
    *first = strtoull(rest + 1, &end, 10);
    return *rest == ':' && rest[1] >= '0' && rest[1] <= '9' && !*end;
}

static bool engine_check(const char *name, bool *translate, uint64_t *first, struct motet_error *e)
{
    char path[PATH_MAX];
    struct motet_error why;
    if (!engine_parse(name, translate, first))
        return error_set(e, "there is no engine '%.100s'; there are loop, translate and translate:INSTRUCTIONS", name);
    if (*translate && !installed_module("motet_translate.so", path, sizeof path, &why))
        return error_set(e, "the engine 'translate' is not there: %s (it needs LLVM 19); the engine 'loop' is",
                         why.text);
    return true;
}

bool motet_engine(const char *name, struct motet_error *e)
{
    bool translate;
    uint64_t first;
    return engine_check(name, &translate, &first, e) && setenv("MOTET_ENGINE", name, 1) == 0;
}

bool engine_begin(struct machine *m, struct motet_error *e)
{
    const char *name = getenv("MOTET_ENGINE");
    bool translate = true, named = name && *name;
    uint64_t first = ENGINE_FIRST;
    if (named && !engine_check(name, &translate, &first, e))
        return false;
    if (translate) /* where a number is given, what is translated is not to depend on the threads of the host */
        heat_begin(m, &(struct heat_translator){engine_load, engine_translate, first == ENGINE_FIRST}, first);
    return true;
}
