/* Calls a component every 16 ms, whose interface log is switched off and on over the serial port, or by the firmware
 * itself: after 3 s off, after 5 s on. */
#include "board.h"
#include "meter.h"
#include "timer.h"

#ifdef BY_ITSELF
void motet_log_switch(uint8_t on);
#endif

static struct timer timer;
static uint16_t number, total;

uint16_t meter_offset(void)
{
    return total & 3;
}

static void count(struct timer *t)
{
    static uint8_t data[12];
    (void)t;
    data[number % sizeof data] = (uint8_t)(number * 7);
    total = meter_add(number++);
    total ^= number % 5 ? meter_read(data, number % sizeof data) : meter_read(0, 0);
#ifdef BY_ITSELF
    if (number == 190)
        motet_log_switch(0);
    if (number == 310)
        motet_log_switch(1);
#endif
}

void app_start(void)
{
    timer.fired = count;
    timer_every(&timer, TICKS_OF_MS(16));
}
