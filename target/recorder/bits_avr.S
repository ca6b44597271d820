/* The bits codec (codec_bits.h) on AVR: in half the flash and a third of the time of what the compiler makes of
 * codec_bits.c.
 *
 * Y: the encoder's memory, which is R.coder. Of a read: r16 and r17 its site, r14 and r15 its value, later by how much
 * it differs from what was guessed. Of an interrupt: r17 where it came, r16 twice the number of a
 * field; interrupts are off for long if all of it is encoded at once, so it may go on later. Called with a value of 16 bits
 * in r22 and r23. Invariant: it encodes what codec_bits.c does
 * (tests/unit/codec_bits.c has that one; record.exact and record.changed this one). */
#include "config.h"

#ifdef BITS_ASSEMBLY
#include "macros_avr.inc"

#define CODER motet_recorder+R_CODER
/* After so many bytes of an interrupt the rest of it is left for later. */
#define BITS_LONG 4

    .section .text.motet_bits,"ax",@progbits

/* ---- bits and numbers ---- */

/* The topmost bits of a value, as many as r24 says. In r18 a one stands before the bits that are no whole byte yet.
 * Keeps r20 and r21. */
motet_bits_put:
    ldd r18, Y+B_BYTE
    rjmp 2f
motet_bits_full:
4:
    lds r31, motet_recorder+R_OUT_COUNT
    lds r30, motet_recorder+R_OUT_FROM
    add r30, r31
    inc r31
    sts motet_recorder+R_OUT_COUNT, r31
    cpi r30, OUT_ROOM
    brlo 3f
    subi r30, OUT_ROOM
3:
    ldi r31, 0
    subi r30, lo8(-(motet_recorder+R_OUT))
    sbci r31, hi8(-(motet_recorder+R_OUT))
    st Z, r18
    ldi r18, 1
    rjmp 2f
1:
    lsl r22
    rol r23
    rol r18
    brcs 4b
2:
    dec r24
    brpl 1b
    std Y+B_BYTE, r18
    ret

/* So many reads were certain. */
motet_bits_length:
    ldd r22, Y+B_HITS
    clr r23
    ldi r24, FIELD_LENGTH

/* A number of the kind r24: r25 is the usual length. Most are nothing, as usual. */
motet_bits_number:
    movw r30, r28
    add r30, r24
    adc r31, r1
    ldd r25, Z+B_USUAL
    ldi r24, 16
    tst r23
    brne 1f
    ldi r24, 0
    or r23, r22
    brne 7f
    cpse r25, r1
    rjmp 2f
    ldd r18, Y+B_BYTE
    sec
    rol r18
    brcs motet_bits_full
    std Y+B_BYTE, r18
    ret
7:
    ldi r22, 0
    ldi r24, 8
    cpi r23, 0x10
    brsh 1f
    swap r23
    ldi r24, 4
1:
    sbrc r23, 7
    rjmp 2f
6:
    dec r24
    lsl r22
    rol r23
    sbrs r23, 7
    rjmp 6b
2:
    movw r20, r22
    mov r19, r24 /* so many bits follow what is put first: a one and zeros, or zeros */
    clr r22
    ldi r23, 0x80
    sub r24, r25
    brcc 3f
    dec r25
    neg r24
    inc r24
    rjmp 5f
3:
    breq 4f
    clr r23
    inc r25
    rjmp 5f
4:
    inc r24
5:
    std Z+B_USUAL, r25
    rcall motet_bits_put
    movw r22, r20
    mov r24, r19
    cpse r24, r1
    rjmp motet_bits_put
    ret

/* The sign goes to the lowest bit. */
.macro motet_bits_fold
    lsl r22
    rol r23
    brcc 99f
    com r22
    com r23
99:
.endm

/* ---- steps ---- */

/* A word of an event counts for the check in r20 and r21. */
.macro motet_bits_note
    movw r18, r20
    lsl r18
    rol r19
    add r20, r18
    adc r21, r19
    add r20, r22
    adc r21, r23
