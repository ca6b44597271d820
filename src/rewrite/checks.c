#include "rewrite/checks.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/edits.h"
#include "rewrite/tree.h"

/* ---- what is stated ---- */

static bool checks_set_clock(struct check *c, const char *clock, struct motet_error *e)
{
    if (c->s.kind == STATED_ALWAYS)
        return true;
    const char *slash = clock ? strrchr(clock, '/') : NULL;
    double hz = slash ? strtod(slash + 1, NULL) : 0;
    if (!(hz > 0) || slash == clock)
        return error_set(
            e, "the invariant '%s' is about time: give --clock 'EXPRESSION/HZ', for example 'timer_now()/32768'",
            c->s.text);
    c->ticks = c->s.seconds * hz;
    c->clock = clock;
    return (c->ticks >= 1 && c->ticks < 2147483648.0) ||
           error_set(e, "the invariant '%s': its time is %.3g ticks of the clock; from 1 to 2147483647 can be compared",
                     c->s.text, c->ticks);
}

bool checks_make(struct checks *c, const char *const *invariants, size_t count, const char *clock,
                 struct motet_error *e)
{
    *c = (struct checks){.list = memory_array(count + 1, sizeof *c->list)};
    for (size_t i = 0; i < count; i++) {
        struct check *check = &c->list[c->count++];
        check->number = (unsigned)i + 1;
        if (!stated_parse(&check->s, invariants[i], e) || !checks_set_clock(check, clock, e))
            return false;
        if (check->s.expression)
            check->expression = memory_format("%.*s", (int)check->s.length, check->s.expression);
    }
    return count < CHECKS_MOST || error_set(e, "more than %d invariants are given", CHECKS_MOST - 1);
}

void checks_free(struct checks *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->list[i].expression);
        free(c->list[i].expanded);
    }
    free(c->list);
    *c = (struct checks){0};
}

/* ---- macros ---- */

/* A word in capitals may be a macro. */
static bool checks_has_capitals(const char *text)
{
    for (; *text; text++)
        if (isupper((unsigned char)text[0]) && isupper((unsigned char)text[1]))
            return true;
    return false;
}

bool checks_want_macros(const struct checks *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->list[i].expression && checks_has_capitals(c->list[i].expression))
            return true;
    return false;
}

bool checks_ask(const struct checks *c, const char *source, const char *path, struct motet_error *e)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return error_set(e, "cannot write %s: %s", path, strerror(errno));
    fprintf(f, "#include \"%s\"\n", source);
    for (size_t i = 0; i < c->count; i++)
        fprintf(f, "\nmotet_expression_%zu %s motet_end_%zu\n", i, c->list[i].expression ? c->list[i].expression : "",
                i);
    return fclose(f) == 0 || error_set(e, "cannot write %s: %s", path, strerror(errno));
}

static char *checks_read(const char *path, struct motet_error *e)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, got = 1;
    for (; f && got; size += got) {
        text = memory_resize(text, size + 65537, 1);
        got = fread(text + size, 1, 65536, f);
    }
    if (!f) {
        error_set(e, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    fclose(f);
    text[size] = '\0';
    return text;
}

bool checks_take(struct checks *c, const char *path, struct motet_error *e)
{
    char *text = checks_read(path, e);
    for (size_t i = 0; text && i < c->count; i++) {
        char begin[48], end[48];
        snprintf(begin, sizeof begin, "motet_expression_%zu ", i);
        snprintf(end, sizeof end, " motet_end_%zu", i);
        char *from = strstr(text, begin), *to = from ? strstr(from, end) : NULL;
        if (!to || !c->list[i].expression)
            continue;
        from += strlen(begin);
        free(c->list[i].expanded);
        c->list[i].expanded = memory_format("%.*s", (int)(to - from), from);
        for (char *line = c->list[i].expanded; *line; line++) /* one line, without marks: a macro's text has none */
            *line = *line == '\n' ? ' ' : *line;
    }
    free(text);
    return text != NULL;
}

/* ---- in one source ---- */

struct placing {
    struct check *c;
    struct tree *t;
    struct edits *edits;
    const char *text;
    size_t size;
    int function, body;
    const char *name;
    bool local; /* the expression names a local variable */
    enum checks_freeze freeze;
    struct motet_error *e;
};

static bool checks_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool checks_has_word(const char *text, size_t size, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(text + i, word, length) == 0 && (i == 0 || !checks_is_word(text[i - 1])) &&
            (i + length == size || !checks_is_word(text[i + length])))
            return true;
    return false;
}

