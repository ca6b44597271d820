#include "option.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sentence.h"

enum { HELP_WIDTH = 80, HELP_INDENT = 26 };

static bool is_lent(const struct verb *v, const struct option *o)
{
    for (const struct option *l = v->lent; l && l->name; l++)
        if (l == o)
            return true;
    return false;
}

static bool is_borrowed(const struct verb *v, const char *name)
{
    for (const char *const *b = v->borrowed; *b; b++)
        if (strcmp(*b, name) == 0)
            return true;
    return false;
}

const struct option *options_after(const struct verb *v, const struct option *o)
{
    bool own = !o || !is_lent(v, o);
    o = o ? o + 1 : v->options;
    if (own && !o->name && v->lent)
        o = v->lent;
    else if (own)
        return o->name ? o : NULL;
    while (o->name && !is_borrowed(v, o->name))
        o++;
    return o->name ? o : NULL;
}

static bool option_is(const char *one, const char *name, size_t length)
{
    return strlen(one) == length && strncmp(one, name, length) == 0;
}

static const struct option *option_named(const struct verb *v, const char *name, size_t length)
{
    for (const struct option_alias *a = v->aliases; a && a->old; a++)
        if (option_is(a->old, name, length))
            return option_named(v, a->name, strlen(a->name));
    for (const struct option *o = NULL; (o = options_after(v, o));)
        if (option_is(o->name, name, length))
            return o;
    return NULL;
}

static int unknown_option(const struct verb *v, const char *given)
{
    const char *name = given + strspn(given, "-"), *near = NULL;
    for (const struct option *o = NULL; (o = options_after(v, o));)
        near = motet_word_nearer(name, near, o->name);
    near = motet_word_nearer(name, near, "help");
    if (near)
        return complain("%s has no option '%s'; did you mean --%s?", v->name, given, near);
    return complain("%s has no option '%s'; see motet %s --help", v->name, given, v->name);
}

/* Takes the option at *at; false if something is wrong. */
static bool take_option(const struct verb *v, int argc, char **argv, int *at, void *into)
{
    const char *given = argv[*at], *equals = strchr(given, '=');
    size_t length = equals ? (size_t)(equals - given) : strlen(given);
    bool letter = given[1] != '-' && length == 2; /* an alias of one letter: -o */
    const struct option *o = letter                                       ? option_named(v, given + 1, 1)
                             : strncmp(given, "--", 2) == 0 && length > 2 ? option_named(v, given + 2, length - 2)
                                                                          : NULL;
    struct motet_error e = {""};
    if (!o) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), given);
        unknown_option(v, name);
        return false;
    }
    const char *argument = equals ? equals + 1 : NULL;
    if (!o->argument && argument) {
        complain("--%s takes no value, but '%s' was given", o->name, argument);
        return false;
    }
    if (o->argument && !argument) {
        if (*at + 1 >= argc) {
            complain("--%s needs a value (%s); see motet %s --help", o->name, o->argument, v->name);
            return false;
        }
        argument = argv[++*at];
    }
    if (o->set(into, argument, &e))
        return true;
    complain("--%s: %s", o->name, e.text);
    return false;
}

bool options_parse(const struct verb *v, int argc, char **argv, void *into, const char *operands[], size_t limit,
                   int *status)
{
    size_t count = 0, needed = 0;
    bool only_operands = false;
    for (const char *c = v->operands; *c; c++) /* one operand a word; those in brackets may be left out */
        needed += isupper((unsigned char)*c) && (c == v->operands || c[-1] == ' ');
    *status = STATUS_USAGE;
    for (int i = 0; i < argc; i++) {
        const char *given = argv[i];
        if (only_operands || given[0] != '-' || given[1] == 0) {
            if (count == limit) {
                complain("%s does not know what to do with '%s'; see motet %s --help", v->name, given, v->name);
                return false;
            }
            operands[count++] = given;
        } else if (strcmp(given, "--") == 0) {
            only_operands = true;
        } else if (strcmp(given, "--help") == 0 || strcmp(given, "-h") == 0) {
            options_help(v);
            *status = 0;
            return false;
        } else if (!take_option(v, argc, argv, &i, into)) {
            return false;
        }
    }
    if (count < needed) {
        complain("%s needs %s; see motet %s --help", v->name, v->operands, v->name);
        return false;
    }
    return true;
}

