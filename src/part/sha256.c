#include "part/sha256.h"

#include <string.h>

/* The first 32 bits of the fractions of the square roots of the first eight primes, and of the cube roots of the first
 * 64 (sections 5.3.3 and 4.2.2). */
static const uint32_t initial[SHA256_WORDS] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

void sha256_begin(uint32_t hash[SHA256_WORDS])
{
    memcpy(hash, initial, sizeof initial);
}

/* Section 6.2.2; w holds the last sixteen words of the schedule. */
void sha256_block(uint32_t hash[SHA256_WORDS], const uint8_t block[SHA256_BLOCK])
{
    uint32_t w[16], s[SHA256_WORDS];
    memcpy(s, hash, sizeof s);
    for (unsigned t = 0; t < 64; t++) {
        uint32_t *word = &w[t % 16];
        if (t < 16) {
            const uint8_t *b = block + 4 * t;
            *word = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
        } else {
            uint32_t early = w[(t + 1) % 16], late = w[(t + 14) % 16];
            *word += (rotated(early, 7) ^ rotated(early, 18) ^ early >> 3) + w[(t + 9) % 16] +
                     (rotated(late, 17) ^ rotated(late, 19) ^ late >> 10);
        }
        uint32_t first = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) +
                         ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[t] + *word;
        uint32_t second = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) +
                          ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, sizeof s - sizeof *s);
        s[4] += first;
        s[0] = first + second;
    }
    for (unsigned i = 0; i < SHA256_WORDS; i++)
        hash[i] += s[i];
}
