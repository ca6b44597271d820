#include "motet/native.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/handles.h"
#include "api/installed.h"
#include "base/memory.h"
#include "chip/region.h"
#include "image/debug.h"
#include "image/image.h"
#include "motet/watch.h"
#include "node/machine.h"
#include "record/feed.h"

/* A byte of a variable, and where the native program has it. */
struct native_byte {
    uint32_t variable, offset, address, mask; /* mask 0: the first byte of a pointer */
};

struct native_run {
    const struct motet_native *o;
    motet_node *handle;
    struct node *node;
    const struct image *image;
    uint8_t *compared; /* by data address */
    struct native_place *variables, *functions;
    size_t variable_count, variable_room, function_count, function_room;
    struct native_byte *bytes;
    size_t byte_count, byte_room;
    struct feed *feed;
    char folder[PATH_MAX];
    struct motet_error *e;
};

/* ---- variables ---- */

static uint32_t native_pointers(const struct debug_type *t)
{
    uint32_t count = 0;
    if (t->kind == DEBUG_POINTER)
        return 1;
    if (t->kind == DEBUG_ARRAY)
        return t->of ? t->count * native_pointers(t->of) : 0;
    for (uint32_t i = 0; t->kind == DEBUG_STRUCT && i < t->field_count; i++)
        count += native_pointers(t->fields[i].type);
    return count;
}

static void native_add_byte(struct native_run *r, uint32_t offset, uint32_t address, uint32_t mask)
{
    if (address >= r->node->machine->data_size)
        return;
    r->bytes = memory_grow(r->bytes, &r->byte_room, r->byte_count, sizeof *r->bytes);
    r->bytes[r->byte_count++] = (struct native_byte){(uint32_t)r->variable_count, offset, address, mask};
    r->compared[address] = 1;
}

/* A pointer has so many bytes more on this computer. */
enum { NATIVE_GROWTH = 6 };

static void native_add_type(struct native_run *r, const struct debug_type *t, uint32_t offset, uint32_t address);

static void native_add_field(struct native_run *r, const struct debug_field *f, uint32_t offset, uint32_t address)
{
    if (!f->bit_size) {
        native_add_type(r, f->type, offset, address);
        return;
    }
    uint64_t bits = (f->bit_size < 64 ? (UINT64_C(1) << f->bit_size) - 1 : UINT64_MAX) << f->bit_offset;
    for (uint32_t i = 0; i < 8; i++)
        if (bits >> 8 * i & 0xff)
            native_add_byte(r, offset + i, address + i, bits >> 8 * i & 0xff);
}

static void native_add_type(struct native_run *r, const struct debug_type *t, uint32_t offset, uint32_t address)
{
    uint32_t before = 0;
    switch (t->kind) {
    case DEBUG_POINTER:
        native_add_byte(r, offset, address, 0);
        native_add_byte(r, offset + 1, address + 1, 0);
        break;
    case DEBUG_ARRAY:
        for (uint32_t i = 0; t->of && i < t->count; i++)
            native_add_type(r, t->of, offset + i * (t->of->size + NATIVE_GROWTH * native_pointers(t->of)),
                            address + i * t->of->size);
        break;
    case DEBUG_STRUCT:
        for (uint32_t i = 0; i < t->field_count; i++) {
            const struct debug_field *f = &t->fields[i];
            native_add_field(r, f, offset + f->offset + NATIVE_GROWTH * before, address + f->offset);
            before += native_pointers(f->type);
        }
        break;
    default:
        for (uint32_t i = 0; i < t->size; i++)
            native_add_byte(r, offset + i, address + i, 0xff);
    }
}

static bool native_is_recorder(const char *name, const char *file)
{
    return strncmp(name, "motet_", 6) == 0 || (file && strstr(file, "recorder/"));
}

