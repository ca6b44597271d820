/* Interrupts on AVR: what the stub of a vector calls before its handler begins.
 *
 * The stub has pushed r24 and put the vector's number there; interrupts are off. The interrupted return address lies
 * after what is pushed here, the address of the stub, and r24. The last of the stubs: motet_library follows. */
#include "macros_avr.inc"
#include "stamp_avr.inc"

/* The interrupted address: with 15 bytes of motet_save before it, in r22, r23 and r21. */
.macro motet_interrupted_low
#ifdef __AVR_3_BYTE_PC__
    ldd r22, Z+22
    ldd r23, Z+21
#else
    ldd r22, Z+20
    ldd r23, Z+19
#endif
.endm
.macro motet_interrupted
    motet_interrupted_low
#ifdef __AVR_3_BYTE_PC__
    ldd r21, Z+20
#endif
.endm
.macro motet_is_below label
    ldi r20, lo8(pm(\label))
    cp r22, r20
    ldi r20, hi8(pm(\label))
    cpc r23, r20
#ifdef __AVR_3_BYTE_PC__
    ldi r20, hh8(pm(\label))
    cpc r21, r20
#endif
.endm

/* Without C, where addresses have two bytes and the codec wants no more: with five bytes pushed. */
#if MOTET_CODEC != CODEC_TARDIS && !defined __AVR_3_BYTE_PC__ && !defined LEAN
#define ENTERS_FAST
.macro motet_note_compare
#if MOTET_CODEC == CODEC_MOTET
    rcall motet_compare
#endif
.endm
.macro motet_interrupted_fast
    in r30, IO_SPL
    in r31, IO_SPH
    ldd r18, Z+10
    ldd r19, Z+9
.endm
.macro motet_load_word register, at
#ifdef RAMPZ
    elpm \register, \at
#else
    lpm \register, \at
#endif
.endm
.macro motet_count_entered
    lds r18, motet_recorder+R_ENTERED
    inc r18
    sts motet_recorder+R_ENTERED, r18
    sts motet_recorder+R_LIVES, r24 /* no vector is zero */
.endm
/* Where the CPU may not sleep, on to 4. */
.macro motet_sleep_is_on
    lds r30, SLEEP_CONTROL
    sbrs r30, SLEEP_ENABLE
    rjmp 4f
.endm
/* r18 and r19 have the interrupted address. SLEEP before it, and NOP there: the interrupt has ended sleep
 * (MOTET_SLEEP), which is put; else on to 4. 7: the rest of a unit that ends with the vector. */
.macro motet_after_sleep
    push r20
    push r21
    movw r30, r18
    sbiw r30, 1
    lsl r30
    rol r31
#ifdef RAMPZ
    in r20, IO_RAMPZ
    push r20
    ldi r20, 0
    rol r20
    out IO_RAMPZ, r20
#endif
    motet_load_word r20, Z+
    motet_load_word r21, Z+
    subi r20, lo8(SLEEP_OPCODE)
    sbci r21, hi8(SLEEP_OPCODE)
    or r20, r21
    motet_load_word r21, Z+
    or r20, r21
    motet_load_word r21, Z
    or r20, r21
#ifdef RAMPZ
    pop r21
    out IO_RAMPZ, r21
#endif
    tst r20
    pop r21
    pop r20
    brne 4f
    motet_note_compare
    motet_next_unit
    ldi r18, EVENT_WOKE
    std Z+1, r18
    ldi r18, 0
    std Z+2, r18
    std Z+3, r18
7:
    st Z, r24
    motet_count_entered
    rjmp motet_other
.endm
/* The count, from the last event on, into a unit. */
.macro motet_count_from at
    lds r18, motet_count
#if COUNT_FIRST
    subi r18, COUNT_FIRST
#endif
    std Z+\at, r18
    lds r18, motet_count+1
#if COUNT_FIRST
    sbci r18, 0
#endif
    std Z+\at+1, r18
.endm
/* A unit of an interrupt in the recorder, on to 7. */
.macro motet_put_inside
    motet_next_unit
    ldi r18, EVENT_INSIDE
    std Z+1, r18
    motet_count_from 2
.endm
/* The first unit of an interrupt, with the word in r18 and r19. */
.macro motet_put_interrupt
    motet_next_unit
    st Z, r24
    std Z+2, r18
    std Z+3, r19
    ldi r18, EVENT_INTERRUPT
    std Z+1, r18
    rcall motet_advance
.endm
/* The rest of the second: the count. */
.macro motet_put_count
    motet_count_from 0
    motet_count_entered
    rjmp motet_other
.endm
#endif

    .pushsection .text.motet_stubs,"ax",@progbits
#ifndef MOTET_STAMP
/* The hash of the interrupted registers (port.h, mix.h): r18 and r19 the first half, r20 and r21 the second. Z: the
 * stack pointer after motet_save. */
#ifdef __AVR_3_BYTE_PC__
#define PC_BYTES 3
#else
#define PC_BYTES 2
#endif
#ifdef LEAN /* motet_host was called */
#define CALLED PC_BYTES
#else
#define CALLED 0
#endif
#define PUSHED    (4+CALLED+2*PC_BYTES) /* from the r1 that motet_save pushed up to above the address that the CPU did */
#define TOP_LIMIT (CHIP_RAM_LAST+1-PC_BYTES-PUSHED+1)
    motet_shared motet_hash
