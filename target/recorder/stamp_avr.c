#include "stamp.h"

#ifdef MOTET_STAMP

#include "port.h"

/* Cycles from setting the timer in motet_leave to the application, 16 (17), and from there to reading it in
 * motet_enter: the CPU's response, the vector, its stub and two pushes, 18 (20); with the profiles small and tiny 5
 * more. To a handler it is five more than to the rest of the application, which replay knows (replay_stamps.h). In
 * brackets with addresses of three bytes. Not among them is what lies between a write of the timer and a read right
 * after it, which stamp_begin measures. motet_stamp[3] has all. */
#ifdef LEAN
#define STAMP_AWAY (39 + 3 * (PC_BYTES - 2))
#else
#define STAMP_AWAY (34 + 3 * (PC_BYTES - 2))
#endif

uint8_t motet_stamp[4] __attribute__((section(".noinit")));

/* The CPU's clock is the timer's, and motet cc refuses what stops either. */
PRIVATE uint8_t stamp_fails(const uint8_t *frame)
{
    (void)frame;
    return 0;
}

static inline volatile uint8_t *stamp_register(uint16_t at)
{
    return (volatile uint8_t *)at;
}

PRIVATE void stamp_come_soon(void)
{
    *(volatile uint16_t *)CHIP_STAMP_COMPARE = STAMP_SOON;
}

PRIVATE void stamp_begin(void)
{
    uint8_t after;
    *stamp_register(CHIP_STAMP_CONTROL_A) = 0;
    *(volatile uint16_t *)CHIP_STAMP_COMPARE = STAMP_HALFWAY;
    *stamp_register(CHIP_STAMP_CONTROL_B) = 1;
    __asm__ volatile("sts %1+1, __zero_reg__\n\tsts %1, __zero_reg__\n\tlds %0, %1"
                     : "=r"(after)
                     : "n"(CHIP_STAMP_COUNT));
    motet_stamp[3] = STAMP_AWAY + after;
}

#endif
