/* Values: expressions as in C, in a frame of a node: names by debug information, registers as $name, numbers and
 * operators.
 *
 * Invariant: finding and reading change nothing; for any expression the answer is a value or a sentence.
 */
#ifndef DEBUG_VALUE_H
#define DEBUG_VALUE_H

#include "image/debug.h"
#include "node/node.h"

/* Where names have their meaning: a frame (0 is the innermost) of a node. */
struct value_scope {
    struct node *node;
    size_t level;
};

struct value {
    bool object; /* it has a place: `address` and `type`; else it is a number */
    const struct debug_type *type;
    uint32_t address;
    struct debug_field bits; /* bit_size 0: no bit-field */
    int64_t number;
    bool pointer;             /* the number is an address */
    struct debug_scope scope; /* for what is in registers */
};

bool value_find(const struct value_scope *s, const char *expression, struct value *v, struct motet_error *e);
bool value_number(const struct value_scope *s, const struct value *v, int64_t *number, struct motet_error *e);
void value_text(const struct value_scope *s, const struct value *v, char format, char *text, size_t size);
bool value_bytes(const struct value_scope *s, const struct value *v, uint8_t *bytes, uint32_t size);

/* How many bytes of memory it takes, from its address on; 1 for a number that is taken as an address. */
uint32_t value_size(const struct value *v);

/* Its type is not known: it is taken for an unsigned number of its size. */
bool value_is_untyped(const struct value *v);

/* Where something lies in memory: what an expression names, a symbol that debug information does not know, or an
 * address. The type is NULL where it is not known, or does not say all (a bit-field). */
struct value_place {
    uint32_t address, size;
    const struct debug_type *type;
};
bool value_locate(const struct value_scope *s, const char *expression, struct value_place *p, struct motet_error *e);

/* A register of the frame, by its number as debuggers count; false if it is not known there. */
bool value_register(const struct value_scope *s, unsigned number, uint32_t *value);

bool value_memory(void *node, uint32_t address, void *to, uint32_t size); /* a debug_read */
bool value_frame(const struct value_scope *s, struct debug_frame *frame, struct debug_scope *scope);

#endif
