/* The recorder's entries on MSP430, but those for interrupts and for the worker: what rewritten code calls.
 *
 * Every register and flag is as it was before an entry, but for its result, and arithmetic flags, which reads clear.
 * Interrupts are off from the instruction after DINT until RETI, which puts back SR. An interrupt before that is one in
 * the recorder, which lies between motet_stubs and motet_library (interrupts_msp430.S). */
#include "macros_msp430.inc"

#ifndef LEAN

/* What may be a byte of the dump's command is looked at in C: on to 5. */
.macro motet_dump_test
#ifdef DUMP_PORT
    cmp.b #DUMP_FIRST, r12
    jeq 5f
    tst.b &motet_dump+D_MATCHED
    jnz 5f
#endif
.endm
/* So are reads of state registers whose live bits are kept. */
.macro motet_live_test
#if MOTET_CODEC == CODEC_TARDIS
    bit #CLASS_BITS, r14
    jz 5f
#endif
.endm

    .pushsection .text.motet_stubs,"ax",@progbits
    .global motet_stubs
    motet_shared motet_common, motet_common_hosting, motet_return
motet_stubs:

    motet_shared motet_push_rest, motet_pop_rest
motet_push_rest:
    pop r15
    push r10
    push r9
    push r8
    push r7
    push r6
    push r5
    push r4
    br r15
motet_pop_rest:
    pop r15
    pop r4
    pop r5
    pop r6
    pop r7
    pop r8
    pop r9
    pop r10
    br r15

/* What most entries share: SR and r15 are pushed, and r15 has what is to be called. It is given the stack pointer
 * there. */
.macro motet_common_pushes
    push r14
    push r13
    push r12
    push r11
    mov.b #1, &motet_recorder+R_BUSY
.endm
/* Before that the worker may go on, as it does for motet_idle (worker_msp430.S); with interrupts off, where the caller has
 * them off. */
motet_common_hosting:
    motet_common_pushes
    mov r15, &motet_recorder+R_AFTER
    clr r12
1:
    mov 10(sp), r13
    and #GIE, r13
    mov sp, r14
    call #motet_host_begin
    tst.b r12
    jz 3f
    bit #2, r12
    jnz 4f
    call #motet_work
    jmp 5f
4:
    call #motet_work_inside
5:
    mov #1, r12
    jmp 1b
3:
    mov 2(sp), r12
    mov 4(sp), r13
    mov 6(sp), r14
    mov &motet_recorder+R_AFTER, r15
    jmp 2f
motet_common:
    motet_common_pushes
2:
    mov r15, r11
    mov sp, r15
    call r11
motet_return:
    clr.b &motet_recorder+R_BUSY
    pop r11
    pop r12
    pop r13
    pop r14
    motet_stamp_leave
    pop r15
    reti

/* ---- reads: without C where there is room, since they are many and some are timed by the firmware ---- */

/* Reads of 8 bits at the site of the last go into its unit (ring_put_byte), all but the first without C. */
    .global motet_read8
    .type motet_read8,@function
motet_read8:
    push sr
    dint
    push r15
    motet_forget 2
    motet_dump_test
    motet_live_test
    cmp.b #RECORDING, &motet_recorder+R_STATE
    jne 5f
    cmp #MOTET_RING-SCARCE, &motet_recorder+R_FILL
    jhs 5f
    push r14
    bis #WIDE, r14
    cmp r14, &motet_recorder+R_AGAIN_SITE
    jne 7f
    mov &motet_recorder+R_AGAIN_NEXT, r15
    cmp #-1, r15
    jeq 6f
    mov.b motet_recorder+R_RING(r15), r14
    cmp.b #-1, r14
    jeq 6f
    sub #2, r14
    and #UNIT-1, r14
    inc.b motet_recorder+R_RING(r15)
    mov &motet_recorder+R_HEAD, r15
    tst r14
    jnz 9f
    motet_next
    mov r15, &motet_recorder+R_HEAD
    add #UNIT, &motet_recorder+R_FILL
9:
    tst r15
    jnz 8f
    mov #MOTET_RING, r15
8:
    add r14, r15
    mov.b r12, motet_recorder+R_RING-UNIT(r15)
    and.b r13, motet_recorder+R_RING-UNIT(r15)
    motet_count_anew
    pop r14
    motet_stamp_clear
    pop r15
    reti
7:
    tst.b &motet_recorder+R_AGAIN_COUNT
    jnz 6f
    mov r14, &motet_recorder+R_AGAIN_SITE
    mov #-1, &motet_recorder+R_AGAIN_NEXT
    mov &motet_recorder+R_HEAD, r15
    mov 0(sp), motet_recorder+R_RING(r15)
    clr motet_recorder+R_RING+2(r15)
    mov.b r12, motet_recorder+R_RING+2(r15)
    and.b r13, motet_recorder+R_RING+2(r15)
    motet_next
    mov r15, &motet_recorder+R_HEAD
    add #UNIT, &motet_recorder+R_FILL
    motet_count_anew
    pop r14
    motet_stamp_clear
    pop r15
    reti
