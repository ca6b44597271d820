/* Members: what a value is made of: the fields of a structure, the elements of an array, what a pointer leads to.
 *
 * Invariant: a member is a value like any other, with an expression that names it wherever its owner has one. Finding
 * members reads nothing but the pointer that is followed.
 */
#ifndef DEBUG_MEMBERS_H
#define DEBUG_MEMBERS_H

#include "debug/value.h"

enum members_kind { MEMBERS_NONE, MEMBERS_FIELDS, MEMBERS_ELEMENTS, MEMBERS_TARGET };

/* How many there are. A pointer to a structure has the structure's fields, another one what it points to. */
size_t members_count(const struct value_scope *s, const struct value *v, enum members_kind *kind);

/* One of them, its name ("etx", "[3]", "*head") and the expression for it, where its owner's is `path`; an empty path
 * stays empty. */
void members_at(const struct value_scope *s, const struct value *v, const char *path, size_t number,
                struct value *member, char *name, char *expression, size_t size);

#endif
