/* Devices of the CC2538 that check themselves: each prints a line, and a wrong one says so. After the first life the
 * watchdog bites; the second looks at the reason. */
#include <stdint.h>

#include "port.h"

#define REG(address) (*(volatile uint32_t *)(address))

static volatile unsigned taken, vector;
void on_irq(void);
void on_irq(void)
{
    uint32_t number;
    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    vector = number - 16;
    taken++;
    REG(0x40030024) = 0xffffffff; /* timer 0 */
    REG(0x400d941c) = 0xff;       /* port A */
    REG(0x4000c044) = 0xffff;     /* UART 0 */
    REG(0x4002001c) = 1;          /* I2C */
    REG(0x4008880c) = 0;          /* MAC timer */
    REG(0x40088690) = 0;          /* radio */
}

static void enable(unsigned line)
{
    taken = 0;
    REG(0xe000e100 + 4 * (line / 32)) = 1u << line % 32;
}

static void check(const char *what, int good)
{
    port_print(what);
    port_print(good ? " good\n" : " WRONG\n");
}

static uint32_t sleep_timer(void)
{
    uint32_t v = REG(0x400d5040);
    v |= REG(0x400d5044) << 8;
    v |= REG(0x400d5048) << 16;
    return v | REG(0x400d504c) << 24;
}

static uint32_t cycles(void)
{
    return REG(0xe0001004);
}

/* The crystals: 32 MHz divided by two, and 32768 Hz. */
static void clocks(void)
{
    check("reset on RC", (REG(0x400d2004) & 0x10000) != 0);
    REG(0x400d2000) = 0x20101;
    while (REG(0x400d2004) & 0x1010000)
        ;
    check("crystals", (REG(0x400d2004) & 0x80000) != 0);
    uint32_t from = sleep_timer(), before;
    while (sleep_timer() == from)
        ;
    before = cycles();
    while (sleep_timer() < from + 33)
        ;
    uint32_t passed = cycles() - before; /* 32 periods of 488.28 cycles */
    check("sleep timer", passed > 15500 && passed < 15750);
    while (REG(0x400d2004) & 1 << 26)
        ;
    while (!(REG(0x400d2004) & 1 << 26))
        ;
    check("32 kHz clock", 1);
}

/* PM1 until the sleep timer's compare: the system clock stands still meanwhile. */
static void power(void)
{
    enable(145);
    uint32_t at = sleep_timer() + 3277, before = cycles();
    REG(0x400d504c) = at >> 24;
    REG(0x400d5048) = at >> 16 & 0xff;
    REG(0x400d5044) = at >> 8 & 0xff;
    REG(0x400d5040) = at & 0xff;
    REG(0xe000ed10) |= 4; /* SLEEPDEEP */
    REG(0x400d2058) = 1;
    __asm__ volatile("wfi");
    check("PM1", taken == 1 && vector == 145 && sleep_timer() - at < 3 && cycles() - before < 2000);
    REG(0x400d2058) = 0;
    REG(0xe000ed10) &= ~4u;
}

static void timers(void)
{
    REG(0x400d2008) = 15;
    REG(0x40030000) = 4; /* two of 16 bits; A down in microseconds, once */
    REG(0x40030004) = 1;
    REG(0x40030038) = 15;
    REG(0x40030028) = 100;
    uint32_t before = cycles();
    REG(0x4003000c) = 1;
    while (REG(0x4003000c) & 1)
        ;
    uint32_t passed = cycles() - before;
    check("one-shot", passed > 1590 && passed < 1660);
    enable(20);
    REG(0x40030008) = 2 | 1 << 4 | 1 << 5; /* B up, periodic, with match */
    REG(0x4003002c) = 1000;
    REG(0x40030034) = 500;
    REG(0x40030018) = 0x900;
    before = cycles();
    REG(0x4003000c) = 0x100;
    while (taken < 4)
        ;
    passed = cycles() - before;
    REG(0x4003000c) = 0;
    check("periodic", vector == 20 && passed > 2000 && passed < 2200);
    REG(0x40031000) = 0; /* 32 bits, up */
    REG(0x40031004) = 2 | 1 << 4;
    REG(0x4003100c) = 1;
    uint32_t a = REG(0x40031050), b = REG(0x40031050);
    check("32 bits", b > a && b - a < 20);
}

