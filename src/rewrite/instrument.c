#include "rewrite/instrument.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite/address.h"
#include "rewrite/assembly.h"
#include "rewrite/edits.h"
#include "rewrite/live.h"
#include "rewrite/poll.h"
#include "rewrite/tree.h"

enum { CLASS_UNIT = 8192, SMALL_FUNCTION = 24, TIGHT_LOOP = 40 /* nodes */ };

/* What rewritten files say to the recorder, without any header: they are preprocessed already. */
static const char declarations[] =
    "extern const char motet_sites_here[] __asm__(\".Lmotet_sites\");\n"
    "unsigned char motet_read8(unsigned char value, unsigned char live, unsigned site);\n"
    "unsigned motet_read16(unsigned value, unsigned live, unsigned site);\n"
    "unsigned char motet_pointer8(const volatile void *p, unsigned site);\n"
    "unsigned motet_pointer16(const volatile void *p, unsigned site);\n"
    "void motet_block(volatile void *bytes, unsigned size, unsigned site);\n"
    "unsigned char motet_idle(void);\n"
    "extern volatile unsigned char motet_uncounted;\n"
    "void motet_boot(void);\n";

/* One step of the count: on the AVR of its low byte; what is called when that wraps keeps all registers. In place it is
 * quick, in small loops. Elsewhere it is a call of a routine that all files share: whoever is interrupted in that has a
 * count that no other pass through it has, so the place is as unique there as in the text. Neither uses a register that
 * would have to be kept on the stack: what is left in it may be of no use, and not recorded. */
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
    "__asm__ __volatile__(\"inc &motet_count\\n\\tjnz 1f\\n\\tcall #motet_wrapped\\n1:\");}\n"
    "static inline __attribute__((always_inline,unused)) void motet_far_step(void){"
    "__asm__ __volatile__(\"call #motet_step_far\");}\n"
    "__asm__(\".pushsection .text.motet_step_far,\\\"axG\\\",@progbits,motet_step_far,comdat\\n\\t"
    ".weak motet_step_far\\n\\t.type motet_step_far,@function\\nmotet_step_far:\\n\\t"
    "inc &motet_count\\n\\tjnz 1f\\n\\tcall #motet_wrapped\\n"
    "1:\\tret\\n\\t.size motet_step_far,.-motet_step_far\\n\\t.popsection\");\n";

/* Before a handler runs its stub has told the recorder: no prologue lies between them, all registers are as they were
 * (target/recorder/motet_record.h has the same for sources written by hand). */
static const char avr_stub[] =
    "%svoid __vector_%u(void) __asm__(\"__vector_%u_motet\");\n"
    "__asm__(\".pushsection .text.motet_vectors,\\\"ax\\\",@progbits\\n\\t.global __vector_%u\\n\\t"
    ".type __vector_%u,@function\\n__vector_%u:\\n\\tpush r24\\n\\tldi r24,%u\\n\\tcall motet_enter\\n\\t"
    "pop r24\\n\\tjmp __vector_%u_motet\\n\\t.popsection\");\n";
static const char msp430_stub[] =
    "__asm__(\".pushsection __interrupt_vector_%u,\\\"ax\\\",@progbits\\n\\t.short motet_vector_%u\\n\\t.popsection"
    "\\n\\t.pushsection .text.motet_vectors,\\\"ax\\\",@progbits\\n\\t.global motet_vector_%u, motet_handler_%u\\n\\t"
    ".type motet_vector_%u,@function\\nmotet_vector_%u:\\n\\tpush r12\\n\\tmov #%u, r12\\n\\tcall #motet_enter\\n\\t"
    "pop r12\\n%s\\tbr #%s\\n\\t.popsection\");\n";
/* msp430-gcc's attribute `wakeup`, of which clang knows nothing: the CPU is awake when the handler returns. */
static const char msp430_waking[] = "motet_handler_%u:\\n\\tbic #0xf0, 0(r1)\\n";
static const char msp430_plain[] = "\\t.set motet_handler_%u, %s\\n";
/* GNU ld forgets sections that nobody refers to. */
static const char avr_keep[] = "\\n\\t.reloc 1b, R_AVR_NONE, 2b";
enum { MSP430_CPUOFF = 0x10 };
enum { NO_VECTOR = 63 }; /* its section is linked nowhere: takes the place of the number in a handler's attribute */

struct handler {
    int function;
    unsigned vector;
};

struct pass {
    struct tree *t;
    const struct instrument_options *o;
    struct instrumented *r;
    struct edits edits;
    const char *text;
    size_t size;
    struct handler handlers[64];
    unsigned handler_count;
    unsigned *calls;  /* references to each function, by node */
    bool *used;       /* functions that anything can reach, by node */
    bool *masked;     /* functions that run with interrupts off from beginning to end, by node */
    bool *skipped;    /* loops that poll */
    bool *quiet;      /* reads that are recorded elsewhere */
    bool says_filled; /* the file says where hardware has filled memory */
    struct error *e;
};

static bool is_avr(const struct pass *p)
{
    return strcmp(p->o->target, "avr") == 0;
}

/* ---- saying ---- */

static void place_of(const struct pass *p, int node, char *text, size_t size)
{
    unsigned line, column;
    const char *file = tree_place(p->t, node, &line, &column);
    snprintf(text, size, "%.120s:%u:%u", file, line, column);
}

