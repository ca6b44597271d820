/* The entries and interrupts of the lean recorder (lean.h) on AVR.
 *
 * All that is common is put into the ring here, without C. An event counts from the instruction on that writes
 * R.fill: a reset before it leaves nothing of the event, one after it all. r0 has SREG in the entries, as the
 * application left it. */
#include "macros_avr.inc"
#include "stamp_avr.inc"

#ifdef LEAN

#ifdef __AVR_3_BYTE_PC__
#define PC_BYTES 3
#else
#define PC_BYTES 2
#endif

/* An event takes four units at most: so they have room if less waits, as ring_room() has it; and from AMPLE on an
 * interrupt has to look whether they have. */
#define ROOM_FOR_FOUR (MOTET_RING-6*UNIT+1)
#if MOTET_URGENT < ROOM_FOR_FOUR
#define AMPLE MOTET_URGENT
#else
#define AMPLE ROOM_FOR_FOUR
#endif

/* ---- the ring ---- */

.macro motet_ring_wrap register
#if MOTET_RING < 256
    andi \register, MOTET_RING-1
#endif
.endm

/* As motet_ring_next, in less time. */
.macro motet_ring_next_here
    mov r30, r20
    subi r20, -UNIT
    motet_ring_wrap r20
    ldi r31, 0
    subi r30, lo8(-(motet_recorder+R_RING))
    sbci r31, hi8(-(motet_recorder+R_RING))
.endm

    .pushsection .text.motet_stubs,"ax",@progbits
/* Z: a place in the ring: where the next unit goes (this changes r18); at r20, which goes on to the one after it;
 * at r30. */
    motet_shared motet_ring_head, motet_ring_next, motet_ring_at
motet_ring_head:
    lds r30, motet_recorder+R_TAIL
    lds r18, motet_recorder+R_FILL
    add r30, r18
    motet_ring_wrap r30
    rjmp motet_ring_at
motet_ring_next:
    mov r30, r20
    subi r20, -UNIT
    motet_ring_wrap r20
motet_ring_at:
    ldi r31, 0
    subi r30, lo8(-(motet_recorder+R_RING))
    sbci r31, hi8(-(motet_recorder+R_RING))
    ret

    motet_shared motet_room, motet_put8, motet_put16, motet_put_unit, motet_count_one

/* Room for four units is made, if there is none. Z: there is now, and events are recorded. Changes r30. */
motet_room:
    lds r30, motet_recorder+R_FILL
    cpi r30, ROOM_FOR_FOUR
    brlo 1f
    rcall motet_host_room
1:
    lds r30, motet_recorder+R_STATE
    cpi r30, RECORDING
    ret

/* ---- where the recorder may go on ---- */

/* Registers on the stack, 14 bytes; where then the address is that the entry was called from: its lowest byte. */
.macro motet_save_registers
    push r0
    push r1
    .irp number, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 30, 31
    push r\number
    .endr
    clr r1
.endm
.macro motet_load_registers
    .irp number, 31, 30, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 1, 0
    pop r\number
    .endr
.endm
#define HOST_FROM (14+PC_BYTES)

/* An entry: its first words are always these four (motet_host). */
.macro motet_begins name, host=motet_host
    .global \name
    .type \name,@function
\name:
    push r0
    in r0, IO_SREG
    cli
    rcall \host
.endm

/* What entries call first, with r0 pushed and SREG in it. Mostly there is nothing to do. Else pieces of work are done
 * (lean.h), and T is set. While they are the caller's registers lie on the stack, below the address in the entry,
 * where motet_inside finds them. */
    motet_shared motet_host, motet_host_reads, motet_host_patiently, motet_host_idle, motet_host_room, motet_host_end
motet_host_idle:
    push r18
    ldi r18, HOST_IDLES
    rjmp 3f
motet_host_room:
    push r18
    ldi r18, HOST_ROOM
    rjmp 3f
    motet_shared motet_host_call
motet_host_call: /* of what Z leads to */
    push r18
    ldi r18, HOST_CALL
    rjmp 3f
#ifndef MOTET_STAMP
    motet_shared motet_host_hash
motet_host_hash:
    push r18
    ldi r18, HOST_HASH
    rjmp 3f
#endif
motet_host_patiently:
    set
    rjmp 1f