/* Bits of RAM and of registers as words of their own. */
static void bits(void)
{
    static volatile uint32_t word = 0xf0;
    volatile uint32_t *alias = (volatile uint32_t *)(0x22000000 + ((uint32_t)(uintptr_t)&word - 0x20000000) * 32);
    alias[0] = 1;
    alias[7] = 0;
    check("bit-band", word == 0x71 && alias[4] == 1 && alias[1] == 0);
    REG(0x42000000 + 0xd9400 * 32 + 4 * 2) = 1; /* DIR of port A, bit 2 */
    check("bit-band register", REG(0x400d9400) == 4);
}

/* PA3 falls, from outside; PA2 drives. */
static void pins(void)
{
    REG(0x400d93fc) = 0xff;
    check("data", (REG(0x400d9010) & 0xff) == 4);
    REG(0x400d9010) = 0;
    check("masked data", !(REG(0x400d93fc) & 4));
    enable(0);
    REG(0x400d940c) = 0;
    REG(0x400d9410) = 8;
    while (!taken)
        __asm__ volatile("wfi");
    check("edge", vector == 0 && !(REG(0x400d9020) & 8));
}

static void ask_i2c(void)
{
    REG(0x40020010) = 1;
    REG(0x40020020) = 0x10;
    REG(0x40020000) = 0x20;
    REG(0x40020004) = 7;
}

/* The I2C module's own reset, with a command under way, and one that comes too early. */
static void reset_i2c(void)
{
    taken = 0;
    ask_i2c();
    REG(0x400d2044) = 1;
    check("i2c held in reset",
          REG(0x40020004) == 0x20 && REG(0x4002000c) == 1 && !REG(0x40020000) && !REG(0x40020010) && !REG(0x40020014));
    ask_i2c();
    REG(0x400d2044) = 0;
    for (uint32_t from = cycles(); cycles() - from < 5000;)
        ;
    check("i2c after reset", !taken && REG(0x40020004) == 0x20 && !REG(0x40020010) && !REG(0x40020014));
    ask_i2c();
    while (!taken)
        ;
    check("i2c again", vector == 8 && (REG(0x40020004) & 7) == 6);
}

static void serial(void)
{
    REG(0x4000c024) = 8; /* 115,200 at 16 MHz */
    REG(0x4000c028) = 44;
    REG(0x4000c02c) = 0x70;
    REG(0x4000c030) = 0x381; /* looped back */
    enable(5);
    REG(0x4000c038) = 0x40;
    uint32_t before = cycles();
    for (unsigned i = 0; i < 5; i++)
        REG(0x4000c000) = 'a' + i;
    while (!taken)
        ;
    uint32_t passed = cycles() - before, sum = 0; /* 50 bits and a time-out of 32, of 138.9 cycles */
    for (unsigned i = 0; i < 5; i++)
        sum += REG(0x4000c000);
    check("uart", vector == 5 && sum == 5 * 'c' && passed > 11300 && passed < 11600 && REG(0x4000c018) & 0x10);
    REG(0x40008004) = 3; /* SSI, looped back */
    REG(0x40008000) = 7;
    REG(0x40008010) = 2;
    REG(0x40008008) = 0x5a;
    while (!(REG(0x4000800c) & 4))
        ;
    check("ssi", REG(0x40008008) == 0x5a);
    enable(8);
    ask_i2c();
    while (!taken)
        ;
    check("i2c", vector == 8 && (REG(0x40020004) & 7) == 6); /* no one answers */
    reset_i2c();
}

static uint32_t table[256] __attribute__((aligned(1024)));
static void transfer(void)
{
    static uint8_t from[16], to[16];
    for (unsigned i = 0; i < 16; i++)
        from[i] = (uint8_t)(3 * i);
    table[4 * 5] = (uint32_t)(uintptr_t)(from + 15);
    table[4 * 5 + 1] = (uint32_t)(uintptr_t)(to + 15);
    table[4 * 5 + 2] = 15 << 4 | 2;
    REG(0x400ff004) = 1;
    REG(0x400ff008) = (uint32_t)(uintptr_t)table;
    REG(0x400ff020) = 1 << 5;
    REG(0x400ff028) = 1 << 5;
    REG(0x400ff014) = 1 << 5;
    check("udma", to[0] == 0 && to[7] == 21 && to[15] == 45 && !(((volatile uint32_t *)table)[4 * 5 + 2] & 7) &&
                      !REG(0x400ff028));
}

typedef uint32_t function(uintptr_t, uintptr_t, uint32_t);
static function *rom(unsigned number)
{
    return (function *)(uintptr_t)REG(0x48 + 4 * number);
}

