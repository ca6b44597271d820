#include "rewrite/elements.h"

#include <stdarg.h>
#include <string.h>

/* Bytes of parameters that are in registers; of an MSP430 one register is left for the pointer. */
enum { ELEMENT_BYTES_AVR = 8, ELEMENT_BYTES_MSP430 = 6 };

/* Bytes of parameters with which an AVR has the time for a jump. */
enum { ELEMENT_FEW = 4 };

static unsigned element_even(unsigned size)
{
    return (size + 1) & ~1u;
}

static bool element_is_word(unsigned size, bool scalar)
{
    return scalar && (size == 1 || size == 2 || size == 4);
}

bool element_fits(const struct tree_signature *s, enum wrapper_kind kind, bool avr)
{
    unsigned bytes = kind == WRAPPER_VIA ? 2 : 0;
    for (unsigned i = 0; i < s->count; i++) {
        if (!element_is_word(s->parameters[i].size, s->parameters[i].is_scalar))
            return false;
        bytes += element_even(s->parameters[i].size);
    }
    return bytes <= (avr ? ELEMENT_BYTES_AVR : ELEMENT_BYTES_MSP430) &&
           (!s->returns || element_is_word(s->result_size, s->result_is_scalar));
}

static void element_line(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void element_line(FILE *out, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(out, "\\t");
    vfprintf(out, format, list);
    fprintf(out, "\\n");
    va_end(list);
}

/* ---- AVR ---- */

/* "24": the sizes of parameters. */
static void element_class(const struct element *e, char *text, size_t size)
{
    size_t length = 0;
    for (unsigned i = 0; i < e->count && length + 1 < size; i++)
        text[length++] = (char)('0' + e->sizes[i]);
    text[length] = 0;
}

static void avr_begin(FILE *out, const char *name)
{
    element_line(out, ".section .text.motet.%s,\\\"ax\\\",@progbits", name);
    fprintf(out, "\\t.global %s\\n\\t.type %s,@function\\n%s:\\n", name, name, name);
}

static void avr_end(FILE *out, const char *name)
{
    element_line(out, ".size %s,.-%s", name, name);
}

/* X is where the event goes; without room the label 1 is next. */
static void avr_room(FILE *out)
{
    element_line(out, "lds r26,motet_at");
    element_line(out, "lds r27,motet_at+1");
    element_line(out, "cpi r26,lo8(motet_limit)");
    element_line(out, "lds r31,motet_limit_high");
    element_line(out, "cpc r27,r31");
    element_line(out, "brcc 1f");
}

static void avr_commit(FILE *out)
{
    element_line(out, "sts motet_at+1,r27");
    element_line(out, "sts motet_at,r26");
}

static void avr_parameters(const struct element *e, FILE *out, const char *format, bool backward)
{
    for (unsigned k = 0; k < e->count; k++) {
        unsigned at = backward ? e->count - 1 - k : k, first = 26;
        for (unsigned i = 0; i <= at; i++)
            first -= element_even(e->sizes[i]);
        for (unsigned i = 0; i < e->sizes[at]; i++)
            element_line(out, format, first + (backward ? e->sizes[at] - 1 - i : i));
    }
}

/* The firmware's clock, which may change every register that a function may. */
static void avr_time(const struct element *e, FILE *out)
{
    if (!e->timed)
        return;
    element_line(out, "push r26");
    element_line(out, "push r27");
    avr_parameters(e, out, "push r%u", false);
    element_line(out, "rcall motet_now");
    element_line(out, "mov r30,r24");
    element_line(out, "mov r31,r25");
    avr_parameters(e, out, "pop r%u", true);
    element_line(out, "pop r27");
    element_line(out, "pop r26");
    element_line(out, "st X+,r30");
    element_line(out, "st X+,r31");
}

static void avr_outside(FILE *out)
{
    element_line(out, "ldi r31,0xff");
    element_line(out, "sts motet_side,r31");
}

/* Where the event begins, in case that its bytes have no room. */
static void avr_open(const struct element *e, FILE *out)
{
    if (!e->bytes)
        return;
    element_line(out, "sts log_open+1,r27");
    element_line(out, "sts log_open,r26");
    if (e->kind != WRAPPER_IN)
        return;
    element_line(out, "sts log_known_count,r1");
    element_line(out, "sts log_known_side,r30");
}

/* r30: the number. With bytes to come, carry says that the event is there. */
static void avr_call_out(const struct element *e, FILE *out)
{
    avr_room(out);
    avr_open(e, out);
    element_line(out, "st X+,r30");
    avr_time(e, out);
    avr_parameters(e, out, "st X+,r%u", false);
    if (e->bytes && e->timed)
        element_line(out, "sec");
    unsigned bytes = 0;
    for (unsigned i = 0; i < e->count; i++)
        bytes += e->sizes[i];
    if (!e->bytes && bytes > ELEMENT_FEW) { /* a jump would take too long */
        avr_commit(out);
        avr_outside(out);
        element_line(out, "ret");
    } else {
        element_line(out, e->bytes ? "rjmp log_commit" : "rjmp log_commit_out");
    }
    fprintf(out, "1:");
    element_line(out, e->bytes ? "rjmp motet_lose" : "rjmp log_lost_out");
}

/* r30: the number, r0: what motet_side was. The stack pointer is that of the function that is called next. */
static void avr_call_in(const struct element *e, FILE *out)
{
    element_line(out, "sts motet_side,r30");
    element_line(out, "dec r0");
    element_line(out, "brpl 2f");
    avr_room(out);
    avr_open(e, out);
    element_line(out, "st X+,r30");
    avr_time(e, out);
    element_line(out, "in r0,__SP_L__");
    element_line(out, "st X+,r0");
    element_line(out, "in r0,__SP_H__");
    element_line(out, "st X+,r0");
    avr_parameters(e, out, "st X+,r%u", false);
    if (e->bytes && e->timed)
        element_line(out, "sec");
    if (e->bytes) { /* a jump would take too long */
        avr_commit(out);
        element_line(out, "ret");
    } else {
        element_line(out, "rjmp log_commit");
    }
    fprintf(out, "2:\\trjmp motet_interrupt\\n");
    fprintf(out, "1:\\trjmp motet_lose\\n");
}

static void avr_result(unsigned size, FILE *out)
{
    for (unsigned i = 0; i < size; i++)
        element_line(out, "st X+,r%u", (size > 2 ? 22 : 24) + i);
}

static void avr_return_out(unsigned size, FILE *out)
{
    element_line(out, "sts motet_side,r30");
    avr_room(out);
    element_line(out, "ori r30,0x80");
    element_line(out, "st X+,r30");
    avr_result(size, out);
    if (size) {
        avr_commit(out);
        element_line(out, "ret");
    } else {
        element_line(out, "rjmp log_commit");
    }
    fprintf(out, "1:\\trjmp motet_lose\\n");
}

/* On the stack: what motet_side was before the call. */
static void avr_return_in(unsigned size, FILE *out)
{
    avr_room(out);
    element_line(out, "st X+,r30");
    avr_result(size, out);
    avr_commit(out);
    element_line(out, "pop r31");
    element_line(out, "sts motet_side,r31");
    element_line(out, "ret");
    fprintf(out, "1:\\trjmp log_lost_end\\n");
}

/* What parameters lead to; if the event is there. */
static void avr_bytes(const struct element *e, FILE *out)
{
    if (!e->bytes)
        return;
    element_line(out, "brcc 1f");
    avr_parameters(e, out, "push r%u", false);
    if (e->direct && e->sizes[1] == 1)
        element_line(out, "ldi r23,0");
    element_line(out, "%%~call %s", e->bytes);
    avr_parameters(e, out, "pop r%u", true);
    fprintf(out, "1:");
    if (e->kind != WRAPPER_IN)
        avr_outside(out);
}

/* Calls or jumps to a routine, which the linker's command makes (elements_routine). */
static void avr_use(FILE *out, const char *how, const char *name)
{
    element_line(out, ".weak %s", name);
    element_line(out, ".pushsection " ELEMENT_ROUTINES ",\\\"\\\",@progbits");
    element_line(out, ".asciz \\\"%s\\\"", name);
    element_line(out, ".popsection");
    element_line(out, "%s %s", how, name);
}

void element_routines(const struct element *e, char call[40], char back[40])
{
    bool in = e->kind == WRAPPER_IN;
    char class[TREE_PARAMETERS + 2];
    element_class(e, class, sizeof class);
    snprintf(call, 40, "motet_%c%s%s_%.16s", in ? 'i' : 'o', e->bytes ? "b" : "", e->timed ? "t" : "", class);
    snprintf(back, 40, "motet_%c_%u", in ? 'e' : 'r', e->result);
}

void element_write_routine(const char *name, FILE *out)
{
    struct element e = {.kind = WRAPPER_OUT, .avr = true, .component = -1};
    const char *at = name + strlen("motet_"), *sizes = strrchr(name, '_') + 1;
    char kind = *at++;
    e.kind = kind == 'i' ? WRAPPER_IN : WRAPPER_OUT;
    e.bytes = *at == 'b' ? "" : NULL;
    e.timed = at[e.bytes != NULL] == 't';
    for (; sizes[e.count]; e.count++)
        e.sizes[e.count] = (unsigned)(sizes[e.count] - '0');
    avr_begin(out, name);
    if (kind == 'i')
        avr_call_in(&e, out);
    else if (kind == 'o')
        avr_call_out(&e, out);
    else if (kind == 'e')
        avr_return_in(e.sizes[0], out);
    else
        avr_return_out(e.sizes[0], out);
    avr_end(out, name);
}

/* What routines end with. log_commit is the logger's. */
void element_write_tails(FILE *out)
{
    avr_begin(out, "log_commit_out");
    avr_commit(out);
    avr_outside(out);
    element_line(out, "ret");
    avr_end(out, "log_commit_out");
    avr_begin(out, "log_lost_out");
    avr_outside(out);
    element_line(out, "rjmp motet_lose");
    avr_end(out, "log_lost_out");
    avr_begin(out, "log_lost_end");
    element_line(out, "pop r31");
    element_line(out, "sts motet_side,r31");
    element_line(out, "rjmp motet_lose");
    avr_end(out, "log_lost_end");
}

/* The first parameter into Z; the others take its place. */
static void avr_to_pointer(const struct element *e, FILE *out)
{
    unsigned bytes = 0;
    element_line(out, "movw r30,r24");
    for (unsigned i = 1; i < e->count; i++)
        bytes += element_even(e->sizes[i]);
    for (unsigned i = 0; i < bytes; i += 2)
        element_line(out, "movw r%u,r%u", 24 - i, 22 - i);
}

static void avr_write(const struct element *e, FILE *out)
{
    bool in = e->kind == WRAPPER_IN;
    char call[40], back[40];
    element_routines(e, call, back);
    if (e->component >= 0) {
        element_line(out, "lds r30,motet_target");
        element_line(out, "cpi r30,%d", e->component);
        element_line(out, "brne 3f");
    }
    if (in) {
        element_line(out, "lds r0,motet_side");
        element_line(out, "push r0");
    }
    element_line(out, "ldi r30,lo8(.Lmotet_ids+%u)", e->number);
    avr_use(out, "%~call", call);
    avr_bytes(e, out);
    if (e->symbol) {
        element_line(out, "%%~call %s", e->symbol);
    } else {
        avr_to_pointer(e, out);
        element_line(out, "icall");
    }
    element_line(out, "ldi r30,lo8(.Lmotet_ids+%u)", e->number + (in ? 128 : 0));
    avr_use(out, "%~jmp", back);
    if (e->component < 0)
        return;
    fprintf(out, "3:\\n");
    if (e->symbol) {
        element_line(out, "%%~jmp %s", e->symbol);
    } else {
        avr_to_pointer(e, out);
        element_line(out, "ijmp");
    }
}

/* ---- MSP430: all fields begin at even addresses ---- */

static void msp430_room(FILE *out, const char *none)
{
    element_line(out, "mov &motet_at, r15");
    element_line(out, "cmp &motet_limit, r15");
    element_line(out, "jhs %s", none);
}

/* Values from r12 on into the event; where the next goes. */
static unsigned msp430_values(FILE *out, const unsigned *sizes, unsigned count, unsigned at)
{
    unsigned number = 12;
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < sizes[i]; k += 2, at += 2)
            element_line(out, "mov r%u, %u(r15)", number++, at);
    return at;
}

