/* Timed input: bytes that arrive on a serial line at given times, from a file.
 *
 * Each line of the file is a time and bytes: text in double quotes, with C's escapes, or hexadecimal bytes.
 *
 *     # time  bytes
 *     100ms   "status\r\n"
 *     250ms   7e 42 "abc" 7e
 *
 * The bytes of a line follow each other without a gap. They pass a receiver that is off, or a node that is, and are
 * lost, as on a wire. Invariant: times never decrease; what is due is a function of simulated time alone.
 */
#ifndef CLI_TIMED_INPUT_H
#define CLI_TIMED_INPUT_H

#include "motet/motet.h"

struct timed_input;

/* NULL with a sentence that says the line. Ticks (@N) are the node's. */
struct timed_input *timed_input_load(const char *path, const motet_node *n, struct motet_error *e);
void timed_input_free(struct timed_input *t); /* NULL is allowed */

/* Gives the node what is due at that time of the network. */
void timed_input_feed(struct timed_input *t, motet_node *n, unsigned line, uint64_t now);
uint64_t timed_input_next(const struct timed_input *t); /* when the next line is due, MOTET_NEVER after the last */
bool timed_input_pending(const struct timed_input *t);  /* bytes are due that the port had no room for */

#endif