static bool refuse(struct pass *p, int node, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool refuse(struct pass *p, int node, const char *format, ...)
{
    char place[160], what[600];
    place_of(p, node, place, sizeof place);
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return error_set(p->e, "%s: %s", place, what);
}

static void warn(struct pass *p, int node, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void warn(struct pass *p, int node, const char *format, ...)
{
    char place[160], what[600], *line;
    place_of(p, node, place, sizeof place);
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    p->r->warnings = realloc(p->r->warnings, (p->r->warning_count + 1) * sizeof *p->r->warnings);
    if (!p->r->warnings || asprintf(&line, "%s: warning: %s", place, what) < 0)
        abort();
    p->r->warnings[p->r->warning_count++] = line;
}

/* ---- sites ---- */

static unsigned count_bits(uint32_t v)
{
    return (unsigned)__builtin_popcount(v);
}

/* A new site; returns what the recorder is to be given as its number, as an expression. */
static const char *site(struct pass *p, int node, const char *name, enum register_class class, uint32_t live,
                        const char *why)
{
    static char number[64];
    struct instrumented *r = p->r;
    if ((r->site_count & (r->site_count + 1)) == 0) {
        r->sites = realloc(r->sites, (2 * r->site_count + 2) * sizeof *r->sites);
        if (!r->sites)
            abort();
    }
    struct site *s = &r->sites[r->site_count];
    *s = (struct site){.class = class, .live = (uint16_t)live, .bits = count_bits(live), .why = why};
    place_of(p, node, s->place, sizeof s->place);
    snprintf(s->name, sizeof s->name, "%s", name);
    snprintf(number, sizeof number, "(unsigned)(motet_sites_here+%zu)", r->site_count + (size_t) class * CLASS_UNIT);
    r->site_count++;
    return number;
}

/* ---- registers ---- */

static int inner(const struct pass *p, int node)
{
    while (node >= 0 && tree_at(p->t, node)->kind == NODE_PARENTHESES)
        node = tree_at(p->t, node)->child;
    return node;
}

static bool is_register(const struct pass *p, int node, struct place *at)
{
    return address_of_register(p->t, p->o->registers, node, at);
}

/* The width of what a read gives, in bits. */
static unsigned width_of(const struct tree_node *n)
{
    return n->kind == NODE_MEMBER && n->is_bit_field ? n->bit_width : 8u * n->size;
}

static uint32_t ones(unsigned bits)
{
    return bits >= 32 ? UINT32_MAX : (1u << bits) - 1;
}

/* Ends the mark of a loop that polls: in replay motet_v is made what leaves the loop, or what stays in it. */
static void mark_end(struct pass *p, uint32_t at, unsigned leave, unsigned stay, unsigned size)
{
    edits_add(&p->edits, at, EDIT_CLOSE,
              ");__asm__ __volatile__(\"1:\\n\\t.pushsection .motet.polls.%%=,\\\"\\\",@progbits\\n2:\\t.long "
              "1b\\n\\t.ascii "
              "\\\"%%0 0x%x 0x%x %u\\\\n\\\"\\n\\t.popsection%s\":\"+r\"(motet_v));motet_v;})",
              leave, stay, size, is_avr(p) ? avr_keep : "");
    p->r->polls++;
}

/* A loop that waits for the register: its read is marked for replay, which leaves the loop. */
static void mark_poll(struct pass *p, int node, const struct poll *poll)
{
    const struct tree_node *n = tree_at(p->t, node);
    edits_add(&p->edits, n->start, EDIT_OPEN, "({unsigned %s motet_v=(", n->size == 1 ? "char" : "int");
    mark_end(p, n->end, poll->leave, poll->stay, n->size);
}

static void record_read(struct pass *p, int node, const struct place *at)
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
        p->r->unneeded++;
        edits_add(&p->edits, n->start, EDIT_OPEN, "((");
        edits_add(&p->edits, n->end, EDIT_CLOSE, ")&0x%x)", whole & ~dead);
        return;
    }
    if (!at->in_file)
        warn(p, node, "the register at %s is not in the chip's register file: it is recorded in full", at->name);
    if (class == REGISTER_STATE && !at->computed && !field &&
        poll_at(p->t, node, live & changing, p->o->target, &poll)) {
        mark_poll(p, node, &poll);
        return;
    }
    const char *why = at->computed   ? "index decides"
                      : !at->in_file ? "not in the register file"
                      : field        ? "bits of a register"
                                     : "register read";
    const char *number = site(p, node, at->name, class, live & changing, why);
    edits_add(&p->edits, n->start, EDIT_OPEN, "%smotet_read%u((", field && n->is_signed ? "(int)" : "", 8u * size);
    char mask[16] = ""; /* before the call: behind it the compiler would leave it out, since nobody uses these bits */
    if (dead)
        snprintf(mask, sizeof mask, "&0x%x", whole & ~dead);
    edits_add(&p->edits, n->end, EDIT_CLOSE, ")%s,0x%x,%s)", mask, live & changing, number);
}

/* A struct or union that lies over a register and is taken as a whole. */
static bool record_struct(struct pass *p, int node, const struct place *at)
{
    const struct tree_node *n = tree_at(p->t, node);
    if ((n->size != 1 && n->size != 2) || p->o->cpp)
        return refuse(p, node, "a structure over register %s is copied, which cannot be recorded; read its members",
                      at->name);
    uint32_t whole = ones(8u * n->size), changing = at->in_file && !at->computed ? at->is.bits : whole;
    const char *number = site(p, node, at->name, at->in_file ? at->is.class : REGISTER_WHOLE, changing,
                              at->in_file ? "register read as a structure" : "not in the register file");
    const char *type = n->size == 1 ? "char" : "int";
    edits_add(&p->edits, n->start, EDIT_OPEN,
              "(((union{unsigned %s motet_f;__typeof__(%.*s) motet_t;}){motet_read%u(*(volatile unsigned %s*)&(", type,
              (int)(n->end - n->start), p->text + n->start, 8u * n->size, type);
    edits_add(&p->edits, n->end, EDIT_CLOSE, "),0x%x,%s)}).motet_t)", changing, number);
    return true;
}

/* ++ or |= on a register, whose result somebody looks at: its old value is one that nobody could put in its place. */
static bool update_is_used(struct pass *p, int node, const struct place *at)
{
    int above = tree_above(p->t, node);
    const struct tree_node *a = tree_at(p->t, above);
    if (a->kind != NODE_ASSIGN_OPERATION && !(a->kind == NODE_UNARY && a->operator== OPERATOR_STEP))
        return false;
    if (a->kind == NODE_ASSIGN_OPERATION && inner(p, a->child) != node)
        return false;
    return !at->in_file || at->is.class != REGISTER_FIXED;
}

/* Of a structure over a register only what is read of it counts: the member, or all if it is copied. */
static bool is_part_of_access(const struct pass *p, int node)
{
    int above = tree_above(p->t, node);
    return above >= 0 && tree_at(p->t, above)->kind == NODE_MEMBER;
}

/* The name of a variable at a fixed address is no name to every compiler. */
static void name_by_address(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    if (n->kind != NODE_REFERENCE || tree_at(p->t, n->declaration)->fixed_address < 0)
        return;
    edits_add(&p->edits, n->start, EDIT_OPEN, "(*(volatile unsigned %s*)0x%x)/*", n->size == 1 ? "char" : "int",
              (unsigned)tree_at(p->t, n->declaration)->fixed_address);
    edits_add(&p->edits, n->end, EDIT_CLOSE, "*/");
}

static bool is_named(const struct tree_node *n, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(n->name, *names) == 0)
            return true;
    return false;
}

static const char *const copying[] = {"memcpy", "memmove", "__builtin_memcpy", "__builtin_memmove", NULL};

/* Whether the address of the register becomes a pointer that is not volatile, and goes where nobody can follow. */
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
    return !followed && !(user->kind == NODE_CALL && is_named(user, copying));
}

/* Whether what is written to the register may have one of the bits. */
static bool may_write(const struct pass *p, int node, uint16_t bits)
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

/* What makes the hardware change memory behind the program's back. */
static bool visit_write(struct pass *p, int node, const struct place *at)
{
    if (may_write(p, node, at->is.programs))
        return refuse(p, node,
                      "writing %s changes program memory; what is there after the next start is not recorded, so this "
                      "cannot be replayed",
                      at->name);
    if (may_write(p, node, at->is.fills) && !p->says_filled)
        return refuse(
            p, node,
            "writing %s lets hardware fill memory (DMA), which is not recorded by itself; include motet.h and "
            "call motet_filled(bytes, size) in this file where it is complete, before the bytes are read",
            at->name);
    return true;
}

