#include "board.h"

uint16_t node_id = 1;

volatile uint8_t board_clock_users; /* read by board_sleep() */

void board_clock_hold(void)
{
    cpu_state saved = atomic_begin();
    board_clock_users++;
    atomic_end(saved);
}

void board_clock_release(void)
{
    cpu_state saved = atomic_begin();
    board_clock_users--;
    atomic_end(saved);
}
