/* Lines: a text of limited size that is written piece by piece.
 *
 * Invariant: the text ends with a zero byte, unless its size is 0. What does not fit is left out.
 */
#ifndef BASE_LINE_H
#define BASE_LINE_H

#include <stddef.h>

struct line {
    char *text;
    size_t size, length;
};

void line_say(struct line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
