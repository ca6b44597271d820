/* A photodiode over a resistor, on an analog line: a constant voltage unless the user feeds the line. */
#ifndef PART_PHOTODIODE_H
#define PART_PHOTODIODE_H

#include "node/device.h"

struct photodiode {
    uint8_t line;
    int32_t microvolts;
    double microvolts_per_lux;
};

extern const struct device_type part_photodiode;

#endif