static bool visit_register(struct pass *p, int node, const struct place *at)
{
    const struct tree_node *n = tree_at(p->t, node);
    bool fixed = at->in_file && !at->computed && !(at->is.bits >> at->shift & ones(width_of(n)));
    bool record = n->is_record;
    if (record && is_part_of_access(p, node))
        return true;
    enum use use = live_use(p->t, node);
    int above = tree_above(p->t, node);
    if (use == USE_READ && above >= 0 && tree_at(p->t, above)->kind == NODE_ASM && !fixed)
        return refuse(p, node, "inline assembly gets register %s itself; give it a variable", at->name);
    if (use == USE_ADDRESS && !fixed && is_lost(p, node))
        return refuse(
            p, node,
            "the address of register %s becomes a pointer that is not volatile; what is read through it could "
            "not be recorded",
            at->name);
    if ((use == USE_WRITE || use == USE_UPDATE) && !visit_write(p, node, at))
        return false;
    if (p->quiet[node]) {
        ;
    } else if (fixed) {
        p->r->fixed++;
    } else if (use != USE_READ) {
        /* An address: what is read through it goes through a volatile pointer. An update: what is written back is only
         * ever read through the recorder again. */
        p->r->unneeded++;
    } else if (update_is_used(p, node, at)) {
        return refuse(p, node,
                      "the value of an operation that changes register %s in place is used; write it as a read and an "
                      "assignment so that it can be recorded",
                      at->name);
    } else if (record) {
        return record_struct(p, node, at);
    } else if (width_of(n) > 16) {
        return refuse(p, node, "a read of %u bytes from registers cannot be recorded", n->size);
    } else {
        record_read(p, node, at);
    }
    name_by_address(p, node);
    return true;
}

/* A read through a volatile pointer of which only the run knows whether it leads to a register. */
static void visit_pointer(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    if (live_use(p->t, node) != USE_READ || update_is_used(p, node, &(struct place){0}))
        return;
    if (!live_bits(p->t, node, n->size))
        return;
    const char *number =
        site(p, node, "*pointer", REGISTER_WHOLE, n->size == 1 ? 0xff : 0xffff, "the run decides where it points");
    edits_add(&p->edits, n->start, EDIT_OPEN, "motet_pointer%u(&(", 8u * n->size);
    edits_add(&p->edits, n->end, EDIT_CLOSE, "),%s)", number);
}

static bool leads_anywhere(const struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    if (!n->is_volatile || !n->integer || n->size > 2 || n->size == 0)
        return false;
    if (n->kind == NODE_UNARY && n->operator== OPERATOR_FOLLOW)
        return true;
    if (n->kind != NODE_SUBSCRIPT)
        return false;
    int base = inner(p, n->child); /* an array of its own is no register */
    return base < 0 || tree_at(p->t, base)->kind != NODE_REFERENCE || tree_at(p->t, base)->is_pointer;
}

/* ---- calls into the library that read what changes ---- */

/* Code that loops without counting: an interrupt in it is told from others by the registers. */
static void uncounted(struct pass *p, uint32_t start, uint32_t end)
{
    edits_add(&p->edits, start, EDIT_OPEN, "({motet_uncounted++;");
    edits_add(&p->edits, end, EDIT_CLOSE, ";motet_uncounted--;})");
}

/* f(A, B, ...) that fills memory: with motet_block behind it. Arguments are evaluated once. */
static void record_block(struct pass *p, int node, unsigned to, unsigned count, const char *what, const char *why)
{
    const struct tree_node *n = tree_at(p->t, node), *a = tree_at(p->t, tree_child(p->t, node, to));
    const struct tree_node *size = tree_at(p->t, tree_child(p->t, node, count));
    const char *number = site(p, node, what, REGISTER_DATA, 0xff, why);
    edits_add(&p->edits, n->start, EDIT_OPEN, "({void*motet_d;unsigned motet_n;");
    edits_add(&p->edits, a->start, EDIT_OPEN, "motet_d=(");
    edits_add(&p->edits, a->end, EDIT_CLOSE, ")");
    edits_add(&p->edits, size->start, EDIT_OPEN, "motet_n=(");
    edits_add(&p->edits, size->end, EDIT_CLOSE, ")");
    edits_add(&p->edits, n->end, EDIT_CLOSE, ";motet_block(motet_d,motet_n,%s);motet_d;})", number);
}

static void record_result(struct pass *p, int node, unsigned size)
{
    const struct tree_node *n = tree_at(p->t, node);
    const char *number = site(p, node, n->name, REGISTER_DATA, ones(8 * size), "EEPROM");
    edits_add(&p->edits, n->start, EDIT_OPEN, "motet_read%u(", 8 * size);
    edits_add(&p->edits, n->end, EDIT_CLOSE, ",0x%x,%s)", ones(8 * size), number);
}

/* motet_filled(bytes, size), of motet.h. */
static void record_filled(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    const char *number = site(p, node, "motet_filled", REGISTER_DATA, 0xff, "the program says so");
    edits_add(&p->edits, n->start, EDIT_OPEN, "motet_block/*");
    edits_add(&p->edits, tree_at(p->t, n->child)->end, EDIT_CLOSE, "*/");
    edits_add(&p->edits, n->end - 1, EDIT_CLOSE, ",%s", number);
}

static bool visit_call(struct pass *p, int node)
{
    static const char *const wide[] = {"eeprom_read_dword", "eeprom_read_float", NULL};
    static const char *const backward[] = {"longjmp", "_longjmp", "__builtin_longjmp", NULL};
    const struct tree_node *n = tree_at(p->t, node);
    if (strcmp(n->name, "__builtin_avr_delay_cycles") == 0) {
        uncounted(p, n->start, n->end);
    } else if (strcmp(n->name, "eeprom_read_byte") == 0) {
        record_result(p, node, 1);
    } else if (strcmp(n->name, "eeprom_read_word") == 0) {
        record_result(p, node, 2);
    } else if (strcmp(n->name, "eeprom_read_block") == 0) {
        record_block(p, node, 1, 3, n->name, "EEPROM");
    } else if (strcmp(n->name, "motet_filled") == 0) {
        record_filled(p, node);
    } else if (is_named(n, wide)) {
        return refuse(p, node, "%s cannot be recorded; use eeprom_read_block", n->name);
    } else if (is_named(n, copying) && address_leads_to_register(p->t, p->o->registers, tree_child(p->t, node, 2))) {
        record_block(p, node, 1, 3, "*registers", "copied from registers");
    } else if (is_named(n, backward)) { /* a way back that is no loop of the text */
        p->r->steps++;
        edits_add(&p->edits, n->start, EDIT_OPEN, "(motet_far_step(),");
        edits_add(&p->edits, n->end, EDIT_CLOSE, ")");
    }
    return true;
}

