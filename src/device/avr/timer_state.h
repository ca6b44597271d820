/* The inside of an AVR timer: its state, and bringing it up to date. For timer*.c alone.
 *
 * Everything that looks at the state first calls timer_look (up to now) or timer_pass (beyond the clock at the end of
 * the cycle of a write), and timer_settle after having changed anything.
 */
#ifndef DEVICE_AVR_TIMER_STATE_H
#define DEVICE_AVR_TIMER_STATE_H

#include "device/avr/clocks.h"
#include "device/avr/timer.h"

/* Writes that wait for the asynchronous clock; compare registers by channel. */
enum { PENDING_COUNT, PENDING_COMPARE, PENDING_CONTROL = PENDING_COMPARE + WAVEFORM_CHANNELS, PENDING_KINDS = 6 };

enum { TIMER_EVENT_CLOCK, TIMER_EVENT_FLAGS, TIMER_EVENT_DEAD, TIMER_EVENTS = TIMER_EVENT_DEAD + WAVEFORM_CHANNELS };

/* The channel that stands for the USI's clock. */
enum { TIMER_STROBE = 2 };

struct timer_state {
    uint64_t last; /* the cycle of its clock up to which all this holds */
    struct prescaler prescaler;
    struct sampler clock, capture; /* the pins Tn; ICPn or the comparator */
    struct waveform wave;
    uint16_t divisor;                /* or TIMER_STOPPED, ... */
    uint8_t control[TIMER_CONTROLS]; /* TCCRnx in effect */
    uint8_t temp;

    /* What the rest of the chip knows already. */
    uint8_t told_flags, told_outputs, told_connected;
    uint8_t
        connected;   /* as configured: a bit for each channel with its output on its pin; bits 4 to 6: its complement */
    uint8_t stopped; /* by power reduction */
    uint8_t fast;    /* counts in AVR_CLOCK_FAST */
    uint8_t strobes; /* the USI's clock: channel C, which the timer lacks, matches with A and toggles */

    /* Asynchronous operation. */
    uint8_t asynchronous, external;
    uint8_t fresh;  /* flags on their way to the CPU */
    uint8_t deaf;   /* this sleep began before the interrupt logic had recovered from the last wake-up */
    uint8_t roused; /* an interrupt of the timer came in the last sleep */
    uint16_t asleep_count;
    uint16_t pending_value[PENDING_KINDS];
    uint64_t pending_due[PENDING_KINDS]; /* 0: none; NEVER: waits for the I/O clock to come back */
    uint64_t fresh_due;                  /* in I/O cycles */
    uint64_t oscillator;                 /* rising edges of TOSC1, with EXCLK */
    uint64_t slept, woken;               /* ticks of the last sleep this timer has ended: 1 + its beginning, its end */
};

/* The field as it is in effect, of one of the control registers. */
unsigned timer_control(const struct timer_config *c, const struct timer_state *s, struct bits b);

/* A control register takes effect, force strobes included. */
void timer_configure(const struct timer_config *c, struct timer_state *s);
void timer_take_control(const struct timer_config *c, struct timer_state *s, unsigned which, uint8_t value);

/* All pending writes take effect. */
void timer_take_pending(const struct timer_config *c, struct timer_state *s);

/* A flag is cleared. */
void timer_clear(struct timer_state *s, unsigned flag);

/* The device's events are to come now, after what else a write does: settles, when others have seen it too. */
void timer_settle_soon(struct node *n, const struct device *d);

/* Works out which channels cannot match. */
void timer_disable(const struct timer_config *c, struct timer_state *s);

static inline unsigned timer_clock(const struct timer_state *s)
{
    return s->asynchronous ? (unsigned)AVR_CLOCK_ASY : s->fast ? (unsigned)AVR_CLOCK_FAST : (unsigned)CLOCK_IO;
}

static inline uint64_t timer_now(const struct node *n, const struct timer_state *s)
{
    return s->asynchronous && s->external ? s->oscillator : node_cycle(n, timer_clock(s));
}

void timer_look(struct node *n, const struct device *d);
void timer_pass(struct node *n, const struct device *d);

/* Tells the chip what has changed, at the right moment, and schedules what will be visible next. */
void timer_settle(struct node *n, const struct device *d);

/* The same now: flags into their registers, interrupt lines, outputs, listeners. */
void timer_tell(struct node *n, const struct device *d);

/* Reads of TCNT, of the flags' register and of ASSR as loops that wait for them see them (device_type.outlook). Both
 * change nothing, and answer for an asynchronous timer up to the next edge of its clock. False: not now. */
bool timer_outlook_count(const struct node *n, const struct device *d, struct outlook *s);
bool timer_outlook_flags(const struct node *n, const struct device *d, struct outlook *s);
bool timer_outlook_asynchronous(const struct node *n, const struct device *d, struct outlook *s);

/* The dead time of a channel is over: the output that rises does so. */
void timer_dead_time_over(struct node *n, const struct device *d, unsigned channel);

/* Puts the pin of a channel, and of a modulator's partner, to where the outputs say. */
void timer_drive(struct node *n, const struct device *d, unsigned channel);

#endif
