#include "rewrite/handlers.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before a handler runs its stub has called the recorder: no prologue lies between them, all registers are as they
 * were (target/recorder/motet_record.h has the same for sources written by hand). */
static const char avr_stub[] =
    "%svoid __vector_%u(void) __asm__(\"__vector_%u_motet\");\n"
    "__asm__(\".pushsection .text.motet_vectors,\\\"ax\\\",@progbits\\n\\t.global __vector_%u\\n\\t"
    ".type __vector_%u,@function\\n__vector_%u:\\n\\tpush r24\\n\\tldi r24,%u\\n\\tcall motet_enter\\n\\t"
    "pop r24\\n\\tjmp __vector_%u_motet\\n\\t.popsection\");\n";
static const char msp430_stub[] =
    "__asm__(\".pushsection __interrupt_vector_%u,\\\"ax\\\",@progbits\\n\\t.short motet_vector_%u\\n\\t.popsection"
    "\\n\\t.pushsection .text.motet_vectors,\\\"ax\\\",@progbits\\n\\t.global motet_vector_%u, motet_handler_%u\\n\\t"
    ".type motet_vector_%u,@function\\nmotet_vector_%u:\\n\\tpush r12\\n\\t%s\\n\\tcall #motet_enter\\n\\t"
    "pop r12\\n%s\\tbr #%s\\n\\t.popsection\");\n";
/* msp430-gcc's attribute `wakeup`, of which clang knows nothing: the CPU is awake when the handler returns. */
static const char msp430_waking[] = "motet_handler_%u:\\n\\tbic #0xf0, 0(r1)\\n";
static const char msp430_plain[] = "\\t.set motet_handler_%u, %s\\n";
/* With stamps the way to a handler takes the same number of cycles for each. */
static const char msp430_even_waking[] = "\\tbr #motet_handler_%u\\nmotet_handler_%u:\\n\\tbic #0xf0, 0(r1)\\n";
static const char msp430_number[] = "mov #%u, r12";
static const char msp430_even_number[] = ".short 0x403c, %u"; /* the same, and never by the constant generator */
enum { HANDLES_REST = 0 }; /* of an AVR: for all vectors that have none (BADISR_vect) */
enum { NO_VECTOR = 63 };   /* its section is linked nowhere: takes the place of the number in a handler's attribute */

/* The number in interrupt(N), after the word. */
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
    for (int at = tree_at(p->t, function)->declaration;
         (at = pass_attribute_at(p, function, at, "interrupt", &after)) >= 0; at++)
        if (vector_behind(p, after, &vector, &end))
            edits_add(&p->edits, end, EDIT_OPEN, "*0+%u", NO_VECTOR);
}

/* The handler gets another name, or another number, and its stub the place in the table of vectors. */
void handlers_add_stub(struct pass *p, const struct handler *h)
{
    unsigned v = h->vector;
    const char *name = tree_at(p->t, h->function)->name;
    p->r->handlers++;
    if (pass_is_avr(p) && v == HANDLES_REST) { /* its stubs are made where the program is linked */
        edits_add(&p->edits, 0, EDIT_OPEN, "%svoid __vector_default(void) __asm__(\"__vector_default_motet\");\n",
                  p->o->cpp ? "extern \"C\" " : "");
        return;
    }
    if (pass_is_avr(p)) {
        edits_add(&p->edits, 0, EDIT_OPEN, avr_stub, p->o->cpp ? "extern \"C\" " : "", v, v, v, v, v, v, v);
        return;
    }
    take_vector_away(p, h->function);
    char before[300], number[32];
    uint32_t after;
    if (pass_has_attribute(p, h->function, "wakeup", &after))
        snprintf(before, sizeof before, p->o->stamp ? msp430_even_waking : msp430_waking, v, v);
    else
        snprintf(before, sizeof before, msp430_plain, v, name);
    snprintf(number, sizeof number, p->o->stamp ? msp430_even_number : msp430_number, v / 2);
    edits_add(&p->edits, 0, EDIT_OPEN, msp430_stub, v, v, v, v, v, v, number, before, name);
}

