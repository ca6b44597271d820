/* MSP430F1611 (TelosB): interrupts and how nesC turns them off. */
#ifndef HARDWARE_H
#define HARDWARE_H

#include <msp430.h>
#undef C /* a bit of the status register; nesC has @C() */

#define ATOMIC_HANDLER(name, vector) \
    void name() @atomic_hwevent() @C() __attribute__((wakeup)) __attribute__((interrupt(vector)))

inline void __nesc_enable_interrupt()
{
    __eint();
}

inline void __nesc_disable_interrupt()
{
    __dint();
    __nop();
}

typedef bool __nesc_atomic_t;
__nesc_atomic_t __nesc_atomic_start(void);
void __nesc_atomic_end(__nesc_atomic_t before);

__nesc_atomic_t __nesc_atomic_start(void) @spontaneous()
{
    __nesc_atomic_t before = (READ_SR & GIE) != 0;
    __nesc_disable_interrupt();
    asm volatile("" : : : "memory");
    return before;
}

void __nesc_atomic_end(__nesc_atomic_t before) @spontaneous()
{
    asm volatile("" : : : "memory");
    if (before)
        __nesc_enable_interrupt();
}

/* As headers for older compilers have registers. */
static volatile uint8_t U1CTLnr asm("0x0078");
static volatile uint16_t TBCTLnr asm("0x0180");

/* Registers seen as what is in them. */
typedef struct {
    unsigned ccifg : 1;
    unsigned cov : 1;
    unsigned out : 1;
    unsigned cci : 1;
    unsigned ccie : 1;
    unsigned outmod : 3;
    unsigned cap : 1;
    unsigned clld : 2;
    unsigned scs : 1;
    unsigned ccis : 2;
    unsigned cm : 2;
} control_t;

typedef struct {
    unsigned adc12sc : 1;
    unsigned enc : 1;
    unsigned rest : 14;
} __attribute__((packed)) converter_t;

control_t control_of(uint16_t x)
{
    union {
        uint16_t f;
        control_t t;
    } c = {.f = x};
    return c.t;
}

uint8_t platform_cause @C();

void platform_begin()
{
    WDTCTL = WDTPW | WDTHOLD;
    BCSCTL1 = 0x87;
    DCOCTL = 0xa0; /* some 4 MHz */
    platform_cause = IFG1;
    IFG1 = 0;
}

#endif
