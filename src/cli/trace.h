/* Traces: what a node does, as lines for standard error.
 *
 * Invariant: a line depends only on the event, its time and the node's name. The caller decides when it is printed.
 */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include "motet/motet.h"

enum { TRACE_LEDS = 1, TRACE_PINS = 2, TRACE_SERIAL = 4, TRACE_RESETS = 8, TRACE_PARTS = 16, TRACE_TEXT = 256 };

/* "leds,pins": adds to *what. */
bool trace_parse(const char *text, unsigned *what, struct motet_error *e);

/* Where a line comes from, and when. */
struct trace_place {
    const motet_node *node;
    uint64_t nanosecond;
    bool named; /* the node's id is part of the line */
};

/* Each writes as many lines as there are to print, none if nothing of it is asked for. */
void trace_pin(char text[TRACE_TEXT], unsigned what, struct trace_place at, unsigned pin, bool level);
void trace_serial(char text[TRACE_TEXT], unsigned what, struct trace_place at, unsigned line, unsigned frame);
void trace_part(char text[TRACE_TEXT], unsigned what, struct trace_place at, const char *name, const char *doing);
void trace_reset(char text[TRACE_TEXT], unsigned what, struct trace_place at, const char *cause);

#endif
