/* Shared lines: one interrupt vector for several modules whose flag and enable bits each lie in one register.
 *
 * Nothing is cleared when such an interrupt is taken. Invariant: after shared_line_update the line is what all of the
 * registers say, whichever module asked.
 */
#ifndef DEVICE_MSP430_SHARED_LINE_H
#define DEVICE_MSP430_SHARED_LINE_H

#include "device/msp430/words.h"
#include "node/node.h"

struct msp430_shared_source {
    uint16_t reg, flag, enable;
};

struct msp430_shared_line {
    uint8_t line;
    uint8_t count;
    struct msp430_shared_source sources[8];
};

static inline void msp430_shared_line_update(struct node *n, const struct msp430_shared_line *l)
{
    bool asks = false;
    for (unsigned i = 0; i < l->count; i++) {
        unsigned value = word_get(n, l->sources[i].reg);
        asks |= value & l->sources[i].flag && value & l->sources[i].enable;
    }
    node_irq(n, l->line, asks);
}

#endif
