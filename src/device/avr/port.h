/* AVR ports: PORTx, DDRx and PINx, and the digital input buffers in front of PINx.
 *
 * The port's registers drive pins at once: a pin follows the OUT in the cycle of its access. Invariant: PINx shows what
 * the pins were two I/O clock cycles ago. That is the datasheet's synchroniser ("Reading the Pin Value": an OUT needs a
 * nop before the IN that reads it back); a change from outside counts as happening late in its cycle, the worst of the
 * half to one and a half cycles the datasheet allows, so that all changes have one delay.
 *
 * In the deep sleep modes the input buffers are clamped ("Digital Input Enable and Sleep Modes"). PINx cannot be read
 * then; the devices that look at pins in sleep (external interrupts) know which of theirs stay awake. The pins of JTAG,
 * crystals and the clock output count as free for use: whether a board needs them is not modelled.
 */
#ifndef DEVICE_AVR_PORT_H
#define DEVICE_AVR_PORT_H

#include "device/bits.h"

/* Which digital input buffers of a group of eight pins are switched off: bits of a DIDRx register, moved up. */
struct avr_input_disable {
    uint16_t reg; /* 0: this chip cannot */
    uint8_t mask, shift;
};

static inline uint8_t avr_inputs_disabled(const struct node *n, struct avr_input_disable i)
{
    return i.reg ? (uint8_t)((n->data[i.reg] & i.mask) << i.shift) : 0;
}

struct avr_port {
    uint8_t number; /* PORT_A, ... */
    uint8_t mask;   /* the pins there are */
    uint16_t pin, ddr, port;
    struct bits pull_up_disable;
    bool pin_toggles; /* writing ones to PINx toggles PORTx */
    struct avr_input_disable input_disable;
    uint8_t reset_bit; /* the pin that is RESET unless the fuse (in the high byte) is programmed to 0 */
    uint8_t reset_fuse;
};

extern const struct device_type avr_port;

#endif
