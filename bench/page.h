/* A page of figures that two groups write: one all but the last section, the other that section.
 *
 * Invariant: what a group does not write stays as it is.
 */
#ifndef BENCH_PAGE_H
#define BENCH_PAGE_H

#include <stdbool.h>

/* The section with the heading `last` ("## ...") becomes `text`, which begins with it; or, before it, all else does.
 * False: the reason is printed. */
bool page_write_last(const char *path, const char *last, const char *text);
bool page_write_others(const char *path, const char *last, const char *text);

#endif
