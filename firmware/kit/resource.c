#include "resource.h"

#include <stddef.h>

bool resource_request(struct resource *r, struct resource_client *c)
{
    if (c->waiting)
        return false;
    c->waiting = true;
    c->next = NULL;
    if (r->first) {
        r->last = r->last->next = c;
    } else {
        r->first = r->last = c;
        c->granted(c);
    }
    return true;
}

void resource_release(struct resource *r)
{
    r->first->waiting = false;
    r->first = r->first->next;
    if (r->first)
        r->first->granted(r->first);
}
