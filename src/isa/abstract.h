/* Abstract execution: what an instruction does to the little that is known without running the firmware.
 *
 * As in Avrora's stack analysis, an instruction is executed on abstract values: numbers, the stack pointer as it was at
 * a function's entry plus a distance, a saved status register. That is enough to follow the stack pointer through
 * frames, routines that save registers for others, and saved interrupt flags. Each instruction set has one function for
 * it (isa->abstract) and reads its own decoded code. Invariant: a value is UNKNOWN rather than wrong, as long as
 * firmware does not overwrite its own saved registers through a pointer.
 */
#ifndef ISA_ABSTRACT_H
#define ISA_ABSTRACT_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

enum abstract_kind {
    ABSTRACT_UNKNOWN,
    ABSTRACT_ENTRY,  /* what register `n` held at the function's entry */
    ABSTRACT_NUMBER, /* n */
    ABSTRACT_FRAME,  /* the stack pointer at the function's entry, plus n */
    ABSTRACT_RESET,  /* of the stack pointer alone: what the chip gives it at reset, n */
    ABSTRACT_STATUS, /* a status register that has interrupts as in `n`, of ABSTRACT_OFF and ABSTRACT_ON */
    ABSTRACT_INDEX,  /* something unknown, plus n */
    ABSTRACT_LOADED, /* an entry of the table that begins at byte n of program memory */
};

/* Whether interrupts are accepted: either bit, or both where it depends. */
enum { ABSTRACT_OFF = 1, ABSTRACT_ON = 2 };

struct abstract_value {
    uint8_t kind;
    uint8_t part; /* which byte of it, where registers have one byte */
    int32_t n;
};

enum { ABSTRACT_REGISTERS = 32, ABSTRACT_SLOTS = 40 };

struct abstract_slot {
    int32_t at; /* address, as `sp` counts */
    struct abstract_value value;
};

struct abstract_state {
    struct abstract_value sp; /* FRAME, NUMBER or RESET */
    uint8_t interrupts;       /* ABSTRACT_OFF, ABSTRACT_ON */

    struct abstract_value r[ABSTRACT_REGISTERS];
    struct abstract_slot slots[ABSTRACT_SLOTS]; /* what is known of the stack's contents, lowest address first */
    unsigned slot_count;

    /* The comparison before tested whether a saved status register has interrupts on, which it has as here; 0: no. */
    uint8_t tested;
    bool alone; /* and nothing else of it: zero says so, too */

    /* Between two instructions that compute one number in halves: the carry belongs to this step. */
    struct abstract_value carry; /* the value before, or the carry itself as a NUMBER */
    int32_t carried;             /* its `n` after */
    struct abstract_value half;  /* of SP, written while the other half is not yet */
    enum abstract_half { ABSTRACT_WHOLE, ABSTRACT_LOW, ABSTRACT_HIGH } written;
};

enum abstract_flow {
    ABSTRACT_NEXT,          /* to the next instruction */
    ABSTRACT_JUMP,          /* to `target` */
    ABSTRACT_BRANCH,        /* to the next or to `target` */
    ABSTRACT_CALL,          /* `target`, then to the next */
    ABSTRACT_RETURN,        /* from a function */
    ABSTRACT_LEAVE,         /* from an interrupt */
    ABSTRACT_TABLE,         /* to an address out of the table at `target` */
    ABSTRACT_JUMPS,         /* to a jump out of those that begin at `target` */
    ABSTRACT_DISTANCES,     /* to a distance out of the table at `target`, see abstract_step.distance */
    ABSTRACT_JUMP_ANYWHERE, /* to an address that is not known */
    ABSTRACT_CALL_ANYWHERE,
    ABSTRACT_END, /* it cannot be executed */
};

struct abstract_step {
    enum abstract_flow flow;
    unsigned size; /* bytes of the instruction */
    uint32_t target;
    bool lost; /* the stack pointer gets a value that is not known; in the state it keeps the old one */

    /* Of a table of distances: bytes of an entry, whether it has a sign, what it counts in, and from where. */
    struct abstract_distance {
        uint8_t size, unit;
        bool is_signed;
        uint32_t from;
    } distance;
};

#define ABSTRACT_NO_PAIR UINT32_MAX

/* What an instruction set adds to its struct isa for this. */
struct isa_abstract {
    unsigned registers;
    int zero;                /* register that compilers keep 0 in where functions are called and return; -1: none */
    unsigned code_alignment; /* bytes: where instructions can begin */
    unsigned data_alignment; /* and pointers in memory */
    bool nests;              /* interrupts are on after a reset and in handlers, where more urgent ones come */

    /* Bytes that an interrupt puts on the stack, at most. */
    unsigned (*interrupt_pushes)(const struct machine *m);

    /* Executes the instruction at a byte address. Calls and returns leave the stack pointer alone. */
    void (*step)(const struct machine *m, uint32_t at, struct abstract_state *s, struct abstract_step *step);

    /* Where execution begins for an interrupt line, of which one is the reset; false if there is nothing. */
    bool (*vector)(const struct machine *m, unsigned line, uint32_t *address);
    unsigned reset_line;
    uint32_t (*reset_sp)(const struct machine *m);

    unsigned pointer_size; /* bytes of a pointer to a function */
    unsigned pointer_unit; /* bytes of code that it counts in */
    uint32_t pointer_bits; /* of it that are set, and no part of the address */

    /* Whether vectors that are no instructions lie there in program memory. NULL: they are instructions. */
    bool (*is_vector)(const struct machine *m, uint32_t at);

    /* A number that the instruction gives to a register or to memory: a whole pointer (pair: ABSTRACT_NO_PAIR), or one
     * of the two bytes of a pair of registers. False if it gives none. */
    bool (*immediate)(const struct machine *m, uint32_t at, unsigned *pair, bool *high, uint32_t *value);

    /* Interrupts of this line are accepted while others are not. May be NULL. */
    bool (*always)(unsigned line);
};

struct abstract_value abstract_number(int32_t n);
bool abstract_equal(struct abstract_value a, struct abstract_value b);

/* Moves the stack pointer; one that the chip gave becomes a number. */
void abstract_move_stack(struct abstract_state *s, int32_t bytes);

/* The stack's contents. Of a FRAME and of a NUMBER alike, `at` counts as sp.n. */
void abstract_store(struct abstract_state *s, int32_t at, struct abstract_value v);
struct abstract_value abstract_load(const struct abstract_state *s, int32_t at);

/* Makes `into` what holds in both. True if it has changed. The deeper of two stack pointers is taken; `mixed` is set if
 * they cannot be compared. */
bool abstract_join(struct abstract_state *into, const struct abstract_state *other, bool *mixed);

#endif
