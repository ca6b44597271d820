#include "motet/native.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/handles.h"
#include "api/installed.h"
#include "api/native_component.h"
#include "api/native_program.h"
#include "base/memory.h"
#include "chip/chip.h"
#include "chip/region.h"
#include "image/debug.h"
#include "image/image.h"
#include "isa/isa.h"
#include "motet/watch.h"
#include "node/machine.h"
#include "record/feed.h"

struct native_run {
    const struct motet_native *o;
    motet_node *handle;
    struct node *node;
    const struct image *image;
    struct native_program p;
    struct native_place *functions;
    size_t function_count, function_room;
    struct feed *feed;
    char folder[PATH_MAX];
    struct motet_error *e;
};

/* ---- steps ---- */

/* Compilers call these by themselves, or do what they do without a call. */
static bool native_is_library(const char *name)
{
    static const char *const all[] = {"memcpy",  "memmove", "memset", "memcmp",  "memchr",
                                      "strlen",  "strnlen", "strcmp", "strncmp", "strcpy",
                                      "strncpy", "strcat",  "strchr", "strrchr", "strstr"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i]) == 0)
            return true;
    return false;
}

/* A function of which the compiler put copies or pieces elsewhere is entered in other ways too. */
static bool native_is_step(struct native_run *r, const struct debug_function *f, const struct debug_function *next)
{
    const struct debug_inlined *inlined;
    size_t count = debug_inlined(r->image, &inlined);
    const struct image_symbol *symbol = image_symbol_at(r->image, f->address);
    if (native_program_is_own(f->name, f->file) || !f->file || !symbol || symbol->address != f->address ||
        strcmp(symbol->name, f->name) != 0 || strcmp(f->name, "main") == 0 || native_is_library(f->name) ||
        (next && next->address == f->address))
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

static void native_watched(void *context, const motet_node *n, const struct motet_access *access)
{
    (void)n;
    feed_access(context, access->address, access->size, access->write);
}

static bool native_replay(struct native_run *r, motet_network *network)
{
    motet_tap *tap = motet_probe(r->handle, 0, UINT32_MAX, MOTET_BEFORE, native_probed, r->feed);
    motet_tap *watch = motet_watch(r->handle, r->node->machine->ram->first, UINT32_MAX,
                                   MOTET_READ | MOTET_WRITE | MOTET_BEFORE, native_watched, r->feed);
    while (motet_node_exit(r->handle) == MOTET_RUNNING)
        if (motet_network_run(network, MOTET_NEVER) == MOTET_NETWORK_IDLE)
            break;
    motet_tap_remove(tap);
    motet_tap_remove(watch);
    const struct replay_state *s = replay_state_of(r->node);
    char text[1024];
    if (s->end == REPLAY_DIFFERS)
        return error_set(r->e, "the replay on the simulated chip ends: %s", replay_explain(r->node, text, sizeof text));
    return true;
}

/* The variables whose accesses the program must count: an interrupt has its place by them. */
static bool *native_shared(const struct native_run *r)
{
    size_t count;
    const struct feed_record *records = feed_records(r->feed, &count);
    bool *shared = memory_array(r->p.variable_count + 1, sizeof *shared);
    uint32_t address;
    for (size_t i = 0; i < count; i += 1 + (records[i].kind == FEED_BLOCK ? (records[i].b + 15) / 16 : 0))
        for (size_t n = 0; feed_is_placed(&records[i], &address) && n < r->p.byte_count; n++)
            if (r->p.bytes[n].address == address)
                shared[r->p.bytes[n].variable] = true;
    return shared;
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
    native_program_write(&r->p, f);
    if (r->o->nodes)
        fprintf(f, "const unsigned motet_together[] = {%" PRIu32 ", %" PRIu32 ", %" PRIu32 "};\n", r->o->number,
                r->o->nodes, r->o->id);
    fprintf(f, "const char motet_how[] = ");
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

bool native_compile(const struct motet_native *m, const struct image *i, struct native_recorded *recorded,
                    struct motet_error *e)
{
    char target[PATH_MAX];
    native_build_function *build = installed_native(e);
    recorded->sources = image_section(i, ".motet.source", 0, &recorded->source_size);
    struct native_options o = {.output = m->output,
                               .sanitize = m->sanitize,
                               .any_order = m->any_order,
                               .keep = m->keep,
                               .recorded = recorded,
                               .target_files = target};
    if (!build || !installed_target(target, sizeof target, e))
        return false;
    if (!recorded->sources)
        return error_set(e, "%s has no sources in it; build it again with this motet cc", image_path(i));
    return build(&o, NULL, 0, e);
}

static bool native_build(struct native_run *r)
{
    char feed[PATH_MAX + 16], tables[PATH_MAX + 16];
    snprintf(feed, sizeof feed, "%s/feed", r->folder);
    snprintf(tables, sizeof tables, "%s/feed.c", r->folder);
    bool *shared = native_shared(r);
    struct native_recorded recorded = {.variables = r->p.variables,
                                       .shared = shared,
                                       .variable_count = r->p.variable_count,
                                       .functions = r->functions,
                                       .function_count = r->function_count,
                                       .address = native_address,
                                       .context = r,
                                       .feed = tables};
    recorded.sites = image_section(r->image, ".motet.sites", 0, &recorded.site_size);
    for (size_t i = 1; recorded.sites && strlen((const char *)recorded.sites) == 0; i++) /* .motet.sites.id */
        recorded.sites = image_section(r->image, ".motet.sites", i, &recorded.site_size);
    bool good = native_write_feed(r, feed) && native_write_tables(r, tables, feed) &&
                native_compile(r->o, r->image, &recorded, r->e);
    if (!r->o->keep) {
        unlink(feed);
        unlink(tables);
    }
    free(shared);
    return good;
}

bool motet_native_replay(motet_network *network, const struct motet_native *o, struct motet_error *e)
{
    struct native_run r = {.o = o, .handle = motet_network_at(network, 0), .e = e};
    r.node = r.handle->node;
    r.image = r.node->machine->image;
    if (r.handle->machine->component)
        return native_component_replay(network, o, e);
    if (!r.handle->machine->replay)
        return error_set(e, "this node does not replay a log");
    const struct isa *isa = r.node->machine->chip->isa;
    if (isa->cores)
        return error_set(e, "a log of a %s cannot become a native program yet; replay it on the simulated chip",
                         isa->name);
    if (r.handle->machine->log->parts[r.handle->machine->part].continues)
        return error_set(e,
                         "this part of the log begins with a checkpoint, in the middle of the program's functions; a "
                         "native program begins where the firmware starts. Give such a part with --part");
    snprintf(r.folder, sizeof r.folder, "%s", o->keep ? o->keep : "/tmp/motet-feed-XXXXXX");
    if (!o->keep && !mkdtemp(r.folder))
        return error_set(e, "cannot make a folder in /tmp: %s", strerror(errno));
    native_program_begin(&r.p, r.node->machine);
    r.feed = feed_new(r.node, r.handle->machine->replay, r.p.compared);
    native_add_functions(&r);
    bool good = native_replay(&r, network) && native_build(&r);
    replay_listen(r.handle->machine->replay, NULL, NULL);
    feed_free(r.feed);
    if (!o->keep)
        rmdir(r.folder);
    native_program_free(&r.p);
    free(r.functions);
    return good;
}
