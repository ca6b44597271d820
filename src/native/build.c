#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "ir/ir.h"
#include "native/native.h"
#include "native/retarget.h"
#include "native/sizes.h"
#include "rewrite/cc_run.h"

enum { MOST_REFUSALS = 20 };

/* One native program on its way. */
struct build_run {
    const struct native_options *o;
    struct command c;
    char *folder;        /* for what is in between */
    struct words made;   /* files in it */
    struct words inputs; /* preprocessed sources, and the chip's library */
    struct refusals refusals;
    struct motet_error *e;
};

static const char *build_file(struct build_run *b, const char *name)
{
    cc_word(&b->made, "%s/%s", b->folder, name);
    return b->made.list[b->made.count - 1];
}

static bool build_make_folder(struct build_run *b)
{
    const char *told = getenv("TMPDIR");
    b->folder =
        b->o->keep ? memory_string(b->o->keep) : memory_format("%s/motet-native-XXXXXX", told && *told ? told : "/tmp");
    return b->o->keep || mkdtemp(b->folder) ||
           error_set(b->e, "cannot make the folder %s: %s", b->folder, strerror(errno));
}

static void build_clean(struct build_run *b)
{
    for (size_t i = 0; !b->o->keep && i < b->made.count; i++)
        unlink(b->made.list[i]);
    if (b->folder && !b->o->keep)
        rmdir(b->folder);
    cc_words_free(&b->made);
    cc_words_free(&b->inputs);
    refusals_free(&b->refusals);
    command_free(&b->c);
    free(b->folder);
}

static bool build_refused(const struct refusals *r, struct motet_error *e)
{
    for (size_t i = 0; i < r->count && i < MOST_REFUSALS; i++)
        fprintf(stderr, "%s\n", r->list[i]);
    if (r->count > MOST_REFUSALS)
        fprintf(stderr, "... and %zu more\n", r->count - MOST_REFUSALS);
    return r->count && !error_set(e, "this firmware cannot be a native program; the places above say why");
}

/* ---- sources ---- */

/* A source of the command, through its preprocessor. */
static bool build_preprocess(struct build_run *b, const char *source, const char *to)
{
    struct words w = {0};
    cc_step_options(&b->c, KEEP_PREPROCESSOR | KEEP_INCLUDED, &w);
    cc_word(&w, "-E");
    cc_word(&w, "-o");
    cc_word(&w, "%s", to);
    cc_word(&w, "%s", source);
    int status = cc_execute(&w);
    cc_words_free(&w);
    return status == 0 || error_set(b->e, "%s cannot preprocess %s; its messages say why", b->c.arguments[0], source);
}

static bool build_add_source(struct build_run *b, const char *source)
{
    char name[32];
    if (command_is_assembly(&b->c, source))
        return refusals_add(&b->refusals, source, 1, "assembly; a native program is made of C alone"), true;
    if (command_is_cpp(&b->c, source))
        return refusals_add(&b->refusals, source, 1, "C++; a native program is made of C alone"), true;
    snprintf(name, sizeof name, "%zu.c", b->inputs.count);
    const char *to = build_file(b, name);
    cc_word(&b->inputs, "%s", to);
    return build_preprocess(b, source, to) && sizes_rewrite(to, b->c.target, b->c.types, &b->refusals, b->e);
}

static bool build_add_sources(struct build_run *b)
{
    for (size_t i = 1; i < b->c.count; i++)
        if (b->c.is_source[i] && !build_add_source(b, b->c.arguments[i]))
            return false;
    if (!b->inputs.count)
        return error_set(b->e, "the command has no source in C");
    cc_word(&b->inputs, "%s/native/library.c", b->o->target_files);
    return true;
}

/* ---- the module ---- */

static LLVMModuleRef build_module(struct build_run *b, LLVMContextRef context)
{
    struct words options = {0};
    cc_step_options(&b->c, 0, &options);
    struct ir_input in = {.files = b->inputs.list,
                          .file_count = b->inputs.count,
                          .command = options.list,
                          .command_count = options.count,
                          .target_files = b->o->target_files};
    LLVMModuleRef module = ir_make(context, &in, b->e);
    cc_words_free(&options);
    return module;
}

/* The module's text, with debug information of the native layout. */
static bool build_write(LLVMModuleRef module, const char *path, struct motet_error *e)
{
    struct shapes shapes = {0};
    char *text = LLVMPrintModuleToString(module);
    FILE *f = fopen(path, "w");
    bool good = f != NULL;
    shapes_read(&shapes, text);
    if (good)
        shapes_write(&shapes, text, f);
    good = (!f || fclose(f) == 0) && good;
    shapes_free(&shapes);
    LLVMDisposeMessage(text);
    return good || error_set(e, "cannot write %s: %s", path, strerror(errno));
}

static bool build_retarget(struct build_run *b, LLVMModuleRef module, const char *path)
{
    struct shapes shapes = {0};
    char *text = LLVMPrintModuleToString(module);
    shapes_read(&shapes, text);
    LLVMDisposeMessage(text);
    shapes_refuse_unions(&shapes, &b->refusals);
    retarget_module(module, &shapes, &b->refusals);
    shapes_free(&shapes);
    return !build_refused(&b->refusals, b->e) && build_write(module, path, b->e);
}

static bool build_link(struct build_run *b, const char *output, const char *text)
{
    struct words w = {0};
    cc_word(&w, "clang-19");
    cc_word(&w, "-g");
    cc_word(&w, "-O0");
    cc_word(&w, "-w");
    if (b->o->sanitize)
        cc_word(&w, "-fsanitize=%s", b->o->sanitize);
    cc_word(&w, "-o");
    cc_word(&w, "%s", output);
    cc_word(&w, "%s", text);
    cc_word(&w, "%s/native/feeder.c", b->o->target_files);
    int status = cc_execute(&w);
    cc_words_free(&w);
    return status == 0 || error_set(b->e, "clang-19 cannot build the native program %s; its messages say why", output);
}

bool motet_native_build(const struct native_options *o, char **command, size_t count, struct motet_error *e)
{
    struct build_run b = {.o = o, .e = e};
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = NULL;
    bool good = command_parse(&b.c, command, count, e) && build_make_folder(&b) && build_add_sources(&b);
    if (good)
        good = (module = build_module(&b, context)) != NULL;
    if (good) {
        const char *output = o->output    ? o->output
                             : b.c.output ? b.c.output
                                          : "a.out",
                   *text = build_file(&b, "native.ll");
        good = build_retarget(&b, module, text) && build_link(&b, output, text);
    }
    if (module)
        LLVMDisposeModule(module);
    LLVMContextDispose(context);
    build_clean(&b);
    return good;
}
