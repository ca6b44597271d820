/* The entries and interrupts of the lean recorder (lean.h) on MSP430.
 *
 * All that is common is put into the ring here, without C. An event counts from the instruction on that writes
 * R.fill: a reset before it leaves nothing of the event, one after it all. Every register and flag is as it was before
 * an entry, but for its result, and arithmetic flags, which reads clear. */
#include "macros_msp430.inc"

#ifdef LEAN

/* An event takes four units at most: so they have room if less waits, as ring_room() has it; and from AMPLE on an
 * interrupt has to look whether they have. */
#define ROOM_FOR_FOUR (MOTET_RING-6*UNIT+1)
#if MOTET_URGENT < ROOM_FOR_FOUR
#define AMPLE MOTET_URGENT
#else
#define AMPLE ROOM_FOR_FOUR
#endif

    .pushsection .text.motet_stubs,"ax",@progbits
    .global motet_stubs
    motet_shared motet_ring_begin, motet_room, motet_put8, motet_put8_room, motet_put16, motet_put16_room
    motet_shared motet_end_read, motet_count_one, motet_common
motet_stubs:

/* ---- the ring ---- */

/* r15: where the next unit goes, after reads that were only counted. */
motet_ring_begin:
    mov.b &motet_recorder+R_TAIL, r15
    add.b &motet_recorder+R_FILL, r15
#if MOTET_RING < 256
    and #MOTET_RING-1, r15
#endif
    tst.b &motet_recorder+R_AGAIN_COUNT
    jnz 1f
    ret
1:
    mov.b &motet_recorder+R_AGAIN_COUNT, motet_recorder+R_RING(r15)
    mov.b #EVENT_AGAIN, motet_recorder+R_RING+1(r15)
    clr.b &motet_recorder+R_AGAIN_COUNT
    add.b #UNIT, &motet_recorder+R_FILL
    motet_next
    ret

/* Room for four units is made, if there is none. Z: there is now, and events are recorded. */
motet_room:
    cmp.b #ROOM_FOR_FOUR, &motet_recorder+R_FILL
    jlo 1f
#ifdef ENCODES_ON
    call #motet_pay
    cmp.b #ROOM_FOR_FOUR, &motet_recorder+R_FILL
    jlo 1f
#endif
    call #motet_host_room
1:
    cmp.b #RECORDING, &motet_recorder+R_STATE
    ret

/* ---- where the recorder may go on ---- */

/* An entry: its first words are always these four (motet_inside). */
.macro motet_begins name, host=motet_host
    .global \name
    .type \name,@function
\name:
    push sr
    dint
    call #\host
.endm
#define HOST_WORDS 8 /* bytes of them */

/* What entries call first. Mostly there is nothing to do, and Z is set. Else pieces of work are done (lean.h), and Z is
 * clear. While they are the caller's registers lie on the stack, below the address in the entry, where motet_inside
 * finds them: r11 at 0, r12 at 2, r13 at 4, r14 at 6, r15 at 8, the address at 10, SR at 12. */
    motet_shared motet_host, motet_host_reads, motet_host_counted, motet_host_patiently, motet_host_idle
    motet_shared motet_host_room, motet_host_call, motet_host_end
motet_host_idle:
    mov.b #HOST_IDLES, &motet_recorder+R_PATIENT
    jmp 3f
motet_host_room:
    mov.b #HOST_ROOM, &motet_recorder+R_PATIENT
    jmp 3f
motet_host_call: /* of what r15 leads to */
    mov.b #HOST_CALL, &motet_recorder+R_PATIENT
    jmp 3f

/* A read of 16 bits at the site of the last, which gives one more than that, is only counted: firmware that reads a
 * running timer until it stands still would not come to an end if that took longer than the timer takes for a step. */
motet_host_counted:
    cmp r14, &motet_recorder+R_AGAIN_SITE
    jne motet_host_reads
    cmp r12, &motet_recorder+R_AGAIN_NEXT
    jne motet_host_reads
    and #0xf8, 2(sp)
    inc &motet_recorder+R_AGAIN_NEXT
    motet_count_anew
    inc.b &motet_recorder+R_AGAIN_COUNT
    jge 1f
    mov #-1, &motet_recorder+R_AGAIN_SITE
1:
    motet_stamp_clear
    add #2, sp
    nop
    reti

#ifndef MOTET_STAMP
/* In a function that measures the clock nothing goes on. */
    motet_shared motet_host_wrapped
