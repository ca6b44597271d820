/* The logger of interfaces: its sources in target/interface, compiled for the chip, and linked to a firmware whose
 * sources interface.h has rewritten.
 *
 * The program is linked twice: where the component's variables lie is known after the first time, and the logger needs
 * that. Invariant: both programs have the same variables at the same places.
 */
#ifndef REWRITE_LOGGER_H
#define REWRITE_LOGGER_H

#include "rewrite/cc_run.h"

/* Executes the linker's command with the logger added; the exit status. */
int logger_link(struct run *r, struct words *command, const char *program);

#endif
