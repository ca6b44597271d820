/* Scenarios: networks as a Lua file describes them. */
#ifndef MOTET_SCENARIO_H
#define MOTET_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/base/types.h"
#include "motet/error.h"
#include "motet/network.h"

#include "motet/base/begin.h"

/* A network defined by a Lua file, with actions at given times and checks at the end (docs/scenarios.md). The caller
 * runs the network to motet_scenario_next and lets the scenario act, until motet_scenario_until. */
typedef struct motet_scenario motet_scenario;

/* What the file's `parameter(name, default)` returns in place of the default. */
struct motet_scenario_parameter {
    const char *name, *value;
};

/* `seed` and `threads` are what the file gets if it does not say. A parameter that it does not ask for is refused. */
motet_scenario *motet_scenario_load(const char *path, uint64_t seed, unsigned threads,
                                    const struct motet_scenario_parameter *parameters, size_t parameter_count,
                                    struct motet_error *e);
void motet_scenario_free(motet_scenario *s); /* with its network and machines */
motet_network *motet_scenario_network(const motet_scenario *s);
uint64_t motet_scenario_until(const motet_scenario *s); /* MOTET_NEVER if the file does not say */
uint64_t motet_scenario_next(const motet_scenario *s);  /* when it wants to act next, MOTET_NEVER if it does not */
bool motet_scenario_act(motet_scenario *s, struct motet_error *e); /* does everything that is due now */
bool motet_scenario_over(const motet_scenario *s);                 /* an action has ended the run */

/* It acts on conditions (`when`), which become true at times that nobody knows before: it cannot be the actor of a
 * timeline. */
bool motet_scenario_has_conditions(const motet_scenario *s);

/* What the nodes say on their serial ports, for its checks; numbered in the order of adding, from the thread of the
 * node. */
void motet_scenario_heard(motet_scenario *s, size_t number, unsigned line, uint8_t byte);

/* Runs the checks at the end; false with a sentence for each that failed, a line each. `failed` says how many. */
bool motet_scenario_check(motet_scenario *s, size_t *failed, struct motet_error *e);

/* The same without those at the end, for a run that was broken off: what has failed so far. */
bool motet_scenario_failed(const motet_scenario *s, size_t *failed, struct motet_error *e);

/* A check() in the file that was executed: what it says, how often it was asked and failed. In the order in which they
 * were first executed; false past the last. */
struct motet_scenario_checked {
    const char *place; /* "line 41" */
    const char *what;  /* the text it had when it was first executed */
    size_t times, failed;
    const char *sentences; /* of those that failed, a line each */
};
bool motet_scenario_checked(const motet_scenario *s, size_t number, struct motet_scenario_checked *c);

/* What the file reported (`report(name, number)`), in the order of the first report of each name. False: there are not
 * so many. */
struct motet_report {
    const char *name;
    double value;
};
bool motet_scenario_report(const motet_scenario *s, size_t number, struct motet_report *r);

#include "motet/base/end.h"

#endif
