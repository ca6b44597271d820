#include "rewrite/reads.h"

#include <stdio.h>
#include <string.h>

#include "rewrite/filled.h"
#include "rewrite/live.h"
#include "rewrite/reads_calls.h"
#include "rewrite/reads_loops.h"

/* The width of what a read gives, in bits. */
static unsigned reads_width(const struct tree_node *n)
{
    return n->kind == NODE_MEMBER && n->is_bit_field ? n->bit_width : 8u * n->size;
}

static uint32_t reads_ones(unsigned bits)
{
    return bits >= 32 ? UINT32_MAX : (1u << bits) - 1;
}

static bool reads_was_warned(const struct pass *p, const char *name)
{
    for (size_t i = 0; i < p->r->warning_count; i++)
        if (strstr(p->r->warnings[i], name))
            return true;
    return false;
}

/* A read of which only these bits are kept, which only writing changes. Protected from the compiler's optimisation:
 * unused bits, in a register all the same, where they must be the same in every run. */
static void reads_discard(struct pass *p, int node, unsigned size, uint32_t kept)
{
    const struct tree_node *n = tree_at(p->t, node);
    p->r->unneeded++;
    edits_add(&p->edits, n->start, EDIT_OPEN, "({unsigned %s motet_v=(", size == 1 ? "char" : "int");
    edits_add(&p->edits, n->end, EDIT_CLOSE, ")&0x%x;__asm__ __volatile__(\"\":\"+r\"(motet_v));motet_v;})", kept);
}

static void reads_record_read(struct pass *p, int node, const struct place *at)
{
    const struct tree_node *n = tree_at(p->t, node);
    bool field = n->kind == NODE_MEMBER && n->is_bit_field;
    enum register_class class = at->in_file ? at->is.class : REGISTER_WHOLE;
    uint32_t whole = reads_ones(reads_width(n));
    uint32_t changing = at->in_file && !at->computed ? at->is.bits >> at->shift & whole : whole;
    uint32_t live = live_bits(p->t, node, n->size);
    unsigned size = reads_width(n) <= 8 ? 1 : 2; /* of the value */
    if (field && n->is_signed)                   /* its highest bit stands for all above it */
        live = changing = whole = 0xffff, size = 2;
    struct poll poll;
    uint32_t dead = changing & ~live; /* made the same in every run, wherever the value is kept */
    if (!(live & changing)) {
        reads_discard(p, node, size, whole & ~dead);
        return;
    }
    if (!at->in_file && !reads_was_warned(p, at->name))
        pass_warn(p, node, "the register at %s is not in the chip's register file: it is recorded in full", at->name);
    if (class == REGISTER_STATE && !at->computed && !field && reads_is_poll(p, node, live & whole, changing, &poll)) {
        reads_mark_poll(p, node, &poll, live & whole);
        return;
    }
    const char *why = at->computed   ? "index decides"
                      : !at->in_file ? "not in the register file"
                      : field        ? "bits of a register"
                                     : "register read";
    const char *number = pass_site(p, node, at->name, class, live & changing, why);
    if (class == REGISTER_TIMER && p->o->timers_again && !at->computed && (live & changing) == 0xffff && !field) {
        edits_add(&p->edits, n->start, EDIT_OPEN, "motet_timer16((");
        edits_add(&p->edits, n->end, EDIT_CLOSE, "),0xffff,%s+0x8000u,(const volatile void*)0x%x)", number,
                  (unsigned)at->address);
        return;
    }
    edits_add(&p->edits, n->start, EDIT_OPEN, "%smotet_read%u((", field && n->is_signed ? "(int)" : "", 8u * size);
    char mask[16] = ""; /* before the call: after it the compiler would leave it out, since these bits are not used */
    if (dead)
        snprintf(mask, sizeof mask, "&0x%x", whole & ~dead);
    edits_add(&p->edits, n->end, EDIT_CLOSE, ")%s,0x%x,%s)", mask, live & changing, number);
}

