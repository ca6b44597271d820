/* avr-libc's watchdog functions: a reset, its cause, and turning it off again. */
#include <avr/io.h>
#include <avr/wdt.h>

#include "check.h"

#ifdef WDTCSR
#define CAUSES MCUSR
#else
#define CAUSES MCUCSR
#endif

static volatile uint16_t lives __attribute__((section(".noinit")));

int main(void)
{
    if (CAUSES & _BV(PORF)) {
        CAUSES = 0;
        lives = 1;
        wdt_enable(WDTO_30MS);
        for (uint32_t i = 0; i < 100000; i++)
            wdt_reset();
        for (;;)
            ;
    }
    CHECK(CAUSES == _BV(WDRF));
    CHECK(++lives == 2);
    CAUSES = 0;
    wdt_disable();
#ifdef WDTCSR
    CHECK(WDTCSR == 0);
#else
    CHECK(WDTCR == 0);
#endif
    for (volatile uint32_t i = 0; i < 100000; i++)
        ;
    motet_puts("alive\n");
    motet_exit(0);
}
