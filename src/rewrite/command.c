#include "rewrite/command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/response.h"

static bool command_ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool is_source(const char *argument)
{
    static const char *const ends[] = {".c",   ".i", ".cpp", ".cc", ".cxx", ".cp", ".CPP",
                                       ".c++", ".C", ".ii",  ".S",  ".s",   ".sx", NULL};
    for (size_t i = 0; ends[i]; i++)
        if (command_ends_in(argument, ends[i]))
            return true;
    return false;
}

bool command_takes_next(const char *option)
{
    static const char *const names[] = {"-o",
                                        "-I",
                                        "-D",
                                        "-U",
                                        "-A",
                                        "-B",
                                        "-include",
                                        "-imacros",
                                        "-isystem",
                                        "-iquote",
                                        "-isysroot",
                                        "-idirafter",
                                        "-iprefix",
                                        "-MF",
                                        "-MT",
                                        "-MQ",
                                        "-x",
                                        "-L",
                                        "-T",
                                        "-u",
                                        "-z",
                                        "-e",
                                        "-l",
                                        "-Xlinker",
                                        "-Xclang",
                                        "-target",
                                        "--target",
                                        "-mllvm",
                                        "-Xassembler",
                                        "--param",
                                        "-Xpreprocessor",
                                        "-wrapper",
                                        "-aux-info",
                                        "-dumpbase",
                                        "-dumpdir",
                                        "-iwithprefix",
                                        NULL};
    for (size_t i = 0; names[i]; i++)
        if (strcmp(option, names[i]) == 0)
            return true;
    return false;
}

/* Options with which the compiler makes no code. */
static bool only_asks(const char *option)
{
    static const char *const names[] = {"--version", "--help", "-###", "-fsyntax-only", NULL};
    for (size_t i = 0; names[i]; i++)
        if (strcmp(option, names[i]) == 0)
            return true;
    return strncmp(option, "-print-", 7) == 0 || strcmp(option, "-dumpmachine") == 0 ||
           strcmp(option, "-dumpversion") == 0 || strcmp(option, "-dumpspecs") == 0 ||
           strncmp(option, "--help=", 7) == 0 || strncmp(option, "--print-", 8) == 0;
}

static bool find_target(struct command *c, struct motet_error *e)
{
    const char *compiler = strrchr(c->arguments[0], '/');
    compiler = compiler ? compiler + 1 : c->arguments[0];
    if (strncmp(compiler, "avr-", 4) == 0)
        strcpy(c->target, "avr");
    if (strncmp(compiler, "msp430-", 7) == 0)
        strcpy(c->target, "msp430");
    if (strncmp(compiler, "arm-none-eabi-", 14) == 0)
        strcpy(c->target, "arm");
    for (size_t i = 1; i < c->count; i++) {
        const char *a = c->arguments[i];
        bool apart = (strcmp(a, "-target") == 0 || strcmp(a, "--target") == 0) && i + 1 < c->count;
        const char *target = apart ? c->arguments[i + 1] : strncmp(a, "--target=", 9) == 0 ? a + 9 : "";
        if (strncmp(target, "avr", 3) == 0)
            strcpy(c->target, "avr");
        if (strncmp(target, "msp430", 6) == 0)
            strcpy(c->target, "msp430");
        if (strncmp(target, "arm", 3) == 0 || strncmp(target, "thumb", 5) == 0)
            strcpy(c->target, "arm");
        if (strcmp(a, "-mint8") == 0)
            return error_set(e, "-mint8: the recorder needs integers of 16 bits; compile without it");
        if (strncmp(a, "-mmcu=", 6) == 0) {
            snprintf(c->chip, sizeof c->chip, "%s", a + 6);
            for (char *l = c->chip; *l; l++)
                *l = (char)tolower((unsigned char)*l);
        }
    }
    return c->target[0] ||
           error_set(e,
                     "%s: not a compiler for a target that Motet knows (avr-gcc, avr-g++, clang --target=msp430, "
                     "arm-none-eabi-gcc)",
                     c->arguments[0]);
}

const char *command_told(const struct command *c, const char *source)
{
    for (size_t i = 1; i < c->count; i++)
        if (c->arguments[i] == source)
            return c->told[i];
    return NULL;
}

bool command_is_assembly(const struct command *c, const char *source)
{
    const char *told = command_told(c, source);
    return told ? strncmp(told, "assembler", 9) == 0
                : command_ends_in(source, ".S") || command_ends_in(source, ".s") || command_ends_in(source, ".sx");
}

