/* Cycle stamps on MSP430: the timer's own interrupt, halfway round, which is recorded as any other; and the name that
 * the linker looks for, so that objects with other stamps are not linked (src/rewrite/stamp.c). */
#include "macros_msp430.inc"

#ifdef MOTET_STAMP
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define VECTOR      JOIN(motet_vector_, CHIP_STAMP_VECTOR)

    .global CHIP_STAMP_NAME
    .set CHIP_STAMP_NAME, 1

    .pushsection JOIN(__interrupt_vector_, CHIP_STAMP_VECTOR),"ax",@progbits
    .short VECTOR
    .popsection

    .pushsection .text.motet_vectors,"ax",@progbits
    .global VECTOR, JOIN(motet_handler_, CHIP_STAMP_VECTOR)
    .set JOIN(motet_handler_, CHIP_STAMP_VECTOR), motet_halfway
    .type VECTOR,@function
VECTOR:
    push r12
    mov #CHIP_STAMP_VECTOR/2, r12
    call #motet_enter
    pop r12
    br #motet_halfway
    .size VECTOR, .-VECTOR
    .popsection

/* Where it finds the CPU asleep it turns itself off until the next interrupt; else the worker may go on. */
    .pushsection .text.motet_halfway,"ax",@progbits
    .global motet_halfway
    .type motet_halfway,@function
motet_halfway:
    bit #CPUOFF, 0(sp)
    jz 1f
    motet_stamp_rest
    reti
1:
    mov #0x8000, &CHIP_STAMP_COMPARE /* halfway round again: it is not to come in itself */
    mov.b #1, &motet_recorder+R_BREATHES
    eint
    call #motet_breathe
    reti
    .size motet_halfway, .-motet_halfway
    .popsection
#endif
