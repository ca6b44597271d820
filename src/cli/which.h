/* Which nodes an option concerns: the prefix NODE: names one by its id; the prefix *: and no prefix mean every node.
 *
 * Invariants: this is the only parser of the prefix. Each id that was named is compared with the nodes that there are
 * before anything is written. What is given for one node comes before what is given for every node.
 */
#ifndef CLI_WHICH_H
#define CLI_WHICH_H

#include "motet/motet.h"

struct which {
    bool one; /* that node; else every node */
    uint32_t id;
};

/* All ids that options named. */
struct which_names {
    struct which_name {
        const char *option;
        uint32_t id;
    } * list;
    size_t count;
};

/* Moves *text past a prefix. `option` is the name for messages, without dashes. */
bool which_read(struct which_names *names, const char *option, const char **text, struct which *w,
                struct motet_error *e);
bool which_is(struct which w, uint32_t id);
bool which_same(struct which a, struct which b);

/* False if a node was named that is not there. */
bool which_exist(const struct which_names *names, const motet_network *n, struct motet_error *e);
void which_free(struct which_names *names);

/* The text with each %id replaced by the id, in memory to be freed. */
char *which_text(const char *text, uint32_t id);

/* Whether one text serves every node of a network: there is one node, or the text contains %id. */
bool which_apart(struct which w, const char *text, const motet_network *n);

#endif
