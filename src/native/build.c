#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "ir/ir.h"
#include "native/component.h"
#include "native/native.h"
#include "native/order.h"
#include "native/retarget.h"
#include "native/sizes.h"
#include "native/source.h"
#include "rewrite/cc_run.h"
#include "rewrite/trace.h"

enum { MOST_REFUSALS = 20 };

/* One native program on its way. */
struct build_run {
    const struct native_options *o;
    struct command c;
    char *folder;            /* for what is in between */
    struct words made;       /* files in it */
    struct words inputs;     /* preprocessed sources, and the chip's library */
    char *assembly;          /* what motet cc put between functions */
    struct words words;      /* the command of a firmware that recorded */
    unsigned functions;      /* that cross the boundary of a component */
    bool address, undefined; /* sanitizers */
    struct component_program component;
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
    cc_words_free(&b->words);
    refusals_free(&b->refusals);
    command_free(&b->c);
    free(b->folder);
    free(b->assembly);
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

/* ---- sources of a firmware that recorded ---- */

/* Assembly that motet cc has put between functions is the chip's. It goes to b->assembly, which tells handlers. */
static void build_take_assembly(struct build_run *b, struct source *s)
{
    for (char *at = s->text; (at = strstr(at, "__asm__(\".pushsection"));) {
        char *end = strstr(at, "\")");
        while (end && end[-1] == '\\')
            end = strstr(end + 1, "\")");
        if (!end)
            return;
        char *longer = memory_format("%s%.*s\n", b->assembly ? b->assembly : "", (int)(end - at), at);
        free(b->assembly);
        b->assembly = longer;
        memset(at, ' ', (size_t)(end + 2 - at));
        at = end;
    }
}

/* Each file of a program names its first site by a local label; all of them are one module here. */
static bool build_write_source(struct build_run *b, const struct source *s, long first, const char *to)
{
    static const char label[] = "\".Lmotet_sites\"";
    char *at = strstr(s->text, label);
    FILE *f = fopen(to, "wb");
    bool good = f != NULL;
    if (f && at)
        good = fwrite(s->text, 1, (size_t)(at - s->text), f) == (size_t)(at - s->text) &&
               fprintf(f, "\"" RETARGET_SITES "%ld\"", first) > 0 && fputs(at + sizeof label - 1, f) >= 0;
    else if (f)
        good = fputs(s->text, f) >= 0;
    good = (!f || fclose(f) == 0) && good;
    return good || error_set(b->e, "cannot write %s: %s", to, strerror(errno));
}

/* The command that stands for all sources: a compiler with the first one's target, chip and options. */
static bool build_command(struct build_run *b, const struct source *s)
{
    struct words w = {0};
    char head[400], *rest = head;
    snprintf(head, sizeof head, "%s", s->head);
    const char *target = strsep(&rest, " "), *chip = strsep(&rest, " ");
    bool avr = strcmp(target, "avr") == 0;
    cc_word(&w, avr ? "avr-gcc" : "clang-19");
    if (!avr)
        cc_word(&w, "--target=%s", target);
    if (chip && strcmp(chip, "-") != 0)
        cc_word(&w, "-mmcu=%s", chip);
    for (char *option; (option = strsep(&rest, " "));)
        cc_word(&w, "%s", option);
    cc_word(&w, "-c");
    bool good = command_parse(&b->c, w.list, w.count, b->e);
    b->words = w;
    return good;
}

static void build_blank(char *from, const char *to)
{
    for (; from < to; from++)
        *from = *from == '\n' ? '\n' : ' ';
}

/* Text that is for the chip alone is left out, text for native programs taken (rewrite/trace.h). */
static void build_take_marks(struct source *s)
{
    char *end;
    for (char *at = s->text; (at = strstr(at, TRACE_CHIP)) && (end = strstr(at, TRACE_CHIP_END)); at = end)
        build_blank(at, end + strlen(TRACE_CHIP_END));
    for (char *at = s->text; (at = strstr(at, TRACE_NATIVE)) && (end = strstr(at, TRACE_NATIVE_END)); at = end) {
        build_blank(at, at + strlen(TRACE_NATIVE));
        build_blank(end, end + strlen(TRACE_NATIVE_END));
    }
}

static bool build_add_text(struct build_run *b, struct source *s)
{
    char name[32];
    snprintf(name, sizeof name, "%zu.c", b->inputs.count);
    const char *to = build_file(b, name);
    if (!b->c.count && !build_command(b, s))
        return false;
    cc_word(&b->inputs, "%s", to);
    long first = source_first_site(b->o->recorded, s);
    if (b->o->recorded->component)
        b->functions += component_source(s, b->functions);
    build_take_marks(s);
    build_take_assembly(b, s);
    return build_write_source(b, s, first, to) && sizes_rewrite(to, b->c.target, b->c.types, &b->refusals, b->e);
}

static bool build_add_texts(struct build_run *b)
{
    size_t at = 0;
    struct source s;
    bool good = true;
    while (good && source_next(b->o->recorded, &at, &s, b->e)) {
        good = build_add_text(b, &s);
        free(s.text);
    }
    good = good && !b->e->text[0];
    if (good && !b->inputs.count)
        return error_set(b->e, "the firmware's file has no sources; build it again with this motet cc");
    if (good)
        cc_word(&b->inputs, "%s/native/library.c", b->o->target_files);
    return good;
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

/* For MSP430 clang made the chip's program, too. */
static bool build_check_order(struct build_run *b)
{
    return b->o->any_order || strcmp(b->c.target, "avr") != 0 ||
           order_check(b->inputs.list, b->inputs.count, b->c.target, b->c.types, &b->refusals, b->e);
}

/* "address,undefined" */
static bool build_take_sanitizers(struct build_run *b)
{
    for (const char *at = b->o->sanitize; at && *at;) {
        size_t length = strcspn(at, ",");
        bool address = length == 7 && strncmp(at, "address", 7) == 0;
        bool undefined = length == 9 && strncmp(at, "undefined", 9) == 0;
        if (!address && !undefined)
            return error_set(b->e,
                             "the sanitizer '%.*s' finds nothing in native programs; give address, undefined or "
                             "both, with a comma",
                             (int)length, at);
        b->address = b->address || address;
        b->undefined = b->undefined || undefined;
        at += length + (at[length] == ',');
    }
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
                          .target_files = b->o->target_files,
                          .all_variables = b->o->recorded && b->o->recorded->traced,
                          .undefined = b->undefined};
    LLVMModuleRef module = ir_make(context, &in, b->e);
    cc_words_free(&options);
    return module;
}

/* The module's text, with debug information of the native layout. */
static bool build_write(LLVMModuleRef module, bool component, const char *path, struct motet_error *e)
{
    struct shapes shapes = {0};
    char *text = LLVMPrintModuleToString(module);
    FILE *f = fopen(path, "w");
    bool good = f != NULL;
    if (component)
        component_plain_names(text);
    shapes_read(&shapes, text);
    if (good)
        shapes_write(&shapes, text, f);
    good = (!f || fclose(f) == 0) && good;
    shapes_free(&shapes);
    LLVMDisposeMessage(text);
    return good || error_set(e, "cannot write %s: %s", path, strerror(errno));
}

static bool build_is_component(const struct build_run *b)
{
    return b->o->recorded && b->o->recorded->component;
}

static bool build_retarget(struct build_run *b, LLVMModuleRef module, const char *path)
{
    struct shapes shapes = {0};
    char *text = LLVMPrintModuleToString(module);
    shapes_read(&shapes, text);
    LLVMDisposeMessage(text);
    shapes_refuse_unions(&shapes, &b->refusals);
    retarget_module(module, &shapes, b->o->recorded, build_is_component(b) ? &b->component : NULL,
                    b->assembly ? b->assembly : "", &b->refusals);
    shapes_free(&shapes);
    return !build_refused(&b->refusals, b->e) && build_write(module, build_is_component(b), path, b->e);
}

static void build_native_words(struct build_run *b, struct words *w, const char *level)
{
    cc_word(w, "clang-19");
    cc_word(w, "-g");
    cc_word(w, "%s", level);
    cc_word(w, "-w");
    if (b->address)
        cc_word(w, "-fsanitize=address");
    if (strcmp(b->c.target, "avr") == 0)
        cc_word(w, "-DMOTET_SREG=0x5f");
    if (build_is_component(b))
        cc_word(w, "-DMOTET_COMPONENT");
    cc_word(w, "-o");
}

/* The feeder is optimised: it compares all variables again and again. The firmware is not: users debug it. */
static bool build_feeder(struct build_run *b, const char *object)
{
    struct words w = {0};
    build_native_words(b, &w, "-O2");
    cc_word(&w, "%s", object);
    cc_word(&w, "-c");
    cc_word(&w, "%s/native/feeder.c", b->o->target_files);
    int status = cc_execute(&w);
    cc_words_free(&w);
    return status == 0;
}

static bool build_link(struct build_run *b, const char *output, const char *text)
{
    struct words w = {0};
    const char *feeder = build_file(b, "feeder.o");
    build_native_words(b, &w, "-O0");
    cc_word(&w, "%s", output);
    cc_word(&w, "%s", text);
    cc_word(&w, "%s", feeder);
    if (build_is_component(b))
        cc_word(&w, "%s/native/component.c", b->o->target_files);
    if (b->o->recorded && b->o->recorded->traced)
        cc_word(&w, "%s/native/traced.c", b->o->target_files);
    if (b->o->recorded)
        cc_word(&w, "%s", b->o->recorded->feed);
    bool good = build_feeder(b, feeder) && cc_execute(&w) == 0;
    cc_words_free(&w);
    return good || error_set(b->e, "clang-19 cannot build the native program %s; its messages say why", output);
}

static bool build_can(const struct build_run *b)
{
    return strcmp(b->c.target, "arm") != 0 ||
           error_set(b->e, "%s: firmware for a Cortex-M cannot be made a native program yet", b->c.arguments[0]);
}

bool motet_native_build(const struct native_options *o, char **command, size_t count, struct motet_error *e)
{
    struct build_run b = {.o = o, .e = e};
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = NULL;
    bool good = build_take_sanitizers(&b) && build_make_folder(&b);
    if (o->recorded)
        good = good && build_add_texts(&b);
    else
        good = good && command_parse(&b.c, command, count, e) && build_can(&b) && build_add_sources(&b);
    good = good && build_check_order(&b);
    if (good)
        good = (module = build_module(&b, context)) != NULL;
    if (good && build_is_component(&b))
        good = component_prepare(module, o->recorded, &b.component, e);
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