/* The C of what is done at a violation. */
static char *checks_fails(const struct placing *p)
{
    return memory_format(p->freeze == CHECKS_FREEZE_TRACE ? "if (!motet_violated) motet_trace_end(%u);"
                         : p->freeze == CHECKS_FREEZE_LOG
                             ? "if (!motet_violated) { motet_violated = %u; motet_freeze(); }"
                             : "if (!motet_violated) motet_violated = %u;",
                         p->c->number);
}

/* The C of one check: a statement. */
static char *checks_statement(const struct placing *p)
{
    static const char timed[] = "{ unsigned long motet_now = (unsigned long)(%.*s); if (%s) { %s } "
                                "%s{ motet_last_%u = motet_now; motet_begun_%u = 1; } }";
    const struct check *c = p->c;
    const char *holds = c->expanded ? c->expanded : c->expression ? c->expression : "1";
    char *result, *fails = checks_fails(p);
    if (c->s.kind == STATED_ALWAYS) {
        result = memory_format("{ if (!(%s)) { %s } }", holds, fails);
    } else {
        bool within = c->s.kind == STATED_WITHIN;
        int length = (int)(strrchr(c->clock, '/') - c->clock);
        char *late =
            memory_format("motet_begun_%u && motet_now - motet_last_%u > %.0fUL", c->number, c->number, c->ticks);
        char *when = within ? memory_format("%s && !(%s)", late, holds) : memory_format("(%s) || !(%s)", late, holds);
        char *renews = within ? memory_format("if (!motet_begun_%u || (%s)) ", c->number, holds) : memory_string("");
        result = memory_format(timed, length, c->clock, when, fails, renews, c->number, c->number);
        free(late);
        free(when);
        free(renews);
    }
    free(fails);
    return result;
}

/* ---- where ---- */

static bool checks_is_expression(enum node_kind kind)
{
    return kind >= NODE_PARENTHESES && kind <= NODE_CALL;
}

/* A statement that is an expression: neither a condition nor part of another one; nor the value of a block in
 * parentheses. */
static bool checks_is_statement(const struct placing *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    if (!checks_is_expression(n->kind) || n->parent < 0)
        return false;
    int above = n->parent;
    switch (tree_at(p->t, above)->kind) {
    case NODE_COMPOUND: {
        int around = tree_at(p->t, above)->parent;
        return around >= 0 && !checks_is_expression(tree_at(p->t, around)->kind) &&
               tree_at(p->t, around)->kind != NODE_OTHER;
    }
    case NODE_IF:
    case NODE_WHILE: return tree_child(p->t, above, 0) != node;
    case NODE_DO: return tree_child(p->t, above, 0) == node;
    case NODE_FOR:
    case NODE_LABEL:
    case NODE_CASE: return tree_last_child(p->t, above) == node;
    default: return false;
    }
}

/* Whether the statement may change a variable of the invariant: by name, by a call, through a pointer. */
static bool checks_may_change(const struct placing *p, int node)
{
    const struct tree_node *s = tree_at(p->t, node);
    bool names = false, writes = false, calls = false, follows = false;
    for (size_t i = (size_t)node; i < tree_count(p->t) && tree_at(p->t, (int)i)->start < s->end; i++) {
        const struct tree_node *n = tree_at(p->t, (int)i);
        for (size_t k = 0; n->kind == NODE_REFERENCE && k < p->c->s.name_count; k++)
            names = names || strcmp(n->name, p->c->s.names[k].name) == 0;
        bool assigns = n->operator== OPERATOR_ASSIGN || n->operator== OPERATOR_STEP;
        writes = writes || n->kind == NODE_ASSIGN_OPERATION || assigns;
        calls = calls || n->kind == NODE_CALL;
        follows = follows || n->operator== OPERATOR_FOLLOW || n->kind == NODE_SUBSCRIPT || n->kind == NODE_MEMBER;
    }
    bool here = p->c->s.function[0] || p->c->s.first_line;
    return (names && (writes || calls)) || (here && (calls || (writes && follows)));
}

