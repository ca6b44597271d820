/* The bits codec (codec_bits.h) on AVR: in less flash and time than what the compiler makes of codec_bits.c.
 *
 * Y: the encoder's memory, which is R.coder. Of a read: r20 and r21 its site, r26 and r27 its value, later by how much
 * it differs from what was guessed; what puts bits and numbers keeps these. Called with a value of 16 bits in r22 and
 * r23. An interrupt is encoded at once, with interrupts off, so that is to be short: bits are put many at a time, by
 * multiplication. Invariant: it encodes what codec_bits.c does (tests/unit/codec_bits.c has that one; record.exact and
 * record.changed this one). */
#include "config.h"

#ifdef BITS_ASSEMBLY
#include "macros_avr.inc"

#define CODER motet_recorder+R_CODER

#if FIELD_WHERE != 0 || FIELD_SP != 1 || FIELD_LENGTH != 2 || FIELD_COUNT != 3
#error "fields are told in the order in which they lie in memory"
#endif

    .section .text.motet_bits,"ax",@progbits

/* Z: in the ring at r30, which may have come round. */
.macro motet_bits_at
#if MOTET_RING < 256
    andi r30, MOTET_RING-1
#endif
    ldi r31, 0
    subi r30, lo8(-(motet_recorder+R_RING))
    sbci r31, hi8(-(motet_recorder+R_RING))
.endm

/* ---- bits and numbers ---- */

/* 0x80 shifted right by so many, 0 to 7. */
.macro motet_bits_power to, by
    ldi \to, 0x80
    sbrc \by, 1
    ldi \to, 0x20
    sbrc \by, 0
    lsr \to
    sbrc \by, 2
    swap \to
.endm

/* The topmost bits of a value, as many as r24 says; all others of it are zero. Changes r18, r19, r30 and r31, not the
 * registers around them. */
motet_bits_put8: /* of its high byte */
    clr r22
motet_bits_put:
    ldd r25, Y+B_USED
    ldd r18, Y+B_BYTE
    motet_bits_power r19, r25
    fmul r23, r19
    or r18, r1
    mov r23, r0
    fmul r22, r19
    or r23, r1
    mov r22, r0
    clr r1
    add r25, r24
1:
    subi r25, 8
    brcs 3f
    lds r31, motet_recorder+R_OUT_COUNT
    lds r30, motet_recorder+R_OUT_FROM
    add r30, r31
    inc r31
    sts motet_recorder+R_OUT_COUNT, r31
    cpi r30, OUT_ROOM
    brlo 2f
    subi r30, OUT_ROOM
2:
    ldi r31, 0
    subi r30, lo8(-(motet_recorder+R_OUT))
    sbci r31, hi8(-(motet_recorder+R_OUT))
    st Z, r18
    mov r18, r23
    mov r23, r22
    rjmp 1b
3:
    subi r25, -8
    std Y+B_USED, r25
    std Y+B_BYTE, r18
    ret

/* So many reads were certain. */
motet_bits_length:
    ldd r22, Y+B_HITS
    clr r23
    ldi r24, FIELD_LENGTH

/* A number of the kind r24; in r25 the usual length, then in r24 its own. Keeps r20, r21, r26 and r27. */
motet_bits_number:
    rcall motet_bits_usual
    brcc motet_bits_put
    ldi r24, 16
    tst r23
    brne 2f
    mov r23, r22
    clr r22
    ldi r24, 8
    rjmp 2f
1:
    dec r24
    breq 3f
    lsl r22
    rol r23
2:
    sbrs r23, 7
    rjmp 1b
3:
    mov r18, r25
    sub r18, r24
    brcs 6f
    mov r24, r25 /* a one, and zeros before it */
    breq 5f
    dec r25
    std Z+B_USUAL, r25
4:
    lsr r23
    ror r22
    dec r18
    brne 4b
5:
    inc r24
    sec
    ror r23
    ror r22
    rjmp motet_bits_put
6: /* zeros before it */
    cpi r25, BITS_MOST_USUAL
    adc r25, r1
    std Z+B_USUAL, r25
    push r22
    push r23
    push r24
    clr r23
    neg r18
    mov r24, r18
    rcall motet_bits_put8
    pop r24
    pop r23
    pop r22
    rjmp motet_bits_put

/* What is to be put for a number with no more bits than usual, if these are less than eight. Else carry is set, and r22
 * and r23 are kept. */
motet_bits_usual:
    movw r30, r28
    add r30, r24
    adc r31, r1
    ldd r25, Z+B_USUAL
    cpi r25, 8
    brsh 2f
    tst r23
    brne 2f
    motet_bits_power r18, r25
    fmul r22, r18
    neg r1
    mov r18, r0
    clr r1
    brcs 3f
    mov r24, r25
    cpi r18, 0x80
    brsh 1f
    subi r25, 1
    brcs 1f
    std Z+B_USUAL, r25
