/* Motet: analysis: what a firmware can do, worked out from its code without running it.
 *
 * Two questions: how deep the stack can get (over all paths, with interrupts), and which instruction can follow which.
 * Invariant: an answer is either safe, or comes with doubts that say where the code could not be followed.
 */
#ifndef MOTET_ANALYSIS_H
#define MOTET_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/base/types.h"
#include "motet/error.h"

#include "motet/base/begin.h"

typedef struct motet_analysis motet_analysis;

/* The calls through pointers in a function lead only to some others: an array of these, by their names. A caller may
 * have several. */
struct motet_pointer_call {
    const char *caller, *callee;
};

/* Lives no longer than its machine. NULL with a sentence if a name is not a function's. */
motet_analysis *motet_analysis_new(const motet_machine *m, const struct motet_pointer_call *calls, size_t count,
                                   struct motet_error *e);
void motet_analysis_free(motet_analysis *a); /* NULL is allowed */

/* ---- the stack ---- */

enum motet_stack_verdict {
    MOTET_STACK_FITS,
    MOTET_STACK_OVERFLOWS,
    MOTET_STACK_UNBOUNDED, /* recursion, or a loop that pushes: there is no bound */
    MOTET_STACK_UNKNOWN,   /* some code could not be followed, a pointer may lead to a recursion, or the room is not
                              known: see the doubts */
};

struct motet_stack {
    enum motet_stack_verdict verdict;
    uint32_t bytes;          /* at the deepest; where something is in doubt, of what could be followed */
    uint32_t top;            /* the stack pointer with nothing on the stack */
    uint32_t room;           /* bytes between the variables and the top; 0: not known */
    uint32_t variables_end;  /* data address after the last variable; 0: not known */
    bool heap;               /* the firmware has a heap, which takes from that room */
    unsigned unused_vectors; /* that only lead to a restart or an endless loop */
    bool nests;              /* handlers are interrupted by more urgent ones without turning interrupts on */
};
void motet_analysis_stack(const motet_analysis *a, struct motet_stack *s);

#define MOTET_NO_INTERRUPT UINT32_MAX

/* The chain of calls at the deepest, outermost first; false past the last. */
struct motet_stack_level {
    uint32_t interrupt; /* that begins at this level, or MOTET_NO_INTERRUPT */
    uint32_t function;  /* where the function begins, */
    uint32_t at;        /* and its instruction that calls the next level, or is the deepest */
    const char *name;   /* of the function, or NULL */
    const char *jumped; /* the function that was called and jumped to this one, or NULL */
    uint32_t bytes;
};
bool motet_analysis_level(const motet_analysis *a, size_t number, struct motet_stack_level *l);

/* The entry points: the reset, then interrupts; false past the last. */
struct motet_stack_entry {
    uint32_t interrupt; /* or MOTET_NO_INTERRUPT for the reset */
    uint32_t address;   /* of its code */
    const char *name;   /* of the function there, or NULL */
    uint32_t bytes;     /* at the deepest, without other interrupts */
    bool opens;         /* interrupts can be on in it; then bytes at the deepest such place: */
    uint32_t open;
    unsigned others; /* more interrupts that lead there and are counted with it */
};
bool motet_analysis_entry(const motet_analysis *a, size_t number, struct motet_stack_entry *e);

enum motet_doubt_kind {
    MOTET_DOUBT_RECURSION,     /* a function calls itself, directly or through others */
    MOTET_DOUBT_GROWS,         /* a loop leaves more on the stack each time */
    MOTET_DOUBT_STACK_POINTER, /* it gets a value that is not known */
    MOTET_DOUBT_OTHER_STACK,   /* it is moved to another stack */
    MOTET_DOUBT_RETURN,        /* a function returns with another stack pointer than it was called with */
    MOTET_DOUBT_ANYWHERE,      /* a call or jump to an address of which nothing is known */
};
struct motet_doubt {
    enum motet_doubt_kind kind;
    uint32_t at;           /* instruction */
    const uint32_t *cycle; /* of a recursion: the functions, in the order of their calls */
    size_t cycle_count;
    bool indirect; /* of a recursion: through a pointer, which perhaps never leads there */
};
bool motet_analysis_doubt(const motet_analysis *a, size_t number, struct motet_doubt *d); /* false past the last */

/* Instructions that call or jump through a pointer, met on the way; and the functions whose address is taken, each of
 * which such a pointer is taken to lead to. False past the last. */
bool motet_analysis_indirect(const motet_analysis *a, size_t number, uint32_t *at);
bool motet_analysis_taken(const motet_analysis *a, size_t number, uint32_t *function);

/* ---- control flow ---- */

/* A run of instructions that is entered at its first and left at its last. Ascending; false past the last. */
struct motet_block {
    uint32_t first, last, end; /* last: the last instruction's address */
    uint32_t function;         /* address of the function it is of */
};
bool motet_analysis_block(motet_analysis *a, size_t number, struct motet_block *b);

enum motet_edge_kind {
    MOTET_EDGE_NEXT,   /* on to the next instruction */
    MOTET_EDGE_JUMP,   /* always */
    MOTET_EDGE_BRANCH, /* if a condition holds */
    MOTET_EDGE_TABLE,  /* one of several, by a table */
    MOTET_EDGE_CALL,   /* `to` is a function; the block goes on after it */
};
struct motet_edge {
    uint32_t from, to; /* from: an instruction; all but calls lead from the last instruction of a block */
    enum motet_edge_kind kind;
};
bool motet_analysis_edge(motet_analysis *a, size_t number, struct motet_edge *e); /* by `from`; false past the last */

#include "motet/base/end.h"

#endif
