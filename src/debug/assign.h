/* Assignments: what has to be written where, for a value of a node to become another.
 *
 * Invariant: nothing is written here. The bytes are those of the whole type, so that a bit-field's neighbours stay.
 */
#ifndef DEBUG_ASSIGN_H
#define DEBUG_ASSIGN_H

#include "debug/value.h"

struct assignment {
    uint32_t data, size; /* data address, bytes */
    uint8_t bytes[8];
};

/* `text` is an expression, or what its type has words for: an enumerator, true, 0.5. False with a sentence. */
bool assign_make(const struct value_scope *s, const struct value *to, const char *text, struct assignment *a,
                 struct motet_error *e);

#endif
