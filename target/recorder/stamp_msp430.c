#include "stamp.h"

#ifdef MOTET_STAMP

#include "port.h"

/* Cycles from setting the timer on the way out to the application, 7, and from an interrupt to reading it in
 * motet_enter, 35: the CPU's response, the vector's stub, and what comes before in motet_enter. Less one: see above. To
 * a handler it is five more than to the rest of the application, which replay knows (replay_stamps.h). What lies
 * between a write of the timer and a read right after it is added by stamp_begin. */
#define STAMP_AWAY 41

uint16_t motet_stamp[3] __attribute__((section(".noinit")));

#ifndef ENTERS_ALL
PRIVATE uint8_t stamp_fails(const uint8_t *frame)
{
    return (motet_stamp[1] & ~1) != STAMP_RUNS || (frame[FRAME_STATUS] & SCG1) || (BCSCTL2 & 0xfe);
}

PRIVATE void stamp_come_soon(void)
{
    *(volatile uint16_t *)CHIP_STAMP_COMPARE = STAMP_SOON;
}
#endif

/* A number in the text of assembly. */
#define TEXT(number)  TEXT_(number)
#define TEXT_(number) #number

PRIVATE void stamp_begin(void)
{
    *(volatile uint16_t *)CHIP_STAMP_COMPARE = STAMP_HALFWAY;
    __asm__ volatile("mov #" TEXT(STAMP_CLEAR) ", &" TEXT(CHIP_STAMP_CONTROL) "\n\tmov &" TEXT(
                         CHIP_STAMP_COUNT) ", &motet_stamp+4" ::
                         : "memory");
    STAMP_CONSTANT += STAMP_AWAY;
}

#endif
