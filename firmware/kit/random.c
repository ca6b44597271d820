#include "random.h"

#include "board.h"

/* Marsaglia's xorshift with 32 bits (Journal of Statistical Software 8/14, 2003). */
uint16_t random_next(void)
{
    static uint32_t state;
    if (state == 0)
        state = 0x9e3779b9UL ^ (uint32_t)node_id << 8;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state >> 16;
}
