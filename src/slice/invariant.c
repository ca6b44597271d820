#include "slice/invariant.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ir/ir.h"

/* ---- the text ---- */

static bool invariant_is_place(char c)
{
    return isalnum((unsigned char)c) || strchr("_./$-+", c);
}

static bool invariant_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool invariant_is_file(const char *text)
{
    const char *dot = strrchr(text, '.');
    static const char *const ends[] = {".c", ".h", ".nc", ".cpp", ".cc", ".ino", ".i", ".C", ".cxx"};
    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(dot, ends[i]) == 0)
            return true;
    return false;
}

/* One part of a place: a file, lines, or a function. */
static void invariant_part(struct invariant *v, const char *part)
{
    unsigned first, last;
    int end = 0;
    if (sscanf(part, "%u-%u%n", &first, &last, &end) == 2 && !part[end]) {
        v->first_line = first;
        v->last_line = last;
    } else if (sscanf(part, "%u%n", &first, &end) == 1 && !part[end]) {
        v->first_line = v->last_line = first;
    } else if (invariant_is_file(part) && !v->file[0]) {
        snprintf(v->file, sizeof v->file, "%s", part);
    } else {
        snprintf(v->function, sizeof v->function, "%s", part);
    }
}

/* Takes the place from the front: words with a colon after each. The rest. */
static const char *invariant_place(struct invariant *v, const char *text)
{
    for (unsigned parts = 0; parts < 2; parts++) {
        size_t length = 0;
        while (text[length] && invariant_is_place(text[length]))
            length++;
        bool last = !text[length];
        if (!length || (text[length] != ':' && !last) || length >= 256)
            return text;
        char part[256];
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        if (last) { /* a name alone is a variable, unless a file stands before it, or invariant_find knows better */
            if (v->file[0] && !v->function[0])
                invariant_part(v, part);
            return v->file[0] ? text + length : text;
        }
        invariant_part(v, part);
        text += length + 1;
        if (*text == ' ')
            return text + 1;
    }
    return text;
}

static bool invariant_is_time(const char *text)
{
    char unit[8] = "";
    double amount;
    int end = 0;
    if (sscanf(text, " %lf %7[a-z]%n", &amount, unit, &end) != 2)
        return false;
    return (strcmp(unit, "s") == 0 || strcmp(unit, "ms") == 0 || strcmp(unit, "us") == 0) && !text[end];
}

/* The end of the expression: where a time begins. */
static size_t invariant_length(struct invariant *v, const char *text)
{
    static const char *const words[] = {" within ", " every ", "within ", "every "};
    for (size_t i = 0; i < 4; i++)
        for (const char *at = strstr(text, words[i]); at; at = strstr(at + 1, words[i]))
            if (invariant_is_time(at + strlen(words[i])) && (i < 2 || at == text)) {
                v->timed = true;
                return (size_t)(at - text);
            }
    return strlen(text);
}

/* Not variables: what C gives a meaning; and words in capitals, which are macros and members of enumerations. */
static bool invariant_is_constant(const char *word)
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

static char invariant_after(const char *text, const char *end)
{
    while (text < end && isspace((unsigned char)*text))
        text++;
    return text < end ? *text : '\0';
}

