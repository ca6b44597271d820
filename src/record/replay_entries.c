#include "chip/chip.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/taps.h"
#include "record/checkpoint.h"
#include "record/crc.h"
#include "record/replay_device.h"
#include "record/replay_trial.h"

/* ---- entries of the recorder ---- */

bool replay_other_event(struct node *n, struct replay_state *s, enum entry asked, unsigned site)
{
    if (s->decoder.next.kind == LOG_END) { /* found only when its value was asked for */
        replay_end_of_log(n, s);
        return true;
    }
    if (s->decoder.next.kind == LOG_CHANGED)
        return replay_differ(n, s, REPLAY_CHANGED);
    if (s->decoder.next.kind == LOG_DAMAGED)
        return replay_differ(n, s, REPLAY_BAD_LOG);
    s->asked = (uint8_t)asked;
    s->asked_site = site;
    return replay_differ(n, s, REPLAY_OTHER_EVENT);
}

/* The result of an entry: so many bytes, of which these bits are the log's. */
static void replay_known_result(struct node *n, const struct device *d, unsigned size, unsigned bits)
{
    const struct isa *isa = n->machine->chip->isa;
    unsigned wide = isa->register_size(isa->result_register);
    for (unsigned i = 0; i < size; i += wide)
        unknown_known_register(n, d, isa->result_register + i / wide, bits >> 8 * i & ((1u << 8 * wide) - 1));
}

/* The top bit of a site only says that the recorder reads the timer once more (lean_msp430.S). */
enum { SITE_ALL = 0x7fff };

static bool answer_read(struct node *n, const struct device *d, enum entry entry)
{
    const struct isa *isa = n->machine->chip->isa;
    const struct replay *r = replay_config_of(d);
    struct replay_state *s = replay_own_state(n, d);
    unsigned size = entry == ENTRY_READ8 ? 1 : 2, all = size == 1 ? 0xff : 0xffff, logged;
    unsigned value = isa->argument(n, 0) & all, live = isa->argument(n, 1) & all;
    unsigned site = isa->argument(n, 2) & SITE_ALL;
    if (!decoder_read(&s->decoder, replay_part_of(r, s), site, size, live, &logged))
        return replay_other_event(n, s, entry, site);
    value = (logged & live) | (value & ~live);
    isa->leave(n, value, size);
    replay_known_result(n, d, size, live);
    replay_tell(n, d,
                &(struct replay_heard){
                    .kind = REPLAY_HEARD_READ, .site = site, .size = size, .value = (logged & live) | (value & ~live)});
    replay_forget_flags(n, d);
    replay_set_count(n, r, 0);
    if (taps_wanted(n, MOTET_ON(LOGGED)))
        taps_logged(n, replay_site_name(r, site), value);
    return true;
}

static bool answer_block(struct node *n, const struct device *d)
{
    const struct isa *isa = n->machine->chip->isa;
    const struct replay *r = replay_config_of(d);
    struct replay_state *s = replay_own_state(n, d);
    unsigned at = isa->argument(n, 0), size = isa->argument(n, 1), site = isa->argument(n, 2);
    uint8_t *bytes = n->data + at;
    if (at + size > n->machine->data_size || !decoder_block(&s->decoder, replay_part_of(r, s), site, size, bytes))
        return replay_other_event(n, s, ENTRY_BLOCK, site);
    unknown_known(n, d, at, size);
    replay_tell(n, d, &(struct replay_heard){.kind = REPLAY_HEARD_BLOCK, .site = site, .size = size, .bytes = bytes});
    isa->leave(n, 0, 0);
    replay_set_count(n, r, 0);
    return true;
}

/* Sets the count; true if it has come round, which is an event. */
static bool count_to(struct node *n, const struct device *d, unsigned count)
{
    const struct replay *r = replay_config_of(d);
    struct replay_state *s = replay_own_state(n, d);
    replay_set_count(n, r, count);
    if ((count + r->count_first) & 0xffff)
        return false;
    replay_set_count(n, r, 0);
    if (s->decoder.next.kind != LOG_WRAPPED)
        return replay_other_event(n, s, ENTRY_WRAPPED, 0);
    decoder_take(&s->decoder, replay_part_of(r, s));
    return true;
}

