#include "node/start_up.h"

#include <string.h>

#include "chip/chip.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/node.h"

enum { LIMIT = 400000 }; /* instructions: a loop of a few for each byte of the largest RAM */

/* Executes up to the first call or push, with RAM filled beforehand. Returns the data address after the highest byte
 * below the stack that is no longer `fill`; 0 if there is none. */
static uint32_t start_up_written(const struct machine *m, uint8_t fill)
{
    const struct isa *isa = m->chip->isa;
    struct node *n = node_new(m, 0, 0);
    uint32_t first = m->ram->first, size = m->ram->size, top = 0, end = 0;
    const uint8_t *ram = n->data + m->ram->backing;
    memset(n->data + m->ram->backing, fill, size);
    for (unsigned i = 0; i < FAULT_KINDS; i++)
        n->fault_action[i] = FAULT_STOP;
    for (unsigned i = 0; i < LIMIT && node_step(n) == NODE_RUNNING; i++) {
        uint32_t sp = isa->sp(n);
        bool pushed = top && sp < top;
        top = sp >= first && sp <= first + size ? sp : 0;
        if (!pushed)
            continue;
        for (uint32_t at = first; at < sp; at++)
            end = ram[at - first] != fill ? at + 1 : end;
        break;
    }
    node_free(n);
    return end;
}

/* A variable may be given the very value that RAM was filled with: two runs with different ones see every write. */
uint32_t start_up_variables_end(const struct machine *m)
{
    uint32_t once = start_up_written(m, 0x5a), again = start_up_written(m, 0xa5);
    return once > again ? once : again;
}
