#include "rewrite/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/edits.h"
#include "rewrite/stated.h"
#include "rewrite/tree.h"

/* ---- the plan ---- */

bool trace_load(struct trace *t, const char *path, struct motet_error *e)
{
    char line[2048];
    bool good = true;
    FILE *f = fopen(path, "r");
    if (!f)
        return error_set(e, "cannot read the plan %s: %s", path, strerror(errno));
    t->text = memory_string("");
    for (unsigned number = 1; good && fgets(line, sizeof line, f); number++) {
        good = trace_plan_add(&t->plan, line) || error_set(e, "%s is not a plan of motet slice: line %u", path, number);
        char *longer = memory_format("%s%s", t->text, line);
        free(t->text);
        t->text = longer;
    }
    fclose(f);
    return good &&
           (t->plan.function_count || error_set(e, "%s is not a plan of motet slice: it has no function", path));
}

void trace_free(struct trace *t)
{
    trace_plan_free(&t->plan);
    free(t->text);
    *t = (struct trace){0};
}

/* ---- in one source ---- */

struct placing {
    const struct trace *t;
    struct tree *tree;
    struct edits edits;
    const char *text;
    size_t size;
    bool *here; /* by cell: its alias is in this source */
    bool hosts; /* the tracer is in this source */
    bool avr, cpp;
    struct motet_error *e;
};

static bool trace_is_at(const struct placing *p, int node, const char *file)
{
    unsigned line, column;
    const char *is = tree_place(p->tree, node, &line, &column);
    return stated_is_file(is, file) || stated_is_file(file, is);
}

/* The function of the plan that is defined at a node, NULL: none. */
static const struct trace_function *trace_find(const struct placing *p, int node)
{
    for (size_t i = 0; i < p->t->plan.function_count; i++)
        if (strcmp(p->t->plan.functions[i].name, tree_at(p->tree, node)->name) == 0 &&
            trace_is_at(p, node, p->t->plan.functions[i].file))
            return &p->t->plan.functions[i];
    return NULL;
}

static unsigned trace_pointee(const struct placing *p, const struct trace_function *f, unsigned parameter)
{
    for (size_t i = 0; i < p->t->plan.pointee_count; i++)
        if (p->t->plan.pointees[i].function == f->number && p->t->plan.pointees[i].parameter == parameter)
            return p->t->plan.pointees[i].size;
    return 0;
}

/* How a replay takes a value: as bytes, as a pointer to data, as one to a function (target/native/traced.c). */
static int trace_pointer_kind(const char *type)
{
    return strstr(type, "(*)") ? 2 : strchr(type, '*') != NULL;
}

/* Calls that note, or give, a function's arguments. */
static void trace_arguments(struct placing *p, const struct trace_function *f, const struct tree_signature *s,
                            uint32_t inside)
{
    for (unsigned i = 0; i < s->count && i < TREE_PARAMETERS; i++) {
        const struct tree_parameter *a = &s->parameters[i];
        unsigned size = trace_pointee(p, f, i);
        if (!a->name[0])
            continue;
        edits_add(&p->edits, inside, EDIT_OPEN,
                  " motet_trace_value(motet_trace_mark, (const void *)&%s, sizeof %s, %d);", a->name, a->name,
                  a->to_function ? 2 : a->is_pointer);
        if (size)
            edits_add(&p->edits, inside, EDIT_OPEN, " motet_trace_memory(motet_trace_mark, (void *)&%s, %u);", a->name,
                      size);
    }
}

static void trace_handler(struct placing *p, const struct trace_function *f, uint32_t inside)
{
    bool skipped = f->kind == TRACE_SKIPPED;
    if (f->kind == TRACE_QUIET) {
        edits_add(&p->edits, inside, EDIT_OPEN,
                  TRACE_CHIP " __attribute__((cleanup(motet_trace_returns_quiet), unused)) struct motet_trace_handler "
                             "motet_trace_from; motet_trace_interrupt_quiet(&motet_trace_from);" TRACE_CHIP_END);
        return;
    }
    edits_add(&p->edits, inside, EDIT_OPEN,
              " __attribute__((cleanup(motet_trace_returns%s), unused)) struct motet_trace_handler "
              "motet_trace_from; motet_trace_interrupt%s(&motet_trace_from, %u);%s",
              skipped ? "_skipped" : "", skipped ? "_skipped" : "", f->number,
              skipped ? TRACE_NATIVE "return;" TRACE_NATIVE_END : "");
}

