/* Where a component replay is in its log, and how it ends. */
#include "interface/replay_internal.h"

static struct interface_reader component_reader(const struct component_replay *r, const struct component_place *p)
{
    struct interface_reader reader = r->log;
    reader.block = (struct unpack){.at = r->log.bytes + p->at, .end = r->log.bytes + p->end};
    reader.next_block = p->next_block;
    reader.order = p->order;
    reader.time = p->time;
    reader.epoch = p->epoch;
    reader.depth = p->depth;
    return reader;
}

struct component_place component_place_of(const struct interface_reader *r)
{
    bool open = r->block.at != NULL;
    return (struct component_place){
        .at = open ? (uint64_t)(r->block.at - r->bytes) : 0,
        .end = open ? (uint64_t)(r->block.end - r->bytes) : 0,
        .next_block = r->next_block,
        .order = r->order,
        .time = r->time,
        .epoch = r->epoch,
        .depth = r->depth,
    };
}

bool component_read(const struct component_replay *r, const struct component_place *p, struct interface_event *e,
                    struct component_place *after)
{
    struct interface_reader reader = component_reader(r, p);
    if (!interface_next(&reader, e))
        return false;
    *after = component_place_of(&reader);
    return true;
}

bool component_next(struct node *n, const struct device *d, struct interface_event *e)
{
    struct component_place after;
    return component_read(component_of(d), &component_state_of(n, d)->place, e, &after);
}

void component_take(struct node *n, const struct device *d, struct interface_event *e)
{
    struct component_state *s = component_state_of(n, d);
    struct component_place after;
    if (!component_read(component_of(d), &s->place, e, &after))
        return;
    s->before = s->place;
    s->place = after;
    s->events++;
    s->base = n->state->instructions;
    event_in(n, d, COMPONENT_SILENCE, CLOCK_TICK, COMPONENT_PATIENCE);
    if (e->kind != INTERFACE_CALL_OUT && e->kind != INTERFACE_RETURN_IN)
        component_tell(component_of(d), e);
}

void component_tell(const struct component_replay *r, const struct interface_event *e)
{
    if (r->listener.event)
        r->listener.event(r->listener.context, e);
}

/* ---- ends ---- */

void component_end(struct node *n, struct component_state *s, enum component_end why)
{
    s->end = (uint8_t)why;
    node_exit(n, NODE_EXIT_LOG, 0);
}

void component_deviate(struct node *n, struct component_state *s, enum component_deviation what)
{
    s->deviation = (uint8_t)what;
    component_end(n, s, COMPONENT_DEVIATES);
}
