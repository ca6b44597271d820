/* ADC12 (SLAU049, chapter 17): a 12-bit converter with 16 result registers.
 *
 * Time is counted in cycles of the selected source clock: a conversion is synchronised to the cycle after its trigger,
 * samples for as long as SHTx says (or as SHI is high, SHP = 0), and takes 13 ADC12CLK from the end of sampling
 * (17.2.4). The input is what it is at the end of sampling. Each conversion costs two events. The internal reference
 * rises evenly over the datasheet's settling time after REFON is set. Invariant: flags, ADC12BUSY and results are those
 * of now; bits that can be changed only while ENC is clear do not change while it is set.
 */
#ifndef DEVICE_MSP430_ADC12_H
#define DEVICE_MSP430_ADC12_H

#include "device/msp430/analog.h"
#include "device/msp430/dma.h"
#include "device/msp430/outputs.h"
#include "device/msp430/timer.h"

struct msp430_adc12 {
    uint16_t ctl0, ctl1, ifg, ie, iv;
    uint16_t mctl0, mem0; /* 16 bytes, 16 words */
    uint8_t line;         /* interrupt */
    uint8_t pins[8];      /* A0 to A7 */
    struct msp430_dma_line ready;
    double settle_seconds; /* of the internal reference */
    struct {
        const struct msp430_timer *timer;
        uint8_t block;
    } outputs[MSP430_OUTPUTS]; /* where they come from */
};

extern const struct device_type msp430_adc12;

bool msp430_adc12_awaits(const struct node *n, const struct device *d, enum msp430_output output);
void msp430_adc12_output(struct node *n, const struct device *d, enum msp430_output output, bool level);

/* Asks the timers to tell of these outputs (bits by enum msp430_output) and no others. */
void msp430_adc12_watch(struct node *n, const struct device *d, unsigned outputs);

/* The internal reference, microvolts, as it is now; 0 while it is off. */
int32_t msp430_adc12_reference(const struct node *n);

#endif
