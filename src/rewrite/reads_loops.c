#include "rewrite/reads_loops.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/live.h"
#include "rewrite/stamp.h"

/* ---- loops that poll ---- */

/* GNU ld drops sections without references. */
static const char avr_keep[] = "\\n\\t.reloc 1b, R_AVR_NONE, 2b";

/* Flags that the read has left, which no other run has, are written over: code may keep the status. With stamps
 * motet_polled does that after the loop. */
static const char *reads_forget(const struct pass *p)
{
    if (p->o->stamp)
        return "";
    return pass_is_avr(p) ? "\\n\\tcp __zero_reg__,__zero_reg__" : "\\n\\ttst r1";
}

char *reads_mark_text(struct pass *p, unsigned leave, unsigned stay, unsigned size, bool forgets)
{
    p->r->polls++;
    return memory_format(
        ");__asm__ __volatile__(\"1:\\n\\t.pushsection .motet.polls.%%=,\\\"\\\",@progbits\\n2:\\t.long "
        "1b\\n\\t.ascii "
        "\\\"%%0 0x%x 0x%x %u\\\\n\\\"\\n\\t.popsection%s%s\":\"+r\"(motet_v)::\"%s\");motet_v;})",
        leave, stay, size, pass_is_avr(p) ? avr_keep : "", forgets ? reads_forget(p) : "",
        pass_is_avr(p) ? "cc" : "r2");
}

static void reads_mark(struct pass *p, uint32_t at, enum edit_side side, unsigned leave, unsigned stay, unsigned size,
                       bool forgets)
{
    char *text = reads_mark_text(p, leave, stay, size, forgets);
    edits_add(&p->edits, at, side, "%s", text);
    free(text);
}

/* A loop that waits for the register: its read is marked for replay, which leaves the loop. */
void reads_mark_poll(struct pass *p, int node, const struct poll *poll, uint32_t live)
{
    const struct tree_node *n = tree_at(p->t, node);
    edits_add(&p->edits, n->start, EDIT_OPEN, "({unsigned %s motet_v=(0x%x&", n->size == 1 ? "char" : "int", live);
    reads_mark(p, n->end, EDIT_CLOSE, poll->leave, poll->stay, n->size, true);
}

/* Bits that only writing changes are not known here. Where variables are kept in memory the mark's own would be there,
 * with what was read last. */
bool reads_is_poll(struct pass *p, int read, uint32_t live, uint32_t changing, struct poll *poll)
{
    return !p->in_memory && !(live & ~changing) && poll_at(p->t, read, live, p->o->target, poll);
}

/* A loop whose statements stand in the file no more is replaced by what is at `before`, a function of its own that
 * replay does not execute (measure.h). */
static void reads_leave_loop_out(struct pass *p, int loop)
{
    size_t nodes = pass_nodes_in(p, loop);
    for (size_t i = 0; i < nodes; i++)
        p->quiet[(size_t)loop + i] = true;
    p->skipped[loop] = true;
}

bool reads_polls_apart(const struct pass *p)
{
    return p->in_memory && !p->o->cpp && !p->o->stamp;
}

void reads_poll_apart(struct pass *p, const struct poll *poll, const struct place *at, unsigned size, uint32_t live)
{
    int function = tree_function(p->t, poll->loop);
    uint32_t before = tree_at(p->t, function)->start, start = tree_at(p->t, poll->loop)->start;
    if (!pass_is_in_use(p, function) || p->skipped[poll->loop])
        return;
    edits_add(
        &p->edits, before, EDIT_OPEN,
        "static __attribute__((noinline)) void motet_whole_%d(void){while(({unsigned char motet_v=((0x%x&*(volatile "
        "unsigned %s*)0x%x)!=0x%x",
        poll->loop, (unsigned)live, size == 1 ? "char" : "int", (unsigned)at->address, (unsigned)poll->leave);
    reads_mark(p, before, EDIT_OPEN, 0, 1, 1, false);
    edits_add(&p->edits, before, EDIT_OPEN, ");}");
    edits_add(&p->edits, start, EDIT_OPEN, "{motet_whole_%d();%sif(0)", poll->loop, reads_clear(p));
    edits_add(&p->edits, pass_statement_end(p, poll->loop), EDIT_CLOSE, "}");
    reads_leave_loop_out(p, poll->loop);
}

