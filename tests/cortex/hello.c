/* Greets over UART0, blinks LED1 by RTC0, and ends the run after five blinks. */
#include <stdint.h>

#include "motet.h"

#define REG(address) (*(volatile uint32_t *)(address))

static void put(char c)
{
    REG(0x4000211c) = 0;
    REG(0x4000251c) = (uint8_t)c;
    while (!REG(0x4000211c))
        ;
}

static void print(const char *s)
{
    while (*s)
        put(*s++);
}

static volatile unsigned blinks;

void on_irq(void);
void on_irq(void)
{
    REG(0x4000b140) = 0;
    REG(0x4000b540) = (REG(0x4000b504) + 3277) & 0xffffff;
    REG(0x50000504) ^= 1u << 13;
    blinks++;
}

int main(void)
{
    REG(0x50000734) = 1;
    REG(0x40002500) = 4;
    REG(0x40002524) = 0x01d60000; /* 115200 */
    REG(0x40002008) = 1;
    print("hello from a Cortex-M4\n");
    REG(0x40000008) = 1; /* LFCLKSTART */
    while (!REG(0x40000104))
        ;
    REG(0x4000b540) = 3277;
    REG(0x4000b304) = 1u << 16;
    REG(0xe000e100) = 1u << 11;
    REG(0x4000b000) = 1;
    while (blinks < 5)
        __asm__ volatile("wfi");
    print("five blinks\n");
    motet_exit(7);
    return 0;
}
