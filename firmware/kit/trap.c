/* Where the checks of the checked builds end: all LEDs on, for ever; in Motet, the end of the run with status 134. */
#include <motet.h>

#include "cpu.h"
#include "leds.h"

#ifdef __AVR__
#define kit_trap abort /* avr-gcc's trap; clang is told the name by -ftrap-function */
#endif

void kit_trap(void);

void kit_trap(void)
{
    (void)atomic_begin();
    leds_set(LED_0 | LED_1 | LED_2);
    motet_puts("a check has failed\n");
    motet_exit(134);
    for (;;)
        ;
}
