#include "ir/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "ir/database.h"
#include "rewrite/cc_run.h"
#include "rewrite/command.h"

/* One source on its way: the commands that are left to do. */
struct step {
    struct words preprocess, compile;
    const char *source; /* the command's, which lives as long */
    const char *folder; /* in which the commands run, NULL: this one */
    char *relaxed;      /* the preprocessed source */
    pid_t child;
};

struct steps {
    struct step *list;
    size_t count, room;
};

static const char *build_clang(void)
{
    const char *chosen = getenv("MOTET_CLANG");
    return chosen && *chosen ? chosen : "clang-19";
}

static bool build_ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool build_make_folder(struct build *b, struct motet_error *e)
{
    const char *told = getenv("TMPDIR"), *parent = told && *told ? told : "/tmp";
    if (b->folder[0])
        return true;
    int length = snprintf(b->folder, sizeof b->folder, "%s/motet-ir-XXXXXX", parent);
    if ((size_t)length < sizeof b->folder && mkdtemp(b->folder))
        return true;
    b->folder[0] = '\0';
    return error_set(e, "cannot make a folder in %s: %s", parent, strerror(errno));
}

static void build_add_file(struct build *b, const char *path)
{
    b->files = memory_grow(b->files, &b->room, b->count, sizeof *b->files);
    b->files[b->count++].path = memory_string(path);
}

/* ---- the commands for one source ---- */

/* Words that only gcc has and that mean nothing for dependences, as `motet cc` reads them (rewrite/tree.c). */
static void build_gcc_words(struct words *w, bool cpp)
{
    static const char *const spaces[] = {"flash", "flash1", "flash2", "flash3", "flash4", "flash5", "memx"};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        cc_word(w, "-D__%s=", spaces[i]);
    cc_word(w, "-D__int24=long");
    cc_word(w, "-D__uint24=unsigned long");
    if (!cpp)
        cc_word(w, "-ffixed-point");
}

/* The last -std= of the command, or the dialect that today's compilers for these targets assume. */
static const char *build_dialect(const struct command *c, bool cpp)
{
    const char *found = cpp ? "-std=gnu++17" : "-std=gnu11";
    for (size_t i = 1; i < c->count; i++)
        if (cc_starts(c->arguments[i], "-std="))
            found = c->arguments[i];
    return found;
}

static void build_compile_words(struct words *w, const struct command *c, bool cpp, const char *from, const char *to)
{
    cc_word(w, "%s", build_clang());
    if (strcmp(c->target, "arm") == 0) { /* enumerations are as short as they can be, as gcc has them there */
        cc_word(w, "--target=thumbv7em-none-eabi");
        cc_word(w, "-fshort-enums");
    } else {
        cc_word(w, "--target=%s", c->target);
    }
    if (c->chip[0])
        cc_word(w, "-mmcu=%s", c->chip);
    cc_word(w, "-x");
    cc_word(w, cpp ? "c++" : "c");
    cc_word(w, "%s", build_dialect(c, cpp));
    build_gcc_words(w, cpp);
    if (cpp) {
        cc_word(w, "-fno-exceptions");
        cc_word(w, "-fno-rtti");
    }
    for (size_t i = 0; c->types[i]; i++)
        cc_word(w, "%s", c->types[i]);
    static const char *const rest[] = {"-w",
                                       "-Wno-implicit-function-declaration",
                                       "-Wno-int-conversion",
                                       "-Wno-incompatible-function-pointer-types",
                                       "-undef",
                                       "-ffreestanding",
                                       "-g",
                                       "-O0",
                                       "-fno-discard-value-names",
                                       "-Xclang",
                                       "-disable-O0-optnone",
                                       "-Xclang",
                                       "-disable-llvm-passes",
                                       "-emit-llvm",
                                       "-c",
                                       "-o"};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        cc_word(w, "%s", rest[i]);
    cc_word(w, "%s", to);
    cc_word(w, "%s", from);
}

/* Checks that work on values alone: those about pointers ask for numbers of them. */
static void build_undefined_words(struct words *w)
{
    static const char checks[] =
        "signed-integer-overflow,shift,integer-divide-by-zero,array-bounds,bool,enum,float-cast-overflow";
    cc_word(w, "-fsanitize=%s", checks);
    cc_word(w, "-fsanitize-recover=%s", checks);
    cc_word(w, "-fsanitize-minimal-runtime");
}