/* The declarations of the expression's local variables are before, and their block is still open. */
static bool checks_in_scope(const struct placing *p, uint32_t at)
{
    for (size_t k = 0; k < p->c->s.name_count; k++)
        for (size_t i = (size_t)p->function;
             i < tree_count(p->t) && tree_at(p->t, (int)i)->start < tree_at(p->t, p->body)->end; i++) {
            const struct tree_node *n = tree_at(p->t, (int)i);
            if (n->kind != NODE_VARIABLE || !n->name || strcmp(n->name, p->c->s.names[k].name) != 0)
                continue;
            int block = n->parent;
            while (block >= 0 && tree_at(p->t, block)->kind != NODE_COMPOUND && tree_at(p->t, block)->kind != NODE_FOR)
                block = tree_at(p->t, block)->parent;
            if (at <= n->end || (block >= 0 && at > tree_at(p->t, block)->end))
                return false;
        }
    return true;
}

static bool checks_in_lines(const struct placing *p, int node)
{
    unsigned line, column;
    if (!p->c->s.first_line)
        return true;
    tree_place(p->t, node, &line, &column);
    return line >= p->c->s.first_line && line <= p->c->s.last_line;
}

static uint32_t checks_after(const struct placing *p, int node)
{
    uint32_t at = tree_at(p->t, node)->end;
    while (at < p->size && p->text[at] != ';')
        at++;
    return at + 1;
}

/* ---- placing ---- */

static void checks_after_statements(struct placing *p)
{
    uint32_t end = tree_at(p->t, p->body)->end;
    for (size_t i = (size_t)p->body; i < tree_count(p->t) && tree_at(p->t, (int)i)->start < end; i++) {
        const struct tree_node *n = tree_at(p->t, (int)i);
        if (!checks_is_statement(p, (int)i) || !checks_may_change(p, (int)i) || !checks_in_lines(p, (int)i) ||
            !checks_in_scope(p, n->start))
            continue;
        char *check = checks_statement(p);
        edits_add(p->edits, n->start, EDIT_OPEN, "{");
        edits_add(p->edits, checks_after(p, (int)i), EDIT_CLOSE, " %s }", check);
        free(check);
        p->c->placed++;
    }
}

/* When the function is left, by whatever way; of one that is to be checked every so often, when it is entered. */
static void checks_around(struct placing *p)
{
    char *check = checks_statement(p);
    uint32_t inside = tree_at(p->t, p->body)->start + 1;
    if (p->c->s.kind == STATED_EVERY) {
        edits_add(p->edits, inside, EDIT_OPEN, " %s", check);
    } else {
        edits_add(p->edits, 0, EDIT_OPEN, "static void motet_check_%u_%d(char *motet_left);\n", p->c->number,
                  p->function);
        edits_add(p->edits, (uint32_t)p->size, EDIT_OPEN,
                  "\nstatic void motet_check_%u_%d(char *motet_left) { (void)motet_left; %s }\n", p->c->number,
                  p->function, check);
        edits_add(p->edits, inside, EDIT_OPEN,
                  " __attribute__((cleanup(motet_check_%u_%d), unused)) char motet_left_%u = 0;", p->c->number,
                  p->function, p->c->number);
    }
    p->c->placed++;
    free(check);
}

