/* Words: the 16-bit registers of an MSP430 as its devices keep them, little-endian in the node's register bytes. */
#ifndef DEVICE_MSP430_WORDS_H
#define DEVICE_MSP430_WORDS_H

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
