/* Pieces: how a user names a component. A file (`route.c`), a directory (`kit/`), a function, or a glob of names
 * (`CtpForwardingEngineP.*`, where a point stands for nesC's separator).
 *
 * Invariant: `motet cc` and the host decide by the same rules which code is inside.
 */
#ifndef INTERFACE_PIECES_H
#define INTERFACE_PIECES_H

#include <stdbool.h>
#include <stddef.h>

enum piece_kind { PIECE_FILE, PIECE_FOLDER, PIECE_FUNCTION, PIECE_GLOB };

struct piece {
    enum piece_kind kind;
    char *text, *other; /* other: of a glob, with nesC's other separator */
    bool found;
};

struct piece piece_new(const char *text);
void pieces_free(struct piece *pieces, size_t count); /* which were allocated as an array */

/* Whether a name is as a glob has it, in which a point stands for nesC's separator. */
bool pieces_is_named(const char *glob, const char *name);

/* Whether a path is that of a source, not of a header. */
bool pieces_is_source(const char *path);

/* The source that something belongs to: what is defined in a header belongs to the source that includes it. */
const char *pieces_source(const char *file, const char *unit);

/* Whether a function of a source belongs to a piece, or to any of them; those that it does are marked as found. */
bool piece_matches(const struct piece *p, const char *name, const char *source);
bool pieces_inside(struct piece *pieces, size_t count, const char *name, const char *source);

#endif
