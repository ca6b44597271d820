/* malloc, free, realloc and calloc: blocks never overlap, keep their contents, and memory comes back. */
#include <string.h>

#include "check.h"

#define BLOCKS 12
static uint8_t *block[BLOCKS], size[BLOCKS];

static void verify(uint8_t i)
{
    for (uint8_t k = 0; k < size[i]; k++)
        check(block[i][k] == (uint8_t)(i * 17 + k));
}

static void fill(uint8_t i)
{
    for (uint8_t k = 0; k < size[i]; k++)
        block[i][k] = i * 17 + k;
}

int main(void)
{
    for (uint16_t round = 0; round < 400; round++) {
        uint32_t random = check_random();
        uint8_t i = random % BLOCKS, bytes = (random >> 8) % 60 + 1;
        if (!block[i]) {
            block[i] = malloc(bytes);
        } else if (random & 0x10000) {
            verify(i);
            free(block[i]);
            block[i] = NULL;
            continue;
        } else {
            verify(i);
            block[i] = realloc(block[i], bytes);
            check(block[i]);
            uint8_t kept = size[i] < bytes ? size[i] : bytes;
            size[i] = kept;
            verify(i);
        }
        check(block[i]);
        size[i] = bytes;
        fill(i);
    }
    for (uint8_t i = 0; i < BLOCKS; i++) {
        if (block[i])
            verify(i);
        free(block[i]);
    }
    void *all = malloc(800); /* everything was given back and joined */
    check(all);
    free(all);
    check(!malloc(opaque(60000u)));
    uint32_t *zeros = calloc(10, sizeof *zeros);
    for (uint8_t i = 0; i < 10; i++)
        check(zeros[i] == 0);
    exit(0);
}
