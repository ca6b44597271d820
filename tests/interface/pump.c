/* The controller of a pump, with one fault at a time:
 * FAULT_VALUE    the average wraps at 256: a wrong value is computed inside
 * FAULT_CRASH    a level beyond the table leads to a call through what lies after it
 */
#include "pump.h"

#define LEVELS 8

uint8_t pump_limit = 90;
static uint8_t levels[LEVELS], count;

static void pump_quiet(void)
{
    valve_open(0);
}

static void pump_run(void)
{
    uint8_t most = 0;
    for (uint8_t i = 0; i < LEVELS; i++)
        most = levels[i] > most ? levels[i] : most;
    valve_open(most < pump_limit ? most : pump_limit);
}

static void (*const pump_states[])(void) = {pump_quiet, pump_run,
#ifdef FAULT_CRASH
                                            (void (*)(void))0x3ff0
#endif
};

#ifdef FAULT_VALUE
typedef uint8_t pump_sum;
#else
typedef uint16_t pump_sum;
#endif

void pump_level(uint8_t percent)
{
    pump_sum sum = 0;
    levels[count++ % LEVELS] = percent;
    for (uint8_t i = 0; i < LEVELS; i++)
        sum += levels[i];
    uint8_t average = sum / LEVELS;
#ifdef FAULT_CRASH
    pump_states[average / 30]();
#else
    pump_states[average >= 30]();
#endif
}
