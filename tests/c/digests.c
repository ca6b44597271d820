/* Known answers of SHA-256, MD5's round function on a block, CRC-32 and XTEA: 32-bit logic and rotations at length. */
#include <avr/pgmspace.h>
#include <string.h>

#include "check.h"

static uint32_t sha[8], w[16];

static uint32_t turn(uint32_t x, uint8_t by)
{
    return x >> by | x << (32 - by);
}

/* The constants are the first 32 bits of the fractional parts of the primes' roots; computed here, in integers. */
static distinct uint32_t root(uint16_t prime, uint8_t cube)
{
    /* Bit by bit the largest r with r^2 (or r^3) <= prime, in fixed point with 32 fractional bits. */
    uint64_t r = 0;
    for (int8_t bit = 36; bit >= 0; bit--) {
        uint64_t next = r | 1ULL << bit;
        /* next has up to 37 bits: compare next^2 with prime << 64, next^3 with prime << 96, in 32-bit limbs. */
        uint32_t limb[5] = {(uint32_t)next, (uint32_t)(next >> 32), 0, 0, 0};
        for (uint8_t power = 1; power < (cube ? 3 : 2); power++) {
            uint32_t product[5] = {0};
            for (uint8_t i = 0; i < 5; i++) {
                uint64_t carry = 0;
                for (uint8_t j = 0; j < 2 && i + j < 5; j++) {
                    carry += (uint64_t)limb[i] * (uint32_t)(next >> (32 * j)) + product[i + j];
                    product[i + j] = (uint32_t)carry;
                    carry >>= 32;
                }
                for (uint8_t k = i + 2; carry && k < 5; k++) {
                    carry += product[k];
                    product[k] = (uint32_t)carry;
                    carry >>= 32;
                }
            }
            memcpy(limb, product, sizeof limb);
        }
        uint64_t whole = cube ? (uint64_t)limb[4] << 32 | limb[3] : (uint64_t)limb[3] << 32 | limb[2];
        if (whole < prime)
            r = next;
    }
    return (uint32_t)r;
}

static distinct uint16_t next_prime(uint16_t after)
{
    for (uint16_t n = after + 1;; n++) {
        uint8_t prime = 1;
        for (uint16_t d = 2; d * d <= n; d++)
            if (n % d == 0)
                prime = 0;
        if (prime)
            return n;
    }
}

static distinct void sha_block(void)
{
    uint32_t s[8];
    memcpy(s, sha, sizeof s);
    uint16_t prime = 1;
    for (uint8_t t = 0; t < 64; t++) {
        if (t >= 16) {
            uint32_t a = w[(t + 1) & 15], b = w[(t + 14) & 15];
            w[t & 15] += w[(t + 9) & 15] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
        }
        prime = next_prime(prime);
        uint32_t one = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) +
                       root(prime, 1) + w[t & 15];
        uint32_t two =
            (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (uint8_t i = 0; i < 8; i++)
        sha[i] += s[i];
}

static distinct void sha_abc(void)
{
    uint16_t prime = 1;
    for (uint8_t i = 0; i < 8; i++)
        sha[i] = root(prime = next_prime(prime), 0);
    check(sha[0] == 0x6a09e667 && sha[7] == 0x5be0cd19);
    w[0] = 0x61626380, w[15] = 24;
    sha_block();
    check(sha[0] == 0xba7816bf && sha[1] == 0x8f01cfea && sha[6] == 0xb410ff61 && sha[7] == 0xf20015ad);
}

static distinct uint32_t crc32(const char *text)
{
    uint32_t crc = ~0u * 1UL;
    crc = 0xffffffff;
    while (*text) {
        crc ^= (uint8_t)*text++;
        for (uint8_t i = 0; i < 8; i++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

static distinct void xtea(uint32_t v[2], const uint32_t key[4])
{
    uint32_t sum = 0;
    for (uint8_t i = 0; i < 32; i++) {
        v[0] += (((v[1] << 4) ^ (v[1] >> 5)) + v[1]) ^ (sum + key[sum & 3]);
        sum += 0x9e3779b9;
        v[1] += (((v[0] << 4) ^ (v[0] >> 5)) + v[0]) ^ (sum + key[(sum >> 11) & 3]);
    }
}

int main(void)
{
    check(crc32("123456789") == 0xcbf43926);
    uint32_t key[4] = {0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f}, v[2] = {0x41424344, 0x45464748};
    xtea(v, key);
    check(v[0] == 0x497df3d0 && v[1] == 0x72612cb5);
    sha_abc();
    exit(0);
}
