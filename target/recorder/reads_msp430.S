/* codec_units() of the motet codec (codec_motet.c) on MSP430: what changes with each read stays in registers.
 *
 * r4: the unit, r5: recent, r6: longer, r7: check, r8: hits, r9: site, r10: value, r11: so many more. Of a read: r12:
 * its symbol, r13: what goes into the history, r15: its place in the table. Invariant: it encodes what codec_reads() in C
 * does (tests/unit/codec_motet.c). */
#include "config.h"

#ifdef CODER_ASSEMBLY
#include "motet_offsets.h"

    .section .text.motet_codec_units,"ax",@progbits
    .global motet_codec_units
    .type motet_codec_units,@function
motet_codec_units:
    call #motet_push_rest
0:
    mov &motet_recorder+R_FILL, r11 /* how many units there are, up to 16 */
    rra r11
    rra r11
    jz 17f
    cmp #16, r11
    jlo 14f
    mov #16, r11
14:
    mov &motet_codec+C_SITE, r9
    mov &motet_codec+C_VALUE, r10
    mov.b &motet_codec+C_HITS, r8
    mov.b &motet_codec+C_RECENT, r5
    mov.b &motet_codec+C_LONGER, r6
    mov &motet_codec+C_CHECK, r7
    mov &motet_recorder+R_TAIL, r4
    add #motet_recorder+R_RING, r4
1:
    tst &motet_codec+C_LEFT
    jnz 20f
    mov @r4+, r13
    cmp #EVENT_AGAIN << 8, r13
    jhs 30f
    mov r13, r9
    mov @r4+, r10
2: /* the unit is over */
    cmp #motet_recorder+R_RING+MOTET_RING, r4
    jne 3f
    mov #motet_recorder+R_RING, r4
3:
    mov r10, r12 /* the symbol */
    mov r9, r14
    and #SITE_CLASS << 8, r14
    cmp #SITE_TIMER << 8, r14
    jeq 4f
    inc.b &motet_codec+C_POSITION
    mov.b r10, r13 /* what goes into the history */
    mov.b r5, r14 /* and which of them counts */
    jmp 6f
4: /* of a timer */
    clr.b &motet_codec+C_POSITION
    mov.b r9, r13
    mov.b r6, r14
    tst r9
    jn 5f
    sub &motet_codec+C_NARROW, r12
    mov r10, &motet_codec+C_NARROW
    mov.b r12, r12
    jmp 6f
5:
    sub &motet_codec+C_WIDE, r12
    mov r10, &motet_codec+C_WIDE
6:
    xor.b r9, r14
#if MOTET_PLACES == 128
    and #MOTET_PLACES-1, r14
#endif
    mov r14, r15 /* the place */
    rla.b r5
    rla.b r5
    rla.b r5
    rla.b r5
    xor.b r13, r5
    rla.b r6
    rla.b r6
    rla.b r6
    xor.b r13, r6
    mov r12, r13
    add r7, r13
    rla r7
    add r13, r7
    rla r14
    mov motet_codec+C_TABLE(r14), r14
    tst r14
    jge 10f
    mov r12, r13
    add #SYMBOL_SIGN, r13 /* so that it is below 0x4000, if it can be certain */
    xor r14, r13
    cmp #SURE|SYMBOL_SIGN, r13
    jne 18f
7: /* as was certain */
    inc.b r8
    cmp.b #-1, r8
    jeq 11f
8:
    dec.b r11
    jnz 1b
    jmp 15f
18:
    push r11
    mov #STEP_WRONG, r13
    call #19f
    call #motet_encode_check
    jmp 12f
19:
    mov.b r8, &motet_codec+C_HITS
    mov.b r6, &motet_codec+C_LONGER
    mov r7, &motet_codec+C_CHECK
    push r12
    push r15
    mov r13, r12
    mov.b #-1, r13
    call #motet_encode_step
    pop r13
    pop r14
    mov r9, r12
    br #motet_encode_unsure
10:
    push r11
    mov r9, r14
    rla r14
    clr r13
    rla r14
    rlc r13
    rla r14
    rlc r13
    call #19b
    jmp 12f
11:
    mov r7, &motet_codec+C_CHECK
    mov.b r8, &motet_codec+C_HITS
    push r11
    call #motet_encode_nothing
12:
    clr r8
    pop r11
    cmp.b &motet_recorder+R_OUT_COUNT, &motet_recorder+R_OUT_MOST /* what else to wait for changes with the ring */
    jhs 8b
15:
    mov r9, &motet_codec+C_SITE
    mov r10, &motet_codec+C_VALUE
    mov.b r8, &motet_codec+C_HITS
    mov.b r5, &motet_codec+C_RECENT
    mov.b r6, &motet_codec+C_LONGER
    mov r7, &motet_codec+C_CHECK
    mov r4, r12
    call #motet_ring_take_to
    call #motet_encoding_waits
    tst.b r12
    jz 0b
17:
    call #motet_pop_rest
    ret
20: /* one of several reads */
    mov.b &motet_codec+C_AT, r14
    cmp.b #COUNTED, r14
    jeq 21f
    mov r4, r15
    add r14, r15
    mov.b @r15, r10
    inc.b r14
    mov.b r14, &motet_codec+C_AT
    jmp 22f
21:
    inc r10
22:
    dec &motet_codec+C_LEFT
    jz 23f
    cmp.b #UNIT, r14
    jne 3b
23:
    clr.b &motet_codec+C_AT
    add #UNIT, r4
    jmp 2b
30: /* no read */
    mov r13, r14
    swpb r14
    cmp.b #EVENT_WOKE, r14
    jne 31f
    mov.b r13, r10 /* but waking up, which counts as one */
    mov #SITE_WAKE, r9
    add #2, r4
    jmp 2b
31:
    cmp.b #EVENT_WRAPPED, r14
    jne 32f
    tst.b r13
    jz 32f
    mov @r4+, r14
    mov r14, &motet_codec+C_WIDE /* where a timer of 16 bits stood: all are */
    cmp #motet_recorder+R_RING+MOTET_RING, r4
    jne 8b
    mov #motet_recorder+R_RING, r4
    jmp 8b
32: /* an event, of one unit or several */
    sub #2, r4
    mov r9, &motet_codec+C_SITE
    mov.b r8, &motet_codec+C_HITS
    mov.b r5, &motet_codec+C_RECENT
    mov.b r6, &motet_codec+C_LONGER
    mov r7, &motet_codec+C_CHECK
    push r11
    mov r4, r12
    call #motet_encode_event
    pop r11
    mov &motet_codec+C_SITE, r9
    mov.b &motet_codec+C_HITS, r8
    mov.b &motet_codec+C_RECENT, r5
    mov.b &motet_codec+C_LONGER, r6
    mov &motet_codec+C_CHECK, r7
    mov r12, r14
    sub r4, r14
    jhs 33f
    add #MOTET_RING, r14
33:
    mov r12, r4
    rra r14
    rra r14
    cmp.b &motet_recorder+R_OUT_COUNT, &motet_recorder+R_OUT_MOST
    jlo 15b
    sub.b r14, r11
    jz 15b
    jge 1b
    jmp 15b
    .size motet_codec_units, .-motet_codec_units
#endif
