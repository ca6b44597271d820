/* Radio happenings: what a node sends, and what becomes of what reaches it.
 *
 * Radios say and hear ahead of time (air.h). For observers, a ledger outside the arena keeps each transmission until it
 * is over; a radio of frames says what it made of it, and what it says nothing of it has missed. A radio of bits says
 * which of them it has handed over, and that is judged here: received is a transmission of which all bits were handed
 * over as they were sent, from the end of the preamble, bits that alternate, to the end of its frame. After the frame
 * the sender only flushes its transmitter, and its receiver may already answer. Where no frame is known, bytes of bits
 * that alternate are taken for the flush.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "node/taps.h"
#include "part/framing.h"

enum { LEDGER = 24 };
#define SETTLED 1e-3                      /* seconds after the end, when a radio has decided */
#define A_BYTE  32e-6                     /* seconds, of IEEE 802.15.4 at 2.4 GHz */
enum { FLUSH_LIMIT = 4, DELIMITER = 16 }; /* bytes, bits */
#define NO_BIT UINT32_MAX

struct transmitted {
    bool used, own;
    int fate; /* enum motet_loss, FATE_RECEIVED, FATE_BEGUN or FATE_NONE */
    uint32_t sender, transmission;
    uint64_t begun, due; /* ticks; when it is reported, NEVER until its end is known */
    double hertz, dbm;
    struct framing_bytes bytes;
    struct {
        uint32_t content;      /* the first bit after the preamble */
        uint32_t first, next;  /* those handed over last, without a gap */
        uint32_t wrong;        /* the first after the preamble that was not as sent */
        bool is, last, broken; /* it is of bits; the last bit sent; bits after the preamble came, and a gap */
        uint8_t flush;         /* bytes at its end that may be nothing else */
    } bits;
};

struct radio_events {
    struct transmitted ledger[LEDGER];
    struct motet_tap *alarm;
    int state; /* enum motet_radio_state, or -1 */
};

static const uint32_t happenings = MOTET_ON(RADIO_SEND) | MOTET_ON(RADIO_RECEIVE) | MOTET_ON(RADIO_LOSS);

static struct radio_events *radio_events_of(struct node *n)
{
    struct taps *t = n->taps;
    if (!t->radio_events) {
        t->radio_events = memory_new(sizeof *t->radio_events);
        t->radio_events->state = -1;
    }
    return t->radio_events;
}

static void radio_events_tell(struct node *n, enum motet_happening what, const struct transmitted *t,
                              enum motet_loss why)
{
    struct motet_happened h = {.what = what};
    h.radio.sender = t->sender;
    h.radio.transmission = t->transmission;
    h.radio.begun = t->begun;
    h.radio.bytes = t->bytes.bytes;
    h.radio.count = t->bytes.count;
    h.radio.frame = framing_find(t->bytes.bytes, t->bytes.count);
    h.radio.hertz = t->hertz;
    h.radio.dbm = t->dbm;
    h.radio.why = why;
    if (taps_wanted(n, UINT32_C(1) << what))
        taps_tell(n, &h);
}

/* ---- the ledger ---- */

static struct transmitted *entry_of(struct radio_events *e, bool own, uint32_t sender, uint32_t transmission)
{
    for (struct transmitted *t = e->ledger; t < e->ledger + LEDGER; t++)
        if (t->used && t->own == own && t->sender == sender && t->transmission == transmission)
            return t;
    return NULL;
}

static struct transmitted *new_entry(struct radio_events *e)
{
    struct transmitted *oldest = e->ledger;
    for (struct transmitted *t = e->ledger; t < e->ledger + LEDGER; t++) {
        if (!t->used)
            return t;
        oldest = t->begun < oldest->begun ? t : oldest;
    }
    return oldest;
}

static void radio_events_due(void *context, const struct motet_node *handle, uint64_t when);

static void radio_events_plan(struct node *n, struct radio_events *e)
{
    uint64_t first = NEVER;
    for (struct transmitted *t = e->ledger; t < e->ledger + LEDGER; t++)
        first = t->used && t->due < first ? t->due : first;
    tap_remove(e->alarm);
    e->alarm = first == NEVER ? NULL : tap_alarm(n, MOTET_TICKS, first, 0, radio_events_due, n);
}

/* The bit after the last one that a receiver needs. */
static uint32_t radio_events_needed(const struct transmitted *t)
{
    struct motet_framing frame = framing_find(t->bytes.bytes, t->bytes.count);
    uint32_t flush = t->bits.flush < FLUSH_LIMIT ? t->bits.flush : FLUSH_LIMIT;
    return 8 * (frame.format ? t->bytes.left_out + (uint32_t)(frame.start + frame.count) : t->bytes.sent - flush);
}

/* What became of a transmission of bits. */
static int radio_events_judge(const struct transmitted *t)
{
    uint32_t content = t->bits.content, end = radio_events_needed(t);
    if (content == NO_BIT)
        return MOTET_LOSS_CUT;
    if (t->bits.wrong < end)
        return t->bits.wrong < content + DELIMITER ? MOTET_LOSS_NOISE : MOTET_LOSS_DAMAGED;
    if (t->bits.broken)
        return MOTET_LOSS_DAMAGED;
    if (t->bits.first > content || t->bits.next <= content)
        return MOTET_LOSS_MISSED;
    return t->bits.next < end ? (int)MOTET_LOSS_CUT : FATE_RECEIVED;
}

static void tell_fate(struct node *n, const struct transmitted *t, int fate)
{
    bool received = fate == FATE_RECEIVED;
    radio_events_tell(n, received ? MOTET_ON_RADIO_RECEIVE : MOTET_ON_RADIO_LOSS, t,
                      received ? 0 : (enum motet_loss)fate);
}

