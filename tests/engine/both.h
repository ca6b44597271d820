/* Two nodes of the same code: one runs in the loop, the other in translated code. What they do is cut into stretches,
 * each from a state of its own: executed once, noted and translated, then executed by both again and again, the second
 * in random pieces, and compared.
 */
#ifndef TESTS_ENGINE_BOTH_H
#define TESTS_ENGINE_BOTH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "isa/heat.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/stops.h"
#include "translate/translate.h"

enum { BOTH_STRETCHES = 40, BOTH_LENGTH = 40 /* instructions noted of each */ };

struct both {
    struct node *loop, *translated;
    struct snapshot *start[2];
    unsigned unit;                           /* bytes of the code's addresses, */
    uint32_t (*entry)(const struct node *n); /* or how the next instruction is found in the code */
    uint64_t random;                         /* of the test */
    uint64_t passed, all;

    void (*begin)(struct node *n, uint64_t seed);                    /* a state at random, the same for both */
    void (*disturb)(struct node *n, unsigned which, uint64_t ticks); /* an interrupt in so many ticks; or NULL */
};

static inline uint32_t both_below(uint64_t *random, uint32_t limit)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*random >> 33) % limit;
}

static inline void both_begin(struct both *b, struct node *n, uint64_t seed)
{
    snapshot_restore(n, b->start[n == b->translated]);
    n->stopped = n->asked = false;
    b->begin(n, seed);
}

/* Whether no memory of this process is writable and executable at once. */
static inline bool both_separate(void)
{
    char line[512];
    bool good = true;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f))
        if (strstr(line, " rwx")) {
            printf("writable and executable: %s", line);
            good = false;
        }
    if (f)
        fclose(f);
    return good;
}

static inline bool both_load(struct motet_error *e)
{
    (void)e; /* it is part of the program */
    return true;
}

/* Notes how the stretches go, one instruction at a time, and translates that. */
static inline bool both_learn(struct both *b, uint64_t seed)
{
    static uint32_t trace[BOTH_STRETCHES * (BOTH_LENGTH + 1)];
    const struct isa *isa = b->loop->machine->chip->isa;
    size_t count = 0;
    b->start[0] = snapshot_take(b->loop);
    b->start[1] = snapshot_take(b->translated);
    for (unsigned i = 0; i < BOTH_STRETCHES; i++) {
        both_begin(b, b->loop, seed + i);
        for (unsigned k = 0; k < BOTH_LENGTH && !b->loop->state->exit && !b->loop->state->sleeping; k++) {
            trace[count++] = b->entry ? b->entry(b->loop) : isa->pc(b->loop) / b->unit;
            node_step(b->loop);
        }
        trace[count++] = HEAT_LOOP;
    }
    struct machine *m = (struct machine *)(uintptr_t)b->translated->machine;
    heat_begin(m, &(struct heat_translator){both_load, motet_translate, false}, UINT64_MAX / 4);
    b->translated->heat.left = INT64_MAX / 8;
    b->translated->heat.begun = true;
    return heat_learn(m->heat, trace, count) && both_separate();
}

/* In pieces; now and then from a snapshot, or with a mark somewhere, for which a node leaves shared code. */
static inline void both_run_pieces(struct both *b, uint64_t until, bool marks)
{
    struct node *n = b->translated;
    static const uint32_t longest[] = {30, 500, 3000, 3000};
    uint32_t most = longest[both_below(&b->random, 4)];
    while (n->state->now < until && !n->state->exit) {
        uint64_t to = n->state->now + 1 + both_below(&b->random, most);
        uint64_t before = n->state->instructions;
        int64_t left = n->heat.left;
        node_run(n, to < until ? to : until);
        b->all += n->state->instructions - before;
        b->passed += n->state->instructions - before - (uint64_t)(left - n->heat.left); /* the rest was the loop's */
        if (both_below(&b->random, 100) == 0) {
            struct snapshot *s = snapshot_take(n);
            node_run(n, until);
            snapshot_restore(n, s);
            snapshot_free(s);
        }
        if (marks && both_below(&b->random, 20) == 0)
            n->machine->chip->isa->mark(n, both_below(&b->random, n->machine->code_size) & ~1u, false);
    }
}

static inline bool both_same(const struct both *b)
{
    const struct node *x = b->loop, *y = b->translated;
    struct digest dx = node_digest(x), dy = node_digest(y);
    if (memcmp(&dx, &dy, sizeof dx) == 0 && memcmp(&x->fault, &y->fault, sizeof x->fault) == 0 &&
        x->state->instructions == y->state->instructions && x->state->now == y->state->now)
        return true;
    printf("loop: tick %llu, instruction %llu, PC 0x%x; translated: tick %llu, instruction %llu, PC 0x%x\n",
           (unsigned long long)x->state->now, (unsigned long long)x->state->instructions, x->machine->chip->isa->pc(x),
           (unsigned long long)y->state->now, (unsigned long long)y->state->instructions, y->machine->chip->isa->pc(y));
    for (size_t i = 0; i < x->machine->arena_size; i++)
        if (x->arena[i] != y->arena[i])
            printf("byte %zu of the arena (data from %zu) is %02x, %02x\n", i, x->machine->data_offset, x->arena[i],
                   y->arena[i]);
    return false;
}

/* The instructions of a stretch, without what disturbs it. */
static inline void both_tell(struct both *b, uint64_t seed)
{
    struct node *n = b->loop;
    const struct isa *isa = n->machine->chip->isa;
    both_begin(b, n, seed);
    for (unsigned k = 0; k < BOTH_LENGTH && !n->state->exit && !n->state->sleeping; k++) {
        char text[80] = "";
        uint32_t pc = isa->pc(n);
        if (pc < n->machine->code_size)
            isa->disassemble(isa->program(n) + pc, n->machine->code_size - pc, pc, text, sizeof text);
        node_step(n);
        printf("%5x: %s\n", pc, text);
    }
}

static inline bool both_compare(struct both *b, uint64_t seed, unsigned rounds)
{
    for (unsigned i = 0; i < rounds * BOTH_STRETCHES; i++) {
        memset(&b->loop->fault, 0, sizeof b->loop->fault);
        memset(&b->translated->fault, 0, sizeof b->translated->fault);
        both_begin(b, b->loop, seed + i % BOTH_STRETCHES);
        both_begin(b, b->translated, seed + i % BOTH_STRETCHES);
        for (unsigned k = 0; b->disturb && i >= BOTH_STRETCHES && k < 4; k++) {
            unsigned in = 1 + both_below(&b->random, 1500);
            b->disturb(b->loop, k, in);
            b->disturb(b->translated, k, in);
        }
        uint64_t until = b->loop->state->now + 1 + both_below(&b->random, 1500);
        node_run(b->loop, until);
        both_run_pieces(b, until, i >= (rounds - 1) * BOTH_STRETCHES);
        if (!both_same(b)) {
            printf("in stretch %u of round %u\n", i % BOTH_STRETCHES, i / BOTH_STRETCHES);
            both_tell(b, seed + i % BOTH_STRETCHES);
            return false;
        }
    }
    return true;
}

static inline void both_end(struct both *b)
{
    snapshot_free(b->start[0]);
    snapshot_free(b->start[1]);
}

#endif
