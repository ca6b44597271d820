/* Native programs of logs: motet replay --native.
 *
 * Invariant: a program that is run, debugged or left behind goes through the log to its end, which was tried; or the
 * user has asked for one that does not (`partial`).
 */
#ifndef CLI_REPLAY_NATIVE_H
#define CLI_REPLAY_NATIVE_H

#include "motet/native.h"
#include "replay_network.h"

struct replay_native {
    struct motet_native program; /* output NULL: it is run, not kept */
    bool partial;                /* also one that leaves the recorded run before the log ends */
};

/* Makes a program at `output`; false with a sentence. */
typedef bool replay_native_make(void *context, const struct motet_native *program, struct motet_error *e);

/* Makes it, and runs it or a debugger on it. `tried`: it is tried first. Returns the exit status. */
int replay_native_one(const struct replay_native *n, const char *debugger, bool tried, replay_native_make *make,
                      void *context);

/* Logs of several nodes as replay_network has them: one process a node, in the order of their messages. A debugger gets
 * the first. */
int replay_native_network(const struct replay_native *n, struct debug_options *o, const char *time,
                          const char *const *logs);

#endif
