/* System control of the CC2538 (SWRU319C, chapter 7): clock sources and divisors, power modes, the map of interrupts.
 *
 * The node's tick is a period of the crystal, 32 MHz. CLOCK_IO is the system clock: SysTick and the timers count it,
 * and it goes on in sleep and in PM0. In PM1 to PM3 it stops, and what counts it stands still. Invariant: CLOCK_CPU and
 * CLOCK_IO have the same period while both run.
 *
 * A crystal takes 300 us to start, the RC oscillator 10 us. Clock gates are registers without effect.
 */
#ifndef DEVICE_CC2538_SYS_CTRL_H
#define DEVICE_CC2538_SYS_CTRL_H

#include "device/cortex/block32.h"
#include "node/node.h"

/* Half cycles of the 32 kHz clock: the level of that clock can be read. */
enum { CC2538_CLOCK_64K = CLOCK_CHIP };

extern const struct device_type cc2538_sys_ctrl;

/* Raises or lowers an interrupt. Seven of them have two exceptions, of which SYS_CTRL_I_MAP chooses one. */
enum {
    CC2538_RF_RX_TX = 141,
    CC2538_RF_ERROR,
    CC2538_AES,
    CC2538_PKA,
    CC2538_SLEEP_TIMER,
    CC2538_MAC_TIMER,
};
void cc2538_wire_interrupt(struct wiring *w, const struct device *d, unsigned interrupt);
void cc2538_interrupt(struct node *n, unsigned interrupt, bool level);

/* Hertz of the clock of UART and SSI. */
double cc2538_io_hz(const struct node *n);

#endif
