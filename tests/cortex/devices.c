/* Devices of the nRF52840 that check themselves: each prints a line, and a wrong one says so. After the first life the
 * watchdog bites; the second looks at the reason. */
#include <stdint.h>

#include "port.h"

#define REG(address) (*(volatile uint32_t *)(address))

static void check(const char *what, int good)
{
    port_print(what);
    port_print(good ? " good\n" : " WRONG\n");
}

static void wait_for(uint32_t event)
{
    for (uint32_t i = 0; i < 10000000 && !REG(event); i++)
        ;
    REG(event) = 0;
}

/* FIPS-197, appendix B. */
static void cipher(void)
{
    static uint8_t block[48] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15,
                                0x88, 0x09, 0xcf, 0x4f, 0x3c, 0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a,
                                0x30, 0x8d, 0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34};
    REG(0x4000e504) = (uint32_t)(uintptr_t)block;
    REG(0x4000e000) = 1;
    wait_for(0x4000e100);
    check("ecb", block[32] == 0x39 && block[33] == 0x25 && block[47] == 0x32);
}

/* A timer's compare triggers a task of EGU 0 through the interconnect, and a capture of a second timer. */
static void interconnect(void)
{
    REG(0x40008510) = 4; /* 1 MHz */
    REG(0x40008508) = 3;
    REG(0x40009510) = 0; /* 16 MHz */
    REG(0x40009508) = 3;
    REG(0x40008540) = 100;
    REG(0x40008200) = 1 | 1 << 8; /* clear and stop */
    REG(0x4001f510) = 0x40008140;
    REG(0x4001f514) = 0x40014004;
    REG(0x4001f910) = 0x40009044; /* and by the fork */
    REG(0x4001f504) = 1;
    REG(0x40009000) = 1;
    REG(0x40008000) = 1;
    wait_for(0x40014104);
    uint32_t at = REG(0x40009544);
    check("ppi", at >= 1595 && at <= 1610);
    REG(0x40008040) = 1;
    check("short", REG(0x40008540) == 0);
}

static void flash(void)
{
    volatile uint32_t *page = (volatile uint32_t *)0x3f000;
    uint32_t before = REG(0xe0001004);
    REG(0x4001e504) = 2;
    REG(0x4001e508) = 0x3f000;
    REG(0x4001e504) = 1;
    page[0] = 0x12345678;
    page[1] = 0x0000ffff;
    page[1] = 0xffff00f0;
    REG(0x4001e504) = 0;
    check("nvmc", page[0] == 0x12345678 && page[1] == 0x000000f0 && page[2] == 0xffffffff);
    check("nvmc takes time", REG(0xe0001004) - before > 5000000);
    /* code that was just written */
    REG(0x4001e504) = 1;
    page[4] = 0x47702007; /* movs r0, #7; bx lr */
    REG(0x4001e504) = 0;
    check("new code", ((int (*)(void))0x3f011)() == 7);
}

static volatile unsigned presses;
void on_irq(void);
void on_irq(void)
{
    REG(0x40006100) = 0;
    presses++;
}

/* Button 1 falls, from outside, at 400 ms; channel 1 drives P1.1. */
static void pins(void)
{
    REG(0x5000072c) = 3 << 2; /* P0.11: pull-up, connected */
    REG(0x40006510) = 1 | 11 << 8 | 2 << 16;
    REG(0x40006304) = 1;
    REG(0xe000e100) = 1 << 6;
    while (!presses)
        __asm__ volatile("wfi");
    check("gpiote", !(REG(0x50000510) & 1 << 11));
    REG(0x50000a04) = 0; /* P1.1: input, connected */
    REG(0x40006514) = 3 | 33 << 8 | 3 << 16;
    REG(0x40006004) = 1;
    check("gpiote task", REG(0x50000810) & 2);
}

static void numbers(void)
{
    REG(0x4000d000) = 1;
    wait_for(0x4000d100);
    uint32_t a = REG(0x4000d508);
    wait_for(0x4000d100);
    uint32_t b = REG(0x4000d508);
    wait_for(0x4000d100);
    check("rng", a != b || b != REG(0x4000d508));
    REG(0xe000ed10) |= 1 << 4; /* SEVONPEND: also interrupts that are not enabled end WFE */
    REG(0x4000d304) = 1;
    REG(0xe000e280) = 1 << 13;
    uint32_t before = REG(0xe0001004);
    for (unsigned i = 0; i < 5; i++) {
        while (!REG(0x4000d100))
            __asm__ volatile("wfe");
        REG(0x4000d100) = 0;
        REG(0xe000e280) = 1 << 13;
    }
    check("wfe", REG(0xe0001004) - before < 1000);
    REG(0xe000ed10) &= ~(1u << 4);
    REG(0x4000d004) = 1;
    REG(0x4000c000) = 1;
    wait_for(0x4000c100);
    check("temp", REG(0x4000c508) == 100);
}

