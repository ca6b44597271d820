/* A SERCOM of the SAM R21 (SAM R21 datasheet, 26 to 28) as a USART with its own clock, or as an SPI master of 8 bits.
 * Its other modes are reported when they are switched on.
 *
 * Invariant: the interrupt line is high exactly while a flag of INTFLAG is set that INTENSET has enabled.
 */
#ifndef DEVICE_SAMR21_SERCOM_H
#define DEVICE_SAMR21_SERCOM_H

#include "node/device.h"

struct samr21_sercom {
    uint32_t base;
    uint8_t line;   /* exception */
    uint8_t clock;  /* its generic clock */
    uint8_t number; /* of its serial line and of its SPI bus */
};

extern const struct device_type samr21_sercom;

#endif
