/* How many calls a second a node logs without losing one, and how many it can print: the rate rises each second until
 * an event is lost, or the node falls behind. The last that was good is printed on the debug console. */
#include "rate.h"

#include <motet.h>
#include <stdio.h>

#include "board.h"
#include "cpu.h"
#include "timer.h"

#ifdef PRINTED
void rate_event(uint16_t value)
{
    printf("rate_event %u\n", value);
    printf("rate_event done\n");
}

static unsigned char lost(void)
{
    return 0;
}
#else
unsigned char motet_idle(void);
extern volatile unsigned char motet_gap[]; /* a count of two bytes, after a byte or a word */

static unsigned char lost(void)
{
#ifdef __AVR__
    return motet_gap[1] | motet_gap[2];
#else
    return motet_gap[2] | motet_gap[3];
#endif
}
#endif

static void write_out(void)
{
#ifndef PRINTED
    motet_idle();
#endif
}

/* A second of so many events; whether all were logged, and in time. */
static unsigned char good(uint16_t rate)
{
    uint32_t second = TICKS_OF_MS(1024), begun = timer_now(), due = 0;
    for (uint16_t i = 0; i < rate; i++) {
        due = second / rate * i;
        while (timer_now() - begun < due)
            write_out();
        rate_event(i);
        if (lost())
            return 0;
    }
    return timer_now() - begun < due + second / 16;
}

static void print(uint16_t number)
{
    for (uint16_t unit = 10000; unit; unit /= 10)
        motet_putc((char)('0' + number / unit % 10));
    motet_putc('\n');
}

void app_start(void)
{
    uint16_t rate = 50, last = 0;
    cpu_interrupts_on();
    for (; good(rate); rate += rate / 16)
        last = rate;
    print(last);
    motet_exit(0);
}
