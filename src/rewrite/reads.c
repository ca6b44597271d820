#include "rewrite/reads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/live.h"
#include "rewrite/stamp.h"

/* GNU ld drops sections without references. */
static const char avr_keep[] = "\\n\\t.reloc 1b, R_AVR_NONE, 2b";

static const char *const copying[] = {"memcpy", "memmove", "__builtin_memcpy", "__builtin_memmove", NULL};

/* The width of what a read gives, in bits. */
static unsigned width_of(const struct tree_node *n)
{
    return n->kind == NODE_MEMBER && n->is_bit_field ? n->bit_width : 8u * n->size;
}

static uint32_t ones(unsigned bits)
{
    return bits >= 32 ? UINT32_MAX : (1u << bits) - 1;
}

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
static void mark_poll(struct pass *p, int node, const struct poll *poll, uint32_t live)
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

static bool was_warned(const struct pass *p, const char *name)
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
    uint32_t whole = ones(width_of(n));
    uint32_t changing = at->in_file && !at->computed ? at->is.bits >> at->shift & whole : whole;
    uint32_t live = live_bits(p->t, node, n->size);
    unsigned size = width_of(n) <= 8 ? 1 : 2; /* of the value */
    if (field && n->is_signed)                /* its highest bit stands for all above it */
        live = changing = whole = 0xffff, size = 2;
    struct poll poll;
    uint32_t dead = changing & ~live; /* made the same in every run, wherever the value is kept */
    if (!(live & changing)) {
        reads_discard(p, node, size, whole & ~dead);
        return;
    }
    if (!at->in_file && !was_warned(p, at->name))
        pass_warn(p, node, "the register at %s is not in the chip's register file: it is recorded in full", at->name);
    if (class == REGISTER_STATE && !at->computed && !field && reads_is_poll(p, node, live & whole, changing, &poll)) {
        mark_poll(p, node, &poll, live & whole);
        return;
    }
    const char *why = at->computed   ? "index decides"
                      : !at->in_file ? "not in the register file"
                      : field        ? "bits of a register"
                                     : "register read";
    const char *number = pass_site(p, node, at->name, class, live & changing, why);
    edits_add(&p->edits, n->start, EDIT_OPEN, "%smotet_read%u((", field && n->is_signed ? "(int)" : "", 8u * size);
    char mask[16] = ""; /* before the call: after it the compiler would leave it out, since these bits are not used */
    if (dead)
        snprintf(mask, sizeof mask, "&0x%x", whole & ~dead);
    edits_add(&p->edits, n->end, EDIT_CLOSE, ")%s,0x%x,%s)", mask, live & changing, number);
}