motet_host_wrapped:
    tst.b &motet_recorder+R_MEASURES
    jz motet_host_patiently
    ret
#endif
motet_host_patiently:
    mov.b #HOST_PATIENT, &motet_recorder+R_PATIENT
    jmp 1f
motet_host_reads:
    motet_forget 2
motet_host:
    clr.b &motet_recorder+R_PATIENT
1:
    cmp.b #MOTET_URGENT, &motet_recorder+R_FILL
    jhs 2f
    cmp.b #RECORDING, &motet_recorder+R_STATE
    jne 2f
    tst &motet_recorder+R_HOST /* a stack pointer, or zero */
    jnz 2f
    ret
2: /* who has interrupts off is in a hurry. A timer is read last of all, so room for that is made by others */
    bit #GIE, 2(sp)
    jnz 3f
    tst.b &motet_recorder+R_LIVES
    jz 3f
#ifdef ENCODES_ON
    cmp #motet_read16+HOST_WORDS, 0(sp)
    jeq motet_host_return
    call #motet_pay
#endif
    jmp motet_host_return
3:
    push r15
    push r14
    push r13
    push r12
    push r11
    mov.b #1, &motet_recorder+R_BUSY
    cmp.b #HOST_CALL, &motet_recorder+R_PATIENT
    jne 4f
    call r15
    jmp motet_host_end
4:
    mov sp, &motet_recorder+R_CALLER
5:
    mov 12(sp), r12
    and #GIE, r12
    call #motet_host_work
    tst r12
    jz motet_host_end
    push r12
    call #motet_let_in
    pop r12
    cmp #LEAN_AGAIN, r12
    jeq 5b
    call r12 /* what is to be done (lean.h) */
    call #motet_let_in
    jmp 5b
motet_host_end:
    clr.b &motet_recorder+R_ON
    clr.b &motet_recorder+R_BUSY
    pop r11
    pop r12
    pop r13
    pop r14
    pop r15
#ifdef MOTET_STAMP
    mov #STAMP_ON, &CHIP_STAMP_BLOCK
#endif
motet_host_return:
    tst sp
    ret

/* ---- to the flash ---- */

/* A piece of work with the flash, if it is ready: mostly bytes of what is encoded (R.sending) go into the page. Where
 * interrupts may be let in, that is done before it, and after some bytes each: one that comes ends what is under way
 * (motet_inside), and the page has as many bytes as there are. For C, too, where they may not. */
#define CHUNK 4
    .global motet_flash
    .type motet_flash,@function
motet_flash:
    call #motet_flash_begin
    push r12
    call #motet_let_in_on
    pop r12
    tst.b r12
    jz 5f
    call #motet_flash_step /* a command without a byte would leave a write allowed */
1:
    mov.b &motet_recorder+R_SENDING, r14
    tst r14
    jz 7f
    cmp #CHUNK, r14
    jlo 2f
    mov #CHUNK, r14
2:
    mov.b &motet_recorder+R_OUT_FROM, r13
    mov #OUT_ROOM, r12 /* not beyond the end of what is a ring */
    sub r13, r12
    cmp r14, r12
    jhs 3f
    mov r12, r14
3:
    add #motet_recorder+R_OUT, r13
    mov r14, r12
4:
    tst.b &__IFG1 /* UTXIFG0 */
    jge 4b
    mov.b @r13, &__U0TXBUF
    inc r13
    dec r12
    jnz 4b
    sub.b r14, &motet_recorder+R_SENDING
    sub.b r14, &motet_recorder+R_OUT_COUNT
    add r14, &motet_recorder+R_PAGE_USED
    add.b r14, &motet_recorder+R_OUT_FROM
    cmp.b #OUT_ROOM, &motet_recorder+R_OUT_FROM
    jne 6f
    clr.b &motet_recorder+R_OUT_FROM
6:
    sub r14, r13
    mov &motet_recorder+R_PAGE_CHECK, r12
    call #motet_crc
    mov r12, &motet_recorder+R_PAGE_CHECK
    call #motet_let_in_on
    jmp 1b
7:
    call #motet_let_in_on
5:
    br #motet_flash_end
    .size motet_flash, .-motet_flash

#ifdef ENCODES_ON
/* ---- encoding, with interrupts on ---- */

