#include "part/aes.h"

#include <stdbool.h>
#include <string.h>

enum { ROUND_KEYS = 15 * AES_BLOCK };

static uint8_t doubled(uint8_t x)
{
    return (uint8_t)(x << 1 ^ (x & 0x80 ? 0x1b : 0));
}

static uint8_t aes_times(uint8_t a, uint8_t b)
{
    uint8_t product = 0;
    for (; b; b >>= 1, a = doubled(a))
        if (b & 1)
            product ^= a;
    return product;
}

/* x^254, which is the inverse; 0 has 0. */
static uint8_t inverse(uint8_t x)
{
    uint8_t x2 = aes_times(x, x), x3 = aes_times(x2, x), x6 = aes_times(x3, x3), x12 = aes_times(x6, x6),
            x15 = aes_times(x12, x3);
    uint8_t y = x15;
    for (int i = 0; i < 4; i++)
        y = aes_times(y, y); /* x^240 */
    return aes_times(y, aes_times(x12, x2));
}

/* The S-box is the inverse in GF(2^8) followed by an affine map (section 5.1.1), and back (5.3.2). */
static uint8_t substitute(uint8_t x)
{
    uint8_t y = inverse(x);
    unsigned twice = y * 0x0101u;
    return (uint8_t)(y ^ twice >> 7 ^ twice >> 6 ^ twice >> 5 ^ twice >> 4 ^ 0x63);
}

static uint8_t substitute_back(uint8_t x)
{
    unsigned twice = x * 0x0101u;
    return inverse((uint8_t)(twice >> 7 ^ twice >> 5 ^ twice >> 2 ^ 0x05));
}

/* The keys of all rounds (5.2); how many rounds there are. */
static unsigned expand(const uint8_t *key, unsigned bytes, uint8_t round_keys[ROUND_KEYS])
{
    unsigned rounds = bytes / 4 + 6;
    uint8_t constant = 1;
    memcpy(round_keys, key, bytes);
    for (unsigned i = bytes; i < AES_BLOCK * (rounds + 1); i++) {
        unsigned column = i % bytes / 4;
        uint8_t last = round_keys[i - 4];
        if (column == 0)
            last = substitute(round_keys[i / 4 * 4 - 4 + (i + 1) % 4]) ^ (i % 4 == 0 ? constant : 0);
        else if (column == 4 && bytes == AES_KEY_MAX)
            last = substitute(last);
        if (i % bytes == 3)
            constant = doubled(constant);
        round_keys[i] = round_keys[i - bytes] ^ last;
    }
    return rounds;
}

static void substitute_and_shift(uint8_t block[AES_BLOCK])
{
    uint8_t old[AES_BLOCK];
    memcpy(old, block, sizeof old);
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++)
            block[4 * column + row] = substitute(old[4 * ((column + row) % 4) + row]);
}

static void mix_columns(uint8_t block[AES_BLOCK])
{
    for (uint8_t *c = block; c < block + AES_BLOCK; c += 4) {
        uint8_t all = c[0] ^ c[1] ^ c[2] ^ c[3], first = c[0];
        for (int i = 0; i < 4; i++) {
            uint8_t next = i < 3 ? c[i + 1] : first;
            c[i] ^= all ^ doubled(c[i] ^ next);
        }
    }
}

static void add_key(uint8_t block[AES_BLOCK], const uint8_t key[AES_BLOCK])
{
    for (int i = 0; i < AES_BLOCK; i++)
        block[i] ^= key[i];
}

static void substitute_and_shift_back(uint8_t block[AES_BLOCK])
{
    uint8_t old[AES_BLOCK];
    memcpy(old, block, sizeof old);
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++)
            block[4 * ((column + row) % 4) + row] = substitute_back(old[4 * column + row]);
}

/* The map to the fourth is none at all: three times is back. */
static void mix_columns_back(uint8_t block[AES_BLOCK])
{
    for (int i = 0; i < 3; i++)
        mix_columns(block);
}

void aes_encrypt_sized(const uint8_t *key, unsigned bytes, uint8_t block[AES_BLOCK])
{
    uint8_t keys[ROUND_KEYS];
    unsigned rounds = expand(key, bytes, keys);
    add_key(block, keys);
    for (unsigned round = 1; round <= rounds; round++) {
        substitute_and_shift(block);
        if (round < rounds)
            mix_columns(block);
        add_key(block, keys + AES_BLOCK * round);
    }
}

void aes_decrypt_sized(const uint8_t *key, unsigned bytes, uint8_t block[AES_BLOCK])
{
    uint8_t keys[ROUND_KEYS];
    unsigned rounds = expand(key, bytes, keys);
    for (unsigned round = rounds; round > 0; round--) {
        add_key(block, keys + AES_BLOCK * round);
        if (round < rounds)
            mix_columns_back(block);
        substitute_and_shift_back(block);
    }
    add_key(block, keys);
}

void aes_encrypt(const uint8_t key[AES_BLOCK], uint8_t block[AES_BLOCK])
{
    aes_encrypt_sized(key, AES_BLOCK, block);
}