static void build_add_source(struct build *b, struct steps *s, const struct command *c, const char *source,
                             const char *folder)
{
    bool cpp = command_is_cpp(c, source);
    s->list = memory_grow(s->list, &s->room, s->count, sizeof *s->list);
    struct step *step = &s->list[s->count];
    *step = (struct step){.source = source, .folder = folder};
    char *before = memory_format("%s/%zu.%s", b->folder, s->count, cpp ? "ii" : "i");
    char *after = memory_format("%s/%zu.bc", b->folder, s->count);
    cc_step_options(c, KEEP_PREPROCESSOR | KEEP_INCLUDED, &step->preprocess);
    cc_word(&step->preprocess, "-E");
    cc_word(&step->preprocess, "-o");
    cc_word(&step->preprocess, "%s", before);
    if (command_told(c, source)) {
        cc_word(&step->preprocess, "-x");
        cc_word(&step->preprocess, "%s", command_told(c, source));
    }
    cc_word(&step->preprocess, "%s", source);
    build_compile_words(&step->compile, c, cpp, before, after);
    if (b->undefined)
        build_undefined_words(&step->compile);
    if (b->all_variables)
        cc_word(&step->compile, "-fkeep-persistent-storage-variables");
    step->relaxed = before;
    build_add_file(b, after);
    s->count++;
    free(after);
}

static bool build_add_command(struct build *b, struct steps *s, const struct command *c, const char *folder,
                              struct motet_error *e)
{
    if (!build_make_folder(b, e))
        return false;
    for (size_t i = 1; i < c->count; i++)
        if (c->is_source[i] && !command_is_assembly(c, c->arguments[i]))
            build_add_source(b, s, c, c->arguments[i], folder);
    return true;
}

/* ---- a command for files with options alone ---- */

static bool build_is_msp430(const char *chip)
{
    return strncmp(chip, "msp430", 6) == 0;
}

static bool build_words_of_chip(struct words *w, const struct ir_input *in, struct motet_error *e)
{
    if (!in->chip)
        return error_set(e, "the chip is not known: give --board, or the compiler's whole command after --");
    if (build_is_msp430(in->chip)) {
        cc_word(w, "%s", build_clang());
        cc_word(w, "--target=msp430");
        cc_word(w, "-Wno-unknown-attributes");
        cc_word(w, "-isystem");
        cc_word(w, "%s/msp430/include", in->target_files);
        cc_word(w, "-isystem");
        cc_word(w, "/usr/msp430/include");
    } else if (strncmp(in->chip, "at", 2) == 0) {
        cc_word(w, "avr-gcc");
    } else {
        return error_set(e,
                         "options alone do not say how to compile for the %s: give the compiler's whole command after "
                         "--, such as arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb ...",
                         in->chip);
    }
    cc_word(w, "-mmcu=%s", in->chip);
    cc_word(w, "-isystem");
    cc_word(w, "%s/include", in->target_files);
    return true;
}

static bool build_words(struct words *w, const struct ir_input *in, struct motet_error *e)
{
    bool whole = in->command_count && in->command[0][0] != '-';
    if (!whole && !build_words_of_chip(w, in, e))
        return false;
    for (size_t i = 0; i < in->command_count; i++)
        cc_word(w, "%s", in->command[i]);
    for (size_t i = 0; i < in->file_count; i++)
        if (!build_ends_in(in->files[i], ".bc") && !build_ends_in(in->files[i], ".ll"))
            cc_word(w, "%s", in->files[i]);
    return true;
}

/* ---- doing it ---- */

/* Clang refuses a constant of inline assembly (avr-libc's wdt.h) that is too large for its instruction, also in code
 * that is never reached, as it is there. A constraint without a bound takes its place: the code is not assembled. And
 * what it makes of __builtin_frame_address for an MSP430 is no valid IR. That is how a handler reaches the status that
 * its end brings back (intrinsics.h): a variable takes its place, which native programs have (target/native/feeder.c).
 */
static const struct {
    const char *from, *to, *before;
} build_relaxed[] = {{"\"I\" (", "\"i\" (", ""},
                     {"__builtin_frame_address(0)", "motet_stacked", "extern char motet_stacked[4];\n"}};

static char *build_read(const char *path)
{
    size_t size = 0, got = 1;
    char *text = NULL;
    FILE *f = fopen(path, "rb");
    for (; f && got; size += got) {
        text = memory_resize(text, size + 65537, 1);
        got = fread(text + size, 1, 65536, f);
    }
    if (text)
        text[size] = '\0';
    if (f)
        fclose(f);
    return text;
}