static void radio_events_due(void *context, const struct motet_node *handle, uint64_t when)
{
    struct node *n = context;
    struct radio_events *e = radio_events_of(n);
    (void)handle, (void)when;
    for (struct transmitted *t = e->ledger; t < e->ledger + LEDGER; t++) {
        if (!t->used || t->due > n->time)
            continue;
        t->used = false;
        if (t->own)
            radio_events_tell(n, MOTET_ON_RADIO_SEND, t, 0);
        else if (t->bits.is)
            tell_fate(n, t, radio_events_judge(t));
        else if (t->fate == FATE_NONE || t->fate == FATE_BEGUN) /* begun: the receiver was switched off meanwhile */
            radio_events_tell(n, MOTET_ON_RADIO_LOSS, t, t->fate == FATE_BEGUN ? MOTET_LOSS_CUT : MOTET_LOSS_MISSED);
    }
    radio_events_plan(n, e);
}

/* The byte after `before` others. */
static void follow_bits(struct transmitted *t, uint32_t before, uint8_t byte)
{
    for (unsigned i = 0; i < 8 && t->bits.content == NO_BIT; i++) {
        bool bit = byte >> (7 - i) & 1;
        if (before + i > 0 && bit == t->bits.last)
            t->bits.content = 8 * before + i;
        t->bits.last = bit;
    }
    bool preamble = t->bits.content == NO_BIT;
    t->bits.flush = (uint8_t)(!preamble && (byte == 0x55 || byte == 0xaa) ? t->bits.flush + (t->bits.flush < 255) : 0);
}

static void radio_events_follow(struct node *n, const struct air_message *m, bool own)
{
    struct radio_events *e = radio_events_of(n);
    struct transmitted *t = entry_of(e, own, m->sender, m->transmission);
    if (m->kind == AIR_BEGIN && !t) {
        t = new_entry(e);
        *t = (struct transmitted){
            .used = true,
            .own = own,
            .fate = FATE_NONE,
            .sender = m->sender,
            .transmission = m->transmission,
            .begun = air_began(m, m->tick, (double)n->machine->hz),
            .due = NEVER,
            .hertz = m->hertz,
            .dbm = (double)m->dbm,
            .bits = {.is = m->modulation == AIR_FSK_MANCHESTER, .content = NO_BIT, .first = NO_BIT, .wrong = NO_BIT}};
    } else if (m->kind == AIR_BYTES && t) {
        for (unsigned i = 0; i < m->count && t->bits.is; i++)
            follow_bits(t, m->first + i, m->bytes[i]);
        framing_take(&t->bytes, m);
    } else if (m->kind == AIR_END && t) {
        /* of bits: a byte under way, one handed over, one to spare */
        double settled = t->bits.is && m->bit_rate > 24 ? 24 / m->bit_rate : SETTLED;
        t->due = own ? m->tick : m->tick + node_ticks(n, settled);
        radio_events_plan(n, e);
    }
}

void radio_events_sent(struct node *n, const struct air_message *m)
{
    if (taps_wanted(n, MOTET_ON(RADIO_SEND)))
        radio_events_follow(n, m, true);
}

void radio_events_heard(struct node *n, const struct air_message *m)
{
    if (taps_wanted(n, happenings))
        radio_events_follow(n, m, false);
}

void radio_events_bit(struct node *n, uint32_t sender, uint32_t transmission, uint32_t bit, bool as_sent)
{
    if (!taps_wanted(n, happenings))
        return;
    struct transmitted *t = entry_of(radio_events_of(n), false, sender, transmission);
    if (!t)
        return;
    bool content = bit >= t->bits.content;
    if (t->bits.first == NO_BIT || bit != t->bits.next) {
        t->bits.broken |= t->bits.first != NO_BIT && t->bits.next > t->bits.content;
        t->bits.first = bit;
    }
    t->bits.next = bit + 1;
    if (content && !as_sent && t->bits.wrong == NO_BIT)
        t->bits.wrong = bit;
}

/* Whether its sender had stopped before the frame that the receiver thought it was hearing was over. */
static bool was_cut(const struct node *n, const struct transmitted *t)
{
    return t->due != NEVER && t->due - node_ticks(n, SETTLED) + node_ticks(n, A_BYTE) < n->time;
}

void radio_events_fate(struct node *n, uint32_t sender, uint32_t transmission, int fate)
{
    if (!taps_wanted(n, happenings))
        return;
    struct transmitted *t = entry_of(radio_events_of(n), false, sender, transmission);
    if (!t || (t->fate != FATE_NONE && t->fate != FATE_BEGUN))
        return;
    t->fate = fate < FATE_RECEIVED && was_cut(n, t) ? (int)MOTET_LOSS_CUT : fate;
    if (t->fate != FATE_BEGUN)
        tell_fate(n, t, t->fate);
}

void radio_events_lost(struct node *n, const struct air_message *m, double dbm)
{
    if (!taps_wanted(n, MOTET_ON(RADIO_LOSS)))
        return;
    struct transmitted t = {.sender = m->sender,
                            .transmission = m->transmission,
                            .begun = air_began(m, m->tick, (double)n->machine->hz),
                            .hertz = m->hertz,
                            .dbm = dbm};
    radio_events_tell(n, MOTET_ON_RADIO_LOSS, &t, MOTET_LOSS_LINK);
}

void radio_events_state(struct node *n, enum motet_radio_state state)
{
    if (!taps_wanted(n, MOTET_ON(RADIO_STATE)) || radio_events_of(n)->state == (int)state)
        return;
    struct motet_happened h = {.what = MOTET_ON_RADIO_STATE};
    h.state = state;
    radio_events_of(n)->state = (int)state;
    taps_tell(n, &h);
}

void radio_events_free(struct taps *t)
{
    free(t->radio_events);
}
