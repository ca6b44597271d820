/* AVR external interrupts (INTn) and pin-change interrupts (PCINTn).
 *
 * Invariant: a line in level mode asks exactly while it is enabled and its pin is low, and its flag reads zero; a line
 * in an edge mode has its flag set by each edge its mode names, also if the chip drives the pin ("even if the pin is
 * enabled as an output").
 *
 * When flags come. Edges that a datasheet calls asynchronous (INT3:0 of the 64- and 100-pin chips) set their flag at
 * once, in any sleep mode. The others are found between two samples of the synchronised pin: the flag is set three
 * I/O clock cycles after the change (two to be seen in PINx, see port.h, one to compare), and an edge that comes while
 * the I/O clock stands still is found when it runs again, if the pin has not gone back. A pin change sets PCIF four
 * cycles after it (the figure "Timing of pin change interrupts": PINx, pcint_syn, pcint_setflag, PCIF), or at once
 * while the I/O clock stands still. In such sleep the buffers of disabled interrupts are clamped and nothing is seen.
 *
 * Changing the sense of a line sets no flag ("an interrupt can occur" says the datasheet, not when); switching to level
 * clears it.
 */
#ifndef DEVICE_AVR_EXTINT_H
#define DEVICE_AVR_EXTINT_H

#include "device/avr/interrupt.h"
#include "device/avr/port.h"

enum { AVR_EXTINT_LINES = 8 };

struct avr_extint {
    struct {
        uint8_t pin;
        bool asynchronous; /* edges need no clock */
        bool one_edge;     /* sense 1 is reserved, not "any edge" */
        struct bits sense;
        struct avr_interrupt interrupt;
    } lines[AVR_EXTINT_LINES]; /* those there are come first; vector 0 ends the list */
};

extern const struct device_type avr_extint;

/* One group of up to eight pins with a mask register. */
struct avr_pcint {
    uint8_t pins[8]; /* PIN_NONE where there is none */
    uint16_t mask;   /* PCMSKx */
    struct avr_interrupt interrupt;
    struct avr_input_disable input_disable;
};

extern const struct device_type avr_pcint;

#endif
