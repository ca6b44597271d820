#include "motet/cc.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/handles.h"
#include "api/installed.h"
#include "board/board.h"
#include "chip/chip.h"
#include "image/image.h"
#include "interface/boundary.h"
#include "interface/entries.h"
#include "motet/slice.h"
#include "record/scan.h"
#include "rewrite/cc.h"

typedef int rewrite_function(const struct cc_options *o, char **arguments, size_t count);

static rewrite_function *cc_open_module(struct motet_error *e)
{
    char path[PATH_MAX];
    struct motet_error why = {""};
    rewrite_function *run = NULL;
    void *module =
        installed_module("motet_rewrite.so", path, sizeof path, &why) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (module)
        *(void **)&run = dlsym(module, "motet_rewrite_cc");
    if (!run)
        error_set(e, "motet cc cannot rewrite sources: %s (a build without libclang 19 does not have it)",
                  why.text[0] ? why.text : dlerror());
    return run;
}

/* The label before an address, which names code of inline assembly better than the function before that does; or "". */
static const char *cc_label(const struct image *image, uint32_t at)
{
    const struct image_symbol *symbols, *function = image_symbol_at(image, at), *label = NULL;
    size_t count = image_symbols(image, &symbols);
    for (size_t i = 0; i < count && symbols[i].address <= at; i++)
        if (function && !function->size && symbols[i].kind == IMAGE_SYMBOL_OTHER &&
            symbols[i].address > function->address)
            label = &symbols[i];
    return label ? label->name : "";
}

static void cc_say_read(const struct cc_options *o, const struct image *image, const struct scan_read *read,
                        FILE *report)
{
    char place[200], name[40];
    const char *label = cc_label(image, read->at);
    image_place(image, read->at, place, sizeof place);
    if (label[0])
        snprintf(place + strlen(place), sizeof place - strlen(place), " (after the label %s)", label);
    snprintf(name, sizeof name, read->name[0] ? "%s (0x%x)" : "%s0x%x", read->name, (unsigned)read->address);
    fprintf(stderr, "motet cc: %s: %s reads %s, and does not record it\n", o->unrecorded ? "warning" : "error", place,
            name);
    if (report && o->json)
        fprintf(report, "{\"kind\":\"unrecorded\",\"place\":\"%s\",\"register\":\"%s\"}\n", place, name);
    else if (report)
        fprintf(report, "not recorded: %s at %s\n", name, place);
}

/* Reads in code that motet cc did not compile, or did not see: assembly, libraries, pointers made of numbers. */
static bool cc_look(const struct cc_options *o, const char *program, const char *chip, FILE *report)
{
    struct motet_error e = {""};
    struct scan scan = {.count = 0};
    const struct chip *known = chip_named(chip);
    struct image *image = image_load(program, &e);
    if (!known || !image || !scan_program(program, known, &scan, &e)) {
        fprintf(stderr, "motet cc: warning: reads that are not recorded were not looked for: %s\n",
                known ? e.text : "this chip is not simulated");
        image_free(image);
        return true;
    }
    for (size_t i = 0; i < scan.count; i++)
        cc_say_read(o, image, &scan.reads[i], report);
    bool refused = scan.count && !o->unrecorded;
    if (refused)
        fprintf(stderr,
                "motet cc: the program is refused. Compile that code with motet cc, and read registers by name or "
                "through volatile pointers; or link with --unrecorded: replay then stops where such a value is "
                "used\n");
    scan_free(&scan);
    image_free(image);
    return !refused;
}

/* ---- the component whose interface is logged ---- */

static bool cc_is_before(const struct interface_variable *a, const struct interface_variable *b)
{
    return a->address < b->address;
}

/* Whether motet cc has seen that code outside may change a variable of this name (section .motet.shared). */
static bool cc_is_shared(const struct image *i, const char *name)
{
    const char *at;
    size_t size;
    for (size_t n = 0; (at = (const char *)image_section(i, ".motet.shared", n, &size)); n++)
        for (const char *end = at + size; at < end && memchr(at, 0, (size_t)(end - at)); at += strlen(at) + 1)
            if (strcmp(at, name) == 0)
                return true;
    return false;
}