static void trace_traced(struct placing *p, const struct trace_function *f, const struct tree_signature *s,
                         uint32_t inside)
{
    bool quiet = f->is_leaf || f->is_inlined; /* of an inlined function, only a replay's messages need to know */
    edits_add(&p->edits, inside, EDIT_OPEN,
              "%s __attribute__((cleanup(motet_trace_left%s), unused)) unsigned char motet_trace_mark = "
              "motet_trace_entered%s(%u);%s",
              f->is_inlined ? TRACE_NATIVE : "", quiet ? "_leaf" : "", quiet ? "_leaf" : "", f->number,
              f->is_inlined ? TRACE_NATIVE_END : "");
    if (!f->is_inlined)
        trace_arguments(p, f, s, inside);
}

/* What parameters lead to is noted where a skipped function is left, and given in place of its body. */
static char *trace_pointees(const struct placing *p, const struct trace_function *f, const struct tree_signature *s)
{
    char *all = memory_string("");
    for (unsigned i = 0; i < s->count && i < TREE_PARAMETERS; i++) {
        unsigned size = trace_pointee(p, f, i);
        if (!size || !s->parameters[i].name[0])
            continue;
        char *longer = memory_format("%s motet_trace_memory(motet_trace_mark, (void *)&%s, %u);", all,
                                     s->parameters[i].name, size);
        free(all);
        all = longer;
    }
    return all;
}

static void trace_skipped(struct placing *p, const struct trace_function *f, const struct tree_signature *s, int body)
{
    uint32_t inside = tree_at(p->tree, body)->start + 1, end = tree_at(p->tree, body)->end;
    char *pointees = trace_pointees(p, f, s);
    edits_add(&p->edits, inside, EDIT_OPEN,
              " __attribute__((cleanup(motet_trace_back%s), unused)) unsigned char motet_trace_mark = "
              "motet_trace_skipped(%u);",
              f->is_still ? "_still" : "", f->number);
    if (s->returns)
        edits_add(&p->edits, inside, EDIT_OPEN,
                  TRACE_NATIVE "{%s %s motet_result; motet_trace_value(motet_trace_mark, (const void *)&motet_result, "
                               "sizeof motet_result, %d); "
                               "return motet_result; }" TRACE_NATIVE_END,
                  pointees, s->result, trace_pointer_kind(s->result));
    else
        edits_add(&p->edits, inside, EDIT_OPEN, TRACE_NATIVE "{%s return; }" TRACE_NATIVE_END, pointees);
    for (size_t i = (size_t)body; i < tree_count(p->tree) && tree_at(p->tree, (int)i)->start < end; i++) {
        const struct tree_node *n = tree_at(p->tree, (int)i);
        int value = n->kind == NODE_RETURN ? tree_child(p->tree, (int)i, 0) : -1;
        if (value >= 0 && s->returns) {
            edits_add(&p->edits, tree_at(p->tree, value)->start, EDIT_OPEN, "({ %s motet_result = (", s->result);
            edits_add(&p->edits, tree_at(p->tree, value)->end, EDIT_CLOSE,
                      ");%s motet_trace_value(motet_trace_mark, (const void *)&motet_result, sizeof motet_result, %d); "
                      "motet_result; })",
                      pointees, trace_pointer_kind(s->result));
        } else if (n->kind == NODE_RETURN && pointees[0]) {
            edits_add(&p->edits, n->start, EDIT_OPEN, "{%s ", pointees);
            edits_add(&p->edits, n->end + 1, EDIT_CLOSE, " }");
        }
    }
    if (!s->returns && pointees[0])
        edits_add(&p->edits, end - 1, EDIT_OPEN, "%s", pointees);
    free(pointees);
}

/* ---- references ---- */

static bool trace_counts(const struct placing *p, const struct trace_function *f, const char *name)
{
    for (size_t i = 0; i < p->t->plan.reference_count; i++)
        if (p->t->plan.references[i].function == f->number && strcmp(p->t->plan.references[i].name, name) == 0)
            return true;
    return false;
}

/* Where an expression is worked out by the compiler, or is not worked out at all. */
static bool trace_is_constant(const struct placing *p, int node)
{
    for (int above = tree_at(p->tree, node)->parent; above >= 0; above = tree_at(p->tree, above)->parent) {
        const struct tree_node *n = tree_at(p->tree, above);
        if (n->kind == NODE_SIZEOF || n->kind == NODE_ASM || (n->kind == NODE_VARIABLE && n->is_static))
            return true;
        if (n->kind == NODE_FUNCTION)
            return false;
    }
    return false;
}

static bool trace_is_local(const struct placing *p, int node, int function)
{
    int declaration = tree_at(p->tree, node)->declaration;
    return declaration >= 0 && tree_function(p->tree, declaration) == function &&
           !tree_at(p->tree, declaration)->is_static;
}

