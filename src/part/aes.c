#include "part/aes.h"

#include <stdbool.h>
#include <string.h>

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

/* The S-box is the inverse in GF(2^8) followed by an affine map (section 5.1.1). x^254 is the inverse; 0 has 0. */
static uint8_t substitute(uint8_t x)
{
    uint8_t x2 = aes_times(x, x), x3 = aes_times(x2, x), x6 = aes_times(x3, x3), x12 = aes_times(x6, x6),
            x15 = aes_times(x12, x3);
    uint8_t y = x15;
    for (int i = 0; i < 4; i++)
        y = aes_times(y, y);              /* x^240 */
    y = aes_times(y, aes_times(x12, x2)); /* x^254 */
    unsigned twice = y * 0x0101u;
    return (uint8_t)(y ^ twice >> 7 ^ twice >> 6 ^ twice >> 5 ^ twice >> 4 ^ 0x63);
}

static void next_key(uint8_t key[AES_BLOCK], uint8_t constant)
{
    for (int i = 0; i < 4; i++)
        key[i] ^= substitute(key[12 + (i + 1) % 4]);
    key[0] ^= constant;
    for (int i = 4; i < AES_BLOCK; i++)
        key[i] ^= key[i - 4];
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

void aes_encrypt(const uint8_t key[AES_BLOCK], uint8_t block[AES_BLOCK])
{
    uint8_t round_key[AES_BLOCK], constant = 1;
    memcpy(round_key, key, sizeof round_key);
    add_key(block, round_key);
    for (int round = 1; round <= 10; round++, constant = doubled(constant)) {
        substitute_and_shift(block);
        if (round < 10)
            mix_columns(block);
        next_key(round_key, constant);
        add_key(block, round_key);
    }
}
