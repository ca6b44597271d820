/* The range coder (coder.h) on AVR.
 *
 * A decision is taken whose probability is at Z: motet_code_one or motet_code_zero. All registers are kept but r0 and
 * r18 to r23, so that callers need few others. motet_code_raw does the same with the topmost bits of r23 and r22, as
 * many as r24 says; motet_code_tree with the lowest bits of r24, the decisions being a tree at Z, of which r25 has twice
 * the size. motet_coder_out: the highest byte of what is low comes out. */
#include "config.h"

#ifdef CODER_ASSEMBLY
#include "macros_avr.inc"

    .section .text.motet_code,"ax",@progbits
    motet_shared motet_code_raw, motet_code_tree, motet_code_one, motet_code_zero, motet_coder_out
motet_code_raw:
    lds r20, motet_coder+K_RANGE
    lds r21, motet_coder+K_RANGE+1
    rjmp 2f
1:
    lsr r21
    ror r20
    lsl r22
    rol r23
    brcc 3f
    movw r18, r20
    rcall motet_coder_add
3:
    tst r21
    brne 2f
    rcall motet_coder_settle
2:
    dec r24
    brpl 1b
    rjmp motet_coder_store

motet_code_tree:
    sec
    rol r24
1:
    lsl r24
    lsl r25
    brcc 1b
    ldi r26, 1
    adiw r30, 1
2:
    lsl r24
    breq 4f
    brcs 3f
    rcall motet_code_zero
    add r30, r26
    adc r31, r1
    lsl r26
    rjmp 2b
3:
    rcall motet_code_one
    sec
    adc r30, r26
    adc r31, r1
    sec
    rol r26
    rjmp 2b
4:
    ret

/* The range times what is at Z, through 256: r19 and r18 are for a one. Each kind of decision has it: most of the
 * encoder's time is spent here. */
motet_code_one:
    ld r22, Z
    lds r20, motet_coder+K_RANGE
    lds r21, motet_coder+K_RANGE+1
    mul r21, r22
    movw r18, r0
    mul r20, r22
    add r18, r1
    clr r1
    adc r19, r1
    movw r20, r18
    mov r23, r22
    neg r23
    swap r23
    sbrc r23, 7 /* a half, and more, of what is left over counts */
    inc r22
    andi r23, 0x0f
    add r22, r23
    st Z, r22
    rjmp motet_coder_settle

motet_code_zero:
    ld r22, Z
    lds r20, motet_coder+K_RANGE
    lds r21, motet_coder+K_RANGE+1
    mul r21, r22
    movw r18, r0
    mul r20, r22
    add r18, r1
    clr r1
    adc r19, r1
    sub r20, r18
    sbc r21, r19
    mov r23, r22
    swap r23
    sbrc r23, 7
    dec r22
    andi r23, 0x0f
    sub r22, r23
    st Z, r22
    lds r0, motet_coder+K_LOW
    add r0, r18
    sts motet_coder+K_LOW, r0
    lds r0, motet_coder+K_LOW+1
    adc r0, r19
    sts motet_coder+K_LOW+1, r0
    brcc motet_coder_settle
    rcall motet_coder_carry

motet_coder_settle:
    tst r21
    brne motet_coder_store
    mov r21, r20
    clr r20

motet_coder_out:
    push r30
    push r31
    rcall 6f
    inc r18
    sts motet_recorder+R_OUT_COUNT, r18
    lds r18, motet_coder+K_LOW+1
    st Z, r18
    lds r18, motet_coder+K_LOW
    sts motet_coder+K_LOW+1, r18
    sts motet_coder+K_LOW, r1
    pop r31
    pop r30

motet_coder_store:
    sts motet_coder+K_RANGE+1, r21
    sts motet_coder+K_RANGE, r20
    ret

/* r19 and r18 are added to what is low, and a carry goes into what has come out. */
motet_coder_add:
    lds r0, motet_coder+K_LOW
    add r0, r18
    sts motet_coder+K_LOW, r0
    lds r0, motet_coder+K_LOW+1
    adc r0, r19
    sts motet_coder+K_LOW+1, r0
    brcc 5f

motet_coder_carry:
    push r30
    push r31
    rcall 6f
4:
    ld r18, -Z
    inc r18
    st Z, r18
    breq 4b
    pop r31
    pop r30
5:
    ret
/* Z: where the next byte comes out. */
6:
    lds r18, motet_recorder+R_OUT_COUNT
    mov r30, r18
    ldi r31, 0
    subi r30, lo8(-(motet_recorder+R_OUT))
    sbci r31, hi8(-(motet_recorder+R_OUT))
    ret
#endif
