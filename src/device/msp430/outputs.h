/* Timer outputs that start conversions elsewhere on the chip.
 *
 * A timer says msp430_output() whenever the level of such an output changes while somebody waits for it
 * (msp430_output_awaited, which changes only by register writes): a timer need not schedule anything for an output that
 * nobody waits for. Invariant: who waits is told every change, in order.
 */
#ifndef DEVICE_MSP430_OUTPUTS_H
#define DEVICE_MSP430_OUTPUTS_H

#include "node/node.h"

enum msp430_output { MSP430_TA_OUT1, MSP430_TA_OUT2, MSP430_TB_OUT0, MSP430_TB_OUT1, MSP430_TB_OUT2 };

bool msp430_output_awaited(const struct node *n, enum msp430_output output);
void msp430_output(struct node *n, enum msp430_output output, bool level);

#endif
