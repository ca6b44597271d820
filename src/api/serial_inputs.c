#include "api/serial_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool serial_inputs_outcome(const struct choice *list, size_t count, size_t number, uint32_t *outcome)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].source == CHOICE_SERIAL && list[i].ordinal == number) {
            *outcome = list[i].outcome;
            return true;
        }
    return false;
}

/* An input as the outcome says; false: it never comes. */
static bool serial_inputs_apply(struct saved_input *e, uint8_t *bytes, uint32_t outcome)
{
    uint32_t amount = outcome & SENT_AMOUNT;
    uint64_t by = UINT64_C(1000) * amount;
    if (outcome & SENT_DAMAGED && amount < e->size) {
        memcpy(bytes, e->bytes, e->size);
        bytes[amount] ^= 0x10;
        e->bytes = bytes;
    }
    if (outcome & SENT_EARLY)
        e->at -= by < e->at ? by : e->at;
    if (outcome & SENT_LATE)
        e->at += by;
    return outcome != SENT_NEVER;
}

/* In its place by time, after what is there already at that time. */
static void serial_inputs_insert(struct saved_inputs *to, const struct saved_input *e)
{
    saved_inputs_add(to, *e);
    for (size_t i = to->count - 1; i > 0 && to->entries[i - 1].at > to->entries[i].at; i--) {
        struct saved_input later = to->entries[i - 1];
        to->entries[i - 1] = to->entries[i];
        to->entries[i] = later;
    }
}

/* The inputs as choices of CHOICE_SERIAL say. `to` is empty, but may have readings. */
static void serial_inputs_copy(const struct saved_inputs *from, const struct choice *list, size_t count,
                               struct saved_inputs *to)
{
    for (size_t i = 0; i < from->count; i++) {
        struct saved_input e = from->entries[i];
        uint32_t outcome;
        uint8_t *bytes = memory_array(e.size + 1, 1);
        bool changed = e.kind == SAVED_SERIAL && serial_inputs_outcome(list, count, i, &outcome);
        if (!changed || serial_inputs_apply(&e, bytes, outcome))
            serial_inputs_insert(to, &e);
        free(bytes);
    }
}

bool serial_inputs_change(const struct choice *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].source == CHOICE_SERIAL)
            return true;
    return false;
}

void serial_inputs_list(const struct saved_inputs *j, struct trace *t)
{
    struct choice c = {.source = CHOICE_SERIAL};
    for (size_t i = 0; i < j->count; i++) {
        const struct saved_input *e = &j->entries[i];
        if (e->kind != SAVED_SERIAL || !e->size || e->size > SENT_AMOUNT)
            continue;
        c.node = UINT32_MAX;
        uint32_t number = 0;
        for (size_t k = 0; k < j->count; k++)
            if (j->entries[k].kind == SAVED_ADD && number++ == e->node)
                c.node = j->entries[k].value;
        c.other = e->where, c.ordinal = i, c.outcome = (uint32_t)e->size, c.at = e->at;
        trace_add(t, &c);
    }
}

void serial_inputs_alter(struct saved_inputs *j, const struct saved_inputs *from, const struct choice *list,
                         size_t count)
{
    struct saved_inputs altered = {.entries = NULL};
    serial_inputs_copy(from, list, count, &altered);
    altered.readings = j->readings;
    altered.nodes = j->nodes;
    j->readings = NULL;
    j->nodes = 0;
    saved_inputs_free(j);
    *j = altered;
}
