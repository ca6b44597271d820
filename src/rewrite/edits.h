/* Edits: texts to be inserted into a text at places of it.
 *
 * Invariant: nothing of the original is taken away, so what is inserted around nested expressions nests too, if the
 * outer ones are added first: at one place, what closes comes before what opens, and of what closes the last added is
 * the first.
 */
#ifndef REWRITE_EDITS_H
#define REWRITE_EDITS_H

#include <stddef.h>
#include <stdint.h>

enum edit_side { EDIT_CLOSE, EDIT_OPEN };

struct edit {
    uint32_t at;
    enum edit_side side;
    unsigned order;
    char *text;
};

struct edits {
    struct edit *list;
    size_t count, room;
};

void edits_add(struct edits *e, uint32_t at, enum edit_side side, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The text with everything inserted; to be freed. */
char *edits_apply(struct edits *e, const char *text, size_t size, size_t *result_size);
void edits_free(struct edits *e);

#endif
