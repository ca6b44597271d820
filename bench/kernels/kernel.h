/* Kernels: programs that compute for ever, in rounds, and leave the result of each round where a bench can read it.
 *
 * Invariant: `bench_history[r % 16]` holds the checksum of round r for the last 16 finished rounds, and `bench_rounds`
 * how many are finished, so two simulators can be compared on the rounds that both finished.
 */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include <stdint.h>

/* Tables in program memory, where that is another space. */
#ifdef __AVR__
#include <avr/pgmspace.h>
#else
#define PROGMEM
#define pgm_read_byte(place) (*(place))
#define pgm_read_word(place) (*(place))
#endif

volatile uint16_t bench_rounds;
volatile uint32_t bench_history[16];

/* A function of its own, for a debugger to stop at. */
static __attribute__((noinline)) void kernel_round_done(uint32_t checksum)
{
    bench_history[bench_rounds & 15] = checksum;
    bench_rounds++;
}

/* A generator of its own, so that every round works on other data without any input. */
static inline uint16_t kernel_random(uint16_t *state)
{
    uint16_t x = *state;
    x ^= x << 7;
    x ^= x >> 9;
    x ^= x << 8;
    return *state = x;
}

#endif
