/* Basic clock module (SLAU049, chapter 4): DCO, crystal oscillators, dividers, and what the low-power bits of SR stop.
 *
 * Invariant: after each call the periods of MCLK, SMCLK and ACLK are a function of the module's registers, of SR and of
 * how often DCOCTL was changed to and fro.
 *
 * The DCO's frequency is that of the datasheet's typical figures: one for each RSEL at DCO = 3, a constant ratio from
 * one DCO step to the next. MOD mixes two neighbouring steps over 32 cycles; the model gives every cycle the mean
 * period, so that the frequency grows smoothly and without jitter over the whole of DCOCTL, and software that searches
 * for a frequency by comparing with ACLK finds it.
 *
 * Software that goes up and down until a measurement is exactly right (Contiki's) lives on the drift of a real DCO: one
 * step of MOD can be several counts, and none the right one. So each change of DCOCTL that takes back the direction of
 * the one before puts the DCO off by up to half a step of MOD, each time elsewhere. A DCO that is just set is exact.
 */
#ifndef DEVICE_MSP430_BASIC_CLOCK_H
#define DEVICE_MSP430_BASIC_CLOCK_H

#include "device/bits.h"

struct msp430_basic_clock {
    uint16_t dcoctl, bcsctl1, bcsctl2;
    struct bits fault_flag; /* OFIFG; its interrupt is nmi.h's */
    double dco_hz[8];       /* by RSEL, at DCO = 3, MOD = 0 */
    double dco_step;        /* ratio of one DCO step */
    double xt2_hz;          /* 0: no crystal fitted */
};

extern const struct device_type msp430_basic_clock;

#endif
