#include "rewrite/command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool is_source(const char *argument)
{
    static const char *const ends[] = {".c", ".cpp", ".cc", ".cxx", ".i", ".ii", ".S", ".s", ".sx", NULL};
    for (size_t i = 0; ends[i]; i++)
        if (argument[0] != '-' && ends_in(argument, ends[i]))
            return true;
    return false;
}

/* Options whose argument is the next word. */
static bool takes_next(const char *option)
{
    static const char *const names[] = {
        "-o", "-I", "-D",          "-U",      "-include", "-isystem", "-MF",      "-MT",        "-MQ",
        "-x", "-L", "-T",          "-u",      "-z",       "-Xlinker", "-imacros", "-idirafter", "-iquote",
        "-l", "-e", "-Xassembler", "--param", "-target",  "-mllvm",   NULL};
    for (size_t i = 0; names[i]; i++)
        if (strcmp(option, names[i]) == 0)
            return true;
    return false;
}

static bool find_target(struct command *c, struct error *e)
{
    const char *compiler = strrchr(c->arguments[0], '/');
    compiler = compiler ? compiler + 1 : c->arguments[0];
    if (strncmp(compiler, "avr-", 4) == 0)
        strcpy(c->target, "avr");
    if (strncmp(compiler, "msp430-", 7) == 0)
        strcpy(c->target, "msp430");
    for (size_t i = 1; i < c->count; i++) {
        const char *a = c->arguments[i];
        if (strncmp(a, "--target=avr", 12) == 0)
            strcpy(c->target, "avr");
        if (strncmp(a, "--target=msp430", 15) == 0)
            strcpy(c->target, "msp430");
        if (strncmp(a, "-mmcu=", 6) == 0) {
            snprintf(c->chip, sizeof c->chip, "%s", a + 6);
            for (char *l = c->chip; *l; l++)
                *l = (char)tolower((unsigned char)*l);
        }
    }
    return c->target[0] || error_set(e,
                                     "%s: not a compiler for a target that can be recorded (avr-gcc, avr-g++, clang "
                                     "--target=msp430)",
                                     c->arguments[0]);
}

bool command_is_assembly(const struct command *c, const char *source)
{
    for (size_t i = 1; i + 1 < c->count; i++)
        if (strcmp(c->arguments[i], "-x") == 0)
            return strncmp(c->arguments[i + 1], "assembler", 9) == 0;
    return ends_in(source, ".S") || ends_in(source, ".s") || ends_in(source, ".sx");
}

bool command_parse(struct command *c, char **arguments, size_t count, struct error *e)
{
    *c = (struct command){.arguments = arguments, .count = count, .stage = STAGE_LINK};
    if (!count)
        return error_set(e, "no compiler was given; put its command behind --: motet cc -- avr-gcc -c main.c");
    c->is_source = calloc(count, sizeof *c->is_source);
    c->is_library = calloc(count, sizeof *c->is_library);
    if (!c->is_source || !c->is_library)
        abort();
    for (size_t i = 1; i < count; i++) {
        const char *a = arguments[i];
        if (strcmp(a, "-E") == 0 || strcmp(a, "-M") == 0 || strcmp(a, "-MM") == 0)
            c->stage = STAGE_PREPROCESS;
        else if (strcmp(a, "-S") == 0 && c->stage != STAGE_PREPROCESS)
            c->stage = STAGE_ASSEMBLY;
        else if (strcmp(a, "-c") == 0 && c->stage == STAGE_LINK)
            c->stage = STAGE_OBJECT;
        else if (strcmp(a, "--version") == 0 || strncmp(a, "-print-", 7) == 0 || strncmp(a, "-dump", 5) == 0)
            c->stage = STAGE_OTHER;
        c->is_source[i] = is_source(a);
        c->sources += c->is_source[i];
        c->is_library[i] = strncmp(a, "-l", 2) == 0 || (a[0] != '-' && ends_in(a, ".a"));
        if (strcmp(a, "-o") == 0 && i + 1 < count)
            c->output = arguments[i + 1];
        else if (strncmp(a, "-o", 2) == 0 && a[2])
            c->output = a + 2;
        if (takes_next(a))
            i++;
    }
    if (c->stage == STAGE_LINK && !c->sources && count == 1)
        c->stage = STAGE_OTHER;
    return find_target(c, e);
}

void command_free(struct command *c)
{
    free(c->is_source);
    free(c->is_library);
    *c = (struct command){0};
}