/* AIN0 is at 1.5 V from outside, AIN1 at 0.6 V, the supply at 3 V. */
static void converter(void)
{
    static volatile int16_t results[3];
    REG(0x40007500) = 1;
    REG(0x40007510) = 1; /* channel 0: AIN0, a quarter of it against a quarter of the supply */
    REG(0x40007518) = 2 << 8 | 1 << 12;
    REG(0x40007530) = 2; /* channel 2: AIN1 less AIN0, a sixth of it against 0.6 V */
    REG(0x40007534) = 1;
    REG(0x40007538) = 1 << 20;
    REG(0x4000753c) = 0x7fff0000; /* its limits: below 0 */
    REG(0x400075f0) = 2;          /* 12 bits */
    REG(0x4000762c) = (uint32_t)(uintptr_t)results;
    REG(0x40007630) = 2;
    results[2] = 77;
    REG(0x40007000) = 1;
    wait_for(0x40007100);
    REG(0x40007004) = 1;
    wait_for(0x40007104);
    check("saadc", results[0] == 2048 && results[1] == -512 && results[2] == 77 && REG(0x40007634) == 2);
    check("saadc limits", REG(0x4000712c) == 1 && REG(0x40007128) == 0 && REG(0x4000711c) == 0);
}

/* A measurement that is asked for before the receiver is ready; and how long it takes from receiving to sending. */
static void radio(void)
{
    REG(0x40000000) = 1; /* HFCLKSTART */
    wait_for(0x40000100);
    REG(0x40001510) = 15;
    REG(0x40001650) = 1; /* fast */
    REG(0x40001004) = 1; /* RXEN */
    REG(0x4000102c) = 1; /* CCASTART */
    for (uint32_t i = 0; i < 100000 && !REG(0x40001144) && !REG(0x40001148); i++)
        ;
    check("cca in ramp-up", REG(0x40001144) || REG(0x40001148));
    REG(0x40001154) = 0;
    uint32_t before = REG(0xe0001004);
    REG(0x40001000) = 1; /* TXEN */
    wait_for(0x40001154);
    uint32_t cycles = REG(0xe0001004) - before;
    check("turnaround", cycles > 28 * 64 && cycles < 32 * 64);
    REG(0x40001010) = 1;
}

/* Nothing is on the buses: bytes come back as ones, an address is not acknowledged. */
static void masters(void)
{
    static uint8_t out[4] = {1, 2, 3, 4}, in[6];
    REG(0x40003500) = 7; /* SPIM 0 at 1 MHz */
    REG(0x40003524) = 0x10000000;
    REG(0x40003544) = (uint32_t)(uintptr_t)out;
    REG(0x40003548) = 4;
    REG(0x40003534) = (uint32_t)(uintptr_t)in;
    REG(0x40003538) = 6;
    uint32_t before = REG(0xe0001004);
    REG(0x40003010) = 1;
    wait_for(0x40003118);
    uint32_t cycles = REG(0xe0001004) - before;
    check("spim", REG(0x4000353c) == 6 && REG(0x4000354c) == 4 && ((volatile uint8_t *)in)[5] == 0xff &&
                      cycles > 48 * 64 && cycles < 50 * 64);
    REG(0x40003500) = 0;
    REG(0x40004500) = 6; /* TWIM 1 */
    REG(0x40004524) = 0x01980000;
    REG(0x40004588) = 0x50;
    REG(0x40004544) = (uint32_t)(uintptr_t)out;
    REG(0x40004548) = 1;
    REG(0x40004008) = 1;
    wait_for(0x40004124);
    check("twim", REG(0x400044c4) == 2);
    REG(0x40004014) = 1;
    wait_for(0x40004104);
}

/* A word of UICR: writes clear bits, a reset changes nothing, an erase sets them. */
static void user_word(int again)
{
    volatile uint32_t *word = (volatile uint32_t *)0x10001080;
    check("uicr before", *word == (again ? 0x12345678 : 0xffffffff));
    REG(0x4001e504) = again ? 2 : 1;
    if (again)
        REG(0x4001e514) = 1;
    else
        *word = 0x1234ffff;
    REG(0x4001e504) = again ? 0 : 1;
    if (!again)
        *word = 0xffff5678;
    REG(0x4001e504) = 0;
    check("uicr after", *word == (again ? 0xffffffff : 0x12345678));
}

int main(void)
{
    REG(0xe000edfc) |= 1 << 24;
    REG(0xe0001000) |= 1;
    if (REG(0x40000400) & 2) {
        check("watchdog", 1);
        user_word(1);
        port_end(0);
    }
    user_word(0);
    cipher();
    interconnect();
    flash();
    numbers();
    converter();
    radio();
    masters();
    pins();
    REG(0x40000008) = 1;
    wait_for(0x40000104);
    REG(0x40010504) = 3276;
    REG(0x40010000) = 1;
    check("wdt runs", REG(0x40010400));
    for (volatile unsigned i = 0; i < 300000; i++)
        if (i < 200000)
            REG(0x40010600) = 0x6e524635;
    for (;;)
        ;
}
