/* Shapes: the types of the source, as debug information in the text of a module has them.
 *
 * LLVM's C interface can neither list nor change them, so they are read from the text and written back to it.
 * Invariant: sizes and offsets that shapes_write writes are those of layout.h, so that a debugger finds each member.
 */
#ifndef NATIVE_SHAPES_H
#define NATIVE_SHAPES_H

#include <stdint.h>
#include <stdio.h>

#include "native/refusals.h"

enum shape_kind {
    SHAPE_OTHER,
    SHAPE_POINTER,
    SHAPE_MEMBER,
    SHAPE_SAME,
    SHAPE_STRUCT,
    SHAPE_UNION,
    SHAPE_ARRAY,
    SHAPE_LIST
};

struct shape {
    enum shape_kind kind;
    bool known, visiting;
    uint64_t size, offset;          /* bits, of the target */
    uint64_t count;                 /* of a subrange */
    int base, elements, file, line; /* numbers of other shapes, -1: none */
    char name[64];
    char path[200]; /* of a file */
    int *list;
    size_t list_count, list_room;
    int64_t pointers; /* in a value of this type; -1: not worked out yet */
    uint64_t before;  /* of a member: pointers in the members before it */
};

struct shapes {
    struct shape *all; /* by the number of the metadata */
    size_t count;
};

void shapes_read(struct shapes *s, const char *text);
void shapes_free(struct shapes *s);

/* Refuses unions that overlay a pointer with anything else. */
void shapes_refuse_unions(const struct shapes *s, struct refusals *r);

/* The native size of a struct that has so many bytes on the target; 0 if there are several answers. */
uint64_t shapes_native_size(const struct shapes *s, uint64_t target_size);

/* The text with the native program's sizes and offsets. */
void shapes_write(const struct shapes *s, const char *text, FILE *f);

#endif
