/* The ROM of the CC2538 as far as firmware calls it: the table of utility functions at 0x48 (SWRU319C, 8.5 and SWRU333)
 * and the functions, written for Motet in Thumb code. They take other times than those of the chip.
 *
 * The boot loader is not there: a reset goes to the vectors that the boot configuration page names. Invariant: all
 * other bytes of the ROM are erased memory, so that executing them is a fault.
 */
#ifndef DEVICE_CC2538_ROM_H
#define DEVICE_CC2538_ROM_H

struct wiring;

/* Puts the ROM where it lies in the machine's program memory, from 0 on. */
void cc2538_rom_put(struct wiring *w);

#endif
