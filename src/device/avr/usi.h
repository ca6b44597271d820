/* USI: the universal serial interface of the ATtiny25, 45 and 85, at the level of its pins.
 *
 * A shift register (USIDR), a four-bit counter of clock edges (USISR) and a choice of clocks (USICR): software strobes,
 * compare matches of timer 0, or edges of the pin USCK. Firmware makes SPI, two-wire or a UART of it; parts that have
 * their pins on the board see the waveforms. Invariant: the pin DO (three wires) or SDA (two wires) shows the bit in
 * the output latch, which follows the shift register's highest bit; with an external clock only while the clock has the
 * level between a shift and the next (datasheet, "Block Diagram": the latch makes data change at the other edge).
 *
 * Two wires: SDA and SCL are pulled low or released. The start detector sets USISIF at once, in any sleep mode, and
 * then holds SCL low until the flag is cleared; in mode 3 a counter overflow holds it as well.
 */
#ifndef DEVICE_AVR_USI_H
#define DEVICE_AVR_USI_H

#include "device/avr/interrupt.h"

struct avr_usi {
    uint16_t data, buffer, status, control; /* USIDR, USIBR, USISR, USICR */
    uint16_t port, ddr;                     /* of its pins */
    uint8_t first_pin;                      /* PIN(B, 0): where that port's pins begin */
    uint8_t in, out, clock;                 /* bits of the port: DI or SDA; DO; USCK or SCL */
    struct avr_interrupt start, overflow;
    struct bits power_reduction;
};

extern const struct device_type avr_usi;

/* A compare match of the timer that can be its clock. */
void avr_usi_timer_match(struct node *n);

#endif
