#include "device/simulation.h"

#include "node/node.h"

static void simulation_connect(const struct device *d, struct wiring *w)
{
    wire_register(w, d, SIMULATION_EXIT, SIMULATION_EXIT, WIRE_WRITE, 0);
    wire_register(w, d, SIMULATION_CONSOLE, SIMULATION_CONSOLE, WIRE_WRITE, 0);
}

static void simulation_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)d, (void)cause;
    n->data[SIMULATION_EXIT] = 'M';
    n->data[SIMULATION_CONSOLE] = 'T';
}

static void simulation_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)d, (void)old;
    if (role == SIMULATION_EXIT)
        node_halt(n, NODE_EXIT_FIRMWARE, (uint8_t)value);
    else
        serial_send(n, SIMULATION_LINE, value);
}

const struct device_type simulation_port = {
    .name = "motet port",
    .core = true,
    .connect = simulation_connect,
    .reset = simulation_reset,
    .write = simulation_write,
};
