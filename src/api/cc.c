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
#include "base/memory.h"
#include "interface/entries.h"
#include "motet/analysis.h"
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

/* One component's part of that. */
static bool cc_component_ranges(const struct cc_options *o, const struct machine *m, const char *target, bool several,
                                FILE *ranges, FILE *owned, struct motet_error *e)
{
    struct boundary *b = boundary_of(m, target, e);
    bool good = b && (o->fed || entries_check(b, e)) && (!several || entries_check_sleep(b, e));
    if (good) {
        cc_write_ranges(&b->header, NULL, ranges);
        cc_write_ranges(&b->header, m->image, owned);
    }
    boundary_free(b);
    return good;
}

/* Where the components' variables lie, which the logger has to write where logging begins anew. */
static bool cc_ranges(const struct cc_options *o, const char *program, const char *chip, const char *target, FILE *to)
{
    struct motet_error e = {""};
    struct motet_options options = MOTET_OPTIONS_DEFAULT;
    char *ranges, *owned, *copy = memory_string(target), *rest = copy, *one;
    size_t size;
    FILE *first = memory_must(open_memstream(&ranges, &size)), *second = memory_must(open_memstream(&owned, &size));
    options.board = o->board ? o->board : chip;
    motet_machine *m = motet_machine_load(program, &options, &e);
    bool good = m != NULL, several = strchr(target, ':') != NULL;
    while (good && (one = strsep(&rest, ":"))) {
        good = cc_component_ranges(o, m->machine, one, several, first, second, &e);
        if (rest) {
            fprintf(first, "{0,0},");
            fprintf(second, " FROM(0xffff)");
        }
    }
    memory_written(first);
    memory_written(second);
    if (good)
        fprintf(to, "#define LOG_RANGES %s\n#define LOG_OWNED(FROM, TO)%s", ranges, owned);
    else
        fprintf(stderr, "motet cc: %s\n", e.text);
    free(ranges);
    free(owned);
    free(copy);
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

/* ---- traces ---- */

/* A command that is carried out with a plan for tracing, in a file that is to be removed. */
struct cc_tracing {
    const struct motet_cc *o;
    struct cc_options *options;
    rewrite_function *run;
    char **command;
    size_t count;
    char plan[PATH_MAX];
    bool linked;   /* a program was, of which it is known whether it fits */
    bool fits;     /* it does; */
    char why[200]; /* else, what is too large */
};

static bool cc_plan_file(struct cc_tracing *t, struct motet_error *e)
{
    const char *told = getenv("TMPDIR");
    snprintf(t->plan, sizeof t->plan, "%s/motet-plan-XXXXXX", told && *told ? told : "/tmp");
    int file = mkstemp(t->plan);
    if (file < 0) {
        error_set(e, "cannot write %s: %s", t->plan, strerror(errno));
        t->plan[0] = '\0';
        return false;
    }
    close(file);
    t->options->plan = t->plan;
    return true;
}

/* The plan, of the sources in the command. */
static bool cc_plan(const struct cc_tracing *t, int level, unsigned part, unsigned parts, struct motet_error *e)
{
    const struct motet_cc *o = t->o;
    struct motet_slice slice = {.command = t->command,
                                .command_count = t->count,
                                .invariants = o->invariants,
                                .invariant_count = o->invariant_count,
                                .plan = t->plan,
                                .clock = o->clock,
                                .stops = o->stops,
                                .stop_count = o->stop_count,
                                .level = level,
                                .part = part,
                                .parts = parts};
    return motet_slice(&slice, e);
}

/* Whether code, variables and the deepest stack that the code shows have room. */
static bool cc_fits(void *context, const char *program, const char *chip)
{
    struct cc_tracing *t = context;
    struct motet_options options = MOTET_OPTIONS_DEFAULT;
    struct motet_error e = {""};
    struct motet_stack s = {0};
    options.board = t->o->board ? t->o->board : chip;
    motet_machine *m = motet_machine_load(program, &options, &e);
    motet_analysis *a = m ? motet_analysis_new(m, NULL, 0, &e) : NULL;
    if (a)
        motet_analysis_stack(a, &s);
    t->linked = true;
    t->fits = a && s.room >= s.bytes;
    if (a)
        snprintf(t->why, sizeof t->why, "variables leave %u bytes of RAM, and the stack takes %u", (unsigned)s.room,
                 (unsigned)s.bytes);
    else
        snprintf(t->why, sizeof t->why, "%s", e.text);
    motet_analysis_free(a);
    motet_machine_free(m);
    return t->fits;
}

static uint64_t cc_hash_plan(const char *path)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    FILE *f = fopen(path, "rb");
    for (int c; f && (c = getc(f)) != EOF;)
        hash = (hash ^ (uint64_t)c) * UINT64_C(0x100000001b3);
    if (f)
        fclose(f);
    return hash;
}

