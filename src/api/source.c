/* Values, frames and source, as motet/timeline.h shows them. */
#include <string.h>

#include "api/handles.h"
#include "debug/source.h"
#include "motet/inspect.h"

static struct value_scope source_scope(const motet_node *n, size_t level)
{
    return (struct value_scope){n->node, level};
}

bool motet_node_named(const motet_node *n, size_t level, const char *expression, uint32_t *address, uint32_t *size,
                      struct motet_error *e)
{
    struct value_scope scope = source_scope(n, level);
    struct value_place place;
    if (!value_locate(&scope, expression, &place, e))
        return false;
    *address = place.address;
    *size = place.size;
    return true;
}

size_t motet_node_frame(const motet_node *n, size_t level, char *text, size_t size)
{
    struct value_scope scope = source_scope(n, level);
    return source_frame(&scope, text, size);
}

size_t motet_machine_source(const motet_machine *m, uint32_t address, char *text, size_t size)
{
    return source_at(m->machine->image, address, text, size);
}

FILE *motet_source_open(const char *file)
{
    return source_open(file);
}
