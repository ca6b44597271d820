/* Plans of traces: what `motet slice` finds, `motet cc` instruments, and a replay has to know.
 *
 * A plan is a text, a line for each thing:
 *
 *     level N
 *         the highest that is traced
 *     measure
 *         numbers of functions are not unique: only for the firmware's size
 *     function NUMBER LEVEL LINE KIND handler|leaf|still|inlined|- NAME FILE
 *         KIND: traced, skipped, passes (has no instrumentation), quiet (a handler with no effect inside)
 *     cell NUMBER OFFSET SIZE WRITTEN static|global FUNCTION|- NAME LINE FILE
 *         of the table, in its order; WRITTEN: own (by traced functions alone), shared (outside too), interrupts (by
 *         handlers outside too)
 *     left SIZE NAME FILE
 *         an array that is own, and too large for the table
 *     reference NUMBER NAME|*
 *         a variable that is counted in a function; *: by pointers
 *     pointee NUMBER PARAMETER SIZE
 *         what a parameter leads to in another function's frame
 *     ring BYTES
 *         of the ring in RAM; motet cc adds it
 *
 * Invariant: for any text, reading ends with a plan or with false.
 */
#ifndef RECORD_TRACE_PLAN_H
#define RECORD_TRACE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

enum { TRACE_MOST = 127 };

enum trace_kind { TRACE_NONE, TRACE_TRACED, TRACE_SKIPPED, TRACE_PASSES, TRACE_QUIET };

struct trace_function {
    unsigned number, level, line;
    enum trace_kind kind;
    bool is_handler, is_leaf, is_still; /* a leaf calls nothing; a still function changes no cell */
    bool is_inlined;                    /* only traced functions call it: entry and return are not noted */
    char name[256], file[1024];
};

struct trace_cell {
    unsigned offset, size, line;
    bool own;        /* nothing outside writes it */
    bool interrupts; /* handlers outside write it */
    bool is_static;  /* no other file sees it */
    unsigned place;  /* of a static variable of a function: in motet_trace_places, from 1; else 0 */
    char function[256], name[256], file[1024];
};

struct trace_plan {
    struct trace_function *functions;
    struct trace_cell *cells;
    struct trace_reference {
        unsigned function;
        char name[256];
    } * references;
    struct trace_pointee {
        unsigned function, parameter, size;
    } * pointees;
    struct trace_left {
        unsigned size;
        char name[256];
    } * left;
    size_t left_count, left_room;
    size_t function_count, function_room, cell_count, cell_room, reference_count, reference_room, pointee_count,
        pointee_room;
    unsigned ring, level;
    bool measures; /* numbers of functions are not unique: only for the firmware's size */
};

/* Adds a line. False if it is none of a plan. */
bool trace_plan_add(struct trace_plan *t, const char *line);
void trace_plan_free(struct trace_plan *t);

/* The function with a number, NULL: none. */
const struct trace_function *trace_plan_function(const struct trace_plan *t, unsigned number);

#endif
