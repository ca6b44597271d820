#include "translate/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { PLAN_NONE = UINT32_MAX };

/* ---- steps ---- */

static int plan_by_times(const void *a, const void *b)
{
    const struct plan_step *x = a, *y = b;
    if (x->times != y->times)
        return x->times < y->times ? 1 : -1;
    return (x->at > y->at) - (x->at < y->at);
}

static int plan_by_address(const void *a, const void *b)
{
    const struct plan_step *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* What is left when the rarest are not worth the time: those that all together are less than one in 512. */
static uint32_t plan_enough(const struct plan *p)
{
    uint64_t all = 0, sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->step_count; i++)
        all += p->steps[i].times;
    while (count < p->step_count && count < PLAN_STEPS && sum + all / 512 < all)
        sum += p->steps[count++].times;
    return count ? count : p->step_count;
}

/* The most frequent ones, by address; then step_of[at] is the number of the step. */
static void plan_steps(struct plan *p, uint32_t codes, const uint32_t *trace, size_t count, plan_usable *usable,
                       const void *context, uint32_t *step_of)
{
    uint32_t *times = memory_array(codes, sizeof *times);
    uint32_t met = 0;
    for (size_t i = 0; i < count; i++)
        if (trace[i] < codes && times[trace[i]]++ == 0)
            met++;
    p->steps = memory_array(met + 1, sizeof *p->steps);
    for (uint32_t at = 0; at < codes; at++)
        if (times[at] && usable(context, at))
            p->steps[p->step_count++] = (struct plan_step){.at = at, .times = times[at]};
    free(times);
    qsort(p->steps, p->step_count, sizeof *p->steps, plan_by_times);
    p->step_count = plan_enough(p);
    qsort(p->steps, p->step_count, sizeof *p->steps, plan_by_address);
    for (uint32_t i = 0; i < p->step_count; i++)
        step_of[p->steps[i].at] = i;
}

/* ---- ways ---- */

static int plan_by_ends(const void *a, const void *b)
{
    const struct plan_way *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static void plan_merge_ways(struct plan *p)
{
    uint32_t kept = 0;
    qsort(p->ways, p->way_count, sizeof *p->ways, plan_by_ends);
    for (uint32_t i = 0; i < p->way_count; i++) {
        struct plan_way *last = kept ? &p->ways[kept - 1] : NULL;
        if (last && plan_by_ends(last, &p->ways[i]) == 0)
            last->times++;
        else
            p->ways[kept++] = p->ways[i];
    }
    p->way_count = kept;
    for (uint32_t i = 0; i < kept; i++) {
        struct plan_step *s = &p->steps[p->ways[i].from];
        if (s->way_count++ == 0)
            s->first_way = i;
    }
}

/* From each instruction to the next; a step that something else led to is one that is entered. */
static void plan_ways(struct plan *p, uint32_t codes, const uint32_t *trace, size_t count, const uint32_t *step_of)
{
    p->ways = memory_array(count + 1, sizeof *p->ways);
    uint32_t before = PLAN_NONE;
    for (size_t i = 0; i < count; i++) {
        uint32_t step = trace[i] < codes ? step_of[trace[i]] : PLAN_NONE;
        bool begins = i == 0 || trace[i - 1] >= codes; /* anywhere: it says nothing */
        if (step != PLAN_NONE && before != PLAN_NONE)
            p->ways[p->way_count++] = (struct plan_way){.from = before, .to = step, .times = 1};
        else if (step != PLAN_NONE && !begins)
            p->steps[step].check = true;
        before = step;
    }
    plan_merge_ways(p);
}

/* ---- checks ---- */

/* Depth first: a way back to a step that is still under way closes a round. */
static void plan_find_rounds(struct plan *p, const struct heat_code *code, uint32_t root, uint8_t *under_way,
                             uint32_t *stack, uint32_t *next)
{
    uint32_t depth = 0;
    stack[depth] = root;
    next[depth++] = 0;
    p->steps[root].seen = true;
    under_way[root] = 1;
    while (depth) {
        struct plan_step *s = &p->steps[stack[depth - 1]];
        if (next[depth - 1] == s->way_count) { /* all that follow are known */
            uint32_t longest = 0, cycles = 0;
            for (uint32_t i = 0; i < s->way_count; i++) {
                const struct plan_step *to = &p->steps[p->ways[s->first_way + i].to];
                if (!to->check && to->stretch > longest)
                    longest = to->stretch;
                if (!to->check && to->cycles > cycles)
                    cycles = to->cycles;
            }
            s->stretch = longest + 1;
            s->cycles = cycles + code->cycles(code->machine, s->at);
            s->check |= s->stretch >= PLAN_STRETCH;
            under_way[stack[--depth]] = 0;
            continue;
        }
        uint32_t to = p->ways[s->first_way + next[depth - 1]++].to;
        if (under_way[to])
            p->steps[to].check = true;
        if (p->steps[to].seen)
            continue;
        p->steps[to].seen = true;
        under_way[to] = 1;
        stack[depth] = to;
        next[depth++] = 0;
    }
}

/* A step that became a check after one before it was worked out makes that one's stretch shorter, never longer. */
static void plan_checks(struct plan *p, const struct heat_code *code)
{
    uint8_t *under_way = memory_array(p->step_count + 1, sizeof *under_way);
    uint32_t *stack = memory_array(p->step_count + 1, sizeof *stack);
    uint32_t *next = memory_array(p->step_count + 1, sizeof *next);
    for (uint32_t i = 0; i < p->step_count; i++)
        if (p->steps[i].check && !p->steps[i].seen)
            plan_find_rounds(p, code, i, under_way, stack, next);
    for (uint32_t i = 0; i < p->step_count; i++)
        if (!p->steps[i].seen) {
            p->steps[i].check = true; /* or nothing would lead there */
            plan_find_rounds(p, code, i, under_way, stack, next);
        }
    free(under_way);
    free(stack);
    free(next);
}

struct plan *plan_new(const struct heat_code *code, const uint32_t *trace, size_t count, plan_usable *usable,
                      const void *context)
{
    struct plan *p = memory_new(sizeof *p);
    uint32_t *step_of = memory_array(code->count, sizeof *step_of);
    memset(step_of, 0xff, code->count * sizeof *step_of);
    plan_steps(p, code->count, trace, count, usable, context, step_of);
    plan_ways(p, code->count, trace, count, step_of);
    plan_checks(p, code);
    free(step_of);
    return p;
}

void plan_free(struct plan *p)
{
    free(p->steps);
    free(p->ways);
    free(p);
}
