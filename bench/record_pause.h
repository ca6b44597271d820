/* How long interrupts are off, how long a checkpoint takes, and how much of its time the CPU moves bytes to and from
 * the flash, on one node of a network.
 *
 * Every instruction of that node is looked at, so runs are short. Invariant: looking changes nothing.
 */
#ifndef BENCH_RECORD_PAUSE_H
#define BENCH_RECORD_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include <motet/motet.h>

struct pause_tap {
    unsigned status, enabled;   /* the register of flags, and the bit that lets interrupts in */
    uint64_t off_since;         /* tick, or MOTET_NEVER */
    uint64_t longest;           /* ticks with interrupts off */
    uint64_t began, checkpoint; /* of the checkpoint under way; ticks of all that ended */
    unsigned checkpoints;
    uint64_t cycles, awake, moving; /* of the CPU: so far; of all instructions; of those while the flash is selected */
    bool selected;                  /* the flash, when the last instruction began */
    uint64_t second;                /* ticks */
};

void pause_put(motet_node *n, const motet_machine *m, struct pause_tap *t); /* `t` stays as long as the node */

#endif