/* The encoder has a stack of its own (R.stack). An interrupt that comes while it is at work leaves it as it is, with
 * all it needs on that stack and R.encoder leading there: r8 to r11, r13, r14, and what motet_inside finds. It goes on
 * when it is called next. `motet_encode_on` encodes until there is a piece for the flash (R.limit), or nothing waits
 * that is worth it; `motet_encode`, for C, with interrupts off, one unit, or the rest of the one under way. */
    motet_shared motet_encode_on
motet_encode_on:
    push r10
    push r9
    push r8
    mov sp, &motet_recorder+R_HOSTED
    motet_stamp_rest
    mov.b #2, &motet_recorder+R_INSIDE
    mov &motet_recorder+R_ENCODER, r15
    tst r15
    jnz motet_encode_again
    mov #motet_recorder+R_STACK_END, sp
    eint
1:
    call #motet_codec_units
motet_encode_next:
    tst.b &motet_recorder+R_INSIDE
    jz 3f
    cmp.b &motet_recorder+R_LIMIT, &motet_recorder+R_OUT_COUNT
    jhs 2f
    cmp.b #MOTET_URGENT, &motet_recorder+R_FILL
    jhs 1b
    tst.b &motet_recorder+R_PATIENT
    jz 2f
    tst.b &motet_recorder+R_FILL
    jnz 1b
2:
    dint
    nop
    clr.b &motet_recorder+R_INSIDE
3:
    mov &motet_recorder+R_HOSTED, sp
    jmp 4f

    .global motet_encode
    .type motet_encode,@function
motet_encode:
    push r10
    push r9
    push r8
    mov &motet_recorder+R_ENCODER, r15
    tst r15
    jnz 5f
    call #motet_codec_units
4:
    pop r8
    pop r9
    pop r10
    ret
5:
    mov sp, &motet_recorder+R_HOSTED
    bic #GIE, 20(r15)
motet_encode_again:
    mov r15, sp
    clr &motet_recorder+R_ENCODER
    pop r8
    pop r9
    pop r10
    pop r11
    pop r13
    pop r14
    pop r15
    add #4, sp
    pop r12
    reti
    .size motet_encode, .-motet_encode
#endif

#ifdef ENCODES_ON
/* Where interrupts are off and many events wait one is encoded, or two: firmware such as TinyOS does most of its work
 * so. If much has come out C writes some of it; while the radio has the bus it cannot. */
    motet_shared motet_pay
motet_pay:
    cmp.b #MOTET_URGENT, &motet_recorder+R_FILL
    jlo 2f
    cmp.b #RECORDING, &motet_recorder+R_STATE
    jne 2f
    cmp.b #OUT_ROOM-2*CODEC_MOST+1, &motet_recorder+R_OUT_COUNT
    jhs motet_host_room
    cmp.b #2*PIECE, &motet_recorder+R_OUT_COUNT
    jlo 3f
    bit.b #RADIO_CS, &__P4OUT
    jnz motet_host_room
3:
    push r15
    push r14
    push r13
    push r12
    push r11
    mov.b #1, &motet_recorder+R_BUSY
    call #motet_encode
    cmp.b #MOTET_URGENT+4*UNIT, &motet_recorder+R_FILL
    jlo 1f
    call #motet_encode
1:
    clr.b &motet_recorder+R_BUSY
    pop r11
    pop r12
    pop r13
    pop r14
    pop r15
2:
    ret
#endif

/* Interrupts are let in once, but that of the timer for stamps (lean.h). */
    motet_shared motet_let_in, motet_let_in_on
motet_let_in_on: /* where that may be */
    tst.b &motet_recorder+R_ON
    jnz motet_let_in
    ret
motet_let_in:
    motet_stamp_rest
    mov.b #1, &motet_recorder+R_INSIDE
    eint
    nop
    dint
    nop
    clr.b &motet_recorder+R_INSIDE
    ret

/* Whether an interrupt came, where the caller has interrupts off: it must not sleep then. */
    motet_begins motet_idle, motet_host_idle
    push r15
    mov.b &motet_recorder+R_CAME, r12
    bit #GIE, 2(sp)
    jz motet_end_read
    clr r12
    jmp motet_end_read
    .size motet_idle, .-motet_idle

/* An interrupt came while they were let in. It comes once more, where the entry begins, with all registers and the
 * stack as the caller of the entry has them: handlers that are interrupted themselves must look as they do in
 * replay, where they come at the entry, and return to it. */
    motet_shared motet_inside
