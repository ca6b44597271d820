/* The worker (worker.h) on MSP430: two threads that wait for each other, and motet_idle, where the application calls it.
 *
 * Each has all its registers on its own stack: of the worker r4 to r15, SR, where to go on with them loaded (motet_on or
 * motet_off), r12, SR and the address. */
#include "macros_msp430.inc"

#ifndef LEAN
    .pushsection .text.motet_stubs,"ax",@progbits
    motet_shared motet_inside

    motet_shared motet_work_inside
/* For motet_idle, or an entry whose caller has interrupts on; they are let in. */
motet_work_inside:
    motet_stamp_rest
    mov.b #1, &motet_recorder+R_INSIDE
    mov #motet_on, r14
    jmp 1f
/* The same with interrupts off. */
    .global motet_work
    .type motet_work,@function
motet_work:
    mov #motet_off, r14
1:
    motet_rest
    mov sp, &motet_recorder+R_CALLER
    mov &motet_recorder+R_WORKER, sp
    mov r14, 26(sp)
    motet_rest_load
    motet_pop
    pop sr
    ret
motet_on:
    pop r12
    reti
motet_off:
    pop r12
    bic #GIE, 0(sp)
    reti

/* Called by the worker: back to its caller. */
    .global motet_yield
    .type motet_yield,@function
motet_yield:
    dint
    nop
    push sr
    bis #GIE, 0(sp)
    push r12
    push r12
    push sr
    push r15
    push r14
    push r13
    push r12
    push r11
    motet_rest
    clr.b &motet_recorder+R_INSIDE
    mov sp, &motet_recorder+R_WORKER
    mov &motet_recorder+R_CALLER, sp
    motet_rest_load
    ret

/* r12 says whether an interrupt came, where the caller has interrupts off: it must not sleep then. Where there is
 * nothing to do no C is called. */
    .global motet_idle
    .type motet_idle,@function
motet_idle:
#if defined MOTET_DUMP
    motet_save
#else
    push sr
    dint
    nop
    tst.b &motet_recorder+R_RESTING
    jz 9f
    cmp.b #RECORDING, &motet_recorder+R_STATE
    jne 9f
    tst.b &motet_recorder+R_IDLE
    jnz 9f
    cmp #MOTET_BATCH, &motet_recorder+R_FILL
    jhs 9f
#ifdef DUMP_PORT
    tst.b &motet_dump+D_WANTED
    jnz 9f
#endif
    cmp #-1, &motet_count
    jeq 9f
    inc &motet_count
    motet_stamp_idle
    clr r12
    reti
9:
    motet_save_more
#endif
    call #motet_idle_begin
    tst.b r12
    jz 3f
    mov #motet_idle, &motet_recorder+R_WINDOW
    call #motet_work_inside
3:
    call #motet_idle_end
    bit #GIE, 10(sp)
    jz 4f
    clr r12
4:
    mov.b r12, r12
    mov r12, 2(sp)
    jmp motet_return

/* An interrupt came in the worker, whose SR and r15 to r11 lie on its stack already. It waits where it is; the interrupt
 * comes once more, in the window, with all registers and the stack as the caller of the entry has them: handlers that
 * are interrupted themselves must look as they do in replay, where they come at the entry, and return to it. */
motet_inside:
    motet_rest
#ifdef CODER_ASSEMBLY
/* The handler may use the multiplier: the worker's operands are given to it once more (coder_msp430.S). The interrupted
 * PC lies at 32. */
    mov 32(sp), r15
    sub #motet_product, r15
    cmp #motet_product_size, r15
    jhs 1f
    sub r15, 32(sp)
1:
#endif
    clr.b &motet_recorder+R_INSIDE
    mov sp, &motet_recorder+R_WORKER
    mov 26(sp), &motet_recorder+R_STUB
    mov.b 16(sp), &motet_recorder+R_VECTOR
    tst.b &motet_recorder+R_HOLDS
    jz 2f
    call #motet_flash_end
2:
    mov &motet_recorder+R_CALLER, sp
    motet_rest_load
    add #2, sp
    motet_load
    bit #GIE, 0(sp)
    jz 5f
    bic #GIE, 0(sp)
    pop sr
    push #0
    mov &motet_recorder+R_WINDOW, 0(sp)
    jmp 6f
5:
    pop sr
    push #7f
6:
    push sr
    bis #GIE, 0(sp)
    push r12
    push #0
    mov &motet_recorder+R_STUB, 0(sp)
#ifdef MOTET_STAMP /* of an interrupt in the worker only that it came in motet_idle: no cycle */
    mov #STAMP_ON, &CHIP_STAMP_BLOCK
    mov &motet_stamp+4, &motet_stamp
    mov #STAMP_RUNS, &motet_stamp+2
#endif
    mov.b &motet_recorder+R_VECTOR, r12
    bic #0xffbf, sr
#ifdef MOTET_STAMP
    push sr
    push r15
    jmp motet_entered
#else
    jmp motet_enter
#endif
7: /* motet_idle called with interrupts off */
    dint
    nop
    jmp motet_idle
    .popsection
#endif
