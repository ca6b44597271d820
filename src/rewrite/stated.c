#include "rewrite/stated.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool stated_is_place(char c)
{
    return isalnum((unsigned char)c) || strchr("_./$-+", c);
}

static bool stated_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool stated_looks_like_file(const char *text)
{
    const char *dot = strrchr(text, '.');
    static const char *const ends[] = {".c", ".h", ".nc", ".cpp", ".cc", ".ino", ".i", ".C", ".cxx"};
    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(dot, ends[i]) == 0)
            return true;
    return false;
}

/* One part of a place: a file, lines, or a function. */
static void stated_part(struct stated *v, const char *part)
{
    unsigned first, last;
    int end = 0;
    if (sscanf(part, "%u-%u%n", &first, &last, &end) == 2 && !part[end]) {
        v->first_line = first;
        v->last_line = last;
    } else if (sscanf(part, "%u%n", &first, &end) == 1 && !part[end]) {
        v->first_line = v->last_line = first;
    } else if (stated_looks_like_file(part) && !v->file[0]) {
        snprintf(v->file, sizeof v->file, "%s", part);
    } else {
        snprintf(v->function, sizeof v->function, "%s", part);
    }
}

/* Takes the place from the front: words with a colon after each. The rest. */
static const char *stated_place(struct stated *v, const char *text)
{
    for (unsigned parts = 0; parts < 2; parts++) {
        size_t length = 0;
        while (text[length] && stated_is_place(text[length]))
            length++;
        bool last = !text[length];
        if (!length || (text[length] != ':' && !last) || length >= 256)
            return text;
        char part[256];
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        if (last) { /* a name alone is a variable, unless a file stands before it, or stated_find knows better */
            if (v->file[0] && !v->function[0])
                stated_part(v, part);
            return v->file[0] ? text + length : text;
        }
        stated_part(v, part);
        text += length + 1;
        if (*text == ' ')
            return text + 1;
    }
    return text;
}

/* Seconds; negative if it is no time. */
static double stated_time(const char *text)
{
    char unit[8] = "";
    double amount;
    int end = 0;
    if (sscanf(text, " %lf %7[a-z]%n", &amount, unit, &end) != 2 || text[end] || !(amount > 0))
        return -1;
    return strcmp(unit, "s") == 0    ? amount
           : strcmp(unit, "ms") == 0 ? amount / 1e3
           : strcmp(unit, "us") == 0 ? amount / 1e6
                                     : -1;
}

/* The end of the expression: where a time begins. */
static size_t stated_length(struct stated *v, const char *text)
{
    static const char *const words[] = {" within ", " every ", "within ", "every "};
    for (size_t i = 0; i < 4; i++)
        for (const char *at = strstr(text, words[i]); at; at = strstr(at + 1, words[i]))
            if (stated_time(at + strlen(words[i])) > 0 && (i < 2 || at == text)) {
                v->kind = i % 2 ? STATED_EVERY : STATED_WITHIN;
                v->seconds = stated_time(at + strlen(words[i]));
                return (size_t)(at - text);
            }
    return strlen(text);
}

/* Not variables: what C gives a meaning; and words in capitals, which are macros and members of enumerations. */
static bool stated_is_constant(const char *word)
{
    static const char *const words[] = {"sizeof", "int",    "char",     "long",     "short",   "unsigned", "signed",
                                        "float",  "double", "bool",     "_Bool",    "struct",  "const",    "volatile",
                                        "true",   "false",  "uint8_t",  "int8_t",   "int16_t", "uint16_t", "int32_t",
                                        "void",   "union",  "uint32_t", "uint64_t", "int64_t", "enum"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    bool capital = false;
    for (; *word; word++) {
        if (islower((unsigned char)*word))
            return false;
        capital = capital || isupper((unsigned char)*word);
    }
    return capital;
}

static char stated_after(const char *text, const char *end)
{
    while (text < end && isspace((unsigned char)*text))
        text++;
    return text < end ? *text : '\0';
}

static bool stated_add_name(struct stated *v, const char *start, const char *begin, const char *end, const char *last,
                            struct motet_error *e)
{
    const char *before = begin;
    while (before > start && (isspace((unsigned char)before[-1]) || before[-1] == '('))
        before--;
    if (v->name_count == STATED_NAMES)
        return error_set(e, "the invariant names more than %d variables", STATED_NAMES);
    struct stated_name *n = &v->names[v->name_count];
    snprintf(n->name, sizeof n->name, "%.*s", (int)(end - begin), begin);
    if (stated_is_constant(n->name))
        return true;
    char next = stated_after(end, last);
    n->calls = next == '(';
    n->follows = next == '[' || next == '-' || (before > start && before[-1] == '*');
    for (size_t i = 0; i < v->name_count; i++)
        if (strcmp(v->names[i].name, n->name) == 0) {
            v->names[i].follows = v->names[i].follows || n->follows;
            return true;
        }
    v->name_count++;
    return true;
}

/* Variables: words that are no members of others. nesC's Module.variable is one word if it is followed by no call. */
static bool stated_words(struct stated *v, const char *text, size_t length, struct motet_error *e)
{
    const char *end = text + length;
    for (const char *at = text; at < end;) {
        if (isdigit((unsigned char)*at)) {
            while (at < end && (stated_is_word(*at) || *at == '.'))
                at++;
        } else if (*at == '"' || *at == '\'') {
            char quote = *at++;
            while (at < end && *at++ != quote)
                ;
        } else if (stated_is_word(*at)) {
            const char *begin = at;
            while (at < end && stated_is_word(*at))
                at++;
            bool member =
                begin > text && (begin[-1] == '.' || (begin[-1] == '>' && begin - 1 > text && begin[-2] == '-'));
            const char *rest = at;
            if (!member && isupper((unsigned char)*begin) && at + 1 < end && *at == '.' && stated_is_word(at[1]))
                for (rest = at + 1; rest < end && stated_is_word(*rest);)
                    rest++;
            if (!member && !stated_add_name(v, text, begin, rest, end, e))
                return false;
            at = rest;
        } else {
            at++;
        }
    }
    return true;
}

bool stated_parse(struct stated *v, const char *text, struct motet_error *e)
{
    *v = (struct stated){.text = text};
    const char *rest = stated_place(v, text);
    while (*rest == ' ')
        rest++;
    size_t length = stated_length(v, rest);
    if (length)
        v->expression = rest;
    v->length = length;
    if (!v->expression && (v->kind == STATED_ALWAYS ? !v->function[0] : !v->function[0] && !v->first_line))
        return error_set(e, "the invariant '%s' has no expression; write it as 'FILE.c:FUNCTION: EXPRESSION'", text);
    return !v->expression || stated_words(v, rest, length, e);
}

bool stated_is_file(const char *path, const char *file)
{
    size_t n = strlen(path), m = strlen(file);
    return n >= m && strcmp(path + n - m, file) == 0 && (n == m || path[n - m - 1] == '/');
}

bool stated_is_name(const char *is, const char *asked)
{
    while (*is && *asked) {
        if (*is == *asked) {
            is++;
            asked++;
        } else if (*asked == '.' && (*is == '$' || strncmp(is, "__", 2) == 0)) {
            is += *is == '$' ? 1 : 2;
            asked++;
        } else {
            return false;
        }
    }
    return !*is && !*asked;
}