1:
    inc r24
    mov r23, r18
    clr r22
    sec
    ror r23
    ret
2:
    sec
3:
    ret

/* The sign goes to the lowest bit. */
.macro motet_bits_fold low, high
    lsl \low
    rol \high
    brcc 99f
    com \low
    com \high
99:
.endm

/* ---- steps ---- */

/* The word in r26 and r27 counts for the check. */
motet_bits_note:
    ldd r0, Y+B_CHECK
    ldd r1, Y+B_CHECK+1
    add r26, r0
    adc r27, r1
    lsl r0
    rol r1
    add r26, r0
    adc r27, r1
    std Y+B_CHECK, r26
    std Y+B_CHECK+1, r27
    clr r1
    ret
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
    rcall motet_bits_put8
    pop r24
    subi r24, BITS_OTHER_NOTICE
    cpi r24, BITS_OTHER_WRAPPED-BITS_OTHER_NOTICE+1
    brsh 1f
    rcall motet_bits_length
1:
    std Y+B_HITS, r1
    ret

/* r20: the notice, r26 and r27: its value. */
motet_bits_notice:
    ldi r24, BITS_OTHER_NOTICE
    rcall motet_bits_other
    ldi r24, EVENT_NOTICE
    rcall motet_bits_history
    mov r23, r20
    swap r23
    ldi r24, 4
    rcall motet_bits_put8
    movw r22, r26
    ldi r24, 16
    rjmp motet_bits_put

motet_bits_read:
    std Y+B_SITE, r20
    std Y+B_SITE+1, r21
    movw r22, r26
    mov r24, r26 /* what goes into the history */
    ldd r30, Y+B_RECENT
    ldd r18, Y+B_POSITION
    inc r18
    mov r19, r21
    andi r19, SITE_CLASS
    cpi r19, SITE_TIMER
    brne 2f
    clr r18 /* of a timer */
    mov r24, r20
    ldd r30, Y+B_LONGER
    sbrc r21, 7
    rjmp 1f
    ldd r19, Y+B_NARROW
    std Y+B_NARROW, r22
    sub r22, r19
    clr r23
    rjmp 2f
1:
    ldd r0, Y+B_WIDE
    ldd r25, Y+B_WIDE+1
    std Y+B_WIDE, r22
    std Y+B_WIDE+1, r23
    sub r22, r0
    sbc r23, r25
2:
    std Y+B_POSITION, r18
    rcall motet_bits_history
    movw r26, r22
    rcall motet_bits_note
    eor r30, r20
    andi r30, BITS_PLACES-1
    lsl r30
    ldi r31, 0
    subi r30, lo8(-(CODER+B_TABLE))
    sbci r31, hi8(-(CODER+B_TABLE))
    ld r18, Z
    ldd r19, Z+1
    movw r24, r18 /* what is guessed */
    andi r25, SYMBOL >> 8
    sbrc r25, 5
    ori r25, 0xff-(SYMBOL >> 8)
    movw r26, r22
    sub r26, r24
    sbc r27, r25
    sbrs r19, 7
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
    subi r19, 0x100-(RIGHT_ONCE >> 8) /* as was guessed */
    std Z+1, r19
    ldi r23, 0xc0
    ldi r24, 2
    rcall motet_bits_put8
    rjmp motet_bits_arrive
4:
    st Z, r22 /* not as guessed */
    andi r23, SYMBOL >> 8
    std Z+1, r23
    push r22
    push r24
    ldi r23, 0x80
    ldi r24, 2
    rcall motet_bits_put8
    rjmp 6f
5:
    andi r19, SYMBOL >> 8 /* not as was certain */
    ori r19, RIGHT_ONCE >> 8
    std Z+1, r19
    push r22
    push r24
    ldi r23, 0x20
    ldi r24, 3
    rcall motet_bits_put8
    rcall motet_bits_length
6:
    rcall motet_bits_arrive
    pop r24
    pop r22

/* What a read was: r22 its lowest byte, r24 that of what was guessed. */
    mov r18, r21
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
    cp r18, r22
    ldi r22, 0
    breq 1f
    inc r24
    lsr r23
    ror r22
    rjmp motet_bits_put
1:
    ldi r23, 0x80
    ldi r24, 1
8:
    rjmp motet_bits_put8
9:
    ret

10: /* a timer of 8 bits */
    clr r27
    sbrc r26, 7
    com r27
    ldi r24, NUMBER_NARROW
    rjmp 12f
11:
    ldi r24, NUMBER_WIDE
    cpi r18, SITE_WIDE|SITE_TIMER
    brne 12f
    ldi r24, NUMBER_TIMER
