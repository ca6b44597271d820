/* Inline assembly: what a statement of it does, as far as recording must know.
 *
 * Invariant: what is not understood is said to read memory, so that it is refused rather than passed over.
 */
#ifndef REWRITE_ASSEMBLY_H
#define REWRITE_ASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>

struct assembly {
    bool sleeps;      /* the CPU may sleep */
    bool enables;     /* allows interrupts */
    bool loops;       /* jumps back */
    bool reads;       /* reads memory or a register that can change on its own */
    bool reads_there; /* by a number or an instruction for registers, rather than through a pointer or by a name */
    bool switches;    /* gives the CPU another stack */
    bool returns;     /* ends an interrupt handler */
    bool sets_flags;  /* writes the status register as a whole */
    char calls[64];   /* a function that it calls, or "" */
    char reader[32];  /* the instruction that reads */
};

/* `text` is the statement as written: asm volatile("..." : ...). */
void assembly_look(const char *text, size_t size, const char *target, struct assembly *a);

#endif
