/* Slices: which functions of a firmware can affect an invariant, and how far they are from it (docs/slices.md). */
#ifndef MOTET_SLICE_H
#define MOTET_SLICE_H

#include <stdbool.h>
#include <stddef.h>

#include "motet/error.h"

#include "motet/base/begin.h"

/* A plan for the firmware's size alone: of all functions; of all in the slice; of these with the paper's inlining. */
enum motet_slice_measure {
    MOTET_SLICE_TRACES,
    MOTET_SLICE_EVERYTHING,
    MOTET_SLICE_SLICED,
    MOTET_SLICE_INLINED,
};

struct motet_slice {
    const char *const *files; /* sources, beside those of the command */
    size_t file_count;
    char *const *command; /* a compiler's command, or options alone */
    size_t command_count;
    const char *database; /* compile_commands.json, NULL: none */
    const char *board;    /* for files with options alone, NULL: none */
    const char *const *invariants;
    size_t invariant_count;
    const char *const *stops; /* files and functions at which the slice ends */
    size_t stop_count;
    const char *forward;     /* a function or variable: what it can affect; NULL: backward from the invariants */
    const char *why;         /* a function: why it is in the slice */
    const char *post;        /* a function that queues tasks, beside those known */
    const char *graph;       /* file for a picture (.svg) or for Graphviz */
    const char *lines;       /* file for every line of the source that is in the slice */
    const char *plan;        /* file for the functions up to the level, for motet cc --trace; nothing is printed then */
    const char *clock;       /* of a plan with invariants about time: EXPRESSION/HZ, as for motet cc; NULL: none */
    int level;               /* lists functions up to this level; 0: all */
    unsigned part, parts;    /* of a plan: this one of so many parts of its highest level; 0 parts: all of it */
    const char *const *next; /* FIRMWARE:TRACE, of a lower level: what to trace next is printed, or the plan */
    size_t next_count;
    enum motet_slice_measure measure;
    bool json;
};

/* Prints to standard output. False if it cannot be done; this build may have no LLVM. */
bool motet_slice(const struct motet_slice *o, struct motet_error *e);

#include "motet/base/end.h"

#endif
