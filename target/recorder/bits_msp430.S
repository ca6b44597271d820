/* The bits codec (codec_bits.h) on MSP430: in half the flash and a third of the time of what the compiler makes of
 * codec_bits.c.
 *
 * Of a read: r10 its site, r9 its value, later by how much it differs from what was guessed. Of an interrupt: r10 its
 * kind and vector, r9 the address, r8 the count. Interrupts may come at any instruction (lean_msp430.S), and put units
 * into the ring. Values to be put are in r13, how many bits or what kind in r12. Invariant: it encodes
 * what codec_bits.c does (tests/unit/codec_bits.c has that one; record.exact and record.changed this one). */
#include "config.h"

#ifdef BITS_ASSEMBLY
#include "macros_msp430.inc"

#define CODER motet_recorder+R_CODER

#if FIELD_WHERE != 0 || FIELD_SP != 1 || FIELD_LENGTH != 2 || FIELD_COUNT != 3 || FIELDS != 5
#error "fields are told in the order in which they lie in memory, and expected[] is found by a multiplication by 10"
#endif

    .section .text.motet_bits,"ax",@progbits

/* ---- bits and numbers ---- */

/* The topmost bits of r13, as many as r12 says. In r14 a one stands before the bits that are no whole byte yet. Keeps
 * r11. */
4:
    mov.b &motet_recorder+R_OUT_COUNT, r15
    inc.b &motet_recorder+R_OUT_COUNT
    add.b &motet_recorder+R_OUT_FROM, r15
    jc 5f
    cmp.b #OUT_ROOM, r15
    jlo 3f
5:
    sub.b #OUT_ROOM, r15
3:
    mov.b r14, motet_recorder+R_OUT(r15)
    mov #1, r14
    jmp 2f
motet_bits_put:
    mov.b &CODER+B_BYTE, r14
    jmp 2f
1:
    rla r13
    rlc.b r14
    jc 4b
2:
    dec r12
    jge 1b
    mov.b r14, &CODER+B_BYTE
    ret

/* So many reads were certain. */
motet_bits_length:
    mov.b &CODER+B_HITS, r13
    mov #FIELD_LENGTH, r12

/* A number of the kind r12: r15 is the usual length, r14 its own. Keeps r11. */
motet_bits_number:
    mov.b CODER+B_USUAL(r12), r15
    mov #16, r14
    cmp #0x100, r13
    jhs 2f
    swpb r13
    mov #8, r14
    tst r13
    jnz 2f
    clr r14
    jmp 3f
1:
    dec r14
    rla r13
2:
    tst r13
    jge 1b
3: /* a one and zeros before it */
    sub r14, r15
    jnc 6f
    jz 5f
    dec.b CODER+B_USUAL(r12)
    add r15, r14
4:
    clrc
    rrc r13
    dec r15
    jnz 4b
5:
    setc
    rrc r13
    mov r14, r12
    inc r12
    jmp motet_bits_put
6: /* zeros */
    cmp.b #BITS_MOST_USUAL, CODER+B_USUAL(r12)
    jhs 7f
    inc.b CODER+B_USUAL(r12)
7:
    push r14
    push r13
    clr r13
    clr r12
    sub r15, r12
    call #motet_bits_put
    pop r13
    pop r12
    jmp motet_bits_put

/* The sign goes to the lowest bit. */
.macro motet_bits_fold
    rla r13
    jnc 99f
    inv r13
99:
.endm

/* ---- steps ---- */

/* r15: so many bytes after the oldest unit in the ring. */
.macro motet_bits_unit after
    mov.b &motet_recorder+R_TAIL, r15
    add.b #\after, r15
#if MOTET_RING < 256
    and #MOTET_RING-1, r15
#endif
.endm

/* r13, a word of an event, counts for the check. */
.macro motet_bits_note by
    mov &CODER+B_CHECK, \by
    rla \by
    add r13, \by
    add \by, &CODER+B_CHECK
.endm
/* r12 goes into the history. */
motet_bits_history:
    mov.b &CODER+B_RECENT, r15
    rla r15
    rla r15
    rla r15
    rla r15
    xor r12, r15
    mov.b r15, &CODER+B_RECENT
    mov.b &CODER+B_LONGER, r15
    rla r15
    rla r15
    rla r15
    xor r12, r15
    mov.b r15, &CODER+B_LONGER
    ret