/* Whether a typeof that begins behind `from` is still open at `to`. */
static bool is_in_typeof(const struct pass *p, uint32_t from, uint32_t to)
{
    int depth = 0, inside = -1;
    for (uint32_t i = from; i < to; i++) {
        if (p->text[i] == '#' && i > 0 && p->text[i - 1] == '\n')
            while (i + 1 < to && p->text[i] != '\n')
                i++;
        else if (inside < 0 && i + 6 <= to && memcmp(p->text + i, "typeof", 6) == 0)
            inside = depth;
        depth += p->text[i] == '(' ? 1 : p->text[i] == ')' ? -1 : 0;
        if (p->text[i] == ')' && depth == inside)
            inside = -1;
    }
    return inside >= 0;
}

/* Under sizeof and typeof nothing is read. */
static bool is_unevaluated(const struct pass *p, int node)
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

static size_t nodes_in(const struct pass *p, int node)
{
    size_t i = (size_t)node + 1;
    while (i < tree_count(p->t) && tree_at(p->t, (int)i)->start < tree_at(p->t, node)->end)
        i++;
    return i - (size_t)node;
}

/* ---- what needs no counting ---- */

/* Whether the read of a register is recorded where it stands, each time it is executed. */
static bool is_event(struct pass *p, int node)
{
    struct place at;
    struct poll poll;
    const struct tree_node *n = tree_at(p->t, node);
    if (p->quiet[node] || !n->integer || !is_register(p, node, &at) || at.computed || !at.in_file ||
        is_unevaluated(p, node) || live_use(p->t, node) != USE_READ)
        return false;
    uint32_t live = live_bits(p->t, node, n->size) & at.is.bits;
    return n->kind != NODE_MEMBER && live &&
           !(at.is.class == REGISTER_STATE && poll_at(p->t, node, live, p->o->target, &poll));
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

/* Whether nothing below calls, or leaves the statement in a way of its own. */
static bool is_straight(const struct pass *p, int node)
{
    size_t count = nodes_in(p, node);
    for (size_t i = (size_t)node; i < (size_t)node + count; i++) {
        enum node_kind k = tree_at(p->t, (int)i)->kind;
        if (k == NODE_CALL || k == NODE_RETURN || k == NODE_LEAVE || k == NODE_CONTINUE || k == NODE_LABEL)
            return false;
    }
    return true;
}

/* Whether each pass through the body has an event that nobody gets around, and that comes before any call. Then two
 * visits of an address in it always have an event between them: behind the event, that of the second pass; before it,
 * that of the first. Positions are told by what came since the last event, so nothing needs to be counted. */
static bool passes_event(struct pass *p, int body)
{
    for (int child = tree_at(p->t, body)->child; child >= 0; child = tree_at(p->t, child)->next) {
        bool calls = false;
        size_t count = nodes_in(p, child);
        for (size_t i = (size_t)child; i < (size_t)child + count; i++)
            calls |= tree_at(p->t, (int)i)->kind == NODE_CALL;
        if (!calls && always_records(p, child))
            return true;
        if (!is_straight(p, child))
            return false;
    }
    return false;
}

/* ---- steps ---- */

/* Over blanks and the compiler's line marks. */
static uint32_t behind_space(const struct pass *p, uint32_t at)
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

/* Whether a round of the loop takes so little that a call would be much of it. */
static bool is_tight(const struct pass *p, int body)
{
    size_t count = nodes_in(p, body);
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
    uint32_t end = behind_space(p, b->end);
    end = end < p->size && p->text[end] == ';' ? end + 1 : b->end;
    edits_add(&p->edits, b->start, EDIT_OPEN, "{%s();", step);
    edits_add(&p->edits, end, EDIT_CLOSE, "}");
}

static int last_child(const struct pass *p, int node)
{
    int child = tree_at(p->t, node)->child;
    while (child >= 0 && tree_at(p->t, child)->next >= 0)
        child = tree_at(p->t, child)->next;
    return child;
}

/* do { } while (0), as macros have it: no loop. */
static bool is_once(const struct pass *p, int node)
{
    int64_t again;
    return tree_at(p->t, node)->kind == NODE_DO && tree_constant(p->t, tree_child(p->t, node, 1), &again) && !again;
}

/* The condition of while and do is evaluated in every round. */
static bool records_each_round(struct pass *p, int node)
{
    enum node_kind k = tree_at(p->t, node)->kind;
    return (k == NODE_WHILE && always_records(p, tree_child(p->t, node, 0))) ||
           (k == NODE_DO && always_records(p, tree_child(p->t, node, 1)));
}

static void visit_loop(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    if (p->skipped[node] || is_once(p, node) || records_each_round(p, node) || p->masked[tree_function(p->t, node)])
        return;
    int body = n->kind == NODE_DO ? n->child : last_child(p, node);
    if (body >= 0)
        step_into_body(p, body);
}

static void visit_label(struct pass *p, int node)
{
    int statement = tree_at(p->t, node)->child;
    if (statement < 0 || p->masked[tree_function(p->t, node)])
        return;
    p->r->steps++;
    edits_add(&p->edits, tree_at(p->t, statement)->start, EDIT_OPEN, "motet_far_step();");
}

/* ---- functions ---- */

static int body_of(const struct pass *p, int function)
{
    int last = last_child(p, function);
    return last >= 0 && tree_at(p->t, last)->kind == NODE_COMPOUND ? last : -1;
}

static bool has_word(const struct pass *p, uint32_t from, uint32_t to, const char *word, uint32_t *after)
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
static int attribute_at(const struct pass *p, int function, int from, const char *word, uint32_t *after)
{
    int first = tree_at(p->t, function)->declaration;
    for (int f = from; f >= 0 && f <= function; f++) {
        const struct tree_node *n = tree_at(p->t, f);
        if (n->kind != NODE_FUNCTION || n->declaration != first)
            continue;
        uint32_t end = n->start;
        while (end < p->size && p->text[end] != ';' && p->text[end] != '{')
            end++;
        if (has_word(p, n->start, end, word, after))
            return f;
    }
    return -1;
}

static bool has_attribute(const struct pass *p, int function, const char *word, uint32_t *after)
{
    return attribute_at(p, function, tree_at(p->t, function)->declaration, word, after) >= 0;
}

static bool is_naked(const struct pass *p, int function)
{
    uint32_t after;
    return has_attribute(p, function, "naked", &after);
}

static const struct handler *handler_of(const struct pass *p, int function)
{
    for (unsigned i = 0; i < p->handler_count; i++)
        if (strcmp(tree_at(p->t, p->handlers[i].function)->name, tree_at(p->t, function)->name) == 0)
            return &p->handlers[i];
    return NULL;
}

/* The number in interrupt(N), behind the word. */
static bool vector_behind(const struct pass *p, uint32_t at, unsigned *vector, uint32_t *after)
{
    while (at < p->size && (p->text[at] == '(' || p->text[at] == '_' || isspace((unsigned char)p->text[at])))
        at++;
    char *end;
    *vector = (unsigned)strtoul(p->text + at, &end, 0);
    *after = (uint32_t)(end - p->text);
    return *after != at;
}

/* Every interrupt(N) of the function gets a number whose section is linked nowhere. */
static void take_vector_away(struct pass *p, int function)
{
    uint32_t after, end;
    unsigned vector;
    for (int at = tree_at(p->t, function)->declaration; (at = attribute_at(p, function, at, "interrupt", &after)) >= 0;
         at++)
        if (vector_behind(p, after, &vector, &end))
            edits_add(&p->edits, end, EDIT_OPEN, "*0+%u", NO_VECTOR);
}

/* The handler gets another name, or another number, and its stub the place in the table of vectors. */
static void add_stub(struct pass *p, const struct handler *h)
{
    unsigned v = h->vector;
    const char *name = tree_at(p->t, h->function)->name;
    p->r->handlers++;
    if (is_avr(p)) {
        edits_add(&p->edits, 0, EDIT_OPEN, avr_stub, p->o->cpp ? "extern \"C\" " : "", v, v, v, v, v, v, v);
        return;
    }
    take_vector_away(p, h->function);
    char before[300];
    uint32_t after;
    if (has_attribute(p, h->function, "wakeup", &after))
        snprintf(before, sizeof before, msp430_waking, v);
    else
        snprintf(before, sizeof before, msp430_plain, v, name);
    edits_add(&p->edits, 0, EDIT_OPEN, msp430_stub, v, v, v, v, v, v, v / 2, before, name);
}

/* Small functions that the user meant to be part of their callers are made so: no need to count them. */
static bool is_made_part_of_callers(const struct pass *p, int function, int body)
{
    const struct tree_node *f = tree_at(p->t, function);
    if (!f->is_static || !f->is_inline || nodes_in(p, body) > SMALL_FUNCTION)
        return false;
    size_t end = (size_t)body + nodes_in(p, body);
    for (size_t i = (size_t)body; i < end; i++) {
        enum node_kind k = tree_at(p->t, (int)i)->kind;
        if (k == NODE_WHILE || k == NODE_DO || k == NODE_FOR || k == NODE_LABEL || k == NODE_CALL)
            return false;
    }
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
    return has_word(p, n->start, end, ".noinit", &after);
}

static void record_kept(struct pass *p, uint32_t at)
{
    for (size_t i = 0; i < tree_count(p->t); i++)
        if (is_kept(p, (int)i) && tree_function(p->t, (int)i) < 0) {
            const char *name = tree_at(p->t, (int)i)->name;
            edits_add(&p->edits, at, EDIT_OPEN, "motet_block(&%s,sizeof(%s),%s);", name, name,
                      site(p, (int)i, name, REGISTER_DATA, 0xff, "keeps its contents over a reset"));
        }
}

/* Their contents are recorded at the start of main, so that is where they must be known. */
static bool check_kept(struct pass *p)
{
    bool has_main = false;
    for (size_t i = 0; i < tree_count(p->t) && !has_main; i++)
        has_main = tree_at(p->t, (int)i)->kind == NODE_FUNCTION && strcmp(tree_at(p->t, (int)i)->name, "main") == 0 &&
                   body_of(p, (int)i) >= 0;
    for (size_t i = 0; i < tree_count(p->t); i++)
        if (is_kept(p, (int)i) && (!has_main || tree_function(p->t, (int)i) >= 0))
            return refuse(
                p, (int)i,
                "%s keeps its contents over a reset (.noinit), which are recorded where main begins: define it "
                "in main's file, outside of functions",
                tree_at(p->t, (int)i)->name);
    return true;
}

static bool visit_function(struct pass *p, int node)
{
    int body = body_of(p, node);
    if (body < 0)
        return true;
    const struct tree_node *f = tree_at(p->t, node);
    const struct handler *h = handler_of(p, node);
    uint32_t inside = tree_at(p->t, body)->start + 1;
    p->r->functions++;
    if (h)
        add_stub(p, h);
    if (is_naked(p, node) || h)
        return true;
    if (strcmp(f->name, "main") == 0) {
        edits_add(&p->edits, inside, EDIT_OPEN, "motet_boot();");
        record_kept(p, inside);
    } else if (is_made_part_of_callers(p, node, body)) {
        edits_add(&p->edits, f->start, EDIT_OPEN, "__attribute__((always_inline)) ");
    } else if (!(f->is_static && p->calls[node] <= 1) && /* called from one place, it is as unique as that */
               !passes_event(p, body) && !p->masked[node]) {
        p->r->steps++;
        edits_add(&p->edits, inside, EDIT_OPEN, "motet_far_step();");
    }
    return true;
}

/* ---- assembly ---- */

/* Behind the statement's semicolon. */
static uint32_t statement_end(const struct pass *p, int node)
{
    uint32_t end = behind_space(p, tree_at(p->t, node)->end);
    return end < p->size && p->text[end] == ';' ? end + 1 : tree_at(p->t, node)->end;
}

/* Whether the reference is what a call calls, rather than an address given to somebody who may call it often. */
static bool is_called_here(const struct pass *p, int node)
{
    int above = tree_above(p->t, node);
    return above >= 0 && tree_at(p->t, above)->kind == NODE_CALL && inner(p, tree_at(p->t, above)->child) == node;
}

/* Headers are full of functions that a file does not use, and the compiler leaves out. */
static bool is_in_use(const struct pass *p, int function)
{
    return p->used[function];
}

static int definition_of(const struct pass *p, int declaration)
{
    for (size_t i = declaration < 0 ? tree_count(p->t) : (size_t)declaration; i < tree_count(p->t); i++)
        if (tree_at(p->t, (int)i)->kind == NODE_FUNCTION && tree_at(p->t, (int)i)->declaration == declaration &&
            body_of(p, (int)i) >= 0)
            return (int)i;
    return -1;
}

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
        int function = definition_of(p, n->declaration);
        return function >= 0 && ends_enabling(p, body_of(p, function), depth + 1);
    }
    if (n && n->kind == NODE_DO && is_once(p, node))
        return ends_enabling(p, n->child, depth);
    return n && n->kind == NODE_COMPOUND && ends_enabling(p, last_child(p, node), depth);
}

