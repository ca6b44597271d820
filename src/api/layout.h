/* Layouts: whether a snapshot of another process can be used in this one.
 *
 * Invariant: two builds with the same layout give every byte of a node's state the same place and the same meaning. It
 * is a digest of all sources that have state or change it, and of how the host lays it out.
 */
#ifndef API_LAYOUT_H
#define API_LAYOUT_H

#include "api/handles.h"
#include "base/digest.h"

struct digest layout_of(const motet_machine *const *machines, size_t count);

#endif
