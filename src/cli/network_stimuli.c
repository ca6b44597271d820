#include "network_stimuli.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "memory.h"
#include "sentence.h"

struct wire { /* what a node's analog inputs are connected to */
    struct network_stimuli *stimuli;
    const motet_node *node;
    struct stimulus *own; /* or NULL */
};

struct network_stimuli {
    struct run_options *o;
    motet_network *network;
    struct wire *wires; /* by the node's number */
    bool scripted;
    pthread_mutex_t lock; /* of the scripts: Lua is for one thread at a time */
};

static int32_t network_stimuli_analog(void *context, unsigned channel, uint64_t tick)
{
    const struct wire *w = context;
    struct network_stimuli *s = w->stimuli;
    struct stimulus *of = w->own && stimulus_has(w->own, channel) ? w->own : &s->o->stimulus;
    uint64_t now = motet_network_time(s->network, w->node, tick);
    if (!s->scripted)
        return stimulus_analog_at(of, channel, now);
    pthread_mutex_lock(&s->lock);
    int32_t microvolts = stimulus_analog_at(of, channel, now);
    pthread_mutex_unlock(&s->lock);
    return microvolts;
}

static bool network_stimuli_prepare(struct stimulus *s, const motet_node *n, struct motet_error *e)
{
    if (stimulus_in_ticks(s))
        return sentence(e, "--analog, --drive: nodes have ticks of their own; give a time such as 10ms");
    return stimulus_prepare(s, motet_node_machine(n), MOTET_SECOND, e);
}

static bool prepare_all(struct run_options *o, const motet_network *n, struct motet_error *e)
{
    if (!network_stimuli_prepare(&o->stimulus, motet_network_at(n, 0), e))
        return false;
    for (size_t i = 0; i < o->node_stimulus_count; i++) {
        const motet_node *node = motet_network_node(n, o->node_stimulus[i].id);
        if (!node)
            return sentence(e, "--analog, --drive: there is no node %" PRIu32, o->node_stimulus[i].id);
        if (!network_stimuli_prepare(&o->node_stimulus[i].stimulus, node, e))
            return false;
    }
    return true;
}

static struct stimulus *stimulus_of(struct run_options *o, uint32_t id)
{
    for (size_t i = 0; i < o->node_stimulus_count; i++)
        if (o->node_stimulus[i].id == id)
            return &o->node_stimulus[i].stimulus;
    return NULL;
}

struct network_stimuli *network_stimuli_new(struct run_options *o, motet_network *n, struct motet_error *e)
{
    if (!prepare_all(o, n, e))
        return NULL;
    size_t count = motet_network_count(n);
    struct network_stimuli *s = cli_array(1, sizeof *s);
    s->wires = cli_array(count, sizeof *s->wires);
    s->o = o;
    s->network = n;
    s->scripted = stimulus_has_script(&o->stimulus);
    for (size_t i = 0; i < o->node_stimulus_count; i++)
        s->scripted |= stimulus_has_script(&o->node_stimulus[i].stimulus);
    pthread_mutex_init(&s->lock, NULL);
    for (size_t i = 0; i < count; i++) {
        motet_node *node = motet_network_at(n, i);
        s->wires[i] = (struct wire){.stimuli = s, .node = node, .own = stimulus_of(o, motet_node_id(node))};
        motet_node_analog(node, network_stimuli_analog, &s->wires[i]);
    }
    return s;
}

void network_stimuli_free(struct network_stimuli *s)
{
    if (!s)
        return;
    pthread_mutex_destroy(&s->lock);
    free(s->wires);
    free(s);
}

uint64_t network_stimuli_apply(struct network_stimuli *s)
{
    uint64_t now = motet_network_now(s->network), next;
    for (const struct pin_change *c; (c = stimulus_due(&s->o->stimulus, now));)
        for (size_t i = 0; i < motet_network_count(s->network); i++)
            motet_node_drive(motet_network_at(s->network, i), c->number, c->drive);
    next = stimulus_next(&s->o->stimulus);
    for (size_t i = 0; i < s->o->node_stimulus_count; i++) {
        struct node_stimulus *own = &s->o->node_stimulus[i];
        for (const struct pin_change *c; (c = stimulus_due(&own->stimulus, now));)
            motet_node_drive(motet_network_node(s->network, own->id), c->number, c->drive);
        uint64_t then = stimulus_next(&own->stimulus);
        next = then < next ? then : next;
    }
    return next;
}

bool network_stimuli_good(const struct network_stimuli *s, struct motet_error *e)
{
    const struct stimulus *failed = s->o->stimulus.failed ? &s->o->stimulus : NULL;
    for (size_t i = 0; i < s->o->node_stimulus_count && !failed; i++)
        failed = s->o->node_stimulus[i].stimulus.failed ? &s->o->node_stimulus[i].stimulus : NULL;
    if (failed)
        *e = failed->error;
    return !failed;
}
