/* What the recorder needs of an instruction set, and C cannot say.
 *
 * The stubs in assembly (stubs_avr.S and others) call C with all registers kept; port_avr.h and port_msp430.h have what
 * is short enough to be inline, and the layout of the stubs' frames. Invariant: no function here changes a register, a
 * flag or a byte of the application.
 */
#ifndef PORT_H
#define PORT_H

#include "codec_tardis.h"
#include "recorder.h"

#ifdef __AVR__
#include "port_avr.h"
#else
#include "port_msp430.h"
#endif

/* Compare registers and overflows whose interrupt tells the value of a timer, for the tardis codec. */
#if MOTET_CODEC == CODEC_TARDIS
#define PORT_ONE(vector, wide, at, control) +1
enum { PORT_COMPARES = 0 CHIP_COMPARES(PORT_ONE) CHIP_OVERFLOWS(PORT_ONE) };
#ifdef MOTET_UNIT
static
#else
extern
#endif
    const struct tardis_compare motet_compares[PORT_COMPARES];
#endif

/* ---- threads (worker_avr.S, worker_msp430.S) ---- */

/* The worker goes on with interrupts off; and gives control back to its caller. */
void motet_work(void);
void motet_yield(void);
/* A thread that begins with the function; its stack pointer, for motet_work(). */
PRIVATE uint16_t port_thread(uint8_t *top, void (*function)(void));

/* ---- an interrupted place: its address, and the stack pointer in motet_enter ---- */

#ifndef MOTET_STAMP
/* Of registers; the low byte of the second half (R.mixed) also of the word on top of the stack, which tells calls of
 * one library routine by another apart. `sp` is below the registers that motet_enter pushed. Called by the stubs. */
uint16_t motet_hash_work(const uint8_t *sp);
PRIVATE uint8_t port_in_stubs(uint16_t address, const uint8_t *frame);
/* There, an entry has pushed the status, and interrupts are not off yet. */
PRIVATE uint8_t port_is_deeper(uint16_t address, const uint8_t *frame);
/* In code that does not count. */
PRIVATE uint8_t port_in_library(uint16_t address, const uint8_t *frame);
#endif
/* The interrupt has ended sleep. */
PRIVATE uint8_t port_woke(uint16_t address, const uint8_t *frame);

/* ---- for checkpoints ---- */

/* The CPU's registers, FRAME_REGISTERS bytes from number FRAME_FIRST on, as they were when the entry was called. */
PRIVATE void port_save(const uint8_t *frame);

#endif
