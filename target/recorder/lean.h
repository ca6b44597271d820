/* The recorder of the profiles small and tiny: without a thread, and with one stream of pages.
 *
 * What waits in the ring is encoded and written a *piece* at a time, on the application's stack and with interrupts
 * off, in motet_idle and, where much waits, in other entries. After each piece the stubs let interrupts in. One that
 * comes there leaves the recorder for good: it goes to the entry's beginning, with all registers and the stack
 * as the caller of the entry has them, and the entry begins anew after it. Invariant: between two pieces all that
 * counts is in R, nothing on the stack or in registers. It stands in for worker.h, out.h and pages.h, with the same
 * promises about the log.
 *
 * On MSP430 C only finds what is to be done (lean_did), and the encoder is interrupted anywhere: it has a stack of its
 * own, on which it stays until it goes on (lean_msp430.S). Invariant there: while it waits so, nothing else is done
 * with what is encoded.
 */
#ifndef LEAN_H
#define LEAN_H

#include "recorder.h"

#ifdef LEAN

/* A unit of the ring is encoded, or some bytes go into a page, or a page goes into the flash. Zero if there is nothing
 * to do now. On MSP430, where interrupts may be let in (R.on), only what is to be done is found here: its address, for
 * the stubs, which let them in before and after it; or LEAN_AGAIN. */
#ifdef __MSP430__
typedef uint16_t lean_did;
#else
typedef uint8_t lean_did;
#endif
enum { LEAN_AGAIN = 1 };
PRIVATE SMALL lean_did lean_piece(void);
/* All there is, into the flash, however long that takes, unless the flash does not answer. */
PRIVATE SMALL void lean_flush(void);

#ifdef __MSP430__
/* A piece of work with the flash, in assembly; how that begins, unless it is not ready, and what is done. */
void motet_flash(void);
uint8_t motet_flash_begin(void);
void motet_flash_step(void);
void motet_flash_end(void);
#endif

/* Nothing more comes into the page; its header is made, with its check. */
PRIVATE uint8_t lean_is_full(void);
PRIVATE void lean_seal(void);

/* Whether bytes or a page wait for the flash; and whether a sector may have to be erased. */
PRIVATE SMALL uint8_t lean_wants_flash(void);
PRIVATE uint8_t lean_erases(void);

/* Called by the stubs, again after interrupts were let in; `on`: the caller of the entry has them on. Whether again.
 * R.patient says what is wanted: of an entry that goes on until all is encoded (HOST_PATIENT), or no longer than is
 * necessary; of motet_idle; room for an event; or what assembly does alone (lean_avr.S). */
enum lean_host { HOST_BRIEF, HOST_PATIENT, HOST_IDLES, HOST_ROOM, HOST_CALL, HOST_HASH };
lean_did motet_host_work(uint8_t on);
#ifdef ENCODES_ON /* a unit, or the rest of the one under way; with interrupts on, many */
void motet_encode(void);
void motet_encode_on(void);
#endif

#endif

#endif