/* The whole object or value that an expression is part of: of a in a.b[2], all of it. */
static int trace_whole(const struct placing *p, int node)
{
    for (;;) {
        int above = tree_at(p->tree, node)->parent;
        const struct tree_node *n = above >= 0 ? tree_at(p->tree, above) : NULL;
        if (!n || (n->kind != NODE_MEMBER && n->kind != NODE_SUBSCRIPT && n->kind != NODE_PARENTHESES) ||
            (n->kind != NODE_PARENTHESES &&
             (tree_child(p->tree, above, 0) != node || tree_at(p->tree, node)->is_pointer)))
            return node;
        node = above;
    }
}

/* Whether its value is taken, and it is a scalar. */
static bool trace_is_read(const struct placing *p, int node)
{
    const struct tree_node *n = tree_at(p->tree, node), *above = tree_at(p->tree, n->parent);
    if (!(n->integer || n->is_pointer) || n->is_array || n->is_record)
        return false;
    bool changed = (above->operator== OPERATOR_ASSIGN || above->kind == NODE_ASSIGN_OPERATION) &&
                   tree_child(p->tree, n->parent, 0) == node;
    return !changed && above->operator!= OPERATOR_STEP && above->operator!= OPERATOR_ADDRESS;
}

/* A read is one with its count; other references come after it. */
static void trace_count_at(struct placing *p, int node, int counted, const char *open, const char *close)
{
    int whole = trace_whole(p, node);
    const struct tree_node *n = tree_at(p->tree, whole), *c = tree_at(p->tree, counted);
    if (trace_is_read(p, whole)) {
        edits_add(&p->edits, n->start, EDIT_OPEN,
                  "({ unsigned motet_trace_status = motet_trace_reads(); %s motet_trace_is = ",
                  p->cpp ? "auto" : "__auto_type");
        edits_add(&p->edits, n->end, EDIT_CLOSE, "%s; motet_trace_read(motet_trace_status); motet_trace_is; })",
                  n->is_pointer ? "" : " + 0");
        return;
    }
    edits_add(&p->edits, c->start, EDIT_OPEN, "%s", open);
    edits_add(&p->edits, c->end, EDIT_CLOSE, "%s", close);
}

static void trace_count_reference(struct placing *p, const struct trace_function *f, int function, int node)
{
    const struct tree_node *n = tree_at(p->tree, node);
    int by = n->operator== OPERATOR_FOLLOW || n->kind == NODE_MEMBER || n->kind == NODE_SUBSCRIPT
                 ? tree_child(p->tree, node, 0)
                 : - 1;
    if (trace_is_constant(p, node))
        return;
    if (n->kind == NODE_REFERENCE && n->name && trace_counts(p, f, n->name) && !trace_is_local(p, node, function))
        trace_count_at(p, node, node, "(*({ motet_trace_count(); &", "; }))");
    else if (by >= 0 && tree_at(p->tree, by)->is_pointer && trace_counts(p, f, "*"))
        trace_count_at(p, node, by, "({ motet_trace_count(); ", "; })");
}

/* ---- functions and cells ---- */

static void trace_function(struct placing *p, int node, int body, const struct trace_function *f)
{
    struct tree_signature s;
    uint32_t inside = tree_at(p->tree, body)->start + 1, end = tree_at(p->tree, body)->end;
    if (f->kind == TRACE_PASSES || !tree_signature(p->tree, node, &s))
        return;
    if (f->is_handler)
        trace_handler(p, f, inside);
    else if (f->kind == TRACE_TRACED)
        trace_traced(p, f, &s, inside);
    else
        trace_skipped(p, f, &s, body);
    for (size_t i = (size_t)body;
         f->kind == TRACE_TRACED && i < tree_count(p->tree) && tree_at(p->tree, (int)i)->start < end; i++)
        trace_count_reference(p, f, node, (int)i);
}

/* A cell's variable gets a name that the tracer's source can use; a static one of a function tells where it is. */
static void trace_variable(struct placing *p, int node)
{
    const struct tree_node *n = tree_at(p->tree, node);
    int function = tree_function(p->tree, node);
    for (size_t i = 0; i < p->t->plan.cell_count; i++) {
        const struct trace_cell *c = &p->t->plan.cells[i];
        if (p->here[i] || strcmp(c->name, n->name) != 0 || !trace_is_at(p, node, c->file))
            continue;
        if (c->place && function >= 0 && n->is_static && strcmp(tree_at(p->tree, function)->name, c->function) == 0) {
            uint32_t at = n->end;
            while (at < p->size && p->text[at] != ';')
                at++;
            edits_add(&p->edits, at + 1, EDIT_OPEN,
                      TRACE_CHIP " motet_trace_places[%u] = (unsigned char *)&%s + %u;" TRACE_CHIP_END, c->place,
                      c->name, c->offset);
            p->here[i] = true;
        } else if (!c->place && c->is_static && function < 0) {
            edits_add(&p->edits, (uint32_t)p->size, EDIT_OPEN,
                      "\n" TRACE_CHIP
                      "extern __typeof__(%s) motet_cell_%zu __attribute__((alias(\"%s\")));" TRACE_CHIP_END,
                      c->name, i + 1, c->name);
            p->here[i] = true;
        }
    }
}

