/* Timer outputs that start conversions elsewhere on the chip.
 *
 * ADC12 and DAC12 may wait for the same output, while a timer tells one watcher: that is the ADC12, which passes on
 * what it hears. Invariant: after msp430_outputs_settle() the timers tell of exactly those outputs that somebody waits
 * for.
 */
#ifndef DEVICE_MSP430_OUTPUTS_H
#define DEVICE_MSP430_OUTPUTS_H

#include "node/node.h"

enum msp430_output { MSP430_TA_OUT1, MSP430_TB_OUT0, MSP430_TB_OUT1, MSP430_TB_OUT2, MSP430_OUTPUTS };

/* Whether somebody waits for the output has changed. */
void msp430_outputs_settle(struct node *n);

/* A timer has told the ADC12. */
void msp430_output(struct node *n, enum msp430_output output, bool level);

#endif
