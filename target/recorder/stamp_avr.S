/* Cycle stamps on AVR: the timer's own interrupt, halfway round, which is recorded as any other; and the name that the
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
    reti
    .size HANDLER, .-HANDLER
    .popsection
#endif