motet_host_reads:
    motet_forget
motet_host:
    clt
1:
    push r18
    lds r18, motet_recorder+R_FILL
    cpi r18, MOTET_URGENT
    brsh 2f
    lds r18, motet_recorder+R_STATE
    cpi r18, RECORDING
    brne 2f
    lds r18, motet_recorder+R_HOST+1 /* a stack pointer, or zero */
    tst r18
    brne 2f
    pop r18
    ret
2:
    ldi r18, HOST_BRIEF
    bld r18, 0
3:
    sts motet_recorder+R_PATIENT, r18
    pop r18
    motet_save_registers
    ldi r18, 1
    sts motet_recorder+R_BUSY, r18
    lds r18, motet_recorder+R_PATIENT
    cpi r18, HOST_CALL
    brlo 31f
#ifndef MOTET_STAMP
    brne 32f
#endif
    icall
    rjmp motet_host_end
#ifndef MOTET_STAMP
32:
    in r30, IO_SPL
    in r31, IO_SPH
    rcall motet_hash
    sts motet_recorder+R_HASHED, r18
    sts motet_recorder+R_HASHED+1, r19
    rjmp motet_host_end
#endif
31:
    in r30, IO_SPL
    in r31, IO_SPH
    sts motet_recorder+R_CALLER, r30
    sts motet_recorder+R_CALLER+1, r31
4:
    in r30, IO_SPL
    in r31, IO_SPH
    ldd r24, Z+14
    andi r24, 0x80
    call motet_host_work
    tst r24
    breq motet_host_end
    rcall motet_work_on
    rjmp 4b
motet_host_end:
    sts motet_recorder+R_BUSY, r1
    motet_load_registers
    set
    ret

/* Interrupts are let in once, but that of the timer for stamps. One that waits comes after NOP (lean.h). Where
 * nothing is to be done but to encode, that is done at once, and so on. */
    motet_shared motet_work_on
motet_work_on:
    motet_stamp_rest
1:
    ldi r24, 1
    sts motet_recorder+R_INSIDE, r24
    sei
    nop
    cli
    sts motet_recorder+R_INSIDE, r1
#if MOTET_CODEC == CODEC_BITS
    lds r24, motet_recorder+R_CONFIRMED
    lds r25, motet_recorder+R_INDEX
    cpse r24, r25
    ret
    lds r24, motet_recorder+R_OUT_COUNT
    cpi r24, PIECE+1
    brsh 3f
    lds r24, motet_recorder+R_FILL
    cpi r24, MOTET_URGENT
    brsh 2f
    tst r24
    breq 3f
    lds r24, motet_recorder+R_PATIENT
    tst r24
    breq 3f
2:
    call motet_codec_units
    rjmp 1b
3:
#endif
    ret

/* Whether an interrupt came, where the caller has interrupts off: it must not sleep then. */
    motet_begins motet_idle, motet_host_idle
    lds r24, motet_recorder+R_CAME
    sbrc r0, 7
    ldi r24, 0
    motet_stamp_out
    .size motet_idle, .-motet_idle

/* An interrupt came while they were let in. It comes once more, where the entry begins, with all registers and the
 * stack as the caller of the entry has them: handlers that are interrupted themselves must look as they do in
 * replay, where they come at the entry, and return to it. The stack pointer of the caller is not needed any more:
 * its place has r24, and the highest byte of the stub's address. */
    motet_shared motet_inside
motet_inside:
    clr r1
    sts motet_recorder+R_INSIDE, r1
    sts motet_recorder+R_VECTOR, r24
    in r30, IO_SPL
    in r31, IO_SPH
    ldd r24, Z+8+PC_BYTES
    sts motet_recorder+R_STUB, r24
    ldd r24, Z+7+PC_BYTES
    sts motet_recorder+R_STUB+1, r24
#ifdef __AVR_3_BYTE_PC__
    ldd r24, Z+9
#endif
    lds r30, motet_recorder+R_CALLER
    lds r31, motet_recorder+R_CALLER+1
    out IO_SPH, r31
    out IO_SPL, r30
#ifdef __AVR_3_BYTE_PC__
    sts motet_recorder+R_CALLER+1, r24
