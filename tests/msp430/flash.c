/* Firmware that writes its own flash, from flash: the CPU is held for the datasheet's cycles. */
#include <msp430.h>
#include <stdint.h>
#include <stdio.h>

static volatile uint16_t *const info = (volatile uint16_t *)0x1080;
static int failures;

static void check(const char *what, uint16_t is, uint16_t should)
{
    if (is != should) {
        printf("%s: %u, not %u\n", what, is, should);
        failures++;
    }
}

/* Cycles from one read of TAR to the next around a write. */
static uint16_t __attribute__((noinline)) timed(volatile uint16_t *to, uint16_t value)
{
    uint16_t before = TAR;
    *to = value;
    return TAR - before;
}

/* A function to be placed elsewhere. */
static uint16_t __attribute__((noinline, section(".text.moved"))) seven(void)
{
    return 7;
}

int main(void)
{
    TACTL = TASSEL1 | MC1;
    uint16_t plain = timed(info, 0); /* locked: nothing happens */
    check("locked", info[0], 0xffff);
    FCTL2 = FWKEY | FSSEL0 | 2; /* MCLK / 3 */
    FCTL3 = FWKEY;
    FCTL1 = FWKEY | WRT;
    check("cycles of a write", timed(info, 0x1234) - plain, 3 * 35 - 1);
    check("written", info[0], 0x1234);
    timed(info, 0x0ff0);
    check("written again", info[0], 0x0230);
    *((volatile uint8_t *)info + 3) = 0x55;
    check("a byte", info[1], 0x55ff);

    volatile uint16_t *code = (volatile uint16_t *)0xe000;
    const uint16_t *from = (const uint16_t *)(uintptr_t)seven;
    for (unsigned i = 0; i < 8; i++)
        code[i] = from[i];
    check("code in its new place", ((uint16_t(*)(void))0xe000)(), 7);

    FCTL1 = FWKEY | ERASE;
    check("cycles of an erase", timed(info, 0) - plain, 3 * 4819 - 1);
    FCTL1 = FWKEY;
    FCTL3 = FWKEY | LOCK;
    check("erased", info[0] & info[1], 0xffff);
    check("status", FCTL3, 0x9618);
    return failures;
}