.endm
/* r24 goes into the history. */
motet_bits_history:
    ldd r18, Y+B_RECENT
    swap r18
    andi r18, 0xf0
    eor r18, r24
    std Y+B_RECENT, r18
    ldd r18, Y+B_LONGER
    lsl r18
    lsl r18
    lsl r18
    eor r18, r24
    std Y+B_LONGER, r18
    ret

/* r24: which other step. */
motet_bits_other:
    mov r23, r24
    lsl r23
    lsl r23
    lsl r23
    push r24
    ldi r24, 5
    rcall motet_bits_put
    pop r24
    subi r24, BITS_OTHER_NOTICE
    cpi r24, BITS_OTHER_WRAPPED-BITS_OTHER_NOTICE+1
    brsh 1f
    rcall motet_bits_length
1:
    std Y+B_HITS, r1
    ret

/* r16: the notice, r14 and r15: its value. */
motet_bits_notice:
    ldi r24, BITS_OTHER_NOTICE
    rcall motet_bits_other
    ldi r24, EVENT_NOTICE
    rcall motet_bits_history
    mov r23, r16
    swap r23
    ldi r24, 4
    rcall motet_bits_put
    movw r22, r14
    ldi r24, 16
    rjmp motet_bits_put

motet_bits_read:
    std Y+B_SITE, r16
    std Y+B_SITE+1, r17
    movw r22, r14
    mov r24, r14 /* what goes into the history */
    ldd r30, Y+B_RECENT
    ldd r18, Y+B_POSITION
    inc r18
    mov r19, r17
    andi r19, SITE_CLASS
    cpi r19, SITE_TIMER
    brne 2f
    clr r18 /* of a timer */
    mov r24, r16
    ldd r30, Y+B_LONGER
    sbrc r17, 7
    rjmp 1f
    ldd r19, Y+B_NARROW
    std Y+B_NARROW, r22
    sub r22, r19
    clr r23
    rjmp 2f
1:
    ldd r20, Y+B_WIDE
    ldd r21, Y+B_WIDE+1
    std Y+B_WIDE, r22
    std Y+B_WIDE+1, r23
    sub r22, r20
    sbc r23, r21
2:
    std Y+B_POSITION, r18
    rcall motet_bits_history
    ldd r20, Y+B_CHECK
    ldd r21, Y+B_CHECK+1
    motet_bits_note
    std Y+B_CHECK, r20
    std Y+B_CHECK+1, r21
    eor r30, r16
    andi r30, BITS_PLACES-1
    lsl r30
    ldi r31, 0
    subi r30, lo8(-(CODER+B_TABLE))
    sbci r31, hi8(-(CODER+B_TABLE))
    ld r20, Z
    ldd r21, Z+1
    movw r24, r20 /* what is guessed */
    andi r25, SYMBOL >> 8
    sbrc r25, 5
    ori r25, 0xff-(SYMBOL >> 8)
    movw r14, r22
    sub r14, r24
    sbc r15, r25
    sbrs r21, 7
    rjmp 3f
    brne 5f
    ldd r18, Y+B_HITS /* as was certain */
    inc r18
    std Y+B_HITS, r18
    cpi r18, BITS_MOST_HITS
    brne 9f
    ldi r24, BITS_OTHER_NOTHING
    rjmp motet_bits_other
3:
    brne 4f
    subi r21, 0x100-(RIGHT_ONCE >> 8) /* as was guessed */
    std Z+1, r21
    ldi r23, 0xc0
    ldi r24, 2
    rcall motet_bits_put
    rjmp motet_bits_arrive
4:
    st Z, r22 /* not as guessed */
    andi r23, SYMBOL >> 8
    std Z+1, r23
    push r22
    push r24
    ldi r23, 0x80
    ldi r24, 2
    rcall motet_bits_put
    rjmp 6f
5:
    andi r21, SYMBOL >> 8 /* not as was certain */
    ori r21, RIGHT_ONCE >> 8
    std Z+1, r21
    push r22
    push r24
    ldi r23, 0x20
    ldi r24, 3
    rcall motet_bits_put
    rcall motet_bits_length
