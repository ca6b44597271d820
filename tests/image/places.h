#include <stdint.h>

uint16_t places_average(const uint16_t *values, uint8_t count);
