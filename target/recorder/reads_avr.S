/* codec_units() of the motet codec (codec_motet.c) on AVR: what changes with each read stays in registers.
 *
 * Y: the unit, r15: recent, r14: longer, r12: check, r6: position, r17: hits, r10: site, r8: value, r2: left, r16: so
 * many more. Of a read: r20: its symbol, r22: what goes into the history, r24: its place in the table. Invariant: it
 * encodes what codec_reads() in C does (tests/unit/codec_motet.c). */
#include "config.h"

#ifdef CODER_ASSEMBLY
#include "macros_avr.inc"

/* All timers that compare registers tell are of 8 bits here. */
#if CHIP_COMPARE_0_WIDE || CHIP_COMPARE_1_WIDE
#error "a compare register of 16 bits: write here what is done with it"
#endif
/* As motet_rest, from afar. */
#ifdef __AVR_3_BYTE_PC__
#define motet_rest_far      motet_rest
#define motet_rest_load_far motet_rest_load
#else
#define motet_rest_far      call motet_push_rest
#define motet_rest_load_far call motet_pop_rest
#endif

    .section .text.motet_codec_units,"ax",@progbits
    .global motet_codec_units
    .type motet_codec_units,@function
motet_codec_units:
    motet_rest_far
1:
    in r0, IO_SREG /* how many units there are, up to 32 */
    cli
    lds r16, motet_recorder+R_FILL
    lds r24, motet_recorder+R_FILL+1
    out IO_SREG, r0
    tst r24
    brne 2f
    cpi r16, 32*UNIT
    brlo 3f
2:
    ldi r16, 32*UNIT
3:
    lsr r16
    lsr r16
    brne 4f
    motet_rest_load_far
    ret
4:
    lds r2, motet_codec+C_LEFT
    lds r3, motet_codec+C_LEFT+1
    lds r10, motet_codec+C_SITE
    lds r11, motet_codec+C_SITE+1
    lds r8, motet_codec+C_VALUE
    lds r9, motet_codec+C_VALUE+1
    lds r17, motet_codec+C_HITS
    lds r15, motet_codec+C_RECENT
    lds r14, motet_codec+C_LONGER
    lds r12, motet_codec+C_CHECK
    lds r13, motet_codec+C_CHECK+1
    lds r6, motet_codec+C_POSITION
    lds r28, motet_recorder+R_TAIL
    lds r29, motet_recorder+R_TAIL+1
    subi r28, lo8(-(motet_recorder+R_RING))
    sbci r29, hi8(-(motet_recorder+R_RING))
    rjmp motet_reads_next

motet_reads_several:
    movw r24, r2
    sbiw r24, 1
    movw r2, r24
    lds r18, motet_codec+C_AT
    cpi r18, COUNTED
    brne 11f
    ldi r19, 1 /* one more than the last */
    add r8, r19
    adc r9, r1
    rjmp 12f
11:
    movw r30, r28
    add r30, r18
    adc r31, r1
    ld r8, Z
    clr r9
    inc r18
    sts motet_codec+C_AT, r18
12:
    or r24, r25
    breq 13f
    cpi r18, UNIT
    breq 13f
    rjmp motet_reads_value
13:
    sts motet_codec+C_AT, r1
    rjmp motet_reads_taken

motet_reads_other:
    cpi r19, EVENT_WOKE
    brne 14f
    mov r8, r18 /* waking up counts as a read */
    clr r9
    ldi r18, lo8(SITE_WAKE)
    ldi r19, hi8(SITE_WAKE)
    movw r10, r18
    rjmp motet_reads_taken
14:
    cpi r19, EVENT_WRAPPED
    brne 15f
    subi r18, 1
    brcc 16f
15:
    rjmp motet_reads_event
16:
    ldd r18, Y+2 /* where a timer of 8 bits stood: all are */
    sts motet_codec+C_NARROW, r18
    rcall motet_reads_unit
    rjmp motet_reads_over

motet_reads_next:
    mov r18, r2
    or r18, r3
    brne motet_reads_several
    ld r18, Y
    ldd r19, Y+1
    cpi r19, EVENT_AGAIN
    brsh motet_reads_other
    movw r10, r18
    ldd r8, Y+2
    ldd r9, Y+3

motet_reads_taken:
    adiw r28, UNIT
    ldi r18, hi8(motet_recorder+R_RING+MOTET_RING)
    cpi r28, lo8(motet_recorder+R_RING+MOTET_RING)
    cpc r29, r18
    brne motet_reads_value
    ldi r28, lo8(motet_recorder+R_RING)
    ldi r29, hi8(motet_recorder+R_RING)

