/* Ports of a run: the serial ports of all nodes, each connected to a place outside as --serial says.
 *
 * Input is given between windows of simulated time, so that input from a file is part of the run. A node that is the
 * only one has the terminal: its board's port and the console are on standard input and output unless an option says
 * otherwise. Invariant: nothing is opened or written before all options have been checked.
 */
#ifndef CLI_PORTS_H
#define CLI_PORTS_H

#include "run.h"

struct ports;

/* Checks the options; opens nothing. `terminal`: the only node has standard input and output. NULL with a sentence. */
struct ports *ports_new(const struct run_options *o, motet_network *n, bool terminal, struct motet_error *e);

/* Opens all of them and waits for clients that are to connect. */
bool ports_open(struct ports *p, bool quiet, struct motet_error *e);
bool ports_close(struct ports *p, struct motet_error *e); /* writes what is left */
void ports_free(struct ports *p);                         /* NULL is allowed */

/* A byte that a node has sent, in the node's thread; false if its port is connected to nothing. */
bool ports_put(struct ports *p, size_t node, unsigned line, uint8_t byte);

/* Gives the nodes what has come in. */
bool ports_feed(struct ports *p, struct motet_error *e);
uint64_t ports_due(const struct ports *p); /* when the next input of a known time comes, MOTET_NEVER if none does */
bool ports_flush(struct ports *p, struct motet_error *e);

bool ports_have_input(const struct ports *p);            /* there is input, or more may come */
bool ports_are_alive(const struct ports *p);             /* likewise, at times that are not known before */
bool ports_wait(struct ports *p, struct motet_error *e); /* for input, 100 ms at most */

/* Standard output ends within a line. */
bool ports_within_line(const struct ports *p);

/* For a debugger: when there will be something to give, MOTET_NEVER if there is nothing now; and gives it. Given once:
 * a debugger that goes back and forth repeats it by itself. */
uint64_t ports_next(struct ports *p);
bool ports_give(struct ports *p, struct motet_error *e);

#endif
