/* Start and end of an MSP430 firmware.
 *
 * The watchdog runs from reset and is held here, as every MSP430 C runtime does: clearing a large .bss may outlast it.
 * Variables get their first values, main runs, and what it returns is the firmware's status, in r12, where Motet looks
 * for it when the CPU goes off for good at __stop_program.
 */
    .section .start, "ax", @progbits
    .globl __start
    .type __start, @function
__start:
    mov #__stack, r1
    mov #0x5a80, &0x0120 /* WDTCTL = WDTPW | WDTHOLD */
    mov #__data_start, r12
    mov #__data_load, r13
1:  cmp #__data_end, r12
    jhs 2f
    mov @r13+, r14
    mov r14, 0(r12)
    incd r12
    jmp 1b
2:  mov #__bss_start, r12
3:  cmp #__bss_end, r12
    jhs 4f
    clr 0(r12)
    incd r12
    jmp 3b
4:  call #main
    br #exit
    .size __start, . - __start

/* void _exit(int status) */
    .section .text._exit, "ax", @progbits
    .globl _exit
    .type _exit, @function
    .globl __stop_program
    .type __stop_program, @function
_exit:
    dint
    nop
__stop_program:
    bis #0x10, r2 /* CPUOFF */
    jmp __stop_program
    .size _exit, . - _exit

/* Where interrupts without a handler go: the name shows in a backtrace. link.x knows its address. */
    .section .unhandled, "ax", @progbits
    .type __unhandled_interrupt, @function
__unhandled_interrupt:
    jmp __unhandled_interrupt
    .size __unhandled_interrupt, . - __unhandled_interrupt