motet_inside:
    mov 4(sp), &motet_recorder+R_STUB
    mov.b r12, &motet_recorder+R_VECTOR
#ifdef ENCODES_ON
    bit.b #2, &motet_recorder+R_INSIDE
    jz 1f
    push r14
    push r13
    push r11
    push r10
    push r9
    push r8
    mov sp, &motet_recorder+R_ENCODER
    mov &motet_recorder+R_HOSTED, sp
    pop r8
    pop r9
    pop r10
1:
#endif
    mov &motet_recorder+R_CALLER, sp
    clr.b &motet_recorder+R_INSIDE
    clr.b &motet_recorder+R_ON
    tst.b &motet_recorder+R_HOLDS
    jz 2f
    call #motet_flash_end
2:
    clr.b &motet_recorder+R_BUSY
    sub #HOST_WORDS, 10(sp)
    mov 10(sp), &motet_recorder+R_WINDOW
    pop r11
    pop r12
    pop r13
    pop r14
    pop r15
    add #2, sp
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
    push sr
    push r15
    jmp motet_entered
7: /* motet_idle called with interrupts off */
    dint
    nop
    jmp motet_idle

/* ---- reads, and steps ---- */

/* A read of 8 bits, as motet_read8 is given it: at the site of the last it goes into the unit of that. Z: there is
 * room. Changes r15. */
motet_put8:
    jz 1f
motet_put8_room:
    call #motet_room
    jne motet_put_none
1:
    push r14
    bis #WIDE, r14
    cmp r14, &motet_recorder+R_AGAIN_SITE
    jne 3f
    mov &motet_recorder+R_AGAIN_NEXT, r15
    cmp #-1, r15
    jeq 4f
    mov.b motet_recorder+R_RING(r15), r14
    cmp.b #-1, r14
    jeq 4f
    sub #2, r14
    and #UNIT-1, r14
    jnz 2f
    mov.b #1, &motet_recorder+R_BUSY /* two bytes are written */
    add.b #UNIT, &motet_recorder+R_FILL
2:
    add.b &motet_recorder+R_TAIL, r14
    add.b &motet_recorder+R_FILL, r14
    sub.b #UNIT, r14
#if MOTET_RING < 256
    and #MOTET_RING-1, r14
#endif
    mov.b r12, motet_recorder+R_RING(r14)
    and.b r13, motet_recorder+R_RING(r14)
    inc.b motet_recorder+R_RING(r15)
    clr.b &motet_recorder+R_BUSY
    pop r14
motet_put_none:
    motet_count_anew
    ret
4:
    call #motet_ring_begin
    mov r15, &motet_recorder+R_AGAIN_NEXT
    mov #EVENT_AGAIN << 8 | AGAIN | 1, motet_recorder+R_RING(r15)
    jmp 5f
3:
    call #motet_ring_begin
    mov r14, &motet_recorder+R_AGAIN_SITE
    mov #-1, &motet_recorder+R_AGAIN_NEXT
    mov 0(sp), motet_recorder+R_RING(r15)
5:
    mov.b r12, r14
    and.b r13, r14
    mov r14, motet_recorder+R_RING+2(r15)
    add.b #UNIT, &motet_recorder+R_FILL
    pop r14
    motet_count_anew
    ret

/* Of 16 bits. */
motet_put16:
    jz 1f
motet_put16_room:
    call #motet_room
    jne motet_put_none
1:
    call #motet_ring_begin
    mov r14, motet_recorder+R_RING(r15)
    bis #WIDE, motet_recorder+R_RING(r15)
    mov #-1, &motet_recorder+R_AGAIN_SITE
    cmp #-1, r13
    jne 2f
    mov r14, &motet_recorder+R_AGAIN_SITE
2:
    clr.b &motet_recorder+R_COMPARES
    motet_count_anew
    tst r14
    jge 3f
    mov 2(sp), r13 /* as late as can be: the application may set an alarm by it a tick or two later */
    bit #1, r13
    jz 5f
    dec r13 /* until it is the same twice */
4:
    mov @r13, r12
    cmp @r13, r12
    jne 4b
    jmp 6f
5:
    mov @r13, r12
6:
    mov #-1, r13
3:
    mov r12, motet_recorder+R_RING+2(r15)
    and r13, motet_recorder+R_RING+2(r15)
    mov r12, &motet_recorder+R_AGAIN_NEXT
    inc &motet_recorder+R_AGAIN_NEXT
    add.b #UNIT, &motet_recorder+R_FILL
    ret

    motet_begins motet_read8, motet_host_reads
    push r15
    call #motet_put8