/* A struct or union that lies over a register and is taken as a whole. */
static bool record_struct(struct pass *p, int node, const struct place *at)
{
    const struct tree_node *n = tree_at(p->t, node);
    if ((n->size != 1 && n->size != 2) || p->o->cpp)
        return pass_refuse(
            p, node, "a structure over register %s is copied, which cannot be recorded; read its members", at->name);
    uint32_t whole = ones(8u * n->size), changing = at->in_file && !at->computed ? at->is.bits : whole;
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
static bool update_is_used(struct pass *p, int node, const struct place *at)
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
static bool is_part_of_access(const struct pass *p, int node)
{
    int above = tree_above(p->t, node);
    return above >= 0 && tree_at(p->t, above)->kind == NODE_MEMBER;
}

/* Whether the address of the register becomes a pointer that is not volatile, and goes where it cannot be followed. */
static bool is_lost(const struct pass *p, int node)
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
    return !followed && !(user->kind == NODE_CALL && pass_is_named(user, copying));
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
static bool visit_write(struct pass *p, int node, const struct place *at)
{
    if (reads_may_write(p, node, at->is.programs))
        return pass_refuse(
            p, node,
            "writing %s changes program memory; what is there after the next start is not recorded, so this "
            "cannot be replayed",
            at->name);
    if (reads_may_write(p, node, at->is.fills) && !p->says_filled)
        return pass_refuse(
            p, node,
            "writing %s lets hardware fill memory (DMA), which is not recorded by itself; include motet.h and "
            "call motet_filled(bytes, size) in this file where it is complete, before the bytes are read",
            at->name);
    return true;
}

/* Variables that keep their contents over a reset. */
static bool is_kept(const struct pass *p, int node)
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
static bool is_early(const struct pass *p, int function)
{
    uint32_t after;
    return function >= 0 && (pass_has_attribute(p, function, "\".init", &after) ||
                             pass_has_attribute(p, function, "constructor", &after));
}

/* What is read there may only go into a variable that is recorded when main begins. */
static bool goes_into_kept(const struct pass *p, int node)
{
    int above = tree_above(p->t, node);
    const struct tree_node *a = tree_at(p->t, above);
    if (a->kind != NODE_BINARY || a->operator!= OPERATOR_ASSIGN)
        return false;
    const struct tree_node *to = tree_at(p->t, tree_inner(p->t, a->child));
    return to->kind == NODE_REFERENCE && to->declaration >= 0 && is_kept(p, to->declaration);
}

bool reads_visit_register(struct pass *p, int node, const struct place *at)
{
    const struct tree_node *n = tree_at(p->t, node);
    bool fixed = at->in_file && !at->computed && !(at->is.bits >> at->shift & ones(width_of(n)));
    bool record = n->is_record;
    if (record && is_part_of_access(p, node))
        return true;
    enum use use = live_use(p->t, node);
    int above = tree_above(p->t, node);
    if (use == USE_READ && above >= 0 && tree_at(p->t, above)->kind == NODE_ASM && !fixed)
        return pass_refuse(p, node, "inline assembly gets register %s itself; give it a variable", at->name);
    if (use == USE_ADDRESS && !fixed && is_lost(p, node))
        return pass_refuse(
            p, node,
            "the address of register %s becomes a pointer that is not volatile; what is read through it could "
            "not be recorded; keep it volatile",
            at->name);
    if ((use == USE_WRITE || use == USE_UPDATE) && !visit_write(p, node, at))
        return false;
    if (use == USE_READ && !fixed && is_early(p, tree_function(p->t, node))) {
        if (!goes_into_kept(p, node))
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
    } else if (update_is_used(p, node, at)) {
        return pass_refuse(
            p, node,
            "the value of an operation that changes register %s in place is used; write it as a read and an "
            "assignment so that it can be recorded",
            at->name);
    } else if (record) {
        return record_struct(p, node, at);
    } else if (width_of(n) > 16) {
        return pass_refuse(p, node, "a read of %u bytes from registers cannot be recorded", n->size);
    } else {
        reads_record_read(p, node, at);
    }
    return true;
}

/* What is wider than a register, word by word: each may lead to one. */
static void record_wide(struct pass *p, int node, const char *number)
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
    if (update_is_used(p, node, &(struct place){0})) {
        pass_warn(
            p, node,
            "the value of an operation in place is used, through a pointer: where it leads to a register, it is not "
            "recorded");
        return;
    }
    bool field = n->kind == NODE_MEMBER && n->is_bit_field; /* has no address: recorded wherever it is */
    unsigned size = field && !n->is_signed && n->bit_width <= 8 ? 1 : field ? 2 : n->size;
    uint32_t bits = field && !n->is_signed ? ones(n->bit_width) : ones(8 * size);
    const char *number = pass_site(p, node, "*pointer", REGISTER_WHOLE, bits, "the run decides where it points");
    if (field) {
        edits_add(&p->edits, n->start, EDIT_OPEN, "%smotet_read%u((", n->is_signed ? "(int)" : "", 8 * size);
        edits_add(&p->edits, n->end, EDIT_CLOSE, "),0x%x,%s)", bits, number);
        return;
    }
    if (size > 2) {
        record_wide(p, node, number);
        return;
    }
    edits_add(&p->edits, n->start, EDIT_OPEN, "motet_pointer%u(&(", 8 * size);
    edits_add(&p->edits, n->end, EDIT_CLOSE, "),%s)", number);
}