/* A local variable or parameter of the function, by any name of the expression. */
static bool checks_names_local(const struct placing *p)
{
    uint32_t end = tree_at(p->t, p->body)->end;
    for (size_t i = (size_t)p->function; i < tree_count(p->t) && tree_at(p->t, (int)i)->start < end; i++) {
        const struct tree_node *n = tree_at(p->t, (int)i);
        for (size_t k = 0; k < p->c->s.name_count; k++)
            if ((n->kind == NODE_VARIABLE || n->kind == NODE_PARAMETER) && n->name &&
                strcmp(n->name, p->c->s.names[k].name) == 0)
                return true;
    }
    return false;
}

static bool checks_is_wanted(const struct placing *p)
{
    unsigned line, column;
    const struct stated *s = &p->c->s;
    const char *file = tree_place(p->t, p->function, &line, &column);
    return (!s->file[0] || stated_is_file(file, s->file)) && (!s->function[0] || stated_is_name(p->name, s->function));
}

static bool checks_know_names(const struct placing *p)
{
    for (size_t k = 0; k < p->c->s.name_count; k++)
        if (!checks_has_word(p->text, p->size, p->c->s.names[k].name))
            return error_set(p->e, "invariant '%s': there is no variable '%s' in %s", p->c->s.text,
                             p->c->s.names[k].name, p->c->s.file[0] ? p->c->s.file : "this source");
    return true;
}

static bool checks_place_in(struct placing *p)
{
    bool anywhere = !p->c->s.function[0] && !p->c->s.first_line;
    if (!checks_is_wanted(p) || (anywhere && !checks_may_change(p, p->body)))
        return true;
    if (!checks_know_names(p))
        return false;
    p->local = checks_names_local(p);
    if (p->local && p->c->s.kind != STATED_ALWAYS)
        return error_set(p->e, "invariant '%s': one about time can name variables of the file only", p->c->s.text);
    if (p->c->s.kind != STATED_EVERY)
        checks_after_statements(p);
    if (!p->local && !p->c->s.first_line)
        checks_around(p);
    return true;
}

/* ---- a function that checks ---- */

/* The name of the function that the invariant consists of, if it does. */
static const char *checks_function_name(const struct check *c)
{
    const struct stated *s = &c->s;
    if (s->kind != STATED_ALWAYS)
        return NULL;
    if (!s->expression)
        return s->function;
    bool alone = !s->function[0] && s->name_count == 1 && strcmp(s->names[0].name, c->expression) == 0;
    return alone ? s->names[0].name : NULL;
}

static bool checks_is_definition(const struct tree *t, int node)
{
    int last = tree_at(t, node)->kind == NODE_FUNCTION ? tree_last_child(t, node) : -1;
    return last >= 0 && tree_at(t, last)->kind == NODE_COMPOUND;
}

/* Its definition here, else a declaration; -1: none. */
static int checks_find_function(const struct tree *t, const char *name)
{
    int found = -1;
    for (size_t i = 0; name && i < tree_count(t); i++) {
        const struct tree_node *n = tree_at(t, (int)i);
        if (n->kind == NODE_FUNCTION && n->name && stated_is_name(n->name, name) &&
            (found < 0 || !checks_is_definition(t, found)))
            found = (int)i;
    }
    return found;
}

/* A name alone may be a variable's too. */
static bool checks_is_function(const struct check *c, const struct tree *t)
{
    const char *name = checks_function_name(c);
    return name && (!c->expression || checks_find_function(t, name) >= 0);
}

static void checks_add_name(struct stated *s, const char *name)
{
    for (size_t i = 0; i < s->name_count; i++)
        if (strcmp(s->names[i].name, name) == 0)
            return;
    if (s->name_count < STATED_NAMES)
        snprintf(s->names[s->name_count++].name, sizeof s->names->name, "%s", name);
}

