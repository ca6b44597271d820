/* 16-bit registers as the node's register bytes hold them.
 */
#ifndef DEVICE_MSP430_WORD_H
#define DEVICE_MSP430_WORD_H

#include "node/node.h"

static inline uint16_t word_get(const struct node *n, uint16_t address)
{
    return (uint16_t)(n->data[address] | n->data[address + 1] << 8);
}

static inline void word_set(struct node *n, uint16_t address, unsigned value)
{
    n->data[address] = (uint8_t)value;
    n->data[address + 1] = (uint8_t)(value >> 8);
}

#endif
