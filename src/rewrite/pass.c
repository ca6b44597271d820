#include "rewrite/pass.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { CLASS_UNIT = 8192 }; /* numbers of sites of each class, as the recorder has it */

bool pass_open(struct pass *p, const char *path, const struct instrument_options *o, struct instrumented *r,
               struct motet_error *e)
{
    *r = (struct instrumented){0};
    *p = (struct pass){.o = o, .r = r, .e = e};
    p->t = tree_parse(path, o->target, o->cpp, o->types, e);
    if (!p->t)
        return false;
    p->text = tree_text(p->t, &p->size);
    size_t count = tree_count(p->t) + 1;
    p->calls = memory_array(count, sizeof *p->calls);
    p->used = memory_array(count, sizeof *p->used);
    p->masked = memory_array(count, sizeof *p->masked);
    p->skipped = memory_array(count, sizeof *p->skipped);
    p->quiet = memory_array(count, sizeof *p->quiet);
    p->whole = memory_array(count, sizeof *p->whole);
    p->filled = memory_array(count, sizeof *p->filled);
    return true;
}

bool pass_close(struct pass *p, bool well)
{
    if (well)
        p->r->text = edits_apply(&p->edits, p->text, p->size, &p->r->size);
    else
        instrumented_free(p->r);
    edits_free(&p->edits);
    free(p->calls);
    free(p->used);
    free(p->masked);
    free(p->skipped);
    free(p->quiet);
    free(p->whole);
    free(p->filled);
    tree_free(p->t);
    return well;
}

bool pass_is_avr(const struct pass *p)
{
    return strcmp(p->o->target, "avr") == 0;
}

static void pass_place_of(const struct pass *p, int node, char *text, size_t size)
{
    unsigned line, column;
    const char *file = tree_place(p->t, node, &line, &column);
    snprintf(text, size, "%.120s:%u:%u", file, line, column);
}

bool pass_refuse(struct pass *p, int node, const char *format, ...)
{
    char place[160], what[600];
    pass_place_of(p, node, place, sizeof place);
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return error_set(p->e, "%s: %s", place, what);
}

void pass_warn(struct pass *p, int node, const char *format, ...)
{
    char place[160], what[600];
    pass_place_of(p, node, place, sizeof place);
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    p->r->warnings = memory_resize(p->r->warnings, p->r->warning_count + 1, sizeof *p->r->warnings);
    p->r->warnings[p->r->warning_count++] = memory_format("%s: warning: %s", place, what);
}

/* Its number, and its class above it. */
static size_t pass_add_site(struct pass *p, int node, const char *name, enum register_class class, uint32_t live,
                            const char *why)
{
    struct instrumented *r = p->r;
    r->sites = memory_grow(r->sites, &r->site_room, r->site_count, sizeof *r->sites);
    struct site *s = &r->sites[r->site_count];
    *s = (struct site){.class = class, .live = (uint16_t)live, .bits = (unsigned)__builtin_popcount(live), .why = why};
    pass_place_of(p, node, s->place, sizeof s->place);
    snprintf(s->name, sizeof s->name, "%s", name);
    if (class == REGISTER_FIXED) /* at an index that the run decides; a site has two bits for this */
        class = REGISTER_WHOLE;
    return r->site_count++ + (size_t) class * CLASS_UNIT;
}

const char *pass_site(struct pass *p, int node, const char *name, enum register_class class, uint32_t live,
                      const char *why)
{
    static char number[64];
    snprintf(number, sizeof number, "(unsigned)(motet_sites_here+%zu)", pass_add_site(p, node, name, class, live, why));
    return number;
}

const char *pass_site_symbol(struct pass *p, int node, const char *name, enum register_class class, uint32_t live,
                             const char *why)
{
    static char number[64];
    snprintf(number, sizeof number, ".Lmotet_sites+%zu", pass_add_site(p, node, name, class, live, why));
    return number;
}

size_t pass_nodes_in(const struct pass *p, int node)
{
    size_t i = (size_t)node + 1;
    while (i < tree_count(p->t) && tree_at(p->t, (int)i)->start < tree_at(p->t, node)->end)
        i++;
    return i - (size_t)node;
}

int pass_body_of(const struct pass *p, int function)
{
    int last = tree_last_child(p->t, function);
    return last >= 0 && tree_at(p->t, last)->kind == NODE_COMPOUND ? last : -1;
}

/* do { } while (0), as macros have it: no loop. */
bool pass_is_once(const struct pass *p, int node)
{
    int64_t again;
    return tree_at(p->t, node)->kind == NODE_DO && tree_constant(p->t, tree_child(p->t, node, 1), &again) && !again;
}

bool pass_is_named(const struct tree_node *n, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(n->name, *names) == 0)
            return true;
    return false;
}

bool pass_is_register(const struct pass *p, int node, struct place *at)
{
    return address_of_register(p->t, p->o->registers, node, at);
}