static void native_add_variables(struct native_run *r)
{
    const struct debug_variable *all;
    size_t count = debug_variables(r->image, &all);
    for (size_t i = 0; i < count; i++) {
        const struct debug_variable *v = &all[i];
        uint32_t address = feed_data_address(v->address);
        if (!v->type || !v->file || native_is_recorder(v->name, v->file) || address < r->node->machine->ram->first)
            continue;
        native_add_type(r, v->type, 0, address);
        r->variables = memory_grow(r->variables, &r->variable_room, r->variable_count, sizeof *r->variables);
        r->variables[r->variable_count++] = (struct native_place){v->name, v->file, v->line};
    }
}

/* ---- steps ---- */

/* A function of which the compiler put copies or pieces elsewhere is entered in other ways too. */
static bool native_is_step(struct native_run *r, const struct debug_function *f, const struct debug_function *next)
{
    const struct debug_inlined *inlined;
    size_t count = debug_inlined(r->image, &inlined);
    const struct image_symbol *symbol = image_symbol_at(r->image, f->address);
    if (native_is_recorder(f->name, f->file) || !f->file || !symbol || symbol->address != f->address ||
        strcmp(symbol->name, f->name) != 0 || strcmp(f->name, "main") == 0 || (next && next->address == f->address))
        return false;
    for (size_t i = 0; i < count; i++)
        if (inlined[i].name && strcmp(inlined[i].name, f->name) == 0)
            return false;
    return true;
}

static void native_add_functions(struct native_run *r)
{
    const struct debug_function *all;
    size_t count = debug_functions(r->image, &all);
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        for (size_t k = 0; k < count; k++)
            same += strcmp(all[k].name, all[i].name) == 0;
        if (same > 1 || !native_is_step(r, &all[i], i + 1 < count ? &all[i + 1] : NULL))
            continue;
        feed_step_at(r->feed, all[i].address, image_symbol_at(r->image, all[i].address)->size);
        r->functions = memory_grow(r->functions, &r->function_room, r->function_count, sizeof *r->functions);
        r->functions[r->function_count++] = (struct native_place){all[i].name, all[i].file, all[i].line};
    }
}

/* ---- the replay ---- */

static void native_probed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    (void)after;
    node_seen(n);
    feed_instruction(context, pc);
}

static bool native_replay(struct native_run *r, motet_network *network)
{
    motet_tap *tap = motet_probe(r->handle, 0, UINT32_MAX, MOTET_BEFORE, native_probed, r->feed);
    while (motet_node_exit(r->handle) == MOTET_RUNNING)
        if (motet_network_run(network, MOTET_NEVER) == MOTET_NETWORK_IDLE)
            break;
    motet_tap_remove(tap);
    const struct replay_state *s = replay_state_of(r->node);
    char text[1024];
    if (s->end == REPLAY_DIFFERS)
        return error_set(r->e, "the replay on the simulated chip ends: %s", replay_explain(r->node, text, sizeof text));
    return true;
}

/* ---- files ---- */

static bool native_write_feed(struct native_run *r, const char *path)
{
    size_t count;
    const struct feed_record *records = feed_records(r->feed, &count);
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(records, sizeof *records, count, f) == count;
    return ((!f || fclose(f) == 0) && good) || error_set(r->e, "cannot write %s: %s", path, strerror(errno));
}

static void native_write_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++)
        fprintf(f, *text == '"' || *text == '\\' || *text < ' ' ? "\\%03o" : "%c", (unsigned char)*text);
    fputc('"', f);
}

static bool native_write_tables(struct native_run *r, const char *path, const char *feed)
{
    char how[1024];
    FILE *f = fopen(path, "w");
    if (!f)
        return error_set(r->e, "cannot write %s: %s", path, strerror(errno));
    fprintf(f,
            "__asm__(\".section .rodata\\n.balign 4\\n.global motet_feed\\nmotet_feed:\\n.incbin "
            "\\\"%s\\\"\\n.previous\");\n",
            feed);
    fprintf(f, "const unsigned motet_bytes[][4] = {");
    for (size_t i = 0; i < r->byte_count; i++)
        fprintf(f, "{%u,%u,%u,%u},\n", (unsigned)r->bytes[i].variable, (unsigned)r->bytes[i].offset,
                (unsigned)r->bytes[i].address, (unsigned)r->bytes[i].mask);
    fprintf(f, "{0}};\nconst unsigned motet_byte_count = %zu;\nconst char *const motet_names[] = {", r->byte_count);
    for (size_t i = 0; i < r->variable_count; i++) {
        native_write_text(f, r->variables[i].name);
        fputs(",\n", f);
    }
    fprintf(f, "0};\nconst char motet_how[] = ");
    native_write_text(f, replay_explain(r->node, how, sizeof how));
    fprintf(f, ";\n");
    return fclose(f) == 0 || error_set(r->e, "cannot write %s: %s", path, strerror(errno));
}

