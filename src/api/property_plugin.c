/* Properties of a shared object: in C, where Lua would take too long. */
#include <stdio.h>
#include <stdlib.h>

#include "api/shared_object.h"
#include "base/error.h"
#include "base/digest.h"
#include "base/memory.h"
#include "motet/plugin.h"
#include "motet/property.h"

struct property_plugin {
    struct motet_property_maker maker;
    struct shared_object *object;
    bool (*properties)(motet_network *n, struct motet_properties *s, struct motet_error *e);
};

static bool property_plugin_check(struct shared_object *o, void *context, struct motet_error *e)
{
    struct property_plugin *p = context;
    unsigned (*version)(void);
    *(void **)&version = shared_object_symbol(o, "motet_plugin_version");
    *(void **)&p->properties = shared_object_symbol(o, "motet_plugin_properties");
    if (!version || !p->properties)
        return shared_object_say(o, e,
                                 "needs the functions motet_plugin_version and motet_plugin_properties; see "
                                 "docs/checking.md");
    return version() == MOTET_PLUGIN_VERSION ||
           shared_object_say(o, e, "was made for another version of the interface; compile it anew");
}

static bool property_plugin_make(void *context, motet_network *n, struct motet_properties *s, struct motet_error *e)
{
    const struct property_plugin *p = context;
    struct motet_error why = {""};
    if (p->properties(n, s, &why))
        return true;
    return error_set(e, "the plugin %s: %.900s", shared_object_path(p->object),
                     *why.text ? why.text : "it makes no properties, and does not say why");
}

/* What is in the file, so that a check goes on only with the same properties. */
static uint64_t property_plugin_identity(const char *path)
{
    enum { PIECE = 1 << 16 };
    uint8_t *piece = memory_new(PIECE);
    struct digest d = {0, 0};
    FILE *file = fopen(path, "rb");
    for (size_t got = 1; file && got;) {
        got = fread(piece, 1, PIECE, file);
        d = digest_join(d, digest_of(piece, got));
    }
    if (file)
        fclose(file);
    free(piece);
    return d.low;
}

struct motet_property_maker *motet_plugin_property_maker(const char *path, struct motet_error *e)
{
    struct property_plugin *p = memory_new(sizeof *p);
    p->object = shared_object_open("plugin", path, property_plugin_check, p, e);
    if (!p->object) {
        free(p);
        return NULL;
    }
    p->maker = (struct motet_property_maker){p, property_plugin_make, property_plugin_identity(path)};
    return &p->maker;
}

void motet_plugin_property_maker_free(struct motet_property_maker *m)
{
    struct property_plugin *p = m ? m->context : NULL;
    if (!p)
        return;
    shared_object_close(p->object);
    free(p);
}
