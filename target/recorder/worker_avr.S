/* The worker (worker.h) on AVR: two threads that wait for each other, and motet_idle, where the application calls it.
 *
 * Each has all its registers on its own stack: of the worker 18 that motet_rest pushes, 15 as motet_push does, where to
 * go on with them loaded (motet_on or motet_off), r24 and the address. */
#include "macros_avr.inc"
#include "stamp_avr.inc"

#ifndef LEAN /* lean_avr.S */

/* Bytes of motet_rest, where an interrupt comes in the worker. */
#define WORKER_REST 18

/* Return addresses are pushed low byte first: the highest is at the lowest address. */
.macro motet_push_place label
    ldi r24, lo8(pm(\label))
    push r24
    ldi r24, hi8(pm(\label))
    push r24
#ifdef __AVR_3_BYTE_PC__
    ldi r24, hh8(pm(\label))
    push r24
#endif
.endm

    .pushsection .text.motet_stubs,"ax",@progbits
    motet_shared motet_inside

    motet_shared motet_work_inside
/* For motet_idle, or an entry whose caller has interrupts on; they are let in. */
motet_work_inside:
    motet_stamp_rest
    ldi r24, 1
    sts motet_recorder+R_INSIDE, r24
    ldi r24, lo8(pm(motet_on))
    ldi r25, hi8(pm(motet_on))
#ifdef __AVR_3_BYTE_PC__
    ldi r23, hh8(pm(motet_on))
#endif
    rjmp 1f
/* The same with interrupts off. */
    .global motet_work
    .type motet_work,@function
motet_work:
    ldi r24, lo8(pm(motet_off))
    ldi r25, hi8(pm(motet_off))
#ifdef __AVR_3_BYTE_PC__
    ldi r23, hh8(pm(motet_off))
#endif
1:
    motet_rest
    in r26, IO_SPL
    in r27, IO_SPH
    sts motet_recorder+R_CALLER, r26
    sts motet_recorder+R_CALLER+1, r27
    lds r26, motet_recorder+R_WORKER
    lds r27, motet_recorder+R_WORKER+1
    out IO_SPH, r27
    out IO_SPL, r26
    adiw r26, 34
#ifdef __AVR_3_BYTE_PC__
    st X+, r23
#endif
    st X+, r25
    st X, r24
    motet_rest_load
    motet_pop
    out IO_SREG, r0
    pop r0
    ret
motet_on:
    pop r24
    reti
motet_off:
    pop r24
    ret
    .size motet_work, .-motet_work

/* Called by the worker: back to its caller. */
    .global motet_yield
    .type motet_yield,@function
motet_yield:
    cli
    push r24
    push r24
    push r24
#ifdef __AVR_3_BYTE_PC__
    push r24
#endif
    motet_push
    motet_rest
    sts motet_recorder+R_INSIDE, r1
    in r26, IO_SPL
    in r27, IO_SPH
    sts motet_recorder+R_WORKER, r26
    sts motet_recorder+R_WORKER+1, r27
    lds r26, motet_recorder+R_CALLER
    lds r27, motet_recorder+R_CALLER+1
    out IO_SPH, r27
    out IO_SPL, r26
    motet_rest_load
    ret
    .size motet_yield, .-motet_yield

/* r24 says whether an interrupt came, where the caller has interrupts off: it must not sleep then. Where there is
 * nothing to do no C is called. */
    .global motet_idle
    .type motet_idle,@function
motet_idle:
#ifdef MOTET_DUMP
    motet_save
#else
    push r0
    in r0, IO_SREG
    cli
    push r24
    push r25
    lds r24, motet_recorder+R_RESTING
    tst r24
    breq 9f
    lds r24, motet_recorder+R_STATE
    cpi r24, RECORDING
    brne 9f
    lds r24, motet_recorder+R_IDLE
    tst r24
    brne 9f
#ifdef DUMP_PORT
    lds r24, motet_dump+D_WANTED
    tst r24
    brne 9f
#endif
    lds r24, motet_recorder+R_FILL
    lds r25, motet_recorder+R_FILL+1
    cpi r24, lo8(MOTET_BATCH)
    sbci r25, hi8(MOTET_BATCH)
    brcc 9f
    lds r24, motet_count
    lds r25, motet_count+1
    adiw r24, 1
    breq 9f
    sts motet_count, r24
    sts motet_count+1, r25
    pop r25
    pop r24
    ldi r24, 0
    motet_stamp_doze
