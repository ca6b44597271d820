/* Agent expressions: the byte code in which gdb sends the condition of a breakpoint ("Agent Expressions" in its
 * manual).
 *
 * Invariant: for any bytes, evaluation ends, stays within its stack and changes nothing.
 */
#ifndef GDB_AGENT_H
#define GDB_AGENT_H

#include "motet/timeline.h"

/* False if it is not well formed, divides by zero, reads what is not there or does not come to an end. */
bool agent_evaluate(const motet_node *n, const uint8_t *code, size_t size, int64_t *value);

#endif
