/* Values by the names of the source, as they are in a node at this very moment. */
#ifndef API_NAMED_H
#define API_NAMED_H

#include "image/debug.h"
#include "motet/motet.h"

struct named {
    bool in_memory;   /* else in registers */
    uint32_t address; /* data address */
    uint32_t size;    /* bytes; of a bit-field, those it touches */
    const struct debug_type *type;
    struct debug_field bits; /* bit_size 0 if it is not a bit-field */
    uint32_t known;          /* how many of the bytes are here */
    uint8_t bytes[512];
};

bool named_find(const motet_node *n, const char *expression, struct named *v, struct motet_error *e);

/* The same with the names that are in scope in a frame of the call chain, of which 0 is the innermost. */
bool named_find_in(const motet_node *n, size_t level, const char *expression, struct named *v, struct motet_error *e);

/* What was found, as motet_node_value gives it. */
void named_value(const struct named *found, struct motet_value *v);

/* The watch of a local variable, `function::name`, or of a part of it. NULL if it cannot be had; where that is because
 * it names no local variable, `e` is left as it is. */
motet_tap *named_watch_local(motet_node *n, const char *expression, unsigned when, motet_watched *f, void *context,
                             struct motet_error *e);

#endif