motet_end_read:
    motet_stamp_clear
    pop r15
    reti
    .size motet_read8, .-motet_read8

/* A timer is read here once more (motet_put16): its site has the top bit set, and its address is in r15, plus one if it
 * has to be the same twice. */
    .global motet_timer16
    .set motet_timer16, motet_read16
    motet_begins motet_read16, motet_host_counted
    push r15
    call #motet_put16
    jmp motet_end_read
    .size motet_read16, .-motet_read16

/* One more exit that recorded nothing; for C; the count has come round. */
motet_count_one:
    inc &motet_count
    jnz motet_end_read
motet_count_wraps:
    call #motet_wraps
    jmp motet_end_read
    .global motet_counts
    .type motet_counts,@function
motet_counts:
    inc &motet_count
    jz motet_wraps
    ret
    .size motet_counts, .-motet_counts
    motet_shared motet_wraps
motet_wraps:
    call #motet_room
    jne motet_put_none
    call #motet_ring_begin
    mov #-1, &motet_recorder+R_AGAIN_SITE
    mov #EVENT_WRAPPED << 8, motet_recorder+R_RING(r15)
    clr motet_recorder+R_RING+2(r15)
    add.b #UNIT, &motet_recorder+R_FILL
    jmp motet_put_none

/* Only what lies among the registers is recorded. */
.macro motet_pointer name, put, load
    .pushsection .text.motet_stubs.\name,"ax",@progbits
    motet_begins \name
    push r15
    push r14
    push r13
    mov r12, r15
    mov r13, r14
    \load @r12, r12
    cmp #CHIP_REGISTER_END, r15
    jhs 1f
    mov #-1, r13
    call #\put
    pop r13
    pop r14
    br #motet_end_read
1:
    pop r13
    pop r14
    br #motet_count_one
    .size \name, .-\name
    .popsection
.endm
#ifndef MOTET_WITHOUT_POINTER8
    motet_pointer motet_pointer8, motet_put8_room, mov.b
#endif
#ifndef MOTET_WITHOUT_POINTER16
    motet_pointer motet_pointer16, motet_put16_room, mov
#endif

#ifdef MOTET_STAMP
/* Halfway round, with interrupts on (stamp_msp430.S). */
    motet_begins motet_breathe, motet_host_patiently
    push r15
    clr.b &motet_recorder+R_BREATHES
    jmp motet_count_one
    .size motet_breathe, .-motet_breathe
/* After a loop that polls. */
    .global motet_polled
    .type motet_polled,@function
motet_polled:
    push sr
    dint
    motet_forget 0
    push r15
    dec.b &motet_uncounted
    jmp motet_count_one
    .size motet_polled, .-motet_polled
#else
/* The low byte of the count has come round: the high one counts that. */
    .pushsection .text.motet_stubs.motet_wrapped,"ax",@progbits
    motet_begins motet_wrapped, motet_host_wrapped
    push r15
    inc.b &motet_count+1
    jz 1f
    pop r15
    reti
1:
    br #motet_count_wraps
    .size motet_wrapped, .-motet_wrapped
    .global motet_measuring
    .set motet_measuring, motet_recorder+R_MEASURES
    .popsection
#endif

/* On to C, whose address is in r15, which is pushed. */
motet_common:
    call #motet_host_call
    jmp motet_end_read

/* ---- interrupts ---- */

/* The stub of a vector has pushed r12 and put the vector's number there; interrupts are off. With SR and r15 pushed r12
 * of the application lies at 6, the interrupted SR at 8, PC at 10. */
    .global motet_enter
    .type motet_enter,@function
motet_enter:
    push sr
    push r15
#ifdef MOTET_STAMP /* an interrupt that has ended sleep needs no cycles */
    bit #CPUOFF, 8(sp)
    jnz motet_entered
    mov &CHIP_STAMP_CONTROL, &motet_stamp+2
    mov &CHIP_STAMP_COUNT, &motet_stamp
#endif
    motet_shared motet_entered
motet_entered:
    tst.b &motet_recorder+R_INSIDE
    jnz motet_inside
    inc.b &motet_recorder+R_ENTERED
    mov.b #1, &motet_recorder+R_LIVES
