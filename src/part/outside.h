/* A part whose table comes from outside of Motet (motet/base/part.h): a device type made of that table.
 *
 * Invariants: what changes is in the node's arena, the part's own state and a few bits of this module before it. A
 * callback sees only what its legs connect. What a part asks for and its table does not have is reported as
 * unspecified use and changes nothing; so is a write just beyond the end of its state. Parts that change each other's
 * pins without end are stopped the same way.
 */
#ifndef PART_OUTSIDE_H
#define PART_OUTSIDE_H

#include "motet/base/part.h"
#include "node/device.h"

struct outside {
    const struct motet_part *table;
    uint8_t places[MOTET_PART_LEGS];           /* by leg: number of the pin, bus, line or channel */
    int64_t parameters[MOTET_PART_PARAMETERS]; /* by number */
    struct device_type type;                   /* see outside_type */
};

/* Sets the type of a part whose table has been checked. The part is the config of its device. */
void outside_type(struct outside *p);

/* The part's own state in a node. */
void *outside_state(const struct node *n, const struct device *d);

#endif
