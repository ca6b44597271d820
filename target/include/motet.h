/* For firmware that may run in Motet: ends the run, prints on the debug console, sets markers and timers.
 *
 * Harmless on a real chip: the three addresses are reserved on the ATtiny85, the ATmega128, 1281, 2560, 168, 328P and
 * 32U4 and on the MSP430F149 and F1611, and are written only after reading them has shown that this is Motet.
 */
#ifndef MOTET_H
#define MOTET_H

#include <stdint.h>

#if defined(__AVR_ATtiny25__) || defined(__AVR_ATtiny45__) || defined(__AVR_ATtiny85__)
#define MOTET_ADDRESS 0x20
#elif defined(__arm__)
#define MOTET_ADDRESS 0x400ffff0
#else
#define MOTET_ADDRESS 0xf8
#endif
#define MOTET_EXIT    (*(volatile uint8_t *)MOTET_ADDRESS)
#define MOTET_CONSOLE (*(volatile uint8_t *)(MOTET_ADDRESS + 1))
#define MOTET_MARK    (*(volatile uint8_t *)(MOTET_ADDRESS + 2))

static inline uint8_t motet_present(void)
{
    return MOTET_EXIT == 'M' && MOTET_CONSOLE == 'T';
}

/* Ends the run with that exit status. Returns on a real chip. */
static inline void motet_exit(uint8_t status)
{
    if (motet_present()) {
        MOTET_EXIT = status;
        for (;;)
            ;
    }
}

/* Hardware (DMA) has filled these bytes and the program is going to read them. `motet cc` records them here; built
 * otherwise this does nothing. */
static inline void motet_filled(volatile void *bytes, unsigned size)
{
    (void)bytes, (void)size;
}

/* Before a function that `motet cc --invariant FILE:FUNCTION` takes for an invariant: it is kept if nothing calls it.
 */
#define MOTET_INVARIANT __attribute__((used))

static inline void motet_putc(char c)
{
    if (motet_present())
        MOTET_CONSOLE = (uint8_t)c;
}

/* A marker, 0 to 127, in what `--monitor markers` prints. */
static inline void motet_mark(uint8_t number)
{
    if (motet_present())
        MOTET_MARK = number & 0x7f;
}

/* A timer, 0 to 63, begins and ends; the monitor prints the time from each beginning to the next end. */
static inline void motet_timer_begin(uint8_t number)
{
    if (motet_present())
        MOTET_MARK = 0x80 | (number & 0x3f);
}

static inline void motet_timer_end(uint8_t number)
{
    if (motet_present())
        MOTET_MARK = 0xc0 | (number & 0x3f);
}

static inline void motet_puts(const char *s)
{
    while (*s)
        motet_putc(*s++);
}

#endif
