/* Supply voltage supervisor (SLAU049, chapter 6).
 *
 * Compares the supply with the level that VLD chooses, once the comparator has settled (SVSON). The supply of a board
 * is constant, so the supervisor trips when it is switched on or never. Its register outlives every reset but a
 * brown-out. The external input (VLD = 15) counts as above its threshold.
 */
#ifndef DEVICE_MSP430_SVS_H
#define DEVICE_MSP430_SVS_H

#include "node/node.h"

struct msp430_svs {
    uint16_t control;        /* SVSCTL */
    uint16_t millivolts[16]; /* by VLD; 0: never below */
};

extern const struct device_type msp430_svs;

#endif
