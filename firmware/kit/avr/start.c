#include <avr/wdt.h>

#include "board.h"
#include "leds.h"

/* On chips of the ATmega1281's generation the watchdog cannot be stopped while WDRF is set (8.4.2 of its datasheet). */
void board_start(void)
{
    RESET_FLAGS = 0;
    wdt_disable();
    board_leds_start();
}