static void msp430_commit(FILE *out, unsigned size)
{
    element_line(out, "add #%u, &motet_at", size);
}

static unsigned msp430_words(const struct element *e)
{
    unsigned bytes = 0;
    for (unsigned i = 0; i < e->count; i++)
        bytes += element_even(e->sizes[i]);
    return bytes / 2;
}

/* The firmware's clock, into r11. */
static void msp430_time(const struct element *e, FILE *out)
{
    if (!e->timed)
        return;
    for (unsigned i = 0; i < msp430_words(e); i++)
        element_line(out, "push r%u", 12 + i);
    element_line(out, "call #motet_now");
    element_line(out, "mov r12, r11");
    for (unsigned i = msp430_words(e); i--;)
        element_line(out, "pop r%u", 12 + i);
}

static void msp430_bytes(const struct element *e, FILE *out)
{
    if (!e->bytes)
        return;
    if (e->kind == WRAPPER_IN) {
        if (!e->direct)
            element_line(out, "mov #log_known, &log_known_end");
        element_line(out, "mov #.Lmotet_ids+%u, &log_known_side", e->number);
    }
    if (e->direct) { /* which changes none of the parameters */
        if (e->sizes[1] == 1)
            element_line(out, "mov.b r13, r13");
        element_line(out, "call #%s", e->bytes);
        return;
    }
    for (unsigned i = 0; i < msp430_words(e); i++)
        element_line(out, "push r%u", 12 + i);
    element_line(out, "call #%s", e->bytes);
    for (unsigned i = msp430_words(e); i--;)
        element_line(out, "pop r%u", 12 + i);
}

