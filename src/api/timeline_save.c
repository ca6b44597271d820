/* The run of a timeline up to here, as a saved run. */
#include <string.h>

#include "api/handles.h"
#include "api/saved_run.h"
#include "api/timeline.h"

static struct save_inputs *save_inputs_of(const motet_timeline *t)
{
    return *network_save_inputs(t->network);
}

void timeline_take_notes(motet_timeline *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        node_listen(timeline_node(t, i), save_inputs_of(t));
}

/* After going back, repeated readings cannot be distinguished from those after another boot. */
static bool is_mixed_up(const struct saved_inputs *j)
{
    bool boots = false, reads = false;
    for (size_t i = 0; i < j->count; i++)
        boots |= j->entries[i].kind == SAVED_BOOT;
    for (size_t i = 0; i < j->nodes; i++)
        for (unsigned c = 0; c < SAVED_CHANNELS; c++)
            reads |= j->readings[i].channels[c].count > 0;
    return boots && reads;
}

/* What was given to nodes from outside, by a debugger: only an actor's doings are noted. */
static bool is_changed(const motet_timeline *t)
{
    size_t count, given = timeline_position(t->timeline).inputs;
    const struct input *inputs = timeline_inputs(t->timeline, &count);
    for (size_t i = 0; i < given; i++)
        if (inputs[i].kind != INPUT_STATE)
            return true;
    return false;
}

bool motet_timeline_save(motet_timeline *t, const char *path, struct motet_error *e)
{
    uint64_t now = timeline_now(t->timeline);
    if (is_changed(t))
        return error_set(
            e, "%s: something was changed by hand, and a saved run does not hold that; go back before it to save",
            path);
    if (t->saved)
        return saved_run_save_again(&t->saved->saved.inputs, t->saved->saved.parts, saved_run_firmware, t->saved, now,
                                    path, e);
    struct save_inputs *c = save_inputs_of(t);
    if (c && is_mixed_up(&c->inputs))
        return error_set(e, "%s: nodes with analog inputs were booted again; save this run with motet run --save",
                         path);
    if (!c)
        return error_set(e, "%s: earlier inputs of the nodes are not known", path);
    return saved_run_save_again(&c->inputs, (struct saved_parts){NULL, 0}, save_inputs_firmware, c, now, path, e);
}