/* r12: which other step. */
motet_bits_other:
    push r12
    swpb r12
    rla r12
    rla r12
    rla r12
    mov r12, r13
    mov #5, r12
    call #motet_bits_put
    pop r12
    sub #BITS_OTHER_NOTICE, r12
    cmp #BITS_OTHER_WRAPPED-BITS_OTHER_NOTICE+1, r12
    jhs 1f
    call #motet_bits_length
1:
    clr.b &CODER+B_HITS
    ret

/* r10: the notice in its low byte, r9: its value. */
motet_bits_notice:
    mov #BITS_OTHER_NOTICE, r12
    call #motet_bits_other
    mov #EVENT_NOTICE, r12
    call #motet_bits_history
    mov r10, r13
    swpb r13
    rla r13
    rla r13
    rla r13
    rla r13
    mov #4, r12
    call #motet_bits_put
    mov r9, r13
motet_bits_word:
    mov #16, r12
    jmp motet_bits_put

motet_bits_read:
    mov r10, &CODER+B_SITE
    mov r9, &CODER+B_VALUE
    mov r9, r13
    mov r9, r12 /* what goes into the history */
    mov.b &CODER+B_RECENT, r14
    inc.b &CODER+B_POSITION
    mov r10, r15
    and #SITE_CLASS << 8, r15
    cmp #SITE_TIMER << 8, r15
    jne 2f
    clr.b &CODER+B_POSITION /* of a timer */
    mov r10, r12
    mov.b &CODER+B_LONGER, r14
    tst r10
    jn 1f
    sub &CODER+B_NARROW, r13
    mov r9, &CODER+B_NARROW
    mov.b r13, r13
    jmp 2f
1:
    sub &CODER+B_WIDE, r13
    mov r9, &CODER+B_WIDE
2:
    call #motet_bits_history
    motet_bits_note r15
    xor r10, r14
    and #BITS_PLACES-1, r14
    rla r14
    mov CODER+B_TABLE(r14), r12
    mov r12, r15 /* what is guessed */
    and #SYMBOL, r15
    bit #SYMBOL_SIGN, r15
    jz 3f
    bis #0xffff-SYMBOL, r15
3:
    mov r13, r9
    sub r15, r9
    jnz 4f
    tst r12
    jge 6f
    inc.b &CODER+B_HITS /* as was certain */
    cmp.b #BITS_MOST_HITS, &CODER+B_HITS
    jne 9f
    mov #BITS_OTHER_NOTHING, r12
    jmp motet_bits_other
6: /* as was guessed */
    add #RIGHT_ONCE, CODER+B_TABLE(r14)
    mov #0xc000, r13
    mov #2, r12
    call #motet_bits_put
    jmp motet_bits_arrive
4:
    push r15
    push r13
    tst r12
    jge 5f
    and #SYMBOL, r12 /* not as was certain */
    bis #RIGHT_ONCE, r12
    mov r12, CODER+B_TABLE(r14)
    mov #0x2000, r13
    mov #3, r12
    call #motet_bits_put
    call #motet_bits_length
    jmp 7f
5: /* not as guessed */
    and #SYMBOL, r13
    mov r13, CODER+B_TABLE(r14)
    mov #0x8000, r13
    mov #2, r12
    call #motet_bits_put
7:
    call #motet_bits_arrive
    pop r13
    pop r14

/* What a read was: r13, where r14 was guessed. */
    mov r10, r15
    and #SITE_CLASS << 8, r15
    sub #SITE_TIMER << 8, r15 /* zero: of a timer */
    tst r10
    jn 11f
    tst r15
    jz 10f
    mov.b &CODER+B_POSITION, r15
    and #BITS_POSITIONS-1, r15
    mov.b CODER+B_LITERALS(r15), r12
    mov.b r13, CODER+B_LITERALS(r15)
    mov.b r13, r11
    swpb r13
    cmp.b r12, r14
    jeq 8f
    cmp.b r12, r11
    mov #1, r12
    jeq 13f
    clrc
    rrc r13
    mov #9, r12
    jmp 14f
13:
    mov #0x8000, r13
    jmp 14f
8:
    mov #8, r12
14:
    jmp motet_bits_put
9:
    ret

10: /* a timer of 8 bits */
    sxt r9
    mov #NUMBER_NARROW, r12
    jmp 12f
11:
    mov #NUMBER_WIDE, r12
    tst r15
    jnz 12f
    mov #NUMBER_TIMER, r12
12:
    mov r9, r13
    motet_bits_fold
    dec r13
    jmp motet_bits_number

/* ---- interrupts ---- */

