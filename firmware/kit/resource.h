/* Sharing what only one can use at a time (a converter, a bus): clients wait in the order of their requests.
 *
 * Invariant: between its granted() and its resource_release() a client is the only owner. A client waits at most once.
 * Called from tasks; granted() runs in a task.
 */
#ifndef KIT_RESOURCE_H
#define KIT_RESOURCE_H

#include <stdbool.h>

struct resource_client {
    void (*granted)(struct resource_client *c);
    struct resource_client *next;
    bool waiting; /* or owner */
};

struct resource {
    struct resource_client *first, *last; /* the first is the owner */
};

/* False if the client waits or owns already. If the resource is free, granted() is called before this returns. */
bool resource_request(struct resource *r, struct resource_client *c);
void resource_release(struct resource *r);

#endif
