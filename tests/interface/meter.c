#include "meter.h"

static uint16_t sum;

uint16_t meter_add(uint16_t number)
{
    sum += number + meter_offset();
    return sum;
}
