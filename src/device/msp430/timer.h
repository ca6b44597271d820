/* Timer_A and Timer_B (SLAU049, chapters 11 and 12).
 *
 * Time. A write takes effect with its access: the next edge of the timer clock counts. The clock of the timer is that
 * of its source divided by 1, 2, 4 or 8, from the last TACLR on. A capture takes the count at the tick of the edge, or,
 * synchronised (SCS), the count after the next timer clock. COV is set by a capture that finds the one before unread.
 *
 * Invariant: the counter is worked out up to the cycle `last` of its source; only what others see by itself (a flag
 * whose interrupt is enabled or that is watched, an output that is selected on a pin or watched, a capture of ACLK) has
 * events. Pins are reached through the ports, which are listed after the timers.
 */
#ifndef DEVICE_MSP430_TIMER_H
#define DEVICE_MSP430_TIMER_H

#include "device/msp430/counter.h"
#include "node/node.h"
#include "node/pins.h"

/* Capture inputs other than pins (PIN_NONE: low). */
enum { MSP430_TIMER_ACLK = 0xf0, MSP430_TIMER_INTERNAL }; /* the latter is set by msp430_timer_input */

#define MSP430_TIMER_PINS 3u

struct msp430_timer_block {
    uint8_t inputs[2];                  /* CCIxA, CCIxB: a pin or one of the above */
    uint8_t outputs[MSP430_TIMER_PINS]; /* the pins TAx; PIN_NONE where there are fewer */
};

struct msp430_timer {
    uint16_t control, count, vector;          /* TACTL, TAR, TAIV */
    uint16_t block_control, compare;          /* TACCTL0, TACCR0; the others follow */
    uint8_t blocks;                           /* how many there are */
    bool latches;                             /* Timer_B */
    uint8_t overflow_vector;                  /* what the vector register shows for the overflow */
    uint8_t line_0, line;                     /* of block 0; of all else */
    uint8_t clock_pin, inverse_pin, high_pin; /* TACLK, INCLK, TBOUTH */
    struct msp430_timer_block block[COUNTER_BLOCKS];
};

extern const struct device_type msp430_timer;

/* ---- for other devices, which name a timer by its config ---- */

/* The signals of a block that can be watched: OUTx at each change, and CCIFGx when it is set. */
enum msp430_timer_signal { MSP430_TIMER_OUT, MSP430_TIMER_FLAG };

/* The watcher (NULL: none) gets the signal by its type's `input`, with this role. One watcher a signal. All watching
 * ends with a reset. */
void msp430_timer_watch(struct node *n, const struct msp430_timer *timer, unsigned block,
                        enum msp430_timer_signal signal, const struct device *watcher, unsigned role);

bool msp430_timer_level(struct node *n, const struct msp430_timer *timer, unsigned block,
                        enum msp430_timer_signal signal);

/* A DMA transfer begins: its trigger CCIFGx is reset. */
void msp430_timer_clear_flag(struct node *n, const struct msp430_timer *timer, unsigned block);

/* CCIE of the block: such a block's flag triggers no DMA. */
bool msp430_timer_interrupts(const struct node *n, const struct msp430_timer *timer, unsigned block);

/* The level of an input MSP430_TIMER_INTERNAL (the comparator's output). */
void msp430_timer_input(struct node *n, const struct msp430_timer *timer, unsigned block, bool level);

#endif