12:
    movw r22, r26
    motet_bits_fold r22, r23
    subi r22, 1
    sbci r23, 0
    rjmp motet_bits_number

/* ---- interrupts ---- */

/* r20: the vector, r21: its kind, r26 and r27: its address. Then r22 and r23 have where, r24 and r25 the address, r20
 * and r21 the count, r18 and r19 the stack pointer; Z leads to what was expected. T: in the recorder, which has neither
 * an address nor a stack pointer but those that were. */
motet_bits_interrupt:
    push r20
    push r21
    ldi r18, 1 << 2
    mul r20, r18
    movw r22, r0
    clt
    andi r21, BITS_AT
    brne 1f
    set
1:
    or r22, r21
    movw r24, r26
    lds r30, motet_recorder+R_TAIL
    subi r30, -UNIT
    motet_bits_at
    ld r20, Z
    ldd r21, Z+1
    ldd r18, Z+2
    ldd r19, Z+3
    ldd r26, Y+B_CONTEXT
    ldi r27, 2*FIELDS
    mul r26, r27
    movw r30, r0
    subi r30, lo8(-(CODER+B_EXPECTED))
    sbci r31, hi8(-(CODER+B_EXPECTED))
    brtc 2f
    ldd r18, Z+2*FIELD_SP
    ldd r19, Z+2*FIELD_SP+1
    ldd r24, Z+2*FIELD_ADDRESS
    ldd r25, Z+2*FIELD_ADDRESS+1
2: /* it counts for the check */
    movw r26, r22
    add r26, r24
    adc r27, r25
    add r26, r18
    adc r27, r19
    add r26, r20
    adc r27, r21
    ldd r0, Y+B_HITS
    add r26, r0
    adc r27, r1
    rcall motet_bits_note
    ldd r26, Z+2*FIELD_ADDRESS
    ldd r27, Z+2*FIELD_ADDRESS+1
    std Z+2*FIELD_ADDRESS, r24
    std Z+2*FIELD_ADDRESS+1, r25
    sub r24, r26 /* from here on how it differs */
    sbc r25, r27
    ldd r26, Z+2*FIELD_COUNT
    ldd r27, Z+2*FIELD_COUNT+1
    std Z+2*FIELD_COUNT, r20
    std Z+2*FIELD_COUNT+1, r21
    cpc r26, r20
    cpc r27, r21
    in r27, IO_SREG
    motet_bits_fold r24, r25
    ldd r0, Y+B_HITS
    ldd r26, Z+2*FIELD_LENGTH
    std Z+2*FIELD_LENGTH, r0
    cp r26, r0
    ldd r26, Z+2*FIELD_WHERE
    cpc r26, r22
    ldd r26, Z+2*FIELD_WHERE+1
    cpc r26, r23
    ldd r26, Z+2*FIELD_SP
    cpc r26, r18
    ldd r26, Z+2*FIELD_SP+1
    cpc r26, r19
    brne motet_bits_fields
    movw r22, r24
#ifdef MOTET_STAMP
    sbrc r27, 1 /* Z */
    rjmp 3f
    ldi r24, FIELD_ADDRESS
    brts 4f /* mostly there is no count, as usual, and the address differs by no more than it does */
    ldd r18, Y+B_USUAL+FIELD_COUNT
    or r18, r20
    or r18, r21
    brne 4f
    rcall motet_bits_usual
    brcs 4f
    ldi r18, 1 << 3
    mul r23, r18
    movw r22, r0
    ori r23, 0x58
    subi r24, -5
    rcall motet_bits_put
    rjmp 6f
#else
    sbrs r27, 1 /* Z */
    rjmp 4f
#endif
3:
    ldi r23, 0x60
    ldi r24, 3
    rcall motet_bits_put8
    rjmp 6f
4: /* the count and the address */
    push r23
    push r22
    ldi r23, 0x50
    ldi r24, 4
    rcall motet_bits_put8
5:
    movw r22, r20
    ldi r24, FIELD_COUNT
    rcall motet_bits_number
    pop r22
    pop r23
    ldi r24, FIELD_ADDRESS
    brts 6f
    rcall motet_bits_number
6:
    pop r25
    pop r24
    rcall motet_bits_history
    rcall motet_bits_arrive_there
    cpi r25, EVENT_LIBRARY
    brne 7f
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
7:
    ldi r24, 2*UNIT
    rcall motet_bits_take_some
    rjmp motet_bits_end

motet_bits_fields: /* before these the others */
    push r25
    push r24
    push r19
    push r18
    push r23
    push r22
    movw r26, r30
    ldi r23, 0x40
    ldi r24, 4
    rcall motet_bits_put8
    pop r22
    pop r23
    ldi r24, FIELD_WHERE
    rcall 8f
    pop r22
    pop r23
    ldi r24, FIELD_SP
    brts 9f
    rcall 8f
