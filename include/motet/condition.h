/* Motet: conditions over variables of several nodes: `node[5].cost > node[4].cost + 100`.
 *
 * A variable is node[ID].NAME, with members and elements; the rest is C: numbers, operators, parentheses. Nodes are
 * named by their ids.
 *
 * Invariant: a condition looks and changes nothing. What it says is about one moment of all its nodes.
 */
#ifndef MOTET_CONDITION_H
#define MOTET_CONDITION_H

#include "motet/network.h"

#include "motet/base/begin.h"

typedef struct motet_condition motet_condition;

/* NULL if it names no node, one that is not there, or what is not a variable of it. */
motet_condition *motet_condition_new(motet_network *n, const char *text, struct motet_error *e);
void motet_condition_free(motet_condition *c); /* before its network; NULL is allowed */
const char *motet_condition_text(const motet_condition *c);

/* Whether it holds for the nodes as they are: all are at one moment between two runs. */
bool motet_condition_holds(const motet_condition *c, bool *holds, struct motet_error *e);

/* Its variables, by number: the node's number in the network, and data addresses. False past the last. */
bool motet_condition_place(const motet_condition *c, size_t number, uint32_t *node, uint32_t *first, uint32_t *last);

/* ---- while the network runs ---- */

/* Puts taps on the variables, with the network not running. Each change of one ends the run (MOTET_NETWORK_STOPPED)
 * with its window; then motet_condition_next says what came of the changes. A variable that several instructions in a
 * row write has changed after the last of them. */
bool motet_condition_follow(motet_condition *c, struct motet_error *e);
bool motet_condition_changed(const motet_condition *c); /* there are changes that motet_condition_next has not seen */

/* The next change that made it true, in the order of global time: when, and by which node (its id). False if there is
 * none. */
bool motet_condition_next(motet_condition *c, uint64_t *time, uint32_t *node);

#include "motet/base/end.h"

#endif
