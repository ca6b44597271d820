/* A hash of 32 bits, word by word: a sum that is turned before each, and beside it the sums so far. Sums alone agree
 * where one register counts up and another down. src/record/replay_trial.c has the same for the host. */
#ifndef MIX_H
#define MIX_H

#include <stdint.h>

struct mixed {
    uint16_t a, b;
};
static inline struct mixed mix(struct mixed m, uint16_t word)
{
    m.a = (uint16_t)((m.a << 1 | m.a >> 15) + word);
    m.b = (uint16_t)(m.b << 8 | m.b >> 8) ^ m.a;
    return m;
}

#endif
