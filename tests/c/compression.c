/* A small Lempel-Ziv compressor and its inverse give back what went in, and the size known from a PC. */
#include <string.h>

#include "check.h"

#define SIZE 300
static uint8_t input[SIZE], packed[SIZE + 40], output[SIZE];

static distinct uint16_t pack(const uint8_t *in, uint16_t size, uint8_t *out)
{
    uint16_t used = 0;
    for (uint16_t at = 0; at < size;) {
        uint16_t best = 0, distance = 0;
        for (uint16_t back = 1; back <= at && back < 256; back++) {
            uint16_t length = 0;
            while (at + length < size && length < 127 && in[at + length] == in[at + length - back])
                length++;
            if (length > best)
                best = length, distance = back;
        }
        if (best > 2) {
            out[used++] = 0x80 | best;
            out[used++] = distance;
            at += best;
        } else {
            out[used++] = in[at++] & 0x7f;
        }
    }
    return used;
}

static distinct uint16_t unpack(const uint8_t *in, uint16_t size, uint8_t *out)
{
    uint16_t made = 0;
    for (uint16_t at = 0; at < size;) {
        if (in[at] & 0x80) {
            for (uint8_t n = in[at] & 0x7f; n; n--, made++)
                out[made] = out[made - in[at + 1]];
            at += 2;
        } else {
            out[made++] = in[at++];
        }
    }
    return made;
}

int main(void)
{
    for (uint16_t i = 0; i < SIZE; i++)
        input[i] = i > 40 && check_random() % 8 ? input[i - 40] : check_random() % 20 + 'a';
    uint16_t size = pack(input, SIZE, packed);
    check(size == 133);
    check(unpack(packed, size, output) == SIZE && memcmp(input, output, SIZE) == 0);
    exit(0);
}
