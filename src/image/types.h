/* Types being made from DWARF entries.
 *
 * types_of() may be asked for any entry in any order; it only takes note. types_finish() then settles all that was
 * noted, without recursion over what the file links together, so that neither cycles nor long chains matter. Invariant:
 * a type handed out is valid after types_finish(): its members lie within it, its array's size is its count of
 * elements.
 */
#ifndef IMAGE_TYPES_H
#define IMAGE_TYPES_H

#include <elfutils/libdw.h>

#include "image/internal.h"

struct built_type;

struct types {
    struct store *store;
    unsigned pointer_size;     /* bytes, where an entry does not say */
    struct growing built;      /* struct built_type *, in the order asked for */
    struct built_type **slots; /* by the entry's offset; a power of two */
    size_t slot_count;
    struct growing definitions; /* of structures by name, in case other files only declare them */
    struct growing arrays;      /* uint32_t: how many elements each has */
    struct built_type *nothing; /* void */
    size_t budget;              /* entries that may still be looked at */
};

void types_start(struct types *t, struct store *s, unsigned pointer_size);
/* Takes note of a structure's entry, if it is a definition. All of them are to be seen before types_finish(). */
void types_see(struct types *t, Dwarf_Die *die);
/* The type that the entry's DW_AT_type names; void if it names none. */
const struct debug_type *types_of(struct types *t, Dwarf_Die *die);
/* The type of a function that the entry defines. */
const struct debug_type *types_of_function(struct types *t, Dwarf_Die *die);
void types_finish(struct types *t);

/* An integer attribute, followed through specifications and abstract origins; false if there is none. */
bool dwarf_number(Dwarf_Die *die, unsigned attribute, int64_t *value);
/* Whether there is another entry after this one below the same parent; takes it. Every step counts against the budget.
 */
bool dwarf_next(size_t *budget, Dwarf_Die *die);

#endif
