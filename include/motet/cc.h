/* Compiling for recording: a compiler's command, carried out on rewritten sources (docs/node-logs.md). */
#ifndef MOTET_CC_H
#define MOTET_CC_H

#include <stdbool.h>
#include <stddef.h>

#include "motet/error.h"

#include "motet/base/begin.h"

/* As trace_level: the highest that fits the chip. */
enum { MOTET_CC_AUTO = -1 };

struct motet_cc {
    const char *board;   /* whose flash memory the recorder writes; NULL: none is known */
    const char *codec;   /* how the log is coded; NULL: the best */
    const char *stamp;   /* a timer that tells positions by cycles, "timer3"; NULL: steps are counted */
    bool waits;          /* what has no room is waited for; else it is lost, and the log has a gap there */
    const char *profile; /* how much the recorder takes: "full", "small" or "tiny"; NULL: full */
    const char *report;  /* file to add the report to; "-": standard output; NULL: none */
    bool json;           /* the report is JSON: a line for each source and each program */
    const char *keep;    /* folder for the rewritten sources; NULL: they are not kept */
    bool recorder_only;  /* makes the recorder's object file alone */
    bool unrecorded;     /* links a program with reads of registers that are not recorded; else it is refused */
    const char *const *invariants; /* what must hold, checked by the firmware; a violation freezes the log */
    size_t invariant_count;
    const char *clock;        /* for invariants about time: "EXPRESSION/HZ"; NULL: none */
    bool checks_only;         /* only the invariants are put in, and nothing is recorded */
    int trace_level;          /* functions up to this level tell when they are entered and left; 0: none */
    unsigned part, parts;     /* of the highest level only this one of so many parts; 0 parts: all of it */
    const char *const *stops; /* files and functions that a trace takes as input, as for motet slice */
    size_t stop_count;
    const char *trace;    /* the same, for functions of a plan of motet slice; NULL: none */
    unsigned ring;        /* bytes of RAM for the trace */
    bool native;          /* makes a program for this computer instead (docs/native-replay.md) */
    const char *sanitize; /* of a native program: "address", "undefined" or both, with a comma; NULL: none */
    bool any_order;       /* of a native program: it is made although results may depend on the order of operands */
    const char *log_interface; /* logs the interface of this component and records nothing: "collection.c,route.c";
                                  NULL: none (docs/interface-logs.md) */
    bool replay_interface; /* it is not logged: the firmware executes the component alone, fed over its serial port */
    const char *log_to;    /* where to: "flash" or "serial"; NULL: serial */
    unsigned log_buffer;   /* bytes of RAM for events that wait to be written out; 0: 300 */
    int log_switch;        /* logging can be switched at run time: it begins on (1) or off (-1); 0: it cannot */
    bool calls_only;       /* reads of what others may change are not logged: a replay needs them, a merge does not */
};

/* Runs the command in a child; *status is what it would have ended with. False if it cannot be tried at all: this build
 * has no libclang, or no LLVM for a native program. */
bool motet_cc(const struct motet_cc *o, char **command, size_t count, int *status, struct motet_error *e);

#include "motet/base/end.h"

#endif
