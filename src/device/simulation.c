#include "device/simulation.h"

#include "node/map.h"
#include "node/node.h"
#include "node/taps.h"

enum { ROLE_EXIT, ROLE_CONSOLE, ROLE_MARK };

static uint32_t simulation_address(const struct device *d)
{
    const struct simulation *c = d->config;
    return c ? c->address : SIMULATION_ADDRESS;
}

static void simulation_connect(const struct device *d, struct wiring *w)
{
    wire_register(w, d, simulation_address(d), ROLE_EXIT, WIRE_WRITE, 0);
    wire_register(w, d, simulation_address(d) + 1, ROLE_CONSOLE, WIRE_WRITE, 0);
    wire_register(w, d, simulation_address(d) + 2, ROLE_MARK, WIRE_WRITE, 0);
}

static void simulation_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    uint32_t place = map_place(n->machine, simulation_address(d));
    n->data[place] = 'M';
    n->data[place + 1] = 'T';
}

static void simulation_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)d, (void)old;
    if (role == ROLE_EXIT)
        node_halt(n, NODE_EXIT_FIRMWARE, (uint8_t)value);
    else if (role == ROLE_CONSOLE)
        serial_send(n, SIMULATION_LINE, value);
    else if (taps_wanted(n, MOTET_ON(MARK)))
        taps_mark(n, (uint8_t)value);
}

const struct device_type simulation_port = {
    .name = "motet port",
    .core = true,
    .connect = simulation_connect,
    .reset = simulation_reset,
    .write = simulation_write,
};
