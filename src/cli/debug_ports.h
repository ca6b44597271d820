/* Ports under a debugger: serial ports connected to places outside, as --serial says.
 *
 * What comes in is given at whole milliseconds of simulated time, and once: a debugger that goes back and forth brings
 * it again by itself. Invariant: what is sent goes out once, however often it is executed.
 */
#ifndef CLI_DEBUG_PORTS_H
#define CLI_DEBUG_PORTS_H

#include "run.h"

struct debug_ports;

/* Either of a node alone or of a network. NULL with a sentence if something is wrong. */
struct debug_ports *debug_ports_open(const struct run_options *o, motet_node *alone, motet_network *n,
                                     struct motet_error *e);
bool debug_ports_close(struct debug_ports *p, struct motet_error *e);

/* A byte that has not been sent before; false if its port is connected to nothing. */
bool debug_ports_put(struct debug_ports *p, size_t node, unsigned line, uint8_t byte);

/* When there will be something to give, in ticks or nanoseconds, MOTET_NEVER if there is nothing now; and gives it. */
uint64_t debug_ports_next(struct debug_ports *p);
bool debug_ports_feed(struct debug_ports *p, struct motet_error *e);

#endif
