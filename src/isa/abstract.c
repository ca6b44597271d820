#include "isa/abstract.h"

#include <string.h>

struct abstract_value abstract_number(int32_t n)
{
    return (struct abstract_value){.kind = ABSTRACT_NUMBER, .n = n};
}

bool abstract_equal(struct abstract_value a, struct abstract_value b)
{
    return a.kind == b.kind && (a.kind == ABSTRACT_UNKNOWN || (a.part == b.part && a.n == b.n));
}

void abstract_move_stack(struct abstract_state *s, int32_t bytes)
{
    if (s->sp.kind == ABSTRACT_RESET)
        s->sp.kind = ABSTRACT_NUMBER;
    s->sp.n += bytes;
}

/* ---- the stack's contents ---- */

static unsigned abstract_find(const struct abstract_state *s, int32_t at)
{
    unsigned i = 0;
    while (i < s->slot_count && s->slots[i].at < at)
        i++;
    return i;
}

static void abstract_forget(struct abstract_state *s, unsigned i)
{
    s->slot_count--;
    memmove(&s->slots[i], &s->slots[i + 1], (s->slot_count - i) * sizeof s->slots[0]);
}

void abstract_store(struct abstract_state *s, int32_t at, struct abstract_value v)
{
    unsigned i = abstract_find(s, at);
    bool there = i < s->slot_count && s->slots[i].at == at;
    if (v.kind == ABSTRACT_UNKNOWN) {
        if (there)
            abstract_forget(s, i);
        return;
    }
    if (!there) {
        if (s->slot_count == ABSTRACT_SLOTS)
            return; /* what is not kept is not known */
        memmove(&s->slots[i + 1], &s->slots[i], (s->slot_count - i) * sizeof s->slots[0]);
        s->slot_count++;
    }
    s->slots[i] = (struct abstract_slot){.at = at, .value = v};
}

struct abstract_value abstract_load(const struct abstract_state *s, int32_t at)
{
    unsigned i = abstract_find(s, at);
    return i < s->slot_count && s->slots[i].at == at ? s->slots[i].value : (struct abstract_value){0};
}

/* ---- two paths that meet ---- */

static bool abstract_join_value(struct abstract_value *into, struct abstract_value other)
{
    if (into->kind == ABSTRACT_UNKNOWN || abstract_equal(*into, other))
        return false;
    if (into->kind == ABSTRACT_STATUS && other.kind == ABSTRACT_STATUS && into->part == other.part) {
        int32_t both = into->n | other.n;
        bool changed = both != into->n;
        into->n = both;
        return changed;
    }
    *into = (struct abstract_value){0};
    return true;
}

static bool abstract_join_slots(struct abstract_state *into, const struct abstract_state *other)
{
    bool changed = false;
    for (unsigned i = into->slot_count; i-- > 0;) {
        changed |= abstract_join_value(&into->slots[i].value, abstract_load(other, into->slots[i].at));
        if (into->slots[i].value.kind == ABSTRACT_UNKNOWN)
            abstract_forget(into, i);
    }
    return changed;
}

static bool abstract_join_stack(struct abstract_state *into, const struct abstract_state *other, bool *mixed)
{
    if (into->sp.kind != other->sp.kind) {
        bool starts = into->sp.kind == ABSTRACT_RESET;
        *mixed = !starts && other->sp.kind != ABSTRACT_RESET;
        if (starts)
            into->sp = other->sp;
        return starts;
    }
    bool deeper = other->sp.n < into->sp.n;
    if (deeper)
        into->sp.n = other->sp.n;
    return deeper;
}

bool abstract_join(struct abstract_state *into, const struct abstract_state *other, bool *mixed)
{
    bool changed = abstract_join_stack(into, other, mixed);
    uint8_t interrupts = into->interrupts | other->interrupts;
    bool both = into->tested && other->tested && into->alone == other->alone;
    uint8_t tested = both ? into->tested | other->tested : 0;
    changed |= interrupts != into->interrupts || tested != into->tested;
    into->interrupts = interrupts;
    into->tested = tested;
    for (unsigned i = 0; i < ABSTRACT_REGISTERS; i++)
        changed |= abstract_join_value(&into->r[i], other->r[i]);
    changed |= abstract_join_slots(into, other);
    changed |= abstract_join_value(&into->carry, other->carry);
    if (into->carried != other->carried)
        changed |= abstract_join_value(&into->carry, (struct abstract_value){0});
    if (into->written != other->written)
        changed |= abstract_join_value(&into->half, (struct abstract_value){0});
    return changed | abstract_join_value(&into->half, other->half);
}
