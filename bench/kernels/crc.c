/* Byte-wise CRCs of a buffer: CRC-16 bit by bit, CRC-8 from a table in flash, and CCITT as avr-libc has it. */
#include "kernel.h"

#ifdef __AVR__
#include <util/crc16.h>
#else
static inline uint16_t _crc_ccitt_update(uint16_t crc, uint8_t byte)
{
    crc ^= byte;
    for (uint8_t bit = 0; bit < 8; bit++)
        crc = crc & 1 ? crc >> 1 ^ 0x8408 : crc >> 1;
    return crc;
}
#endif

static uint8_t buffer[512];
/* Of the polynomial x^8+x^2+x+1, four bits at a time. */
static const uint8_t nibble[16] PROGMEM = {0x00, 0x07, 0x0e, 0x09, 0x1c, 0x1b, 0x12, 0x15,
                                           0x38, 0x3f, 0x36, 0x31, 0x24, 0x23, 0x2a, 0x2d};

static uint16_t bitwise(const uint8_t *bytes, uint16_t count)
{
    uint16_t crc = 0xffff;
    while (count--) {
        crc ^= *bytes++;
        for (uint8_t bit = 0; bit < 8; bit++)
            crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
    }
    return crc;
}

static uint8_t tabled(const uint8_t *bytes, uint16_t count)
{
    uint8_t crc = 0;
    while (count--) {
        crc ^= *bytes++;
        crc = (uint8_t)(crc << 4) ^ pgm_read_byte(&nibble[crc >> 4]);
        crc = (uint8_t)(crc << 4) ^ pgm_read_byte(&nibble[crc >> 4]);
    }
    return crc;
}

int main(void)
{
    uint16_t state = 1;
    for (;;) {
        for (uint16_t i = 0; i < sizeof buffer; i++)
            buffer[i] = (uint8_t)kernel_random(&state);
        uint16_t ccitt = 0xffff;
        for (uint16_t i = 0; i < sizeof buffer; i++)
            ccitt = _crc_ccitt_update(ccitt, buffer[i]);
        kernel_round_done((uint32_t)bitwise(buffer, sizeof buffer) << 16 |
                          (uint16_t)(ccitt ^ tabled(buffer, sizeof buffer)));
    }
}
