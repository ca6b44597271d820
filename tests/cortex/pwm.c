/* The PWM of the nRF52840 checks itself: its outputs by pins that are read back, its events by their registers. The
 * clock is 1 MHz, so a count is 64 cycles of the CPU. */
#include <stdint.h>

#include "port.h"

#define REG(address) (*(volatile uint32_t *)(address))
#define PWM(offset)  REG(0x4001c000 + (offset))
#define CYCLES       REG(0xe0001004)

enum { COUNT = 64, SLACK = 60, FALLING = 0x8000 };
enum { UP, UP_AND_DOWN };
enum { COMMON, GROUPED, INDIVIDUAL, WAVEFORM, BY_NEXTSTEP = 256 };

static uint16_t values[2][8];
static volatile unsigned interrupts;

static void check(const char *what, int good)
{
    port_print(what);
    port_print(good ? " good\n" : " WRONG\n");
}

void on_irq(void);
void on_irq(void)
{
    PWM(0x118) = 0;
    (void)PWM(0x118);
    interrupts++;
}

static int level(unsigned channel)
{
    return REG(0x50000510) >> (13 + channel) & 1;
}

static void wait_for(uint32_t event)
{
    uint32_t begin = CYCLES;
    while (!PWM(event) && CYCLES - begin < 6400000)
        ;
    PWM(event) = 0;
}

static void events_clear(void)
{
    for (uint32_t event = 0x104; event <= 0x11c; event += 4)
        PWM(event) = 0;
}

/* Sequence `which`, so many half words of values[which]. */
static void sequence(unsigned which, uint32_t count, uint32_t refresh, uint32_t delay)
{
    PWM(0x520 + 0x20 * which) = (uint32_t)(uintptr_t)values[which];
    PWM(0x524 + 0x20 * which) = count;
    PWM(0x528 + 0x20 * which) = refresh;
    PWM(0x52c + 0x20 * which) = delay;
}

static void set_up(uint32_t mode, uint32_t top, uint32_t decoder, uint32_t loops)
{
    PWM(0x500) = 0;
    PWM(0x200) = 0;
    for (unsigned i = 0; i < 4; i++)
        PWM(0x560 + 4 * i) = 13 + i;
    PWM(0x504) = mode;
    PWM(0x508) = top;
    PWM(0x50c) = 4; /* 1 MHz */
    PWM(0x510) = decoder;
    PWM(0x514) = loops;
    PWM(0x500) = 1;
    events_clear();
}

/* Whether the channel is high from `rise` to `fall`, in counts since `begin`, and low before and after. */
static int high_within(unsigned channel, uint32_t begin, uint32_t rise, uint32_t fall)
{
    while (!level(channel) && CYCLES - begin < 1000000)
        ;
    uint32_t rises = CYCLES - begin;
    while (level(channel) && CYCLES - begin < 1000000)
        ;
    uint32_t falls = CYCLES - begin;
    return rises + SLACK >= rise * COUNT && rises <= rise * COUNT + SLACK && falls + SLACK >= fall * COUNT &&
           falls <= fall * COUNT + SLACK;
}

static void polarities(void)
{
    static const uint16_t first[] = {300, 300 | FALLING, 0, 1000};
    set_up(UP, 1000, INDIVIDUAL, 0);
    for (unsigned i = 0; i < 4; i++)
        values[0][i] = first[i];
    sequence(0, 4, 0, 0);
    PWM(8) = 1;
    uint32_t begin = CYCLES;
    int falling = high_within(1, begin, 0, 300);
    check("events of a start", PWM(0x108) && PWM(0x110) && !PWM(0x118));
    check("falling edge", falling);
    while (CYCLES - begin < 1100 * COUNT)
        ;
    check("rising edge", high_within(0, begin, 1300, 2000));
    check("value 0", level(2));
    check("value not reached", !level(3));
    while (CYCLES - begin < 2500 * COUNT)
        ;
    check("again", high_within(1, begin, 3000, 3300));
    check("period", PWM(0x118) == 1);
    values[0][2] = FALLING;
    values[0][3] = 1000 | FALLING;
    PWM(8) = 1; /* takes effect with the next period */
    check("not yet", level(2) && !level(3));
    while (CYCLES - begin < 4010 * COUNT)
        ;
    check("falling, 0 and not reached", !level(2) && level(3));
    PWM(0x104) = 0;
    PWM(4) = 1;
    check("stop waits", !PWM(0x104));
    wait_for(0x104);
    check("stopped at the period's end", CYCLES - begin >= 5000 * COUNT && CYCLES - begin < 5000 * COUNT + 2 * SLACK);
    check("level stays", level(3));
    PWM(0x500) = 0;
    check("the port's pin again", !level(3));
}