/* r10: its kind and vector, r9: its address. Then r13 has where, r8 the count, r11 the stack pointer; r14 leads to what
 * was expected. One in the recorder has neither an address nor a stack pointer but those that were. */
motet_bits_interrupt:
    motet_bits_unit UNIT
    mov motet_recorder+R_RING(r15), r8
    mov motet_recorder+R_RING+2(r15), r11
    mov.b &CODER+B_CONTEXT, r14
    rla r14
    mov r14, r15
    rla r15
    rla r15
    add r15, r14
    add #CODER+B_EXPECTED, r14
    mov.b r10, r13
    rla r13
    rla r13
    mov r10, r12
    swpb r12
    and #BITS_AT, r12
    bis r12, r13
    jnz 1f
    mov 2*FIELD_ADDRESS(r14), r9
    mov 2*FIELD_SP(r14), r11
1: /* it counts for the check */
    mov &CODER+B_CHECK, r12
    mov r12, r15
    rla r15
    add r15, r12
    add r13, r12
    add r9, r12
    add r8, r12
    add r11, r12
    mov.b &CODER+B_HITS, r15
    add r15, r12
    mov r12, &CODER+B_CHECK
    cmp 2*FIELD_LENGTH(r14), r15
    jne motet_bits_fields
    cmp @r14, r13
    jne motet_bits_fields
    cmp 2*FIELD_SP(r14), r11
    jne motet_bits_fields
    mov r9, r13
    sub 2*FIELD_ADDRESS(r14), r13
    jnz 2f
    cmp 2*FIELD_COUNT(r14), r8
    jne 2f
    mov #0x6000, r13
    mov #3, r12
    jmp 4f
2:
#ifdef MOTET_STAMP /* mostly there is no count, as usual, and the address differs by no more than it does */
    bit #BITS_AT << 8, r10
    jz 3f
    tst r8
    jnz 3f
    tst.b &CODER+B_USUAL+FIELD_COUNT
    jnz 3f
    motet_bits_fold
    cmp #0x100, r13
    jhs 3f
    mov.b &CODER+B_USUAL+FIELD_ADDRESS, r12
    mov r12, r15
    sub #2, r15
    cmp #9, r15
    jhs 3f
    rla r15
    add r15, pc
    .rept 8
    rla r13
    .endr
    cmp #0x400, r13
    jhs 3f
    mov r9, 2*FIELD_ADDRESS(r14)
    clr 2*FIELD_COUNT(r14)
    bit #0x200, r13
    jnz 22f
    dec.b &CODER+B_USUAL+FIELD_ADDRESS
22:
    bis #0x5c00, r13
    add #6, r12
    jmp 4f
#endif
3: /* the count and the address */
    push r9
    push r8
    mov #FIELD_COUNT, r8
    add #2*FIELD_COUNT, r14
    mov #0x5000, r13
    jmp 6f
motet_bits_fields:
    push r9
    push r8
    push r15
    push r11
    push r13
    clr r8
    mov #0x4000, r13
6:
    mov r14, r11
    mov #4, r12
    call #motet_bits_put
7:
    pop r13
    bit #BITS_AT << 8, r10
    jnz 8f
    cmp #FIELD_SP, r8
    jeq 10f
    cmp #FIELD_ADDRESS, r8
    jeq 10f
8:
    mov @r11, r15
    mov r13, 0(r11)
    bit #2, r8 /* as they are: the length, the count */
    jnz 9f
    sub r15, r13
    motet_bits_fold
9:
    mov r8, r12
    call #motet_bits_number
10:
    incd r11
    inc r8
    cmp #FIELDS, r8
    jne 7b
    jmp 5f
4:
    call #motet_bits_put
5:
    mov.b r10, r12
    call #motet_bits_history
    call #motet_bits_arrive
    mov #2*UNIT, r12
    and #BITS_AT << 8, r10
    cmp #BITS_AT_LIBRARY << 8, r10
    jne motet_bits_take_some
    motet_bits_unit 2*UNIT
    mov motet_recorder+R_RING(r15), r13
    mov motet_recorder+R_RING+2(r15), r9
    call #motet_bits_word
    mov r9, r13
    call #motet_bits_word
    mov #3*UNIT, r12
    jmp motet_bits_take_some

motet_bits_arrive:
    clr.b &CODER+B_HITS
    mov.b &CODER+B_LONGER, r15
    and #BITS_EXPECTED-1, r15
    mov.b r15, &CODER+B_CONTEXT
    ret

