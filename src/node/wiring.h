/* Wiring: collects, while a machine is built, which device claims what (the wire_* calls of device.h), then lays it
 * out.
 *
 * Invariant: a chip or board table that claims a thing twice, or a thing that is not there, is refused in words when
 * the machine is built, never later.
 */
#ifndef NODE_WIRING_H
#define NODE_WIRING_H

#include "node/machine.h"

enum wiring_kind { WIRING_REGISTER, WIRING_PIN, WIRING_SPI, WIRING_TWI, WIRING_SERIAL, WIRING_LISTENER, WIRING_KINDS };

struct wiring_list {
    struct wire *wires;
    size_t count, room;
};

struct wiring {
    struct machine *machine;
    struct wiring_list lists[WIRING_KINDS];
    char problem[256]; /* the first; empty: none */
};

/* Turns the lists into the machine's wires and runs, and frees them. False if something in the tables was refused. */
bool wiring_finish(struct wiring *w, struct motet_error *e);

#endif
