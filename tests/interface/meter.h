/* A component that counts, for switched.c. */
#ifndef METER_H
#define METER_H

#include <stdint.h>

uint16_t meter_add(uint16_t number);
uint16_t meter_read(const uint8_t *data, uint8_t length);
uint16_t meter_offset(void); /* outside */

#endif