/* *(uint8_t *)(0x140 + 2 * i): a number that was worked out, and may be that of a register. */
static bool is_followed_number(const struct pass *p, const struct tree_node *n)
{
    int pointer = n->kind == NODE_UNARY && n->operator== OPERATOR_FOLLOW ? tree_inner(p->t, n->child) : - 1;
    if (pointer < 0 || tree_at(p->t, pointer)->kind != NODE_CAST)
        return false;
    int from = tree_inner(p->t, tree_last_child(p->t, pointer));
    int64_t address;
    return from >= 0 && tree_at(p->t, from)->integer && !tree_constant(p->t, from, &address);
}

/* Whether a member is reached through a pointer, and not of a variable of the program. */
static bool is_behind_pointer(const struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    int base = n->child < 0 ? -1 : tree_inner(p->t, n->child);
    if (base < 0)
        return n->kind == NODE_MEMBER && n->is_overlay;
    if (n->kind == NODE_MEMBER || n->kind == NODE_SUBSCRIPT)
        return tree_at(p->t, base)->is_pointer || is_behind_pointer(p, base);
    return n->kind == NODE_UNARY && n->operator== OPERATOR_FOLLOW;
}

bool reads_leads_anywhere(const struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    if (is_followed_number(p, n) && n->integer && n->size <= 2)
        return true;
    bool wide = !n->is_record && !n->is_array && !n->is_pointer && (n->size == 4 || n->size == 8);
    if (!n->is_volatile || !(wide || (n->integer && (n->size == 1 || n->size == 2))))
        return false;
    if ((n->kind == NODE_UNARY && n->operator== OPERATOR_FOLLOW) || n->is_reference)
        return true;
    if (n->kind == NODE_MEMBER)
        return is_behind_pointer(p, node);
    if (n->kind != NODE_SUBSCRIPT)
        return false;
    int base = tree_inner(p->t, n->child); /* an array of its own is no register */
    return base < 0 || tree_at(p->t, base)->kind != NODE_REFERENCE || tree_at(p->t, base)->is_pointer;
}

/* f(to, from, count) that copies what changes: byte by byte through the recorder, so that at no time there is a byte in
 * memory that replay has not. The call's name is left out, its arguments become assignments. */
static void record_copy(struct pass *p, int node, const char *read, const char *what, const char *why)
{
    static const char *const into[] = {"motet_d=motet_e=(unsigned char*)(", "motet_s=(const volatile unsigned char*)(",
                                       "motet_n=("};
    const struct tree_node *n = tree_at(p->t, node);
    edits_add(&p->edits, n->start, EDIT_OPEN,
              "({unsigned char*motet_d,*motet_e __attribute__((unused));const volatile unsigned char*motet_s;unsigned "
              "motet_n;/*");
    edits_add(&p->edits, tree_at(p->t, n->child)->end, EDIT_CLOSE, "*/");
    for (unsigned i = 0; i < 3; i++) {
        const struct tree_node *argument = tree_at(p->t, tree_child(p->t, node, 1 + i));
        edits_add(&p->edits, argument->start, EDIT_OPEN, "%s", into[i]);
        edits_add(&p->edits, argument->end, EDIT_CLOSE, ")");
    }
    edits_add(&p->edits, n->end, EDIT_CLOSE, ";while(motet_n--)*motet_d++=motet_read8(%s,0xff,%s);%s})", read,
              pass_site(p, node, what, REGISTER_DATA, 0xff, why),
              live_use(p->t, node) == USE_NONE ? "" : "(void*)motet_e;");
}

static void record_result(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    const char *number = pass_site(p, node, n->name, REGISTER_DATA, 0xff, "EEPROM");
    edits_add(&p->edits, n->start, EDIT_OPEN, "motet_read8(");
    edits_add(&p->edits, n->end, EDIT_CLOSE, ",0xff,%s)", number);
}