/* Loops that poll are known before any of them is visited. */
void reads_find_polls(struct pass *p)
{
    for (size_t i = 0; i < tree_count(p->t); i++) {
        struct place at;
        struct poll poll;
        unsigned size = tree_at(p->t, (int)i)->size;
        if (tree_function(p->t, (int)i) < 0 || !pass_is_register(p, (int)i, &at) || !at.in_file || at.computed ||
            at.is.class != REGISTER_STATE || tree_at(p->t, (int)i)->kind == NODE_MEMBER ||
            live_use(p->t, (int)i) != USE_READ)
            continue;
        uint32_t live = live_bits(p->t, (int)i, size);
        if (!(live & at.is.bits))
            continue;
        if (reads_polls_apart(p) && !(live & ~at.is.bits) && poll_at(p->t, (int)i, live, p->o->target, &poll))
            reads_poll_apart(p, &poll, &at, size, live);
        if (!reads_is_poll(p, (int)i, live, at.is.bits, &poll))
            continue;
        p->skipped[poll.loop] = true;
        if (pass_is_in_use(p, tree_function(p->t, poll.loop)))
            stamp_around_poll(p, poll.loop);
    }
}

static bool reads_is_plain(const struct pass *p, int node, struct place *at)
{
    const struct tree_node *n = tree_at(p->t, node);
    return pass_is_register(p, node, at) && at->in_file && !at->computed && n->integer && n->size <= 2 &&
           n->kind != NODE_MEMBER && at->is.class != REGISTER_FIXED;
}

/* ---- loops that wait for a comparison ---- */

enum { MOST_VARIABLES = 4 };

struct wait {
    int variables[MOST_VARIABLES]; /* that are compared with: references */
    unsigned count, reads;
};

/* What the compiler may call a routine for, or make a loop of: an interrupt in these would have no place in replay. */
static bool reads_may_call(enum operator operator)
{
    return operator== OPERATOR_OTHER || operator== OPERATOR_LEFT || operator== OPERATOR_RIGHT || operator==
        OPERATOR_ASSIGN;
}

/* To be known to the loop's function by its name, once: those of the file are. */
static bool reads_add_variable(const struct pass *p, int reference, struct wait *w)
{
    const struct tree_node *n = tree_at(p->t, reference);
    if (!n->integer || n->is_volatile || n->size > 4)
        return false;
    bool known = n->declaration >= 0 && tree_function(p->t, n->declaration) < 0;
    for (unsigned i = 0; i < w->count; i++)
        known |= strcmp(tree_at(p->t, w->variables[i])->name, n->name) == 0;
    if (!known && w->count == MOST_VARIABLES)
        return false;
    if (!known)
        w->variables[w->count++] = reference;
    return true;
}

/* Whether the expression only compares what it reads of registers with variables that do not change meanwhile. */
static bool reads_only_compares(const struct pass *p, int node, struct wait *w)
{
    const struct tree_node *n = tree_at(p->t, node);
    const struct tree_node *d = n->kind == NODE_REFERENCE && n->declaration >= 0 ? tree_at(p->t, n->declaration) : NULL;
    struct place at;
    int64_t value;
    if (pass_is_register(p, node, &at)) {
        w->reads++; /* data, which a read takes out of a queue, may be used */
        return reads_is_plain(p, node, &at) && at.is.class != REGISTER_DATA && !(d && d->fixed_address >= 0);
    }
    if (n->kind == NODE_REFERENCE) /* an enumerator may be one of the function's own */
        return (!d || d->kind == NODE_VARIABLE || d->kind == NODE_PARAMETER) && reads_add_variable(p, node, w);
    bool known = n->kind == NODE_LITERAL || n->kind == NODE_PARENTHESES || n->kind == NODE_CAST ||
                 (n->kind == NODE_BINARY && (!reads_may_call(n->operator) || tree_constant(p->t, node, &value))) ||
                 (n->kind == NODE_UNARY && (n->operator== OPERATOR_NOT || n->operator== OPERATOR_COMPLEMENT));
    for (int child = n->child; known && child >= 0; child = tree_at(p->t, child)->next)
        known = reads_only_compares(p, child, w);
    return known;
}

const char *reads_type(const struct tree_node *n)
{
    static const char *const types[][2] = {{"unsigned char", "signed char"}, {"unsigned", "int"}};
    return n->size > 2 ? n->is_signed ? "long" : "unsigned long" : types[n->size - 1][n->is_signed];
}

/* What the loop leaves in flags, and registers that a call need not keep, is made the same in every run. The result's
 * registers come last. */
#define AVR_CLEAR                                                                                             \
    "clr r0\\n\\tclr r18\\n\\tclr r19\\n\\tclr r20\\n\\tclr r21\\n\\tclr r22\\n\\tclr r23\\n\\tclr r26\\n\\t" \
    "clr r27\\n\\tclr r30\\n\\tclr r31\\n\\tclt\\n\\tcp r31,r31"
