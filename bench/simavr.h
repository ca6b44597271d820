/* simavr: the reference for AVR programs, through Debian's libsimavr.
 *
 * Invariant: simulated time never waits for real time (the sleep callback does nothing), and nothing is printed.
 */
#ifndef BENCH_SIMAVR_H
#define BENCH_SIMAVR_H

#include <stdint.h>

struct simavr;

/* NULL where simavr does not know the chip or cannot read the ELF file. */
struct simavr *simavr_new(const char *elf, const char *chip, uint32_t frequency);

/* Runs until at least `cycle`, to the end of the batch of instructions in which it is reached; returns the cycle it
 * stopped at, or 0 where the program crashed or ended. */
uint64_t simavr_run_until(struct simavr *s, uint64_t cycle);

const uint8_t *simavr_data(const struct simavr *s); /* data space, from register r0 on */
void simavr_free(struct simavr *s);

#endif