6:
    rcall motet_bits_arrive
    pop r24
    pop r22

/* What a read was: r22 its lowest byte, r24 that of what was guessed. */
    mov r18, r17
    andi r18, SITE_WIDE|SITE_CLASS
    breq 7f
    cpi r18, SITE_DATA
    brlo 10f
    sbrc r18, 7
    rjmp 11f
7:
    ldd r30, Y+B_POSITION
    andi r30, BITS_POSITIONS-1
    ldi r31, 0
    subi r30, lo8(-(CODER+B_LITERALS))
    sbci r31, hi8(-(CODER+B_LITERALS))
    ld r18, Z
    st Z, r22
    mov r23, r22
    cp r18, r24
    ldi r24, 8
    breq 8f
    inc r24
    mov r19, r22
    clr r22
    lsr r23
    ror r22
    cp r18, r19
    brne 8f
    ldi r23, 0x80
    ldi r24, 1
8:
    rjmp motet_bits_put
9:
    ret

10: /* a timer of 8 bits */
    clr r15
    sbrc r14, 7
    com r15
    ldi r24, NUMBER_NARROW
    rjmp 12f
11:
    ldi r24, NUMBER_WIDE
    cpi r18, SITE_WIDE|SITE_TIMER
    brne 12f
    ldi r24, NUMBER_TIMER
12:
    movw r22, r14
    motet_bits_fold
    subi r22, 1
    sbci r23, 0
    rjmp motet_bits_number

/* ---- interrupts ---- */

/* r16: the vector, r17: its kind; Z: the unit. */
motet_bits_interrupt:
    andi r17, BITS_AT
    mov r18, r16
    clr r19
    lsl r18
    rol r19
    lsl r18
    rol r19
    or r18, r17
    std Y+B_IS, r18
    std Y+B_IS+1, r19
    ldd r18, Z+2
    ldd r19, Z+3
    std Y+B_IS+2*FIELD_ADDRESS, r18
    std Y+B_IS+2*FIELD_ADDRESS+1, r19
    rcall motet_bits_second
    ld r18, Z
    ldd r19, Z+1
    std Y+B_IS+2*FIELD_COUNT, r18
    std Y+B_IS+2*FIELD_COUNT+1, r19
    ldd r18, Z+2
    ldd r19, Z+3
    std Y+B_IS+2*FIELD_SP, r18
    std Y+B_IS+2*FIELD_SP+1, r19
    ldd r18, Y+B_HITS
    std Y+B_IS+2*FIELD_LENGTH, r18
    std Y+B_IS+2*FIELD_LENGTH+1, r1
    ldd r24, Y+B_CONTEXT /* what was expected here */
    ldi r25, 2*FIELDS
    mul r24, r25
    movw r26, r0
    clr r1
    subi r26, lo8(-(CODER+B_EXPECTED))
    sbci r27, hi8(-(CODER+B_EXPECTED))
    movw r30, r28
    ldi r24, FIELDS
    ldd r20, Y+B_CHECK
    ldd r21, Y+B_CHECK+1
    clr r16 /* what differs */
1:
    ldd r22, Z+B_IS
    ld r18, X
    st X+, r22
    eor r18, r22
    or r16, r18
    ldd r23, Z+B_IS+1
    ld r18, X
    st X+, r23
    eor r18, r23
    or r16, r18
    motet_bits_note
    adiw r30, 2
    dec r24
    brne 1b
    std Y+B_CHECK, r20
    std Y+B_CHECK+1, r21
    ldi r23, 0x60
    ldi r24, 3
    cpse r16, r1
    ldi r23, 0x40
    rcall motet_bits_put
    tst r16
    breq 6f
    ldi r16, 0
2:
    movw r30, r28
    add r30, r16
    adc r31, r1
    ldd r22, Z+B_IS
    ldd r23, Z+B_IS+1
    cpi r16, 2*FIELD_ADDRESS
    breq 3f
    cpi r16, 2*FIELD_SP
    brne 4f
3:
    cpi r17, BITS_AT_INSIDE
    breq 5f
