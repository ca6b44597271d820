#include "api/native_component.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/handles.h"
#include "base/memory.h"
#include "chip/region.h"
#include "image/debug.h"
#include "interface/moves.h"

enum { NATIVE_COMPONENT_GROWTH = 6 }; /* bytes that a pointer has more on this computer */

struct native_component {
    const struct motet_native *o;
    motet_node *handle;
    const struct image *image;
    struct moves *moves;
    struct native_place *variables, *functions;
    size_t variable_count, function_count;
    char folder[PATH_MAX], feed[PATH_MAX + 16], tables[PATH_MAX + 16];
    char how[1024];
    struct motet_error *e;
};

/* ---- what the program is to have ---- */

static void native_component_find(struct native_component *c)
{
    const struct debug_function *all;
    size_t count = debug_functions(c->image, &all);
    const struct places *p = &c->moves->places;
    c->variables = memory_array(p->variables + 1, sizeof *c->variables);
    for (; c->variable_count < p->variables; c->variable_count++) {
        const struct debug_variable *v = p->objects[c->variable_count].variable;
        c->variables[c->variable_count] = (struct native_place){v->name, v->file ? v->file : "", v->line};
    }
    c->functions = memory_array(count + 1, sizeof *c->functions);
    for (; c->function_count < count; c->function_count++) {
        const struct debug_function *f = &all[c->function_count];
        const struct image_symbol *s = image_symbol_at(c->image, f->address);
        c->functions[c->function_count] =
            (struct native_place){s && s->address == f->address ? s->name : f->name, f->file ? f->file : "", f->line};
    }
}

/* Registers that the linker places. */
static bool native_component_address(void *context, const char *symbol, unsigned *address)
{
    const struct native_component *c = context;
    const struct image_symbol *s = image_symbol_named(c->image, symbol);
    if (!s || s->address >= c->handle->node->machine->ram->first)
        return false;
    *address = s->address;
    return true;
}

/* ---- files ---- */

static bool native_component_cannot_write(const struct native_component *c, const char *path)
{
    return error_set(c->e, "cannot write %s: %s", path, strerror(errno));
}

static bool native_component_write_feed(const struct native_component *c)
{
    FILE *f = fopen(c->feed, "wb");
    const struct pack *list = &c->moves->list;
    bool good = f && fwrite(list->bytes, 1, list->count, f) == list->count;
    return ((!f || fclose(f) == 0) && good) || native_component_cannot_write(c, c->feed);
}

static bool native_component_write_tables(const struct native_component *c)
{
    const struct debug_function *functions;
    const struct places *p = &c->moves->places;
    FILE *f = fopen(c->tables, "w");
    if (!f)
        return native_component_cannot_write(c, c->tables);
    debug_functions(c->image, &functions);
    fprintf(f,
            "__asm__(\".section .rodata\\n.balign 4\\n.global motet_moves\\nmotet_moves:\\n.incbin "
            "\\\"%s\\\"\\n.previous\");\n",
            c->feed);
    fprintf(f, "const unsigned motet_variable_count = %zu, motet_variable_sizes[] = {", c->variable_count);
    for (size_t i = 0; i < c->variable_count; i++)
        fprintf(f, "%u,", (unsigned)p->objects[i].there);
    fprintf(f, "0};\nconst char *const motet_variable_names[] = {");
    for (size_t i = 0; i < c->variable_count; i++) {
        native_write_text(f, c->variables[i].name);
        fputs(",\n", f);
    }
    fprintf(f, "0};\nconst unsigned motet_function_count = %zu, motet_function_addresses[] = {", c->function_count);
    for (size_t i = 0; i < c->function_count; i++)
        fprintf(f, "%u,", (unsigned)functions[i].address);
    fprintf(f, "0};\nconst char *const motet_crossings[] = {");
    for (uint32_t i = 0; i < MOVES_FUNCTIONS; i++) {
        const char *name = moves_function(c->moves, i);
        native_write_text(f, name ? name : "");
        fputs(",\n", f);
    }
    fprintf(f, "0};\nconst char motet_how[] = ");
    native_write_text(f, c->how);
    fprintf(f, ";\n");
    return fclose(f) == 0 || native_component_cannot_write(c, c->tables);
}

/* ---- the replay ---- */

/* On the simulated chip, to its end. */
static bool native_component_run(struct native_component *c, motet_network *network)
{
    struct motet_replay r;
    while (motet_node_exit(c->handle) == MOTET_RUNNING)
        if (motet_network_run(network, MOTET_NEVER) == MOTET_NETWORK_IDLE)
            break;
    motet_node_replay(c->handle, &r);
    snprintf(c->how, sizeof c->how, "%s", r.how);
    return moves_end(c->moves, r.differs || motet_node_exit(c->handle) == MOTET_EXIT_FAULT, c->e);
}

static bool native_component_build(struct native_component *c)
{
    struct native_recorded recorded = {.variables = c->variables,
                                       .variable_count = c->variable_count,
                                       .functions = c->functions,
                                       .function_count = c->function_count,
                                       .address = native_component_address,
                                       .context = c,
                                       .feed = c->tables,
                                       .component = true};
    return native_component_write_feed(c) && native_component_write_tables(c) &&
           native_compile(c->o, c->image, &recorded, c->e);
}

bool native_component_replay(motet_network *network, const struct motet_native *o, struct motet_error *e)
{
    struct native_component c = {.o = o, .handle = motet_network_at(network, 0), .e = e};
    c.image = c.handle->node->machine->image;
    c.moves = moves_new(c.handle->machine->component, c.handle->node->machine, NATIVE_COMPONENT_GROWTH, e);
    if (!c.moves)
        return false;
    snprintf(c.folder, sizeof c.folder, "%s", o->keep ? o->keep : "/tmp/motet-feed-XXXXXX");
    bool good = o->keep || mkdtemp(c.folder) || error_set(e, "cannot make a folder in /tmp: %s", strerror(errno));
    snprintf(c.feed, sizeof c.feed, "%s/feed", c.folder);
    snprintf(c.tables, sizeof c.tables, "%s/feed.c", c.folder);
    good = good && native_component_run(&c, network);
    if (good)
        native_component_find(&c);
    good = good && native_component_build(&c);
    if (!o->keep) {
        unlink(c.feed);
        unlink(c.tables);
        rmdir(c.folder);
    }
    moves_free(c.moves);
    free(c.variables);
    free(c.functions);
    return good;
}
