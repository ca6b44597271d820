/* What is logged of each function beside its parameters: buffers and fields, as described or recognised.
 *
 * Without a description: what a pointer to a structure or number points to; of `(buf, len)`, a pointer to bytes with an
 * integer after it that is named as a length, so many bytes; of a structure with such a pair of members, those bytes
 * too. A pointer to bytes without a size is refused where the function is seen to cross the boundary.
 */
#ifndef INTERFACE_BUFFERS_H
#define INTERFACE_BUFFERS_H

#include "interface/boundary.h"

bool buffers_find(struct boundary *b, const struct descriptions *d, struct motet_error *e);

/* Of one function, as described. */
bool buffers_apply(struct boundary *b, uint32_t function, const struct description *d, struct motet_error *e);

struct interface_type buffers_type(const struct debug_type *t);

#endif