#endif
    ldd r18, Z+HOST_FROM /* four words after the entry's beginning */
    ldd r19, Z+HOST_FROM-1
#ifdef __AVR_3_BYTE_PC__
    ldd r20, Z+HOST_FROM-2
#endif
    ldd r24, Z+14
    subi r24, 0x80
    brcs 2f
    std Z+14, r24 /* with interrupts off, as a handler has them */
    subi r18, 4
    sbci r19, 0
#ifdef __AVR_3_BYTE_PC__
    sbci r20, 0
#endif
    rjmp 3f
2:
    ldi r18, lo8(pm(motet_window))
    ldi r19, hi8(pm(motet_window))
#ifdef __AVR_3_BYTE_PC__
    ldi r20, hh8(pm(motet_window))
#endif
3:
    sts motet_recorder+R_WINDOW, r18
    sts motet_recorder+R_WINDOW+1, r19
#ifdef __AVR_3_BYTE_PC__
    sts motet_recorder+R_WINDOW_HIGH, r20
    ldi r24, hh8(pm(1f))
    std Z+HOST_FROM-2, r24
#endif
    ldi r24, hi8(pm(1f))
    std Z+HOST_FROM-1, r24
    ldi r24, lo8(pm(1f))
    std Z+HOST_FROM, r24
    rjmp motet_host_end
1:
    sts motet_recorder+R_CALLER, r24
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
    lds r24, motet_recorder+R_VECTOR
    rjmp motet_entered
motet_window: /* motet_idle called with interrupts off */
    cli
    rjmp motet_idle

/* ---- reads, and steps ---- */

/* A read of 8 bits, as motet_read8 is given it: at the site of the last it goes into the unit of that
 * (ring_put_byte). Changes r18, r19 and Z. */
motet_put8:
    brtc 1f
    rcall motet_room
    breq 1f
    rjmp motet_put_none
1:
    mov r18, r21
    ori r18, hi8(WIDE)
    lds r19, motet_recorder+R_AGAIN_SITE
    cp r19, r20
    lds r19, motet_recorder+R_AGAIN_SITE+1
    cpc r19, r18
    brne 3f
    lds r30, motet_recorder+R_AGAIN_NEXT
    cpi r30, 0xff
    breq 4f
    rcall motet_ring_at
    ld r18, Z
    cpi r18, 0xff
    breq 4f
    mov r19, r18
    subi r19, 2
    andi r19, UNIT-1
    inc r18
    sts motet_recorder+R_BUSY, r18
    st Z, r18
    lds r30, motet_recorder+R_TAIL
    lds r31, motet_recorder+R_FILL
    add r30, r31
    tst r19
    brne 5f
    subi r31, -UNIT
    sts motet_recorder+R_FILL, r31
    rjmp 6f
5:
    subi r30, UNIT
    add r30, r19
6:
    motet_ring_wrap r30
    rcall motet_ring_at
    mov r18, r24
    and r18, r22
    st Z, r18
    ldi r18, 0
    sts motet_recorder+R_BUSY, r18
    rjmp motet_put_none
4:
    rcall motet_ring_head
    mov r18, r30
    subi r18, lo8(motet_recorder+R_RING)
    sts motet_recorder+R_AGAIN_NEXT, r18
    ldi r18, AGAIN|1
    st Z, r18
    ldi r18, EVENT_AGAIN
    rjmp 7f
3:
    sts motet_recorder+R_AGAIN_SITE, r20
    sts motet_recorder+R_AGAIN_SITE+1, r18
    ldi r18, 0xff
    sts motet_recorder+R_AGAIN_NEXT, r18
    rcall motet_ring_head
    st Z, r20
    mov r18, r21
7:
    ldi r19, 0
8:
    std Z+1, r18
    std Z+3, r19
    mov r18, r24
    and r18, r22
    std Z+2, r18
motet_put_unit:
    lds r18, motet_recorder+R_FILL
    subi r18, -UNIT
    sts motet_recorder+R_FILL, r18
motet_put_none:
#if MOTET_CODEC != CODEC_PLAIN
    ldi r18, 0
    sts motet_recorder+R_COMPARES, r18
#endif
    motet_shared motet_count_anew
