/* The functions of a firmware in the order of their addresses, and which of them an address is in.
 *
 * Each reaches to the next, so that every address is in one: code that the firmware's file gives no function for
 * (start-up code, assembly with labels only) belongs to the function or label before it; where there is nothing before
 * it, to "?", which is always the first. Made once for each node a monitor is
 * on, from the symbols.
 */
#ifndef MONITOR_FUNCTIONS_H
#define MONITOR_FUNCTIONS_H

#include "motet/motet.h"

struct function {
    const char *name;
    uint32_t address, end; /* where the next begins */
    bool passage;          /* functions jump to it and it jumps back: what runs there is a part of them */
};

struct functions {
    struct function *list;
    size_t count, room;
};

void functions_make(struct functions *f, const motet_machine *m);
void functions_free(struct functions *f);
void functions_probe(const struct functions *f, motet_node *n, motet_probed *entered,
                     void *context);                         /* at each entry */
size_t functions_at(const struct functions *f, uint32_t pc); /* number in the list */

#endif
