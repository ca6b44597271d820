/* DMA controller (SLAU049, chapter 8): three channels that move bytes and words while the CPU is halted.
 *
 * A trigger is an edge: the module that raises its flag calls msp430_dma_raise(), which costs a comparison unless a
 * channel has selected it. The transfer comes after one MCLK cycle of synchronisation, takes two cycles for each byte
 * or word and one more to give the bus back (8.2.5); the CPU waits meanwhile. Asleep, MCLK is started for the transfer
 * (five cycles, and the DCO's start where that stands still). Transfers go through the CPU's address space at their own
 * cycle, side effects included. Invariant: at most one transfer is under way, and what a channel does next follows from
 * its registers, its state and `turn` alone.
 */
#ifndef DEVICE_MSP430_DMA_H
#define DEVICE_MSP430_DMA_H

#include "device/msp430/timer.h"
#include "node/device.h"
#include "node/node.h"

enum { MSP430_DMA_CHANNELS = 3, MSP430_DMA_TRIGGERS = 16 };

/* The flag of a trigger: it is cleared when the transfer starts, and does not trigger while its interrupt is enabled
 * (8.2.3). CCIFG of a timer's block, a flag in a register, or (all zero) nothing to clear. */
struct msp430_dma_flag {
    const struct msp430_timer *timer;
    uint8_t block;
    uint16_t flag_register, enable_register;
    uint16_t flag, enable;
    bool word; /* 16-bit registers */
};

struct msp430_dma {
    uint16_t ctl0, ctl1;                    /* DMACTL0, DMACTL1 */
    uint16_t channels[MSP430_DMA_CHANNELS]; /* DMAxCTL; SA, DA and SZ follow */
    uint8_t external;                       /* pin of DMAE0 */
    uint8_t nmi_line;
    struct msp430_dma_flag flags[MSP430_DMA_TRIGGERS];
    const struct msp430_shared_line *interrupt;
};

extern const struct device_type msp430_dma;

/* What a module needs to know of the DMA controller to trigger it. All zero: the chip has none. */
struct msp430_dma_line {
    uint16_t select; /* DMACTL0 */
    uint8_t trigger; /* as in DMAxTSEL */
};

void msp430_dma_trigger(struct node *n, unsigned trigger);

/* Whether a channel has selected the trigger (it may yet be disabled). */
static inline bool msp430_dma_selected(const struct node *n, struct msp430_dma_line l)
{
    unsigned low = n->data[l.select], high = n->data[l.select + 1], t = l.trigger;
    return t && ((low & 15) == t || low >> 4 == t || (high & 15) == t);
}

static inline void msp430_dma_raise(struct node *n, struct msp430_dma_line l)
{
    if (msp430_dma_selected(n, l))
        msp430_dma_trigger(n, l.trigger);
}

#endif
