/* Hot code: what of a machine's code its nodes execute most, and its translation to code of the host.
 *
 * The loop stays the one description of what instructions do; translated code is put together from the same operations
 * by a module (translate/translate.h). A node takes a burst now and then: it notes a few hundred instructions in the
 * order it executes them. When a machine has enough bursts, and so has executed enough for translation to be worth its
 * time, what is in them is translated, beside the nodes that go on. The loop enters translated code where an
 * instruction is marked as hot.
 *
 * Invariant: translated code leaves the node exactly where the loop would have left it after the same instructions, and
 * whatever it cannot do like the loop (devices, faults, interrupts that wait, the end of a slice) it leaves to the loop
 * before the instruction. So no result depends on what was translated, when, or by which thread.
 */
#ifndef ISA_HEAT_H
#define ISA_HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "node/machine.h"
#include "node/node.h"

struct heat;

enum {
    HEAT_BURST = 256, /* instructions */
    HEAT_LEAST = 32,  /* cycles: for less, the loop does not enter translated code */
    HEAT_FIXED = 32,  /* bytes */
};
#define HEAT_LOOP UINT32_C(0x80000000) /* with the address: the next instruction is one for the loop */

/* Executes instructions from entry number `entry` on; returns the address of the next one (of the code's entries).
 * `live` is what the loop holds in variables; `registers` are the CPU's, which no other pointer is used for. */
typedef uint32_t heat_function(struct node *n, void *live, void *registers, uint32_t entry);

/* A machine's code, as the translator sees it. */
struct heat_code {
    const struct machine *machine;
    const char *isa;
    const void *insn;                           /* decoded instructions, by address */
    size_t insn_size, live_size, register_size; /* of all registers */
    size_t register_unit;                       /* bytes in which they are accessed, or 0: any */
    uint32_t count;
    uint8_t fixed[HEAT_FIXED];
    const char *(*operation)(const struct machine *m, uint32_t at); /* NULL: it is one for the loop */
    unsigned (*cycles)(const struct machine *m, uint32_t at);       /* that an instruction takes at most */

    /* The registers, as bits, that an instruction writes at most. NULL: its operation shows it. */
    uint32_t (*writes)(const struct machine *m, uint32_t at);
};

/* What was translated: a function, the addresses of its entries, and of all instructions in it. */
struct heat_made {
    heat_function *run;
    uint32_t *entries, *steps; /* for the caller to free */
    uint32_t entry_count, step_count;
    void (*free)(struct heat_made *made); /* the code */
    void *context;
};

/* Translates what the trace contains: addresses in the order of execution, HEAT_LOOP between two bursts. */
typedef bool heat_translate(const struct heat_code *code, const uint32_t *trace, size_t count, struct heat_made *made,
                            struct motet_error *e);

/* What translates. `load` comes first, in the thread that runs a node. With `aside`, translation then has a thread of
 * its own, and nodes go on in the loop meanwhile. */
struct heat_translator {
    bool (*load)(struct motet_error *e);
    heat_translate *translate;
    bool aside;
};

/* From now on, before its nodes run: translates what is hot, first after about `first` instructions. */
void heat_begin(struct machine *m, const struct heat_translator *t, uint64_t first);
void heat_free(struct heat *h); /* NULL is allowed */

/* Translates at once what a trace contains; false if it was not possible. */
bool heat_learn(struct heat *h, const uint32_t *trace, size_t count);

/* ---- for instruction sets ---- */

/* As the loop calls it at an instruction that is marked as hot. */
uint32_t heat_enter(struct node *n, uint32_t at, void *live, void *registers);

void heat_note(struct node *n, uint32_t at);
void heat_due(struct node *n);

/* isa->run, from the instruction at that address on. */
static inline void heat_run(struct node *n, uint32_t at, void (*run)(struct node *n))
{
    if (!n->machine->heat) {
        run(n);
        return;
    }
    uint64_t before = n->state->instructions;
    n->heat.passed = 0;
    if (n->heat.burst)
        heat_note(n, at);
    run(n);
    n->heat.left -= (int64_t)(n->state->instructions - before - n->heat.passed);
    if (n->heat.left < 0)
        heat_due(n);
}

#endif
