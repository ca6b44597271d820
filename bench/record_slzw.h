/* S-LZW with a mini-cache, what TARDIS is compared with (C. M. Sadler and M. Martonosi, Data Compression Algorithms for
 * Energy-Constrained Devices in Delay Tolerant Networks, SenSys 2006): LZW in blocks of 528 bytes, two pages of the
 * flash, each with a dictionary of its own of 512 entries that stays as it is once it is full; entries used or made
 * lately are coded by their place in a cache of 32.
 *
 * Invariant: what slzw_decode makes of slzw_encode's output is what that was given.
 */
#ifndef BENCH_RECORD_SLZW_H
#define BENCH_RECORD_SLZW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Both return how many bytes there are, in memory of its own at *into. */
size_t slzw_encode(const uint8_t *bytes, size_t size, uint8_t **into);
size_t slzw_decode(const uint8_t *coded, size_t coded_size, size_t size, uint8_t **into);

#endif
