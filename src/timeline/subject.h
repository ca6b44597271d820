/* Subjects: what a timeline can be a timeline of, as a struct of functions. A node is one (timeline/of_node.c).
 *
 * Invariant: a subject is a pure function of its state and of the inputs given at known positions: from the same
 * state, advance() passes through the same positions and states however it is cut into pieces.
 */
#ifndef TIMELINE_SUBJECT_H
#define TIMELINE_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"

/* A point of a life. Most are READY: an instruction is the next thing to happen. Positions are ordered by instructions,
 * then inputs, then time, then phase. */
enum phase { PHASE_WAITING, PHASE_READY, PHASE_ENDED };

struct position {
    uint64_t instructions; /* done */
    uint64_t now;          /* tick */
    enum phase phase;
    size_t inputs; /* given so far */
};

enum input_kind { INPUT_SERIAL, INPUT_PIN, INPUT_REGISTER, INPUT_MEMORY, INPUT_RESET };

/* Something done to the subject from outside, a debugger's writes included. */
struct input {
    struct position at;
    enum input_kind kind;
    uint32_t where; /* line, pin, register number or data address */
    uint32_t value; /* level of a pin, value of a register */
    size_t size;    /* of bytes that follow */
    uint8_t *bytes;
};

/* What the subject met while it ran. */
enum met { MET_NOTHING, MET_STOP, MET_WATCH };

struct meeting {
    enum met what;
    uint64_t instructions; /* done before the instruction that is stopped at, or that touched what is watched */
    uint16_t address;      /* touched */
    uint8_t kind;          /* enum watch_kind */
};

struct subject {
    void *context;
    void (*position)(void *context, struct position *p); /* all but `inputs` */

    /* Runs until that many instructions are done or the tick is reached, or the subject ends or meets one of the stops
     * it was given (unless `blind`); leaves it settled. A stop at the very first instruction is passed over. */
    struct meeting (*advance)(void *context, uint64_t instructions, uint64_t tick, bool blind);
    bool (*at_stop)(const void *context); /* the next instruction has a stop */
    void (*give)(void *context, const struct input *i);

    void *(*take)(const void *context); /* a snapshot */
    void (*restore)(void *context, const void *snapshot);
    void (*release)(void *snapshot);
    size_t (*cost)(const void *context); /* of a snapshot, in bytes, about */
    struct digest (*digest)(const void *context);
    uint64_t hz;
};

struct node;
struct subject subject_of_node(struct node *n);

#endif
