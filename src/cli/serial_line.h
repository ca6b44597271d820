/* A serial line to a real or simulated node, for programs of the host. */
#ifndef CLI_SERIAL_LINE_H
#define CLI_SERIAL_LINE_H

#include "motet/motet.h"

bool serial_line_baud(const char *text, uint64_t *baud, struct motet_error *e);

/* A device, which is set to the rate without any changes to the bytes, or HOST:PORT of a TCP connection. Returns its
 * descriptor, -1 with a sentence if it cannot be opened. */
int serial_line_open(const char *place, unsigned baud, struct motet_error *e);

#endif