/* The outermost statement that does nothing before this one: nothing may come between SEI and what sleeps. */
static int outermost(const struct pass *p, int node)
{
    int parent = tree_at(p->t, node)->parent;
    while (tree_at(p->t, parent)->kind == NODE_COMPOUND && tree_at(p->t, parent)->child == node &&
           tree_at(p->t, parent)->parent >= 0 && is_once(p, tree_at(p->t, parent)->parent)) {
        node = tree_at(p->t, parent)->parent;
        parent = tree_at(p->t, node)->parent;
    }
    return node;
}

static int statement_before(const struct pass *p, int node)
{
    int before = -1;
    for (int child = tree_at(p->t, tree_at(p->t, node)->parent)->child; child >= 0 && child != node;
         child = tree_at(p->t, child)->next)
        before = child;
    return before;
}

static bool is_statement(const struct pass *p, int node)
{
    enum node_kind k = tree_at(p->t, tree_at(p->t, node)->parent)->kind;
    uint32_t end = behind_space(p, tree_at(p->t, node)->end);
    return (k == NODE_COMPOUND || k == NODE_IF || k == NODE_WHILE || k == NODE_FOR || k == NODE_LABEL) &&
           end < p->size && p->text[end] == ';';
}

static void idle_before(struct pass *p, int node);