motet_count_anew:
    ldi r18, lo8(COUNT_FIRST)
    sts motet_count, r18
    ldi r18, hi8(COUNT_FIRST)
    sts motet_count+1, r18
    ret

/* Of 16 bits. */
motet_put16:
    brtc 1f
    rcall motet_room
    brne motet_put_none
1:
    ldi r18, 0xff /* no site has it there */
    sts motet_recorder+R_AGAIN_SITE+1, r18
    rcall motet_ring_head
    st Z, r20
    mov r18, r21
    ori r18, hi8(WIDE)
    mov r19, r25
    and r19, r23
    rjmp 8b

.macro motet_fast_pushes
    push r18
    push r19
    push r30
    push r31
.endm

    motet_begins motet_read8, motet_host_reads
    motet_fast_pushes
    rcall motet_put8
    motet_shared motet_end_read
motet_end_read:
    motet_end_fast
    rjmp motet_leave
    .size motet_read8, .-motet_read8

    motet_begins motet_read16, motet_host_reads
    motet_fast_pushes
    rcall motet_put16
    rjmp motet_end_read
    .size motet_read16, .-motet_read16

/* One more exit that recorded nothing. */
motet_count_one:
    push r18
    lds r18, motet_count
    inc r18
    sts motet_count, r18
    pop r18
    breq motet_count_high
    rjmp motet_leave
motet_count_high:
    push r18
    lds r18, motet_count+1
    inc r18
    breq 1f
    sts motet_count+1, r18
    pop r18
    rjmp motet_leave
1:
    pop r18
    motet_go motet_wrapped_work

/* Only what lies among the registers is recorded. */
.macro motet_pointer name, put, wide
    .pushsection .text.motet_stubs.\name,"ax",@progbits
    motet_begins \name
    motet_fast_pushes
    movw r30, r24
    ld r24, Z
.if \wide
    ldd r25, Z+1
.endif
    cpi r30, lo8(CHIP_REGISTER_END)
    ldi r18, hi8(CHIP_REGISTER_END)
    cpc r31, r18
    brlo 1f
    motet_end_fast
    rjmp motet_count_one
1:
    push r20
    push r21
    push r22
    push r23
    movw r20, r22
    ldi r22, 0xff
    ldi r23, 0xff
    rcall \put
    pop r23
    pop r22
    pop r21
    pop r20
    rjmp motet_end_read
    .size \name, .-\name
    .popsection
.endm
#ifndef MOTET_WITHOUT_POINTER8
    motet_pointer motet_pointer8, motet_put8, 0
#endif
#ifndef MOTET_WITHOUT_POINTER16
    motet_pointer motet_pointer16, motet_put16, 1
#endif

#ifdef MOTET_STAMP
/* Halfway round, with interrupts on (stamp_avr.S). */
    motet_begins motet_breathe, motet_host_patiently
    motet_go motet_breathe_work
    .size motet_breathe, .-motet_breathe
#else
/* The low byte of the count has come round: the high one counts that. */
    .pushsection .text.motet_stubs.motet_wrapped,"ax",@progbits
    motet_begins motet_wrapped, motet_host_patiently
    rjmp motet_count_high
    .size motet_wrapped, .-motet_wrapped
    .popsection
#endif

/* On to C, whose address is in Z, which is pushed. */
motet_common:
    rcall motet_host_call
    pop r31
    pop r30
    rjmp motet_leave
    motet_shared motet_common

/* ---- interrupts ---- */

/* With Z, the stack pointer: where the interrupted address is, and the stack pointer that was interrupted. */
#define AT_LOW  (9+2*PC_BYTES)
#define AT_HIGH (AT_LOW-1)
#define AT_TOP  (AT_LOW-2)

/* A byte of program memory, from the word before the interrupted address on. */
.macro motet_code_byte by:vararg
#ifdef RAMPZ
    elpm r22, \by
#else
    lpm r22, \by
#endif
.endm
.macro motet_address_is_below label, to
    cpi r18, lo8(pm(\label))
    ldi r22, hi8(pm(\label))
    cpc r19, r22
#ifdef __AVR_3_BYTE_PC__
    ldi r22, hh8(pm(\label))
    cpc r20, r22
#endif
    brlo \to
.endm

