/* A peripheral with registers of 32 bits from a base address on: the config of such a device begins with a struct
 * block32.
 */
#ifndef DEVICE_CORTEX_BLOCK32_H
#define DEVICE_CORTEX_BLOCK32_H

#include "device/cortex/register32.h"
#include "node/device.h"

struct block32 {
    uint32_t base;
    uint8_t line; /* exception; 0: none */
};

static inline const struct block32 *block32_of(const struct device *d)
{
    return d->config;
}

/* A register that is memory; one of which the device is told. */
static inline void block32_plain(struct wiring *w, const struct device *d, uint32_t offset, uint32_t mask)
{
    wire_register(w, d, block32_of(d)->base + offset, 0, WIRE_LONG | WIRE_PLAIN, mask);
}

static inline void block32_told(struct wiring *w, const struct device *d, uint32_t offset, unsigned role, unsigned mode)
{
    wire_register(w, d, block32_of(d)->base + offset, role, WIRE_LONG | mode, mode & WIRE_STORE ? 0xffffffff : 0);
}

static inline uint32_t block32_get(const struct node *n, const struct device *d, uint32_t offset)
{
    return register32_get(n, block32_of(d)->base + offset);
}

static inline void block32_set(struct node *n, const struct device *d, uint32_t offset, uint32_t value)
{
    register32_set(n, block32_of(d)->base + offset, value);
}

#endif