/* ---- the tracer ---- */

static char *trace_read(const struct placing *p, const char *name)
{
    char *path = memory_format("%s/trace/%s", p->t->target_files, name), *text = NULL;
    FILE *f = fopen(path, "rb");
    size_t size = 0;
    if (f && fseek(f, 0, SEEK_END) == 0) {
        size = (size_t)ftell(f);
        rewind(f);
        text = memory_bytes(size + 1);
        size = fread(text, 1, size, f);
        text[size] = '\0';
    }
    if (f)
        fclose(f);
    if (!text)
        error_set(p->e, "cannot read %s: %s", path, strerror(errno));
    free(path);
    return text;
}

static void trace_write_table(struct placing *p)
{
    uint32_t end = (uint32_t)p->size;
    for (size_t i = 0; i < p->t->plan.cell_count; i++) {
        const struct trace_cell *c = &p->t->plan.cells[i];
        if (!c->is_static)
            edits_add(&p->edits, end, EDIT_OPEN, "extern unsigned char motet_cell_%zu[] __asm__(\"%s\");\n", i + 1,
                      c->name);
        else if (!p->here[i] && !c->place)
            edits_add(&p->edits, end, EDIT_OPEN, "extern unsigned char motet_cell_%zu[];\n", i + 1);
    }
    edits_add(&p->edits, end, EDIT_OPEN, "__attribute__((section(\"%s\"))) const unsigned motet_trace_cells[] = {\n",
              p->avr ? ".progmem.data.motet" : ".rodata.motet");
    for (size_t i = 0; i < p->t->plan.cell_count; i++)
        if (p->t->plan.cells[i].place)
            edits_add(&p->edits, end, EDIT_OPEN, "%u, %u,\n", p->t->plan.cells[i].place, p->t->plan.cells[i].size);
        else
            edits_add(&p->edits, end, EDIT_OPEN, "(unsigned)&motet_cell_%zu + %u, %u,\n", i + 1,
                      p->t->plan.cells[i].offset, p->t->plan.cells[i].size);
    edits_add(&p->edits, end, EDIT_OPEN, "0};\n");
}

static void trace_write_plan(struct placing *p)
{
    edits_add(
        &p->edits, (uint32_t)p->size, EDIT_OPEN,
        "__asm__(\".pushsection .motet.trace,\\\"\\\",@progbits\\n\\t.asciz \\\"ring %u\\\"\\n\\t.popsection\");\n",
        p->t->ring);
    for (const char *line = p->t->text, *stop; (stop = strchr(line, '\n')); line = stop + 1)
        edits_add(
            &p->edits, (uint32_t)p->size, EDIT_OPEN,
            "__asm__(\".pushsection .motet.trace,\\\"\\\",@progbits\\n\\t.asciz \\\"%.*s\\\"\\n\\t.popsection\");\n",
            (int)(stop - line), line);
}

static bool trace_host(struct placing *p)
{
    unsigned shadow = 0, places = 1;
    uint32_t end = (uint32_t)p->size;
    char *port = trace_read(p, p->avr ? "avr.c" : "msp430.c"), *tracer = trace_read(p, "tracer.c");
    for (size_t i = 0; i < p->t->plan.cell_count; i++) {
        shadow += p->t->plan.cells[i].size;
        places += p->t->plan.cells[i].place != 0;
    }
    if (port && tracer) {
        edits_add(&p->edits, end, EDIT_OPEN, "\n" TRACE_CHIP "\n");
        trace_write_table(p);
        edits_add(&p->edits, end, EDIT_OPEN,
                  "unsigned char *motet_trace_places[%u];\nenum { MOTET_TRACE_RING = %u, MOTET_TRACE_SHADOW = %u, "
                  "MOTET_TRACE_CELLS = %zu, MOTET_TRACE_PLACES = %u };\n",
                  places, p->t->ring, shadow, p->t->plan.cell_count, places);
        edits_add(&p->edits, end, EDIT_OPEN, "%s%s", port, tracer);
        edits_add(&p->edits, end, EDIT_OPEN, "\n" TRACE_CHIP_END "\n");
        trace_write_plan(p);
    }
    bool good = port && tracer;
    free(port);
    free(tracer);
    return good;
}