motet_reads_value:
    movw r20, r8
    mov r22, r8 /* what goes into the history */
    mov r23, r15 /* and which of them counts */
    inc r6
    mov r18, r11
    andi r18, SITE_CLASS
    cpi r18, SITE_TIMER
    brne 7f
    mov r22, r10 /* of a timer */
    clr r6
    mov r23, r14
    sbrc r11, 7
    rjmp 6f
    lds r18, motet_codec+C_NARROW /* of 8 bits, as all the rest of it */
    sts motet_codec+C_NARROW, r8
    sub r20, r18
    rjmp 7f
6:
    lds r18, motet_codec+C_WIDE
    lds r19, motet_codec+C_WIDE+1
    sts motet_codec+C_WIDE, r8
    sts motet_codec+C_WIDE+1, r9
    sub r20, r18
    sbc r21, r19
7:
    mov r30, r10
    eor r30, r23
#if MOTET_PLACES == 128
    andi r30, MOTET_PLACES-1
#endif
    mov r24, r30 /* the place */
    swap r15
    ldi r18, 0xf0
    and r15, r18
    eor r15, r22
    lsl r14
    lsl r14
    lsl r14
    eor r14, r22
    movw r18, r12
    lsl r18
    rol r19
    add r12, r18
    adc r13, r19
    add r12, r20
    adc r13, r21
    ldi r31, 0
    lsl r30
    rol r31
    subi r30, lo8(-(motet_codec+C_TABLE))
    sbci r31, hi8(-(motet_codec+C_TABLE))
    ld r18, Z
    ldd r19, Z+1
    sbrs r19, 7
    rjmp motet_reads_unsure
    mov r23, r21
    subi r23, 0x100-(SYMBOL_SIGN >> 8) /* so that it is below 0x40, if it can be certain */
    eor r23, r19
    cpi r23, (SURE|SYMBOL_SIGN) >> 8
    brne motet_reads_wrong
    cp r18, r20
    brne motet_reads_wrong
    inc r17 /* as was certain */
    cpi r17, MOST_HITS
    breq motet_reads_full

motet_reads_over:
    dec r16
    breq motet_reads_end
    rjmp motet_reads_next

motet_reads_wrong:
    mov r22, r24
    ldi r24, STEP_WRONG
    rcall motet_reads_code
    call motet_encode_check
    rjmp 9f

motet_reads_unsure:
    mov r22, r24
    mov r24, r11
    swap r24
    lsr r24
    andi r24, 3
    rcall motet_reads_code
    rjmp 9f

motet_reads_code:
    sts motet_codec+C_HITS, r17
    sts motet_codec+C_LONGER, r14
    sts motet_codec+C_CHECK+1, r13
    sts motet_codec+C_CHECK, r12
    sts motet_codec+C_POSITION, r6
    mov r7, r22
    movw r4, r20
    ldi r22, NO_VECTOR
    call motet_encode_step
    movw r24, r10
    mov r22, r7
    movw r20, r4
    jmp motet_encode_unsure

motet_reads_full:
    sts motet_codec+C_CHECK+1, r13
    sts motet_codec+C_CHECK, r12
    sts motet_codec+C_HITS, r17
    call motet_encode_nothing
9:
    clr r17
    lds r24, motet_recorder+R_OUT_COUNT /* what else to wait for changes with the ring */
    lds r25, motet_recorder+R_OUT_MOST
    cp r25, r24
    brsh motet_reads_over

motet_reads_end:
    ldi r19, 0

motet_reads_event: /* if r19 is not zero */
    sts motet_codec+C_LEFT+1, r3
    sts motet_codec+C_LEFT, r2
    sts motet_codec+C_SITE+1, r11
    sts motet_codec+C_SITE, r10
    sts motet_codec+C_VALUE+1, r9
    sts motet_codec+C_VALUE, r8
    sts motet_codec+C_HITS, r17
    sts motet_codec+C_RECENT, r15
    sts motet_codec+C_LONGER, r14
    sts motet_codec+C_CHECK+1, r13
    sts motet_codec+C_CHECK, r12
    sts motet_codec+C_POSITION, r6
    movw r24, r28
    cpse r19, r1
    call motet_encode_event
    call motet_ring_take_to
    call motet_encoding_waits
    tst r24
    brne 10f
    rjmp 1b
10:
    motet_rest_load_far
    ret

motet_reads_unit:
    adiw r28, UNIT
    ldi r18, hi8(motet_recorder+R_RING+MOTET_RING)
    cpi r28, lo8(motet_recorder+R_RING+MOTET_RING)
    cpc r29, r18
    brne 15f
    ldi r28, lo8(motet_recorder+R_RING)
    ldi r29, hi8(motet_recorder+R_RING)
15:
    ret
    .size motet_codec_units, .-motet_codec_units
#endif
