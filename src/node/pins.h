/* Pins: the electrical level where a chip meets its board.
 *
 * A pin is driven from inside by its port register, by a timer's compare output, or by a device that overrides it (a
 * serial transmitter), and from outside by a part or a user. Invariant: `level` always is what the drivers resolve to,
 * and every device wired to the pin knows it. A strong driver inside wins over one outside; pulls lose to drivers; an
 * undriven pin reads low.
 *
 * Pins are numbered port * 8 + bit, ports in the order of the chip's table (PA or P1 is port 0).
 */
#ifndef NODE_PINS_H
#define NODE_PINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node;

#define PIN_NONE  0xffu
#define PIN_PORTS 12u

/* Ports by letter, for the tables of chips that name them so: PIN(B, 5). */
enum { PORT_A, PORT_B, PORT_C, PORT_D, PORT_E, PORT_F, PORT_G, PORT_H, PORT_J, PORT_K, PORT_L };
#define PIN(letter, bit) (PORT_##letter * 8u + (bit))

enum pin_drive { PIN_FLOATING, PIN_PULLED_UP, PIN_PULLED_DOWN, PIN_LOW, PIN_HIGH };

/* What a device on the chip does to a pin in place of its port register. A timer and one other device can do so at the
 * same time: their values are ORed, as datasheets have it under "Overriding Signals". */
enum pin_override {
    PIN_NO_OVERRIDE,
    PIN_VALUE_LOW, /* replaces the output value; the port's direction still decides (compare outputs) */
    PIN_VALUE_HIGH,
    PIN_OUTPUT_LOW, /* replaces value and direction (serial transmitters) */
    PIN_OUTPUT_HIGH,
    PIN_INPUT, /* forces input, pull-up as the port says (receivers) */
};

struct pin_state {
    uint8_t output : 1, value : 1, pull_up : 1, level : 1; /* the port's registers, and the result */
    uint8_t outside;                                       /* enum pin_drive */
    uint8_t override, compare;                             /* enum pin_override: of other devices, and of timers */
};

/* The port's registers say this about the pin. */
void pin_set_port(struct node *n, unsigned pin, bool output, bool value, bool pull_up);

/* A device takes over the pin, or gives it back. PIN_NONE is ignored. */
void pin_set_override(struct node *n, unsigned pin, enum pin_override how);

/* The same for a timer's compare output, which replaces the value alone. */
void pin_set_compare(struct node *n, unsigned pin, enum pin_override how);

/* A part or a user drives the pin from outside. */
void pin_drive(struct node *n, unsigned pin, enum pin_drive drive);

bool pin_level(const struct node *n, unsigned pin);
bool pin_is_output(const struct node *n, unsigned pin);

#endif
