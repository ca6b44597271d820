/* Fetching: the host's memory is asked for what will be touched soon.
 *
 * In a large network the nodes of a window lie in no cache. While one runs, the lines of the next are on their way.
 * Invariant: a fetch changes nothing, and no result depends on it.
 */
#ifndef NODE_FETCH_H
#define NODE_FETCH_H

#include <stddef.h>

enum { FETCH_LINE = 64 };

/* A compiler drops calls of a function that does nothing but this. */
static inline __attribute__((always_inline)) void fetch(const void *from, size_t size)
{
    for (const char *at = from, *end = at + size; at < end; at += FETCH_LINE)
        __builtin_prefetch(at);
}

/* The line for this processor alone, to be written soon. A store to a line that another processor has read holds up all
 * stores after it. */
static inline __attribute__((always_inline)) void fetch_to_write(const void *at)
{
#if defined __x86_64__ || defined __i386__
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)at)); /* the compiler's own is for later processors only */
#else
    __builtin_prefetch(at, 1);
#endif
}

#endif
