/* The allocator: blocks taken and returned in changing order never overlap. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 12 };

static uint8_t *block[BLOCKS];
static uint8_t size[BLOCKS];

static uint8_t intact(uint8_t i)
{
    for (uint8_t k = 0; k < size[i]; k++)
        if (block[i][k] != (uint8_t)(i * 17 + 3))
            return 0;
    return 1;
}

int main(void)
{
    for (uint16_t round = 0; round < 150; round++) {
        uint8_t i = (uint8_t)(rand() % BLOCKS);
        if (block[i] && !intact(i))
            return 1;
        uint8_t wanted = (uint8_t)(1 + rand() % 40);
        if (round % 3 == 0) {
            free(block[i]);
            block[i] = NULL;
            size[i] = 0;
            continue;
        }
        uint8_t *moved = realloc(block[i], wanted);
        if (!moved)
            return 2;
        block[i] = moved;
        size[i] = wanted;
        memset(moved, i * 17 + 3, wanted);
    }
    for (uint8_t i = 0; i < BLOCKS; i++)
        if (block[i] && !intact(i))
            return 3;
    return malloc(20000) == NULL ? 0 : 4;
}
