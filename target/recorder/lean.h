/* The recorder of the profiles small and tiny: without a thread, and with one stream of pages.
 *
 * What waits in the ring is encoded and written a *piece* at a time, on the application's stack and with interrupts
 * off, in motet_idle and, where much waits, in other entries. After each piece the stubs let interrupts in. One that
 * comes there leaves the recorder for good: it goes to the entry's beginning, with all registers and the stack
 * as the caller of the entry has them, and the entry begins anew after it. Invariant: between two pieces all that
 * counts is in R, nothing on the stack or in registers. It stands in for worker.h, out.h and pages.h, with the same
 * promises about the log.
 */
#ifndef LEAN_H
#define LEAN_H

#include "recorder.h"

#ifdef LEAN

/* A unit of the ring is encoded, or some bytes go into a page, or a page goes into the flash. Zero if there is nothing
 * to do now. */
PRIVATE SMALL uint8_t lean_piece(void);
/* All there is, into the flash, however long that takes, unless the flash does not answer. */
PRIVATE SMALL void lean_flush(void);

/* What was sent counts for the check of its page, or a page is sealed: that takes a while, and needs no flash. Zero if
 * there is nothing to do. */
#ifdef __MSP430__
PRIVATE SMALL uint8_t lean_check(void);
#endif

/* Whether bytes or a page wait for the flash; and whether a sector may have to be erased. */
PRIVATE SMALL uint8_t lean_wants_flash(void);
PRIVATE uint8_t lean_erases(void);

/* Called by the stubs, again after interrupts were let in; `on`: the caller of the entry has them on. Whether again.
 * R.patient says what is wanted: of an entry that goes on until all is encoded (HOST_PATIENT), or no longer than is
 * necessary; of motet_idle; room for an event; or what assembly does alone (lean_avr.S). */
enum lean_host { HOST_BRIEF, HOST_PATIENT, HOST_IDLES, HOST_ROOM, HOST_CALL, HOST_HASH };
uint8_t motet_host_work(uint8_t on);
#ifdef __MSP430__ /* a piece of work with the flash, which has said that it is ready (R.due) */
uint8_t motet_lean_flash(void);
#endif

#endif

#endif