/* Without `image` all variables, as address and size; else where those begin and end that no code outside changes. */
static void cc_write_ranges(const struct interface_header *h, const struct image *image, FILE *to)
{
    uint32_t from = 0, end = 0;
    for (;;) { /* the next by its address, joined to those it touches */
        const struct interface_variable *next = NULL;
        for (uint32_t i = 0; i < h->variable_count; i++)
            if (h->variables[i].address >= end && (!next || cc_is_before(&h->variables[i], next)) &&
                !(image && cc_is_shared(image, h->variables[i].name)))
                next = &h->variables[i];
        if (end && (!next || next->address > end + !image))
            fprintf(to, image ? " FROM(0x%x) TO(0x%x)" : "{0x%x,0x%x},", (unsigned)from,
                    (unsigned)(image ? end : end - from));
        if (!next)
            return;
        if (!end || next->address > end + !image)
            from = next->address;
        end = next->address + next->size;
    }
}

/* Where the component's variables lie, which the logger has to write where logging begins anew. */
static bool cc_ranges(const struct cc_options *o, const char *program, const char *chip, const char *target, FILE *to)
{
    struct motet_error e = {""};
    struct motet_options options = MOTET_OPTIONS_DEFAULT;
    options.board = o->board ? o->board : chip;
    motet_machine *m = motet_machine_load(program, &options, &e);
    struct boundary *b = m ? boundary_of(m->machine, target, &e) : NULL;
    bool good = b && (o->fed || entries_check(b, &e));
    if (good) {
        fprintf(to, "#define LOG_RANGES ");
        cc_write_ranges(&b->header, NULL, to);
        fprintf(to, "\n#define LOG_OWNED(FROM, TO)");
        cc_write_ranges(&b->header, m->machine->image, to);
    } else {
        fprintf(stderr, "motet cc: %s\n", e.text);
    }
    boundary_free(b);
    motet_machine_free(m);
    return good;
}

static bool cc_native(const struct motet_cc *o, char **command, size_t count, int *status, struct motet_error *e)
{
    char target[PATH_MAX];
    native_build_function *build = installed_native(e);
    if (!build || !installed_target(target, sizeof target, e))
        return false;
    struct native_options options = {
        .target_files = target, .sanitize = o->sanitize, .any_order = o->any_order, .keep = o->keep};
    *status = 0;
    return build(&options, command, count, e);
}

/* A plan for tracing, of the sources in the command, into a file that is to be removed. */
static bool cc_plan(const struct motet_cc *o, char **command, size_t count, char *path, size_t size,
                    struct motet_error *e)
{
    const char *told = getenv("TMPDIR");
    snprintf(path, size, "%s/motet-plan-XXXXXX", told && *told ? told : "/tmp");
    int file = mkstemp(path);
    if (file < 0)
        return error_set(e, "cannot write %s: %s", path, strerror(errno));
    close(file);
    struct motet_slice slice = {.command = command,
                                .command_count = count,
                                .invariants = o->invariants,
                                .invariant_count = o->invariant_count,
                                .plan = path,
                                .clock = o->clock,
                                .stops = o->stops,
                                .stop_count = o->stop_count,
                                .level = o->trace_level};
    return motet_slice(&slice, e);
}

bool motet_cc(const struct motet_cc *o, char **command, size_t count, int *status, struct motet_error *e)
{
    const struct board *board = NULL;
    const struct chip *chip = NULL;
    if (o->native)
        return cc_native(o, command, count, status, e);
    if (o->board && !machine_choose(NULL, o->board, &board, &chip, e))
        return false;
    char target[PATH_MAX];
    rewrite_function *run = cc_open_module(e);
    if (!run || !installed_target(target, sizeof target, e))
        return false;
    struct cc_options options = {
        .target_files = target,
        .board = board ? board->name : o->board,
        .chip = chip ? chip->name : NULL,
        .codec = o->codec,
        .waits = o->waits,
        .profile = o->profile,
        .stamp = o->stamp,
        .report = o->report,
        .json = o->json,
        .keep = o->keep,
        .record = !o->checks_only && !o->log_interface,
        .invariants = o->invariants,
        .invariant_count = o->invariant_count,
        .clock = o->clock,
        .recorder_only = o->recorder_only,
        .look = cc_look,
        .unrecorded = o->unrecorded,
        .log_interface = o->log_interface,
        .fed = o->replay_interface,
        .log_to = o->log_to,
        .log_buffer = o->log_buffer ? o->log_buffer : 300,
        .calls_only = o->calls_only,
        .ranges = cc_ranges,
    };
    char plan[PATH_MAX] = "";
    bool good = !o->trace_level || cc_plan(o, command, count, plan, sizeof plan, e);
    options.plan = plan[0] ? plan : o->trace;
    options.ring = o->ring;
    if (good)
        *status = run(&options, command, count);
    if (plan[0])
        unlink(plan);
    return good;
}