/* What sources use of the tracer. */
static const char declarations[] =
    "extern volatile unsigned char motet_violated;\n"
    "struct motet_trace_handler { unsigned char number, inside, noted; unsigned count; struct motet_trace_handler "
    "*outer; };\n"
    "unsigned char motet_trace_entered(unsigned char number);\n"
    "void motet_trace_left(unsigned char *mark);\n"
    "void motet_trace_value(unsigned char mark, const void *value, unsigned size, unsigned char is_pointer);\n"
    "void motet_trace_memory(unsigned char mark, void *pointer, unsigned size);\n"
    "unsigned char motet_trace_skipped(unsigned char number);\n"
    "void motet_trace_back(unsigned char *mark);\n"
    "void motet_trace_back_still(unsigned char *mark);\n"
    "unsigned char motet_trace_interrupt(struct motet_trace_handler *h, unsigned char number);\n"
    "void motet_trace_returns(struct motet_trace_handler *h);\n"
    "unsigned char motet_trace_interrupt_skipped(struct motet_trace_handler *h, unsigned char number);\n"
    "void motet_trace_returns_skipped(struct motet_trace_handler *h);\n"
    "void motet_trace_interrupt_quiet(struct motet_trace_handler *h);\n"
    "void motet_trace_returns_quiet(struct motet_trace_handler *h);\n"
    "unsigned char motet_trace_entered_leaf(unsigned char number);\n"
    "void motet_trace_left_leaf(unsigned char *mark);\n"
    "void motet_trace_count(void);\n"
    "unsigned motet_trace_reads(void);\n"
    "void motet_trace_read(unsigned status);\n"
    "void motet_trace_end(unsigned char invariant);\n"
    "extern unsigned char *motet_trace_places[];\n";

/* The tracer is in the source of the first traced function that stands in no header. */
static bool trace_is_host(const struct placing *p, const struct trace_function *f)
{
    for (size_t i = 0; i < p->t->plan.function_count; i++) {
        size_t length = strlen(p->t->plan.functions[i].file);
        bool header = length > 2 && strcmp(p->t->plan.functions[i].file + length - 2, ".h") == 0;
        if (!header && p->t->plan.functions[i].kind == TRACE_TRACED)
            return &p->t->plan.functions[i] == f;
    }
    return false;
}

static bool trace_write(const char *path, const char *text, size_t size, struct motet_error *e)
{
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(text, 1, size, f) == size;
    good = (!f || fclose(f) == 0) && good;
    return good || error_set(e, "cannot write %s: %s", path, strerror(errno));
}

static void trace_all(struct placing *p)
{
    for (size_t i = 0; i < tree_count(p->tree); i++) {
        const struct tree_node *n = tree_at(p->tree, (int)i);
        int last = n->kind == NODE_FUNCTION ? tree_last_child(p->tree, (int)i) : -1;
        const struct trace_function *f =
            last >= 0 && tree_at(p->tree, last)->kind == NODE_COMPOUND ? trace_find(p, (int)i) : NULL;
        if (f)
            trace_function(p, (int)i, last, f);
        if (f && trace_is_host(p, f))
            p->hosts = true;
        if (n->kind == NODE_VARIABLE && n->name && !n->is_extern)
            trace_variable(p, (int)i);
    }
}

bool trace_place(const struct trace *t, const char *path, const char *target, bool cpp, const char *const *types,
                 struct motet_error *e)
{
    struct placing p = {.t = t, .cpp = cpp, .avr = strcmp(target, "avr") == 0, .e = e};
    p.tree = tree_parse(path, target, cpp, types, e);
    if (!p.tree)
        return false;
    p.text = tree_text(p.tree, &p.size);
    p.here = memory_array(t->plan.cell_count + 1, sizeof *p.here);
    edits_add(&p.edits, 0, EDIT_OPEN, "# 1 \"<motet>\"\n%s%s%s", cpp ? "extern \"C\" {\n" : "", declarations,
              cpp ? "}\n" : "");
    trace_all(&p);
    bool good = !p.hosts || trace_host(&p);
    if (good && p.edits.count > 1) {
        size_t new_size;
        char *new = edits_apply(&p.edits, p.text, p.size, &new_size);
        good = trace_write(path, new, new_size, e);
        free(new);
    }
    edits_free(&p.edits);
    tree_free(p.tree);
    free(p.here);
    return good;
}