/* Of a small function that begins with sleep, as the compilers' headers have it, the recorder's work comes before its
 * calls: what stands there before may be the SEI that belongs to it. */
static bool idle_before_calls(struct pass *p, int node)
{
    int function = tree_function(p->t, node);
    const struct tree_node *f = tree_at(p->t, function);
    if (!f->is_static || tree_at(p->t, body_of(p, function))->child != node)
        return false;
    for (int again = 0; again < 2; again++)
        for (size_t i = 0; i < tree_count(p->t); i++) {
            const struct tree_node *n = tree_at(p->t, (int)i);
            if (n->kind != NODE_REFERENCE || n->declaration != f->declaration)
                continue;
            int call = tree_above(p->t, (int)i);
            if (!again && (!is_called_here(p, (int)i) || !is_statement(p, call)))
                return false;
            if (again && is_in_use(p, tree_function(p->t, call)))
                idle_before(p, call);
        }
    return true;
}

/* The recorder's work comes before sleep, and in its place if an interrupt came during it. */
static void idle_before(struct pass *p, int node)
{
    int sleeper = node = outermost(p, node);
    if (idle_before_calls(p, node))
        return;
    int64_t bits;
    if (tree_at(p->t, node)->kind == NODE_CALL && !is_avr(p) && tree_child(p->t, node, 1) >= 0 &&
        tree_constant(p->t, tree_child(p->t, node, 1), &bits) && !(bits & MSP430_CPUOFF))
        return; /* bits of the status register, but not to sleep */
    int before = statement_before(p, node);
    if (before >= 0 && ends_enabling(p, before, 0))
        node = before;
    p->r->idles++;
    edits_add(&p->edits, tree_at(p->t, node)->start, EDIT_OPEN,
              "if(motet_idle())__asm__ __volatile__(\"%s\":::\"memory\");else{",
              is_avr(p) ? "sei" : "nop\\n\\teint\\n\\tnop");
    edits_add(&p->edits, statement_end(p, sleeper), EDIT_CLOSE, "}");
}

/* The inline functions of avr-libc's wdt.h read the watchdog's register only to write it back. */
static bool is_harmless_library(const struct pass *p, int function)
{
    const char *name = function < 0 ? "" : tree_at(p->t, function)->name;
    return strcmp(name, "wdt_enable") == 0 || strcmp(name, "wdt_disable") == 0;
}

static bool visit_assembly(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    struct assembly a;
    int function = tree_function(p->t, node);
    assembly_look(p->text + n->start, n->end - n->start, p->o->target, &a);
    if (a.reads && !is_harmless_library(p, function))
        return refuse(p, node,
                      "inline assembly that reads memory or a register ('%s') cannot be recorded; write the "
                      "read in C",
                      a.reader);
    if (a.loops && !is_naked(p, function))
        uncounted(p, n->start, n->end);
    if (a.sleeps && !is_naked(p, function))
        idle_before(p, node);
    uint32_t after;
    if (a.sleeps && is_avr(p) && has_word(p, n->start, n->end, "sleep", &after))
        edits_add(&p->edits, after, EDIT_OPEN, "\\n\\tnop"); /* where only SLEEP leads: who returns there was woken */
    return true;
}

/* ---- handlers ---- */

static void add_handler(struct pass *p, struct handler h)
{
    if (p->handler_count < sizeof p->handlers / sizeof *p->handlers)
        p->handlers[p->handler_count++] = h;
}

static void find_handlers(struct pass *p)
{
    for (size_t i = 0; i < tree_count(p->t); i++) {
        const struct tree_node *n = tree_at(p->t, (int)i);
        if (n->kind != NODE_FUNCTION)
            continue;
        int body = body_of(p, (int)i);
        if (body < 0)
            continue;
        unsigned vector;
        uint32_t after, end;
        if (is_avr(p)) {
            if (strncmp(n->name, "__vector_", 9) == 0 && isdigit((unsigned char)n->name[9]))
                add_handler(p, (struct handler){(int)i, (unsigned)strtoul(n->name + 9, NULL, 10)});
        } else if (has_attribute(p, (int)i, "interrupt", &after) && vector_behind(p, after, &vector, &end)) {
            add_handler(p, (struct handler){(int)i, vector});
        }
    }
}

/* ---- the whole file ---- */

/* A function's name somewhere in the text. */
struct mention {
    int from; /* the function definition around it, -1: none */
    int of;   /* its declaration */
    int node;
};

static size_t find_mentions(const struct pass *p, struct mention *list)
{
    size_t count = 0;
    for (size_t i = 0; i < tree_count(p->t); i++) {
        const struct tree_node *n = tree_at(p->t, (int)i);
        if (n->kind == NODE_REFERENCE && n->declaration >= 0 && tree_at(p->t, n->declaration)->kind == NODE_FUNCTION)
            list[count++] = (struct mention){tree_function(p->t, (int)i), n->declaration, (int)i};
    }
    return count;
}

/* By declaration: all that is not static, handlers, and what these mention. */
static void find_used(struct pass *p, const struct mention *list, size_t count)
{
    uint32_t after;
    for (size_t i = 0; i < tree_count(p->t); i++) {
        const struct tree_node *n = tree_at(p->t, (int)i);
        if (n->kind == NODE_FUNCTION && n->declaration >= 0 &&
            (!n->is_static || handler_of(p, (int)i) || has_attribute(p, (int)i, "used", &after)))
            p->used[n->declaration] = true;
    }
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < count; i++) {
            bool from = list[i].from < 0 || p->used[tree_at(p->t, list[i].from)->declaration];
            more |= from && !p->used[list[i].of];
            p->used[list[i].of] |= from;
        }
    }
}

/* A value of SREG that was kept: in a local variable or a parameter. It can come from where interrupts were on only
 * through memory that outlives its function, and keeps_flags sees to it that none is put there. */
static bool is_own_value(const struct pass *p, int node)
{
    node = inner(p, node);
    const struct tree_node *n = tree_at(p->t, node);
    if (n->kind == NODE_UNARY && n->operator== OPERATOR_FOLLOW)
        n = tree_at(p->t, inner(p, n->child)); /* util/atomic.h restores through a pointer to its caller's variable */
    if (n->kind != NODE_REFERENCE || n->declaration < 0)
        return false;
    const struct tree_node *d = tree_at(p->t, n->declaration);
    return d->kind == NODE_PARAMETER ||
           (d->kind == NODE_VARIABLE && tree_function(p->t, n->declaration) >= 0 && !d->is_static && !d->is_extern);
}

