/* Invariants in a firmware: each mode breaks another one. 1: a global variable, in the middle of a function that sets
 * it right again. 2: through a pointer. 3: a local variable. 4: in a condition, so that only the end of the function
 * sees it. 5: a task that comes late. 6: a value that does not come back in time. 7: what a function of the program
 * finds, which sets it right at once. Mode 0 breaks none. */
#include <stdint.h>

#include "motet.h"

#define LIMIT    100
#define TWICE(x) (2 * (x))

volatile uint8_t mode;
static uint16_t level, clock_ticks;
static uint8_t busy, spare;
static uint16_t *pointer = &level;

__attribute__((unused)) static uint16_t now(void)
{
    return clock_ticks;
}

/* Nothing calls it. */
MOTET_INVARIANT static uint8_t level_is_low(void)
{
    return level < LIMIT;
}

/* Called below. */
static uint8_t spare_is_small(void)
{
    return spare < 5;
}

__attribute__((unused)) static uint8_t at_most(uint8_t n)
{
    return spare <= n;
}

static void fill(uint16_t to)
{
    level = mode == 1 ? 300 : to;
    level = to;
    if (mode == 2)
        *pointer = 400;
    *pointer = to;
}

static uint16_t sum(uint8_t count)
{
    uint16_t total = 0;
    for (uint8_t i = 0; i < count; i++)
        total += mode == 3 ? 50 : 2;
    total = 1;
    return total;
}

static uint8_t is_high(void)
{
    if (mode == 4 && (level = 500) > 4)
        return 1;
    return 0;
}

static void tick(void)
{
    busy = !busy || mode == 6;
}

int main(void)
{
    for (uint8_t i = 0; i < 10; i++) {
        clock_ticks += mode == 5 && i == 7 ? 60 : 25;
        tick();
        fill(i);
        sum(9);
        if (is_high())
            level = 0;
        spare = mode == 7 ? 9 : 1;
        if (!spare_is_small())
            spare = 1;
    }
    extern volatile unsigned char motet_violated;
    MOTET_CONSOLE = (uint8_t)('0' + motet_violated);
    MOTET_CONSOLE = '\n';
    motet_exit(0);
    for (;;)
        ;
}
