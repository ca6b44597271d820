#include "isa/affine.h"

static int64_t affine_end(unsigned width)
{
    return INT64_C(1) << 8 * width;
}

struct affine affine_of(int64_t at, int64_t step, unsigned width)
{
    int64_t end = affine_end(width);
    step &= end - 1;
    return (struct affine){.at = at & (end - 1), .step = step >= end / 2 ? step - end : step, .width = (uint8_t)width};
}

uint32_t affine_value(struct affine a, uint64_t round)
{
    return (uint32_t)(((uint64_t)a.at + round * (uint64_t)a.step) & (uint64_t)(affine_end(a.width) - 1));
}

/* With the sign's bit turned, numbers with sign are in the order of those without. */
static struct affine affine_unsigned(struct affine a)
{
    a.at ^= affine_end(a.width) / 2;
    return a;
}

bool affine_holds(enum affine_test test, struct affine a, struct affine b)
{
    if (test == AFFINE_LESS)
        return affine_unsigned(a).at < affine_unsigned(b).at;
    return test == AFFINE_EQUAL ? a.at == b.at : a.at < b.at;
}

uint64_t affine_runs(struct affine a)
{
    if (a.step == 0)
        return UINT64_MAX;
    return (uint64_t)(a.step > 0 ? (affine_end(a.width) - 1 - a.at) / a.step : a.at / -a.step);
}

/* Rounds before a difference that is not 0 comes to it, or passes it. */
static uint64_t affine_differs(struct affine d)
{
    int64_t way = d.step > 0 ? affine_end(d.width) - d.at : d.at, step = d.step > 0 ? d.step : -d.step;
    return (uint64_t)((way + step - 1) / step - 1);
}

static uint64_t affine_in_order(struct affine a, struct affine b)
{
    uint64_t runs = affine_runs(a), others = affine_runs(b);
    int64_t difference = a.at - b.at, step = a.step - b.step;
    if (others < runs)
        runs = others;
    if (difference < 0 && step > 0) { /* below, and coming nearer */
        uint64_t below = (uint64_t)((-difference + step - 1) / step - 1);
        return below < runs ? below : runs;
    }
    if (difference >= 0 && step < 0) {
        uint64_t above = (uint64_t)(difference / -step);
        return above < runs ? above : runs;
    }
    return runs;
}

uint64_t affine_lasts(enum affine_test test, struct affine a, struct affine b)
{
    struct affine d = affine_of(a.at - b.at, a.step - b.step, a.width);
    if (a.step == 0 && b.step == 0)
        return UINT64_MAX;
    if (test == AFFINE_LESS)
        return affine_in_order(affine_unsigned(a), affine_unsigned(b));
    if (test == AFFINE_BELOW)
        return affine_in_order(a, b);
    if (d.step == 0)
        return UINT64_MAX;
    return d.at == 0 ? 0 : affine_differs(d);
}
