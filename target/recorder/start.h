/* The beginning of a life: what the one before had left in RAM is written, the end of the old log is found, and a new
 * part begins.
 *
 * Invariant: what RAM holds is believed only where every member that leads somewhere is in bounds, and this very build
 * has left it.
 */
#ifndef START_H
#define START_H

#include "config.h"

/* Called by the stub of motet_begin, which motet_boot calls. */
void motet_begin_work(void);
void motet_begin(void);

/* Until it has ended its last command, or does not answer. */
PRIVATE SMALL void start_wait_for_flash(void);

#endif
