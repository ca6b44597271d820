/* The SAM R21's devices check themselves: the clock, SERCOM0 as a USART, SERCOM4 as an SPI to the radio, TC3's
 * interrupt, pins. With WIDE it ends with an instruction that ARMv6-M has not, in flash or in RAM. */
#include <stdint.h>

#include "port.h"

#define REG(address)  (*(volatile uint32_t *)(address))
#define HALF(address) (*(volatile uint16_t *)(address))
#define BYTE(address) (*(volatile uint8_t *)(address))
#define USART         0x42000800
#define SPI           0x42001800
#define TC            0x42002c00
#define PORT(n)       (0x41004400 + 0x80 * (n))

static void check(const char *what, int good)
{
    port_print(what);
    port_print(good ? " good\n" : " WRONG\n");
}

static void clock(unsigned id, unsigned generator)
{
    HALF(0x40000c02) = (uint16_t)(id | generator << 8 | 0x4000);
}

static void put(char c)
{
    while (!(BYTE(USART + 0x18) & 1))
        ;
    HALF(USART + 0x28) = (uint8_t)c;
}

static uint8_t exchange(uint8_t byte)
{
    HALF(SPI + 0x28) = byte;
    while (!(BYTE(SPI + 0x18) & 4))
        ;
    return (uint8_t)HALF(SPI + 0x28);
}

static volatile unsigned ticks;
void on_irq(void);
void on_irq(void)
{
    BYTE(TC + 14) = 0x10;
    ticks++;
    REG(PORT(0) + 0x1c) = 1u << 19; /* LED0 */
}

int main(void)
{
    /* generator 0: the DFLL, 48 MHz; generator 1: 8 MHz by 8 */
    REG(0x40000820) &= ~0x300u;
    REG(0x40000c08) = 1 | 8 << 8;
    REG(0x40000c04) = 1 | 6 << 8 | 1 << 16;
    REG(0x40000c04) = 0 | 7 << 8 | 1 << 16;
    clock(0x14, 0);
    clock(0x18, 0);
    clock(0x1b, 1);
    /* 115200 baud by fractions: 26.04 */
    REG(USART) = 1;
    HALF(USART + 12) = 26;
    REG(USART + 4) = 3 << 16;
    REG(USART) = 1 << 2 | 1 << 13 | 1 << 30 | 2;
    for (const char *s = "hello from a Cortex-M0+\n"; *s; s++)
        put(*s);
    while (!(BYTE(USART + 0x18) & 2))
        ;
    REG(PORT(1) + 8) = 1u << 31 | 1 << 15;
    REG(PORT(1) + 0x18) = 1u << 31 | 1 << 15;
    REG(SPI) = 3 << 2;
    BYTE(SPI + 12) = 5;
    REG(SPI + 4) = 1 << 17;
    REG(SPI) |= 2;
    REG(PORT(1) + 0x14) = 1u << 31;
    exchange(0x80 | 0x1c);
    uint8_t part = exchange(0);
    REG(PORT(1) + 0x18) = 1u << 31;
    check("spi", part == 11);
    REG(PORT(0) + 8) = 1 << 19;
    check("port", REG(PORT(0)) == 1 << 19 && REG(0x60000000) == 1 << 19);
    HALF(TC + 24) = 999;
    BYTE(TC + 13) = 0x10;
    REG(0xe000e100) = 1 << 18;
    HALF(TC) = 2 | 1 << 5; /* to CC0, at 1 MHz: every millisecond */
    while (ticks < 10)
        __asm__ volatile("wfi");
    unsigned count = HALF(TC + 16);
    check("tc", count == 999 || count < 20);   /* it interrupts when it comes to 999 */
#if WIDE == 1                                  /* ARMv6-M has no such instruction, */
    __asm__ volatile(".short 0xf04f, 0x0001"); /* mov.w r0, #1 */
#elif WIDE == 2                                /* nor in RAM */
    static volatile uint16_t code[] = {0xf04f, 0x0001, 0x4770};
    ((void (*)(void))((uintptr_t)code | 1))();
#endif
    port_end(0);
    return 0;
}
