/* The recorder's entries on AVR, but those for interrupts and for the worker, and those of the lean recorder
 * (lean_avr.S): what rewritten code calls.
 *
 * Every register and flag is as it was before an entry, but for its result. Interrupts are off from CLI until the way
 * out, which is atomic: RETI, or RET where they were off. An interrupt between an entry and its CLI is one in the
 * recorder, which lies between motet_stubs and motet_library (interrupts_avr.S). */
#include "macros_avr.inc"
#include "stamp_avr.inc"

    .pushsection .text.motet_stubs,"ax",@progbits
    .global motet_stubs
    motet_shared motet_leave
#ifndef LEAN
    motet_shared motet_common, motet_common_hosting, motet_return
#endif
motet_stubs:

#if !defined __AVR_3_BYTE_PC__ && !defined LEAN
    motet_shared motet_push_rest, motet_pop_rest
motet_push_rest:
    pop r31
    pop r30
    motet_rest_pushes
    ijmp
motet_pop_rest:
    pop r31
    pop r30
    motet_rest_pops
    ijmp
#endif

#ifndef LEAN /* lean_avr.S */
/* What most entries share: motet_save, with the address of what is to be called in r18 and r19; it is given the stack
 * pointer there. */
.macro motet_common_pushes
    push r20
    push r21
    push r22
    push r23
    push r24
    push r25
    push r26
    push r27
    push r30
    push r31
    movw r30, r18
    clr r1
    ldi r18, 1
    sts motet_recorder+R_BUSY, r18
.endm
/* Before that the worker may go on, as it does for motet_idle (worker_avr.S); with interrupts off, where the caller has
 * them off. */
motet_common_hosting:
    motet_common_pushes
    sts motet_recorder+R_AFTER, r30
    sts motet_recorder+R_AFTER+1, r31
    ldi r24, 0
1:
    in r30, IO_SPL
    in r31, IO_SPH
    ldd r22, Z+14
    andi r22, 0x80
    movw r20, r30
    call motet_host_begin
    tst r24
    breq 3f
    sbrc r24, 1
    rjmp 4f
    call motet_work
    rjmp 5f
4:
    call motet_work_inside
5:
    ldi r24, 1
    rjmp 1b
3:
    in r30, IO_SPL
    in r31, IO_SPH
    ldd r25, Z+5
    ldd r24, Z+6
    ldd r23, Z+7
    ldd r22, Z+8
    ldd r21, Z+9
    ldd r20, Z+10
    lds r30, motet_recorder+R_AFTER
    lds r31, motet_recorder+R_AFTER+1
    rjmp 2f
motet_common:
    motet_common_pushes
2:
    in r18, IO_SPL
    in r19, IO_SPH
    icall
motet_return:
    motet_load
#endif
motet_leave:
    motet_stamp_leave
    sbrs r0, 7
    rjmp 1f
    lsl r0
    lsr r0
    out IO_SREG, r0
    pop r0
    reti
1:
    motet_stamp_even
    out IO_SREG, r0
    pop r0
    ret

/* ---- reads ---- */

#ifndef LEAN /* lean_avr.S */

#if MOTET_CODEC == CODEC_TARDIS /* wants more to be noted */
    motet_rare_hosting motet_read8, motet_read8_work, motet_forget
    motet_rare_hosting motet_read16, motet_read16_work, motet_forget
#else
    motet_shared motet_advance, motet_other

/* The next unit is there. */
motet_advance:
    lds r30, motet_recorder+R_HEAD
    lds r31, motet_recorder+R_HEAD+1
    adiw r30, UNIT
    cpi r30, lo8(MOTET_RING)
    ldi r18, hi8(MOTET_RING)
    cpc r31, r18
    brne 1f
    ldi r30, 0
    ldi r31, 0
