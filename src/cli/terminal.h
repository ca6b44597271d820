/* The terminal and the signals: what a run borrows from the user's session and always gives back.
 *
 * Invariant: however the program ends, short of SIGKILL, the terminal is as it was.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>

/* From now on Ctrl-C, SIGTERM and SIGHUP ask the run to end (once; a second Ctrl-C kills), and a closed pipe is an
 * error of write(). */
void terminal_catch_signals(void);
bool terminal_interrupted(void);

/* After Ctrl-C has ended a run, more is done until the next one. False if nothing, or something else, has ended it. */
bool terminal_go_on(void);

/* Where standard input is a terminal, keys now reach the firmware one by one, unechoed. False where it is one that we
 * must not read, being in the background. */
bool terminal_raw(void);
void terminal_restore(void);

/* Ends the program as an unhandled closed pipe would. */
void terminal_die_of_pipe(void) __attribute__((noreturn));

/* Escape sequences for standard error: empty unless it is a terminal and NO_COLOR is not set. */
struct colours {
    const char *bad, *name, *dim, *off;
};
struct colours terminal_colours(void);

#endif