#ifdef MOTET_STAMP
    bit #CPUOFF, 8(sp)
    jnz 2f
    mov &motet_stamp+2, r15 /* where the timer cannot tell (stamp_msp430.h) something is lost */
    bic #1, r15
    cmp #STAMP_RUNS, r15
    jne 1f
    bit #SCG1, 8(sp)
    jnz 1f
    bit.b #0xfe, &CHIP_STAMP_CLOCKS
    jz 2f
1:
    cmp.b #RECORDING, &motet_recorder+R_STATE
    jne 2f
    inc.b &motet_recorder+R_STATE
2:
    tst.b &motet_recorder+R_BREATHES
    jnz 4f
    cmp.b #MOTET_URGENT, &motet_recorder+R_FILL
    jhs 3f
    mov.b &motet_recorder+R_STATE, r15
    sub #LOSING, r15
    cmp #LOST-LOSING+1, r15
    jhs 4f
3:
    mov #STAMP_SOON, &CHIP_STAMP_COMPARE
4:
#endif
    cmp.b #RECORDING, &motet_recorder+R_STATE
    jne 1f
    cmp.b #AMPLE, &motet_recorder+R_FILL
    jlo 2f
1:
    call #motet_room
    jne 9f
2:
    call #motet_ring_begin
    mov #-1, &motet_recorder+R_AGAIN_SITE

/* Where the timer stood whose compare register fired, unless that captures; mostly it is known. Not of the timer that
 * tells cycles, of which replay knows nothing. */
#if MOTET_CODEC != CODEC_PLAIN && CHIP_COMPARE_COUNT > 0
#if CHIP_COMPARE_COUNT > 2
#error "more than two compare registers: write here which of them fired"
#endif
.macro motet_put_compare control, at
    bit #0x100, &\control
    jnz 8f
    mov &\at, motet_recorder+R_RING+2(r15)
.endm
#if CHIP_COMPARE_COUNT == 2
    cmp #CHIP_COMPARE_0_VECTOR, r12
    jeq 1f
    cmp #CHIP_COMPARE_1_VECTOR, r12
    jne 8f
    motet_put_compare CHIP_COMPARE_1_CONTROL, CHIP_COMPARE_1_AT
    jmp 2f
1:
#else
    cmp #CHIP_COMPARE_0_VECTOR, r12
    jne 8f
#endif
    motet_put_compare CHIP_COMPARE_0_CONTROL, CHIP_COMPARE_0_AT
2:
    tst.b &motet_recorder+R_COMPARES
    jz 3f
    cmp motet_recorder+R_RING+2(r15), &motet_recorder+R_COMPARED
    jeq 8f
3:
    mov.b #1, &motet_recorder+R_COMPARES
    mov motet_recorder+R_RING+2(r15), &motet_recorder+R_COMPARED
    mov #EVENT_WRAPPED << 8 | 2, motet_recorder+R_RING(r15)
    motet_next
8:
#endif
    bit #CPUOFF, 8(sp)
    jnz 5f
#ifdef MOTET_STAMP
    push r14
    bis #EVENT_INTERRUPT << 8, r12
    mov &motet_stamp, r14 /* cycles for the address */
    cmp &motet_stamp+4, r14
    jlo 3f
    bit #1, &motet_stamp+2
    jz 3f
    bic #1 << 8, r12 /* and one more bit of them for the hash: EVENT_LIBRARY */
3:
    sub &motet_stamp+4, r14
    jnz 4f
    bit #1 << 8, r12
    jz 4f
    bic #3 << 8, r12 /* EVENT_INSIDE */
#if MOTET_CODEC == CODEC_PLAIN
    mov r12, motet_recorder+R_RING(r15)
    motet_put_count 2
    pop r14
    jmp 6f
#endif
4:
    mov r12, motet_recorder+R_RING(r15)
    mov r14, motet_recorder+R_RING+2(r15)
    motet_next
    motet_put_count 0
#if MOTET_CODEC == CODEC_PLAIN
    bit #1 << 8, r12
    jnz 3f
    mov #1, motet_recorder+R_RING+2(r15)
    motet_next
    clr motet_recorder+R_RING(r15)
3:
#endif
    clr r14
    tst.b &motet_uncounted
    jz 7f
    mov 12(sp), r14 /* the address for the stack pointer, where only that is certain */
7:
#if MOTET_CODEC == CODEC_PLAIN
    mov r14, motet_recorder+R_RING+2(r15)
    pop r14
    jmp 6f