9:
    pop r25
    pop r24
    motet_save_more
#endif
    call motet_idle_begin
    tst r24
    breq 3f
    ldi r24, lo8(pm(motet_idle))
    sts motet_recorder+R_WINDOW, r24
    ldi r24, hi8(pm(motet_idle))
    sts motet_recorder+R_WINDOW+1, r24
#ifdef __AVR_3_BYTE_PC__
    ldi r24, hh8(pm(motet_idle))
    sts motet_recorder+R_WINDOW_HIGH, r24
#endif
    call motet_work_inside
3:
    call motet_idle_end
    in r30, IO_SPL
    in r31, IO_SPH
    ldd r25, Z+14
    sbrc r25, 7
    clr r24
    std Z+6, r24
    motet_stamp_awake
    .size motet_idle, .-motet_idle

/* An interrupt came in the worker, of which motet_save has been done already. It waits where it is; the interrupt comes
 * once more, in the window, with all registers and the stack as the caller of the entry has them: handlers that are
 * interrupted themselves must look as they do in replay, where they come at the entry, and return to it. The stack
 * pointer of the caller is not needed any more: its place has r24, and the 17th bit of the stub's address. */
motet_inside:
    sts motet_recorder+R_INSIDE, r1
    motet_rest
    in r24, IO_SPL
    in r25, IO_SPH
    call motet_inside_work
    in r30, IO_SPL
    in r31, IO_SPH
    sts motet_recorder+R_WORKER, r30
    sts motet_recorder+R_WORKER+1, r31
#ifdef __AVR_3_BYTE_PC__
    ldd r24, Z+WORKER_REST+17
    sts motet_recorder+R_STUB+1, r24
    ldd r24, Z+WORKER_REST+18
    sts motet_recorder+R_STUB, r24
    ldd r24, Z+WORKER_REST+6
    ldd r25, Z+WORKER_REST+16
    sbrc r25, 0
    ori r24, 0x80
#else
    ldd r24, Z+WORKER_REST+16
    sts motet_recorder+R_STUB+1, r24
    ldd r24, Z+WORKER_REST+17
    sts motet_recorder+R_STUB, r24
    ldd r24, Z+WORKER_REST+6
#endif
    sts motet_recorder+R_VECTOR, r24
    lds r26, motet_recorder+R_CALLER
    lds r27, motet_recorder+R_CALLER+1
    out IO_SPH, r27
    out IO_SPL, r26
    motet_rest_load
    pop r0
    pop r0
#ifdef __AVR_3_BYTE_PC__
    pop r0
    lds r24, motet_recorder+R_VECTOR
    mov r25, r24
    andi r24, 0x7f
    sts motet_recorder+R_VECTOR, r24
    ldi r24, 0
    lsl r25
    rol r24
    sts motet_recorder+R_CALLER+1, r24
#endif
    motet_load
    sts motet_recorder+R_CALLER, r24
    sbrs r0, 7
    rjmp 5f
    lsl r0
    lsr r0
    out IO_SREG, r0
    pop r0
    lds r24, motet_recorder+R_WINDOW
    push r24
    lds r24, motet_recorder+R_WINDOW+1
    push r24
#ifdef __AVR_3_BYTE_PC__
    lds r24, motet_recorder+R_WINDOW_HIGH
    push r24
#endif
    rjmp 6f
5:
    out IO_SREG, r0
    pop r0
    motet_push_place 7f
6:
    lds r24, motet_recorder+R_CALLER
    push r24
    lds r24, motet_recorder+R_STUB
    push r24
    lds r24, motet_recorder+R_STUB+1
    push r24
#ifdef __AVR_3_BYTE_PC__
    lds r24, motet_recorder+R_CALLER+1
    push r24
#endif
    motet_stamp_window
    lds r24, motet_recorder+R_VECTOR
    rjmp motet_entered
    motet_shared motet_window
motet_window:
7: /* motet_idle called with interrupts off */
    cli
    rjmp motet_idle
    .popsection

#endif
