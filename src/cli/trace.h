/* Traces: what a node does, as lines on standard error while it runs. */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include "motet/motet.h"

enum { TRACE_LEDS = 1, TRACE_PINS = 2, TRACE_SERIAL = 4, TRACE_RESETS = 8 };

/* "leds,pins": adds to *what. */
bool trace_parse(const char *text, unsigned *what, struct motet_error *e);

void trace_pin(unsigned what, const motet_node *n, uint64_t tick, unsigned pin, bool level);
void trace_serial(const motet_node *n, uint64_t tick, unsigned line, unsigned frame);
void trace_reset(const motet_node *n, uint64_t tick, const char *cause);

#endif
