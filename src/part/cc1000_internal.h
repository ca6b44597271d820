/* What the files of the CC1000 share.
 */
#ifndef PART_CC1000_INTERNAL_H
#define PART_CC1000_INTERNAL_H

#include "node/machine.h"
#include "node/node.h"
#include "node/pins.h"
#include "part/cc1000.h"
#include "part/earshot.h"

enum cc1000_register {
    MAIN = 0x00,
    FREQ_2A = 0x01,
    FREQ_2B = 0x04,
    FSEP1 = 0x07,
    FSEP0 = 0x08,
    CURRENT = 0x09,
    FRONT_END = 0x0a,
    PA_POW = 0x0b,
    PLL = 0x0c,
    LOCK = 0x0d,
    CAL = 0x0e,
    MODEM2 = 0x0f,
    MODEM1 = 0x10,
    MODEM0 = 0x11,
    MATCH = 0x12,
    FSCTRL = 0x13,
    PRESCALER = 0x1c,
    TEST6 = 0x40,
    CC1000_REGISTERS = 0x47,
};

enum { /* bits */
       MAIN_RXTX = 0x80,
       MAIN_F_REG = 0x40,
       MAIN_RX_PD = 0x20,
       MAIN_TX_PD = 0x10,
       MAIN_FS_PD = 0x08,
       MAIN_CORE_PD = 0x04,
       MAIN_RESET_N = 0x01,
       CAL_START = 0x80,
       CAL_COMPLETE = 0x08,
       LOCK_CONTINUOUS = 0x02,
       LOCK_INSTANT = 0x01,
};

enum cc1000_mode { CC1000_OFF, CC1000_RECEIVES, CC1000_TRANSMITS };
enum { EVENT_CLOCK, EVENT_CALIBRATED, EVENTS };

struct cc1000 {
    struct earshot ear;
    uint64_t clock_start; /* ticks */
    uint64_t clock_bytes; /* since then */
    uint64_t begin;       /* of the current transmission; NEVER: nothing of it was sent */
    double hertz;
    uint32_t rate; /* bits a second */
    uint32_t transmission;
    uint16_t sent_bytes;
    uint8_t registers[CC1000_REGISTERS];
    uint8_t mode;
    uint8_t shift, bits, address; /* configuration interface */
};

/* cc1000_data.c */
void cc1000_switch(struct node *n, const struct device *d); /* MAIN, a frequency or the data rate was written */
void cc1000_clock(struct node *n, const struct device *d);  /* EVENT_CLOCK */
void cc1000_hear(struct node *n, const struct device *d, const struct air_message *m);
int32_t cc1000_rssi(struct node *n, const struct device *d, unsigned role);

#endif
