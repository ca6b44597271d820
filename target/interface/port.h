/* The processor at hand, as far as the logger of interfaces needs it. Invariant: interrupts are as they were. */
#ifndef PORT_H
#define PORT_H

#include <stdint.h>

#ifdef __AVR__
#include <avr/io.h>
#include <avr/pgmspace.h>

typedef uint8_t port_state;
static inline port_state port_lock(void)
{
    port_state was;
    __asm__ volatile("in %0, __SREG__\n\tcli" : "=r"(was)::"memory");
    return was;
}
static inline void port_unlock(port_state was)
{
    __asm__ volatile("out __SREG__, %0" ::"r"(was) : "memory");
}

/* Interrupts are off; those that wait get their turn. */
static inline void port_let_in(void)
{
    __asm__ volatile("sei\n\tnop\n\tcli" ::: "memory");
}

#define PORT_CONSTANT PROGMEM
/* A word of the program memory; the address goes on to the next. */
static inline uint16_t port_constant(const uint16_t **at)
{
    uint16_t word;
    __asm__("lpm %A0,Z+\n\tlpm %B0,Z+" : "=r"(word), "+z"(*at));
    return word;
}

#else
#include <msp430.h>

typedef uint16_t port_state;
static inline port_state port_lock(void)
{
    port_state was;
    __asm__ volatile("mov r2, %0\n\tdint\n\tnop" : "=r"(was)::"memory");
    return was;
}
static inline void port_unlock(port_state was)
{
    __asm__ volatile("nop\n\tmov %0, r2\n\tnop" ::"r"(was) : "memory");
}

static inline void port_let_in(void)
{
    __asm__ volatile("nop\n\teint\n\tnop\n\tdint\n\tnop" ::: "memory");
}

#define PORT_CONSTANT
static inline uint16_t port_constant(const uint16_t **at)
{
    return *(*at)++;
}

#endif

#endif