void handlers_wake(struct pass *p)
{
    uint32_t after;
    for (size_t i = 0; i < p->handler_count; i++) {
        const struct handler *h = &p->handlers[i];
        if (pass_is_avr(p) || !pass_has_attribute(p, h->function, "wakeup", &after))
            continue;
        take_vector_away(p, h->function);
        edits_add(&p->edits, 0, EDIT_OPEN,
                  "__asm__(\".pushsection __interrupt_vector_%u,\\\"ax\\\",@progbits\\n\\t.short motet_waking_%u\\n\\t"
                  ".popsection\\n\\t.pushsection .text.motet_vectors,\\\"ax\\\",@progbits\\n\\t.type motet_waking_%u,"
                  "@function\\nmotet_waking_%u:\\n\\tbic #0xf0, 0(r1)\\n\\tbr #%s\\n\\t.popsection\");\n",
                  h->vector, h->vector, h->vector, h->vector, tree_at(p->t, h->function)->name);
    }
}

/* The number N in __vector_N. */
static bool vector_named(const char *name, unsigned *vector)
{
    if (strncmp(name, "__vector_", 9) != 0 || !isdigit((unsigned char)name[9]))
        return false;
    *vector = (unsigned)strtoul(name + 9, NULL, 10);
    return true;
}

/* A vector that is another name of a handler in this file (ISR_ALIASOF): it gets a stub of its own, which tells its own
 * number and goes on in that handler. Its attribute would name what has another name now. */
static void add_alias(struct pass *p, int declaration)
{
    const struct tree_node *n = tree_at(p->t, declaration);
    unsigned vector, of;
    uint32_t after, end = n->start;
    while (end < p->size && p->text[end] != ';')
        end++;
    if (!vector_named(n->name, &vector) || !pass_has_word(p, n->start, end, "alias", &after))
        return;
    uint32_t begin = after - 5, close;
    if (!pass_has_word(p, after, end, "\"__vector_", &close) || !vector_named(p->text + close - 9, &of))
        return;
    while (close < end && p->text[close] != ')')
        close++;
    edits_add(&p->edits, begin, EDIT_OPEN, "/*");
    edits_add(&p->edits, close + 1, EDIT_CLOSE, "*/");
    p->r->handlers++;
    edits_add(&p->edits, 0, EDIT_OPEN, avr_stub, p->o->cpp ? "extern \"C\" " : "", vector, vector, vector, vector,
              vector, vector, vector);
    edits_add(&p->edits, (uint32_t)p->size, EDIT_OPEN,
              "\n__asm__(\".global __vector_%u_motet\\n\\t.set __vector_%u_motet,__vector_%u_motet\");\n", vector,
              vector, of);
}

static void add_handler(struct pass *p, struct handler h)
{
    if (p->handler_count < sizeof p->handlers / sizeof *p->handlers)
        p->handlers[p->handler_count++] = h;
}

void handlers_find(struct pass *p)
{
    for (size_t i = 0; i < tree_count(p->t); i++) {
        const struct tree_node *n = tree_at(p->t, (int)i);
        if (n->kind != NODE_FUNCTION)
            continue;
        int body = pass_body_of(p, (int)i);
        if (body < 0 && pass_is_avr(p))
            add_alias(p, (int)i);
        if (body < 0)
            continue;
        unsigned vector;
        uint32_t after, end;
        if (pass_is_avr(p)) {
            bool rest = strcmp(n->name, "__vector_default") == 0;
            vector = HANDLES_REST;
            if (rest || vector_named(n->name, &vector))
                add_handler(p, (struct handler){(int)i, vector});
        } else if (pass_has_attribute(p, (int)i, "interrupt", &after) && vector_behind(p, after, &vector, &end)) {
            add_handler(p, (struct handler){(int)i, vector});
        }
    }
}