#define MSP430_CLEAR "clr r11\\n\\tclr r13\\n\\tclr r14\\n\\tclr r15\\n\\tcmp #0, r15"
static const char avr_clear[] =
    "__asm__ __volatile__(\"clr r24\\n\\tclr r25\\n\\t" AVR_CLEAR "\":::"
    "\"r18\",\"r19\",\"r20\",\"r21\",\"r22\",\"r23\",\"r24\",\"r25\",\"r26\",\"r27\",\"r30\",\"r31\");";
static const char msp430_clear[] = "__asm__ __volatile__(\"clr r12\\n\\t" MSP430_CLEAR "\":::\"r11\",\"r12\",\"r13\","
                                   "\"r14\",\"r15\",\"r2\");";

const char *reads_clear(const struct pass *p)
{
    return pass_is_avr(p) ? avr_clear : msp430_clear;
}

/* The loop becomes a function of its own, before the one that it is in, which replay does not execute (measure.h). */
static void reads_write_wait(struct pass *p, int loop, int condition, const struct wait *w)
{
    const struct tree_node *c = tree_at(p->t, condition), *l = tree_at(p->t, loop);
    uint32_t before = tree_at(p->t, tree_function(p->t, loop))->start;
    unsigned given = 0;
    edits_add(&p->edits, before, EDIT_OPEN, "static __attribute__((noinline)) void motet_whole_%d(", loop);
    edits_add(&p->edits, l->start, EDIT_OPEN, "{motet_whole_%d(", loop);
    for (unsigned i = 0; i < w->count; i++) {
        const struct tree_node *v = tree_at(p->t, w->variables[i]);
        if (v->declaration < 0)
            continue;
        edits_add(&p->edits, before, EDIT_OPEN, "%s%s %s", given ? "," : "", reads_type(v), v->name);
        edits_add(&p->edits, l->start, EDIT_OPEN, "%s%s", given++ ? "," : "", v->name);
    }
    edits_add(&p->edits, before, EDIT_OPEN, "%s){", given ? "" : "void");
    for (unsigned i = 0; i < w->count; i++) {
        const struct tree_node *v = tree_at(p->t, w->variables[i]);
        int64_t value;
        if (v->declaration < 0 && tree_constant(p->t, w->variables[i], &value))
            edits_add(&p->edits, before, EDIT_OPEN, "enum{%s=%lld};", v->name, (long long)value);
    }
    char *text = pass_flat(p, c->start, c->end);
    edits_add(&p->edits, before, EDIT_OPEN, "while(({unsigned char motet_v=!!(%s", text);
    free(text);
    reads_mark(p, before, EDIT_OPEN, 0, 1, 1, false);
    edits_add(&p->edits, before, EDIT_OPEN, ");}");
    edits_add(&p->edits, l->start, EDIT_OPEN, ");%sif(0)", reads_clear(p));
    edits_add(&p->edits, pass_statement_end(p, loop), EDIT_CLOSE, "}");
}

/* `while (TCNT0 == now);`: only the end of such a loop is of use, and code that measures time by it must not be
 * delayed by the recorder in each round. */
void reads_find_waits(struct pass *p)
{
    for (int loop = 0; !p->o->cpp && !p->o->stamp && loop < (int)tree_count(p->t); loop++) {
        enum node_kind k = tree_at(p->t, loop)->kind;
        bool simple = (k == NODE_WHILE || k == NODE_DO) && !p->skipped[loop];
        int condition = simple ? poll_condition(p->t, loop, p->o->target) : -1;
        int function = condition < 0 ? -1 : tree_function(p->t, loop);
        struct wait w = {.count = 0};
        if (function < 0 || !pass_is_in_use(p, function) || !reads_only_compares(p, condition, &w) || !w.reads)
            continue;
        reads_leave_loop_out(p, loop);
        reads_write_wait(p, loop, condition, &w);
    }
}

/* The loop as a function of its own, and what calls it: its value is in registers alone until it is recorded,
 * independent of the compiler, and nothing else is left of it. Each round executes the same instructions. */