/* A struct or union that lies over a register and is taken as a whole. */
static bool reads_record_struct(struct pass *p, int node, const struct place *at)
{
    const struct tree_node *n = tree_at(p->t, node);
    if ((n->size != 1 && n->size != 2) || p->o->cpp)
        return pass_refuse(
            p, node, "a structure over register %s is copied, which cannot be recorded; read its members", at->name);
    uint32_t whole = reads_ones(8u * n->size), changing = at->in_file && !at->computed ? at->is.bits : whole;
    const char *number = pass_site(p, node, at->name, at->in_file ? at->is.class : REGISTER_WHOLE, changing,
                                   at->in_file ? "register read as a structure" : "not in the register file");
    const char *type = n->size == 1 ? "char" : "int";
    edits_add(&p->edits, n->start, EDIT_OPEN,
              "(((union{unsigned %s motet_f;__typeof__(%.*s) motet_t;}){motet_read%u(*(volatile unsigned %s*)&(", type,
              (int)(n->end - n->start), p->text + n->start, 8u * n->size, type);
    edits_add(&p->edits, n->end, EDIT_CLOSE, "),0x%x,%s)}).motet_t)", changing, number);
    return true;
}

/* ++ or |= on a register, whose result is used: replay could not put its old value in place. */
static bool reads_update_is_used(struct pass *p, int node, const struct place *at)
{
    int above = tree_above(p->t, node);
    const struct tree_node *a = tree_at(p->t, above);
    if (a->kind != NODE_ASSIGN_OPERATION && !(a->kind == NODE_UNARY && a->operator== OPERATOR_STEP))
        return false;
    if (a->kind == NODE_ASSIGN_OPERATION && tree_inner(p->t, a->child) != node)
        return false;
    return !at->in_file || at->is.class != REGISTER_FIXED;
}

/* Of a structure over a register only what is read of it counts: the member, or all if it is copied. */
static bool reads_is_part_of_access(const struct pass *p, int node)
{
    int above = tree_above(p->t, node);
    return above >= 0 && tree_at(p->t, above)->kind == NODE_MEMBER;
}

/* Whether the address of the register becomes a pointer that is not volatile, and goes where it cannot be followed. */
static bool reads_is_lost(const struct pass *p, int node)
{
    bool lost = false;
    int at = tree_above(p->t, node), above;
    for (; (above = tree_above(p->t, at)) >= 0; at = above) {
        const struct tree_node *a = tree_at(p->t, above);
        if (a->kind == NODE_CAST && !a->is_pointer)
            return false;
        if (a->kind == NODE_CAST)
            lost = !a->points_to_volatile;
        else if (a->kind != NODE_BINARY || !a->is_pointer)
            break;
    }
    if (!lost || above < 0)
        return false;
    const struct tree_node *user = tree_at(p->t, above);
    bool followed = (user->kind == NODE_UNARY && user->operator== OPERATOR_FOLLOW) || user->kind == NODE_SUBSCRIPT ||
                    user->kind == NODE_MEMBER;
    return !followed && !(user->kind == NODE_CALL && reads_is_copy(user));
}

bool reads_may_write(const struct pass *p, int node, uint16_t bits)
{
    int above = tree_above(p->t, node);
    const struct tree_node *a = above < 0 ? NULL : tree_at(p->t, above);
    int64_t value;
    if (!bits || !a || (a->kind != NODE_BINARY && a->kind != NODE_ASSIGN_OPERATION))
        return bits != 0;
    if (a->kind == NODE_ASSIGN_OPERATION && a->operator== OPERATOR_AND)
        return false;
    return !tree_constant(p->t, tree_child(p->t, above, 1), &value) || (value & bits);
}

