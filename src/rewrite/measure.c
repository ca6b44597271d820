#include "rewrite/measure.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/assembly.h"
#include "rewrite/live.h"
#include "rewrite/reads.h"

enum { DEEPEST = 8 /* calls */, MOST_REGISTERS = 24 };

/* The first and the last node of a function's body, one after it. */
static int nodes_of(const struct pass *p, int function, int *end)
{
    int body = pass_body_of(p, function);
    *end = body + (int)pass_nodes_in(p, body);
    return body;
}

static bool is_changed(const struct pass *p, int node, struct place *at)
{
    if (!pass_is_register(p, node, at) || pass_is_unevaluated(p, node))
        return false;
    enum use use = live_use(p->t, node);
    return use == USE_WRITE || use == USE_UPDATE;
}

static bool measure_is_read(const struct pass *p, int node, struct place *at)
{
    return pass_is_register(p, node, at) && !pass_is_unevaluated(p, node) && live_use(p->t, node) == USE_READ &&
           !(at->in_file && at->is.class == REGISTER_FIXED);
}

static bool reads_timer(const struct pass *p, int function)
{
    int end;
    struct place at;
    for (int i = nodes_of(p, function, &end); i < end; i++)
        if (measure_is_read(p, i, &at) && at.in_file && at.is.class == REGISTER_TIMER)
            return true;
    return false;
}

static int called(const struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    return n->kind == NODE_CALL && n->declaration >= 0 ? pass_definition_of(p, n->declaration) : -1;
}

/* The function around a node, by its first declaration; -1: none. */
static int around(const struct pass *p, int node)
{
    int function = tree_function(p->t, node);
    return function < 0 ? -1 : tree_at(p->t, function)->declaration;
}

/* By first declarations: functions that change how fast the CPU runs, or call what does. NULL: there are none. */
static bool *find_setters(const struct pass *p)
{
    int count = (int)tree_count(p->t);
    bool *sets = memory_array((size_t)count + 1, sizeof *sets), any = false;
    struct place at;
    for (int i = 0; i < count; i++)
        if (around(p, i) >= 0 && is_changed(p, i, &at) && at.in_file && at.is.speed)
            sets[around(p, i)] = any = true;
    for (bool more = any; more;) {
        more = false;
        for (int i = 0; i < count; i++) {
            const struct tree_node *n = tree_at(p->t, i);
            int from = n->kind == NODE_CALL && n->declaration >= 0 && sets[n->declaration] ? around(p, i) : -1;
            if (from >= 0 && !sets[from])
                sets[from] = more = true;
        }
    }
    if (!any)
        free(sets);
    return any ? sets : NULL;
}

/* ---- what stands against it ---- */

/* What the operation changes in place, -1: it does not. */
static int changed_by(const struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    bool assigns = (n->kind == NODE_BINARY && n->operator== OPERATOR_ASSIGN) || n->kind == NODE_ASSIGN_OPERATION ||
                   (n->kind == NODE_UNARY && n->operator== OPERATOR_STEP);
    return assigns ? tree_inner(p->t, n->child) : -1;
}

/* A variable that ends with its function. */
static bool is_local(const struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    const struct tree_node *d = n->kind == NODE_REFERENCE && n->declaration >= 0 ? tree_at(p->t, n->declaration) : NULL;
    return d && (d->kind == NODE_PARAMETER || (d->kind == NODE_VARIABLE && tree_function(p->t, n->declaration) >= 0 &&
                                               !d->is_static && !d->is_extern));
}

static bool is_harmless(const struct pass *p, const struct tree_node *n)
{
    struct assembly a;
    assembly_look(p->text + n->start, n->end - n->start, p->o->target, &a);
    return !a.sleeps && !a.enables && !a.returns && !a.reads && !a.calls[0];
}

/* Why the function cannot be left out in replay, and where; NULL if it can. `own`: it is the one that is recorded as a
 * whole; what it calls is rewritten as ever, and so must not record. */
static const char *measure_hindrance(const struct pass *p, int function, bool own, unsigned depth, int *where)
{
    int end;
    for (int i = nodes_of(p, function, &end); i < end; i++) {
        const struct tree_node *n = tree_at(p->t, i);
        struct place at;
        int of = called(p, i), change = changed_by(p, i);
        *where = i;
        if (n->kind == NODE_ASM && !is_harmless(p, n))
            return "has assembly";
        if (n->kind == NODE_CALL && (of < 0 || depth == DEEPEST))
            return "calls what is not in this file";
        if (change >= 0 && !is_local(p, change) && !pass_is_register(p, change, &at))
            return "changes a variable that is not its own";
        if (n->kind == NODE_UNARY && n->operator== OPERATOR_ADDRESS && is_local(p, tree_inner(p->t, n->child)))
            return "takes the address of a variable";
        if (pass_is_register(p, i, &at) ? (is_changed(p, i, &at) && at.computed) || (!own && measure_is_read(p, i, &at))
                                        : reads_leads_anywhere(p, i))
            return own ? "reaches registers through a pointer" : "calls a function that reads registers";
        const char *why = of >= 0 ? measure_hindrance(p, of, false, depth + 1, where) : NULL;
        if (why)
            return why;
    }
    return NULL;
}

