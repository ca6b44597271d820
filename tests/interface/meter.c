#include "meter.h"

static uint16_t sum;

uint16_t meter_add(uint16_t number)
{
    sum += number + meter_offset();
    return sum;
}

uint16_t meter_read(const uint8_t *data, uint8_t length)
{
    for (uint8_t i = 0; i < length; i++)
        sum = (uint16_t)(sum * 3 + data[i]);
    return sum;
}
