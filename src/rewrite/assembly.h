/* Inline assembly: what a statement of it does, as far as recording must know.
 *
 * Invariant: what is not understood counts as reading memory, so that it is refused rather than ignored.
 */
#ifndef REWRITE_ASSEMBLY_H
#define REWRITE_ASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>

struct assembly {
    bool sleeps;     /* the CPU may sleep */
    bool enables;    /* allows interrupts */
    bool loops;      /* jumps back */
    bool reads;      /* reads memory or a register that can change on its own */
    bool returns;    /* ends an interrupt handler */
    bool sets_flags; /* writes the status register as a whole */
    char calls[64];  /* a function that it calls, or "" */
    char reader[32]; /* the instruction that reads */
};

/* `text` is the statement as written: asm volatile("..." : ...). */
void assembly_look(const char *text, size_t size, const char *target, struct assembly *a);

#endif
