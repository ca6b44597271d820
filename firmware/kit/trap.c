/* Where the checks of the checked builds end: all LEDs on, for ever. Motet knows the name and reports what failed;
 * with --fault trap=warn the run ends here, with status 134. */
#include <motet.h>

#include "cpu.h"
#include "leds.h"
#include "recorder.h"

void abort(void);    /* what avr-gcc and clang call where there is no going on */
void on_fault(void); /* a Cortex-M ends here (target/cortex/start.c) */

static _Noreturn void give_up(void)
{
    (void)atomic_begin();
    if (motet_flush)
        motet_flush();
    leds_set(LED_0 | LED_1 | LED_2);
    motet_puts("a check has failed\n");
    motet_exit(134);
    for (;;)
        ;
}

void abort(void)
{
    give_up();
}

#ifdef __arm__
void on_fault(void)
{
    give_up();
}
#endif
