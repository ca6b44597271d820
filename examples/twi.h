/* The two-wire (I2C) bus of an AVR as its only master, by polling. */
#ifndef TWI_H
#define TWI_H

#include <avr/io.h>
#include <stdint.h>

/* One step: START with 1 << TWSTA, a byte to read with 1 << TWEA or 0, else the byte in TWDR. Returns the status. */
static inline uint8_t twi_step(uint8_t what)
{
    TWCR = (uint8_t)(1 << TWINT | 1 << TWEN | what);
    loop_until_bit_is_set(TWCR, TWINT);
    return TWSR & 0xf8;
}

static inline uint8_t twi_send(uint8_t byte)
{
    TWDR = byte;
    return twi_step(0);
}

static inline void twi_stop(void)
{
    TWCR = 1 << TWINT | 1 << TWEN | 1 << TWSTO;
    loop_until_bit_is_clear(TWCR, TWSTO);
}

#endif
