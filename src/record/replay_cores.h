/* Replay of firmware whose recorder has *cores* (isa->cores): it is executed with the cores of the recorder's entries
 * left out, and interrupts come in the cycle that the log says.
 *
 * All that lies outside the cores is executed as it was, the rest of the recorder's entries included. A core is passed
 * at once, with the result that the log has; from its end on cycles count. Invariant: an interrupt is taken only where
 * cycle, address and stack pointer are those of the log, and no register of a device is read outside a core: else the
 * replay ends and says so.
 */
#ifndef RECORD_REPLAY_CORES_H
#define RECORD_REPLAY_CORES_H

#include "record/replay.h"
#include "record/words.h"

/* The beginning is what other replays have, for those who ask how it goes. */
struct replay_cores_state {
    struct replay_state all;
    struct words_reader reader;
    uint64_t left;       /* cycle in which a core was left last */
    uint32_t silent;     /* cores left since the last event without one */
    uint8_t fresh;       /* an interrupt was taken, and its stub has not come to its core yet */
    uint8_t armed;       /* the trap for the next interrupt is set */
    uint32_t unrecorded; /* address of a register that was read, or of program memory that was written */
    uint8_t writes;
};

extern const struct device_type replay_cores_type;

/* Where the cores are, and the recorder's memory. False if the firmware does not record. */
bool replay_cores_find(struct replay *r, const struct image *image, struct motet_error *e);

void replay_cores_explain(const struct node *n, char *text, size_t size);

#endif
