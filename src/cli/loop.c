/* The loop of a run: do what is due, give input, run to the next time to look up, show what came of it. */
#include "pace.h"
#include "stage.h"
#include "terminal.h"

/* Nanoseconds between looking up: with input from outside, and without. They are fixed, so that a run is cut at the
 * same times on every host. */
enum { LOOP_INPUT = 1000000, LOOP_IDLE = 100000000 };

struct loop {
    struct stage *stage;
    struct pace pace;
    double flushed;
    uint64_t change; /* when pins are driven, the scenario acts, a battery may be empty or timed input comes next */
};

static bool loop_exchange(struct loop *l)
{
    struct stage *s = l->stage;
    double now = pace_clock();
    if (!ports_feed(s->ports, &s->error))
        return false;
    if (s->o->realtime || now - l->flushed > 0.02) {
        l->flushed = now;
        if (!ports_flush(s->ports, &s->error))
            return false;
    }
    show_progress(s);
    return true;
}

/* Does what is due now: the scenario, stimuli, input. */
static bool loop_act(struct loop *l)
{
    struct stage *s = l->stage;
    uint64_t now = motet_network_now(s->network);
    if (s->scenario && motet_scenario_next(s->scenario) <= now && !motet_scenario_act(s->scenario, &s->error))
        return false;
    l->change = stimuli_apply(s->stimuli);
    uint64_t act = s->scenario ? motet_scenario_next(s->scenario) : MOTET_NEVER;
    l->change = act < l->change ? act : l->change;
    uint64_t drained = batteries_apply(s->batteries);
    l->change = drained < l->change ? drained : l->change;
    if (!stimuli_good(s->stimuli, &s->error) || !loop_exchange(l))
        return false;
    uint64_t due = ports_due(s->ports);
    l->change = due < l->change ? due : l->change;
    return !s->broken;
}

/* All sleep, and nothing is left that could wake one but input that comes when it comes. */
static bool loop_sleeps(const struct loop *l)
{
    return l->change == MOTET_NEVER && motet_network_next(l->stage->network) == MOTET_NEVER;
}

/* Where to look up next. Time in which nothing can happen is passed at once. */
static uint64_t loop_stop(const struct loop *l)
{
    const struct stage *s = l->stage;
    uint64_t now = motet_network_now(s->network), next = motet_network_next(s->network);
    bool idle = !s->o->realtime && !ports_have_input(s->ports);
    uint64_t slice = idle ? LOOP_IDLE : LOOP_INPUT, from = idle && next != MOTET_NEVER && next > now ? next : now;
    uint64_t to = idle && loop_sleeps(l) ? s->until : (from / slice + 1) * slice;
    to = l->change < to ? l->change : to;
    return to < s->until ? to : s->until;
}

/* How the run ends where a node has ended; RUN_TIME if it goes on. */
static enum run_reason loop_ended(const struct stage *s)
{
    bool firmware = false, running = false;
    for (size_t i = 0; i < motet_network_count(s->network); i++) {
        enum motet_exit e = motet_node_exit(motet_network_at(s->network, i));
        if (e == MOTET_EXIT_FAULT)
            return RUN_FAULT;
        running |= e == MOTET_RUNNING;
        firmware |= e == MOTET_EXIT_FIRMWARE;
    }
    return running ? RUN_TIME : firmware ? RUN_FIRMWARE : RUN_HALT;
}

enum run_reason loop_run(struct stage *s)
{
    struct loop l = {.stage = s, .flushed = s->started};
    pace_begin(&l.pace);
    for (;;) {
        if (terminal_interrupted())
            return RUN_INTERRUPTED;
        if (!loop_act(&l))
            return RUN_BROKEN;
        if (s->scenario && motet_scenario_over(s->scenario))
            return RUN_SCENARIO;
        if (motet_network_now(s->network) >= s->until)
            return RUN_TIME;
        if (s->until == MOTET_NEVER && loop_sleeps(&l)) {
            if (!ports_are_alive(s->ports))
                return RUN_HALT;
            if (!ports_wait(s->ports, &s->error))
                return RUN_BROKEN;
        }
        enum motet_network_end end = motet_network_run(s->network, loop_stop(&l));
        show_pending(s, false);
        if (s->broken || !attached_heed(s->attached, &s->error))
            return RUN_BROKEN;
        if (attached_over(s->attached))
            return RUN_SCRIPT;
        enum run_reason ended = end == MOTET_NETWORK_ENDED ? loop_ended(s) : RUN_TIME;
        if (ended != RUN_TIME)
            return ended;
        if (s->o->realtime)
            pace_hold(&l.pace, (double)motet_network_now(s->network) / (double)MOTET_SECOND);
    }
}