4:
    ldd r18, Z+B_LAST
    ldd r19, Z+B_LAST+1
    std Z+B_LAST, r22
    std Z+B_LAST+1, r23
    mov r24, r16
    lsr r24
    cpi r24, FIELD_COUNT
    breq 7f
    cpi r24, FIELD_LENGTH
    breq 7f
    sub r22, r18
    sbc r23, r19
    motet_bits_fold
7:
    rcall motet_bits_number
5:
    subi r16, -2
    cpi r16, 2*FIELDS
    breq 6f
    lds r18, motet_recorder+R_OUT_COUNT /* interrupts are off: what takes long goes on later */
    ldd r19, Y+B_LIMIT
    cp r18, r19
    brlo 2b
    rjmp 9f
6:
    cpi r17, BITS_AT_LIBRARY
    brne 8f
    ldi r16, 2*FIELDS
9:
    std Y+B_DOING, r16
    rjmp motet_bits_end

/* With the field r16 / 2, or after all of them with the hash. */
motet_bits_go_on:
    std Y+B_DOING, r1
    ldd r17, Y+B_IS
    andi r17, BITS_AT
    cpi r16, 2*FIELDS
    brne 2b
    rcall motet_bits_take
    rcall motet_bits_second
    ldd r20, Z+2
    ldd r21, Z+3
    ld r22, Z
    ldd r23, Z+1
    ldi r24, 16
    rcall motet_bits_put
    movw r22, r20
    ldi r24, 16
    rcall motet_bits_put
8:
    ldd r24, Y+B_IS /* the vector */
    ldd r25, Y+B_IS+1
    lsr r25
    ror r24
    lsr r25
    ror r24
    rcall motet_bits_history
    rcall motet_bits_arrive
    ldi r24, 2*UNIT
    rcall motet_bits_take_some
    rjmp motet_bits_end

motet_bits_arrive:
    std Y+B_HITS, r1
    ldd r18, Y+B_LONGER
    andi r18, BITS_EXPECTED-1
    std Y+B_CONTEXT, r18
    ret

/* ---- units ---- */

/* The oldest unit is done with, or so many bytes. */
motet_bits_take:
    ldi r24, UNIT
motet_bits_take_some:
    lds r30, motet_recorder+R_FILL
    sub r30, r24
    sts motet_recorder+R_FILL, r30
    lds r30, motet_recorder+R_TAIL
    add r30, r24
#if MOTET_RING < 256
    andi r30, MOTET_RING-1
#endif
    sts motet_recorder+R_TAIL, r30
    ret

/* Z: the one after it. */
motet_bits_second:
    lds r30, motet_recorder+R_TAIL
    subi r30, -UNIT
#if MOTET_RING < 256
    andi r30, MOTET_RING-1
#endif
    rjmp 1f
/* The same, where the oldest is done with; Z: the oldest. */
motet_bits_after:
    rcall motet_bits_take
motet_bits_oldest:
    lds r30, motet_recorder+R_TAIL
1:
    ldi r31, 0
    subi r30, lo8(-(motet_recorder+R_RING))
    sbci r31, hi8(-(motet_recorder+R_RING))
    ret

/* One of the reads that a unit stands for; r24 and r25: how many are left. */
motet_bits_several:
    ldd r16, Y+B_SITE
    ldd r17, Y+B_SITE+1
    ldd r18, Y+B_AT
    add r30, r18
    adc r31, r1
    ld r14, Z
    clr r15
    inc r18
    sbiw r24, 1
    std Y+B_LEFT, r24
    std Y+B_LEFT+1, r25
    breq 3f
    cpi r18, UNIT
    brne 4f
3:
    ldi r18, 0
    rcall motet_bits_take
4:
    std Y+B_AT, r18
    rcall motet_bits_read
    rjmp motet_bits_end

    .global motet_codec_units
    .type motet_codec_units,@function
motet_codec_units:
    rcall motet_bits_begin
    lds r18, motet_recorder+R_OUT_COUNT
    subi r18, -BITS_LONG
    std Y+B_LIMIT, r18
    ldd r16, Y+B_DOING
    cpse r16, r1
    rjmp motet_bits_go_on
