/* What to translate: the instructions that bursts have met, how they follow each other, and where translated code looks
 * at the time.
 *
 * Invariant: each way round through the steps passes a check, and between two checks there are no more than
 * PLAN_STRETCH steps. A way that no burst took leads out of translated code.
 */
#ifndef TRANSLATE_PLAN_H
#define TRANSLATE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/heat.h"

enum { PLAN_STEPS = 1000, PLAN_STRETCH = 100 };

struct plan_way {
    uint32_t from, to; /* steps */
    uint32_t times;
};

struct plan_step {
    uint32_t at; /* address in the code */
    uint32_t times;
    uint32_t first_way, way_count;
    uint32_t stretch; /* steps to the next check, at most, */
    uint32_t cycles;  /* and cycles */
    bool check;       /* it looks at the time before, and can be entered from outside */
    bool seen;
};

struct plan {
    struct plan_step *steps;
    struct plan_way *ways; /* by step */
    uint32_t step_count, way_count;
};

typedef bool plan_usable(const void *context, uint32_t at); /* whether an instruction can be translated */

/* Of a trace, as heat_translate gets it. */
struct plan *plan_new(const struct heat_code *code, const uint32_t *trace, size_t count, plan_usable *usable,
                      const void *context);
void plan_free(struct plan *p);

#endif
