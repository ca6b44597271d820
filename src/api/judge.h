/* Properties of the public interface on a network: what src/check judges, by the names of the source.
 *
 * Invariant: one judge belongs to one network and one thread.
 */
#ifndef API_JUDGE_H
#define API_JUDGE_H

#include "check/properties.h"
#include "motet/property.h"

struct judge_options {
    const struct motet_property_maker *maker; /* NULL: there are no properties */
    uint64_t from;                            /* nothing is judged before, in nanoseconds */
    uint64_t patience;                        /* of properties that do not say */
    uint64_t stuck;                           /* after which a node is stuck (check/vigil.h); 0: never */
};

struct judge;

/* For a network that has not run. `*j` is NULL where there are no properties. */
bool judge_new(motet_network *n, const struct judge_options *o, struct judge **j, struct motet_error *e);
void judge_free(struct judge *j);
struct properties *judge_properties(const struct judge *j); /* NULL of NULL */
const char *judge_name(const struct judge *j, size_t property);

/* How long it may take until what the property says happens; 0: the property has a bound, and is no such thing. */
uint64_t judge_patience_of(const struct judge *j, size_t property);

/* How long something that has no bound may take, the longest of them; 0: there is nothing of the kind. */
uint64_t judge_patience(const struct judge *j);

#endif
