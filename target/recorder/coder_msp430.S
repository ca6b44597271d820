/* The range coder (coder.h) on MSP430, with its multiplier.
 *
 * A decision is taken whose probability is at r12: motet_code_one or motet_code_zero. All registers are kept but r11
 * and r13 to r15. motet_code_raw does the same with the topmost bits of r13, as many as r12 says; motet_code_tree with
 * the lowest bits of r14, the decisions being a tree at r12, of which r13 has twice the size. motet_coder_out: the
 * highest byte of what is low comes out. Invariant: from motet_product on, motet_product_size bytes, the multiplier is
 * in no other use; an interrupt there leads back to the beginning (worker_msp430.S). */
#include "config.h"

#ifdef CODER_ASSEMBLY
#include "macros_msp430.inc"

    .section .text.motet_code,"ax",@progbits
    motet_shared motet_code_raw, motet_code_tree, motet_code_one, motet_code_zero, motet_coder_out
    motet_shared motet_product, motet_product_size
motet_code_raw:
    mov &motet_coder+K_RANGE, r15
    jmp 3f
1:
    clrc
    rrc r15
    rla r13
    jnc 2f
    add r15, &motet_coder+K_LOW
    jnc 2f
    call #motet_coder_carry
2:
    cmp #0x100, r15
    jhs 3f
    call #motet_coder_settle
3:
    dec.b r12
    jge 1b
    mov r15, &motet_coder+K_RANGE
    ret

motet_code_tree:
    push r10
    push r9
    setc
    rlc.b r14
1:
    rla.b r14
    rla.b r13
    jnc 1b
    mov.b r14, r10
    mov #1, r9
    inc r12
2:
    rla.b r10
    jz 4f
    jc 3f
    call #motet_code_zero
    add r9, r12
    rla r9
    jmp 2b
3:
    call #motet_code_one
    add r9, r12
    inc r12
    rla r9
    inc r9
    jmp 2b
4:
    pop r9
    pop r10
    ret

motet_code_one:
    setc
    jmp 1f
motet_code_zero:
    clrc
1: /* C says which, and stays until it is asked for */
    mov.b @r12, r13
    mov r13, r14
    swpb r14
    mov &motet_coder+K_RANGE, r15
motet_product:
    mov r15, &CHIP_MULTIPLIER
    mov r14, &CHIP_MULTIPLIER+8
    mov &CHIP_MULTIPLIER+0xc, r11 /* the range times p / 256 is for a one */
    .set motet_product_size, .-motet_product
    jc 2f
    rrc.b r13
    rra.b r13
    rra.b r13
    rra.b r13
    adc.b r13 /* a half, and more, of what is left over counts */
    sub.b r13, 0(r12)
    sub r11, r15
    add r11, &motet_coder+K_LOW
    jnc motet_coder_settle
    call #motet_coder_carry
    jmp motet_coder_settle
2:
    inv.b r13
    inc.b r13 /* never zero: C is clear */
    rrc.b r13
    rra.b r13
    rra.b r13
    rra.b r13
    addc.b r13, 0(r12)
    mov r11, r15

motet_coder_settle:
    mov r15, &motet_coder+K_RANGE
    cmp #0x100, r15
    jhs 3f
    swpb r15
    mov r15, &motet_coder+K_RANGE

motet_coder_out:
    mov.b &motet_recorder+R_OUT_COUNT, r11
    mov.b &motet_coder+K_LOW+1, motet_recorder+R_OUT(r11)
    inc.b &motet_recorder+R_OUT_COUNT
    mov.b &motet_coder+K_LOW, r11
    swpb r11
    mov r11, &motet_coder+K_LOW
3:
    ret

motet_coder_carry:
    mov.b &motet_recorder+R_OUT_COUNT, r11
4:
    dec r11
    inc.b motet_recorder+R_OUT(r11)
    jz 4b
    ret
#endif
