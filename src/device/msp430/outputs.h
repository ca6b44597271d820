/* Timer outputs that start conversions elsewhere on the chip.
 *
 * ADC12 and DAC12 may wait for the same output, while a timer has one watcher for each. That watcher is the ADC12,
 * which passes signals on. Invariant: after msp430_outputs_settle() exactly those outputs are watched that a converter
 * waits for.
 */
#ifndef DEVICE_MSP430_OUTPUTS_H
#define DEVICE_MSP430_OUTPUTS_H

#include "node/node.h"

enum msp430_output { MSP430_TA_OUT1, MSP430_TB_OUT0, MSP430_TB_OUT1, MSP430_TB_OUT2, MSP430_OUTPUTS };

/* Whether a converter waits for the output has changed. */
void msp430_outputs_settle(struct node *n);

/* A timer has signalled the ADC12. */
void msp430_output(struct node *n, enum msp430_output output, bool level);

#endif
