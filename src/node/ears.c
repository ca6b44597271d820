/* Radio happenings: what a node sends, and what becomes of what reaches it.
 *
 * Radios say and hear ahead of time (air.h). For those who look on, a ledger outside the arena keeps each transmission
 * until it is over; a radio of frames says what it made of it, and what it says nothing of it has missed.
 */
#include <stdlib.h>
#include <string.h>

#include "node/taps.h"

enum { LEDGER = 24 };
#define SETTLED 1e-3  /* seconds behind the end, when a radio has made up its mind */
#define A_BYTE  32e-6 /* seconds, of IEEE 802.15.4 at 2.4 GHz */

struct transmitted {
    bool used, own;
    int fate; /* enum motet_loss, FATE_RECEIVED, FATE_BEGUN or FATE_NONE */
    uint32_t sender, transmission;
    uint64_t begun, due; /* ticks; when it is told, NEVER until its end is known */
    double hertz, dbm;
    size_t count;
    uint8_t bytes[256];
};

struct ears {
    struct transmitted ledger[LEDGER];
    struct motet_tap *alarm;
    int state; /* enum motet_radio_state, or -1 */
};

static const uint32_t happenings = MOTET_ON(RADIO_SEND) | MOTET_ON(RADIO_RECEIVE) | MOTET_ON(RADIO_LOSS);

static struct ears *ears_of(struct node *n)
{
    struct taps *t = n->taps;
    if (!t->ears) {
        t->ears = calloc(1, sizeof *t->ears);
        if (!t->ears)
            abort();
        t->ears->state = -1;
    }
    return t->ears;
}

static void tell(struct node *n, enum motet_happening what, const struct transmitted *t, enum motet_loss why)
{
    struct motet_happened h = {.what = what};
    h.radio.sender = t->sender;
    h.radio.transmission = t->transmission;
    h.radio.begun = t->begun;
    h.radio.bytes = t->bytes;
    h.radio.count = t->count;
    h.radio.hertz = t->hertz;
    h.radio.dbm = t->dbm;
    h.radio.why = why;
    if (taps_wanted(n, UINT32_C(1) << what))
        taps_tell(n, &h);
}

/* ---- the ledger ---- */

static struct transmitted *entry_of(struct ears *e, bool own, uint32_t sender, uint32_t transmission)
{
    for (struct transmitted *t = e->ledger; t < e->ledger + LEDGER; t++)
        if (t->used && t->own == own && t->sender == sender && t->transmission == transmission)
            return t;
    return NULL;
}

static struct transmitted *new_entry(struct ears *e)
{
    struct transmitted *oldest = e->ledger;
    for (struct transmitted *t = e->ledger; t < e->ledger + LEDGER; t++) {
        if (!t->used)
            return t;
        oldest = t->begun < oldest->begun ? t : oldest;
    }
    return oldest;
}

static void due(void *context, const struct motet_node *handle, uint64_t when);

static void plan(struct node *n, struct ears *e)
{
    uint64_t first = NEVER;
    for (struct transmitted *t = e->ledger; t < e->ledger + LEDGER; t++)
        first = t->used && t->due < first ? t->due : first;
    tap_remove(e->alarm);
    e->alarm = first == NEVER ? NULL : tap_alarm(n, MOTET_TICKS, first, 0, due, n);
}

static void due(void *context, const struct motet_node *handle, uint64_t when)
{
    struct node *n = context;
    struct ears *e = ears_of(n);
    (void)handle, (void)when;
    for (struct transmitted *t = e->ledger; t < e->ledger + LEDGER; t++) {
        if (!t->used || t->due > n->time)
            continue;
        t->used = false;
        if (t->own)
            tell(n, MOTET_ON_RADIO_SEND, t, 0);
        else if (t->fate == FATE_NONE || t->fate == FATE_BEGUN) /* begun: the receiver was switched off meanwhile */
            tell(n, MOTET_ON_RADIO_LOSS, t, t->fate == FATE_BEGUN ? MOTET_LOSS_CUT : MOTET_LOSS_MISSED);
    }
    plan(n, e);
}

static void follow(struct node *n, const struct air_message *m, bool own)
{
    struct ears *e = ears_of(n);
    struct transmitted *t = entry_of(e, own, m->sender, m->transmission);
    if (m->kind == AIR_BEGIN && !t) {
        t = new_entry(e);
        *t = (struct transmitted){.used = true,
                                  .own = own,
                                  .fate = FATE_NONE,
                                  .sender = m->sender,
                                  .transmission = m->transmission,
                                  .begun = m->tick,
                                  .due = NEVER,
                                  .hertz = m->hertz,
                                  .dbm = (double)m->dbm};
    } else if (m->kind == AIR_BYTES && t && m->first == t->count && m->count <= sizeof t->bytes - t->count) {
        memcpy(t->bytes + t->count, m->bytes, m->count);
        t->count += m->count;
    } else if (m->kind == AIR_END && t) {
        t->due = own ? m->tick : m->tick + node_ticks(n, SETTLED);
        plan(n, e);
    }
}

void ears_sent(struct node *n, const struct air_message *m)
{
    if (taps_wanted(n, MOTET_ON(RADIO_SEND)))
        follow(n, m, true);
}

/* A radio of bits leaves it to the firmware what a frame is: nothing can be said of its fate. */
void ears_heard(struct node *n, const struct air_message *m)
{
    if (taps_wanted(n, happenings) && m->modulation == AIR_OQPSK_250K)
        follow(n, m, false);
}

/* Whether its sender had stopped before the frame that the receiver thought it was hearing was over. */
static bool was_cut(const struct node *n, const struct transmitted *t)
{
    return t->due != NEVER && t->due - node_ticks(n, SETTLED) + node_ticks(n, A_BYTE) < n->time;
}

void ears_fate(struct node *n, uint32_t sender, uint32_t transmission, int fate)
{
    if (!taps_wanted(n, happenings))
        return;
    struct transmitted *t = entry_of(ears_of(n), false, sender, transmission);
    if (!t || (t->fate != FATE_NONE && t->fate != FATE_BEGUN))
        return;
    t->fate = fate < FATE_RECEIVED && was_cut(n, t) ? (int)MOTET_LOSS_CUT : fate;
    fate = t->fate;
    if (fate == FATE_BEGUN)
        return;
    tell(n, fate == FATE_RECEIVED ? MOTET_ON_RADIO_RECEIVE : MOTET_ON_RADIO_LOSS, t,
         fate == FATE_RECEIVED ? 0 : (enum motet_loss)fate);
}

void ears_lost(struct node *n, const struct air_message *m, double dbm)
{
    if (!taps_wanted(n, MOTET_ON(RADIO_LOSS)))
        return;
    struct transmitted t = {
        .sender = m->sender, .transmission = m->transmission, .begun = m->tick, .hertz = m->hertz, .dbm = dbm};
    tell(n, MOTET_ON_RADIO_LOSS, &t, MOTET_LOSS_LINK);
}

void ears_state(struct node *n, enum motet_radio_state state)
{
    if (!taps_wanted(n, MOTET_ON(RADIO_STATE)) || ears_of(n)->state == (int)state)
        return;
    struct motet_happened h = {.what = MOTET_ON_RADIO_STATE};
    h.state = state;
    ears_of(n)->state = (int)state;
    taps_tell(n, &h);
}

void ears_free(struct taps *t)
{
    free(t->ears);
}
