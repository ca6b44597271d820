/* Calls two components every 16 ms, of which one at a time is logged: chosen over the serial port, or by the firmware
 * itself: after 2 s the second, after 5 s the first again. */
#include "board.h"
#include "meter.h"
#include "scale.h"
#include "timer.h"

#ifdef BY_ITSELF
void motet_log_target(uint8_t component);
#endif

static struct timer timer;
static uint16_t number, total;
static struct scale_load load;

uint16_t meter_offset(void)
{
    return total & 3;
}

uint16_t scale_tare(void)
{
    load.parts[1] = (uint8_t)number; /* behind the component's back, while it is called */
    return number & 7;
}

static void count(struct timer *t)
{
    static uint8_t data[12];
    (void)t;
    data[number % sizeof data] = (uint8_t)(number * 7);
    total = meter_read(data, number % sizeof data);
    load.weight = number * 3;
    load.parts[0] = (uint8_t)total;
    load.serial++;
    total += number % 3 ? scale_weigh(&load) : scale_readings();
    number++;
#ifdef BY_ITSELF
    if (number == 125)
        motet_log_target(1);
    if (number == 312)
        motet_log_target(0);
#endif
}

void app_start(void)
{
    timer.fired = count;
    timer_every(&timer, TICKS_OF_MS(16));
}
