/* Cycle stamps on MSP430: Timer_A or Timer_B, counting SMCLK. Part of stamp.h.
 *
 * SMCLK has the CPU's cycles while both it and MCLK are DCOCLK undivided, as after a reset: then reads of the timer are
 * synchronous, too (SLAU049, 11.2.1). The way out of the recorder writes the timer's control register, which sets it to
 * zero, clears its overflow and says again what it is to count; motet_enter reads that register and the count.
 * Invariant: an interrupt that finds the timer changed, other clocks, or SMCLK off while the CPU was not, is not
 * recorded: something is lost there, and so a gap.
 *
 * An interrupt may be taken right after the recorder's RETI, before an instruction of the application: stamps are one
 * more than the cycles executed, so that none is zero, which is for interrupts in the worker.
 *
 * Halfway round block 0 interrupts, whose flag is cleared as that is taken. It is off while the worker is at work;
 * where it finds the CPU asleep, in a mode that leaves SMCLK on, it turns itself off until the next interrupt. */
#ifndef STAMP_MSP430_H
#define STAMP_MSP430_H

#define STAMP_RUNS  0x220 /* the timer's control: SMCLK, continuous mode */
#define STAMP_CLEAR 0x224
#define STAMP_ON    0x10 /* the interrupt of block 0 */

#ifndef __ASSEMBLER__
/* The timer as motet_enter has read it, its control register then, and STAMP_AWAY with what a write and a read take. */
extern uint16_t motet_stamp[3];
#define STAMP_TAKEN      motet_stamp[0]
#define STAMP_CONSTANT   motet_stamp[2]
#define STAMP_CAME_ROUND (motet_stamp[1] & 1) /* read before the count */
#endif

#endif
