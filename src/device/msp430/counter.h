/* The counter of Timer_A and Timer_B with its capture/compare blocks, in closed form (SLAU049, chapters 11 and 12).
 *
 * counter_run lets any number of timer clocks pass in a few steps, from one count that matters to the next. Invariant:
 * the result is that of counting each clock. What a clock does:
 *
 * - A block's compare value is reached when the count arrives there by a clock, not when either is written; in up/down
 *   mode on the way up and down, but block 0 on the way up only. That is "counts to TACCRx" of the guide: the flag and
 *   the output change with this clock. In up mode EQU0 moves outputs one clock later, with the roll from TACCR0 to
 *   zero. Where both EQUx and EQU0 move an output, EQUx has the last word in up mode, EQU0 in the others.
 * - The overflow flag comes with the clock that arrives at zero.
 * - In up mode a count above TACCR0 goes to zero, in up/down mode it turns round, with the next clock. TACCR0 = 0 halts
 *   at zero.
 * - Compare latches (Timer_B) are loaded after the comparison of the same clock.
 */
#ifndef DEVICE_MSP430_COUNTER_H
#define DEVICE_MSP430_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#define COUNTER_BLOCKS 7u

enum counter_mode { COUNTER_STOP, COUNTER_UP, COUNTER_CONTINUOUS, COUNTER_UP_DOWN };

/* CLLDx: when a compare latch takes over its register. */
enum counter_load { LOAD_AT_ONCE, LOAD_AT_ZERO, LOAD_AT_ENDS, LOAD_AT_LATCH };

enum { COUNTER_OVERFLOW = 0x80 }; /* in flags, above one bit for each block */

struct counter {
    uint16_t count, max;
    uint16_t compare[COUNTER_BLOCKS], latch[COUNTER_BLOCKS];
    uint8_t output_mode[COUNTER_BLOCKS];
    uint8_t load[COUNTER_BLOCKS];       /* enum counter_load */
    uint8_t group[COUNTER_BLOCKS];      /* the blocks that load together with this one; 0: none but it */
    uint8_t controller[COUNTER_BLOCKS]; /* the block of the group whose latch counts for LOAD_AT_LATCH */
    uint8_t mode, down, blocks, latches;
    uint8_t flags, outputs;
    uint8_t captures; /* blocks in capture mode */
    uint8_t sampling; /* blocks whose capture waits for the next clock */
    uint8_t unread, overrun;
    uint8_t inputs, sampled; /* CCI, SCCI */
    uint8_t written;         /* compare registers that wait for their latch to be loaded */
};

/* Lets up to `clocks` clocks pass, and stops after one that sets one of `flags` or changes one of `outputs`. Returns
 * how many passed; UINT64_MAX if it was asked for and nothing would ever stop it. */
uint64_t counter_run(struct counter *c, uint64_t clocks, uint8_t flags, uint8_t outputs);

/* No clock changes the count. */
bool counter_halted(const struct counter *c);

/* How many clocks the count only goes up by one from here; 0 if that is not known. */
uint64_t counter_rises(const struct counter *c);

/* A compare register is written. */
void counter_set_compare(struct counter *c, unsigned block, uint16_t value);

/* Loading has been configured anew: what need not wait, loads. */
void counter_load_changed(struct counter *c);

/* The count is captured now. */
void counter_capture(struct counter *c, unsigned block);

#endif