/* ---- units ---- */

/* The oldest unit is done with. */
motet_bits_take:
    mov #UNIT, r12
motet_bits_take_some: /* r12: bytes. Both as one: where the next unit goes is made of them */
    dint
    nop
    sub.b r12, &motet_recorder+R_FILL
    add.b r12, &motet_recorder+R_TAIL
#if MOTET_RING < 256
    and.b #MOTET_RING-1, &motet_recorder+R_TAIL
#endif
    tst.b &motet_recorder+R_INSIDE /* what began with interrupts on may go on with them off */
    jz 1f
    eint
1:
    ret

/* One of the reads that a unit, at r15, stands for. */
motet_bits_several:
    mov &CODER+B_SITE, r10
    mov.b &CODER+B_AT, r14
    cmp #BITS_COUNTED, r14
    jeq 1f
    add r14, r15
    mov.b @r15, r9
    inc r14
    jmp 2f
1:
    mov &CODER+B_VALUE, r9
    inc r9
2:
    dec &CODER+B_LEFT
    jz 3f
    cmp #UNIT, r14
    jne 4f
3:
    clr r14
    call #motet_bits_take
4:
    mov.b r14, &CODER+B_AT
    jmp motet_bits_read

    .global motet_codec_units
    .type motet_codec_units,@function
motet_codec_units: /* changes r8 to r10, too */
    cmp.b &motet_recorder+R_INDEX, &motet_recorder+R_CONFIRMED
    jeq motet_bits_next
    mov.b &motet_recorder+R_INDEX, &motet_recorder+R_CONFIRMED /* a check for each page */
motet_bits_check:
    mov #NOTICE_CHECK, r10
    mov &CODER+B_CHECK, r9
    jmp motet_bits_notice
motet_bits_next:
    mov.b &motet_recorder+R_TAIL, r15
    add #motet_recorder+R_RING, r15
    tst &CODER+B_LEFT
    jnz motet_bits_several
    mov @r15+, r10
    mov @r15, r9
    mov r10, r14
    swpb r14
    mov.b r14, r14
    cmp #EVENT_WOKE, r14
    jne 1f
    mov.b r10, r9 /* waking up is a read */
    mov #BITS_WAKE, r10
    jmp 2f
1:
    cmp #EVENT_AGAIN, r14
    jeq 3f
    jhs 4f
2:
    call #motet_bits_read
    jmp motet_bits_taken
3: /* stays until the reads that it stands for are encoded */
    mov #BITS_COUNTED, r14
    bit #AGAIN, r10
    jz 5f
    mov #-1, &motet_recorder+R_AGAIN_SITE /* no more of them here */
    mov -2(r15), r10
    mov #2, r14
5:
    mov.b r14, &CODER+B_AT
    and #AGAIN-1, r10
    mov r10, &CODER+B_LEFT
    ret
4:
    cmp #EVENT_INSIDE, r14
    jhs motet_bits_interrupt
    cmp #EVENT_NOTICE, r14
    jne 6f
    call #motet_bits_notice
    jmp motet_bits_taken
6:
#ifndef MOTET_WITHOUT_BLOCK
    cmp #EVENT_BLOCK, r14
    jne 7f
    mov r9, &CODER+B_SITE
    motet_bits_unit UNIT
    mov motet_recorder+R_RING(r15), &CODER+B_LEFT
    mov #2*UNIT, r12
    jmp motet_bits_take_some
7:
#endif
    tst.b r10
    jnz 8f
    mov #BITS_OTHER_WRAPPED, r12
    call #motet_bits_other
    mov #EVENT_WRAPPED, r12
    call #motet_bits_history
    jmp motet_bits_taken
8: /* where a timer of 16 bits stood: all are. The interrupt is next */
    mov r9, &CODER+B_WIDE
    call #motet_bits_take
    jmp motet_bits_next
motet_bits_taken:
    jmp motet_bits_take
    .size motet_codec_units, .-motet_codec_units

/* ---- checks ---- */

    .global motet_codec_flush
    .type motet_codec_flush,@function
motet_codec_flush:
    push r10
    push r9
    call #motet_bits_check
    mov #BITS_OTHER_ANEW, r12
    call #motet_bits_other
    clr r13 /* a byte that has begun ends */
    mov #7, r12
    call #motet_bits_put
    mov.b #1, &CODER+B_BYTE
    pop r9
    pop r10
    ret
    .size motet_codec_flush, .-motet_codec_flush
#endif
