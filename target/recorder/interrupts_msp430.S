/* Interrupts on MSP430: what the stub of a vector calls before its handler begins.
 *
 * The stub has pushed r12 and put the vector's number there; interrupts are off. With SR and r15 pushed r12 of the
 * application lies at 6, the interrupted SR at 8, PC at 10. The last of the stubs: motet_library follows. */
#include "macros_msp430.inc"

#ifndef LEAN

/* Events are put into the ring here, where C need not. */
#if MOTET_CODEC != CODEC_TARDIS
#define ENTERS_FAST
#endif

#ifdef ENTERS_FAST
/* The compare register of the timer that fired, unless it captures, into the unit at r15. Not of the timer that tells
 * cycles, of which replay knows nothing. */
#if CHIP_COMPARE_COUNT > 2
#error "more than two compare registers: write here which of them fired"
#endif
.macro motet_put_compare at
    mov &\at, motet_recorder+R_RING+2(r15)
.endm
.macro motet_end_compare
    mov #EVENT_WRAPPED << 8 | 2, motet_recorder+R_RING(r15)
    motet_next
    add #UNIT, &motet_recorder+R_FILL
.endm
.macro motet_note_compare
#if MOTET_CODEC != CODEC_PLAIN && CHIP_COMPARE_COUNT == 1
    cmp #CHIP_COMPARE_0_VECTOR, r12
    jne 1f
    bit #0x100, &CHIP_COMPARE_0_CONTROL
    jnz 1f
    motet_put_compare CHIP_COMPARE_0_AT
    motet_end_compare
1:
#elif MOTET_CODEC != CODEC_PLAIN && CHIP_COMPARE_COUNT == 2
    cmp #CHIP_COMPARE_0_VECTOR, r12
    jeq 1f
    cmp #CHIP_COMPARE_1_VECTOR, r12
    jne 8f
    bit #0x100, &CHIP_COMPARE_1_CONTROL
    jnz 8f
    motet_put_compare CHIP_COMPARE_1_AT
    jmp 2f
1:
    bit #0x100, &CHIP_COMPARE_0_CONTROL
    jnz 8f
    motet_put_compare CHIP_COMPARE_0_AT
2:
    motet_end_compare
8:
#endif
.endm
/* What is out of the ordinary is done by C: on to 9. */
.macro motet_ordinary
    tst.b &motet_recorder+R_INSIDE
    jnz 9f
    cmp.b #RECORDING, &motet_recorder+R_STATE
    jne 9f
    tst.b &motet_recorder+R_AGAIN_COUNT
    jnz 9f
    cmp #MOTET_RING-SCARCE, &motet_recorder+R_FILL
    jlo .Lroom\@
#ifdef MOTET_STAMP /* its timer is to come soon, and may have (stamp.h) */
    tst.b &motet_recorder+R_BREATHES
    jz 9f
#endif
    cmp #MOTET_RING-5*UNIT+1, &motet_recorder+R_FILL /* four, and one that stays free */
    jhs 9f
.Lroom\@:
.endm
/* As mix() does. */
.macro motet_mix word:vararg
    rla r13
    adc r13
    add \word, r13
    swpb r14
    xor r13, r14
.endm
#endif

    .pushsection .text.motet_stubs,"ax",@progbits
    .global motet_enter
    .type motet_enter,@function
motet_enter:
#if defined ENTERS_FAST || defined MOTET_STAMP
    push sr
    push r15
#endif
#ifdef MOTET_STAMP /* an interrupt that has ended sleep needs no cycles */
    bit #CPUOFF, 8(sp)
    jnz 3f
    mov &CHIP_STAMP_CONTROL, &motet_stamp+2
    mov &CHIP_STAMP_COUNT, &motet_stamp
3:
    motet_shared motet_entered
motet_entered:
#endif
#ifndef ENTERS_FAST
#ifdef MOTET_STAMP
    pop r15
    pop sr
#endif
#elif defined MOTET_STAMP /* in loops that poll, where the timer has come round, and where it cannot tell, C does it */
    motet_ordinary
    bit #CPUOFF, 8(sp)
    jnz 4f
    cmp #STAMP_RUNS, &motet_stamp+2
    jne 9f
    bit #SCG1, 8(sp)
    jnz 9f
    bit.b #0xfe, &CHIP_STAMP_CLOCKS
    jnz 9f
    tst.b &motet_uncounted
    jnz 9f
4:
    mov &motet_recorder+R_HEAD, r15
    motet_note_compare
    bit #CPUOFF, 8(sp)
    jnz 5f
    bis #EVENT_INTERRUPT << 8, r12
    mov r12, motet_recorder+R_RING(r15)
    mov &motet_stamp, motet_recorder+R_RING+2(r15)
    sub &motet_stamp+4, motet_recorder+R_RING+2(r15)
    jz 7f
    motet_next
    motet_put_count 0
    clr motet_recorder+R_RING+2(r15)
    add #UNIT, &motet_recorder+R_FILL
    jmp 6f