static void msp430_call(const struct element *e, FILE *out)
{
    bool in = e->kind == WRAPPER_IN;
    unsigned at = 2;
    if (in) {
        element_line(out, "mov &motet_side, r11");
        element_line(out, "push r11");
        element_line(out, "mov #.Lmotet_ids+%u, &motet_side", e->number);
        element_line(out, "dec r11");
        element_line(out, "jge 2f");
    }
    msp430_time(e, out);
    msp430_room(out, "1f");
    element_line(out, "mov #.Lmotet_ids+%u, 0(r15)", e->number);
    if (e->timed) {
        element_line(out, "mov r11, %u(r15)", at);
        at += 2;
    }
    if (in) {
        element_line(out, "mov r1, %u(r15)", at);
        at += 2;
    }
    if (e->bytes)
        element_line(out, "mov r15, &log_open");
    msp430_commit(out, msp430_values(out, e->sizes, e->count, at));
    msp430_bytes(e, out);
    fprintf(out, "3:\\n");
    if (!in)
        element_line(out, "mov #-1, &motet_side");
}

/* The first parameter into r11; the others take its place. */
static void msp430_to_pointer(const struct element *e, FILE *out)
{
    element_line(out, "mov r12, r11");
    for (unsigned i = 1; i < msp430_words(e); i++)
        element_line(out, "mov r%u, r%u", 11 + i, 12 + i);
}

