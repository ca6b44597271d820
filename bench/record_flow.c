#include "record_flow.h"

#include <motet/watch.h>

/* ---- the trace ---- */

static void flow_bit(struct flow_tap *t, bool bit)
{
    t->byte = (uint8_t)(t->byte << 1 | bit);
    if (++t->bits == 8) {
        trace_put_byte(&t->bytes, t->byte);
        t->bits = 0;
    }
}

static void flow_byte(struct flow_tap *t, unsigned value)
{
    for (unsigned bit = 0x80; bit; bit >>= 1)
        flow_bit(t, value & bit);
}

static void flow_branched(void *context, const motet_node *n, uint32_t pc, bool after)
{
    (void)after;
    flow_bit(context, motet_node_pc(n) != pc + 2);
}

static void flow_called(void *context, const motet_node *n, uint32_t pc, bool after)
{
    uint32_t to = motet_node_pc(n);
    (void)pc, (void)after;
    flow_byte(context, to >> 1 ^ to >> 9);
}

static void flow_interrupted(void *context, const motet_node *n, const struct motet_happened *h)
{
    (void)n;
    flow_byte(context, h->interrupt.line);
}

/* ---- instructions (AVR Instruction Set Manual; MSP430x1xx User's Guide, 3.4) ---- */

/* BRBS, BRBC; SBRC, SBRS; CPSE; SBIC, SBIS. */
static bool flow_branches_avr(unsigned word)
{
    return (word & 0xf800) == 0xf000 || (word & 0xfc08) == 0xfc00 || (word & 0xfc00) == 0x1000 ||
           (word & 0xfd00) == 0x9900;
}

/* IJMP, ICALL. */
static bool flow_points_avr(unsigned word)
{
    return word == 0x9409 || word == 0x9509;
}

/* Jumps but JMP. */
static bool flow_branches_msp430(unsigned word)
{
    return word >= 0x2000 && word < 0x3c00;
}

/* CALL and MOV to PC, but of a constant (#N is @PC+). */
static bool flow_points_msp430(unsigned word)
{
    return ((word & 0xffc0) == 0x1280 && word != 0x12b0) ||
           ((word & 0xf08f) == 0x4000 && word != 0x4030 && word != 0x4130);
}

void flow_put(motet_node *n, const motet_machine *m, struct flow_tap *t)
{
    const char *name;
    unsigned size;
    uint8_t code[2];
    t->avr = motet_machine_register(m, 32, &name, &size); /* SREG: an MSP430 has 16 */
    for (uint32_t at = t->avr ? 0 : 0x4000; at < (t->avr ? 0x20000u : 0xffe0u) && motet_node_code(n, at, code, 2);
         at += 2) {
        unsigned word = code[0] | (unsigned)code[1] << 8;
        if (t->avr ? flow_branches_avr(word) : flow_branches_msp430(word))
            motet_probe(n, at, at, MOTET_AFTER, flow_branched, t);
        else if (t->avr ? flow_points_avr(word) : flow_points_msp430(word))
            motet_probe(n, at, at, MOTET_AFTER, flow_called, t);
    }
    motet_hook(n, MOTET_ON(INTERRUPT_ENTRY), flow_interrupted, t);
}