/* Builds with a plan, if it is another than before; whether the program fits. */
static bool cc_try(struct cc_tracing *t, int level, unsigned part, unsigned parts, uint64_t *before, bool *same)
{
    struct motet_error e = {""};
    t->linked = t->fits = *same = false;
    snprintf(t->why, sizeof t->why, "the linker finds no room");
    if (!cc_plan(t, level, part, parts, &e)) {
        snprintf(t->why, sizeof t->why, "%s", e.text);
        return false;
    }
    uint64_t hash = cc_hash_plan(t->plan);
    *same = hash == *before;
    *before = hash;
    return !*same && t->run(t->options, t->command, t->count) == 0 && t->fits;
}

/* Not even level 1 fits: parts of it, one run each (section 4.1 of the paper). */
static bool cc_auto_part(struct cc_tracing *t, uint64_t before, int *status, struct motet_error *e)
{
    bool same = false;
    for (unsigned parts = 2; !same; parts++)
        if (cc_try(t, 1, 1, parts, &before, &same)) {
            fprintf(stderr,
                    "motet cc: level 1 does not fit, and is traced in %u parts, one run each: this is the first; "
                    "--trace-level 1 --part 2/%u makes the next\n",
                    parts, parts);
            *status = 0;
            return true;
        }
    return error_set(e,
                     "not even one function of level 1 can be traced: %s. A smaller --ring, or --stop-at for what the "
                     "function reads of others, takes less",
                     t->why);
}

/* The highest level that fits. A link that fails is no error if the program without a trace can be linked. */
static bool cc_auto(struct cc_tracing *t, int *status, struct motet_error *e)
{
    uint64_t before = 0;
    bool same = false;
    int level = 1;
    if (!cc_plan(t, level, 0, 0, e)) /* an invariant that is wrong */
        return false;
    t->options->fits = cc_fits;
    t->options->context = t;
    while (cc_try(t, level, 0, 0, &before, &same))
        level++;
    struct cc_options plain = *t->options;
    plain.plan = NULL;
    plain.fits = NULL;
    if (level == 1 && !t->linked && (*status = t->run(&plain, t->command, t->count)) != 0)
        return true;
    if (level == 1)
        return cc_auto_part(t, before, status, e);
    if (same) {
        fprintf(stderr, "motet cc: level %d is traced, which is all of the slice that can be\n", level - 1);
        *status = 0;
        return true;
    }
    fprintf(stderr, "motet cc: level %d is traced; level %d does not fit: %s\n", level - 1, level, t->why);
    t->options->fits = NULL;
    if (!cc_plan(t, level - 1, 0, 0, e))
        return false;
    *status = t->run(t->options, t->command, t->count);
    return true;
}

static bool cc_trace(struct cc_tracing *t, int *status, struct motet_error *e)
{
    const struct motet_cc *o = t->o;
    bool good = cc_plan_file(t, e);
    if (good && o->trace_level == MOTET_CC_AUTO)
        good = cc_auto(t, status, e);
    else if ((good = good && cc_plan(t, o->trace_level, o->part, o->parts, e)))
        *status = t->run(t->options, t->command, t->count);
    if (t->plan[0])
        unlink(t->plan);
    return good;
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
        .log_switch = o->log_switch,
        .ranges = cc_ranges,
    };
    options.plan = o->trace;
    options.ring = o->ring;
    struct cc_tracing tracing = {.o = o, .options = &options, .run = run, .command = command, .count = count};
    if (o->trace_level)
        return cc_trace(&tracing, status, e);
    *status = run(&options, command, count);
    return true;
}
