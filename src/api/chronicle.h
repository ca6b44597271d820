/* Chronicles: what nodes did in an execution, and which of their variables it changed.
 *
 * An event is a task, which main() calls, or a handler of an interrupt. What changes in variables between its beginning
 * and its end is its doing, but for what handlers do that interrupt it. An execution has thousands of events, and most
 * of them change what always changes: clocks, counts. So a chronicle tells only a few, those with the changes that are
 * rarest in the execution. Variables that properties read come first.
 *
 * Invariant: looking changes nothing, and what is told is a function of the execution.
 */
#ifndef API_CHRONICLE_H
#define API_CHRONICLE_H

#include "check/properties.h"
#include "check/walk.h"
#include "motet/check.h"
#include "motet/network.h"

struct chronicle;

/* Of a network that has not run; what happens before `from`, in nanoseconds, is not told. */
struct chronicle *chronicle_new(motet_network *n, uint64_t from);
void chronicle_free(struct chronicle *s);

/* The execution is over: tells what happened up to the error of a node. `p` may be NULL. */
void chronicle_tell(struct chronicle *s, const struct trace *choices, uint64_t until, uint32_t node,
                    const struct properties *p);

/* What is told, in the order of time; false past the last. */
bool chronicle_event(const struct chronicle *s, size_t number, struct motet_check_event *e);

#endif
