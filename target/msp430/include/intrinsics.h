/* What msp430mcu's headers expect of the compiler, for clang; takes the place of msp430mcu's file of this name. */
#ifndef INTRINSICS_H
#define INTRINSICS_H

#ifndef __ASSEMBLER__

typedef unsigned __istate_t;

#define MOTET_INTRINSIC static inline __attribute__((always_inline, unused))

MOTET_INTRINSIC void __nop(void)
{
    __asm__ volatile("nop");
}

/* Interrupts are off one instruction later (SLAU049, 2.2.1). */
MOTET_INTRINSIC void __dint(void)
{
    __asm__ volatile("dint\n\tnop" ::: "memory");
}

MOTET_INTRINSIC void __eint(void)
{
    __asm__ volatile("eint" ::: "memory");
}

MOTET_INTRINSIC unsigned __read_status_register(void)
{
    unsigned sr;
    __asm__ volatile("mov r2, %0" : "=r"(sr)::"memory");
    return sr;
}

MOTET_INTRINSIC void __write_status_register(unsigned sr)
{
    __asm__ volatile("mov %0, r2\n\tnop" ::"r"(sr) : "memory");
}

MOTET_INTRINSIC __istate_t __get_interrupt_state(void)
{
    return __read_status_register();
}

MOTET_INTRINSIC void __set_interrupt_state(__istate_t sr)
{
    __write_status_register(sr);
}

MOTET_INTRINSIC void __bis_status_register(unsigned bits)
{
    __asm__ volatile("bis %0, r2\n\tnop" ::"r"(bits) : "memory");
}

MOTET_INTRINSIC void __bic_status_register(unsigned bits)
{
    __asm__ volatile("bic %0, r2\n\tnop" ::"r"(bits) : "memory");
}

MOTET_INTRINSIC void *__read_stack_pointer(void)
{
    void *sp;
    __asm__ volatile("mov r1, %0" : "=r"(sp));
    return sp;
}

MOTET_INTRINSIC unsigned __swap_bytes(unsigned v)
{
    __asm__("swpb %0" : "+r"(v));
    return v;
}

/* That many cycles, but for a few to load the count: three a round. */
MOTET_INTRINSIC void __delay_rounds(unsigned rounds)
{
    __asm__ volatile("1:\tdec %0\n\tjnz 1b" : "+r"(rounds));
}

MOTET_INTRINSIC void __delay_cycles(unsigned long cycles)
{
    unsigned long rounds = cycles / 3;
    for (; rounds > 0xffff; rounds -= 0xffff)
        __delay_rounds(0xffff);
    if (rounds)
        __delay_rounds((unsigned)rounds);
}

#define nop()                 __nop()
#define _NOP()                __nop()
#define READ_SR               __read_status_register()
#define WRITE_SR(x)           __write_status_register(x)
#define _BIS_SR(x)            __bis_status_register(x)
#define _BIC_SR(x)            __bic_status_register(x)
#define __no_operation()      __nop()
#define __bic_SR_register(x)  __bic_status_register(x)
#define __bis_SR_register(x)  __bis_status_register(x)
#define __enable_interrupt()  __eint()
#define __disable_interrupt() __dint()
#define _EINT()               __eint()
#define _DINT()               __dint()

/* In a handler itself: bits of the status register that its end brings back. The compiler puts its frame pointer right
 * below that register. */
#define __motet_stacked_sr()             (*(volatile unsigned *)((char *)__builtin_frame_address(0) + 2))
#define __bic_status_register_on_exit(x) (__motet_stacked_sr() &= ~(unsigned)(x))
#define __bis_status_register_on_exit(x) (__motet_stacked_sr() |= (unsigned)(x))
#define __bic_SR_register_on_exit(x)     __bic_status_register_on_exit(x)
#define __bis_SR_register_on_exit(x)     __bis_status_register_on_exit(x)
#define _BIC_SR_IRQ(x)                   __bic_status_register_on_exit(x)
#define _BIS_SR_IRQ(x)                   __bis_status_register_on_exit(x)
#define __low_power_mode_off_on_exit()   __bic_status_register_on_exit(0xf0)

/* INTERRUPT(TIMERA0_VECTOR, name) { ... } defines a handler.
 *
 * INTERRUPT_WAKING(...) one after which the CPU does not go back to sleep, whatever it does: the compiler ignores
 * `wakeup`, so the handler proper is called from a few instructions that reach the status register on the stack. */
#define INTERRUPT(vector, name) \
    void name(void);            \
    __attribute__((interrupt(vector), used)) void name(void)

#define INTERRUPT_WAKING(vector, name)                                           \
    void name(void);                                                             \
    void name##_waking(void);                                                    \
    __attribute__((naked, interrupt(vector), used)) void name##_waking(void)     \
    {                                                                            \
        __asm__ volatile("push r11\n\t"                                          \
                         "push r12\n\t"                                          \
                         "push r13\n\t"                                          \
                         "push r14\n\t"                                          \
                         "push r15\n\t"                                          \
                         "call #" #name "\n\t"                                   \
                         "pop r15\n\t"                                           \
                         "pop r14\n\t"                                           \
                         "pop r13\n\t"                                           \
                         "pop r12\n\t"                                           \
                         "pop r11\n\t"                                           \
                         "bic #0xf0, 0(r1)\n\t" /* CPUOFF, OSCOFF, SCG0, SCG1 */ \
                         "reti");                                                \
    }                                                                            \
    __attribute__((used)) void name(void)

#endif
#endif
