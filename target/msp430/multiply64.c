/* 64-bit multiplication from 16-bit pieces. Built twice: FUNCTION is the name for code with or without the hardware
 * multiplier. See integer.S for why `b` comes first. */
#include <stdint.h>

uint64_t FUNCTION(uint64_t b, uint64_t a);

uint64_t FUNCTION(uint64_t b, uint64_t a)
{
    union pieces {
        uint64_t whole;
        uint16_t piece[4];
    } x = {a}, y = {b}, product = {0};
    for (uint8_t i = 0; i < 4; i++) {
        uint16_t carry = 0;
        for (uint8_t j = 0; i + j < 4; j++) {
            uint32_t sum = (uint32_t)x.piece[i] * y.piece[j] + product.piece[i + j] + carry;
            product.piece[i + j] = (uint16_t)sum;
            carry = (uint16_t)(sum >> 16);
        }
    }
    return product.whole;
}