/* Linkers put two underscores before a register's name. */
static bool native_address(void *context, const char *symbol, unsigned *address)
{
    const struct native_run *r = context;
    uint32_t found;
    bool known = feed_register(r->handle->machine->replay, symbol + strspn(symbol, "_"), &found);
    if (known)
        *address = found;
    return known;
}

static bool native_build(struct native_run *r)
{
    char feed[PATH_MAX + 16], tables[PATH_MAX + 16], target[PATH_MAX];
    native_build_function *build = installed_native(r->e);
    snprintf(feed, sizeof feed, "%s/feed", r->folder);
    snprintf(tables, sizeof tables, "%s/feed.c", r->folder);
    struct native_recorded recorded = {.variables = r->variables,
                                       .variable_count = r->variable_count,
                                       .functions = r->functions,
                                       .function_count = r->function_count,
                                       .address = native_address,
                                       .context = r,
                                       .feed = tables};
    recorded.sources = image_section(r->image, ".motet.source", 0, &recorded.source_size);
    recorded.sites = image_section(r->image, ".motet.sites", 0, &recorded.site_size);
    for (size_t i = 1; recorded.sites && strlen((const char *)recorded.sites) == 0; i++) /* .motet.sites.id */
        recorded.sites = image_section(r->image, ".motet.sites", i, &recorded.site_size);
    struct native_options o = {.output = r->o->output,
                               .sanitize = r->o->sanitize,
                               .any_order = r->o->any_order,
                               .keep = r->o->keep,
                               .recorded = &recorded};
    o.target_files = target;
    bool good = build && installed_target(target, sizeof target, r->e);
    if (good && !recorded.sources)
        good = error_set(r->e, "%s has no sources in it; build it again with this motet cc", image_path(r->image));
    good = good && native_write_feed(r, feed) && native_write_tables(r, tables, feed) && build(&o, NULL, 0, r->e);
    if (!r->o->keep) {
        unlink(feed);
        unlink(tables);
    }
    return good;
}

bool motet_native_replay(motet_network *network, const struct motet_native *o, struct motet_error *e)
{
    struct native_run r = {.o = o, .handle = motet_network_at(network, 0), .e = e};
    r.node = r.handle->node;
    r.image = r.node->machine->image;
    if (!r.handle->machine->replay)
        return error_set(e, "this node does not replay a log");
    if (r.handle->machine->log->parts[r.handle->machine->part].continues)
        return error_set(e,
                         "this part of the log begins with a checkpoint, in the middle of the program's functions; a "
                         "native program begins where the firmware starts. Give such a part with --part");
    snprintf(r.folder, sizeof r.folder, "%s", o->keep ? o->keep : "/tmp/motet-feed-XXXXXX");
    if (!o->keep && !mkdtemp(r.folder))
        return error_set(e, "cannot make a folder in /tmp: %s", strerror(errno));
    r.compared = memory_new(r.node->machine->data_size);
    native_add_variables(&r);
    r.feed = feed_new(r.node, r.handle->machine->replay, r.compared);
    native_add_functions(&r);
    bool good = native_replay(&r, network) && native_build(&r);
    replay_listen(r.handle->machine->replay, NULL, NULL);
    feed_free(r.feed);
    if (!o->keep)
        rmdir(r.folder);
    free(r.compared);
    free(r.variables);
    free(r.functions);
    free(r.bytes);
    return good;
}
