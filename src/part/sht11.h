/* SHT11: temperature and humidity over Sensirion's two-wire protocol (datasheet, version 4).
 *
 * The sensor listens to the edges of SCK and DATA; it puts a bit on DATA when SCK falls and takes one when SCK rises. A
 * measurement takes the typical time for its resolution and ends with DATA pulled low. What it measures are two analog
 * lines, read as microdegrees Celsius and millionths of a per cent of relative humidity, or constants where nothing
 * feeds them. Invariant: the sensor pulls DATA low or leaves it to the resistor; without power it does nothing and
 * forgets all.
 */
#ifndef PART_SHT11_H
#define PART_SHT11_H

#include "node/device.h"

struct sht11 {
    uint8_t data, clock, power;              /* pins */
    uint8_t temperature_line, humidity_line; /* analog */
    int32_t temperature, humidity;           /* where nothing feeds them */
};

extern const struct device_type part_sht11;

#endif
