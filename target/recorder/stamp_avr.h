/* Cycle stamps on AVR. Part of stamp.h. The timer's interrupt is off before sleep. */
#ifndef STAMP_AVR_H
#define STAMP_AVR_H

/* The timer as motet_enter has read it, its flags then, and STAMP_AWAY with what a write and a read take. */
extern uint8_t motet_stamp[4];

#define STAMP_TAKEN    ((uint16_t)(motet_stamp[0] | motet_stamp[1] << 8))
#define STAMP_CONSTANT motet_stamp[3]
/* The flag was read after the count, which may have come round just then. */
#define STAMP_CAME_ROUND ((motet_stamp[2] & CHIP_STAMP_OVERFLOW) && STAMP_TAKEN < 0xfff0)

#endif
