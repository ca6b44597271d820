#include "record/replay_trial.h"

#include <string.h>

#include "chip/chip.h"
#include "node/machine.h"
#include "node/stops.h"
#include "record/replay_stamps.h"

/* As mix() in target/recorder/mix.h does. */
struct trial_mixed {
    uint16_t a, b;
};
static struct trial_mixed trial_mix(struct trial_mixed m, unsigned word)
{
    m.a = (uint16_t)((m.a << 1 | m.a >> 15) + word);
    m.b = (uint16_t)(m.b << 8 | m.b >> 8) ^ m.a;
    return m;
}

/* The low byte of the second half has the word on top of the stack; where that is not known, the others decide. */
bool trial_is_moment(const struct node *n, const struct log_event *e)
{
    uint8_t bytes[ISA_MOMENT];
    uint32_t word;
    struct trial_mixed m = {0, 0};
    if (e->where != LOG_IN_LIBRARY)
        return true;
    size_t size = n->machine->chip->isa->moment(n, log_vector(e), bytes, &word);
    for (size_t i = 0; i < size; i += 2)
        m = trial_mix(m, bytes[i] | (i + 1 < size ? (unsigned)bytes[i + 1] << 8 : 0));
    bool known = !word || (!unknown_is(n, word) && !unknown_is(n, word + 1));
    if (word)
        m.b ^= n->data[word] ^ n->data[word + 1];
    uint32_t differs = (m.a | (uint32_t)m.b << 16) ^ e->hash;
    return known ? !differs : !(differs & 0xff00ffff);
}

/* ---- trying out what comes next ---- */

struct node *trial_from(struct node *n)
{
    if (!n->stops->trial)
        n->stops->trial = node_new(n->machine, n->id, 0);
    struct snapshot *s = snapshot_take(n);
    snapshot_restore(n->stops->trial, s);
    snapshot_free(s);
    ((struct replay_state *)device_state(n->stops->trial, n->machine->log))->unknown.off = 1;
    return n->stops->trial;
}

/* At an entry of the recorder that takes no event and counts no step: does what it would. False if it is another. */
static bool try_entry(struct node *trial, const struct place *p)
{
    if (p->entry == ENTRY_FLUSH || p->entry == ENTRY_CLEAR)
        trial->machine->chip->isa->leave(trial, 0, 0);
    else
        return false;
    return true;
}

/* One instruction. False where it is not known what follows: an event is due, a loop polls, the CPU sleeps, the end. */
static bool try_step(struct node *trial, const struct replay *r)
{
    const struct isa *isa = trial->machine->chip->isa;
    trial->stops->trap_pass = trial->state->instructions;
    trial->horizon = trial->state->now + 1;
    trial->cut = false;
    isa->run(trial);
    if (trial->state->sleeping || trial->state->exit)
        return false;
    const struct place *p = replay_place_at(r, isa->pc(trial));
    return !p || try_entry(trial, p);
}

/* ---- the place of an interrupt ---- */

bool trial_may_come(const struct node *n, const struct replay *r, const struct log_event *e)
{
    const struct isa *isa = n->machine->chip->isa;
    if (r->stamped)
        return stamp_of(e, isa->address_unit).address == isa->pc(n) && isa->accepts(n);
    return log_address(e) * isa->address_unit == isa->pc(n) && e->count == replay_count(n, r) &&
           (!e->sp || e->sp == isa->sp(n)) && isa->accepts(n);
}

static enum later fits_here(const struct node *n, const struct replay *r, const struct log_event *e)
{
    return !trial_may_come(n, r, e) ? LATER_NEVER : trial_is_moment(n, e) ? LATER_FITS : LATER_MAYBE;
}

static const struct place *replay_trial_wait_at(const struct replay *r, const struct node *n)
{
    const struct place *p = replay_place_at(r, n->machine->chip->isa->pc(n));
    return p && p->entry == ENTRY_POLL && p->poll.waits ? p : NULL;
}

void trial_set_poll(struct node *n, const struct poll *p, bool stay)
{
    const struct isa *isa = n->machine->chip->isa;
    unsigned value = stay ? p->stay : p->leave;
    if (p->waits) {
        uint8_t *at = &n->data[p->wait.address];
        *at = (uint8_t)(stay == p->wait.while_set ? *at | p->wait.bit : *at & ~p->wait.bit);
        return;
    }
    bool bytes = isa->register_size(p->register_number) == 1;
    isa->set_register(n, p->register_number, bytes ? value & 0xff : value);
    if (bytes && p->size == 2)
        isa->set_register(n, p->register_number + 1u, value >> 8);
}

enum later trial_comes_in_round(struct node *trial, const struct replay *r, const struct place *p,
                                const struct log_event *e)
{
    trial_set_poll(trial, &p->poll, true);
    try_step(trial, r);
    enum later jump = fits_here(trial, r, e);
    try_step(trial, r);
    enum later again = fits_here(trial, r, e);
    trial_set_poll(trial, &p->poll, false);
    return jump > again ? jump : again;
}

enum later trial_comes_later(struct node *n, const struct replay *r, const struct log_event *e, bool leaves)
{
    enum { FAR = 20000 };
    struct node *trial = trial_from(n);
    enum later later = LATER_NEVER;
    for (unsigned i = 0; i < FAR && later < LATER_FITS && replay_count(trial, r) == e->count; i++) {
        enum later now = LATER_NEVER;
        const struct place *p = replay_trial_wait_at(r, trial);
        if (p && leaves && !i)
            trial_set_poll(trial, &p->poll, false);
        else if (p)
            now = trial_comes_in_round(trial, r, p, e);
        later = now > later ? now : later;
        if (!try_step(trial, r) && !replay_trial_wait_at(r, trial))
            break;
        now = replay_count(trial, r) == e->count ? fits_here(trial, r, e) : LATER_NEVER;
        later = now > later ? now : later;
    }
    return later;
}

bool trial_is_ambiguous(struct node *n, const struct replay *r, const struct log_event *e)
{
    enum { NEAR = 20000 };
    struct node *trial = trial_from(n);
    for (unsigned i = 0; i < NEAR && replay_count(trial, r) == e->count; i++) {
        const struct place *p = replay_trial_wait_at(r, trial);
        if (p)
            trial_set_poll(trial, &p->poll, false);
        if (!try_step(trial, r) && !replay_trial_wait_at(r, trial))
            break;
        if (fits_here(trial, r, e) == LATER_FITS && memcmp(n->data, trial->data, n->machine->data_size) != 0)
            return true;
    }
    return false;
}

bool trial_comes_round_by(struct node *n, const struct replay *r, const struct place *p, const struct log_event *e)
{
    enum { LONGEST_ROUND = 256 };
    struct node *trial = trial_from(n);
    bool comes = false;
    trial_set_poll(trial, &p->poll, true);
    for (bool goes_on = true; goes_on && !comes;) {
        goes_on = try_step(trial, r) && trial->state->instructions - n->state->instructions < LONGEST_ROUND;
        comes = trial_may_come(trial, r, e);
    }
    return comes;
}