static void memory(void)
{
    static char text[16] = "123456789", other[16];
    uintptr_t page = 0x27f000;
    check("rom crc32", rom(0)((uintptr_t)text, 9, 0) == 0xcbf43926);
    rom(7)((uintptr_t)other, (uintptr_t)text, 10);
    check("rom memcpy", other[8] == '9' && !rom(8)((uintptr_t)text, (uintptr_t)other, 10));
    rom(9)((uintptr_t)other + 1, (uintptr_t)other, 9);
    check("rom memmove", other[1] == '1' && other[9] == '9');
    rom(6)((uintptr_t)other, 'x', 3);
    check("rom memset", other[2] == 'x' && other[3] == '3');
    check("rom facts", rom(1)(0, 0, 0) == 0x80000 && rom(2)(0, 0, 0) == 0xb964);
    rom(3)(page, 2048, 0);
    check("flash",
          !rom(4)((uintptr_t)text, page + 8, 8) && REG(page + 8) == 0x34333231 && REG(page + 16) == 0xffffffff);
    check("address", REG(0x280028) == 0x00124b00);
}

static void numbers(void)
{
    REG(0x400d7014) = 0x12;
    REG(0x400d7014) = 0x34;
    REG(0x400d7000) |= 4;
    uint32_t a = REG(0x400d7014) | REG(0x400d7018) << 8;
    REG(0x400d7000) |= 4;
    uint32_t b = REG(0x400d7014) | REG(0x400d7018) << 8;
    check("random", a != b && a < 0x10000);
    REG(0x400d7008) = 0x3f; /* a third of the supply at the internal reference, 12 bits */
    while (!(REG(0x400d7000) & 0x80))
        ;
    int16_t third = (int16_t)(REG(0x400d700c) | REG(0x400d7010) << 8);
    check("adc", third / 16 > 1880 && third / 16 < 1900); /* 1.1 of 1.19 V in 2,048 steps */
    REG(0x400d7008) = 0x34;                               /* AIN4: 0.5 V from outside */
    while (!(REG(0x400d7000) & 0x80))
        ;
    third = (int16_t)(REG(0x400d700c) | REG(0x400d7010) << 8);
    check("ain4", third / 16 > 855 && third / 16 < 865);
}

/* 320 us are 10,240 cycles of 32 MHz; a program of the strobe processor waits three of them. */
static void mac(void)
{
    REG(0x40088810) = 0x22;
    REG(0x40088814) = 0x00;
    REG(0x40088818) = 0x28;
    REG(0x40088810) = 0;
    REG(0x40088804) = 3;
    enable(146);
    REG(0x40088808) = 1;
    while (taken < 2)
        ;
    check("mac timer", vector == 146);
    REG(0x40088808) = 0;
    REG(0x40088838) = 0xff;
    REG(0x40088838) = 0x83; /* WAIT 3 */
    REG(0x40088838) = 0xbb; /* LABEL */
    REG(0x40088838) = 0xc5; /* DECZ */
    REG(0x40088838) = 0xae; /* RPT while Z is not 0 */
    REG(0x40088838) = 0xd2; /* SSTOP */
    REG(0x40088790) = 5;
    enable(141);
    REG(0x40088690) = 0x10;
    uint32_t before = cycles();
    REG(0x40088838) = 0xe1;
    while (!(REG(0x40088830) & 0x10))
        ;
    uint32_t passed = cycles() - before;
    REG(0x40088830) = 0;
    check("strobe processor", passed > 2 * 5120 && passed <= 3 * 5120 + 100 && REG(0x40088790) == 0 && vector == 141);
}

int main(void)
{
    REG(0xe000edfc) |= 1 << 24;
    REG(0xe0001000) |= 1;
    if ((REG(0x400d2004) >> 22 & 3) == 2) {
        check("watchdog", 1);
        port_end(0);
    }
    clocks();
    power();
    timers();
    bits();
    serial();
    transfer();
    memory();
    numbers();
    mac();
    pins();
    REG(0x400d5000) = 8 | 1; /* a quarter of a second */
    for (unsigned i = 0; i < 10; i++) {
        uint32_t from = sleep_timer();
        while (sleep_timer() - from < 3277)
            ;
        REG(0x400d5000) = 0xa0;
        REG(0x400d5000) = 0x50;
    }
    check("watchdog is calm", 1);
    for (;;)
        ;
}
