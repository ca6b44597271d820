/* What the application's code calls, through the stubs in assembly: events go into the ring, where they happen.
 *
 * Where nothing is out of the ordinary the stubs do without C what is here. Invariant: interrupts are off; every
 * register and flag is kept by the stub; the first event that has no room ends recording (ring.h).
 */
#ifndef ENTRIES_H
#define ENTRIES_H

#include "port.h"
#include "recorder.h"

/* Called by the stubs: `frame` is the stack pointer there. */
void motet_read8_work(uint8_t value, uint8_t live, motet_site site);
void motet_read16_work(uint16_t value, uint16_t live, motet_site site);
void motet_block_work(const uint8_t *bytes, uint16_t size, motet_site site);
void motet_wrapped_work(void);
void motet_breathe_work(void);
void motet_pointer8_work(const volatile uint8_t *p, motet_site site, uint16_t unused, uint8_t *frame);
void motet_pointer16_work(const volatile uint16_t *p, motet_site site, uint16_t unused, uint8_t *frame);
void motet_enter_work(uint8_t vector, uint16_t address, uint16_t hash, const uint8_t *frame);

/* An entry that makes no event tells two moments apart all the same: an interrupt may come in it. */
PRIVATE void entry_count(void);

/* With stamps every entry counts that is no event: the timer has been set to zero. */
static inline void entry_count_stamped(void)
{
#ifdef MOTET_STAMP
    entry_count();
#endif
}

/* The count, as it is after each event. */
#ifdef __AVR__
void motet_count_anew(void); /* stubs_avr.S, lean_avr.S */
#else
static inline void motet_count_anew(void)
{
    motet_count = COUNT_FIRST;
}
#endif

#endif