static bool starts_typeof(const char *text, uint32_t left)
{
    static const char *const words[] = {"typeof", "decltype", "noexcept"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) <= left && memcmp(text, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* Whether a typeof or the like that begins after `from` is still open at `to`. */
static bool is_in_typeof(const struct pass *p, uint32_t from, uint32_t to)
{
    int depth = 0, inside = -1;
    for (uint32_t i = from; i < to; i++) {
        if (p->text[i] == '#' && i > 0 && p->text[i - 1] == '\n')
            while (i + 1 < to && p->text[i] != '\n')
                i++;
        else if (inside < 0 && starts_typeof(p->text + i, to - i))
            inside = depth;
        depth += p->text[i] == '(' ? 1 : p->text[i] == ')' ? -1 : 0;
        if (p->text[i] == ')' && depth == inside)
            inside = -1;
    }
    return inside >= 0;
}

/* Under sizeof and typeof nothing is read. */
bool pass_is_unevaluated(const struct pass *p, int node)
{
    uint32_t from = tree_at(p->t, node)->start;
    for (int above = node; above >= 0; above = tree_at(p->t, above)->parent) {
        enum node_kind k = tree_at(p->t, above)->kind;
        if (k == NODE_SIZEOF)
            return true;
        if (k == NODE_FUNCTION || k == NODE_COMPOUND)
            break;
        from = tree_at(p->t, above)->start;
    }
    return is_in_typeof(p, from, tree_at(p->t, node)->start);
}

/* Over blanks and the compiler's line marks. */
uint32_t pass_behind_space(const struct pass *p, uint32_t at)
{
    while (at < p->size && (isspace((unsigned char)p->text[at]) || (p->text[at] == '#' && p->text[at - 1] == '\n'))) {
        if (p->text[at] == '#')
            while (at < p->size && p->text[at] != '\n')
                at++;
        else
            at++;
    }
    return at;
}

/* After the statement's semicolon. */
uint32_t pass_statement_end(const struct pass *p, int node)
{
    uint32_t end = pass_behind_space(p, tree_at(p->t, node)->end);
    return end < p->size && p->text[end] == ';' ? end + 1 : tree_at(p->t, node)->end;
}

/* What is put into other places of the text must not change the lines that follow it. */
char *pass_flat(const struct pass *p, uint32_t from, uint32_t to)
{
    char *flat = memory_bytes(to - from + 1), *at = flat;
    for (uint32_t i = from; i < to; i++) {
        if (p->text[i] == '#' && i > 0 && p->text[i - 1] == '\n')
            while (i < to && p->text[i] != '\n')
                i++;
        *at++ = i == to || p->text[i] == '\n' ? ' ' : p->text[i];
    }
    *at = '\0';
    return flat;
}

bool pass_has_word(const struct pass *p, uint32_t from, uint32_t to, const char *word, uint32_t *after)
{
    size_t length = strlen(word);
    for (uint32_t i = from; i + length <= to; i++)
        if (memcmp(p->text + i, word, length) == 0) {
            *after = i + (uint32_t)length;
            return true;
        }
    return false;
}

/* Attributes may stand at any of a function's declarations: finds one from node `from` on. */
int pass_attribute_at(const struct pass *p, int function, int from, const char *word, uint32_t *after)
{
    int first = tree_at(p->t, function)->declaration;
    for (int f = from; f >= 0 && f <= function; f++) {
        const struct tree_node *n = tree_at(p->t, f);
        if (n->kind != NODE_FUNCTION || n->declaration != first)
            continue;
        uint32_t end = n->start;
        while (end < p->size && p->text[end] != ';' && p->text[end] != '{')
            end++;
        if (pass_has_word(p, n->start, end, word, after))
            return f;
    }
    return -1;
}

bool pass_has_attribute(const struct pass *p, int function, const char *word, uint32_t *after)
{
    return pass_attribute_at(p, function, tree_at(p->t, function)->declaration, word, after) >= 0;
}

bool pass_is_naked(const struct pass *p, int function)
{
    uint32_t after;
    return pass_has_attribute(p, function, "naked", &after);
}

const struct handler *pass_handler_of(const struct pass *p, int function)
{
    for (unsigned i = 0; i < p->handler_count; i++)
        if (strcmp(tree_at(p->t, p->handlers[i].function)->name, tree_at(p->t, function)->name) == 0)
            return &p->handlers[i];
    return NULL;
}

/* Whether the reference is what a call calls, rather than an address given to code that may call it often. */
bool pass_is_called_here(const struct pass *p, int node)
{
    int above = tree_above(p->t, node);
    return above >= 0 && tree_at(p->t, above)->kind == NODE_CALL &&
           tree_inner(p->t, tree_at(p->t, above)->child) == node;
}

/* Headers are full of functions that a file does not use, and the compiler leaves out. */
bool pass_is_in_use(const struct pass *p, int function)
{
    return p->used[function];
}

int pass_definition_of(const struct pass *p, int declaration)
{
    for (size_t i = declaration < 0 ? tree_count(p->t) : (size_t)declaration; i < tree_count(p->t); i++)
        if (tree_at(p->t, (int)i)->kind == NODE_FUNCTION && tree_at(p->t, (int)i)->declaration == declaration &&
            pass_body_of(p, (int)i) >= 0)
            return (int)i;
    return -1;
}

/* Code that loops without counting: the registers distinguish an interrupt in it from others. */
void pass_uncounted(struct pass *p, uint32_t start, uint32_t end)
{
    if (p->o->stamp) /* cycles tell */
        return;
    edits_add(&p->edits, start, EDIT_OPEN, "({motet_uncounted++;");
    edits_add(&p->edits, end, EDIT_CLOSE, ";motet_uncounted--;})");
}
