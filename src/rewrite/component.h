/* The component whose interface is logged (`motet cc --log-interface`): what of a source is inside.
 *
 * Sources are compiled one by one. What is defined in other sources of the component is found by reading those: they
 * are the files of the pieces, looked for beside the source and from the current folder. Invariant: a function is
 * inside for all sources or for none.
 */
#ifndef REWRITE_COMPONENT_H
#define REWRITE_COMPONENT_H

#include "interface/describe.h"
#include "interface/pieces.h"
#include "rewrite/tree.h"

enum { COMPONENTS_MOST = 4 }; /* of a firmware */

struct component {
    struct piece *pieces;
    size_t count;
    char *target; /* the pieces, as they were given but for interface files */
    struct descriptions descriptions;
    char **names; /* of functions and variables that other sources of the component define */
    size_t name_count, name_room;
};

/* `text` is PIECE,...; interface files among them are read, and those in `folder`. */
bool component_make(struct component *c, const char *text, const char *folder, struct motet_error *e);
void component_free(struct component *c);
void component_forget(struct component *c); /* what other sources define */

/* Whether a source is inside as a whole. */
bool component_has_source(const struct component *c, const char *source);

/* Whether a name is defined by another source of the component. */
bool component_defines(const struct component *c, const char *name);

/* Adds what a preprocessed source defines for others. */
bool component_read(struct component *c, const char *path, const char *target, const char *const *types,
                    struct motet_error *e);

/* The other files of the component, as far as they are found: calls `each` with their paths. */
bool component_others(const struct component *c, const char *source, bool (*each)(void *context, const char *path),
                      void *context);

#endif
