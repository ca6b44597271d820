#include "rewrite/sleep.h"

#include <ctype.h>
#include <string.h>

#include "rewrite/assembly.h"
#include "rewrite/skips.h"

enum { MSP430_CPUOFF = 0x10 };

/* What msp430-gcc has built in. */
static const char *const enabling[] = {"__eint", "__enable_interrupt", "_EINT", NULL};
static const char *const sleeping[] = {"__bis_status_register", "__bis_SR_register", "_BIS_SR", NULL};

/* Whether the last thing a statement does is to allow interrupts: SEI, or a call of a function that ends so. */
static bool ends_enabling(const struct pass *p, int node, int depth)
{
    const struct tree_node *n = node < 0 || depth > 4 ? NULL : tree_at(p->t, node);
    if (n && n->kind == NODE_ASM) {
        struct assembly a;
        assembly_look(p->text + n->start, n->end - n->start, p->o->target, &a);
        return a.enables && !a.sleeps;
    }
    if (n && n->kind == NODE_CALL) {
        int function = pass_definition_of(p, n->declaration);
        return function < 0 ? pass_is_named(n, enabling) : ends_enabling(p, pass_body_of(p, function), depth + 1);
    }
    if (n && n->kind == NODE_DO && pass_is_once(p, node))
        return ends_enabling(p, n->child, depth);
    return n && n->kind == NODE_COMPOUND && ends_enabling(p, tree_last_child(p->t, node), depth);
}

/* The outermost statement that does nothing before this one: nothing may come between SEI and what sleeps. */
static int rewrite_sleep_outermost(const struct pass *p, int node)
{
    int parent = tree_at(p->t, node)->parent;
    while (tree_at(p->t, parent)->kind == NODE_COMPOUND && tree_at(p->t, parent)->child == node &&
           tree_at(p->t, parent)->parent >= 0 && pass_is_once(p, tree_at(p->t, parent)->parent)) {
        node = tree_at(p->t, parent)->parent;
        parent = tree_at(p->t, node)->parent;
    }
    return node;
}

static bool is_statement(const struct pass *p, int node)
{
    enum node_kind k = tree_at(p->t, tree_at(p->t, node)->parent)->kind;
    uint32_t end = pass_behind_space(p, tree_at(p->t, node)->end);
    return (k == NODE_COMPOUND || k == NODE_IF || k == NODE_WHILE || k == NODE_FOR || k == NODE_LABEL ||
            k == NODE_CASE) &&
           end < p->size && p->text[end] == ';';
}

static void idle_before(struct pass *p, int node);

/* Of a small function that begins with sleep, as the compilers' headers have it, the recorder's work comes before its
 * calls: what stands there before may be the SEI that belongs to it. */
static bool idle_before_calls(struct pass *p, int node)
{
    int function = tree_function(p->t, node);
    const struct tree_node *f = tree_at(p->t, function);
    if (!f->is_static || tree_at(p->t, pass_body_of(p, function))->child != node)
        return false;
    for (int again = 0; again < 2; again++)
        for (size_t i = 0; i < tree_count(p->t); i++) {
            const struct tree_node *n = tree_at(p->t, (int)i);
            if (n->kind != NODE_REFERENCE || n->declaration != f->declaration)
                continue;
            int call = tree_above(p->t, (int)i);
            if (!again && (!pass_is_called_here(p, (int)i) || !is_statement(p, call)))
                return false;
            if (again && pass_is_in_use(p, tree_function(p->t, call)))
                idle_before(p, call);
        }
    return true;
}

/* The recorder's work comes before sleep, and in its place if an interrupt came during it. */
static void idle_before(struct pass *p, int node)
{
    int sleeper = node = rewrite_sleep_outermost(p, node);
    if (idle_before_calls(p, node))
        return;
    int64_t bits;
    if (tree_at(p->t, node)->kind == NODE_CALL && !pass_is_avr(p) && tree_child(p->t, node, 1) >= 0 &&
        tree_constant(p->t, tree_child(p->t, node, 1), &bits) && !(bits & MSP430_CPUOFF))
        return; /* bits of the status register, but not to sleep */
    int before = tree_before(p->t, node);
    if (before >= 0 && ends_enabling(p, before, 0))
        node = before;
    p->r->idles++;
    edits_add(&p->edits, tree_at(p->t, node)->start, EDIT_OPEN,
              "{if(motet_idle())__asm__ __volatile__(\"%s\":::\"memory\");else{",
              pass_is_avr(p) ? "sei" : "nop\\n\\teint\\n\\tnop");
    edits_add(&p->edits, pass_statement_end(p, sleeper), EDIT_CLOSE, "}}");
}

