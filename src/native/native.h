/* Native programs: firmware as a program of this computer, with its sources' lines, structs and 16-bit arithmetic.
 *
 * Invariant: the program computes what the chip would, or building it ends with a refusal that names the place.
 */
#ifndef NATIVE_NATIVE_H
#define NATIVE_NATIVE_H

#include <stdbool.h>
#include <stddef.h>

struct motet_error;

/* A function or variable of the source. */
struct native_place {
    const char *name, *file;
    unsigned line;
};

/* What a firmware that recorded gives. */
struct native_recorded {
    const unsigned char *sources; /* its sections .motet.source */
    size_t source_size;
    const unsigned char *sites; /* its section .motet.sites */
    size_t site_size;
    const struct native_place *variables, *functions; /* to be compared; whose entries count as steps */
    size_t variable_count, function_count;
    const bool *shared; /* by variable: an interrupt came between accesses to it, and its handler uses it; NULL: none */
    bool (*address)(void *context, const char *symbol, unsigned *address); /* of a register that the linker places */
    void *context;
    const char *feed; /* a file in C: the events */
    bool component;   /* the sources are of a component that logged its interface; functions: that have addresses */

    /* Of a trace (record/trace_log.h): the functions that are executed; no other has a body. NULL: a whole log. */
    const struct native_place *traced;
    size_t traced_count;
};

struct native_options {
    const char *target_files;               /* the folder target/ */
    const char *output;                     /* the program to write */
    const char *sanitize;                   /* "address", "undefined" or both, with a comma; NULL: none */
    bool any_order;                         /* the order of operands is not looked at (native/order.h) */
    const struct native_recorded *recorded; /* NULL: a program without a log */
    const char *keep;                       /* folder for what is in between, NULL: it is thrown away */
};

/* Sources are those of a compiler's command, or of the firmware that recorded, without a command. False if it cannot
 * be; refusals are printed to standard error. In a module of its own (motet_native.so), since LLVM takes long to load.
 */
typedef bool native_build_function(const struct native_options *o, char **command, size_t count, struct motet_error *e);
native_build_function motet_native_build;

#endif
