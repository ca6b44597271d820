/* Launching a debugger: the socket on which it connects, and the program itself.
 *
 * Invariant: what is started is waited for, and its script removed, by launch_end.
 */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include "motet/motet.h"

struct launched {
    int process; /* 0: none of ours */
    int status;
    bool ended;
    char script[64];
};

/* Listens on HOST (this machine, if empty) and a port, of which 0 is any. Returns the socket, -1 with a sentence. */
int launch_listen(const char *host, unsigned wanted, unsigned *port, struct motet_error *e);

/* Starts the command, as a shell would, with a script that makes it connect to the port. `file` is the firmware, NULL
 * if the debugger loads that of every node by itself; `elsewhere`: through the connection, from a saved run. */
bool launch(struct launched *d, const char *command, const char *file, unsigned port, bool elsewhere,
            struct motet_error *e);

/* Waits for the debugger to connect; -1 if it has ended instead. */
int launch_accept(int listener, struct launched *d);

/* Waits for its end. False if a shell could not find it. */
bool launch_end(struct launched *d);

bool launch_is_lldb(const char *command);  /* by the name of the program, not of folders or arguments */
bool launch_is_there(const char *command); /* a shell would find the program */

#endif
