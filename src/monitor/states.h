/* States: how long something was in which state, by name, in ticks and in cycles of the CPU.
 *
 * Invariant: the times of all states add up to the time from the first entry to the last.
 */
#ifndef MONITOR_STATES_H
#define MONITOR_STATES_H

#include "monitor/monitor.h"

enum { STATES = 16 };

struct states {
    const char *names[STATES]; /* of those entered so far, in that order */
    uint64_t ticks[STATES], cycles[STATES], entries[STATES];
    size_t count, now;
    uint64_t since, since_cycles;
};

/* From this moment on it is in that state; `name` lives as long as this. */
void states_enter(struct states *s, uint64_t tick, uint64_t cycles, const char *name);

/* What was spent up to this moment is added to the state it is in. */
void states_settle(struct states *s, uint64_t tick, uint64_t cycles);

/* The power was cut and is back: ticks and cycles count anew. What was spent after the last entry or settling is lost.
 */
void states_restart(struct states *s, uint64_t tick, uint64_t cycles, const char *name);
bool states_power_on(const struct motet_happened *h); /* whether it reports that */

uint64_t states_ticks(const struct states *s, const char *name); /* 0 if it was never entered */
const char *states_radio(enum motet_radio_state state);          /* its name */

#endif