/* Where its name stands in its definition, 0: not where it is looked for. */
static uint32_t measure_name_at(const struct pass *p, int function)
{
    const struct tree_node *f = tree_at(p->t, function);
    uint32_t end = tree_at(p->t, pass_body_of(p, function))->start, after, from = f->start;
    while (pass_has_word(p, from, end, f->name, &after)) {
        if (p->text[pass_behind_space(p, after)] == '(')
            return after - (uint32_t)strlen(f->name);
        from = after;
    }
    return 0;
}

/* The type of what it returns, as a call of it has it: 0 bytes for none, -1 where that is not known. */
static int result_size(const struct pass *p, int function)
{
    for (size_t i = 0; i < tree_count(p->t); i++) {
        const struct tree_node *n = tree_at(p->t, (int)i);
        if (n->kind == NODE_CALL && called(p, (int)i) == function)
            return n->is_void ? 0 : n->integer && n->size <= 2 ? n->size : -1;
    }
    uint32_t after, name = measure_name_at(p, function); /* not called here */
    return pass_has_word(p, tree_at(p->t, function)->start, name, "void", &after) &&
                   !memchr(p->text + after, '*', name - after)
               ? 0
               : -1;
}

static bool has_names(const struct pass *p, int function)
{
    for (int child = tree_at(p->t, function)->child; child >= 0; child = tree_at(p->t, child)->next)
        if (tree_at(p->t, child)->kind == NODE_PARAMETER && !tree_at(p->t, child)->name[0])
            return false;
    return true;
}

static bool is_candidate(const struct pass *p, int node, const bool *sets_speed)
{
    const struct tree_node *n = tree_at(p->t, node);
    return n->kind == NODE_FUNCTION && n->declaration >= 0 && sets_speed[n->declaration] &&
           pass_body_of(p, node) >= 0 && pass_is_in_use(p, node) && strcmp(n->name, "main") != 0 &&
           !pass_handler_of(p, node) && !pass_is_naked(p, node) && reads_timer(p, node);
}

/* Chips that have such a register are MSP430s. */
static bool measure_is_known(const struct registers *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->list[i].speed)
            return true;
    return false;
}

void measure_find(struct pass *p)
{
    bool *sets_speed = !p->o->cpp && measure_is_known(p->o->registers) ? find_setters(p) : NULL;
    for (int i = 0; sets_speed && i < (int)tree_count(p->t); i++) {
        int where = i, end;
        if (!is_candidate(p, i, sets_speed))
            continue;
        const char *why = measure_hindrance(p, i, true, 0, &where);
        if (!why && (!measure_name_at(p, i) || !has_names(p, i) || result_size(p, i) < 0))
            why = "returns more than a word";
        if (why) {
            pass_warn(
                p, where,
                "%s changes the clock's speed and reads a timer: what it measures has the time that recording "
                "takes in it, since it %s; let it be a function that returns what it found, and changes registers "
                "alone",
                tree_at(p->t, i)->name, why);
            continue;
        }
        p->whole[i] = true;
        for (int n = nodes_of(p, i, &end); n < end; n++)
            p->quiet[n] = p->skipped[n] = true;
    }
    free(sets_speed);
}

/* ---- what is written for it ---- */

struct written {
    struct place list[MOST_REGISTERS];
    unsigned count;
};

static void find_written(const struct pass *p, int function, unsigned depth, struct written *w)
{
    int end;
    struct place at;
    for (int i = nodes_of(p, function, &end); i < end; i++) {
        int of = called(p, i);
        if (of >= 0 && depth < DEEPEST)
            find_written(p, of, depth + 1, w);
        if (!is_changed(p, i, &at) || !at.in_file || at.is.acts || at.is.cpu || w->count == MOST_REGISTERS)
            continue;
        bool known = false;
        for (unsigned k = 0; k < w->count; k++)
            known |= w->list[k].address == at.address;
        if (!known)
            w->list[w->count++] = at;
    }
}