static bool invariant_add_name(struct invariant *v, const char *start, const char *begin, const char *end,
                               const char *last, struct motet_error *e)
{
    const char *before = begin;
    while (before > start && (isspace((unsigned char)before[-1]) || before[-1] == '('))
        before--;
    if (v->name_count == INVARIANT_NAMES)
        return error_set(e, "the invariant names more than %d variables", INVARIANT_NAMES);
    struct invariant_name *n = &v->names[v->name_count];
    snprintf(n->name, sizeof n->name, "%.*s", (int)(end - begin), begin);
    if (invariant_is_constant(n->name))
        return true;
    char next = invariant_after(end, last);
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
static bool invariant_words(struct invariant *v, const char *text, size_t length, struct motet_error *e)
{
    const char *end = text + length;
    for (const char *at = text; at < end;) {
        if (isdigit((unsigned char)*at)) {
            while (at < end && (invariant_is_word(*at) || *at == '.'))
                at++;
        } else if (*at == '"' || *at == '\'') {
            char quote = *at++;
            while (at < end && *at++ != quote)
                ;
        } else if (invariant_is_word(*at)) {
            const char *begin = at;
            while (at < end && invariant_is_word(*at))
                at++;
            bool member =
                begin > text && (begin[-1] == '.' || (begin[-1] == '>' && begin - 1 > text && begin[-2] == '-'));
            const char *rest = at;
            if (!member && isupper((unsigned char)*begin) && at + 1 < end && *at == '.' && invariant_is_word(at[1]))
                for (rest = at + 1; rest < end && invariant_is_word(*rest);)
                    rest++;
            if (!member && !invariant_add_name(v, text, begin, rest, end, e))
                return false;
            at = rest;
        } else {
            at++;
        }
    }
    return true;
}

bool invariant_parse(struct invariant *v, const char *text, struct motet_error *e)
{
    *v = (struct invariant){.text = text, .checker = -1};
    const char *rest = invariant_place(v, text);
    while (*rest == ' ')
        rest++;
    size_t length = invariant_length(v, rest);
    if (length)
        v->expression = rest;
    if (!v->expression && !v->function[0])
        return error_set(e, "the invariant '%s' has no expression; write it as 'FILE.c:FUNCTION: EXPRESSION'", text);
    return !v->expression || invariant_words(v, rest, length, e);
}

void invariant_of_name(struct invariant *v, const char *text)
{
    const char *colon = strrchr(text, ':');
    *v = (struct invariant){.text = text, .checker = -1, .name_count = 1};
    if (colon)
        snprintf(v->file, sizeof v->file, "%.*s", (int)(colon - text), text);
    snprintf(v->names[0].name, sizeof v->names[0].name, "%s", colon ? colon + 1 : text);
    v->expression = v->text;
}

void invariant_free(struct invariant *v)
{
    free(v->nodes);
    free(v->checks);
}

/* ---- in the program ---- */

void invariant_keep(const struct invariant *v, LLVMModuleRef module)
{
    char name[512];
    unsigned line;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && v->function[0]; f = LLVMGetNextFunction(f)) {
        ir_name(f, name, sizeof name);
        if (!program_is_name(name, v->function) || (v->file[0] && !program_is_file(ir_file(f, &line), v->file)))
            continue;
        for (size_t i = 0; i < v->name_count; i++)
            ir_keep_local(module, f, v->names[i].name);
    }
}

static void invariant_add_node(struct invariant *v, int node)
{
    for (size_t i = 0; i < v->node_count; i++)
        if (v->nodes[i] == node)
            return;
    v->nodes = memory_grow(v->nodes, &v->node_room, v->node_count, sizeof *v->nodes);
    v->nodes[v->node_count++] = node;
}

static void invariant_add_check(struct invariant *v, const struct program *p, int function)
{
    int group = p->functions[function].group;
    for (size_t i = 0; i < v->check_count; i++)
        if (v->checks[i] == group)
            return;
    v->checks = memory_grow(v->checks, &v->check_room, v->check_count, sizeof *v->checks);
    v->checks[v->check_count++] = group;
}

/* All cells of an object that anything accesses, and of what they point to if a pointer is followed. */
static void invariant_add_object(struct invariant *v, const struct depend *d, int object, bool follows)
{
    const struct points *s = d->points;
    for (int c = s->o.list[object].cells; c >= 0; c = s->o.cells[c].before) {
        invariant_add_node(v, d->cells + c);
        size_t node = (size_t)d->blocks + (size_t)c; /* cells follow the results, among points' nodes */
        for (int i = 0; follows && node < s->node_count && i < s->nodes[node].has.count; i++)
            invariant_add_object(v, d, s->o.locations[s->nodes[node].has.list[i]].object, false);
    }
}

static bool invariant_is_variable(const struct invariant *v, const struct program *p, LLVMValueRef g, const char *name,
                                  bool here)
{
    char is[512], local[512];
    unsigned line;
    ir_name(g, is, sizeof is);
    bool file = !v->file[0] || program_is_file(ir_file(g, &line), v->file);
    (void)p;
    if (here) {
        snprintf(local, sizeof local, "%s.%s", v->function, name);
        return file && ((v->function[0] && strcmp(is, local) == 0) || program_is_name(is, name));
    }
    return LLVMGetLinkage(g) != LLVMInternalLinkage && program_is_name(is, name);
}

static bool invariant_find_global(struct invariant *v, const struct depend *d, const struct invariant_name *n,
                                  bool here)
{
    bool found = false;
    for (LLVMValueRef g = LLVMGetFirstGlobal(d->p->module); g; g = LLVMGetNextGlobal(g)) {
        if (!invariant_is_variable(v, d->p, g, n->name, here))
            continue;
        found = true;
        int object = map_get(&d->points->o.of_value, (uintptr_t)g, 0);
        if (object >= 0)
            invariant_add_object(v, d, object, n->follows);
    }
    return found;
}

