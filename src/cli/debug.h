/* What `motet debug`, `motet open` and `motet replay` share: how something is debugged. */
#ifndef CLI_DEBUG_H
#define CLI_DEBUG_H

#include "motet/saved.h"
#include "option.h"
#include "run.h"

enum debug_face { FACE_USUAL, FACE_LINES, FACE_PANES, FACE_ADAPTER };

struct debug_options {
    struct run_options run; /* first: options of `motet run` are set here */
    uint64_t megabytes;
    char host[128];
    unsigned port;
    bool listen;          /* the user starts the debugger, gdb or an editor */
    const char *exec;     /* the debugger to start */
    enum debug_face face; /* our own, or the usual one */
};

extern const struct option debug_options[];

/* Debugs a saved run, beginning where the options say; returns the exit status. */
int debug_saved_run(motet_saved_run *r, const struct motet_span *at, struct debug_options *o);

/* Debugs a network of one firmware, which is the options' file; returns the exit status. */
int debug_network(motet_network *n, struct debug_options *o);

#endif
