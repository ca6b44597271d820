#include "rewrite/steps.h"

#include <string.h>

#include "rewrite/entry_steps.h"
#include "rewrite/live.h"
#include "rewrite/reads_loops.h"

enum { TIGHT_LOOP = 40 /* nodes */ };

/* One step of the count: on the AVR of its low byte; what is called when that wraps keeps all registers. In place it
 * is quick, in small loops. Elsewhere it is a call of a routine that all files share: an interrupt in that has a
 * count that no other pass through it has, so the place is as unique there as in the text. Neither uses a register
 * that would have to be kept on the stack: what is left in it may be of no use, and not recorded. clang takes flags of
 * an MSP430 to be kept unless the register is named. */
static const char avr_step[] =
    "static inline __attribute__((always_inline,unused)) void motet_step(void){"
    "__asm__ __volatile__(\"lds r0,motet_count\\n\\tinc r0\\n\\tsts motet_count,r0\\n\\tbrne 1f\\n\\t"
    "call motet_wrapped\\n1:\");}\n"
    "static inline __attribute__((always_inline,unused)) void motet_far_step(void){"
    "__asm__ __volatile__(\"call motet_step_far\");}\n"
    "__asm__(\".pushsection .text.motet_step_far,\\\"axG\\\",@progbits,motet_step_far,comdat\\n\\t"
    ".weak motet_step_far\\n\\t.type motet_step_far,@function\\nmotet_step_far:\\n\\t"
    "lds r0,motet_count\\n\\tinc r0\\n\\tsts motet_count,r0\\n\\tbrne 1f\\n\\tcall motet_wrapped\\n"
    "1:\\tret\\n\\t.size motet_step_far,.-motet_step_far\\n\\t.popsection\");\n";
static const char msp430_step[] =
    "static inline __attribute__((always_inline,unused)) void motet_step(void){"
    "__asm__ __volatile__(\"inc.b &motet_count\\n\\tjnz 1f\\n\\tcall #motet_wrapped\\n1:\":::\"r2\");}\n"
    "static inline __attribute__((always_inline,unused)) void motet_far_step(void){"
    "__asm__ __volatile__(\"call #motet_step_far\":::\"r2\");}\n"
    "__asm__(\".pushsection .text.motet_step_far,\\\"axG\\\",@progbits,motet_step_far,comdat\\n\\t"
    ".weak motet_step_far\\n\\t.type motet_step_far,@function\\nmotet_step_far:\\n\\t"
    "inc.b &motet_count\\n\\tjnz 1f\\n\\tcall #motet_wrapped\\n"
    "1:\\tret\\n\\t.size motet_step_far,.-motet_step_far\\n\\t.popsection\");\n";

/* Whether the read of a register is recorded where it stands, each time it is executed. */
static bool is_event(struct pass *p, int node)
{
    struct place at;
    struct poll poll;
    const struct tree_node *n = tree_at(p->t, node);
    if (p->quiet[node] || !n->integer || !pass_is_register(p, node, &at) || at.computed || !at.in_file ||
        pass_is_unevaluated(p, node) || live_use(p->t, node) != USE_READ)
        return false;
    uint32_t live = live_bits(p->t, node, n->size);
    return n->kind != NODE_MEMBER && (live & at.is.bits) &&
           !(at.is.class == REGISTER_STATE && reads_is_poll(p, node, live, at.is.bits, &poll));
}

/* Whether an expression or a simple statement always executes an event. What may be left out counts as nothing. */
static bool always_records(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    switch (n->kind) {
    case NODE_UNARY:
    case NODE_SUBSCRIPT:
    case NODE_REFERENCE:
        if (is_event(p, node))
            return true;
        break;
    case NODE_BINARY:
        if (n->operator== OPERATOR_BOTH || n->operator== OPERATOR_EITHER)
            return always_records(p, n->child);
        break;
    case NODE_CONDITIONAL: return always_records(p, n->child);
    case NODE_PARENTHESES:
    case NODE_CAST:
    case NODE_ASSIGN_OPERATION:
    case NODE_CALL:
    case NODE_RETURN:
    case NODE_DECLARATIONS:
    case NODE_VARIABLE: break;
    default: return false;
    }
    for (int child = n->child; child >= 0; child = tree_at(p->t, child)->next)
        if (always_records(p, child))
            return true;
    return false;
}

