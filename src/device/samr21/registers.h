/* Registers of the SAM R21 are 8, 16 or 32 bits wide, and firmware uses each at any width (bit fields of C do). So each
 * byte is a register of its own here, and a device acts on the byte that decides.
 */
#ifndef DEVICE_SAMR21_REGISTERS_H
#define DEVICE_SAMR21_REGISTERS_H

#include "node/map.h"
#include "node/node.h"

static inline void samr21_plain(struct wiring *w, const struct device *d, uint32_t address, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        wire_register(w, d, address + i, 0, WIRE_PLAIN, 0xff);
}

/* Read-only. */
static inline void samr21_fixed(struct wiring *w, const struct device *d, uint32_t address, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        wire_register(w, d, address + i, 0, WIRE_PLAIN, 0);
}

/* Byte i is told with role + i. */
static inline void samr21_told(struct wiring *w, const struct device *d, uint32_t address, unsigned bytes,
                               unsigned role, unsigned mode)
{
    for (unsigned i = 0; i < bytes; i++)
        wire_register(w, d, address + i, role + i, mode, mode & WIRE_STORE ? 0xff : 0);
}

static inline uint32_t samr21_get(const struct node *n, uint32_t address, unsigned bytes)
{
    const uint8_t *at = n->data + map_place(n->machine, address);
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)at[i] << 8 * i;
    return value;
}

static inline void samr21_set(struct node *n, uint32_t address, unsigned bytes, uint32_t value)
{
    uint8_t *at = n->data + map_place(n->machine, address);
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

#endif
