/* Engines: how nodes execute their firmware. The loop over decoded instructions is the reference; the translator makes
 * host code of what is hot (isa/heat.h), in a module that is opened when it is first needed.
 *
 * Invariant: results are the same with each. So the engine is a matter of the process, not of a run: MOTET_ENGINE in
 * the environment says it.
 */
#ifndef API_ENGINE_H
#define API_ENGINE_H

#include "node/machine.h"

/* For a machine that is not used yet. */
bool engine_begin(struct machine *m, struct motet_error *e);

#endif
