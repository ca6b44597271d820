/* Ten naps in power-down, ended by the watchdog's interrupt. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#include "check.h"

static volatile uint8_t woken;

ISR(WDT_vect)
{
    woken++;
}

int main(void)
{
    WDTCSR = _BV(WDIE);
    set_sleep_mode(SLEEP_MODE_PWR_DOWN);
    sei();
    while (woken < 10)
        sleep_mode();
    motet_exit(0);
}
