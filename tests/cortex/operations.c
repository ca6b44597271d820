/* Calls each of the operations with random numbers and prints a checksum of what it leaves: registers, flags, memory.
 */
#include <stdint.h>

#include "port.h"

typedef void operation(uint32_t state[9]);
extern operation *const operations[];

static uint32_t seed = 1;
static uint32_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

/* Numbers at the edges are as likely as others. */
static uint32_t interesting(void)
{
    static const uint32_t edges[16] = {0,          1,          0xffffffff, 0x80000000, 0x7fffffff, 0x8000,
                                       0x7fff8000, 0xff,       0x3f800000, 0xbf800000, 0x7f800000, 0x7fc12345,
                                       0x00000123, 0x4b000001, 0x7f812345, 0x00800000};
    uint32_t v = next();
    return v & 3 ? v : edges[v >> 8 & 15];
}

static uint32_t buffer[128];

int main(void)
{
    for (unsigned k = 0; operations[k]; k++) {
        uint32_t sum = 2166136261u;
        for (unsigned round = 0; round < 40; round++) {
            uint32_t state[9];
            for (unsigned i = 0; i < 9; i++)
                state[i] = interesting();
            for (unsigned i = 0; i < 128; i++)
                buffer[i] = next();
            state[7] = (uint32_t)(uintptr_t)buffer;
            state[8] &= 0xf80f0000;
            operations[k](state);
            state[7] -= (uint32_t)(uintptr_t)buffer;
            for (unsigned i = 0; i < 9; i++)
                sum = (sum ^ state[i]) * 16777619u;
            for (unsigned i = 0; i < 128; i++)
                sum = (sum ^ buffer[i]) * 16777619u;
        }
        port_number(k);
        port_put(' ');
        port_hex(sum);
        port_put('\n');
    }
    port_end(0);
    return 0;
}