7:
    sub #(EVENT_INTERRUPT-EVENT_INSIDE) << 8, motet_recorder+R_RING(r15)
    motet_put_count 2
    jmp 6f
5:
    bis #EVENT_WOKE << 8, r12
    mov r12, motet_recorder+R_RING(r15)
    clr motet_recorder+R_RING+2(r15)
    mov #STAMP_ON, &CHIP_STAMP_BLOCK
#else
    motet_ordinary
    mov &motet_recorder+R_HEAD, r15
    motet_note_compare
    bit #CPUOFF, 8(sp)
    jnz 5f
    cmp #motet_library, 10(sp)
    jhs 7f
    cmp #motet_stubs, 10(sp)
    jhs 4f
    tst.b &motet_uncounted
    jnz 7f
3:
    bis #EVENT_INTERRUPT << 8, r12
    mov r12, motet_recorder+R_RING(r15)
    mov 10(sp), motet_recorder+R_RING+2(r15)
    motet_next
    motet_put_count 0
    mov sp, motet_recorder+R_RING+2(r15)
    add #12, motet_recorder+R_RING+2(r15)
    add #UNIT, &motet_recorder+R_FILL
    jmp 6f
7: /* in code that does not count: registers are hashed */
    push r14
    push r13
    clr r13
    clr r14
    motet_mix r4
    motet_mix r5
    motet_mix r6
    motet_mix r7
    motet_mix r8
    motet_mix r9
    motet_mix r10
    motet_mix r11
    motet_mix 10(sp)
    motet_mix 0(sp)
    motet_mix 2(sp)
    motet_mix 4(sp)
    bis #EVENT_LIBRARY << 8, r12
    mov r12, motet_recorder+R_RING(r15)
    mov 14(sp), motet_recorder+R_RING+2(r15)
    motet_next
    motet_put_count 0
    mov r13, motet_recorder+R_RING+2(r15)
    motet_next
    cmp #CHIP_RAM_LAST+1-17, sp
    jhs 8f
    mov.b 16(sp), r13
    xor.b 17(sp), r13
    xor r13, r14
8:
    mov r14, motet_recorder+R_RING(r15)
    pop r13
    pop r14
    mov sp, motet_recorder+R_RING+2(r15)
    add #12, motet_recorder+R_RING+2(r15)
    add #2*UNIT, &motet_recorder+R_FILL
    jmp 6f
4:
    tst.b &motet_recorder+R_MEASURES
    jnz 3b
    push r14
    mov 12(sp), r14
    cmp #PUSH_SR, -2(r14)
    jeq 8f
    cmp #PUSH_SR, -4(r14)
8:
    pop r14
    jeq 3b
    bis #EVENT_INSIDE << 8, r12
    mov r12, motet_recorder+R_RING(r15)
    motet_put_count 2
    jmp 6f
5:
    bis #EVENT_WOKE << 8, r12
    mov r12, motet_recorder+R_RING(r15)
    clr motet_recorder+R_RING+2(r15)
#endif
#ifdef ENTERS_FAST
6:
    motet_next
    mov r15, &motet_recorder+R_HEAD
    add #UNIT, &motet_recorder+R_FILL
    mov #-1, &motet_recorder+R_AGAIN_SITE
    motet_count_anew
    inc.b &motet_recorder+R_ENTERED
    mov.b #1, &motet_recorder+R_LIVES
    motet_stamp_clear
    pop r15
    pop sr
    ret
9:
    pop r15
    pop sr
#endif

/* With C. After what is pushed: the stub's address at 12, r12 at 14, the interrupted SR at 16 and PC at 18. */
    push sr
    push r15
    push r14
    push r13
    push r12
    push r11
    mov.b #1, &motet_recorder+R_BUSY
    tst.b &motet_recorder+R_INSIDE
    jnz motet_inside
    mov 14(sp), 2(sp) /* the interrupted r12 in its place */
#ifndef MOTET_STAMP
    push r12
    mov 20(sp), r13
    tst.b &motet_uncounted
    jnz 5f
    cmp #motet_library, r13
    jlo 4f
5:
    mov r13, r14
    pop r12
    motet_rest
    mov r12, r10
    mov sp, r12
    call #motet_hash_work
    mov r12, r14
    mov r10, r12
    motet_rest_load
    push r12
4:
    pop r12
#endif
    mov 18(sp), r13
    mov sp, r15
    call #motet_enter_work
    br #motet_return
    .popsection
#endif

    .global motet_library
    .pushsection .text.motet_stubs_end,"ax",@progbits
motet_library:
    .popsection
