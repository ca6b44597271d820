/* GPIO of the nRF52840 (Product Specification, 6.9): pins of P0 and P1 with their configuration. */
#ifndef DEVICE_NRF52_GPIO_H
#define DEVICE_NRF52_GPIO_H

#include "device/nrf52/block.h"

struct nrf52_gpio {
    struct nrf52_block block;
    uint8_t first; /* pin of the node that is pin 0 here */
    uint8_t count;
};

#define NRF52_PIN(port, number) ((port)*32u + (number))

extern const struct device_type nrf52_gpio;

#endif