/* Records what a register holds; in replay that is put there. */
static void measure_write_register(struct pass *p, FILE *f, int function, const struct place *at)
{
    unsigned bits = 8u * at->is.size, all = at->is.size == 1 ? 0xff : 0xffff, address = (unsigned)at->address;
    const char *type = at->is.size == 1 ? "char" : "int";
    const char *number =
        pass_site(p, function, at->name, REGISTER_STATE, all, "written where the clock's speed is measured");
    fprintf(f, "{unsigned %s motet_v=motet_read%u(*(volatile unsigned %s*)0x%x,0x%x,%s);", type, bits, type, address,
            all, number);
    fprintf(f,
            "__asm__ __volatile__(\"1:\\n\\t.pushsection .motet.polls.%%=,\\\"\\\",@progbits\\n2:\\t.long 1b\\n\\t"
            ".ascii \\\"%%0 0x%x 0x0 %u =\\\\n\\\"\\n\\t.popsection\"::\"r\"(motet_v));}",
            address, at->is.size);
}

static void write_arguments(const struct pass *p, FILE *f, int function)
{
    const char *comma = "";
    for (int child = tree_at(p->t, function)->child; child >= 0; child = tree_at(p->t, child)->next)
        if (tree_at(p->t, child)->kind == NODE_PARAMETER) {
            fprintf(f, "%s%s", comma, tree_at(p->t, child)->name);
            comma = ",";
        }
}

/* What replay leaves out: the function, under another name. What it calls may count, which must not show: what is
 * recorded right after it begins to count anew. */
static void write_whole(const struct pass *p, FILE *f, int function, const char *type)
{
    const struct tree_node *n = tree_at(p->t, function);
    char *parameters = pass_flat(p, measure_name_at(p, function) + (uint32_t)strlen(n->name),
                                 tree_at(p->t, pass_body_of(p, function))->start);
    fprintf(f, "__attribute__((noinline)) static %s motet_whole_%s%s{", type, n->name, parameters);
    free(parameters);
    bool counts = !p->o->stamp, gives = strcmp(type, "void") != 0;
    if (counts)
        fputs("motet_measuring++;", f);
    fprintf(f, "%s%smotet_measured_%s(", gives ? type : "", gives ? " motet_r=" : "", n->name);
    write_arguments(p, f, function);
    fprintf(f, ");%s%s}", counts ? "motet_measuring--;motet_count=0;" : "", gives ? "return motet_r;" : "");
}

/* The function under its own name. What the other leaves in registers and flags is made the same in every run. */
static void write_call(struct pass *p, FILE *f, int function, const char *type)
{
    static const char clear_all[] = "__asm__ __volatile__(\"clr r12\":::\"r12\");";
    static const char clear[] =
        "__asm__ __volatile__(\"clr r11\\n\\tclr r13\\n\\tclr r14\\n\\tclr r15\\n\\tcmp #0, r15\":::"
        "\"r11\",\"r13\",\"r14\",\"r15\",\"r2\");";
    const struct tree_node *n = tree_at(p->t, function);
    bool gives = strcmp(type, "void") != 0;
    struct written w = {.count = 0};
    char *head = pass_flat(p, n->start, tree_at(p->t, pass_body_of(p, function))->start);
    fprintf(f, "%s{%s%s%smotet_whole_%s(", head, p->o->stamp ? "" : "motet_far_step();", gives ? type : "",
            gives ? " motet_r=" : "", n->name);
    free(head);
    write_arguments(p, f, function);
    fprintf(f, ");%s%s", clear, gives ? "" : clear_all);
    if (gives) {
        unsigned size = (unsigned)result_size(p, function), all = size == 1 ? 0xff : 0xffff;
        fprintf(f, "motet_r=motet_read%u(motet_r,0x%x,%s);", 8 * size, all,
                pass_site(p, function, n->name, REGISTER_DATA, all, "what was measured"));
    }
    find_written(p, function, 0, &w);
    for (unsigned i = 0; i < w.count; i++)
        measure_write_register(p, f, function, &w.list[i]);
    fprintf(f, "%s}", gives ? "return motet_r;" : "");
}

void measure_write(struct pass *p, int function)
{
    static const char *const types[] = {"void", "unsigned char", "unsigned int"};
    const struct tree_node *n = tree_at(p->t, function);
    int bytes = result_size(p, function);
    assert(bytes >= 0 && bytes <= 2); /* others are not recorded as a whole */
    const char *type = types[bytes];
    char *text = NULL;
    size_t size;
    FILE *f = memory_must(open_memstream(&text, &size));
    write_whole(p, f, function, type);
    write_call(p, f, function, type);
    memory_written(f);
    edits_add(&p->edits, n->start, EDIT_OPEN,
              "extern volatile unsigned motet_count;extern volatile unsigned char motet_measuring;%s",
              n->is_static ? "" : "static ");
    edits_add(&p->edits, measure_name_at(p, function), EDIT_OPEN, "motet_measured_");
    edits_add(&p->edits, n->end, EDIT_CLOSE, "%s", text);
    free(text);
}
