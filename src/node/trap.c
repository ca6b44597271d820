#include "node/trap.h"

#include "node/machine.h"
#include "node/node.h"

void trap_compared(struct trap *t, uint32_t a, uint32_t b, uint8_t size, bool below)
{
    t->test = TRAP_TEST_RANGE;
    t->size = size;
    t->value = below ? b : a;
    t->bound = below ? a + 1 : b;
}

void trap_matched(struct trap *t, uint32_t a, uint32_t b, uint8_t size, bool equal)
{
    if (equal)
        t->test = b ? TRAP_TEST_RANGE : TRAP_TEST_ZERO;
    else
        t->test = b ? TRAP_TEST_NONE : TRAP_TEST_RANGE; /* of an array of one, only index 0 is allowed */
    t->size = size;
    t->value = a;
    t->bound = equal ? b : 1;
}

/* The line of a call that is shared by several checks is that of any of them. */
static uint32_t node_trap_place_of(const struct node *n, const struct trap *t)
{
    struct image_line line;
    if (t->call == TRAP_NOWHERE)
        return t->from != TRAP_NOWHERE ? t->from : t->entry;
    if (t->from != TRAP_NOWHERE && (t->shared || !image_line_at(n->machine->image, t->call, &line)))
        return t->from;
    return t->call;
}

bool node_trap(struct node *n, const struct trap *t, uint32_t sp)
{
    return node_report(n, &(struct fault){.kind = FAULT_TRAP, .pc = node_trap_place_of(n, t), .sp = sp, .trap = *t});
}
