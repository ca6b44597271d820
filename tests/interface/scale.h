/* A component that weighs, for targets.c. */
#ifndef SCALE_H
#define SCALE_H

#include <stdint.h>

struct scale_load {
    uint16_t weight;
    uint8_t parts[2];
    uint32_t serial;
};

uint16_t scale_weigh(const struct scale_load *load);
uint8_t scale_readings(void);
uint16_t scale_tare(void); /* of the application */

#endif