bool command_is_cpp(const struct command *c, const char *source)
{
    const char *told = command_told(c, source);
    return told ? strncmp(told, "c++", 3) == 0
                : !command_is_assembly(c, source) && !command_ends_in(source, ".c") && !command_ends_in(source, ".i");
}

static bool look_at_source(struct command *c, size_t i, const char *language, struct motet_error *e)
{
    const char *a = c->arguments[i];
    if (strcmp(a, "-") == 0)
        return error_set(e, "a source from standard input cannot be recorded; give a file");
    if (a[0] == '-' || (!language && !is_source(a)))
        return true;
    if (language && strcmp(language, "c") != 0 && strcmp(language, "c++") != 0 && strcmp(language, "cpp-output") != 0 &&
        strcmp(language, "c++-cpp-output") != 0 && strncmp(language, "assembler", 9) != 0)
        return error_set(e, "%s: sources in %s (-x) cannot be recorded", a, language);
    c->is_source[i] = true;
    c->told[i] = language;
    c->sources++;
    return true;
}

/* Those that the analysis must know, too. */
static bool is_about_types(const char *option)
{
    static const char *const names[] = {"-fshort-enums", "-fno-short-enums", "-funsigned-char", "-fno-unsigned-char",
                                        "-fsigned-char", "-fno-signed-char", "-fpack-struct",   NULL};
    for (const char *const *name = names; *name; name++)
        if (strcmp(option, *name) == 0)
            return true;
    return strncmp(option, "-fpack-struct=", 14) == 0;
}

static void add_type_option(struct command *c, const char *option)
{
    size_t count = 0, room = sizeof c->types / sizeof *c->types - 1;
    while (count < room && c->types[count])
        count++;
    if (count == room)
        memmove(c->types, c->types + 1, (--count) * sizeof *c->types); /* the last one counts */
    c->types[count] = option;
}

static void look_at_option(struct command *c, const char *a)
{
    if (strcmp(a, "-E") == 0 || strcmp(a, "-M") == 0 || strcmp(a, "-MM") == 0)
        c->stage = STAGE_PREPROCESS;
    else if (strcmp(a, "-S") == 0 && c->stage != STAGE_PREPROCESS)
        c->stage = STAGE_ASSEMBLY;
    else if (strcmp(a, "-c") == 0 && c->stage == STAGE_LINK)
        c->stage = STAGE_OBJECT;
    else if (only_asks(a))
        c->stage = STAGE_OTHER;
    else if (strncmp(a, "-O", 2) == 0)
        c->optimises = strcmp(a, "-O0") != 0;
    else if (is_about_types(a))
        add_type_option(c, a);
}

bool command_parse(struct command *c, char **arguments, size_t count, struct motet_error *e)
{
    *c = (struct command){.stage = STAGE_LINK};
    if (!count)
        return error_set(e, "no compiler was given; put its command after --: motet cc -- avr-gcc -c main.c");
    c->arguments = response_expand(arguments, count, &c->count, e);
    if (!c->arguments)
        return false;
    c->is_source = memory_array(c->count, sizeof *c->is_source);
    c->is_library = memory_array(c->count, sizeof *c->is_library);
    c->is_object = memory_array(c->count, sizeof *c->is_object);
    c->told = memory_array(c->count, sizeof *c->told);
    const char *language = NULL;
    bool inputs = false;
    for (size_t i = 1; i < c->count; i++)
        look_at_option(c, c->arguments[i]);
    for (size_t i = 1; i < c->count; i++) {
        const char *a = c->arguments[i], *next = i + 1 < c->count ? c->arguments[i + 1] : NULL;
        bool passes = c->stage == STAGE_PREPROCESS || c->stage == STAGE_OTHER;
        if (!passes && !look_at_source(c, i, language, e))
            return false;
        c->is_library[i] = strncmp(a, "-l", 2) == 0 || (a[0] != '-' && command_ends_in(a, ".a") && !c->is_source[i]);
        c->is_object[i] = a[0] != '-' && !c->is_source[i] && !c->is_library[i];
        inputs = inputs || a[0] != '-' || c->is_library[i];
        if (strncmp(a, "-x", 2) == 0) {
            language = a[2] ? a + 2 : next;
            language = language && strcmp(language, "none") != 0 ? language : NULL;
        }
        if (strncmp(a, "-o", 2) == 0)
            c->output = a[2] ? a + 2 : next;
        if (command_takes_next(a))
            i++;
    }
    if (c->stage == STAGE_LINK && !inputs)
        c->stage = STAGE_OTHER;
    return find_target(c, e);
}

void command_free(struct command *c)
{
    response_free(c->arguments);
    free(c->is_source);
    free(c->told);
    free(c->is_library);
    free(c->is_object);
    *c = (struct command){0};
}
