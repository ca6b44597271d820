/* What the translator's module and the program must agree on: they share structures, and are files of their own. */
#ifndef ISA_LAYOUT_H
#define ISA_LAYOUT_H

#include "node/machine.h"
#include "node/node.h"

/* Differs where a structure of one is not that of the other, as far as sizes and places show it. */
static inline uint64_t isa_layout(void)
{
    return sizeof(struct node) ^ (uint64_t)sizeof(struct machine) << 16 ^ (uint64_t)sizeof(struct node_state) << 32 ^
           (uint64_t)offsetof(struct node, horizon) << 40 ^ (uint64_t)offsetof(struct node, cpu) << 50;
}

#endif
