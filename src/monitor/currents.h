/* Currents: what a board's components draw in their states, as a text that a user can replace.
 *
 *     # a comment
 *     volts 3
 *     battery 2500                     milliampere-hours
 *     cpu active 8.0                   milliamperes
 *     cpu active 0.5/MHz               for each megahertz the CPU is clocked at
 *     radio sending 0 17.4             at 0 dBm; between the powers given it is interpolated
 *     led red 2.2                      led * 2.2 for all that have no line of their own
 *     flash write 15
 *
 * States are those of motet_node_doing and of the radio: off, idle, listening, sending.
 */
#ifndef MONITOR_CURRENTS_H
#define MONITOR_CURRENTS_H

#include "monitor/monitor.h"

struct current {
    char component[16], state[32];
    bool has_power; /* of a radio that sends */
    double power;   /* dBm */
    double milliamps;
    bool per_mhz;
};

struct currents {
    double volts, battery;
    struct current *list; /* sending by rising power */
    size_t count, room;
};

/* `name` is where the text is from, for the sentence about what is wrong with it. */
bool currents_read(struct currents *c, const char *text, const char *name, struct motet_error *e);
bool currents_load(struct currents *c, const char *path, struct motet_error *e);
void currents_free(struct currents *c);

/* NULL if the table does not say. For `sending` see below. */
const struct current *currents_find(const struct currents *c, const char *component, const char *state);

/* Of the radio that sends with that power; NaN if the table does not say. */
double currents_sending(const struct currents *c, double dbm);

#endif
