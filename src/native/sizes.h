/* Sizes: where a preprocessed source computes with the size of something that holds pointers.
 *
 * clang would fold such a size, and the number would be the chip's. Each becomes the address of a symbol that carries
 * both sizes in its name (RETARGET_SIZE); retargeting puts the native number there. Invariant: after this, no folded
 * constant depends on the size of a pointer, or a refusal names the place.
 */
#ifndef NATIVE_SIZES_H
#define NATIVE_SIZES_H

#include "base/error.h"
#include "native/refusals.h"

/* Rewrites the file in place. `types`: options that change types, up to NULL. */
bool sizes_rewrite(const char *path, const char *target, const char *const *types, struct refusals *refusals,
                   struct motet_error *e);

#endif
