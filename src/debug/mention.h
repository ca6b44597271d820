/* Mentions of nodes in expressions over several: node[5].cost is the value of `cost` on the node with id 5.
 *
 * Invariant: a mention is the longest run of names, members and elements after `node[ID].`.
 */
#ifndef DEBUG_MENTION_H
#define DEBUG_MENTION_H

#include <stdbool.h>
#include <stdint.h>

enum { MENTION_TEXT = 200 };

struct mention {
    const char *begin, *end; /* in the expression */
    uint32_t id;
    char object[MENTION_TEXT]; /* such as links[0].cost */
};

/* The first one from `text` on; false if there is none. */
bool mention_find(const char *text, struct mention *m);

#endif
