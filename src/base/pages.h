/* Pages: a large memory (external flash, EEPROM, self-programmed code) that snapshots share until it is written.
 *
 * A `struct pages` is one view of the memory. pages_share() makes another view in constant time; the two then differ
 * only by what is written after. Invariant: a page reachable from more than one view is never written, so a view
 * without writes never changes. Views may be used from different threads; one view by one thread at a time.
 */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"

#define PAGES_SIZE \
    256u /* bytes in a page: small, since a sensor node's logs are written a few hundred bytes at a time */

struct pages;

/* A new memory of `size` bytes, each of them `fill`. */
struct pages *pages_new(size_t size, uint8_t fill);

/* A second view of the same contents; O(1). */
struct pages *pages_share(const struct pages *p);

/* Makes an existing view one of another's contents; O(1), allocates nothing. */
void pages_view(struct pages *p, const struct pages *of);

void pages_free(struct pages *p);

size_t pages_size(const struct pages *p);
uint8_t pages_get(const struct pages *p, size_t at);
void pages_set(struct pages *p, size_t at, uint8_t value);
void pages_read(const struct pages *p, size_t at, void *to, size_t count);
void pages_write(struct pages *p, size_t at, const void *from, size_t count);
void pages_fill(struct pages *p, size_t at, uint8_t value, size_t count);

/* Whether two views hold the same bytes in the page around `at`; a shared page is recognised without looking at it. */
bool pages_same(const struct pages *a, const struct pages *b, size_t at);

/* Whether two views still are the same memory, nothing written to either since one was made from the other; O(1). */
bool pages_is_view(const struct pages *a, const struct pages *b);

/* Of the contents alone: equal contents have equal digests however they came to be. Costs what changed since last time.
 */
struct digest pages_digest(struct pages *p);

#endif