1:
    sts motet_recorder+R_HEAD, r30
    sts motet_recorder+R_HEAD+1, r31
    lds r30, motet_recorder+R_FILL
    lds r31, motet_recorder+R_FILL+1
    adiw r30, UNIT
    sts motet_recorder+R_FILL, r30
    sts motet_recorder+R_FILL+1, r31
    ret

#if MOTET_CODEC == CODEC_MOTET
/* The compare register of a timer that fired, if r24 is the vector of one. */
#if CHIP_COMPARE_COUNT != 2
#error "the table of the chip must name two compare registers of 8 bits"
#endif
    motet_shared motet_compare
motet_compare:
    cpi r24, CHIP_COMPARE_0_VECTOR
    breq 1f
    cpi r24, CHIP_COMPARE_1_VECTOR
    breq 2f
    ret
1:
    lds r18, CHIP_COMPARE_0_AT
    rjmp 3f
2:
    lds r18, CHIP_COMPARE_1_AT
3:
    motet_next_unit
    std Z+2, r18
    ldi r18, 1
    st Z, r18
    ldi r18, EVENT_WRAPPED
    std Z+1, r18
    ldi r18, 0
    std Z+3, r18
    rjmp motet_advance
#endif

motet_other:
    ldi r18, 0xff
    sts motet_recorder+R_AGAIN_SITE, r18
    sts motet_recorder+R_AGAIN_SITE+1, r18
motet_done:
    rcall motet_advance
motet_noted:
#if COUNT_FIRST
    ldi r18, COUNT_FIRST
    sts motet_count, r18
    ldi r18, 0
#else
    ldi r18, 0
    sts motet_count, r18
#endif
    sts motet_count+1, r18
    motet_end_fast
    rjmp motet_leave

/* A read of 8 bits: at the site of the last it goes into its unit (ring_put_byte). What may be a byte of the dump's
 * command is looked at in C. */
    .global motet_read8
    .type motet_read8,@function
motet_read8:
    motet_begin_fast
    motet_forget
#ifdef DUMP_PORT
    cpi r24, DUMP_FIRST
    breq 9f
    lds r18, motet_dump+D_MATCHED
    tst r18
    brne 9f
#endif
    motet_little_left
9:
    motet_end_fast
    motet_go_hosting motet_read8_work, motet_read8
2:
    lds r18, motet_recorder+R_AGAIN_SITE
    lds r19, motet_recorder+R_AGAIN_SITE+1
    cp r18, r20
    brne 7f
    mov r18, r21
    ori r18, hi8(WIDE)
    cp r19, r18
    brne 7f
    lds r30, motet_recorder+R_AGAIN_NEXT
    lds r31, motet_recorder+R_AGAIN_NEXT+1
    cpi r31, 0xff
    breq 3f
    subi r30, lo8(-(motet_recorder+R_RING))
    sbci r31, hi8(-(motet_recorder+R_RING))
    ld r18, Z
    cpi r18, 0xff
    breq 3f
    mov r19, r18
    subi r19, 2
    inc r18
    st Z, r18
    andi r19, UNIT-1
    brne 4f
    rcall motet_advance
4:
    lds r30, motet_recorder+R_HEAD
    lds r31, motet_recorder+R_HEAD+1
    mov r18, r30
    or r18, r31
    brne 8f
    ldi r30, lo8(MOTET_RING)
    ldi r31, hi8(MOTET_RING)
8:
    add r30, r19
    brcc 6f
    inc r31
6:
    subi r30, lo8(-(motet_recorder+R_RING-UNIT))
    sbci r31, hi8(-(motet_recorder+R_RING-UNIT))
    mov r18, r24
    and r18, r22
    st Z, r18
    rjmp motet_noted
3:
    rjmp 9b
