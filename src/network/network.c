#include "network/network.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "network/internal.h"
#include "node/fetch.h"
#include "node/machine.h"

/* ---- life ---- */

struct network *network_new(uint64_t seed, unsigned threads, const struct medium_options *medium)
{
    struct network *n = memory_aligned(_Alignof(struct network), sizeof *n);
    memset(n, 0, sizeof *n);
    if (threads == 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        threads = processors > 0 ? (unsigned)processors : 1;
    }
    n->seed = seed;
    n->medium = medium_new(seed, medium);
    n->pool = pool_new(threads);
    return n;
}

void network_free(struct network *n)
{
    if (!n)
        return;
    pool_free(n->pool);
    for (uint32_t i = 0; i < n->count; i++) {
        node_free(n->members[i]->node);
        free(n->members[i]->listeners);
        free(n->members[i]->outgoing);
        free(n->members[i]->incoming);
        snapshot_free(n->members[i]->last);
        snapshot_free(n->members[i]->kept);
        free(n->members[i]);
    }
    medium_free(n->medium);
    schedule_free(&n->schedule);
    free(n->queue.list);
    free(n->due);
    free(n->members);
    free(n->ids);
    free(n->active);
    free(n->outcomes);
    free(n);
}

/* The place of an id in the sorted list: the first not below it. */
static uint32_t id_index(const struct network *n, uint32_t id)
{
    uint32_t low = 0, high = n->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (n->ids[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool network_find(const struct network *n, uint32_t id, uint32_t *number)
{
    uint32_t i = id_index(n, id);
    if (i == n->count || n->ids[i].id != id)
        return false;
    *number = n->ids[i].number;
    return true;
}

static void network_make_room(struct network *n)
{
    if (n->count < n->room)
        return;
    n->room = n->room ? 2 * n->room : 16;
    n->members = memory_resize(n->members, n->room, sizeof *n->members);
    n->ids = memory_resize(n->ids, n->room, sizeof *n->ids);
    n->active = memory_resize(n->active, n->room, sizeof *n->active);
    memset(n->active, 0, n->room * sizeof *n->active);
    n->outcomes = memory_resize(n->outcomes, n->room, sizeof *n->outcomes);
    schedule_resize(&n->schedule, n->room);
}

static float noise_at(void *context, const struct node *node)
{
    const struct member *m = context;
    return medium_noise(m->network->medium, m->number, clock_tick_of(&m->clock, node_now(node)));
}

static bool is_sane(double metres)
{
    return metres > -1e9 && metres < 1e9;
}

static bool network_check(const struct network *n, const struct network_node *o, struct motet_error *e)
{
    uint32_t number;
    if (network_find(n, o->id, &number))
        return error_set(e, "there already is a node %u", o->id);
    if (!(o->drift > -NETWORK_DRIFT_LIMIT && o->drift < NETWORK_DRIFT_LIMIT))
        return error_set(e, "a drift of %g ppm is out of range for node %u", o->drift, o->id);
    if (!is_sane(o->at.x) || !is_sane(o->at.y) || !is_sane(o->at.z))
        return error_set(e, "the position of node %u is out of range", o->id);
    if (o->boot >= NETWORK_TIME_LIMIT || n->count >= 1u << 24)
        return error_set(e, o->boot >= NETWORK_TIME_LIMIT ? "node %u boots too late" : "node %u is one too many",
                         o->id);
    return true;
}

struct node *network_add(struct network *n, const struct machine *machine, const struct network_node *o,
                         struct motet_error *e)
{
    if (!network_check(n, o, e))
        return NULL;
    network_make_room(n);
    struct member *m = memory_aligned(_Alignof(struct member), sizeof *m);
    memset(m, 0, sizeof *m);
    m->network = n;
    m->number = n->count;
    m->alive = true;
    m->node = node_new(machine, o->id, n->seed);
    m->node->chooser = n->chooser;
    m->node->air = (struct air){.context = m, .send = exchange_send, .noise = noise_at};
    m->past = (uint32_t)(machine->hz * PAST_TRANSLATED / NETWORK_SECOND);
    m->clock.period = clock_period(NETWORK_SECOND, (double)machine->hz * (1 + o->drift * 1e-6));
    m->clock.base_tick = o->boot > n->now ? o->boot : n->now;
    uint32_t at = id_index(n, o->id);
    memmove(n->ids + at + 1, n->ids + at, (n->count - at) * sizeof *n->ids);
    n->ids[at] = (struct id_entry){o->id, m->number};
    n->medium = medium_own(n->medium);
    medium_add(n->medium, o->at);
    n->members[n->count++] = m;
    exchange_reschedule(n, m);
    return m->node;
}

uint32_t network_count(const struct network *n)
{
    return n->count;
}

struct node *network_node(const struct network *n, uint32_t number)
{
    return n->members[number]->node;
}

void network_observe(struct network *n, const struct network_observer *o)
{
    n->observer = *o;
}

void network_follow(struct network *n, const struct network_follower *f)
{
    n->follower = *f;
}

uint64_t network_now(const struct network *n)
{
    return n->now;
}

float network_noise(const struct network *n, uint32_t number, uint64_t nanosecond)
{
    return medium_noise(n->medium, number, nanosecond);
}

uint32_t network_ended(const struct network *n)
{
    return n->ended;
}

uint64_t network_time(const struct network *n, uint32_t number, uint64_t tick)
{
    return clock_tick_of(&n->members[number]->clock, tick);
}

uint64_t network_tick_at(const struct network *n, uint32_t number, uint64_t time)
{
    const struct clock *c = &n->members[number]->clock;
    return time < c->base_tick ? 0 : clock_cycle_at(c, time);
}

struct network_work network_work(const struct network *n)
{
    return n->work;
}

/* ---- running ---- */

/* Up to the first tick that does not begin before it, or `past` ticks more in translated code. A callback that asks for
 * the end of the run gets it when the window is over. */
static inline void member_run_past(struct member *m, uint64_t before, uint64_t past)
{
    if (!m->alive || before <= m->clock.base_tick)
        return;
    uint64_t until = clock_cycle_at(&m->clock, before - 1) + 1;
    while (!node_run_past(m->node, until, past) && m->node->stopped && m->node->asked)
        m->node->stopped = false;
}

void member_run(struct member *m, uint64_t before)
{
    member_run_past(m, before, 0);
}

/* Whether a callback of a node has asked for the end of the run, which is answered once. */
static bool asked(struct member *m)
{
    bool is = m->node->asked;
    m->node->asked = false;
    return is;
}

/* A node in a loop that only waits may stay behind, where nothing looks at nodes between windows. */
static bool network_lets_wait(const struct network *n)
{
    return !n->follower.window_over && !n->chooser;
}

/* The active node that comes `ahead` places after one, if this thread will run it; else NULL. What another thread runs
 * would only be taken away from it. */
static const struct member *network_ahead(const struct network *n, size_t item, size_t ahead, size_t end)
{
    return item + ahead < end ? n->members[n->active[item + ahead]] : NULL;
}

/* Fetches what the next nodes will touch. Each step follows a pointer that the step before has fetched. */
static inline void network_fetch(const struct network *n, size_t item, size_t end)
{
    const struct member *m = network_ahead(n, item, 8, end);
    if (m) {
        fetch(m, 1);
        fetch_to_write(&n->outcomes[item + 8]);
    }
    m = network_ahead(n, item, 6, end);
    if (m) {
        node_fetch(m->node);
        if (m->incoming_count)
            fetch(&m->incoming, 1);
    }
    m = network_ahead(n, item, 4, end);
    if (m && (m->incoming_count || m->asleep)) {
        node_fetch_radio(m->node);
        fetch(m->incoming, 1);
    } else if (m) {
        node_fetch_cpu(m->node);
    }
    m = network_ahead(n, item, 2, end);
    const struct device *radio = m && m->incoming_count ? m->node->machine->radio : NULL;
    if (radio && radio->type->fetch)
        radio->type->fetch(m->node, radio);
}

static uint8_t member_notes(struct member *m)
{
    const struct node_state *s = m->node->state;
    unsigned notes = m->outgoing_count ? NOTE_SENT : 0;
    notes |= s->exit && !m->exited ? NOTE_EXITED : 0;
    notes |= asked(m) ? NOTE_ASKED : 0;
    return (uint8_t)(notes | (s->sleeping ? 0 : NOTE_AWAKE));
}

static void run_active(void *context, size_t item, size_t end)
{
    const struct network *n = context;
    fetch_to_write(&n->outcomes[item]);
    network_fetch(n, item, end);
    struct member *m = n->members[n->active[item]];
    uint64_t next = n->now; /* about: it is active */
    if (m->incoming_count) {
        exchange_take_in(m);
        next = member_next(m);
    }
    if (next < n->window_end) {
        member_run_past(m, n->window_end, n->soft ? m->past : 0);
        next = n->lets_wait ? clock_tick_of(&m->clock, m->alive ? node_resumes(m->node) : NEVER) : member_next(m);
    }
    uint8_t notes = member_notes(m);
    m->asleep = !(notes & NOTE_AWAKE);
    n->outcomes[item] = (struct outcome){next, notes};
}

/* Collects the results of the window. True if a node has exited, which is reported once. */
static bool network_conclude(struct network *n, size_t active)
{
    bool ended = false;
    n->awake = 0;
    for (size_t i = 0; i < active; i++) {
        uint32_t number = n->active[i];
        unsigned notes = n->outcomes[i].notes;
        schedule_put(&n->schedule, number, n->outcomes[i].next);
        n->awake += (notes & NOTE_AWAKE) != 0;
        n->asked |= (notes & NOTE_ASKED) != 0;
        if (notes & NOTE_SENT)
            exchange_collect(n, n->members[number]);
        if (!(notes & NOTE_EXITED))
            continue;
        n->ended = ended ? n->ended : number;
        ended = n->members[number]->exited = true;
    }
    schedule_settle(&n->schedule, n->active, active);
    return ended;
}

/* Brings sleepers, and nodes that wait, up to the time too, so that the state is that of one moment. */
static void catch_up(struct network *n)
{
    for (uint32_t i = 0; i < n->count; i++) {
        struct member *m = n->members[i];
        bool waits = !m->node->state->sleeping && m->node->waits_until;
        member_run(m, n->now);
        n->asked |= asked(m);
        if (waits)
            exchange_reschedule(n, m);
    }
}

/* As many nodes are probably awake as in the last window. Few nodes that only wake for a moment are done before another
 * thread has noticed. */
static void network_run_nodes(struct network *n, size_t active)
{
    enum { ENOUGH = 3 * NETWORK_EFFORT_AWAKE };
    size_t awake = active < n->awake ? active : n->awake;
    size_t effort = awake * NETWORK_EFFORT_AWAKE + (active - awake) * NETWORK_EFFORT_ASLEEP;
    if (!pool_is_alone(n->pool) && effort >= ENOUGH)
        pool_run(n->pool, active, effort, run_active, n);
    else
        for (size_t i = 0; i < active; i++)
            run_active(n, i, active);
}

/* From now on, up to the time at most. */
static bool window(struct network *n, uint64_t length, uint64_t until)
{
    uint64_t end = n->window_end = n->now + length < until ? n->now + length : until;
    n->lets_wait = network_lets_wait(n);
    n->soft = end + PAST <= until && n->lets_wait;
    exchange_hand_over(n, end + EARLY);
    size_t active = schedule_before(&n->schedule, end, n->active);
    network_run_nodes(n, active);
    n->now = end;
    n->work.windows++;
    n->work.node_windows += active;
    bool ended = network_conclude(n, active);
    if (n->follower.window_over)
        n->asked |= n->follower.window_over(n->follower.context);
    return ended;
}

uint64_t network_next(const struct network *n)
{
    uint64_t next = schedule_first(&n->schedule);
    return n->queue.count && n->queue.list[0].when < next ? n->queue.list[0].when : next;
}

/* A window was the last one: brings all nodes to one time, however far they have gone past its end. */
static void network_even_out(struct network *n, uint64_t until)
{
    uint32_t ended = n->ended;
    if (n->now < until)
        window(n, PAST, n->now + PAST < until ? n->now + PAST : until);
    n->ended = ended;
}

enum network_end network_run(struct network *n, uint64_t until)
{
    enum network_end why = NETWORK_TIME;
    if (network_is_sole(n))
        return sole_run(n, until);
    while (n->now < until) {
        uint64_t next = network_next(n);
        if (next >= until) {
            why = next == NEVER && until >= NETWORK_TIME_LIMIT ? NETWORK_IDLE : NETWORK_TIME;
            n->now = why == NETWORK_IDLE ? n->now : until;
            break;
        }
        n->now = window_begin(n, next);
        if (window(n, WINDOW, until))
            why = NETWORK_ENDED;
        if (why == NETWORK_ENDED || n->asked) {
            network_even_out(n, until);
            break;
        }
    }
    catch_up(n);
    if (n->asked && why != NETWORK_ENDED)
        why = NETWORK_STOPPED;
    n->asked = false;
    return why;
}

/* ---- between runs ---- */

void network_kill(struct network *n, uint32_t number)
{
    struct member *m = n->members[number];
    if (!m->alive)
        return;
    network_before_input(n);
    network_set_disturbed(n, n->now);
    exchange_end_sending(n, m);
    exchange_forget(n, number);
    m->alive = false;
    m->node->changed = true;
    exchange_reschedule(n, m);
}

void network_reset(struct network *n, uint32_t number)
{
    if (!n->members[number]->alive)
        return;
    network_before_input(n);
    network_set_disturbed(n, n->now);
    node_request_reset(n->members[number]->node, RESET_EXTERNAL);
    network_touched(n, number);
}

void network_boot(struct network *n, uint32_t number)
{
    struct member *m = n->members[number];
    network_kill(n, number);
    node_power_cycle(m->node);
    m->clock.base_tick = n->now;
    network_set_disturbed(n, n->now);
    m->alive = true;
    m->exited = false;
    m->node->changed = true;
    exchange_reschedule(n, m);
}

bool network_alive(const struct network *n, uint32_t number)
{
    const struct member *m = n->members[number];
    return m->alive && m->clock.base_tick <= n->now && !m->node->state->exit;
}

bool network_powered(const struct network *n, uint32_t number)
{
    const struct member *m = n->members[number];
    return m->alive && !m->node->state->exit;
}

struct medium *network_medium(struct network *n)
{
    return n->medium = medium_own(n->medium);
}

void network_touched(struct network *n, uint32_t number)
{
    n->members[number]->node->changed = true;
    exchange_reschedule(n, n->members[number]);
}
