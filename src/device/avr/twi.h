/* The AVR two-wire interface: master and slave, transmitter and receiver.
 *
 * Work on the bus is done a step at a time: a START, an address or data byte with its acknowledge, a STOP. Between
 * steps TWINT is set, the firmware decides, and the clock is held low. A step costs one event and takes, in periods of
 * SCL, one for START and STOP and nine for a byte. Partners are reached by twi_signal at the end of each byte; as
 * slave, the device answers calls of twi_signal on its bus. Invariant: TWSR has a status other than 0xf8 exactly while
 * TWINT is set.
 */
#ifndef DEVICE_AVR_TWI_H
#define DEVICE_AVR_TWI_H

#include "device/avr/interrupt.h"
#include "node/device.h"

struct twi_config {
    uint16_t twbr, twsr, twar, twdr, twcr;
    uint16_t twamr; /* 0 if the chip has no address mask */
    struct avr_interrupt interrupt;
    uint8_t scl, sda;
    uint8_t bus;
    struct bits power_reduction;
};

enum twi_twcr { TWI_TWIE, TWI_TWEN = 2, TWI_TWWC, TWI_TWSTO, TWI_TWSTA, TWI_TWEA, TWI_TWINT };

/* Status codes, as the datasheet's tables name them. */
enum twi_status {
    TWI_STATUS_BUS_ERROR = 0x00,
    TWI_STATUS_START = 0x08,
    TWI_STATUS_REPEATED_START = 0x10,
    TWI_STATUS_MT_ADDRESS_ACK = 0x18,
    TWI_STATUS_MT_ADDRESS_NACK = 0x20,
    TWI_STATUS_MT_DATA_ACK = 0x28,
    TWI_STATUS_MT_DATA_NACK = 0x30,
    TWI_STATUS_ARBITRATION_LOST = 0x38,
    TWI_STATUS_MR_ADDRESS_ACK = 0x40,
    TWI_STATUS_MR_ADDRESS_NACK = 0x48,
    TWI_STATUS_MR_DATA_ACK = 0x50,
    TWI_STATUS_MR_DATA_NACK = 0x58,
    TWI_STATUS_SR_ADDRESS = 0x60,
    TWI_STATUS_SR_ADDRESS_LOST = 0x68,
    TWI_STATUS_SR_GENERAL = 0x70,
    TWI_STATUS_SR_GENERAL_LOST = 0x78,
    TWI_STATUS_SR_DATA_ACK = 0x80,
    TWI_STATUS_SR_DATA_NACK = 0x88,
    TWI_STATUS_SR_GENERAL_DATA_ACK = 0x90,
    TWI_STATUS_SR_GENERAL_DATA_NACK = 0x98,
    TWI_STATUS_SR_STOP = 0xa0,
    TWI_STATUS_ST_ADDRESS = 0xa8,
    TWI_STATUS_ST_ADDRESS_LOST = 0xb0,
    TWI_STATUS_ST_DATA_ACK = 0xb8,
    TWI_STATUS_ST_DATA_NACK = 0xc0,
    TWI_STATUS_ST_LAST_ACK = 0xc8,
    TWI_STATUS_NONE = 0xf8,
};

/* For chip tables. */
#define TWI_REGISTERS(vector_)                                            \
    .twbr = TWBR, .twsr = TWSR, .twar = TWAR, .twdr = TWDR, .twcr = TWCR, \
    .interrupt = {.vector = (vector_), .enable = BIT(TWCR, TWI_TWIE), .flag = BIT(TWCR, TWI_TWINT), .level = true}

extern const struct device_type twi_type;

#endif