motet_bits_next:
    rcall motet_bits_oldest
    ldd r24, Y+B_LEFT
    ldd r25, Y+B_LEFT+1
    sbiw r24, 0
    brne motet_bits_several
    ld r16, Z
    ldd r17, Z+1
    ldd r14, Z+2
    ldd r15, Z+3
    cpi r17, EVENT_WOKE
    brne 1f
    ldi r17, hi8(BITS_WAKE) /* waking up is a read */
    mov r14, r16
    clr r15
    ldi r16, lo8(BITS_WAKE)
    rjmp 2f
1:
    cpi r17, EVENT_AGAIN
    breq 3f
    brsh 4f
2:
    rcall motet_bits_read
    rjmp 9f
3: /* stays until the reads that it stands for are encoded, of bytes: others are not counted on AVR */
    ldi r18, 0xff /* no more of them here */
    sts motet_recorder+R_AGAIN_SITE, r18
    sts motet_recorder+R_AGAIN_SITE+1, r18
    ldi r18, 2
    std Y+B_AT, r18
    andi r16, AGAIN-1
    std Y+B_LEFT, r16
    std Y+B_LEFT+1, r1
    rjmp motet_bits_end
4:
    cpi r17, EVENT_INSIDE
    brlo 5f
    rjmp motet_bits_interrupt
5:
    cpi r17, EVENT_NOTICE
    brne 6f
    rcall motet_bits_notice
    rjmp 9f
6:
#ifndef MOTET_WITHOUT_BLOCK
    cpi r17, EVENT_BLOCK
    brne 7f
    std Y+B_SITE, r14
    std Y+B_SITE+1, r15
    rcall motet_bits_after
    ld r18, Z
    ldd r19, Z+1
    std Y+B_LEFT, r18
    std Y+B_LEFT+1, r19
    rjmp 9f
7:
#endif
    cpi r16, 1
    brsh 8f
    ldi r24, BITS_OTHER_WRAPPED
    rcall motet_bits_other
    ldi r24, EVENT_WRAPPED
    rcall motet_bits_history
    rjmp 9f
8: /* where a timer of 8 bits stood: all are. The interrupt is next */
    std Y+B_NARROW, r14
    rcall motet_bits_take
    rjmp motet_bits_next
9:
motet_bits_taken:
    rcall motet_bits_take
motet_bits_end:
    pop r29
    pop r28
    pop r17
    pop r16
    pop r15
    pop r14
    ret
    .size motet_codec_units, .-motet_codec_units

/* The caller's registers are kept; its return address goes on top of them. */
motet_bits_begin:
#ifdef __AVR_3_BYTE_PC__
    pop r18
#endif
    pop r31
    pop r30
    push r14
    push r15
    push r16
    push r17
    push r28
    push r29
    ldi r28, lo8(CODER)
    ldi r29, hi8(CODER)
#ifdef __AVR_3_BYTE_PC__
    push r30
    push r31
    push r18
    ret
#else
    ijmp
#endif

/* ---- checks ---- */

    .global motet_codec_confirm
    .type motet_codec_confirm,@function
motet_codec_confirm:
    rcall motet_bits_begin
    rcall 1f
    ldi r24, 1
    rjmp motet_bits_end
1:
    ldi r16, NOTICE_CHECK
    ldd r14, Y+B_CHECK
    ldd r15, Y+B_CHECK+1
    rjmp motet_bits_notice
    .size motet_codec_confirm, .-motet_codec_confirm

    .global motet_codec_flush
    .type motet_codec_flush,@function
motet_codec_flush:
    rcall motet_bits_begin
    rcall 1b
    ldi r24, BITS_OTHER_ANEW
    rcall motet_bits_other
2:
    ldd r24, Y+B_BYTE
    dec r24
    breq motet_bits_end
    ldi r23, 0
    ldi r24, 1
    rcall motet_bits_put
    rjmp 2b
    .size motet_codec_flush, .-motet_codec_flush
#endif