/* The inline functions of avr-libc's wdt.h read the watchdog's register only to write it back. */
static bool is_harmless_library(const struct pass *p, int function)
{
    const char *name = function < 0 ? "" : tree_at(p->t, function)->name;
    return strcmp(name, "wdt_enable") == 0 || strcmp(name, "wdt_disable") == 0;
}

/* A handler that hands over to another (ISR_ALIAS): to the handler itself, not to its stub, which would tell the
 * recorder of a second interrupt. */
static void go_behind_stub(struct pass *p, int node)
{
    static const char vector[] = "\"__vector_";
    const struct tree_node *n = tree_at(p->t, node);
    uint32_t after = n->start;
    while (pass_has_word(p, after, n->end, vector, &after)) {
        while (after < n->end && isdigit((unsigned char)p->text[after]))
            after++;
        edits_add(&p->edits, after, EDIT_OPEN, "_motet");
    }
}

bool sleep_visit_assembly(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    struct assembly a;
    int function = tree_function(p->t, node);
    assembly_look(p->text + n->start, n->end - n->start, p->o->target, &a);
    if (a.reads && !is_harmless_library(p, function) && !skips_record(p, node))
        return pass_refuse(p, node,
                           "inline assembly that reads memory or a register ('%s') cannot be recorded; write the "
                           "read in C (SBIC and SBIS of numbers are recorded in statements without labels)",
                           a.reader);
    if (pass_is_avr(p) && pass_handler_of(p, function))
        go_behind_stub(p, node);
    if (a.loops && !pass_is_naked(p, function))
        pass_uncounted(p, n->start, n->end);
    if (a.sleeps && !pass_is_naked(p, function))
        idle_before(p, node);
    uint32_t after;
    if (a.sleeps && pass_is_avr(p) && pass_has_word(p, n->start, n->end, "sleep", &after))
        edits_add(&p->edits, after, EDIT_OPEN,
                  "\\n\\tnop"); /* where only SLEEP leads: an interrupt that returns there ended sleep */
    return true;
}

/* avr-libc's wdt_enable() has the watchdog reset the chip; first it is to interrupt, for the recorder's handler. That
 * bit needs no particular sequence. */
static void let_watchdog_interrupt(struct pass *p, int node)
{
    enum { WDIE = 0x40 };
    const struct tree_node *n = tree_at(p->t, node);
    const struct chip_register *control = registers_named(p->o->registers, "WDTCSR");
    if (!p->o->watchdog || !control || strcmp(n->name, "wdt_enable") != 0)
        return;
    edits_add(&p->edits, n->start, EDIT_OPEN, "({");
    edits_add(&p->edits, n->end, EDIT_CLOSE, ";*(volatile unsigned char*)0x%x|=0x%x;})", control->address, WDIE);
}

bool sleep_visit_call(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    let_watchdog_interrupt(p, node);
    if (!pass_is_named(n, sleeping) || pass_definition_of(p, n->declaration) >= 0)
        return true;
    if (!is_statement(p, node))
        return pass_refuse(p, node, "%s may sleep, and is part of an expression; make it a statement", n->name);
    idle_before(p, node);
    return true;
}

void sleep_visit_for_log(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    int function = tree_function(p->t, node);
    if (function < 0 || pass_is_naked(p, function))
        return;
    if (n->kind == NODE_ASM) {
        struct assembly a;
        assembly_look(p->text + n->start, n->end - n->start, p->o->target, &a);
        if (a.sleeps)
            idle_before(p, node);
    } else if (n->kind == NODE_CALL && pass_is_named(n, sleeping) && pass_definition_of(p, n->declaration) < 0 &&
               is_statement(p, node)) {
        idle_before(p, node);
    }
}
