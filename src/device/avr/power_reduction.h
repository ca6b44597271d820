/* Power reduction: stopping the clock of one device (PRR, "Power Reduction Register").
 *
 * Invariant: while stopped, a device neither gets on with what it was doing nor sees its registers written; what it was
 * doing goes on, with as many cycles left, when its clock is back.
 */
#ifndef DEVICE_AVR_POWER_REDUCTION_H
#define DEVICE_AVR_POWER_REDUCTION_H

#include "device/bits.h"
#include "node/clock.h"

/* The device's bit: the device is called when it is written. Chips without one leave the field out. */
static inline void power_reduction_wire(struct wiring *w, const struct device *d, struct bits bit, unsigned role)
{
    if (bit.width)
        wire_register(w, d, bit.reg, role, WIRE_STORE, bits_mask(bit));
}

/* The bit changed: takes a pending event off the clock, keeping what was left of it, or puts it back. */
static inline void power_reduction_event(struct node *n, const struct device *d, unsigned event, unsigned clock,
                                         bool stopped, uint64_t *left)
{
    if (stopped) {
        *left = event_pending(n, d, event) ? event_cycle(n, d, event) - node_cycle(n, clock) : NEVER;
        event_cancel(n, d, event);
    } else if (*left != NEVER) {
        event_in(n, d, event, clock, *left);
        *left = NEVER;
    }
}

#endif
