/* Meter: how long each component of a node was in which state, and what it used there.
 *
 * A current times the time it flowed. Where a current goes with the CPU's clock, its cycles are counted in place of the
 * time. What a meter gives to others is in motet/energy.h; the monitor `energy` also lists the states.
 */
#ifndef MONITOR_METER_H
#define MONITOR_METER_H

#include "monitor/currents.h"
#include "monitor/states.h"
#include "motet/energy.h"

enum { METER_LEDS = 8, METER_ITEMS = 3 * STATES + METER_LEDS };

struct motet_meter {
    motet_node *node;
    const motet_machine *machine;
    const char *text; /* of the board's table; NULL: the table is from a file */
    struct currents currents;
    struct states cpu, radio, flash, leds[METER_LEDS];
    struct motet_led led[METER_LEDS];
    size_t led_count;
    bool has_radio, has_flash;
    double more_sent; /* milliamperes times ticks that sending took over what `radio sending` says at 0 dBm */
    motet_tap *hook;
};

/* What was spent up to this moment is added to the states that the components are in. */
void meter_settle(struct motet_meter *m, uint64_t tick, uint64_t cycles);

/* As motet_meter_free, after the node has ended, and its taps with it: monitors are freed then. */
void meter_drop(struct motet_meter *m);

struct meter_item {
    const char *component, *state;
    double seconds, milliamps; /* on average; NaN if the table does not say */
    double millijoules;
};

struct meter_bill {
    struct meter_item items[METER_ITEMS];
    size_t count;
    double seconds, millijoules;
};

void meter_add_up(const struct motet_meter *m, struct meter_bill *b);

#endif
