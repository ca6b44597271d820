/* Elements in assembly: wrappers of functions whose parameters and result are scalars in registers.
 *
 * Such a wrapper is a function in C, so that debug information knows its parameters. On AVRs it is naked; clang says
 * nothing of the parameters of naked functions, so on MSP430s what the compiler puts before the assembly is taken out
 * again (wrappers_fold). Wrappers of AVRs share a routine for each list of sizes (motet_o_24: a call out with
 * parameters of two and four bytes). The link makes those that the section ELEMENT_ROUTINES of its objects names, as
 * part of the logger. Wrappers of MSP430s log in place.
 * target/interface/elements_avr.h and elements_msp430.h have what they share with the logger.
 *
 * Invariants: nothing but the registers that any function may change is changed; the event is in the buffer before
 * motet_side says that control is outside, and after it says that control is inside.
 */
#ifndef REWRITE_ELEMENTS_H
#define REWRITE_ELEMENTS_H

#include <stdio.h>

#include "rewrite/wrappers.h"

/* How the assembly begins, on MSP430s. */
#define ELEMENT_BEGINS ";motet element"

/* Names of routines, with a zero each. */
#define ELEMENT_ROUTINES ".motet.routines"

struct element {
    enum wrapper_kind kind;
    unsigned number;    /* of the function, in its source */
    const char *symbol; /* of the function, for the assembler; of a pointer: NULL */
    const char *bytes;  /* a function with the same parameters, which logs what they lead to; NULL: nothing */
    bool direct;        /* it is motet_put_first: the parameters are bytes and how many, and nothing else */
    bool avr, timed;
    int component;  /* nothing is logged while another is the target; -1: there is no other */
    unsigned count; /* of parameters; of a pointer, the first is that */
    unsigned sizes[TREE_PARAMETERS + 1];
    unsigned result; /* bytes; 0: none */
};

/* Whether all are scalars that registers hold. */
bool element_fits(const struct tree_signature *s, enum wrapper_kind kind, bool avr);

/* Writes the statement that is the body of the function. */
void element_write(const struct element *e, FILE *out);

/* The routines of an AVR's element; one of them, and what all of them end with, as text for a string in C. */
void element_routines(const struct element *e, char call[40], char back[40]);
void element_write_routine(const char *name, FILE *out);
void element_write_tails(FILE *out);

#endif
