/* The loops of <util/delay.h> take the cycles they say, measured by timer 1. */
#include <avr/io.h>
#ifdef __OPTIMIZE__
#include <util/delay.h>
#endif
#include <util/delay_basic.h>

#include "check.h"

#ifdef __OPTIMIZE__
#define MEASURE(CODE)            \
    ({                           \
        uint16_t before = TCNT1; \
        CODE;                    \
        TCNT1 - before;          \
    })

static void near(uint16_t took, uint16_t cycles)
{
    /* Reading the counter twice takes four instructions, some of two cycles. */
    check(took >= cycles && took <= cycles + 12);
}

int main(void)
{
    TCCR1B = 1 << CS10;
    near(MEASURE(_delay_us(10)), 160);
    near(MEASURE(_delay_us(1000)), 16000);
    near(MEASURE(_delay_ms(3)), 48000);
    near(MEASURE(_delay_loop_1(100)), 300);
    near(MEASURE(_delay_loop_2(1000)), 4000);
    near(MEASURE(__builtin_avr_delay_cycles(12345)), 12345);
    exit(0);
}
#else
int main(void)
{
    exit(0); /* the loops need optimisation */
}
#endif
