/* The inside of Timer_A and Timer_B: their state, and bringing it up to date. For timer*.c alone.
 *
 * Everything that looks at the state first calls msp430_timer_look, and msp430_timer_settle after having changed
 * anything.
 */
#ifndef DEVICE_MSP430_TIMER_STATE_H
#define DEVICE_MSP430_TIMER_STATE_H

#include "device/msp430/timer.h"

/* TACTL, TBCTL */
enum { IFG = 0x01, IE = 0x02, CLR = 0x04, CONTROL_A = 0x03fa, CONTROL_B = 0x7bfa };

/* TACCTLx, TBCCTLx; CLLD is Timer_B's, where Timer_A has SCCI */
enum {
    CCIFG = 0x01,
    COV = 0x02,
    OUT = 0x04,
    CCI = 0x08,
    CCIE = 0x10,
    CAP = 0x100,
    SCCI = 0x400,
    SCS = 0x800,
    BLOCK_A = 0xf9f4,
    BLOCK_B = 0xfff4,
};

enum edge { EDGE_RISING = 1, EDGE_FALLING = 2 };
enum msp430_timer_source { SOURCE_PIN, SOURCE_ACLK, SOURCE_SMCLK, SOURCE_INVERSE_PIN };
enum { ROLE_CLOCK_PIN = 32, ROLE_INVERSE_PIN, ROLE_HIGH_PIN }; /* roles of pins, after two for each block */
enum { TIMER_EVENT_VISIBLE, TIMER_EVENT_ACLK_RISES, TIMER_EVENT_ACLK_FALLS, TIMER_EVENTS };

struct watcher {
    uint8_t device; /* 1 + index; 0: none */
    uint8_t role;
};

struct msp430_timer_state {
    uint64_t last;  /* the cycle of its source up to which all this holds */
    uint64_t base;  /* a cycle of the source in which the divider was zero */
    uint64_t edges; /* of the pin that is the source */
    struct counter counter;
    uint16_t control;
    uint16_t block_control[COUNTER_BLOCKS]; /* as written: without flags and levels */
    struct watcher watchers[2][COUNTER_BLOCKS];
    uint8_t internal;    /* levels of inputs from inside the chip */
    uint8_t clock_level; /* of the source pin */
    uint8_t told_flags, told_outputs, told_high;
};

/* Where the timer's clock comes from; whether that is a pin, and its cycle now. */
enum msp430_timer_source msp430_timer_source(const struct msp430_timer_state *s);
bool msp430_timer_counts_pin(const struct msp430_timer_state *s);
uint64_t msp430_timer_source_cycle(const struct node *n, const struct msp430_timer_state *s);

void msp430_timer_look(struct node *n, const struct device *d);

/* Makes changes visible: outputs, flags, lines, and the events for what is visible next. */
void msp430_timer_settle(struct node *n, const struct device *d);

/* The selected input of a block, and the edges of it that are captured. */
bool msp430_timer_input_level(const struct node *n, const struct msp430_timer *c, const struct msp430_timer_state *s,
                              unsigned block);
unsigned msp430_timer_edges(const struct msp430_timer_state *s, unsigned block);

/* The input of a block may have changed; `armed` are the edges at which it captures. Edges of ACLK have events. */
void msp430_timer_sense(struct node *n, const struct device *d, unsigned block, unsigned armed);

/* The pin that is the clock may have changed. */
void msp430_timer_sense_clock(struct node *n, const struct device *d);

/* Flags whose interrupts are enabled. */
uint8_t msp430_timer_enabled(const struct msp430_timer *c, const struct msp430_timer_state *s);

/* The device's callbacks. */
void msp430_timer_event(struct node *n, const struct device *d, unsigned event);
void msp430_timer_pin(struct node *n, const struct device *d, unsigned role, bool level);

#endif