static void msp430_pass(const struct element *e, FILE *out)
{
    fprintf(out, "6:\\n");
    if (!e->symbol)
        msp430_to_pointer(e, out);
    if (e->symbol)
        element_line(out, "br #%s", e->symbol);
    else
        element_line(out, "br r11");
}

static void msp430_write(const struct element *e, FILE *out)
{
    bool in = e->kind == WRAPPER_IN;
    if (e->component >= 0) {
        element_line(out, "cmp.b #%d, &motet_target", e->component);
        element_line(out, "jne 6f");
    }
    msp430_call(e, out);
    if (e->symbol) {
        element_line(out, "call #%s", e->symbol);
    } else {
        msp430_to_pointer(e, out);
        element_line(out, "call r11");
    }
    if (!in)
        element_line(out, "mov #.Lmotet_ids+%u, &motet_side", e->number);
    msp430_room(out, "4f");
    element_line(out, "mov #.Lmotet_ids+%u, 0(r15)", e->number + 128);
    msp430_commit(out, msp430_values(out, &e->result, 1, 2));
    fprintf(out, "5:\\n");
    if (in)
        element_line(out,
                     ".short 0x41b2, motet_side"); /* mov @r1+, &motet_side, which LLVM's assembler does not have */
    element_line(out, "ret");
    if (in)
        fprintf(out, "2:\\tcall #motet_interrupt\\n");
    fprintf(out, "1:\\tcall #motet_lose\\n");
    element_line(out, "jmp 3b");
    fprintf(out, "4:\\tcall #motet_lose\\n");
    element_line(out, "jmp 5b");
    if (e->component >= 0)
        msp430_pass(e, out);
}

void element_write(const struct element *e, FILE *out)
{
    fprintf(out, "__asm__ __volatile__(\"");
    if (e->avr) {
        avr_write(e, out);
        fprintf(out,
                "\":::\"r18\",\"r19\",\"r20\",\"r21\",\"r22\",\"r23\",\"r24\",\"r25\",\"r26\",\"r27\",\"r30\",\"r31\","
                "\"memory\");");
    } else {
        fprintf(out, ELEMENT_BEGINS "\\n");
        msp430_write(e, out);
        fprintf(out, "\":%s::\"memory\");", e->result ? "\"=m\"(motet_result)" : "");
    }
}