/* The variables of files that a function reads, also through functions that it calls; `reached` has these. */
static void checks_add_variables(const struct placing *p, int function, bool *reached)
{
    uint32_t end = tree_at(p->t, function)->end;
    reached[function] = true;
    for (size_t i = (size_t)function; i < tree_count(p->t) && tree_at(p->t, (int)i)->start < end; i++) {
        const struct tree_node *n = tree_at(p->t, (int)i);
        const struct tree_node *is =
            n->kind == NODE_REFERENCE && n->declaration >= 0 ? tree_at(p->t, n->declaration) : NULL;
        if (is && is->kind == NODE_VARIABLE && tree_function(p->t, n->declaration) < 0)
            checks_add_name(&p->c->s, n->name);
        int called = is && is->kind == NODE_FUNCTION ? checks_find_function(p->t, n->name) : -1;
        if (called >= 0 && !reached[called] && checks_is_definition(p->t, called))
            checks_add_variables(p, called, reached);
    }
}

/* Each call of it in the program: what it returns is looked at. True if there is one. */
static bool checks_around_calls(const struct placing *p, const char *name, bool cpp)
{
    char *fails = checks_fails(p);
    bool found = false;
    for (size_t i = 0; i < tree_count(p->t); i++) {
        const struct tree_node *n = tree_at(p->t, (int)i);
        int callee = n->kind == NODE_CALL ? tree_inner(p->t, tree_child(p->t, (int)i, 0)) : -1;
        if (callee < 0 || tree_at(p->t, callee)->kind != NODE_REFERENCE ||
            strcmp(tree_at(p->t, callee)->name, name) != 0)
            continue;
        edits_add(p->edits, n->start, EDIT_OPEN, "({ %s motet_holds = ", cpp ? "auto" : "__auto_type");
        edits_add(p->edits, n->end, EDIT_CLOSE, "; if (!motet_holds) { %s } motet_holds; })", fails);
        p->c->placed++;
        found = true;
    }
    free(fails);
    return found;
}

static struct placing *checks_at(struct placing *p, int function)
{
    p->function = function;
    p->body = tree_last_child(p->t, function);
    p->name = tree_at(p->t, function)->name;
    return p;
}

/* As an expression that calls it, checked where a variable of it is changed; not in what it calls itself. */
static bool checks_around_variables(struct placing *p, int function)
{
    struct check *is = p->c, call = *is;
    bool *reached = memory_array(tree_count(p->t), sizeof *reached), good = true;
    call.expanded = NULL;
    call.expression = memory_format("motet_holds_%u()", call.number);
    call.s.name_count = 0;
    call.s.function[0] = '\0';
    p->c = &call;
    checks_add_variables(p, function, reached);
    for (size_t f = 0; good && f < tree_count(p->t); f++)
        if (!reached[f] && checks_is_definition(p->t, (int)f))
            good = checks_place_in(checks_at(p, (int)f));
    if (call.placed > is->placed) {
        edits_add(p->edits, 0, EDIT_OPEN, "static unsigned char motet_holds_%u(void);\n", call.number);
        edits_add(p->edits, (uint32_t)p->size, EDIT_OPEN,
                  "\nstatic unsigned char motet_holds_%u(void) { return (%s()) != 0; }\n", call.number,
                  tree_at(p->t, function)->name);
    }
    is->placed = call.placed;
    free(call.expression);
    free(reached);
    return good;
}

static bool checks_place_function(struct placing *p, int function, bool cpp)
{
    struct tree_signature s;
    unsigned line, column;
    const char *name = tree_at(p->t, function)->name;
    if (!tree_signature(p->t, function, &s) || !s.returns || !s.result_is_scalar || s.count || s.variadic)
        return error_set(p->e,
                         "invariant '%s': a function that checks takes nothing and returns whether it holds; %s "
                         "is another",
                         p->c->s.text, name);
    bool here = checks_is_definition(p->t, function) &&
                (!p->c->s.file[0] || stated_is_file(tree_place(p->t, function, &line, &column), p->c->s.file));
    return checks_around_calls(p, name, cpp) || !here || checks_around_variables(p, function);
}

/* ---- nesC's names ---- */

static bool checks_is_part_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

