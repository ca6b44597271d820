/* Slices: what can affect an invariant, in functions and levels; and what a function can affect.
 *
 * Invariant: the same sources and options give the same output, byte by byte.
 */
#ifndef SLICE_SLICE_H
#define SLICE_SLICE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "ir/input.h"

/* Plans for sizes alone: of all functions; of all in the slice, each with its own logs; or with the paper's inlining.
 */
enum slice_measure { SLICE_TRACES, SLICE_EVERYTHING, SLICE_SLICED, SLICE_INLINED };

/* A function that a trace has shown to run. */
struct slice_seen {
    const char *name, *file;
    unsigned line;
};

struct slice_options {
    struct ir_input input;
    const char *const *invariants; /* of a slice backward */
    size_t invariant_count;
    const char *const *stops; /* files and functions at which the walk ends */
    size_t stop_count;
    const char *forward;  /* a function or variable, FILE:NAME: what it can affect; NULL: backward */
    const char *why;      /* a function: why it is in the slice; NULL: not asked */
    const char *post;     /* a function that queues tasks; NULL: only the known ones */
    const char *graph;    /* a file for the graph of functions: .svg, else in Graphviz's language; NULL: none */
    const char *nodes;    /* a file for all that is in the slice, by line of the source; NULL: none */
    const char *plan;     /* a file for the functions up to the level, for tracing (rewrite/trace.h); NULL: none */
    const char *clock;    /* that invariants about time go by: EXPRESSION/HZ; NULL: none */
    int level;            /* lists functions up to this level; 0: all */
    unsigned part, parts; /* of a plan: one of so many parts of its highest level; 0 parts: all of it */
    const struct slice_seen *seen; /* what traces have: the plan, or what is printed, is what to trace next (next.h) */
    size_t seen_count;
    enum slice_measure measure;
    int seen_level; /* the traces are of this level; 0: there are none */
    bool json;
};

/* Prints what is asked for. False if the sources, the invariant or another option is wrong; and, after everything is
 * printed, if the slice is the whole program. In a module of its own (motet_llvm.so), since LLVM takes long to load. */
bool motet_llvm_slice(const struct slice_options *o, FILE *out, struct motet_error *e);

#endif
