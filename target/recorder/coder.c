#include "coder.h"

#include "out.h"

struct coder motet_coder __attribute__((section(".noinit")));

#ifndef CODER_ASSEMBLY
PRIVATE void coder_settle(void)
{
    out_put((uint8_t)(K.low >> 8));
    K.low = (uint16_t)(K.low << 8);
}

static void coder_add(uint16_t number)
{
    K.low += number;
    if (K.low < number)
        out_carry();
}

static void coder_normalize(void)
{
    if (K.range < 0x100) {
        coder_settle();
        K.range = (uint16_t)(K.range << 8);
    }
}

PRIVATE uint8_t code(struct coder *c, uint8_t *probability, uint8_t bit)
{
    uint8_t p = *probability;
    uint16_t bound = (uint16_t)((uint32_t)K.range * p >> 8); /* is for a one */
    (void)c;
    if (bit) {
        K.range = bound;
        *probability = (uint8_t)(p + ((256 - p + 8) >> 4));
    } else {
        K.range -= bound;
        *probability = (uint8_t)(p - ((p + 8) >> 4));
        coder_add(bound);
    }
    coder_normalize();
    return bit;
}

PRIVATE uint16_t code_raw(struct coder *c, uint8_t bits, uint16_t value, uint16_t result)
{
    (void)c, (void)result;
    for (; bits; bits--) {
        K.range >>= 1;
        if (value & 0x8000)
            coder_add(K.range);
        value = (uint16_t)(value << 1);
        coder_normalize();
    }
    return 0;
}
#endif