/* avr-libc's functions for values of several bytes, and those that look before they write. */
static const struct eeprom {
    const char *name, *type;
    bool updates;
} eeprom_wide[] = {
    {"eeprom_read_word", "unsigned", false},
    {"eeprom_read_dword", "unsigned long", false},
    {"eeprom_read_float", "float", false},
    {"eeprom_update_byte", "unsigned char", true},
    {"eeprom_update_word", "unsigned", true},
    {"eeprom_update_dword", "unsigned long", true},
    {"eeprom_update_float", "float", true},
    {"eeprom_update_block", "unsigned char", true},
    {NULL, NULL, false},
};

static const struct eeprom *eeprom_named(const char *name)
{
    const struct eeprom *e = eeprom_wide;
    while (e->name && strcmp(e->name, name) != 0)
        e++;
    return e->name ? e : NULL;
}

/* Byte by byte, as the library does it, from the last to the first. */
static void record_eeprom(struct pass *p, int node, const struct eeprom *e)
{
    const struct tree_node *n = tree_at(p->t, node);
    bool block = strcmp(e->name, "eeprom_update_block") == 0;
    static const char *const blocks[] = {"motet_s=(const unsigned char*)(", "motet_e=(unsigned char*)(", "motet_n=("};
    static const char *const values[] = {"motet_e=(unsigned char*)(", "motet_w=("};
    edits_add(&p->edits, n->start, EDIT_OPEN,
              "({%s motet_w;unsigned char*motet_e;%sunsigned char*motet_s=(unsigned char*)&motet_w;unsigned "
              "motet_n=sizeof motet_w;/*",
              e->type, block ? "const " : "");
    edits_add(&p->edits, tree_at(p->t, n->child)->end, EDIT_CLOSE, "*/");
    for (int i = 0, argument; (argument = tree_child(p->t, node, 1 + (unsigned)i)) >= 0 && i < 3; i++) {
        edits_add(&p->edits, tree_at(p->t, argument)->start, EDIT_OPEN, "%s", block ? blocks[i] : values[i % 2]);
        edits_add(&p->edits, tree_at(p->t, argument)->end, EDIT_CLOSE, ")");
    }
    const char *number = pass_site(p, node, n->name, REGISTER_DATA, 0xff, "EEPROM");
    if (e->updates)
        edits_add(&p->edits, n->end, EDIT_CLOSE,
                  ";while(motet_n--)if(motet_read8(eeprom_read_byte(motet_e+motet_n),0xff,%s)!=motet_s[motet_n])"
                  "eeprom_write_byte(motet_e+motet_n,motet_s[motet_n]);})",
                  number);
    else
        edits_add(&p->edits, n->end, EDIT_CLOSE,
                  ";while(motet_n--)motet_s[motet_n]=motet_read8(eeprom_read_byte(motet_e+motet_n),0xff,%s);motet_w;})",
                  number);
}

/* motet_filled(bytes, size), of motet.h. */
static void record_filled(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    const char *number = pass_site(p, node, "motet_filled", REGISTER_DATA, 0xff, "the program says so");
    edits_add(&p->edits, n->start, EDIT_OPEN, "motet_block/*");
    edits_add(&p->edits, tree_at(p->t, n->child)->end, EDIT_CLOSE, "*/");
    edits_add(&p->edits, n->end - 1, EDIT_CLOSE, ",%s", number);
}

bool reads_visit_call(struct pass *p, int node)
{
    static const char *const backward[] = {"longjmp", "_longjmp", "__builtin_longjmp", NULL};
    const struct tree_node *n = tree_at(p->t, node);
    if (strcmp(n->name, "__builtin_avr_delay_cycles") == 0) {
        pass_uncounted(p, n->start, n->end);
    } else if (strcmp(n->name, "eeprom_read_byte") == 0) {
        record_result(p, node);
    } else if (strcmp(n->name, "eeprom_read_block") == 0) {
        record_copy(p, node, "eeprom_read_byte((const unsigned char*)motet_s++)", n->name, "EEPROM");
    } else if (strcmp(n->name, "motet_filled") == 0) {
        record_filled(p, node);
    } else if (eeprom_named(n->name)) {
        record_eeprom(p, node, eeprom_named(n->name));
    } else if (pass_is_named(n, copying) &&
               address_leads_to_register(p->t, p->o->registers, tree_child(p->t, node, 2))) {
        record_copy(p, node, "*motet_s++", "*registers", "copied from registers");
    } else if (!p->o->stamp && pass_is_named(n, backward)) { /* a way back that is no loop of the text */
        p->r->steps++;
        edits_add(&p->edits, n->start, EDIT_OPEN, "(motet_far_step(),");
        edits_add(&p->edits, n->end, EDIT_CLOSE, ")");
    }
    return true;
}

