/* Interface logs as text for people and as lines of JSON. */
#ifndef INTERFACE_PRINT_H
#define INTERFACE_PRINT_H

#include <stdio.h>

#include "interface/log.h"

/* Everything that is left to read. */
void interface_print_text(struct interface_reader *r, FILE *out);
void interface_print_json(struct interface_reader *r, bool list, FILE *out); /* a line each, or with commas between */

/* What happens in an event, without time and node: `radio_send(p=0x0345) {*p: 09 34 12}`. */
void interface_print_event(const struct interface_header *h, const struct interface_event *e, FILE *out);

#endif
