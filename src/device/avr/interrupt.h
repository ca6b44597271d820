/* AVR interrupts: a flag and an enable bit that together ask for a vector.
 *
 * Invariant: after each of these calls the vector's line is up exactly when both bits are set. A device that changes
 * either bit by other means calls avr_interrupt_update.
 */
#ifndef DEVICE_AVR_INTERRUPT_H
#define DEVICE_AVR_INTERRUPT_H

#include "device/bits.h"

struct avr_interrupt {
    uint8_t vector; /* 0: this chip has no such interrupt */
    struct bits enable, flag;
    bool level; /* the flag is a condition that taking the interrupt does not clear (data register empty, ...) */
};

void avr_interrupt_wire(struct wiring *w, const struct device *d, const struct avr_interrupt *i, unsigned irq);
void avr_interrupt_update(struct node *n, const struct avr_interrupt *i);

/* Sets or clears the flag. */
void avr_interrupt_flag(struct node *n, const struct avr_interrupt *i, bool on);

/* The CPU took it. */
void avr_interrupt_acknowledge(struct node *n, const struct avr_interrupt *i);

/* The firmware wrote `value` to the flag's register: a one clears the flag, a zero leaves it. */
void avr_interrupt_flag_written(struct node *n, const struct avr_interrupt *i, unsigned value);

#endif
