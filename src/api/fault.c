#include <stdlib.h>

#include "base/memory.h"
#include "debug/frames.h"
#include "api/handles.h"
#include "api/trap.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/taps.h"

_Static_assert((int)MOTET_FAULT_KINDS == (int)FAULT_KINDS, "public and internal kinds agree");
_Static_assert((int)MOTET_FAULT_IGNORE == (int)FAULT_IGNORE, "public and internal actions agree");

const char *motet_fault_name(enum motet_fault_kind kind)
{
    static const char *const names[MOTET_FAULT_KINDS] = {
        [MOTET_FAULT_ILLEGAL_OPCODE] = "illegal-opcode",
        [MOTET_FAULT_ERASED_FLASH] = "erased-flash",
        [MOTET_FAULT_EXECUTES_DATA] = "executes-data",
        [MOTET_FAULT_OUTSIDE_FLASH] = "outside-flash",
        [MOTET_FAULT_STACK_OVERFLOW] = "stack-overflow",
        [MOTET_FAULT_OUTSIDE_MEMORY] = "outside-memory",
        [MOTET_FAULT_NULL_WRITE] = "null-write",
        [MOTET_FAULT_MISALIGNED] = "misaligned",
        [MOTET_FAULT_TRAP] = "trap",
        [MOTET_FAULT_UNSPECIFIED] = "unspecified",
    };
    return (unsigned)kind < MOTET_FAULT_KINDS ? names[kind] : NULL;
}

void motet_node_on_fault(motet_node *n, enum motet_fault_kind kind, enum motet_fault_action action)
{
    if ((unsigned)kind >= MOTET_FAULT_KINDS)
        return;
    n->node->fault_action[kind] = (enum fault_action)action;
    node_note(n, (struct saved_input){.kind = SAVED_ON_FAULT, .where = kind, .value = action});
}

const struct motet_fault *motet_node_fault(const motet_node *n)
{
    return n->faulted ? &n->fault : NULL;
}

size_t motet_node_frames(const motet_node *n, struct motet_frame *frames, size_t count)
{
    const struct isa *isa = n->node->machine->chip->isa;
    struct call_frame *found = memory_array(count, sizeof *found);
    size_t total = frames_walk(node_seen(n), isa->pc(n->node), isa->sp(n->node), found, count);
    size_t stored = total < count ? total : count;
    for (size_t i = 0; i < stored; i++)
        frames[i] = (struct motet_frame){.pc = found[i].pc, .guessed = found[i].guessed};
    free(found);
    return stored;
}

/* ---- the last fault ---- */

static void fault_keep_chain(motet_node *n)
{
    n->chain_count = frames_walk(n->node, n->fault.pc, n->fault.sp, NULL, 0);
    n->chain = memory_array(n->chain_count, sizeof *n->chain);
    frames_walk(n->node, n->fault.pc, n->fault.sp, n->chain, n->chain_count);
}

void fault_record(motet_node *n, const struct node *node, const struct fault *f)
{
    n->faulted = true;
    n->fault = (struct motet_fault){
        .kind = (enum motet_fault_kind)f->kind,
        .pc = f->pc,
        .address = f->address,
        .sp = f->sp,
        .value = f->value,
        .tick = f->tick,
    };
    if (f->kind == FAULT_TRAP)
        trap_judge(node->machine, f, &n->fault);
    /* The instruction goes on after this and may overwrite the stack; a run that ends here is explained later. */
    free(n->chain);
    n->chain = NULL;
    n->chain_count = 0;
    if (node->state->exit == NODE_EXIT_FAULT)
        fault_keep_chain(n);
    if (taps_wanted(node, MOTET_ON(FAULT))) {
        struct motet_happened h = {.what = MOTET_ON_FAULT};
        h.fault = &n->fault;
        taps_tell(n->node, &h);
    }
}
