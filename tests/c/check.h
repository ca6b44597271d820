/* Checks for C programs that run on the machine: each program ends by exit(0) if all of them held, else by abort().
 *
 * Invariant: what is checked is computed on the machine. Values that the compiler could fold go through `opaque`.
 * Checksums written as constants were computed by the same code on a PC, where the types' widths are the same.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>
#include <stdlib.h>

volatile uint16_t check_line; /* of the check that failed, for a debugger */

#define check(CONDITION)           \
    do {                           \
        if (!(CONDITION)) {        \
            check_line = __LINE__; \
            abort();               \
        }                          \
    } while (0)

/* The value itself, of which the compiler knows nothing. */
#define opaque(VALUE)                                      \
    ({                                                     \
        __typeof__(VALUE) opaque_ = (VALUE);               \
        __asm__ volatile("" : "+g"(opaque_) : : "memory"); \
        opaque_;                                           \
    })

#define distinct __attribute__((noinline, noclone))

/* Pseudo-random numbers (Marsaglia's xorshift), the same everywhere. */
static uint32_t check_state = 2463534242u;
static inline uint32_t check_random(void)
{
    check_state ^= check_state << 13;
    check_state ^= check_state >> 17;
    check_state ^= check_state << 5;
    return check_state;
}

static inline uint64_t check_random64(void)
{
    uint64_t high = check_random();
    return high << 32 | check_random();
}

static inline void check_mix(uint32_t *sum, uint32_t value)
{
    *sum = (*sum << 7 | *sum >> 25) ^ value;
}

#endif
