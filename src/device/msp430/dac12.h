/* DAC12 (SLAU049, chapter 18): two 12-bit voltage outputs on A6 and A7.
 *
 * A value written to DAC12_xDAT reaches the output when its latch is loaded: at once, when both of a group are written,
 * or at a rising edge of a timer output. The voltage is computed from registers and latch at each read; only a
 * calibration has an event. Invariant: the latch changes only by the rule that DAC12LSEL names.
 */
#ifndef DEVICE_MSP430_DAC12_H
#define DEVICE_MSP430_DAC12_H

#include "device/msp430/analog.h"
#include "device/msp430/dma.h"
#include "device/msp430/outputs.h"
#include "device/msp430/shared_line.h"

enum { MSP430_DAC12_CHANNELS = 2 };

struct msp430_dac12 {
    uint16_t ctl[MSP430_DAC12_CHANNELS], dat[MSP430_DAC12_CHANNELS];
    uint8_t lines[MSP430_DAC12_CHANNELS]; /* analog */
    const struct msp430_shared_line *interrupt;
    struct msp430_dma_line latched; /* of channel 0 */
};

extern const struct device_type msp430_dac12;

bool msp430_dac12_awaits(const struct node *n, const struct device *d, enum msp430_output output);
void msp430_dac12_output(struct node *n, const struct device *d, enum msp430_output output, bool level);

#endif