/* What makes the hardware change memory without the program. */
static bool reads_visit_write(struct pass *p, int node, const struct place *at)
{
    if (reads_may_write(p, node, at->is.programs))
        return pass_refuse(
            p, node,
            "writing %s changes program memory; what is there after the next start is not recorded, so this "
            "cannot be replayed",
            at->name);
    const char *why;
    if (reads_may_write(p, node, at->is.fills) && !p->says_filled && !filled_is_known(p, at, &why))
        return pass_refuse(
            p, node,
            "writing %s lets hardware fill memory (DMA), which is not recorded by itself: %s; include motet.h and "
            "call motet_filled(bytes, size) in this file where it is complete, before the bytes are read",
            at->name, why);
    return true;
}

/* Variables that keep their contents over a reset. */
static bool reads_is_kept(const struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    if (n->kind != NODE_VARIABLE || n->is_extern)
        return false;
    uint32_t end = n->start, after;
    while (end < p->size && p->text[end] != ';')
        end++;
    return pass_has_word(p, n->start, end, ".noinit", &after);
}

/* Code in a section .initN, or a constructor, runs before main, where the recorder is not ready. */
static bool reads_is_early(const struct pass *p, int function)
{
    uint32_t after;
    return function >= 0 && (pass_has_attribute(p, function, "\".init", &after) ||
                             pass_has_attribute(p, function, "constructor", &after));
}

/* What is read there may only go into a variable that is recorded when main begins. */
static bool reads_goes_into_kept(const struct pass *p, int node)
{
    int above = tree_above(p->t, node);
    const struct tree_node *a = tree_at(p->t, above);
    if (a->kind != NODE_BINARY || a->operator!= OPERATOR_ASSIGN)
        return false;
    const struct tree_node *to = tree_at(p->t, tree_inner(p->t, a->child));
    return to->kind == NODE_REFERENCE && to->declaration >= 0 && reads_is_kept(p, to->declaration);
}

bool reads_visit_register(struct pass *p, int node, const struct place *at)
{
    const struct tree_node *n = tree_at(p->t, node);
    bool fixed = at->in_file && !at->computed && !(at->is.bits >> at->shift & reads_ones(reads_width(n)));
    bool record = n->is_record;
    if (record && reads_is_part_of_access(p, node))
        return true;
    enum use use = live_use(p->t, node);
    int above = tree_above(p->t, node);
    if (use == USE_READ && above >= 0 && tree_at(p->t, above)->kind == NODE_ASM && !fixed)
        return pass_refuse(p, node, "inline assembly gets register %s itself; give it a variable", at->name);
    if (use == USE_ADDRESS && !fixed && reads_is_lost(p, node))
        return pass_refuse(
            p, node,
            "the address of register %s becomes a pointer that is not volatile; what is read through it could "
            "not be recorded; keep it volatile",
            at->name);
    if ((use == USE_WRITE || use == USE_UPDATE) && !reads_visit_write(p, node, at))
        return false;
    if (use == USE_READ && !fixed && reads_is_early(p, tree_function(p->t, node))) {
        if (!reads_goes_into_kept(p, node))
            return pass_refuse(
                p, node,
                "register %s is read before main begins, where nothing can be recorded; keep its value in a "
                "variable in .noinit",
                at->name);
        p->r->unneeded++;
        return true;
    }
    if (p->quiet[node]) {
        ;
    } else if (fixed) {
        p->r->fixed++;
    } else if (use == USE_NONE && n->integer && n->size <= 2 && n->kind != NODE_MEMBER) {
        reads_discard(p, node, n->size, 0);
    } else if (use != USE_READ) {
        /* An address: what is read through it goes through a volatile pointer. An update: what is written back is only
         * ever read through the recorder again. */
        p->r->unneeded++;
    } else if (reads_update_is_used(p, node, at)) {
        return pass_refuse(
            p, node,
            "the value of an operation that changes register %s in place is used; write it as a read and an "
            "assignment so that it can be recorded",
            at->name);
    } else if (record) {
        return reads_record_struct(p, node, at);
    } else if (reads_width(n) > 16) {
        return pass_refuse(p, node, "a read of %u bytes from registers cannot be recorded", n->size);
    } else {
        reads_record_read(p, node, at);
    }
    return true;
}

