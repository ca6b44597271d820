/* Points-to: which locations each pointer of the program can hold, after Andersen: inclusion constraints, solved until
 * nothing changes, with fields apart and function pointers resolved on the way.
 *
 * Invariant: in a program without an access outside of its object, every value that a pointer takes is in its set, also
 * where a pointer is kept in an integer. Only functions that a root can reach have constraints; the others stay outside
 * of everything.
 */
#ifndef SLICE_POINTS_H
#define SLICE_POINTS_H

#include "slice/objects.h"

struct set {
    int *list; /* sorted */
    int count;
    size_t room;
};

struct points {
    struct program *p;
    struct objects o;
    struct node {
        struct set has, fresh; /* locations; those not yet passed on */
        int constraints;       /* the last one, -1: none */
        bool queued;
    } * nodes; /* values, parameters, results of functions, then cells */
    size_t node_count, node_room;
    struct constraint *constraints;
    size_t constraint_count, constraint_room;
    int *queue;
    size_t queue_count, queue_room;
    int *todo; /* functions reached whose constraints are still to be made */
    size_t todo_count, todo_room;
    struct map edges; /* copies and calls that are known */
    struct target *targets;
    size_t target_count, target_room;
    int *first_target; /* of each instruction, -1: none */
};

/* A function that a call can reach, in a list. */
struct target {
    int function, next;
};

void points_make(struct points *s, struct program *p);
void points_free(struct points *s);

/* The locations that a value can hold: of a constant one at most, kept in *one. */
const int *points_of(struct points *s, LLVMValueRef value, int *one, int *count);

/* What a call without a known body does with memory that its arguments lead to. */
enum points_effect { EFFECT_NONE = 0, EFFECT_READS = 1, EFFECT_WRITES = 2 };
unsigned points_effect(const struct program *p, int call, unsigned argument);

/* The callee, if it is a copy of memory, a fill or the like: its name without what LLVM adds. */
bool points_is_called(LLVMValueRef call, const char *name);

#endif
