/* The recorder on MSP430, as far as it is inline. Part of port.h.
 *
 * As on AVR, interrupts can come to the application only between the entry of a stub and the instruction after DINT,
 * and in the window of an entry, where those are led that come in the worker; RETI puts back SR and returns at once.
 */
#ifndef PORT_MSP430_H
#define PORT_MSP430_H

#include <msp430.h>

#define PORT_AGAIN      /* reads of 16 bits that give one more than the last are only counted */
#define PORT_TARDIS   4 /* bits of a vector's number; timers have 16 bits */

#define PORT_MEASURES R.measures /* what replay does not execute, and so no entry in it either */

enum { PUSH_SR = 0x1202 }; /* the instruction with which entries begin */

/* The recorder is compiled with -mhwmult=none: a library's multiplication by hardware keeps SR while it has interrupts
 * off, and would let them in where the worker goes on with interrupts off after an interrupt that came just before.
 *
 * In the worker. An interrupt may still come after DINT, and the worker then go on for another caller that has
 * interrupts off: so it is not GIE alone that says whether they are let in again, but also for whom it is at work. */
typedef uint16_t port_state;
static inline port_state port_lock(void)
{
    port_state was;
    __asm__ volatile("mov r2, %0\n\tdint\n\tnop" : "=r"(was)::"memory");
    return was;
}
static inline void port_unlock(port_state was)
{
    if ((was & GIE) && R.inside)
        __asm__ volatile("eint" ::: "memory");
    else
        __asm__ volatile("" ::: "memory");
}

/* For a moment: they are off, and on in the worker. */
static inline void port_let_in(void)
{
    __asm__ volatile("eint\n\tnop\n\tdint\n\tnop" ::: "memory");
}

/* port_unlock() in what the application calls without a stub. */
static inline void port_unlock_application(port_state was)
{
    if (was & GIE)
        __asm__ volatile("eint" ::: "memory");
}

/* Words that handlers change, too: each of these is one instruction. */
static inline uint16_t port_word(const uint16_t *at)
{
    return *(const volatile uint16_t *)at;
}
static inline void port_set_word(uint16_t *at, uint16_t word)
{
    *(volatile uint16_t *)at = word;
}
static inline void port_subtract(uint16_t *from, uint16_t number)
{
    __asm__ volatile("sub %1, 0(%0)" ::"r"(from), "r"(number) : "memory", "cc");
}

/* A result of an entry takes the place of the register that is loaded in the end. */
static inline void port_result(uint8_t *frame, uint16_t value, uint8_t size)
{
    (void)size;
    *(uint16_t *)(frame + 2) = value;
}

enum { WRAPPED_STEP = 0x100 }; /* rewritten code counts in the low byte alone */

enum { FRAME_STATUS = 16, FRAME_ABOVE = 20 }; /* from the stack pointer in motet_enter: SR, and the interrupted SP */

/* What start-up code has initialised; the recorder's own lies in .noinit. */
extern uint8_t __data_start[], __bss_end[];
#define RAM_FIRST __data_start
#define RAM_LAST  __bss_end
extern uint8_t __stack[];
#define RAM_TOP __stack

extern uint8_t __heap_start[];
static inline uint16_t port_heap_end(void)
{
    return (uint16_t)(uintptr_t)__heap_start;
}

#define PORT_CONSTANT
#define port_constant *
#define port_byte     *

static inline uint8_t port_register_size(uint16_t at)
{
    return at < 0x100 ? 1 : 2;
}

static inline uint16_t port_register(uint16_t at)
{
    return at < 0x100 ? *(volatile uint8_t *)at : *(volatile uint16_t *)at;
}

/* Of motet_idle: r4 to r10 lie at `frame`, then an address, r11 to r15, SR. Saved are SP, SR, r3 (which is no
 * register), r4 to r15. */
enum { FRAME_FIRST = 0, FRAME_REGISTERS = 32 /* bytes */, FRAME_SAVED = 28, FRAME_SR = 26, FRAME_RETURN = 14 };

/* The lowest byte in use when motet_idle was entered. */
static inline uint16_t port_frame_sp(const uint8_t *frame)
{
    return (uint16_t)(uintptr_t)(frame + FRAME_SAVED);
}

/* Start-up code has turned the watchdog off. */
static inline uint8_t port_slow_watchdog(void)
{
    return 0;
}
static inline void port_set_watchdog(uint8_t was)
{
    (void)was;
}

#endif