static void reads_write_steady(struct pass *p, int loop, const struct place *at)
{
    const char *type = at->is.size == 1 ? "unsigned char" : "unsigned", *name = p->o->stamp ? "twice" : "whole";
    bool avr = pass_is_avr(p);
    edits_add(&p->edits, 0, EDIT_OPEN,
              "%sstatic __attribute__((noinline,used%s)) %s motet_%s_%d(void) "
              "__asm__(\"motet_%s_%d\");static %s motet_%s_%d(void){%s motet_a,motet_b;%sdo{motet_a=*(volatile "
              "%s*)0x%x;motet_b=*(volatile %s*)0x%x;}while(({%s motet_v=(motet_a^motet_b",
              p->o->cpp ? "extern \"C\" {" : "", avr && p->in_memory ? ",optimize(\"Os\")" : "", type, name, loop, name,
              loop, type, name, loop, type, p->o->stamp ? "motet_polls_now();" : "", type, (unsigned)at->address, type,
              (unsigned)at->address, type);
    reads_mark(p, 0, EDIT_OPEN, 0, 1, at->is.size, false);
    edits_add(&p->edits, 0, EDIT_OPEN, ");return motet_a;}%s motet_steady_%d(void) __asm__(\".Lmotet_steady_%d\");%s",
              type, loop, loop, p->o->cpp ? "}" : "");
    edits_add(&p->edits, 0, EDIT_OPEN,
              "__asm__(\".pushsection .text.motet_steady,\\\"ax\\\",@progbits\\n.Lmotet_steady_%d:\\n\\t%smotet_%s_%d"
              "\\n\\t%s%s\\n\\tret\\n\\t.popsection\");\n",
              loop, avr ? "call " : "call #", name, loop, avr && at->is.size == 1 ? "clr r25\\n\\t" : "",
              avr ? AVR_CLEAR : MSP430_CLEAR);
}

/* Loops that read a counter until it is the same twice: they become functions, of which the result is recorded. Replay
 * does not execute them (measure.h); with stamps it does, both reads give what is in memory, which is the same twice,
 * and the mark in the condition lets it stay for an interrupt. */
bool reads_find_steady(struct pass *p)
{
    for (size_t i = 0; i < tree_count(p->t); i++) {
        struct steady s;
        struct place a, b;
        int loop = (int)i, function = tree_at(p->t, loop)->kind == NODE_DO ? tree_function(p->t, loop) : -1;
        if (function < 0 || !pass_is_in_use(p, function) || !poll_steady(p->t, loop, &s) ||
            !reads_is_plain(p, s.reads[0], &a) || !reads_is_plain(p, s.reads[1], &b) || a.address != b.address ||
            a.is.size != b.is.size)
            continue;
        const struct tree_node *first = tree_at(p->t, s.variables[0]), *second = tree_at(p->t, s.variables[1]);
        const struct tree_node *read = tree_at(p->t, s.reads[0]), *l = tree_at(p->t, loop);
        if (first->size != a.is.size || second->size != a.is.size)
            continue;
        if (p->o->stamp && p->in_memory && !pass_is_avr(p))
            return pass_refuse(p, loop,
                               "a loop that reads %s until it is the same twice keeps it in memory, where what is left "
                               "of it could be seen; compile with -O1 or more, or without --stamp",
                               a.name);
        size_t nodes = pass_nodes_in(p, loop);
        for (size_t k = 0; k < nodes; k++)
            p->quiet[(size_t)loop + k] = true;
        p->skipped[loop] = p->quiet[s.reads[0]] = true;
        unsigned all = a.is.size == 1 ? 0xff : 0xffff;
        const char *number = pass_site(p, s.reads[1], a.name, a.is.class, all, "read until it is the same twice");
        reads_write_steady(p, loop, &a);
        char called[24], again[80] = "";
        snprintf(called, sizeof called, "motet_read%u", 8u * a.is.size);
        if (p->o->timers_again && a.is.size == 2 &&
            a.is.class == REGISTER_TIMER) { /* the recorder reads it once more */
            snprintf(called, sizeof called, "motet_timer16");
            snprintf(again, sizeof again, "+0x8000u,(const volatile void*)0x%x", (unsigned)a.address + 1);
        }
        edits_add(&p->edits, l->start, EDIT_OPEN, "{%s=%s=%s(motet_steady_%d(),0x%x,%s%s);%sif(0)", second->name,
                  first->name, called, loop, all, number, again, p->o->stamp ? "motet_polls_no_more();" : "");
        edits_add(&p->edits, pass_statement_end(p, loop), EDIT_CLOSE, "}");
        if (read->start < l->start) { /* before the loop, and overwritten in it */
            edits_add(&p->edits, read->start, EDIT_OPEN, "(0?(");
            edits_add(&p->edits, read->end, EDIT_CLOSE, "):0)");
        }
    }
    return true;
}
