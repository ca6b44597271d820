/* An MSP430 to drive by hand: bare_node.h with clocks of known paces and the watchdog stopped.
 *
 * MCLK and SMCLK have one cycle a tick, ACLK one in 100 ticks, ADC12OSC one in 10.
 */
#ifndef TESTS_MSP430_IO_H
#define TESTS_MSP430_IO_H

#include "bare_node.h"

#include "chip/chips.h"
#include "device/msp430/clocks.h"
#include "device/msp430/pins.h"
#include "registers/msp430f1611.h"

static inline struct node *msp430_io(const struct board *board)
{
    struct node *n = bare_node(&chip_msp430f1611, board);
    node_set_clock(n, MSP430_MCLK, CLOCK_ONE);
    node_set_clock(n, MSP430_SMCLK, CLOCK_ONE);
    node_set_clock(n, MSP430_ACLK, 100 * CLOCK_ONE);
    node_set_clock(n, MSP430_ADC12OSC, 10 * CLOCK_ONE);
    node_write_word(n, WDTCTL, WDTPW | WDTHOLD);
    return n;
}

#endif