/* The text with another name in each place of one; takes over the text. NULL stays. */
static char *checks_rename(char *text, const char *from, const char *to)
{
    size_t length = strlen(from);
    for (size_t at = 0; text && text[at];) {
        bool begins = strncmp(text + at, from, length) == 0 && (!at || !checks_is_part_of_name(text[at - 1])) &&
                      !checks_is_part_of_name(text[at + length]);
        if (!begins) {
            at++;
            continue;
        }
        char *new = memory_format("%.*s%s%s", (int)at, text, to, text + at + length);
        free(text);
        text = new;
        at += strlen(to);
    }
    return text;
}

/* A name with dots is that of a variable with nesC's separators in their place. */
static void checks_resolve(struct check *c, const struct tree *t)
{
    for (size_t k = 0; k < c->s.name_count; k++)
        for (size_t i = 0; strchr(c->s.names[k].name, '.') && i < tree_count(t); i++) {
            const struct tree_node *n = tree_at(t, (int)i);
            if (n->kind != NODE_VARIABLE || !n->name || strlen(n->name) >= sizeof c->s.names[k].name ||
                !stated_is_name(n->name, c->s.names[k].name))
                continue;
            c->expression = checks_rename(c->expression, c->s.names[k].name, n->name);
            c->expanded = checks_rename(c->expanded, c->s.names[k].name, n->name);
            snprintf(c->s.names[k].name, sizeof c->s.names[k].name, "%s", n->name);
        }
}

static bool checks_write(const char *path, const char *text, size_t size, struct motet_error *e)
{
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(text, 1, size, f) == size;
    good = (!f || fclose(f) == 0) && good;
    return good || error_set(e, "cannot write %s: %s", path, strerror(errno));
}

bool checks_place(struct checks *c, const char *path, const char *target, bool cpp, const char *const *types,
                  enum checks_freeze freeze, struct motet_error *e)
{
    struct edits edits = {0};
    struct tree *t = tree_parse(path, target, cpp, types, e);
    if (!t)
        return false;
    struct placing p = {.t = t, .edits = &edits, .freeze = freeze, .e = e};
    p.text = tree_text(t, &p.size);
    bool good = true;
    unsigned before[CHECKS_MOST];
    for (size_t i = 0; i < c->count; i++) {
        before[i] = c->list[i].placed;
        checks_resolve(&c->list[i], t);
    }
    edits_add(&edits, 0, EDIT_OPEN, "# 1 \"<motet>\"\n");
    for (size_t i = 0; good && i < c->count; i++) {
        p.c = &c->list[i];
        for (size_t f = 0; good && !checks_is_function(p.c, t) && f < tree_count(t); f++)
            good = !checks_is_definition(t, (int)f) || checks_place_in(checks_at(&p, (int)f));
    }
    for (size_t i = 0; good && i < c->count; i++) { /* around calls: inside of what is around statements */
        int function = checks_find_function(t, checks_function_name(&c->list[i]));
        p.c = &c->list[i];
        good = function < 0 || checks_place_function(&p, function, cpp);
    }
    if (good && edits.count > 1) {
        size_t size;
        for (size_t i = 0; i < c->count; i++)
            if (c->list[i].s.kind != STATED_ALWAYS && c->list[i].placed > before[i])
                edits_add(&edits, 0, EDIT_OPEN,
                          "__attribute__((unused)) static unsigned long motet_last_%u;\n"
                          "__attribute__((unused)) static unsigned char motet_begun_%u;\n",
                          c->list[i].number, c->list[i].number);
        edits_add(&edits, 0, EDIT_OPEN,
                  "%svoid motet_freeze(void);\nvoid motet_trace_end(unsigned char invariant);\n__attribute__((weak)) "
                  "volatile unsigned char motet_violated;\n%s",
                  cpp ? "extern \"C\" {\n" : "", cpp ? "}\n" : "");
        char *text = edits_apply(&edits, p.text, p.size, &size);
        good = checks_write(path, text, size, e);
        free(text);
    }
    edits_free(&edits);
    tree_free(t);
    return good;
}
