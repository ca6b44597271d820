/* Registers of 32 bits: what the bytes at their address hold, of chips on which address and place differ. */
#ifndef DEVICE_CORTEX_REGISTER32_H
#define DEVICE_CORTEX_REGISTER32_H

#include <string.h>

#include "node/machine.h"
#include "node/map.h"
#include "node/node.h"

static inline uint32_t register32_get(const struct node *n, uint32_t address)
{
    uint32_t value;
    memcpy(&value, n->data + map_place(n->machine, address), 4);
    return value;
}

static inline void register32_set(struct node *n, uint32_t address, uint32_t value)
{
    memcpy(n->data + map_place(n->machine, address), &value, 4);
}

#endif
