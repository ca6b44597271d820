/* The asynchronous 8-bit timer with the watch crystal. The rules of ATmega128 datasheet, "Asynchronous Operation of
 * Timer/Counter0", which hold for the ATmega1281's timer 2 as well:
 * - a register may be written only after its last write has reached the timer (the busy flags of ASSR);
 * - sleeping before that would lose the compare interrupt that is to end the sleep;
 * - after deep sleep the count reads as it was before until the next edge of the crystal, and going back to sleep
 * within that time loses the next interrupt: writing a register and waiting for it outlasts that edge. */
#include <avr/sleep.h>

#include "board.h"
#include "timer.h"

extern volatile uint8_t board_clock_users;
static bool stale; /* has slept deep since the last wait */

static void settle(void)
{
    while (ASSR & ASYNC_BUSY)
        ;
    if (stale) {
        ASYNC_COMPARE = ASYNC_COMPARE;
        while (ASSR & ASYNC_BUSY)
            ;
        stale = false;
    }
}

ISR(ASYNC_VECTOR)
{
    timer_interrupt();
}

counter_t board_counter(void)
{
    if (stale)
        settle();
    return ASYNC_COUNT;
}

void board_compare(counter_t at)
{
    settle();
    ASYNC_COMPARE = at;
}

void board_counter_start(void)
{
    ASYNC_MASK &= ~ASYNC_MASK_BIT;
    ASSR = ASYNC_ENABLE;
    ASYNC_COUNT = 0;
    ASYNC_COMPARE = 0;
    ASYNC_CONTROL = ASYNC_NO_DIVIDER;
    settle();
    ASYNC_FLAGS = ASYNC_FLAG_BIT;
    ASYNC_MASK |= ASYNC_MASK_BIT;
}

/* The main crystal keeps running in extended standby, so waking takes six cycles and not the milliseconds of
 * power-save. The instruction after SEI is executed before any interrupt: nothing can come between it and SLEEP. */
void board_sleep(void)
{
    if (board_clock_users) {
        set_sleep_mode(SLEEP_MODE_IDLE);
    } else {
        settle();
        stale = true;
        set_sleep_mode(SLEEP_MODE_EXT_STANDBY);
    }
    sleep_enable();
    sei();
    sleep_cpu();
    sleep_disable();
    cli();
}
