/* A range coder of 16 bits with carries (G. N. N. Martin, 1979), whose decisions cost a multiplication of 16 by 8 bits.
 *
 * On AVR and on an MSP430 with a multiplier it is in assembly (coder_avr.S, coder_msp430.S), which is called with what
 * it needs in registers; else in C (coder.c). A carry goes back through the bytes that have come out: out_carry().
 * Invariant: the last byte that has come out and those before it up to one that is not 0xff may still change, all
 * others not.
 */
#ifndef CODER_H
#define CODER_H

#include <stdint.h>

#include "config.h"

/* Assembly knows members by offsets.c. */
struct coder {
    uint16_t low, range;
};

extern struct coder motet_coder;
#define K motet_coder

#ifdef CODER_ASSEMBLY
#ifdef __AVR__
#include "coder_avr.h"
#else
#include "coder_msp430.h"
#endif
#else
/* A decision with its probability, which changes with it. */
PRIVATE uint8_t code(struct coder *c, uint8_t *probability, uint8_t bit);
/* The topmost bits of a value, which are put after those of a result: nothing is shifted by so many as a variable
 * says. */
PRIVATE uint16_t code_raw(struct coder *c, uint8_t bits, uint16_t value, uint16_t result);
PRIVATE void coder_settle(void);
#endif

#endif