/* Like a read, but only of what lies among the registers. */
static bool answer_pointer(struct node *n, const struct device *d, enum entry entry)
{
    const struct isa *isa = n->machine->chip->isa;
    const struct replay *r = replay_config_of(d);
    struct replay_state *s = replay_own_state(n, d);
    unsigned size = entry == ENTRY_POINTER8 ? 1 : 2, at = isa->argument(n, 0), site = isa->argument(n, 1), value;
    if (at >= n->machine->ram->first) {
        value = at < n->machine->data_size ? n->data[at] : 0;
        value |= size == 2 && at + 1 < n->machine->data_size ? (unsigned)n->data[at + 1] << 8 : 0;
        bool took = count_to(n, d, replay_count(n, r) + 1);
        isa->leave(n, value, size);
        unknown_loaded(n, d, at, size);
        return took;
    }
    if (!decoder_read(&s->decoder, replay_part_of(r, s), site, size, size == 1 ? 0xff : 0xffff, &value))
        return replay_other_event(n, s, entry, site);
    isa->leave(n, value, size);
    replay_known_result(n, d, size, 0xffff);
    replay_tell(n, d, &(struct replay_heard){.kind = REPLAY_HEARD_READ, .site = site, .size = size, .value = value});
    replay_set_count(n, r, 0);
    return true;
}

static bool answer_wrapped(struct node *n, const struct device *d)
{
    const struct replay *r = replay_config_of(d);
    bool took = count_to(n, d, replay_count(n, r) + r->count_wraps);
    n->machine->chip->isa->leave(n, 0, 0);
    return took;
}

/* Left, and nothing was recorded: with stamps that counts. */
static bool answer_nothing(struct node *n, const struct device *d)
{
    const struct replay *r = replay_config_of(d);
    bool took = r->stamped && count_to(n, d, replay_count(n, r) + 1);
    n->machine->chip->isa->leave(n, 0, 0);
    return took;
}

static bool answer_begin(struct node *n, const struct device *d)
{
    const struct replay *r = replay_config_of(d);
    struct replay_state *s = replay_own_state(n, d);
    const struct log_event *e = &s->decoder.next;
    if (e->kind != LOG_NOTICE || e->notice != LOG_NOTICE_BEGIN)
        return replay_other_event(n, s, ENTRY_BEGIN, 0);
    if (r->last >= r->first && crc16(0, n->data + r->first, r->last - r->first) != e->value)
        return replay_differ(n, s, REPLAY_OTHER_MEMORY);
    decoder_take(&s->decoder, replay_part_of(r, s));
    s->begun = 1;
    replay_tell(n, d, &(struct replay_heard){.kind = REPLAY_HEARD_BEGIN});
    replay_set_count(n, r, 0);
    n->machine->chip->isa->leave(n, 0, 0);
    return true;
}

/* A checkpoint was taken here: the next part begins with it, and memory must be what it says. */
static bool pass_checkpoint(struct node *n, const struct device *d)
{
    const struct replay *r = replay_config_of(d);
    struct replay_state *s = replay_own_state(n, d);
    const struct log_part *next = replay_part_of(r, s)->next;
    if (!next) {
        replay_end_because(n, s, REPLAY_CONTINUES);
        return true;
    }
    if (!checkpoint_fits(&next->checkpoint, n, r->first, r->last, r->filled, &s->asked_site))
        return replay_differ(n, s, REPLAY_OTHER_CHECKPOINT);
    s->parts++;
    s->before += s->decoder.at;
    struct decoder was = s->decoder;
    decoder_begin(&s->decoder, next);
    s->decoder.events += was.events + 1;
    s->decoder.verified = s->decoder.events; /* the checkpoint has confirmed them */
    s->decoder.interrupts += was.interrupts;
    return true;
}

static bool is_checkpoint(const struct node *n, const struct replay *r, const struct log_event *e)
{
    return e->kind == LOG_NOTICE && e->notice == LOG_NOTICE_CHECKPOINT && e->value == replay_count(n, r);
}

static bool answer_idle(struct node *n, const struct device *d)
{
    struct replay_state *s = replay_own_state(n, d);
    bool took = count_to(n, d, replay_count(n, replay_config_of(d)) + 1);
    const struct isa *isa = n->machine->chip->isa;
    if (s->let_in)
        isa->accept(n, false);
    replay_tell(n, d, &(struct replay_heard){.kind = REPLAY_HEARD_IDLE, .let_in = s->let_in});
    isa->leave(n, s->let_in, 1);
    replay_known_result(n, d, 1, 0xffff);
    s->let_in = 0;
    return took;
}

