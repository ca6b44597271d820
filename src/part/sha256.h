/* SHA-256: what a block of 64 bytes makes of the eight words before (FIPS 180-4).
 */
#ifndef PART_SHA256_H
#define PART_SHA256_H

#include <stdint.h>

enum { SHA256_BLOCK = 64, SHA256_WORDS = 8 };

void sha256_begin(uint32_t hash[SHA256_WORDS]);
void sha256_block(uint32_t hash[SHA256_WORDS], const uint8_t block[SHA256_BLOCK]);

#endif