/* Whether no read of SREG goes anywhere but into a local variable, a result, or a test. */
static bool keeps_flags(const struct pass *p)
{
    for (size_t i = 0; i < tree_count(p->t); i++) {
        struct place at;
        if (tree_function(p->t, (int)i) < 0 || !is_register(p, (int)i, &at) || strcmp(at.name, "SREG") != 0 ||
            live_use(p->t, (int)i) != USE_READ)
            continue;
        int above = tree_above(p->t, (int)i);
        const struct tree_node *a = tree_at(p->t, above);
        bool assigns = a->kind == NODE_BINARY && a->operator== OPERATOR_ASSIGN && is_own_value(p, a->child);
        bool local = a->kind == NODE_VARIABLE && !a->is_static;
        if (!assigns && !local && a->kind != NODE_RETURN && !(a->kind == NODE_BINARY && a->operator== OPERATOR_AND))
            return false;
    }
    return true;
}

/* Whether the node itself can let interrupts in, or do what is not known. */
static bool may_unmask(const struct pass *p, int node)
{
    static const char *const harmless[] = {"memcpy", "memmove", "memset", "memcmp", "strlen",
                                           "strcpy", "strcmp",  "abs",    NULL};
    const struct tree_node *n = tree_at(p->t, node);
    struct place at;
    if (n->kind == NODE_ASM) {
        struct assembly a;
        assembly_look(p->text + n->start, n->end - n->start, p->o->target, &a);
        return a.enables || a.sleeps || a.returns || a.calls[0] || a.sets_flags;
    }
    if (n->kind == NODE_CALL)
        return !strncmp(n->name, "__builtin_", 10) ? false
                                                   : !is_named(n, harmless) && definition_of(p, n->declaration) < 0;
    if (is_register(p, node, &at) && strcmp(at.name, "SREG") == 0) {
        int above = tree_above(p->t, node);
        enum use use = live_use(p->t, node);
        return use == USE_UPDATE || (use == USE_WRITE && !is_own_value(p, tree_child(p->t, above, 1)));
    }
    return false;
}

/* nesC's own: the one restores what the other has found. */
static bool is_nesc_atomic(const struct tree_node *f)
{
    return strcmp(f->name, "__nesc_atomic_start") == 0 || strcmp(f->name, "__nesc_atomic_end") == 0;
}

/* Functions that run with interrupts off from beginning to end: handlers (but those that begin with SEI, or are naked),
 * and static functions that only such call. None of them, and nothing they call, lets interrupts in. No interrupt has a
 * position in them, so nothing is counted there. By declaration. */
static void find_masked(struct pass *p, const struct mention *list, size_t count)
{
    size_t nodes = tree_count(p->t);
    bool *unmasks = calloc(nodes + 1, sizeof *unmasks);
    if (!unmasks)
        abort();
    bool kept = keeps_flags(p);
    for (size_t i = 0; i < nodes; i++) {
        int function = tree_function(p->t, (int)i);
        if (function >= 0 && function != (int)i && tree_at(p->t, function)->declaration >= 0 &&
            !is_nesc_atomic(tree_at(p->t, function)) && may_unmask(p, (int)i))
            unmasks[tree_at(p->t, function)->declaration] = true;
    }
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < count; i++) {
            int from = list[i].from < 0 ? -1 : tree_at(p->t, list[i].from)->declaration;
            if (from >= 0 && unmasks[list[i].of] && !unmasks[from] && !is_nesc_atomic(tree_at(p->t, from)))
                unmasks[from] = more = true;
        }
    }
    uint32_t after;
    for (size_t i = 0; i < nodes; i++) {
        const struct tree_node *n = tree_at(p->t, (int)i);
        if (n->kind != NODE_FUNCTION || n->declaration < 0 || body_of(p, (int)i) < 0 || unmasks[n->declaration] ||
            !kept)
            continue;
        bool handler = handler_of(p, (int)i) && !is_naked(p, (int)i) &&
                       !(is_avr(p) && has_attribute(p, (int)i, "interrupt", &after));
        p->masked[n->declaration] = handler || (n->is_static && p->calls[n->declaration] > 0 && !handler_of(p, (int)i));
    }
    free(unmasks);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < count; i++) {
            int from = list[i].from < 0 ? -1 : tree_at(p->t, list[i].from)->declaration;
            bool in = from >= 0 && (p->masked[from] || !p->used[from]) && is_called_here(p, list[i].node);
            if (p->masked[list[i].of] && !in)
                more = true, p->masked[list[i].of] = false;
        }
    }
}

static void count_calls(struct pass *p)
{
    struct mention *list = calloc(tree_count(p->t) + 1, sizeof *list);
    if (!list)
        abort();
    size_t count = find_mentions(p, list);
    find_used(p, list, count);
    for (size_t i = 0; i < count; i++)
        if (list[i].from < 0 || p->used[tree_at(p->t, list[i].from)->declaration])
            p->calls[list[i].of] += is_called_here(p, list[i].node) ? 1 : 2;
    find_masked(p, list, count);
    free(list);
    for (size_t i = 0; i < tree_count(p->t); i++) { /* declared first and defined later: the same function */
        const struct tree_node *n = tree_at(p->t, (int)i);
        if (n->kind == NODE_FUNCTION && n->declaration >= 0) {
            p->calls[i] = p->calls[n->declaration];
            p->used[i] = p->used[n->declaration];
            p->masked[i] = p->masked[n->declaration];
        }
        p->says_filled |= n->kind == NODE_CALL && strcmp(n->name, "motet_filled") == 0;
    }
}

/* Loops that poll are known before any of them is visited. */
static void find_polls(struct pass *p)
{
    for (size_t i = 0; i < tree_count(p->t); i++) {
        struct place at;
        struct poll poll;
        if (tree_function(p->t, (int)i) < 0 || !is_register(p, (int)i, &at) || !at.in_file || at.computed ||
            at.is.class != REGISTER_STATE || tree_at(p->t, (int)i)->kind == NODE_MEMBER ||
            live_use(p->t, (int)i) != USE_READ)
            continue;
        uint32_t live = live_bits(p->t, (int)i, tree_at(p->t, (int)i)->size) & at.is.bits;
        if (!live || !poll_at(p->t, (int)i, live, p->o->target, &poll))
            continue;
        int loop = (int)i;
        while (tree_at(p->t, loop)->kind != NODE_WHILE && tree_at(p->t, loop)->kind != NODE_DO)
            loop = tree_at(p->t, loop)->parent;
        p->skipped[loop] = true;
    }
}

static bool is_plain(const struct pass *p, int node, struct place *at)
{
    const struct tree_node *n = tree_at(p->t, node);
    return is_register(p, node, at) && at->in_file && !at->computed && n->integer && n->size <= 2 &&
           n->kind != NODE_MEMBER && at->is.class != REGISTER_FIXED;
}