/* What lies at the interrupted address, which is in r18 and r19, its highest byte in r20: SLEEP before it, and NOP
 * there, so that the interrupt has ended sleep (MOTET_SLEEP); or IN R0, SREG before it or there, with which an
 * entry pushes the status, and interrupts were not off yet. r21: EVENT_WOKE, EVENT_INTERRUPT, or EVENT_INSIDE for
 * neither. */
    motet_shared motet_look
motet_look:
    movw r30, r18
    sbiw r30, 1
#ifdef RAMPZ
#ifdef __AVR_3_BYTE_PC__
    sbci r20, 0
#else
    ldi r20, 0
#endif
    lsl r30
    rol r31
    rol r20
    in r22, IO_RAMPZ
    push r22
    out IO_RAMPZ, r20
#else
    lsl r30
    rol r31
#endif
    ldi r21, EVENT_WOKE
    motet_code_byte Z+
    cpi r22, lo8(SLEEP_OPCODE)
    brne 1f
    motet_code_byte Z+
    cpi r22, hi8(SLEEP_OPCODE)
    brne 3f
    motet_code_byte Z+
    mov r20, r22
    motet_code_byte Z
    or r20, r22
    breq 5f
    rjmp 4f
1:
    ldi r21, EVENT_INTERRUPT
    cpi r22, lo8(IN_R0_SREG)
    motet_code_byte Z+
    brne 3f
    cpi r22, hi8(IN_R0_SREG)
    breq 5f
3:
    ldi r21, EVENT_INTERRUPT
    motet_code_byte Z+
    cpi r22, lo8(IN_R0_SREG)
    motet_code_byte Z
    brne 4f
    cpi r22, hi8(IN_R0_SREG)
    breq 5f
4:
    ldi r21, EVENT_INSIDE
5:
#ifdef RAMPZ
    pop r22
    out IO_RAMPZ, r22
#endif
    ret

.macro motet_enter_pushes
    push r18
    push r19
    push r20
    motet_stamp_take
    push r21
    push r22
    push r30
    push r31
.endm
.macro motet_enter_pops
    pop r31
    pop r30
    pop r22
    pop r21
    pop r20
    pop r19
    pop r18
.endm
/* The timer, and its flags. */
.macro motet_stamp_take
#ifdef MOTET_STAMP
    lds r18, CHIP_STAMP_COUNT
    lds r19, CHIP_STAMP_COUNT+1
    lds r20, CHIP_STAMP_FLAGS
#endif
.endm
/* The count, from the last event on. */
.macro motet_count_now
    lds r18, motet_count
    lds r19, motet_count+1
#if COUNT_FIRST
    subi r18, COUNT_FIRST
    sbci r19, 0
#endif
.endm
    .global motet_enter
    .type motet_enter,@function
motet_enter:
    push r0
    in r0, IO_SREG
    motet_enter_pushes
    lds r21, motet_recorder+R_INSIDE
    tst r21
    breq 1f
    rjmp motet_inside
#ifdef MOTET_STAMP
motet_entered: /* of an interrupt that came in the recorder stamps say only that */
    push r0
    in r0, IO_SREG
    motet_enter_pushes
    lds r18, motet_stamp+3
    ldi r19, 0
    ldi r20, 0
#else
    .set motet_entered, motet_enter
#endif
1:
    lds r21, motet_recorder+R_ENTERED
    inc r21
    sts motet_recorder+R_ENTERED, r21
    sts motet_recorder+R_LIVES, r24 /* no vector is zero */

/* Its kind in r21, in r18 and r19 the word after that. */
#ifdef MOTET_STAMP
    lds r21, SLEEP_CONTROL
    sbrc r21, SLEEP_ENABLE
    rjmp 7f
motet_enter_awake:
#ifdef __AVR_3_BYTE_PC__
    lds r21, motet_uncounted
    tst r21
    breq 3f
    in r30, IO_SPL
    in r31, IO_SPH
    ldd r21, Z+AT_TOP
    sbrc r21, 0
    ori r24, 0x80
3:
#endif
    ldi r21, EVENT_INTERRUPT
    lds r22, motet_stamp+3
    sub r18, r22
    sbci r19, 0
    brcs 5f
    andi r20, CHIP_STAMP_OVERFLOW
    breq 4f
    ldi r21, EVENT_LIBRARY /* one more bit of the cycles */
    rjmp 5f
