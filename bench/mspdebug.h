/* mspdebug's simulator: the reference for MSP430 programs, run as a program of its own.
 *
 * Invariant: it does nothing but run a kernel for a number of rounds, from one breakpoint to the next, and show memory
 * at the end; what start-up and breakpoints cost is found by running it for two lengths.
 */
#ifndef BENCH_MSPDEBUG_H
#define BENCH_MSPDEBUG_H

#include <stdbool.h>
#include <stdint.h>

/* Runs `rounds` rounds of the kernel, and copies `size` bytes (a multiple of 16) from `address` on. `seconds` is the
 * processor time all of this took. False if it cannot be run; the reason is printed. */
bool mspdebug_run(const char *elf, unsigned rounds, uint16_t address, uint8_t *bytes, unsigned size, double *seconds);

#endif
