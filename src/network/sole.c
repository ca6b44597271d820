/* A network of one: its window has no end.
 *
 * Nothing can reach the node from another, so it runs to the time asked for in one go. What its radio says goes to the
 * observer when it holds, as in any network. It stays in the network's queue until then, so that a second node may be
 * added at any time.
 */
#include "network/internal.h"

enum { LOOK = 1000000 }; /* nanoseconds between looks at whether anything is left to happen, where there is no limit */

bool network_is_sole(const struct network *n)
{
    return n->count == 1;
}

void sole_say(struct network *n, const struct sent_message *s)
{
    const struct member *m = n->members[0];
    exchange_hand_over(n, clock_tick_of(&m->clock, node_now(m->node)) + EARLY);
    message_queue_push(&n->queue, s);
}

void sole_now(struct network *n, uint64_t now)
{
    n->now = now;
    exchange_hand_over(n, now < NETWORK_TIME_LIMIT ? now + EARLY : now);
    exchange_reschedule(n, n->members[0]);
}

/* A stop between two instructions is moved after the next, so that there is a time before which everything is done. */
static void sole_run_node(struct node *node, uint64_t until)
{
    node->stopped_before = node->stopped_between = false;
    node_run(node, until);
    bool stopped = node->stopped;
    while (node->stopped && node->stopped_between) {
        node->stopped = false;
        node_run(node, node->state->now + 1);
    }
    node->stopped |= stopped;
}

/* To the time, or to where the node ended or was stopped before it. */
static void sole_run_to(struct network *n, uint64_t until)
{
    const struct member *m = n->members[0];
    struct node *node = m->node;
    bool runs = m->alive && !node->state->exit && until > m->clock.base_tick;
    if (runs)
        sole_run_node(node, clock_cycle_at(&m->clock, until - 1) + 1);
    n->ready = runs && node->stopped && node->stopped_before;
    uint64_t reached = clock_tick_of(&m->clock, node->state->now) + (node->state->exit != NODE_RUNNING);
    bool early = runs && (node->state->exit || node->stopped) && reached < until;
    n->work.windows++;
    n->work.node_windows++;
    sole_now(n, !early ? until : reached > n->now ? reached : n->now);
}

static bool sole_exited(struct network *n)
{
    struct member *m = n->members[0];
    if (!m->node->state->exit || m->exited)
        return false;
    n->ended = 0;
    return m->exited = true;
}

/* How far to go at once. Without a limit, the end of everything that can happen is looked for on the way. */
static uint64_t sole_limit(const struct network *n, uint64_t next, uint64_t until)
{
    if (until < NETWORK_TIME_LIMIT)
        return until;
    uint64_t from = next > n->now ? next : n->now;
    return from < until - LOOK ? from + LOOK : until;
}

bool network_is_ready(const struct network *n)
{
    return n->ready;
}

void network_make_ready(struct network *n)
{
    struct node *node = n->members[0]->node;
    node_ready(node, node->state->now + 1);
    node->stopped = node->asked = false;
    n->ready = true;
}

void network_before_input(struct network *n)
{
    if (!n->ready)
        return;
    sole_run_to(n, n->now + 1);
    n->members[0]->node->stopped = n->members[0]->node->asked = false;
    n->ready = false;
}

enum network_end sole_run(struct network *n, uint64_t until)
{
    struct node *node = n->members[0]->node;
    while (n->now < until) {
        uint64_t next = network_next(n);
        if (next == NEVER && until >= NETWORK_TIME_LIMIT)
            return NETWORK_IDLE;
        sole_run_to(n, sole_limit(n, next, until));
        bool stopped = node->stopped;
        node->stopped = node->asked = false;
        if (sole_exited(n))
            return NETWORK_ENDED;
        if (stopped)
            return NETWORK_STOPPED;
    }
    return NETWORK_TIME;
}