/* Loops that read a counter until it is the same twice: in replay both reads give what is in memory, which is the same
 * twice, and the value comes behind the loop. The mark in the condition lets replay stay for an interrupt. */
static void find_steady(struct pass *p)
{
    for (size_t i = 0; i < tree_count(p->t); i++) {
        struct steady s;
        struct place a, b;
        int loop = (int)i, function = tree_at(p->t, loop)->kind == NODE_DO ? tree_function(p->t, loop) : -1;
        if (function < 0 || !is_in_use(p, function) || !poll_steady(p->t, loop, &s) || !is_plain(p, s.reads[0], &a) ||
            !is_plain(p, s.reads[1], &b) || a.address != b.address || a.is.size != b.is.size)
            continue;
        const struct tree_node *first = tree_at(p->t, s.variables[0]), *second = tree_at(p->t, s.variables[1]);
        const struct tree_node *condition = tree_at(p->t, tree_child(p->t, loop, 1));
        if (first->size != a.is.size || second->size != a.is.size)
            continue;
        p->skipped[loop] = p->quiet[s.reads[0]] = p->quiet[s.reads[1]] = true;
        const char *number = site(p, s.reads[1], a.name, a.is.class, a.is.bits, "read until it is the same twice");
        edits_add(&p->edits, tree_at(p->t, loop)->start, EDIT_OPEN, "{");
        edits_add(&p->edits, statement_end(p, loop), EDIT_CLOSE, "%s=motet_read%u(%s,0x%x,%s);%s=%s;}", first->name,
                  8u * a.is.size, first->name, a.is.bits, number, second->name, first->name);
        edits_add(&p->edits, condition->start, EDIT_OPEN, "({unsigned char motet_v=(");
        mark_end(p, condition->end, 0, 1, 1);
    }
}

static bool visit(struct pass *p, int node)
{
    struct place at;
    switch (tree_at(p->t, node)->kind) {
    case NODE_FUNCTION: return visit_function(p, node);
    case NODE_WHILE:
    case NODE_DO:
    case NODE_FOR: visit_loop(p, node); return true;
    case NODE_LABEL: visit_label(p, node); return true;
    case NODE_ASM: return visit_assembly(p, node);
    case NODE_CALL: return visit_call(p, node);
    case NODE_UNARY:
    case NODE_SUBSCRIPT:
    case NODE_MEMBER:
    case NODE_REFERENCE:
        if (is_unevaluated(p, node))
            return true;
        if (is_register(p, node, &at))
            return visit_register(p, node, &at);
        if (leads_anywhere(p, node))
            visit_pointer(p, node);
        return true;
    default: return true;
    }
}

static void escape(const char *from, char *to, size_t room)
{
    size_t n = 0;
    for (; *from && n + 3 < room; from++) {
        if (*from == '"' || *from == '\\')
            to[n++] = '\\', to[n++] = '\\', to[n++] = '\\';
        if (n + 2 < room)
            to[n++] = *from;
    }
    to[n] = '\0';
}

/* The declarations of variables at fixed addresses, whose names name_by_address has replaced. */
static void leave_out_addresses(struct pass *p)
{
    for (size_t i = 0; i < tree_count(p->t); i++) {
        const struct tree_node *n = tree_at(p->t, (int)i);
        if (n->kind != NODE_VARIABLE || n->fixed_address < 0 || !n->is_volatile || tree_function(p->t, (int)i) >= 0)
            continue;
        uint32_t end = n->end;
        while (end < p->size && p->text[end] != ';')
            end++;
        edits_add(&p->edits, n->start, EDIT_OPEN, "/*");
        edits_add(&p->edits, end, EDIT_CLOSE, "*/");
    }
}

static void add_site_map(struct pass *p)
{
    const struct instrumented *r = p->r;
    uint32_t end = (uint32_t)p->size;
    if (!r->site_count)
        return;
    edits_add(&p->edits, end, EDIT_OPEN,
              "\n__asm__(\".pushsection .motet.sites.id,\\\"\\\",@progbits\\n.Lmotet_sites:\\n.space "
              "%zu\\n.popsection\");\n",
              r->site_count);
    for (size_t i = 0; i < r->site_count; i++) {
        const struct site *s = &r->sites[i];
        char place[400];
        escape(s->place, place, sizeof place);
        edits_add(&p->edits, end, EDIT_OPEN,
                  "__asm__(\".pushsection .motet.sites,\\\"\\\",@progbits\\n.asciz "
                  "\\\"%s\\\\t%s\\\\t%s\\\\t%u\\\\t0x%x\\\\t%s\\\"\\n.popsection\");\n",
                  place, s->name, register_class_name(s->class), s->bits, s->live, s->why);
    }
}

bool instrument(const char *path, const struct instrument_options *o, struct instrumented *r, struct error *e)
{
    *r = (struct instrumented){0};
    struct pass p = {.o = o, .r = r, .e = e};
    p.t = tree_parse(path, o->target, o->cpp, e);
    if (!p.t)
        return false;
    p.text = tree_text(p.t, &p.size);
    size_t count = tree_count(p.t);
    p.calls = calloc(count + 1, sizeof *p.calls);
    p.used = calloc(count + 1, sizeof *p.used);
    p.masked = calloc(count + 1, sizeof *p.masked);
    p.skipped = calloc(count + 1, sizeof *p.skipped);
    p.quiet = calloc(count + 1, sizeof *p.quiet);
    if (!p.calls || !p.used || !p.masked || !p.skipped || !p.quiet)
        abort();
    edits_add(&p.edits, 0, EDIT_OPEN, "# 1 \"<motet>\"\n%s%s%s%s", o->cpp ? "extern \"C\" {\n" : "", declarations,
              strcmp(o->target, "avr") == 0 ? avr_step : msp430_step, o->cpp ? "}\n" : "");
    find_handlers(&p);
    count_calls(&p);
    find_polls(&p);
    find_steady(&p);
    bool good = check_kept(&p);
    for (size_t i = 0; good && i < count; i++)
        good = tree_function(p.t, (int)i) < 0 || !is_in_use(&p, tree_function(p.t, (int)i)) || visit(&p, (int)i);
    leave_out_addresses(&p);
    add_site_map(&p);
    if (good)
        r->text = edits_apply(&p.edits, p.text, p.size, &r->size);
    edits_free(&p.edits);
    free(p.calls);
    free(p.used);
    free(p.masked);
    free(p.skipped);
    free(p.quiet);
    tree_free(p.t);
    if (!good)
        instrumented_free(r);
    return good;
}

void instrumented_free(struct instrumented *r)
{
    for (size_t i = 0; i < r->warning_count; i++)
        free(r->warnings[i]);
    free(r->warnings);
    free(r->sites);
    free(r->text);
    *r = (struct instrumented){0};
}