/* What is wider than a register, word by word: each may lead to one. */
static void reads_record_wide(struct pass *p, int node, const char *number)
{
    const struct tree_node *n = tree_at(p->t, node);
    char words[600] = "";
    for (unsigned i = 0; i < n->size / 2u; i++)
        snprintf(words + strlen(words), sizeof words - strlen(words),
                 "motet_u.motet_w[%u]=motet_pointer16(motet_p+%u,%s);", i, i, number);
    edits_add(&p->edits, n->start, EDIT_OPEN,
              "({union{unsigned motet_w[%u];__typeof__(%.*s) motet_t;} motet_u;const volatile unsigned*motet_p=(const "
              "volatile unsigned*)&(",
              n->size / 2u, (int)(n->end - n->start), p->text + n->start);
    edits_add(&p->edits, n->end, EDIT_CLOSE, ");%smotet_u.motet_t;})", words);
}

/* A read through a volatile pointer of which only the run knows whether it leads to a register. */
void reads_visit_pointer(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    if (live_use(p->t, node) != USE_READ || !live_bits(p->t, node, n->size))
        return;
    if (reads_update_is_used(p, node, &(struct place){0})) {
        pass_warn(
            p, node,
            "the value of an operation in place is used, through a pointer: where it leads to a register, it is not "
            "recorded");
        return;
    }
    bool field = n->kind == NODE_MEMBER && n->is_bit_field; /* has no address: recorded wherever it is */
    unsigned size = field && !n->is_signed && n->bit_width <= 8 ? 1 : field ? 2 : n->size;
    uint32_t bits = field && !n->is_signed ? reads_ones(n->bit_width) : reads_ones(8 * size);
    const char *number = pass_site(p, node, "*pointer", REGISTER_WHOLE, bits, "the run decides where it points");
    if (field) {
        edits_add(&p->edits, n->start, EDIT_OPEN, "%smotet_read%u((", n->is_signed ? "(int)" : "", 8 * size);
        edits_add(&p->edits, n->end, EDIT_CLOSE, "),0x%x,%s)", bits, number);
        return;
    }
    if (size > 2) {
        reads_record_wide(p, node, number);
        return;
    }
    edits_add(&p->edits, n->start, EDIT_OPEN, "motet_pointer%u(&(", 8 * size);
    edits_add(&p->edits, n->end, EDIT_CLOSE, "),%s)", number);
}

/* *(uint8_t *)(0x140 + 2 * i): a number that was worked out, and may be that of a register. */
static bool reads_is_followed_number(const struct pass *p, const struct tree_node *n)
{
    int pointer = n->kind == NODE_UNARY && n->operator== OPERATOR_FOLLOW ? tree_inner(p->t, n->child) : - 1;
    if (pointer < 0 || tree_at(p->t, pointer)->kind != NODE_CAST)
        return false;
    int from = tree_inner(p->t, tree_last_child(p->t, pointer));
    int64_t address;
    return from >= 0 && tree_at(p->t, from)->integer && !tree_constant(p->t, from, &address);
}

/* Whether a member is reached through a pointer, and not of a variable of the program. */
static bool reads_is_behind_pointer(const struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    int base = n->child < 0 ? -1 : tree_inner(p->t, n->child);
    if (base < 0)
        return n->kind == NODE_MEMBER && n->is_overlay;
    if (n->kind == NODE_MEMBER || n->kind == NODE_SUBSCRIPT)
        return tree_at(p->t, base)->is_pointer || reads_is_behind_pointer(p, base);
    return n->kind == NODE_UNARY && n->operator== OPERATOR_FOLLOW;
}

bool reads_leads_anywhere(const struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    if (reads_is_followed_number(p, n) && n->integer && n->size <= 2)
        return true;
    bool wide = !n->is_record && !n->is_array && !n->is_pointer && (n->size == 4 || n->size == 8);
    if (!n->is_volatile || !(wide || (n->integer && (n->size == 1 || n->size == 2))))
        return false;
    if ((n->kind == NODE_UNARY && n->operator== OPERATOR_FOLLOW) || n->is_reference)
        return true;
    if (n->kind == NODE_MEMBER)
        return reads_is_behind_pointer(p, node);
    if (n->kind != NODE_SUBSCRIPT)
        return false;
    int base = tree_inner(p->t, n->child); /* an array of its own is no register */
    return base < 0 || tree_at(p->t, base)->kind != NODE_REFERENCE || tree_at(p->t, base)->is_pointer;
}