motet_hash:
    ldi r18, 0
    ldi r19, 0
    movw r20, r18
    ldi r26, 30 /* registers are memory, too: r29 and r28, then r17 to r2 */
    ldi r27, 0
    rcall 5f
    ldi r26, 18
1:
    rcall 5f
    cpi r26, 2
    brne 1b
    adiw r30, 1
    ldi r25, 6 /* r31, r30, r27 to r18 */
2:
    ld r22, Z+
    ld r23, Z+
    rcall 6f
    dec r25
    brne 2b
    ld r22, Z /* r1 and r0, around SREG */
    ldd r23, Z+2+CALLED
    rcall 6f
    ldd r22, Z+3+CALLED+PC_BYTES /* r24, of the vector's stub */
    ldi r23, 0
    rcall 6f
    ldi r22, hi8(TOP_LIMIT)
    cpi r30, lo8(TOP_LIMIT)
    cpc r31, r22
    brsh 3f
    ldd r22, Z+PUSHED+PC_BYTES-2
    eor r20, r22
    ldd r22, Z+PUSHED+PC_BYTES-1
    eor r20, r22
3:
    sts motet_recorder+R_MIXED, r20
    sts motet_recorder+R_MIXED+1, r21
    ret
5:
    ld r22, -X
    ld r23, -X
6:
    lsl r18
    rol r19
    adc r18, r1
    add r18, r22
    adc r19, r23
    mov r0, r20
    mov r20, r21
    mov r21, r0
    eor r20, r18
    eor r21, r19
    ret
#endif

#ifndef LEAN /* lean_avr.S */
    .global motet_enter
    motet_shared motet_entered
    .type motet_enter,@function
motet_enter:
    motet_stamp_read
motet_entered:
#ifdef ENTERS_FAST
    motet_begin_fast
    lds r18, motet_recorder+R_INSIDE
    tst r18
    brne 9f
    motet_little_left
9:
    rjmp 8f
2:
#ifdef MOTET_STAMP /* in loops that poll, and where the timer has come round, C does it */
    motet_sleep_is_on
    motet_interrupted_fast
    motet_after_sleep
4:
    lds r18, motet_stamp+2
    andi r18, CHIP_STAMP_OVERFLOW
    lds r19, motet_uncounted
    or r18, r19
    brne 8f
    motet_note_compare
    lds r18, motet_stamp
    lds r19, motet_stamp+3
    sub r18, r19
    lds r19, motet_stamp+1
    sbci r19, 0
    mov r30, r18
    or r30, r19
    breq 5f
    motet_put_interrupt
    motet_next_unit
    ldi r18, 0
    std Z+2, r18
    std Z+3, r18
    motet_put_count
5:
    motet_put_inside
    rjmp 7b
#else
    motet_interrupted_fast
    cpi r18, lo8(pm(motet_stubs))
    ldi r30, hi8(pm(motet_stubs))
    cpc r19, r30
    brlo 3f
    cpi r18, lo8(pm(motet_library))
    ldi r30, hi8(pm(motet_library))
    cpc r19, r30
    brsh 9b
    lds r30, motet_recorder+R_WINDOW /* where an entry begins; in its first instructions C does it */
    lds r31, motet_recorder+R_WINDOW+1
    cp r18, r30
    cpc r19, r31
    breq 6f
    cpi r18, lo8(pm(motet_window))
    ldi r30, hi8(pm(motet_window))
    cpc r19, r30
    brne 9b
6:
    motet_note_compare
    motet_put_inside
    rjmp 7f
3:
    cpi r18, lo8(pm(__ctors_start))
    ldi r30, hi8(pm(__ctors_start))
    cpc r19, r30
    brlo 9b
    motet_sleep_is_on
    motet_after_sleep
4:
    lds r30, motet_uncounted
    tst r30
    brne 8f
    motet_note_compare
    motet_interrupted_fast
    motet_put_interrupt
    in r18, IO_SPL
    in r19, IO_SPH
    subi r18, -10
    sbci r19, -1
    motet_next_unit
    std Z+2, r18
    std Z+3, r19
    motet_put_count
#endif
8:
    motet_end_fast
    out IO_SREG, r0
    pop r0
#endif
    motet_save
    lds r20, motet_recorder+R_INSIDE
    tst r20
    breq 9f
    rjmp motet_inside
9:
    in r30, IO_SPL
    in r31, IO_SPH
    motet_interrupted
#ifndef MOTET_STAMP /* in code that does not count registers are hashed */
    lds r20, motet_uncounted
    tst r20
    brne 5f
    motet_is_below __ctors_start
    brcs 5f
    motet_is_below motet_library
    brcs 4f
5:
    rcall motet_hash
    movw r20, r18
    in r30, IO_SPL
    in r31, IO_SPH
    motet_interrupted_low
    ldd r24, Z+6
#endif
4:
    movw r18, r30
#ifdef __AVR_3_BYTE_PC__
    ldd r25, Z+20
    sbrc r25, 0
    ori r24, 0x80
#endif
    call motet_enter_work
    rjmp motet_return
    .size motet_enter, .-motet_enter
#endif
    .popsection

    .global motet_library
    .pushsection .text.motet_stubs_end,"ax",@progbits
motet_library:
    .popsection
