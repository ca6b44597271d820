/* Unknown bits through an AVR instruction. */
#ifndef ISA_AVR_UNKNOWN_H
#define ISA_AVR_UNKNOWN_H

#include "isa/unknown.h"

struct node;

/* isa->spread */
enum unknown_use avr_spread(const struct node *n, struct unknown *u, const struct unknown_memory *memory);

#endif