7:
    sts motet_recorder+R_AGAIN_SITE, r20
    mov r18, r21
    ori r18, hi8(WIDE)
    sts motet_recorder+R_AGAIN_SITE+1, r18
    ldi r18, 0xff
    sts motet_recorder+R_AGAIN_NEXT, r18
    sts motet_recorder+R_AGAIN_NEXT+1, r18
    motet_next_unit
    st Z, r20
    std Z+1, r21
    mov r18, r24
    and r18, r22
    std Z+2, r18
    ldi r18, 0
    std Z+3, r18
    rjmp motet_done
    .size motet_read8, .-motet_read8

    .global motet_read16
    .type motet_read16,@function
motet_read16:
    motet_begin_fast
    motet_forget
    motet_little_left
9:
    motet_end_fast
    motet_go_hosting motet_read16_work, motet_read16
2:
    motet_next_unit
    st Z, r20
    mov r18, r21
    ori r18, hi8(WIDE)
    std Z+1, r18
    mov r18, r24
    and r18, r22
    std Z+2, r18
    mov r18, r25
    and r18, r23
    std Z+3, r18
    rjmp motet_other
    .size motet_read16, .-motet_read16
#endif

/* As after each event. */
    motet_shared motet_count_anew
    .type motet_count_anew,@function
motet_count_anew:
    ldi r18, lo8(COUNT_FIRST)
    sts motet_count, r18
    ldi r18, hi8(COUNT_FIRST)
    sts motet_count+1, r18
    ret
    .size motet_count_anew, .-motet_count_anew
#endif

/* ---- the others ---- */

#ifndef MOTET_WITHOUT_BLOCK
    motet_rare motet_block, motet_block_work /* the worker does not go on in it: routines call it that replay leaves out */
#endif
#ifdef MOTET_STAMP
#ifndef LEAN
/* Halfway round, with interrupts on (stamp_avr.S). */
    motet_rare_hosting motet_breathe, motet_breathe_work
#endif
/* After a loop that polls. */
    .global motet_polled
    .type motet_polled,@function
motet_polled:
    push r0
    in r0, IO_SREG
    cli
    motet_forget
    push r24
    lds r24, motet_uncounted
    dec r24
    sts motet_uncounted, r24
    lds r24, motet_count
    inc r24
    sts motet_count, r24
    breq 1f
    rjmp motet_leave_on
1:
    pop r24
    motet_go motet_wrapped_work
    .size motet_polled, .-motet_polled
#elif !defined LEAN
/* The low byte of the count has come round: the high one counts that, without C where the worker has no need to go on. */
    .pushsection .text.motet_stubs.motet_wrapped,"ax",@progbits
    .global motet_wrapped
    .type motet_wrapped,@function
motet_wrapped:
    push r0
    in r0, IO_SREG
    cli
    push r18
    push r19
    lds r18, motet_recorder+R_FILL
    lds r19, motet_recorder+R_FILL+1
    cpi r18, lo8(MOTET_BATCH)
    sbci r19, hi8(MOTET_BATCH)
    brsh 1f
    lds r18, motet_recorder+R_STATE
    cpi r18, RECORDING
    brne 1f
    lds r18, motet_count+1
    inc r18
    breq 1f
    sts motet_count+1, r18
    pop r19
    pop r18
    rjmp motet_leave
1:
    pop r19
    pop r18
    motet_go_hosting motet_wrapped_work, motet_wrapped
    .size motet_wrapped, .-motet_wrapped
    .popsection
#endif
#if !defined MOTET_WITHOUT_POINTER8 && !defined LEAN
    motet_rare_hosting motet_pointer8, motet_pointer8_work
#endif
#if !defined MOTET_WITHOUT_POINTER16 && !defined LEAN
    motet_rare_hosting motet_pointer16, motet_pointer16_work
#endif
    motet_rare motet_begin, motet_begin_work
    motet_rare motet_flush, motet_flush_work
#ifndef MOTET_WITHOUT_FREEZE
    motet_rare motet_freeze, motet_freeze_work
#endif
#ifndef MOTET_WITHOUT_CLEAR
    motet_rare motet_clear, motet_clear_work
#endif
    .popsection
