/* Expressions of an assembler's source, as far as they are numbers: (((0x09) + 0x20) - 0x20).
 *
 * Invariant: what is not certainly a number gives none.
 */
#ifndef REWRITE_EXPRESSION_H
#define REWRITE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names given to numbers with = or .equ. */
struct constants {
    struct constant {
        char name[64];
        int64_t value;
    } * list;
    size_t count;
};

/* `text` up to its end. */
bool expression_value(const struct constants *c, const char *text, int64_t *value);
void constants_define(struct constants *c, const char *name, size_t length, int64_t value);
void constants_free(struct constants *c);

#endif
