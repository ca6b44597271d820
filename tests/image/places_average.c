#include "places.h"

static uint32_t total; /* the same name as in places.c */

uint16_t places_average(const uint16_t *values, uint8_t count)
{
    total = 0;
    for (uint8_t n = 0; n < count; n++)
        total += values[n];
    return (uint16_t)(total / count);
}
