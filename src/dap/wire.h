/* The wire: messages of the Debug Adapter Protocol as they come in: header lines, an empty line, so many bytes of JSON.
 *
 * Invariant: bytes in any pieces give the same messages. What is no message makes the wire broken, for good and with a
 * sentence; no header makes it take more memory than WIRE_BODY.
 */
#ifndef DAP_WIRE_H
#define DAP_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "motet/error.h"

enum { WIRE_HEADER = 4096, WIRE_BODY = 4 << 20 }; /* bytes, at most */

struct wire {
    char *bytes; /* that came and belong to no message yet */
    size_t count, room;
    bool broken;
    struct motet_error error;
};

void wire_put(struct wire *w, const char *bytes, size_t count);

/* The next message's JSON, in memory to be freed; NULL if it is not there yet, or the wire is broken. */
char *wire_take(struct wire *w, size_t *length);

void wire_free(struct wire *w);

#endif