/* ---- help ---- */

/* Prints text in lines of HELP_WIDTH, the first one starting at column `column`. */
static void print_wrapped(const char *text, int column, int indent)
{
    int at = column;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (at > indent && at + 1 + length > HELP_WIDTH)
            printf("\n%*s", at = indent, "");
        at += printf("%s%.*s", at > indent ? " " : "", length, text);
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void print_option(const char *name, const char *argument, const char *about)
{
    int used = printf("  --%s%s%s", name, argument ? " " : "", argument ? argument : "");
    if (used >= HELP_INDENT - 1) {
        putchar('\n');
        used = 0;
    }
    printf("%*s", HELP_INDENT - used, "");
    print_wrapped(about, HELP_INDENT, HELP_INDENT);
}

void options_help(const struct verb *v)
{
    printf("usage: motet %s%s%s%s\n\n", v->name, v->options->name ? " [OPTION]..." : "", *v->operands ? " " : "",
           v->operands);
    print_wrapped(v->more, 0, 0);
    putchar('\n');
    for (const struct option *o = NULL; (o = options_after(v, o));)
        print_option(o->name, o->argument, o->about);
    print_option("help", NULL, "prints this");
}

/* ---- man page ---- */

/* Text as mdoc takes it literally: no line begins with a control character, backslashes are doubled in meaning. */
static void print_roff(const char *text)
{
    for (const char *c = text; *c; c++) {
        bool line_start = c == text;
        if (*c == '\\')
            fputs("\\e", stdout);
        else if (line_start && (*c == '.' || *c == '\''))
            printf("\\&%c", *c);
        else if (*c == '-')
            fputs("\\-", stdout);
        else if (c[0] == '.' && c[1] == ' ')
            fputs(".\n", stdout), c++; /* mdoc: a new sentence, a new line */
        else
            putchar(*c);
    }
}

/* An argument: what stands for something is in capitals, the rest is literal. */
static void print_argument(const char *argument)
{
    if (argument) {
        fputs(" Ar ", stdout);
        print_roff(argument);
    }
}

void options_man(const struct verb *v)
{
    printf(".Sh SYNOPSIS\n.Nm motet\n.Cm %s\n", v->name);
    for (const struct option *o = NULL; (o = options_after(v, o));) {
        printf(".Op Fl Fl %s", o->name);
        print_argument(o->argument);
        putchar('\n');
    }
    if (*v->operands)
        printf(".Ar %s\n", v->operands);
    printf(".Sh OPTIONS\n.Bl -tag -width Ds\n");
    for (const struct option *o = NULL; (o = options_after(v, o));) {
        printf(".It Fl Fl %s", o->name);
        print_argument(o->argument);
        putchar('\n');
        print_roff(o->about);
        fputs(".\n", stdout);
    }
    printf(".It Fl Fl help\nPrints a summary of the options.\n.El\n");
}

int options_before_command(const struct verb *v, int argc, char **argv)
{
    int own = 0;
    for (; own < argc && strcmp(argv[own], "--") != 0; own++)
        if (strcmp(argv[own], "--help") == 0 || strcmp(argv[own], "-h") == 0) {
            options_help(v);
            return -1;
        }
    return own;
}

bool option_part(const char *text, unsigned *part, unsigned *parts, struct motet_error *e)
{
    char rest;
    return (sscanf(text, "%u/%u%c", part, parts, &rest) == 2 && *part >= 1 && *part <= *parts && *parts <= 1000) ||
           sentence(e, "'%s' is no part: 1/3 is the first of three", text);
}
