/* A node under a debugger: what the verbs debug and replay share. */
#ifndef CLI_DEBUG_H
#define CLI_DEBUG_H

#include "motet/motet.h"

/* First in the options of a verb that has these setters. */
struct debug_options {
    struct motet_options machine;
    uint64_t seed, megabytes;
    char host[128];
    unsigned port;
    bool listen;      /* somebody else starts the debugger */
    const char *exec; /* the debugger to start */
};

bool debug_set_gdb(void *into, const char *text, struct motet_error *e);
bool debug_set_exec(void *into, const char *text, struct motet_error *e);
bool debug_set_memory(void *into, const char *text, struct motet_error *e);

/* Serves the node to a debugger until that leaves; returns the verb's exit status. */
int debug_node(const struct debug_options *o, const char *file, motet_node *node);

#endif