9:
    rcall motet_bits_length
    rjmp 5b
8:
    ld r18, X
    st X+, r22
    ld r19, X
    st X+, r23
    sub r22, r18
    sbc r23, r19
    motet_bits_fold r22, r23
    rjmp motet_bits_number

motet_bits_arrive:
    ldd r18, Y+B_LONGER
motet_bits_arrive_there: /* which r18 has */
    std Y+B_HITS, r1
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

/* Z: the unit after the oldest; or the oldest, when that of before is done with. */
motet_bits_second:
    lds r30, motet_recorder+R_TAIL
    subi r30, -UNIT
    rjmp 1f
motet_bits_after:
    rcall motet_bits_take
1:
    motet_bits_at
    ret

/* One of the reads that a unit stands for; r24 and r25: how many are left. */
motet_bits_several:
    ldd r20, Y+B_SITE
    ldd r21, Y+B_SITE+1
    ldd r18, Y+B_AT
    add r30, r18
    adc r31, r1
    ld r26, Z
    clr r27
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
    push r28
    push r29
    ldi r28, lo8(CODER)
    ldi r29, hi8(CODER)
motet_bits_first:
    lds r30, motet_recorder+R_TAIL
    motet_bits_at
    ldd r24, Y+B_LEFT
    ldd r25, Y+B_LEFT+1
    sbiw r24, 0
    brne motet_bits_several
    ld r20, Z
    ldd r21, Z+1
    ldd r26, Z+2
    ldd r27, Z+3
    cpi r21, EVENT_WOKE
    brne 1f
    ldi r21, hi8(BITS_WAKE) /* waking up is a read */
    mov r26, r20
    clr r27
    ldi r20, lo8(BITS_WAKE)
    rjmp 2f
1:
    cpi r21, EVENT_AGAIN
    breq 3f
    brsh 4f
2:
    rcall motet_bits_read
    rjmp 9f
3: /* stays until the reads that it stands for are encoded, of bytes: others are not counted on AVR */
    ldi r18, 0xff /* no more of them here */
    sts motet_recorder+R_AGAIN_SITE+1, r18
    ldi r18, 2
    std Y+B_AT, r18
    andi r20, AGAIN-1
    std Y+B_LEFT, r20
    std Y+B_LEFT+1, r1
    rjmp motet_bits_end
4:
    cpi r21, EVENT_INSIDE
    brlo 5f
    rjmp motet_bits_interrupt
5:
    cpi r21, EVENT_NOTICE
    brne 6f
    rcall motet_bits_notice
    rjmp 9f
6:
#ifndef MOTET_WITHOUT_BLOCK
    cpi r21, EVENT_BLOCK
    brne 7f
    std Y+B_SITE, r26
    std Y+B_SITE+1, r27
    rcall motet_bits_after
    ld r18, Z
    ldd r19, Z+1
    std Y+B_LEFT, r18
    std Y+B_LEFT+1, r19
    rjmp 9f
7:
#endif
    cpi r20, 1
    brsh 8f
    ldi r24, BITS_OTHER_WRAPPED
    rcall motet_bits_other
    ldi r24, EVENT_WRAPPED
    rcall motet_bits_history
    rjmp 9f
8: /* where a timer of 8 bits stood: all are. The interrupt is next */
    std Y+B_NARROW, r26
    rcall motet_bits_take
    rjmp motet_bits_first
9:
    rcall motet_bits_take
motet_bits_end:
    pop r29
    pop r28
    ret
    .size motet_codec_units, .-motet_codec_units

/* ---- checks ---- */

    .global motet_codec_confirm
    .type motet_codec_confirm,@function
motet_codec_confirm:
    push r28
    push r29
    rcall 1f
    ldi r24, 1
    rjmp motet_bits_end
1:
    ldi r28, lo8(CODER)
    ldi r29, hi8(CODER)
    ldi r20, NOTICE_CHECK
    ldd r26, Y+B_CHECK
    ldd r27, Y+B_CHECK+1
    rjmp motet_bits_notice
    .size motet_codec_confirm, .-motet_codec_confirm

    .global motet_codec_flush
    .type motet_codec_flush,@function
motet_codec_flush:
    push r28
    push r29
    rcall 1b
    ldi r24, BITS_OTHER_ANEW
    rcall motet_bits_other
    clr r23 /* a byte that has begun ends */
    ldi r24, 7
    rcall motet_bits_put8
    std Y+B_USED, r1
    rjmp motet_bits_end
    .size motet_codec_flush, .-motet_codec_flush
#endif