#else
    bit #2 << 8, r12
    jnz 8f
    clr r14
8:
    mov r14, motet_recorder+R_RING+2(r15)
    pop r14
    bit #1 << 8, r12
    jnz 6f
    bit #2 << 8, r12
    jz 6f
    motet_next
    mov #1, motet_recorder+R_RING(r15)
    clr motet_recorder+R_RING+2(r15)
    jmp 6f
#endif
#else
    cmp #motet_library, 10(sp)
    jhs 7f
    cmp #motet_stubs, 10(sp)
    jhs 4f
    tst.b &motet_uncounted
    jnz 7f
3:
    bis #EVENT_INTERRUPT << 8, r12
8:
    mov r12, motet_recorder+R_RING(r15)
    mov 10(sp), motet_recorder+R_RING+2(r15)
    motet_next
    motet_put_count 0
    mov sp, motet_recorder+R_RING+2(r15)
    add #12, motet_recorder+R_RING+2(r15)
    bit #1 << 8, r12
    jnz 6f
#if MOTET_CODEC == CODEC_PLAIN /* the stack pointer last, and the hash before it */
    push r14
    mov motet_recorder+R_RING+2(r15), r14
    push r14
    mov r15, r14
    motet_next
    mov motet_recorder+R_RING(r15), motet_recorder+R_RING+2(r14)
    mov motet_recorder+R_RING+2(r15), motet_recorder+R_RING(r15)
    mov 0(sp), motet_recorder+R_RING+2(r15)
    add #2, sp
    pop r14
#else
    motet_next
#endif
    jmp 6f
7: /* in code that does not count: registers are hashed, r4 to r15, and what lies on top of the stack (port.h, mix.h) */
    push r14
    push r13
    push r13
    mov 12(sp), 0(sp) /* r12 */
    push r11
    push r10
    push r9
    push r8
    push r7
    push r6
    push r5
    push r4
    mov sp, r11
    mov #12, r10
    clr r13
    clr r14
1:
    rla r13
    adc r13
    add @r11+, r13
    swpb r14
    xor r13, r14
    dec r10
    jnz 1b
    mov.b r15, r10 /* the third unit */
    add.b #2*UNIT, r10
#if MOTET_RING < 256
    and #MOTET_RING-1, r10
#endif
    mov r13, motet_recorder+R_RING(r10)
    cmp #CHIP_RAM_LAST+1-2-34+1, sp
    jhs 2f
    mov.b 34(sp), r13
    xor.b 35(sp), r13
    xor r13, r14
2:
    mov r14, motet_recorder+R_RING+2(r10)
    add #12, sp
    pop r10
    pop r11
    add #2, sp
    pop r13
    pop r14
    bis #EVENT_LIBRARY << 8, r12
    jmp 8b
4: /* in the recorder: at the entry, or after that has pushed the status; or in what replay does not execute */
    tst.b &motet_recorder+R_MEASURES
    jnz 3b
    push r14
    mov 12(sp), r14
    cmp #PUSH_SR, -2(r14)
    jeq 1f
    cmp #PUSH_SR, -4(r14)
1:
    pop r14
    jeq 3b
    bis #EVENT_INSIDE << 8, r12
    mov r12, motet_recorder+R_RING(r15)
#if MOTET_CODEC == CODEC_PLAIN
    motet_put_count 2
#else
    clr motet_recorder+R_RING+2(r15)
    motet_next
    motet_put_count 0
    clr motet_recorder+R_RING+2(r15)
#endif
    jmp 6f
#endif
5:
    bis #EVENT_WOKE << 8, r12
    mov r12, motet_recorder+R_RING(r15)
    clr motet_recorder+R_RING+2(r15)
6:
    motet_next
    sub.b &motet_recorder+R_TAIL, r15
#if MOTET_RING < 256
    and #MOTET_RING-1, r15
#endif
    mov.b r15, &motet_recorder+R_FILL
9:
    motet_count_anew
#ifdef MOTET_STAMP
    mov #STAMP_ON, &CHIP_STAMP_BLOCK
#endif
    motet_stamp_clear
    pop r15
    pop sr
    ret
    .size motet_enter, .-motet_enter

/* ---- the others ---- */

#ifndef MOTET_WITHOUT_BLOCK
    motet_entry motet_block, motet_block_work /* nothing goes on in it: routines call it that replay leaves out */
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
