/* A component that calls another one: meter.c. */
#include "scale.h"

#include "meter.h"

static uint16_t readings[4];
static uint8_t next;
static uint32_t sum;

uint16_t scale_weigh(const struct scale_load *load)
{
    uint16_t reading = load->weight + scale_tare() + load->parts[next & 1];
    sum += reading - readings[next];
    readings[next] = reading;
    next = (next + 1) % 4;
    return meter_add((uint16_t)(sum / 4)) + (uint16_t)load->serial;
}

uint8_t scale_readings(void)
{
    return next;
}
