/* Affine numbers: what a number is in each round of a loop that changes it by the same step every time.
 *
 * For loops that only wait (isa/avr/wait.c, isa/msp430/wait.c): registers, what devices that count are read as, and
 * constants are affine numbers of one to four bytes. A comparison of two of them has the same answer for a number of
 * rounds that can be worked out. Invariant: affine_lasts never says more rounds than there are; it may say fewer.
 */
#ifndef ISA_AFFINE_H
#define ISA_AFFINE_H

#include <stdbool.h>
#include <stdint.h>

/* `at` in round 0 and at + i * step in round i, modulo 256^width. `at` is below that, `step` is in the signed range. */
struct affine {
    int64_t at, step;
    uint8_t width;
};

enum affine_test {
    AFFINE_EQUAL,
    AFFINE_BELOW, /* without sign */
    AFFINE_LESS,  /* with sign */
    AFFINE_TESTS,
};

/* A number that is taken modulo its width. */
struct affine affine_of(int64_t at, int64_t step, unsigned width);

/* Its value in a round. */
uint32_t affine_value(struct affine a, uint64_t round);

static inline bool affine_same(struct affine a, struct affine b)
{
    return a.at == b.at && a.step == b.step && a.width == b.width;
}

/* The answer in round 0. Both have the same width. */
bool affine_holds(enum affine_test test, struct affine a, struct affine b);

/* The last round of those from 0 on that all have the answer of round 0; UINT64_MAX: it never changes. */
uint64_t affine_lasts(enum affine_test test, struct affine a, struct affine b);

/* The last round of those from 0 on before which the number, without sign, has not passed from one end to the other. */
uint64_t affine_runs(struct affine a);

#endif
