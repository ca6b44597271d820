#include "rate.h"

static uint16_t last;

void rate_event(uint16_t value)
{
    last = value;
}