static bool invariant_find_local(struct invariant *v, const struct depend *d, const struct invariant_name *n)
{
    bool found = false;
    size_t length = strlen(n->name);
    for (size_t i = 0; i < d->points->o.count; i++) {
        const struct object *o = &d->points->o.list[i];
        if (o->kind != OBJECT_LOCAL || !v->function[0] ||
            !program_is_name(d->p->functions[o->function].name, v->function))
            continue;
        const char *is = LLVMGetValueName(o->value);
        if (strncmp(is, n->name, length) == 0 &&
            (strcmp(is + length, ".addr") == 0 || strspn(is + length, "0123456789") == strlen(is + length))) {
            invariant_add_object(v, d, (int)i, n->follows);
            found = true;
        }
    }
    return found;
}

static bool invariant_find_name(struct invariant *v, const struct depend *d, const struct invariant_name *n,
                                struct motet_error *e)
{
    int function = program_find(d->p, NULL, n->name, 0);
    if (n->calls && function >= 0) {
        invariant_add_node(v, d->results + function);
        return true;
    }
    if (invariant_find_local(v, d, n) || invariant_find_global(v, d, n, true) || invariant_find_global(v, d, n, false))
        return true;
    return error_set(e, "invariant '%s': there is no variable '%s'%s%s%s%s", v->text, n->name,
                     v->function[0] ? " in function " : "", v->function, v->file[0] ? " in " : "", v->file);
}

/* ---- where it is checked ---- */

static void invariant_find_lines(struct invariant *v, const struct program *p)
{
    for (int i = 0; i < p->instruction_count; i++) {
        unsigned line;
        const char *file = ir_file(p->instructions[i].value, &line);
        if (line >= v->first_line && line <= v->last_line && (!v->file[0] || program_is_file(file, v->file)))
            invariant_add_check(v, p, program_function_of(p, i));
    }
}

/* Where it is not told: each function that may write one of its variables. */
static void invariant_find_writers(struct invariant *v, const struct depend *d)
{
    for (size_t i = 0; i < v->node_count; i++)
        for (int e = d->first_to[v->nodes[i]]; e < d->first_to[v->nodes[i] + 1]; e++)
            if (d->edges[d->to[e]].kind == DEPEND_WRITE)
                invariant_add_check(v, d->p, depend_function(d, d->edges[d->to[e]].to));
}

static bool invariant_find_checks(struct invariant *v, const struct depend *d, struct motet_error *e)
{
    if (v->first_line) {
        invariant_find_lines(v, d->p);
        return v->check_count || error_set(e, "invariant '%s': no code comes from these lines of %s", v->text,
                                           v->file[0] ? v->file : "it");
    }
    if (v->function[0]) {
        for (int f = program_find(d->p, v->file[0] ? v->file : NULL, v->function, 0); f >= 0;
             f = program_find(d->p, v->file[0] ? v->file : NULL, v->function, f + 1))
            invariant_add_check(v, d->p, f);
        return v->check_count || error_set(e, "invariant '%s': there is no function '%s'%s%s", v->text, v->function,
                                           v->file[0] ? " in " : "", v->file);
    }
    invariant_find_writers(v, d);
    return true;
}

/* The whole function is the criterion; where it is called, it is checked. */
static bool invariant_find_checker(struct invariant *v, const struct depend *d, struct motet_error *e)
{
    const struct program *p = d->p;
    v->checker = program_find(p, v->file[0] ? v->file : NULL, v->function, 0);
    if (v->checker < 0)
        return error_set(e, "invariant '%s': there is no function '%s'%s%s", v->text, v->function,
                         v->file[0] ? " in " : "", v->file);
    if (!p->functions[v->checker].is_reachable)
        return error_set(e, "invariant '%s': nothing calls %s", v->text, v->function);
    const struct function *f = &p->functions[v->checker];
    for (int b = f->first_block; b < f->first_block + f->blocks; b++)
        for (int i = p->blocks[b].first; i < p->blocks[b].first + p->blocks[b].count; i++)
            invariant_add_node(v, i);
    for (int e2 = d->first_to[d->functions + v->checker]; e2 < d->first_to[d->functions + v->checker + 1]; e2++)
        invariant_add_check(v, p, depend_function(d, d->edges[d->to[e2]].to));
    return true;
}

bool invariant_find(struct invariant *v, struct depend *d, struct motet_error *e)
{
    bool alone = v->expression && v->name_count == 1 && !v->function[0] && !v->timed &&
                 strcmp(v->names[0].name, v->expression) == 0 && program_find(d->p, NULL, v->names[0].name, 0) >= 0;
    if (alone)
        snprintf(v->function, sizeof v->function, "%s", v->names[0].name);
    if (!v->expression || alone)
        return invariant_find_checker(v, d, e);
    for (size_t i = 0; i < v->name_count; i++)
        if (!invariant_find_name(v, d, &v->names[i], e))
            return false;
    if (!v->node_count && !v->timed)
        return error_set(e, "invariant '%s': no code that can run accesses a variable of it", v->text);
    return invariant_find_checks(v, d, e);
}
