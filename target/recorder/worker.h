/* The worker: what moves events from the ring to the flash.
 *
 * It is a thread of its own, with a stack of its own, so that an interrupt may come at any instruction while it
 * encodes: its handler then runs on the application's stack, as if it had come at the entry of motet_idle, where replay
 * has it, and the worker waits until motet_idle is called again.
 *
 * Firmware that never sleeps does not call motet_idle. So the worker also goes on in other entries, where much waits:
 * for some *breaths*, so that the caller is not held up for long; for fewer with interrupts off, where the caller has
 * them off or there is no room. What has no room then is lost, or, if the build says so, is waited for. A caller that
 * needs all done at once (a flush) lets it go on with interrupts off. Invariant: it has the flash borrowed only while
 * interrupts are off.
 */
#ifndef WORKER_H
#define WORKER_H

#include "recorder.h"

enum wanted { WANT_NOTHING, WANT_ROOM, WANT_FLUSH, WANT_FROZEN };

/* A piece of work is done. In an entry that is not motet_idle the worker gives control back after some of them. */
PRIVATE SMALL void worker_breathe(void);
/* The worker goes on for a moment, with interrupts off. */
PRIVATE void worker_go_on(void);
/* Something is to be done by the worker at once. */
PRIVATE SMALL void worker_do(enum wanted what);
/* The worker holds up the application, and nothing it does is urgent. */
PRIVATE uint8_t worker_holds_up(void);
/* All there is, into the flash, however long that takes, unless the flash does not answer. */
PRIVATE void worker_flush(void);
/* The thread. */
PRIVATE void worker_run(void);

/* Called by the stubs. */
#ifndef LEAN
uint8_t motet_idle_begin(void);
uint8_t motet_idle_end(void);
uint8_t motet_host_begin(uint8_t again, uint8_t on, uint16_t sp);
#endif
void motet_flush_work(void);
void motet_freeze_work(void);
void motet_clear_work(void);

/* An interrupt came since motet_idle was called. */
static inline uint8_t worker_came(void)
{
    return R.seen != *(volatile uint8_t *)&R.entered;
}

#endif
