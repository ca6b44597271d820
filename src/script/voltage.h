/* Voltages from a script: a Lua file with a function `volts(channel, seconds)`.
 *
 * Invariant: what a script says depends on the channel and the time alone, as for every analog source, so that a run
 * can be repeated. It has no access to files, the clock or random numbers, and assigning to a global after it was
 * loaded is an error.
 */
#ifndef SCRIPT_VOLTAGE_H
#define SCRIPT_VOLTAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct voltage_script;

struct voltage_script *voltage_script_load(const char *path, struct motet_error *e);
void voltage_script_free(struct voltage_script *s);

/* False with a sentence that names file and line if the function fails or gives no number (nil: nothing connected). */
bool voltage_script_at(struct voltage_script *s, unsigned channel, double seconds, int32_t *microvolts,
                       struct motet_error *e);

#endif
