/* Plugins: shared objects that put taps on nodes. */
#include <stdio.h>
#include <stdlib.h>

#include "api/handles.h"
#include "api/shared_object.h"
#include "base/memory.h"

struct motet_plugin {
    struct shared_object *object;
    char *options;
    bool (*start)(motet_node *n, const char *options, struct motet_error *e);
};

static bool plugin_check(struct shared_object *o, void *context, struct motet_error *e)
{
    struct motet_plugin *p = context;
    char what[200];
    unsigned (*version)(void);
    *(void **)&version = shared_object_symbol(o, "motet_plugin_version");
    *(void **)&p->start = shared_object_symbol(o, "motet_plugin_start");
    if (!version || !p->start) {
        snprintf(what, sizeof what, "has no function %s; see docs/instrumentation.md for the two it needs",
                 version ? "motet_plugin_start" : "motet_plugin_version");
        return shared_object_say(o, e, what);
    }
    unsigned is = version();
    if (is == MOTET_PLUGIN_VERSION)
        return true;
    snprintf(what, sizeof what, "was made for version %u of the interface, and this is version %u; compile it anew", is,
             MOTET_PLUGIN_VERSION);
    return shared_object_say(o, e, what);
}

motet_plugin *motet_plugin_load(const char *path, const char *options, struct motet_error *e)
{
    struct motet_plugin *p = memory_new(sizeof *p);
    p->options = memory_string(options ? options : "");
    p->object = shared_object_open("plugin", path, plugin_check, p, e);
    if (p->object)
        return p;
    motet_plugin_free(p);
    return NULL;
}

bool motet_plugin_start_on(const motet_plugin *p, motet_node *n, struct motet_error *e)
{
    struct motet_error why = {""};
    if (p->start(n, p->options, &why))
        return true;
    return error_set(e, "the plugin %s: %.900s", shared_object_path(p->object),
                     *why.text ? why.text : "it does not start, and does not say why");
}

void motet_plugin_free(motet_plugin *p)
{
    if (!p)
        return;
    shared_object_close(p->object);
    free(p->options);
    free(p);
}