static void centred(void)
{
    set_up(UP_AND_DOWN, 500, GROUPED, 0);
    values[0][0] = 200;
    values[0][1] = 100 | FALLING;
    sequence(0, 2, 0, 0);
    PWM(8) = 1;
    uint32_t begin = CYCLES;
    check("up and down", high_within(1, begin, 200, 800));
    check("up and down, falling", high_within(3, begin, 900, 1100));
    check("period twice as long", high_within(0, begin, 1200, 1800));
}

static void wave_form(void)
{
    set_up(UP, 30000, WAVEFORM, 0);
    for (unsigned i = 0; i < 3; i++)
        values[0][i] = values[0][4 + i] = 100 | FALLING;
    values[0][3] = 400;
    values[0][7] = 250;
    sequence(0, 8, 0, 0);
    PWM(8) = 1;
    uint32_t begin = CYCLES;
    int first = high_within(0, begin, 0, 100), second = high_within(2, begin, 400, 500);
    int last = high_within(1, begin, 650, 750);
    check("wave form", first);
    check("its second period", second);
    check("the last value stays", last);
    check("no fourth output", !level(3));
}

/* Two sequences in turns, twice: 3 values for 2 periods each, and 1 value for 1 + 2. */
static void loops(void)
{
    set_up(UP, 100, COMMON, 2);
    sequence(0, 3, 1, 0);
    sequence(1, 1, 0, 2);
    PWM(0x200) = 1 << 4; /* LOOPSDONE stops */
    PWM(8) = 1;
    uint32_t begin = CYCLES;
    wait_for(0x10c);
    check("second sequence", CYCLES - begin >= 600 * COUNT && CYCLES - begin < 600 * COUNT + 2 * SLACK);
    check("its end", PWM(0x114) == 1);
    wait_for(0x11c);
    check("loops done", CYCLES - begin >= 1800 * COUNT && CYCLES - begin < 1800 * COUNT + 2 * SLACK);
    check("stopped by the shortcut", PWM(0x104) == 1);
}

static void by_steps(void)
{
    set_up(UP, 100, COMMON | BY_NEXTSTEP, 0);
    sequence(0, 2, 0, 0);
    values[0][0] = 0;
    values[0][1] = 100;
    PWM(8) = 1;
    for (unsigned i = 0; i < 5; i++)
        wait_for(0x118);
    check("waits for a step", level(0) && !PWM(0x110));
    PWM(0x10) = 1;
    wait_for(0x118);
    check("steps", !level(0) && PWM(0x110));
    PWM(0x200) = 1;
    PWM(8) = 1;
    wait_for(0x118);
    uint32_t begin = CYCLES;
    PWM(0x10) = 1;
    wait_for(0x104);
    check("end of the sequence stops", CYCLES - begin < 200 * COUNT + SLACK);
}

static void interrupt(void)
{
    REG(0xe000e100) = 1 << 28;
    set_up(UP, 100, COMMON, 0);
    sequence(0, 1, 0, 0);
    PWM(0x304) = 1 << 6;
    PWM(8) = 1;
    uint32_t begin = CYCLES;
    while (CYCLES - begin < 1050 * COUNT)
        ;
    check("interrupts", interrupts == 10);
    PWM(0x308) = 1 << 6;
    PWM(0x500) = 0;
}

int main(void)
{
    REG(0xe000edfc) |= 1 << 24;
    REG(0xe0001000) |= 1;
    check("reset values", PWM(0x508) == 0x3ff && PWM(0x528) == 1 && PWM(0x560) == 0xffffffff);
    for (unsigned i = 0; i < 4; i++)
        REG(0x50000734 + 4 * i) = 1; /* outputs that can be read */
    polarities();
    centred();
    wave_form();
    loops();
    by_steps();
    interrupt();
    port_end(0);
    return 0;
}
