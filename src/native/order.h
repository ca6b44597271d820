/* Order: expressions whose result depends on which operand is evaluated first.
 *
 * C leaves that order open. gcc, which makes the chip's program, evaluates arguments from the last to the first; clang,
 * which makes the native program, from the first to the last. Invariant: after this, both orders give the same result,
 * or a refusal names the place. It knows what functions do whose sources are here; any other function may do
 * everything.
 */
#ifndef NATIVE_ORDER_H
#define NATIVE_ORDER_H

#include "base/error.h"
#include "native/refusals.h"

/* Reads all preprocessed files of a program. `types`: options that change types, up to NULL. */
bool order_check(char *const *paths, size_t count, const char *target, const char *const *types,
                 struct refusals *refusals, struct motet_error *e);

#endif
