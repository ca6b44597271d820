/* What surrounds the pump's controller. FAULT_OUTSIDE: the valve crashes at its tenth move. FAULT_OVERWRITE: it
 * writes over the controller's limit. */
#include <motet.h>

#include "pump.h"

static volatile uint8_t moves, position;

void valve_open(uint8_t how_far)
{
    moves++;
    position = how_far;
#ifdef FAULT_OVERWRITE
    if (moves == 12)
        *(volatile uint8_t *)&pump_limit = how_far / 2;
#endif
#ifdef FAULT_OUTSIDE
    if (moves == 10)
        ((void (*)(void))0x3ff0)();
#endif
}

int main(void)
{
    for (uint8_t i = 0; i < 40; i++)
        pump_level(i < 30 ? 2 * i : 70);
    motet_exit(0);
}
