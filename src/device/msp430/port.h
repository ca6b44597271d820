/* MSP430 ports P1 to P6 (SLAU049, chapter 9): IN, OUT, DIR, SEL, and on P1 and P2 edge interrupts.
 *
 * A pin whose SEL bit is set belongs to a module. Modules do not drive pins by themselves: they tell the port what they
 * put out (msp430_port_output), whether selected or not, and the port applies it while SEL is set. Invariants: a pin
 * follows its registers and its module in the cycle of the write; what a module gets from a pin is its level while SEL
 * is set, and the last such level while it is not (9.2.5); a pin with SEL set raises no interrupt flag. PxIN shows the
 * pins at once.
 *
 * Writing PxIES can raise a flag where the guide says "may be set" (9.2.6): it always does, so that firmware which
 * forgets to clear the flag is found out.
 */
#ifndef DEVICE_MSP430_PORT_H
#define DEVICE_MSP430_PORT_H

#include "device/msp430/pins.h"
#include "node/machine.h"
#include "node/node.h"

struct msp430_port {
    uint8_t number; /* P1 is 1 */
    uint16_t in, out, dir, sel;
    uint16_t ie, ies, ifg; /* 0: no interrupts */
    uint8_t line;
    bool analog; /* SEL gives a pin to the converter: the port's buffers are off, independent of DIR (17.2.2) */
};

extern const struct device_type msp430_port;

/* What the module on that pin puts out; PIN_NO_OVERRIDE is low. PIN_NONE is ignored. */
void msp430_port_output(struct node *n, unsigned pin, enum pin_override how);

/* The pin as the module on it sees it. The device that asks is listed before the ports, and wires the pin (wire_pin)
 * and msp430_port_sel (with WIRE_WRITE) to hear of changes. */
bool msp430_port_input(const struct node *n, unsigned pin);

/* Address of the PxSEL register of a pin. */
uint16_t msp430_port_sel(const struct machine *m, unsigned pin);

#endif
