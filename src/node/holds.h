/* Holds: interrupts that a chooser lets come later than they were posted (CHOICE_HOLD).
 *
 * A machine made with machine_options.holds has one more device, the last. A line that a device raises is kept back
 * here for the time chosen and only then asks the CPU; the device's flag, which firmware can read, is set at once. A
 * line that is lowered before that never asks. Invariant: lines held, their times and the ordinals of all lines lie in
 * the arena. Other machines have none of it: their nodes are as they always were.
 */
#ifndef NODE_HOLDS_H
#define NODE_HOLDS_H

#include <stdbool.h>

#include "node/node.h"

struct chip_device;
extern const struct chip_device holds_device;

/* A device raises or lowers a line. True if the line is kept back, or was; false: it is for the CPU as ever. */
bool holds_take(struct node *n, unsigned line, bool level);

/* CHOICE_PREEMPT holds a line until just after an instruction, but not longer than HOLDS_PREEMPT microseconds. The node
 * must look out for each address that can be chosen; this lasts until the tap is removed, or as long as the node. */
enum { HOLDS_PREEMPT = 500 };
struct motet_tap *holds_look_out(struct node *n, uint32_t address);

/* Whether the CPU accepts interrupts, from inside a callback. Where it does not, a site is passed over. */
bool holds_open(const struct node *n);

/* Ordinals go on over a loss of power. holds_keep copies them, NULL for a machine without holds; holds_put_back frees
 * the copy. */
void *holds_keep(const struct node *n);
void holds_put_back(struct node *n, void *ordinals);

#endif
