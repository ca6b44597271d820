#include "stimuli.h"

#include <pthread.h>
#include <stdlib.h>

#include "memory.h"
#include "sentence.h"

struct wire { /* what a node's analog inputs are connected to */
    struct stimuli *stimuli;
    const motet_node *node;
    struct stimulus *own, *of_all; /* either may be NULL */
};

struct stimuli {
    struct stimulus_option *options;
    size_t count;
    motet_network *network;
    struct wire *wires; /* by the node's number */
    bool scripted;
    pthread_mutex_t lock; /* of the scripts: Lua is for one thread at a time */
};

static int32_t stimuli_volts(void *context, unsigned channel, uint64_t tick)
{
    const struct wire *w = context;
    struct stimuli *s = w->stimuli;
    struct stimulus *of = w->own && stimulus_has(w->own, channel) ? w->own : w->of_all;
    if (!of)
        return INT32_MIN;
    uint64_t now = motet_network_time(s->network, w->node, tick);
    if (!s->scripted)
        return stimulus_analog_at(of, channel, now);
    pthread_mutex_lock(&s->lock);
    int32_t microvolts = stimulus_analog_at(of, channel, now);
    pthread_mutex_unlock(&s->lock);
    return microvolts;
}

static bool stimuli_prepare(struct run_options *o, const motet_network *n, struct motet_error *e)
{
    for (size_t i = 0; i < o->stimulus_count; i++) {
        struct stimulus_option *s = &o->stimuli[i];
        const motet_node *node = s->which.one ? motet_network_node(n, s->which.id) : motet_network_at(n, 0);
        if (motet_network_count(n) > 1 && stimulus_in_ticks(&s->stimulus))
            return sentence(e, "--analog, --drive: nodes have ticks of their own; give a time such as 10ms");
        if (!stimulus_prepare(&s->stimulus, n, node, e))
            return false;
    }
    return true;
}

static struct stimulus *stimuli_of(struct stimuli *s, struct which which)
{
    for (size_t i = 0; i < s->count; i++)
        if (which_same(s->options[i].which, which))
            return &s->options[i].stimulus;
    return NULL;
}

struct stimuli *stimuli_new(struct run_options *o, motet_network *n, struct motet_error *e)
{
    if (!stimuli_prepare(o, n, e))
        return NULL;
    size_t count = motet_network_count(n);
    struct stimuli *s = cli_array(1, sizeof *s);
    s->wires = cli_array(count, sizeof *s->wires);
    s->options = o->stimuli;
    s->count = o->stimulus_count;
    s->network = n;
    for (size_t i = 0; i < s->count; i++)
        s->scripted |= stimulus_has_script(&s->options[i].stimulus);
    pthread_mutex_init(&s->lock, NULL);
    for (size_t i = 0; i < count && s->count; i++) {
        motet_node *node = motet_network_at(n, i);
        s->wires[i] = (struct wire){.stimuli = s,
                                    .node = node,
                                    .own = stimuli_of(s, (struct which){.one = true, .id = motet_node_id(node)}),
                                    .of_all = stimuli_of(s, (struct which){.one = false})};
        motet_node_analog(node, stimuli_volts, &s->wires[i]);
    }
    return s;
}

void stimuli_free(struct stimuli *s)
{
    if (!s)
        return;
    pthread_mutex_destroy(&s->lock);
    free(s->wires);
    free(s);
}

static void stimuli_drive(struct stimuli *s, struct which which, const struct pin_change *c)
{
    if (which.one) {
        motet_node_drive(motet_network_node(s->network, which.id), c->number, c->drive);
        return;
    }
    for (size_t i = 0; i < motet_network_count(s->network); i++)
        motet_node_drive(motet_network_at(s->network, i), c->number, c->drive);
}

/* What is given for every node comes first, so that what is given for one counts. */
static void stimuli_due(struct stimuli *s, bool one, uint64_t now)
{
    for (size_t i = 0; i < s->count; i++) {
        struct stimulus_option *o = &s->options[i];
        if (o->which.one != one)
            continue;
        for (const struct pin_change *c; (c = stimulus_due(&o->stimulus, now));)
            stimuli_drive(s, o->which, c);
    }
}

uint64_t stimuli_apply(struct stimuli *s)
{
    uint64_t now = motet_network_now(s->network);
    stimuli_due(s, false, now);
    stimuli_due(s, true, now);
    return stimuli_next(s);
}

uint64_t stimuli_next(const struct stimuli *s)
{
    uint64_t next = MOTET_NEVER;
    for (size_t i = 0; i < s->count; i++) {
        uint64_t then = stimulus_next(&s->options[i].stimulus);
        next = then < next ? then : next;
    }
    return next;
}

bool stimuli_good(const struct stimuli *s, struct motet_error *e)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->options[i].stimulus.failed) {
            *e = s->options[i].stimulus.error;
            return false;
        }
    return true;
}