/* A loop whose statements stand in the file no more is replaced by what is at `before`, a function of its own that
 * replay does not execute (measure.h). */
static void leave_loop_out(struct pass *p, int loop)
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
    leave_loop_out(p, poll->loop);
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

static bool is_plain(const struct pass *p, int node, struct place *at)
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
static bool may_call(enum operator operator)
{
    return operator== OPERATOR_OTHER || operator== OPERATOR_LEFT || operator== OPERATOR_RIGHT || operator==
        OPERATOR_ASSIGN;
}

/* To be known to the loop's function by its name, once: those of the file are. */
static bool add_variable(const struct pass *p, int reference, struct wait *w)
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
        return is_plain(p, node, &at) && at.is.class != REGISTER_DATA && !(d && d->fixed_address >= 0);
    }
    if (n->kind == NODE_REFERENCE) /* an enumerator may be one of the function's own */
        return (!d || d->kind == NODE_VARIABLE || d->kind == NODE_PARAMETER) && add_variable(p, node, w);
    bool known = n->kind == NODE_LITERAL || n->kind == NODE_PARENTHESES || n->kind == NODE_CAST ||
                 (n->kind == NODE_BINARY && (!may_call(n->operator) || tree_constant(p->t, node, &value))) ||
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
static void write_wait(struct pass *p, int loop, int condition, const struct wait *w)
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
        leave_loop_out(p, loop);
        write_wait(p, loop, condition, &w);
    }
}

/* The loop as a function of its own, and what calls it: its value is in registers alone until it is recorded,
 * independent of the compiler, and nothing else is left of it. Each round executes the same instructions. */
static void write_steady(struct pass *p, int loop, const struct place *at)
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
            !is_plain(p, s.reads[0], &a) || !is_plain(p, s.reads[1], &b) || a.address != b.address ||
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
        write_steady(p, loop, &a);
        edits_add(&p->edits, l->start, EDIT_OPEN, "{%s=%s=motet_read%u(motet_steady_%d(),0x%x,%s);%sif(0)",
                  second->name, first->name, 8u * a.is.size, loop, all, number,
                  p->o->stamp ? "motet_polls_no_more();" : "");
        edits_add(&p->edits, pass_statement_end(p, loop), EDIT_CLOSE, "}");
        if (read->start < l->start) { /* before the loop, and overwritten in it */
            edits_add(&p->edits, read->start, EDIT_OPEN, "(0?(");
            edits_add(&p->edits, read->end, EDIT_CLOSE, "):0)");
        }
    }
    return true;
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
        if (is_kept(p, (int)i) && tree_function(p->t, (int)i) < 0) {
            const char *name = tree_at(p->t, (int)i)->name;
            edits_add(&p->edits, at, EDIT_OPEN, "motet_block(&%s,sizeof(%s),%s);", name, name,
                      pass_site(p, (int)i, name, REGISTER_DATA, 0xff, "keeps its contents over a reset"));
        }
}

static bool defines(const struct pass *p, const char *name)
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
    return strcmp(name, "main") == 0 || (p->o->cpp && strcmp(name, "setup") == 0 && !defines(p, "main"));
}

/* Their contents are recorded at the start of main, so that is where they must be known. */
bool reads_check_kept(struct pass *p)
{
    bool has_main = defines(p, "main") || (p->o->cpp && defines(p, "setup"));
    for (size_t i = 0; i < tree_count(p->t); i++)
        if (is_kept(p, (int)i) && (!has_main || tree_function(p->t, (int)i) >= 0))
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