4:
    mov r20, r18
    or r20, r19
    brne 5f
    ldi r21, EVENT_INSIDE
#else
    in r30, IO_SPL
    in r31, IO_SPH
    ldd r18, Z+AT_LOW
    ldd r19, Z+AT_HIGH
#ifdef __AVR_3_BYTE_PC__
    ldd r20, Z+AT_TOP
    sbrc r20, 0
    ori r24, 0x80
#endif
    motet_address_is_below motet_stubs, 2f
    motet_address_is_below motet_library, 3f
2:
    lds r22, SLEEP_CONTROL
    sbrc r22, SLEEP_ENABLE
    rjmp 7f
motet_enter_awake:
    lds r22, motet_uncounted
    tst r22
    brne 4f
    motet_address_is_below __ctors_start, 4f
    motet_address_is_below motet_library, 22f
4:
    rjmp motet_enter_library
22:
    ldi r21, EVENT_INTERRUPT
    rjmp 5f
3:
    rcall motet_look
    cpi r21, EVENT_INSIDE
    brne 22b
    ldi r18, 0
    ldi r19, 0
#endif
#if MOTET_CODEC == CODEC_PLAIN
    cpi r21, EVENT_INSIDE
    brne 5f
    motet_count_now
#endif

    motet_shared motet_enter_put
5:
motet_enter_put:
    lds r22, motet_recorder+R_STATE
    cpi r22, RECORDING
    brne 8f
    lds r20, motet_recorder+R_FILL
    cpi r20, AMPLE
    brlo 6f
8:
    rjmp motet_enter_scarce
6:
    lds r22, motet_recorder+R_TAIL
    add r20, r22
    motet_ring_wrap r20
#if MOTET_CODEC != CODEC_PLAIN /* where a timer of 8 bits stood */
#if CHIP_COMPARE_COUNT != 2
#error "the table of the chip must name two compare registers of 8 bits"
#endif
    cpi r24, CHIP_COMPARE_0_VECTOR
    breq 1f
    cpi r24, CHIP_COMPARE_1_VECTOR
    brne 3f
    lds r22, CHIP_COMPARE_1_AT
    rjmp 2f
1:
    lds r22, CHIP_COMPARE_0_AT
2:
    lds r30, motet_recorder+R_COMPARED /* mostly it is known */
    cp r30, r22
    brne 21f
    lds r30, motet_recorder+R_COMPARES
    tst r30
    brne 3f
21:
    sts motet_recorder+R_COMPARED, r22
    rcall motet_ring_next
    std Z+2, r22
    ldi r22, 1
    sts motet_recorder+R_COMPARES, r22
    st Z, r22
    ldi r22, EVENT_WRAPPED
    std Z+1, r22
    ldi r22, 0
    std Z+3, r22
3:
#endif
    motet_ring_next_here
    st Z, r24
    std Z+1, r21
    std Z+2, r18
    std Z+3, r19
#if MOTET_CODEC == CODEC_PLAIN
    cpi r21, EVENT_WOKE+1
    brlo 9f
#else
    cpi r21, EVENT_WOKE
    breq 9f
#endif
    rjmp motet_enter_rest

7: /* the CPU may sleep */
#ifdef MOTET_STAMP
    in r30, IO_SPL
    in r31, IO_SPH
    push r18
    push r19
    push r20
    ldd r18, Z+AT_LOW
    ldd r19, Z+AT_HIGH
#ifdef __AVR_3_BYTE_PC__
    ldd r20, Z+AT_TOP
#endif
    rcall motet_look
    pop r20
    pop r19
    pop r18
#else
    rcall motet_look
#endif
#if defined __AVR_3_BYTE_PC__ && !defined MOTET_STAMP
    in r30, IO_SPL
    in r31, IO_SPH
    ldd r20, Z+AT_TOP
#endif
    cpi r21, EVENT_WOKE
    breq 71f
    rjmp motet_enter_awake
71:
    ldi r18, 0
    ldi r19, 0
    rjmp 5b

    motet_shared motet_enter_scarce
