/* Bits: a field of a register, as chip tables name it.
 *
 * A field with width 0 is absent on this chip: it reads as 0 and setting it does nothing, so a device need not ask
 * which chip it is on.
 */
#ifndef DEVICE_BITS_H
#define DEVICE_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include "node/node.h"

struct bits {
    uint16_t reg; /* data-space address */
    uint8_t shift, width;
};

#define BIT(register_, bit)                            \
    {                                                  \
        .reg = (register_), .shift = (bit), .width = 1 \
    }
#define BITS(register_, bit, width_)                          \
    {                                                         \
        .reg = (register_), .shift = (bit), .width = (width_) \
    }

static inline uint8_t bits_mask(struct bits b)
{
    return (uint8_t)(((1u << b.width) - 1) << b.shift);
}

/* The field as the register byte holds it now; does not ask the register's device. */
static inline unsigned bits_get(const struct node *n, struct bits b)
{
    return (n->data[b.reg] & bits_mask(b)) >> b.shift;
}

/* The same of a field of one bit, or none. */
static inline unsigned bits_one(const struct node *n, struct bits b)
{
    return n->data[b.reg] >> b.shift & b.width;
}

/* Sets or clears a field of one bit, or none; returns what it was. */
static inline unsigned bits_put(struct node *n, struct bits b, bool on)
{
    uint8_t *at = &n->data[b.reg], mask = (uint8_t)(b.width << b.shift), old = *at;
    *at = on ? old | mask : old & (uint8_t)~mask;
    return (old & mask) != 0;
}

static inline void bits_set(struct node *n, struct bits b, unsigned value)
{
    uint8_t mask = bits_mask(b);
    n->data[b.reg] = (uint8_t)((n->data[b.reg] & ~mask) | ((value << b.shift) & mask));
}

#endif
