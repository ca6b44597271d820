/* Memory: the one place that allocates, and the one way in which arrays grow.
 *
 * Invariant: every function here returns memory. When there is none, or a size does not fit into size_t, the program
 * ends with a sentence on standard error: sizes that a user gives are limited where they are read, so no caller could
 * do better. All memory is given back with free().
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Zeroed. A count or size of 0 gives memory that must not be used, but can be freed and grown. */
void *memory_new(size_t size);
void *memory_array(size_t count, size_t size);
void *memory_with_array(size_t head, size_t count, size_t size); /* a struct and the array at its end */

/* Contents unknown. */
void *memory_bytes(size_t size);
void *memory_aligned(size_t alignment, size_t size); /* the size a multiple of the alignment */

/* The array with exactly this many elements; those past the old ones have unknown contents. */
void *memory_resize(void *array, size_t count, size_t size);

/* The array with room for at least one more than `count` elements: `*room` is doubled whenever it is used up. */
void *memory_grow(void *array, size_t *room, size_t count, size_t size);

/* Copies. */
void *memory_copy(const void *bytes, size_t size);
char *memory_string(const char *text);
char *memory_format_list(const char *format, va_list args) __attribute__((format(printf, 1, 0)));
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What another library has allocated (a stream in memory, an interpreter): the same pointer, never NULL. */
void *memory_must(void *p);
void memory_written(FILE *stream); /* closes a stream of open_memstream: its text is whole */

#endif
