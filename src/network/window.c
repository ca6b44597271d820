/* Windows opened and closed by callers that stop inside them. */
#include <assert.h>

#include "network/internal.h"

bool network_open(struct network *n, uint64_t before, uint64_t cut)
{
    assert(!n->open && !network_is_sole(n));
    uint64_t next = network_next(n);
    if (next >= before)
        return false;
    n->now = window_begin(n, next);
    n->window_end = n->now + WINDOW < cut ? n->now + WINDOW : cut;
    n->open = true;
    exchange_hand_over(n, n->window_end + EARLY);
    size_t active = network_active(n, n->active);
    for (size_t i = 0; i < active; i++) {
        struct member *m = n->members[n->active[i]];
        exchange_take_in(m);
        exchange_reschedule(n, m);
    }
    return true;
}

bool network_is_open(const struct network *n)
{
    return n->open;
}

uint64_t network_window_end(const struct network *n)
{
    return n->window_end;
}

size_t network_active(const struct network *n, uint32_t *numbers)
{
    return schedule_before(&n->schedule, n->window_end, numbers);
}

/* Messages may come from any node: some were active in the part of the window before a snapshot. */
void network_close(struct network *n)
{
    assert(n->open);
    size_t active = network_active(n, n->active);
    for (size_t i = 0; i < active; i++)
        exchange_reschedule(n, n->members[n->active[i]]);
    for (uint32_t i = 0; i < n->count; i++)
        if (n->members[i]->outgoing_count)
            exchange_collect(n, n->members[i]);
    n->work.windows++;
    n->work.node_windows += active;
    n->now = n->window_end;
    n->open = false;
}

void network_cut(struct network *n, uint64_t at)
{
    assert(!n->open && at >= n->now);
    if (network_is_sole(n))
        sole_now(n, at);
    n->now = at;
}

uint64_t network_tick(const struct network *n, uint32_t number, uint64_t at)
{
    const struct member *m = n->members[number];
    if (!m->alive || at == NEVER)
        return NEVER;
    if (at <= m->clock.base_tick)
        return m->clock.base_cycle;
    return clock_cycle_at(&m->clock, at - 1) + 1;
}

void network_keep(struct network *n, uint32_t number)
{
    struct member *m = n->members[number];
    if (m->kept)
        snapshot_again(m->kept, m->node);
    else
        m->kept = snapshot_take(m->node);
    m->kept_outgoing = m->outgoing_count;
    m->kept_order = m->order;
}

void network_back(struct network *n, uint32_t number)
{
    struct member *m = n->members[number];
    snapshot_restore(m->node, m->kept);
    m->outgoing_count = m->kept_outgoing;
    m->order = m->kept_order;
}

struct share {
    void (*work)(void *context, size_t item);
    void *context;
};

static void network_share_item(void *context, size_t item, size_t end)
{
    const struct share *s = context;
    (void)end;
    s->work(s->context, item);
}

void network_share(struct network *n, size_t items, void (*work)(void *context, size_t item), void *context)
{
    pool_run(n->pool, items, items * NETWORK_EFFORT_SHARE, network_share_item, &(struct share){work, context});
}
