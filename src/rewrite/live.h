/* Live bits: which bits of a value that is read can matter to the program.
 *
 * Invariant: an answer never leaves out a bit that matters. Where the flow of the value is not understood all its bits
 * count.
 */
#ifndef REWRITE_LIVE_H
#define REWRITE_LIVE_H

#include "rewrite/tree.h"

/* How an lvalue is used where it stands. */
enum use {
    USE_READ,
    USE_WRITE,   /* the left side of = */
    USE_UPDATE,  /* |=, ++ and the like, with a result that is not used */
    USE_ADDRESS, /* & */
    USE_NONE,    /* read and thrown away, or under sizeof */
};
enum use live_use(const struct tree *t, int lvalue);

/* The bits of the integer expression, of `size` bytes, that matter. */
uint32_t live_bits(struct tree *t, int expression, unsigned size);

#endif