motet_enter_scarce: /* much waits, or nothing is recorded */
#ifdef MOTET_STAMP
    lds r22, motet_recorder+R_BREATHES
    tst r22
    brne 4f
    lds r22, motet_recorder+R_FILL
    cpi r22, MOTET_URGENT
    brsh 3f
    lds r22, motet_recorder+R_STATE
    subi r22, LOSING
    cpi r22, LOST-LOSING+1
    brsh 4f
3:
    ldi r22, hi8(STAMP_SOON)
    sts CHIP_STAMP_COMPARE+1, r22
    ldi r22, lo8(STAMP_SOON)
    sts CHIP_STAMP_COMPARE, r22
4:
#endif
    rcall motet_room
    lds r20, motet_recorder+R_FILL
    brne 81f
    rjmp 6b
81:
    rjmp motet_enter_done

9:
    motet_shared motet_enter_end
motet_enter_end:
    ldi r22, 0xff /* no site has it there */
    sts motet_recorder+R_AGAIN_SITE+1, r22
    lds r22, motet_recorder+R_TAIL
    sub r20, r22
    motet_ring_wrap r20
    sts motet_recorder+R_FILL, r20
    motet_shared motet_enter_done
motet_enter_done:
    rcall motet_count_anew
    motet_enter_pops
    rjmp motet_leave

/* The second unit, and the third: the count, where that is certain the stack pointer, and what tells rounds of loops
 * apart. */
.macro motet_put_word at, low, high
    std Z+\at, \low
    std Z+\at+1, \high
.endm
.macro motet_put_stack
#ifdef MOTET_STAMP /* in a loop that polls the address; else nothing */
    ldi r18, 0
    ldi r19, 0
    lds r22, motet_uncounted
    tst r22
    breq 1f
    cpi r21, EVENT_INSIDE
    breq 1f
    movw r18, r30
    in r30, IO_SPL
    in r31, IO_SPH
    ldd r22, Z+AT_LOW
    ldd r24, Z+AT_HIGH
    movw r30, r18
    mov r18, r22
    mov r19, r24
1:
#else
    in r18, IO_SPL
    in r19, IO_SPH
    subi r18, lo8(-(AT_LOW))
    sbci r19, hi8(-(AT_LOW))
    cpi r21, EVENT_INSIDE
    brne 1f
    ldi r18, 0
    ldi r19, 0
1:
#endif
    motet_put_word 2, r18, r19
.endm
.macro motet_hash_first
#ifdef MOTET_STAMP
    ldi r18, 1
    ldi r19, 0
#else
    lds r18, motet_recorder+R_HASHED
    lds r19, motet_recorder+R_HASHED+1
#endif
.endm
.macro motet_hash_second
#ifdef MOTET_STAMP
    ldi r18, 0
#else
    lds r18, motet_recorder+R_MIXED
    lds r19, motet_recorder+R_MIXED+1
#endif
.endm
    motet_shared motet_enter_rest
motet_enter_rest:
    rcall motet_ring_next
    motet_count_now
    motet_put_word 0, r18, r19
#if MOTET_CODEC == CODEC_PLAIN
    cpi r21, EVENT_LIBRARY
    brne 2f
    motet_hash_first
    motet_put_word 2, r18, r19
    rcall motet_ring_next
    motet_hash_second
    motet_put_word 0, r18, r19
2:
    motet_put_stack
#else
    motet_put_stack
    cpi r21, EVENT_LIBRARY
    brne 2f
    rcall motet_ring_next
    motet_hash_first
    motet_put_word 0, r18, r19
    motet_hash_second
    motet_put_word 2, r18, r19
2:
#endif
    rjmp motet_enter_end

#ifndef MOTET_STAMP
/* In code that does not count registers are hashed. */
    motet_shared motet_enter_library
motet_enter_library:
    andi r24, 0x7f
    motet_enter_pops
    rcall motet_host_hash
    motet_enter_pushes
    in r30, IO_SPL
    in r31, IO_SPH
    ldd r18, Z+AT_LOW
    ldd r19, Z+AT_HIGH
#ifdef __AVR_3_BYTE_PC__
    ldd r20, Z+AT_TOP
    sbrc r20, 0
    ori r24, 0x80
#endif
    ldi r21, EVENT_LIBRARY
    rjmp motet_enter_put
#endif
    .size motet_enter, .-motet_enter
    .popsection
#endif
