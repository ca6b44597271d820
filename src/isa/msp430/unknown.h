/* Unknown bits through an MSP430 instruction. */
#ifndef ISA_MSP430_UNKNOWN_H
#define ISA_MSP430_UNKNOWN_H

#include "isa/unknown.h"

struct node;

/* isa->spread */
enum unknown_use msp430_spread(const struct node *n, struct unknown *u, const struct unknown_memory *memory);

#endif