6:
    pop r14
5:
    motet_go_hosting motet_read8_work, motet_read8

/* A read of 16 bits at the site of the last, which gives one more than that, is only counted: firmware that reads a
 * running timer until it stands still would not come to an end if that took longer than the timer takes for a step. */
    .global motet_read16
    .type motet_read16,@function
motet_read16:
    push sr
    dint
    motet_forget 0
    cmp r14, &motet_recorder+R_AGAIN_SITE
    jne 7f
    cmp r12, &motet_recorder+R_AGAIN_NEXT
    jne 7f
    inc &motet_recorder+R_AGAIN_NEXT
    motet_count_anew
    inc.b &motet_recorder+R_AGAIN_COUNT
    jn 8f
    motet_stamp_short
    reti
8:
    mov #-1, &motet_recorder+R_AGAIN_SITE
    motet_stamp_short
    reti
7:
    push r15
    motet_dump_test
    motet_live_test
    tst.b &motet_recorder+R_AGAIN_COUNT
    jnz 5f
    cmp.b #RECORDING, &motet_recorder+R_STATE
    jne 5f
    cmp #MOTET_RING-SCARCE, &motet_recorder+R_FILL
    jhs 5f
    mov &motet_recorder+R_HEAD, r15
    mov r14, motet_recorder+R_RING(r15)
    bis #WIDE, motet_recorder+R_RING(r15)
    mov r12, motet_recorder+R_RING+2(r15)
    and r13, motet_recorder+R_RING+2(r15)
    motet_next
    mov r15, &motet_recorder+R_HEAD
    add #UNIT, &motet_recorder+R_FILL
    mov #-1, r15
    cmp r15, r13
    jne 9f
    mov r14, r15
    mov r12, &motet_recorder+R_AGAIN_NEXT
    inc &motet_recorder+R_AGAIN_NEXT
9:
    mov r15, &motet_recorder+R_AGAIN_SITE
    motet_count_anew
    motet_stamp_clear
    pop r15
    reti
5:
    motet_go_hosting motet_read16_work, motet_read16

/* ---- the others ---- */

#ifndef MOTET_WITHOUT_BLOCK
    motet_entry motet_block, motet_block_work /* the worker does not go on in it: routines call it that replay leaves out */
#endif
#ifdef MOTET_STAMP
/* Halfway round, with interrupts on (stamp_msp430.S). */
    motet_entry_hosting motet_breathe, motet_breathe_work
/* After a loop that polls. */
    .global motet_polled
    .type motet_polled,@function
motet_polled:
    push sr
    dint
    motet_forget 0
    push r15
    dec.b &motet_uncounted
    inc &motet_count
    jz 1f
    motet_stamp_clear
    pop r15
    reti
1:
    mov #motet_wrapped_work, r15
    jmp motet_common
#else
/* The low byte of the count has come round: the high one counts that, without C where the worker has no need to go on. */
    .pushsection .text.motet_stubs.motet_wrapped,"ax",@progbits
    .global motet_wrapped
    .type motet_wrapped,@function
motet_wrapped:
    push sr
    dint
    nop
    push r15
    tst.b &motet_recorder+R_MEASURES
    jnz 2f
    cmp #MOTET_BATCH, &motet_recorder+R_FILL
    jhs 1f
    cmp.b #RECORDING, &motet_recorder+R_STATE
    jne 1f
2:
    cmp.b #-1, &motet_count+1
    jeq 1f
    inc.b &motet_count+1
    pop r15
    reti
1:
    motet_go_hosting motet_wrapped_work, motet_wrapped
    .size motet_wrapped, .-motet_wrapped
    .global motet_measuring
    .set motet_measuring, motet_recorder+R_MEASURES
    .popsection
#endif
#ifndef MOTET_WITHOUT_POINTER8
    motet_entry_hosting motet_pointer8, motet_pointer8_work
#endif
#ifndef MOTET_WITHOUT_POINTER16
    motet_entry_hosting motet_pointer16, motet_pointer16_work
#endif
    motet_entry motet_begin, motet_begin_work
    motet_entry motet_flush, motet_flush_work
#ifndef MOTET_WITHOUT_FREEZE
    motet_entry motet_freeze, motet_freeze_work
#endif
#ifndef MOTET_WITHOUT_CLEAR
    motet_entry motet_clear, motet_clear_work
#endif
    .popsection
#endif
