/* Cycle stamps on AVR: the timer's own interrupt, halfway round, which is recorded as any other, and in which the worker
 * goes on where the firmware does not sleep; and the name that the
 * linker looks for, so that objects with other stamps are not linked (src/rewrite/stamp.c). */
#include "macros_avr.inc"

#ifdef MOTET_STAMP
#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c)  JOIN_(a, b, c)
#define VECTOR         JOIN(__vector_, CHIP_STAMP_VECTOR, )
#define HANDLER        JOIN(__vector_, CHIP_STAMP_VECTOR, _motet)

    .global CHIP_STAMP_NAME
    .equ CHIP_STAMP_NAME, 1

    .pushsection .text.motet_vectors,"ax",@progbits
    .global VECTOR
    .type VECTOR,@function
VECTOR:
    push r24
    ldi r24, CHIP_STAMP_VECTOR
    call motet_enter
    pop r24
    jmp HANDLER
    .size VECTOR, .-VECTOR
    .popsection

    .pushsection .text.motet_halfway,"ax",@progbits
    .global HANDLER
    .type HANDLER,@function
HANDLER:
    push r24
    ldi r24, 0x80 /* halfway round again: it is not to come in itself */
    sts CHIP_STAMP_COMPARE+1, r24
    sts motet_recorder+R_BREATHES, r24
    ldi r24, 0
    sts CHIP_STAMP_COMPARE, r24
    pop r24
    sei
    call motet_breathe
    reti
    .size HANDLER, .-HANDLER
    .popsection
#endif
