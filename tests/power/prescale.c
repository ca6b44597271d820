/* avr-libc's clock prescaler functions. */
#include <avr/io.h>
#include <avr/power.h>
#include <util/delay_basic.h>

#include "check.h"

int main(void)
{
    CHECK(clock_prescale_get() == clock_div_1);
    clock_prescale_set(clock_div_64);
    CHECK(clock_prescale_get() == clock_div_64);
    _delay_loop_2(25000); /* 100000 cycles */
    clock_prescale_set(clock_div_1);
    motet_exit(0);
}