static bool answer_routine(struct node *n, const struct device *d, const struct place *p)
{
    const struct replay *r = replay_config_of(d);
    struct replay_state *s = replay_own_state(n, d);
    uint8_t result[ISA_RESULT];
    if (p->routine.whole) { /* instructions were executed, so the next interrupt may come at once */
        n->machine->chip->isa->left_out(n);
        if (p->routine.calls) /* the function itself does that (src/rewrite/measure.c) */
            replay_set_count(n, r, 0 - r->count_first);
        return answer_nothing(n, d);
    }
    if (!decoder_block(&s->decoder, replay_part_of(r, s), p->routine.site, sizeof result, result))
        return replay_other_event(n, s, ENTRY_BLOCK, p->routine.site);
    n->machine->chip->isa->leave_routine(n, result);
    unknown_known_registers(n, d);
    replay_set_count(n, r, 0);
    return true;
}

static bool answer_freeze(struct node *n, const struct device *d)
{
    struct replay_state *s = replay_own_state(n, d);
    const struct log_event *e = &s->decoder.next;
    if (e->kind != LOG_NOTICE || e->notice != LOG_NOTICE_FROZEN)
        return replay_other_event(n, s, ENTRY_FREEZE, 0);
    replay_end_with_notice(n, d, REPLAY_FROZEN);
    return false;
}

/* True if an event was taken. */
bool replay_answer(struct node *n, const struct device *d, const struct place *p)
{
    if (replay_hosts_worker(p->entry) && is_checkpoint(n, replay_config_of(d), &replay_own_state(n, d)->decoder.next))
        return pass_checkpoint(n, d);
    switch (p->entry) {
    case ENTRY_READ8:
    case ENTRY_READ16: return answer_read(n, d, p->entry);
    case ENTRY_BLOCK: return answer_block(n, d);
    case ENTRY_WRAPPED: return answer_wrapped(n, d);
    case ENTRY_POINTER8:
    case ENTRY_POINTER16: return answer_pointer(n, d, p->entry);
    case ENTRY_BEGIN: return answer_begin(n, d);
    case ENTRY_IDLE: return answer_idle(n, d);
    case ENTRY_POLLED:
        n->data[replay_config_of(d)->uncounted]--;
        replay_forget_flags(n, d);
        return answer_nothing(n, d);
    case ENTRY_BREATHE:
    case ENTRY_CLEAR:
    case ENTRY_FLUSH: return answer_nothing(n, d);
    case ENTRY_FREEZE: return answer_freeze(n, d);
    case ENTRY_ROUTINE: return answer_routine(n, d, p);
    case ENTRY_VECTOR:
        n->machine->chip->isa->set_pc(n, p->to);
        replay_set_count(n, replay_config_of(d), 0);
        return false;
    default: return false;
    }
}

/* ---- polling loops ---- */

/* Whether the next interrupt came in the loop. Where it waits in library code, the registers tell which of several
 * visits it was. */
static bool replay_stays(struct node *n, const struct device *d, const struct place *p, const struct log_event *e)
{
    const struct replay *r = replay_config_of(d);
    if (!p->poll.waits)
        return trial_comes_round_by(n, r, p, e);
    enum later here = trial_comes_in_round(trial_from(n), r, p, e);
    if (here != LATER_MAYBE)
        return here == LATER_FITS;
    enum later later = trial_comes_later(n, r, e, true);
    if (later == LATER_MAYBE)
        replay_differ(n, replay_own_state(n, d), REPLAY_UNCERTAIN);
    return later == LATER_NEVER;
}

/* What was recorded of a register of a device goes there. */
void replay_put_polled(struct node *n, const struct poll *p)
{
    unsigned value = n->machine->chip->isa->get_register(n, p->register_number);
    for (unsigned i = 0; i < p->size && p->leave + i < n->machine->data_size; i++)
        n->data[p->leave + i] = (uint8_t)(value >> 8 * i);
}

static void replay_known_poll(struct node *n, const struct device *d, const struct poll *p)
{
    unsigned wide = n->machine->chip->isa->register_size(p->register_number);
    for (unsigned i = 0; i < p->size; i += wide)
        unknown_known_register(n, d, p->register_number + i / wide, 0xffff);
}

/* The loop is left at once, unless the next interrupt came in it. */
void replay_poll(struct node *n, const struct device *d, const struct place *p)
{
    const struct replay *r = replay_config_of(d);
    struct replay_state *s = replay_own_state(n, d);
    struct stamp t;
    const struct log_event *e = &s->decoder.next;
    bool placed = e->kind == LOG_INTERRUPT && (e->where == LOG_IN_CODE || e->where == LOG_IN_LIBRARY);
    s->polled = 1;
    bool comes = r->stamped ? replay_stamp_next(n, d, &t) : placed && e->count == replay_count(n, r);
    bool stay = comes && replay_stays(n, d, p, e);
    trial_set_poll(n, &p->poll, stay);
    if (!p->poll.waits)
        replay_known_poll(n, d, &p->poll);
}
