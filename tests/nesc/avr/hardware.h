/* ATmega128 (MICAz): interrupts and how nesC turns them off. */
#ifndef HARDWARE_H
#define HARDWARE_H

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>

#define ATOMIC_HANDLER(vector)    void vector() @atomic_hwevent() @C() __attribute__((signal))
#define NONATOMIC_HANDLER(vector) void vector() @hwevent() @C() __attribute__((interrupt))

inline void __nesc_enable_interrupt()
{
    sei();
}

inline void __nesc_disable_interrupt()
{
    cli();
}

typedef uint8_t __nesc_atomic_t;
__nesc_atomic_t __nesc_atomic_start(void);
void __nesc_atomic_end(__nesc_atomic_t before);

inline __nesc_atomic_t __nesc_atomic_start(void) @spontaneous()
{
    __nesc_atomic_t before = SREG;
    __nesc_disable_interrupt();
    asm volatile("" : : : "memory");
    return before;
}

inline void __nesc_atomic_end(__nesc_atomic_t before) @spontaneous()
{
    asm volatile("" : : : "memory");
    SREG = before;
}

/* Registers seen as what is in them. */
typedef union {
    uint8_t flat;
    struct {
        uint8_t tov1 : 1;
    } unused;
    struct {
        uint8_t tov0 : 1, ocf0 : 1, tov1 : 1, ocf1b : 1, ocf1a : 1, icf1 : 1, tov2 : 1, ocf2 : 1;
    } bits;
} flags_t;

typedef struct {
    uint8_t adps : 3;
    uint8_t adie : 1;
    uint8_t adif : 1;
    uint8_t adfr : 1;
    uint8_t adsc : 1;
    uint8_t aden : 1;
} converter_t;

uint8_t platform_cause @C();

void platform_begin()
{
    platform_cause = MCUCSR;
    MCUCSR = 0;
}

#endif
