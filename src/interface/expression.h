/* Expressions over the parameters and the result of a call: which bytes are logged, and how many.
 *
 *     *p    p->data[p->length]    table[2 * n + 1]    (m->data + 4)[m->length - 4]
 *
 * C's operators * -> . [] + - and numbers. Invariant: an expression that was checked against a function's type can be
 * evaluated at any call of it; where memory cannot be read, or a size is not sensible, that fails and nothing is
 * logged.
 */
#ifndef INTERFACE_EXPRESSION_H
#define INTERFACE_EXPRESSION_H

#include "base/error.h"
#include "image/debug.h"

enum { EXPRESSION_VALUE = 8 }; /* bytes of the largest parameter that an expression can use */

/* A call, as far as expressions see it. `names` may be NULL for those of the type's own. */
struct expression_call {
    const struct debug_type *function;
    const char *const *names;
    const uint64_t *parameters; /* NULL: only types are wanted */
    const uint64_t *result;     /* NULL: before the call has returned */
    debug_read *read;           /* by data addresses of the node */
    void *context;
};

/* What an expression names: bytes in memory. */
struct expression_bytes {
    uint32_t address, size;
    const struct debug_type *element; /* what they are an array of, or one of */
    bool uses_result;
};

/* With `call->parameters` NULL the expression is checked. False with a sentence if it is wrong, or has no bytes now. */
bool expression_bytes(const char *text, const struct expression_call *call, struct expression_bytes *b,
                      struct motet_error *e);

/* A number that is a parameter, the result, or a member of what a parameter points to: "to", "m->from". */
struct expression_place {
    bool result, indirect; /* indirect: `offset` is in what the parameter points to */
    uint32_t parameter, offset, size;
};
bool expression_place(const char *text, const struct expression_call *call, struct expression_place *p,
                      struct motet_error *e);

#endif