/* In C++ some symbols have other names, and are not found: such functions are counted. */
void steps_note_none(struct pass *p, int function)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const char *name = tree_at(p->t, function)->name;
    if (!p->o->stamp && !name[strspn(name, letters)])
        edits_add(&p->edits, (uint32_t)p->size, EDIT_OPEN, "\n__asm__(\".set %s%s,0\");", ENTRY_STEPS_NONE, name);
}

/* Of a function that calls itself last the compiler makes a loop. */
static bool calls_itself(const struct pass *p, int function, int body)
{
    size_t end = (size_t)body + pass_nodes_in(p, body);
    for (size_t i = (size_t)body; i < end; i++) {
        const struct tree_node *n = tree_at(p->t, (int)i);
        if (n->kind == NODE_CALL && n->declaration >= 0 && pass_definition_of(p, n->declaration) == function)
            return true;
    }
    return false;
}

void steps_visit_function(struct pass *p, int node, int body)
{
    if (p->o->stamp)
        return;
    if (p->masked[node]) {
        steps_note_none(p, node);
    } else if (calls_itself(p, node, body)) {
        p->r->steps++;
        edits_add(&p->edits, tree_at(p->t, body)->start + 1, EDIT_OPEN, "motet_far_step();");
    }
}

/* Whether a round of the loop takes so little that a call would be much of it. */
static bool is_tight(const struct pass *p, int body)
{
    size_t count = pass_nodes_in(p, body);
    for (size_t i = (size_t)body; i < (size_t)body + count; i++)
        if (tree_at(p->t, (int)i)->kind == NODE_CALL)
            return false;
    return count <= TIGHT_LOOP;
}

static void step_into_body(struct pass *p, int body)
{
    const struct tree_node *b = tree_at(p->t, body);
    const char *step = is_tight(p, body) ? "motet_step" : "motet_far_step";
    p->r->steps++;
    if (b->kind == NODE_COMPOUND) {
        edits_add(&p->edits, b->start + 1, EDIT_OPEN, "%s();", step);
        return;
    }
    uint32_t end = pass_behind_space(p, b->end);
    end = end < p->size && p->text[end] == ';' ? end + 1 : b->end;
    edits_add(&p->edits, b->start, EDIT_OPEN, "{%s();", step);
    edits_add(&p->edits, end, EDIT_CLOSE, "}");
}

/* The condition of while and do is evaluated in every round. */
static bool records_each_round(struct pass *p, int node)
{
    enum node_kind k = tree_at(p->t, node)->kind;
    return (k == NODE_WHILE && always_records(p, tree_child(p->t, node, 0))) ||
           (k == NODE_DO && always_records(p, tree_child(p->t, node, 1)));
}

void steps_visit_loop(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    if (p->o->stamp || p->skipped[node] || pass_is_once(p, node) || records_each_round(p, node) ||
        p->masked[tree_function(p->t, node)])
        return;
    int body = n->kind == NODE_DO ? n->child : tree_last_child(p->t, node);
    if (body >= 0)
        step_into_body(p, body);
}

void steps_visit_label(struct pass *p, int node)
{
    int statement = tree_at(p->t, node)->child;
    if (p->o->stamp || statement < 0 || p->masked[tree_function(p->t, node)])
        return;
    p->r->steps++;
    edits_add(&p->edits, tree_at(p->t, statement)->start, EDIT_OPEN, "motet_far_step();");
}

/* Library routines do not count, and two calls of one with the same arguments look the same from within: so each is
 * counted where it stands. What is recorded itself tells them apart already. */
void steps_visit_call(struct pass *p, int node)
{
    static const char *const told[] = {"eeprom_", "__builtin_", "setjmp", "_setjmp", "longjmp", "_longjmp", NULL};
    const struct tree_node *n = tree_at(p->t, node);
    if (p->o->stamp || n->declaration < 0 || !tree_at(p->t, n->declaration)->is_of_system ||
        p->masked[tree_function(p->t, node)] || pass_definition_of(p, n->declaration) >= 0 ||
        pass_is_unevaluated(p, node))
        return;
    for (unsigned i = 0; told[i]; i++)
        if (strncmp(n->name, told[i], strlen(told[i])) == 0)
            return;
    p->r->steps++;
    edits_add(&p->edits, n->start, EDIT_OPEN, "(motet_far_step(),");
    edits_add(&p->edits, n->end, EDIT_CLOSE, ")");
}

const char *steps_declaration(const struct pass *p)
{
    return pass_is_avr(p) ? avr_step : msp430_step;
}
