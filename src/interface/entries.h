/* Entries: whether an interrupt handler can call the component whose interface a node logs itself.
 *
 * Where such a handler interrupts the component, the log has no position for its call. So a firmware that has one is
 * refused when it is built. Invariant: a call that a handler makes by name, over any number of functions, is found. One
 * through a pointer is not: pointers lead to functions of the same type that only tasks call. The node itself notices
 * that, and counts it as a loss (target/interface/logger.h).
 */
#ifndef INTERFACE_ENTRIES_H
#define INTERFACE_ENTRIES_H

#include "interface/boundary.h"

/* The same for a component that may become what is logged while the node runs: a function inside that can sleep might
 * be under way then, without an event for its call. */
bool entries_check_sleep(const struct boundary *b, struct motet_error *e);

/* False with a sentence that names the handler, the function inside, and the call that leads there. */
bool entries_check(const struct boundary *b, struct motet_error *e);

#endif
