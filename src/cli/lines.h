/* Lines: what many nodes print, in one order.
 *
 * Each node's bytes are gathered into lines in the thread that runs it; when the run pauses they are printed by time,
 * then by node, each after its node's id. Invariant: what is printed, and in which order, does not depend on the
 * threads. A line that is not ended comes out when it is too long, or at the end.
 */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lines;

struct lines *lines_new(size_t nodes);
void lines_free(struct lines *l);

/* In the thread that runs the node: a byte for standard output, or a whole text for standard error. */
void lines_put(struct lines *l, size_t node, uint32_t id, uint64_t time, uint8_t byte);
void lines_say(struct lines *l, size_t node, uint64_t time, const char *text);

bool lines_waiting(const struct lines *l); /* there is something to print */

/* While nothing runs: prints what is there; at the end also lines that are not ended. */
void lines_print(struct lines *l, bool at_end);

#endif