static bool build_relax(const char *path)
{
    char *text = build_read(path);
    FILE *f = text ? fopen(path, "wb") : NULL;
    size_t count = sizeof build_relaxed / sizeof *build_relaxed;
    for (size_t i = 0; f && i < count; i++)
        if (strstr(text, build_relaxed[i].from))
            fputs(build_relaxed[i].before, f);
    for (const char *at = text; f && *at;) {
        size_t i = 0;
        while (i < count && strncmp(at, build_relaxed[i].from, strlen(build_relaxed[i].from)) != 0)
            i++;
        if (i == count) {
            fputc(*at++, f);
            continue;
        }
        fputs(build_relaxed[i].to, f);
        at += strlen(build_relaxed[i].from);
    }
    free(text);
    return f && fclose(f) == 0;
}

static void build_run_step(struct step *s)
{
    s->child = fork();
    if (s->child != 0)
        return;
    if (s->folder && chdir(s->folder) != 0) {
        fprintf(stderr, "motet: cannot go to %s: %s\n", s->folder, strerror(errno));
        _exit(2);
    }
    int status = cc_execute(&s->preprocess);
    if (!status && !build_relax(s->relaxed))
        status = 2;
    _exit(status ? status : cc_execute(&s->compile));
}

static bool build_wait(struct steps *s, struct motet_error *e)
{
    int status;
    pid_t child = wait(&status);
    for (size_t i = 0; i < s->count; i++)
        if (s->list[i].child == child && status != 0)
            return error_set(e, "%s was not compiled by %s; its messages say why", s->list[i].source, build_clang());
    return true;
}

static bool build_run(struct steps *s, struct motet_error *e)
{
    long most = sysconf(_SC_NPROCESSORS_ONLN);
    size_t running = 0;
    bool good = true;
    for (size_t i = 0; good && i < s->count; i++) {
        if (running == (size_t)(most > 0 ? most : 1)) {
            running--;
            good = build_wait(s, e);
        }
        if (good) {
            build_run_step(&s->list[i]);
            running++;
        }
    }
    for (; running; running--) {
        struct motet_error later = {""};
        good = build_wait(s, good ? e : &later) && good;
    }
    return good;
}

static void build_free_steps(struct steps *s)
{
    for (size_t i = 0; i < s->count; i++) {
        cc_words_free(&s->list[i].preprocess);
        cc_words_free(&s->list[i].compile);
        free(s->list[i].relaxed);
    }
    free(s->list);
}

static bool build_from_command(struct build *b, struct steps *s, struct command *c, struct words *w,
                               const struct ir_input *in, struct motet_error *e)
{
    if (!in->command_count && !in->chip && in->file_count == b->count)
        return true; /* bitcode alone */
    return build_words(w, in, e) && command_parse(c, w->list, w->count, e) && build_add_command(b, s, c, NULL, e);
}

static bool build_from_database(struct build *b, struct steps *s, struct database *d, const struct ir_input *in,
                                struct motet_error *e)
{
    if (!database_load(d, in->database, e))
        return false;
    for (size_t i = 0; i < d->count; i++)
        if (!build_add_command(b, s, &d->entries[i].command, d->entries[i].folder, e))
            return false;
    return true;
}

bool build_all(struct build *b, const struct ir_input *in, struct motet_error *e)
{
    struct steps s = {0};
    struct words w = {0};
    struct command c = {0};
    struct database d = {0};
    b->all_variables = in->all_variables;
    b->undefined = in->undefined;
    for (size_t i = 0; i < in->file_count; i++)
        if (build_ends_in(in->files[i], ".bc") || build_ends_in(in->files[i], ".ll"))
            build_add_file(b, in->files[i]);
    bool good = in->database ? build_from_database(b, &s, &d, in, e) : build_from_command(b, &s, &c, &w, in, e);
    if (good && !b->count)
        good = error_set(e, "there is no source in C; give files, or a compiler's command after --");
    good = good && build_run(&s, e);
    build_free_steps(&s);
    database_free(&d);
    command_free(&c);
    cc_words_free(&w);
    return good;
}

void build_free(struct build *b)
{
    for (size_t i = 0; i < b->count; i++) {
        if (b->folder[0]) {
            char path[4200];
            static const char *const ends[] = {"i", "ii", "bc"};
            for (size_t n = 0; n < 3; n++) {
                snprintf(path, sizeof path, "%s/%zu.%s", b->folder, i, ends[n]);
                unlink(path);
            }
        }
        free(b->files[i].path);
    }
    if (b->folder[0])
        rmdir(b->folder);
    free(b->files);
    *b = (struct build){0};
}