/* Variables at fixed addresses: their names are none to every compiler. Declarations are left out, in the file or in a
 * function; for the names stand the addresses, also where nothing is recorded. */
void reads_leave_out_addresses(struct pass *p)
{
    for (size_t i = 0; i < tree_count(p->t); i++) {
        const struct tree_node *n = tree_at(p->t, (int)i);
        const struct tree_node *d =
            n->kind == NODE_REFERENCE && n->declaration >= 0 ? tree_at(p->t, n->declaration) : n;
        if (d->kind != NODE_VARIABLE || d->fixed_address < 0 || !d->is_volatile)
            continue;
        uint32_t end = n->end;
        while (n == d && end < p->size && p->text[end] != ';')
            end++;
        if (n == d)
            edits_add(&p->edits, n->start, EDIT_OPEN, "/*");
        else
            edits_add(&p->edits, n->start, EDIT_OPEN, "(*(volatile unsigned %s*)0x%x)/*", d->size == 1 ? "char" : "int",
                      (unsigned)d->fixed_address);
        edits_add(&p->edits, end, EDIT_CLOSE, "*/");
    }
}

void reads_record_kept(struct pass *p, uint32_t at)
{
    for (size_t i = 0; i < tree_count(p->t); i++)
        if (reads_is_kept(p, (int)i) && tree_function(p->t, (int)i) < 0) {
            const char *name = tree_at(p->t, (int)i)->name;
            edits_add(&p->edits, at, EDIT_OPEN, "motet_block(&%s,sizeof(%s),%s);", name, name,
                      pass_site(p, (int)i, name, REGISTER_DATA, 0xff, "keeps its contents over a reset"));
        }
}

static bool reads_defines(const struct pass *p, const char *name)
{
    for (size_t i = 0; i < tree_count(p->t); i++)
        if (tree_at(p->t, (int)i)->kind == NODE_FUNCTION && strcmp(tree_at(p->t, (int)i)->name, name) == 0 &&
            pass_body_of(p, (int)i) >= 0)
            return true;
    return false;
}

bool reads_is_beginning(const struct pass *p, int function)
{
    const char *name = tree_at(p->t, function)->name;
    return strcmp(name, "main") == 0 || (p->o->cpp && strcmp(name, "setup") == 0 && !reads_defines(p, "main"));
}

/* Their contents are recorded at the start of main, so that is where they must be known. */
bool reads_check_kept(struct pass *p)
{
    bool has_main = reads_defines(p, "main") || (p->o->cpp && reads_defines(p, "setup"));
    for (size_t i = 0; i < tree_count(p->t); i++)
        if (reads_is_kept(p, (int)i) && (!has_main || tree_function(p->t, (int)i) >= 0))
            return pass_refuse(
                p, (int)i,
                "%s keeps its contents over a reset (.noinit), which are recorded where main begins: define it "
                "in main's file (in a sketch: that of setup()), outside of functions",
                tree_at(p->t, (int)i)->name);
    return true;
}

/* Before main, in C++, variables may be given what is read from registers. */
bool reads_check_initial(struct pass *p)
{
    for (size_t i = 0; p->o->cpp && i < tree_count(p->t); i++) {
        struct place at;
        if (tree_function(p->t, (int)i) < 0 && pass_is_register(p, (int)i, &at) && live_use(p->t, (int)i) == USE_READ &&
            (!at.in_file || at.is.class != REGISTER_FIXED) && !pass_is_unevaluated(p, (int)i))
            return pass_refuse(p, (int)i, "register %s is read before main begins, where nothing can be recorded",
                               at.name);
    }
    return true;
}
