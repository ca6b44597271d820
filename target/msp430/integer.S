/* Arithmetic the CPU has no instruction for, as the compiler calls it (MSP430 EABI, SLAA534, section 6): arguments from
 * r12 on, results in r12 and r13, r11 to r15 free to use. The 64-bit functions take their first operand in r8 to r11,
 * which must survive, and the second in r12 to r15; they hand over to C functions with the operands swapped. (Not so
 * __mspabi_mpyll_hw: clang calls it as any C function.)
 */
    .macro function name
    .section .text.\name, "ax", @progbits
    .globl \name
    .type \name, @function
\name:
    .endm

/* ---- multiplication ---- */

    function __mspabi_mpyi
    mov r12, r14
    clr r12
1:  clrc
    rrc r13
    jnc 2f
    add r14, r12
2:  rla r14
    tst r13
    jnz 1b
    ret

    function __mspabi_mpyl
    push r9
    push r10
    mov r12, r9
    mov r13, r10
    clr r12
    clr r13
1:  clrc
    rrc r15
    rrc r14
    jnc 2f
    add r9, r12
    addc r10, r13
2:  rla r9
    rlc r10
    mov r14, r11
    bis r15, r11
    tst r11
    jnz 1b
    pop r10
    pop r9
    ret

/* With the hardware multiplier: MPY 0x130, MAC 0x134, OP2 0x138, RESLO 0x13a, RESHI 0x13c. Interrupts are held off,
 * since a handler may multiply too. */
    function __mspabi_mpyi_hw
    push r2
    dint
    nop
    mov r12, &0x0130
    mov r13, &0x0138
    mov &0x013a, r12
    pop r2
    ret

    function __mspabi_mpyl_hw
    push r2
    dint
    nop
    mov r12, &0x0130
    mov r14, &0x0138
    mov r12, &0x0134
    mov &0x013a, r12
    mov &0x013c, &0x013a
    mov r15, &0x0138
    mov r13, &0x0134
    mov r14, &0x0138
    mov &0x013a, r13
    pop r2
    ret

/* ---- division: quotients in r12 (and r13), remainders in r14 (and r15) ---- */

    function __motet_divide16
    clr r14
    mov #16, r15
1:  rla r12
    rlc r14
    jc 2f
    cmp r13, r14
    jlo 3f
2:  sub r13, r14
    bis #1, r12
3:  dec r15
    jnz 1b
    ret

    function __mspabi_divu
    br #__motet_divide16

    function __mspabi_remu
    call #__motet_divide16
    mov r14, r12
    ret

/* Signed: the quotient is negative if the signs differ, the remainder has the dividend's sign. */
    function __motet_divide16_signed
    mov r12, r11
    tst r12
    jge 1f
    inv r12
    inc r12
1:  tst r13
    jge 2f
    inv r13
    inc r13
    push r11
    inv 0(r1)
    jmp 3f
2:  push r11
3:  call #__motet_divide16
    tst r11
    jge 4f
    inv r14
    inc r14
4:  pop r11
    tst r11
    jge 5f
    inv r12
    inc r12
5:  ret

    function __mspabi_divi
    br #__motet_divide16_signed

    function __mspabi_remi
    call #__motet_divide16_signed
    mov r14, r12
    ret

    function __motet_divide32
    push r9
    push r10
    mov r14, r9
    mov r15, r10
    clr r14
    clr r15
    mov #32, r11
1:  rla r12
    rlc r13
    rlc r14
    rlc r15
    jc 2f
    cmp r10, r15
    jlo 3f
    jne 2f
    cmp r9, r14
    jlo 3f
2:  sub r9, r14
    subc r10, r15
    bis #1, r12
3:  dec r11
    jnz 1b
    pop r10
    pop r9
    ret

    function __mspabi_divul
    br #__motet_divide32

    function __mspabi_remul
    call #__motet_divide32
    mov r14, r12
    mov r15, r13
    ret

    function __motet_divide32_signed
    push r13
    push r13
    tst r13
    jge 1f
    inv r12
    inv r13
    inc r12
    adc r13
1:  tst r15
    jge 2f
    inv r14
    inv r15
    inc r14
    adc r15
    inv 0(r1)
2:  call #__motet_divide32
    pop r11
    tst r11
    jge 3f
    inv r12
    inv r13
    inc r12
    adc r13
3:  pop r11
    tst r11
    jge 4f
    inv r14
    inv r15
    inc r14
    adc r15
4:  ret

    function __mspabi_divli
    br #__motet_divide32_signed

    function __mspabi_remli
    call #__motet_divide32_signed
    mov r14, r12
    mov r15, r13
    ret

/* ---- shifts of 32 bits by r14 ---- */

    function __mspabi_slll
    and #63, r14
    jz 2f
1:  rla r12
    rlc r13
    dec r14
    jnz 1b
2:  ret

    function __mspabi_sral
    and #63, r14
    jz 2f
1:  rra r13
    rrc r12
    dec r14
    jnz 1b
2:  ret

    function __mspabi_srll
    and #63, r14
    jz 2f
1:  clrc
    rrc r13
    rrc r12
    dec r14
    jnz 1b
2:  ret

/* ---- 64 bits ---- */

    .macro wide name, to
    function \name
    push r11
    push r10
    push r9
    push r8
    call #\to
    add #8, r1
    ret
    .endm

    wide __mspabi_mpyll, __motet_mpyll
    wide __mspabi_divull, __motet_divull
    wide __mspabi_remull, __motet_remull
    wide __mspabi_divlli, __motet_divlli
    wide __mspabi_remlli, __motet_remlli
    wide __mspabi_addd, __motet_addd
    wide __mspabi_subd, __motet_subd
    wide __mspabi_mpyd, __motet_mpyd
    wide __mspabi_divd, __motet_divd
    wide __mspabi_cmpd, __motet_cmpd
