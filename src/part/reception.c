#include "part/reception.h"

#include "base/decibel.h"
#include "node/node.h"
#include "node/taps.h"

uint64_t reception_byte_begins(const struct node *n, const struct reception *r, unsigned i)
{
    return r->sfd + earshot_symbols(n, 2u * i);
}

/* ---- synchronisation ---- */

enum { DELIMITER_LIMIT = 20 }; /* bytes among which it is looked for */

/* How many bytes of a transmission there are up to the end of the start delimiter. 0: it is not among the first `count`
 * bytes. */
static unsigned delimiter_end(const struct sound *sound, unsigned word, unsigned count)
{
    unsigned other = ~word; /* bits 0, 4, 8, 12: whether a nibble is not F */
    other |= other >> 2;
    other |= other >> 1;
    unsigned care = (other & 0x1111) * 15;
    for (unsigned i = 1; i < count && i < DELIMITER_LIMIT; i++) {
        unsigned heard = sound->bytes[i - 1] | (unsigned)sound->bytes[i] << 8;
        if (!((heard ^ word) & care))
            return i + 1;
    }
    return 0;
}

/* When the delimiter of a sound will have been heard; NEVER if it will not be, all of it, while searching. */
static uint64_t delimiter_tick(const struct node *n, const struct reception *r, const struct sound *sound,
                               unsigned word)
{
    unsigned end = earshot_in_tune(sound, r->hertz) ? delimiter_end(sound, word, sound->count) : 0;
    if (end < 2 || sound->begin + earshot_symbols(n, 2 * (end - 2)) < r->searching_since)
        return NEVER;
    return sound->begin + earshot_symbols(n, 2 * end);
}

/* Delimiters come with the first bytes; a beginning or an end moves none, unless another sound had to go. */
bool reception_hear(const struct node *n, struct reception *r, unsigned word, const struct air_message *m)
{
    const struct sound *s = earshot_hear(n, &r->ear, m);
    if (!s || m->kind != AIR_BYTES)
        return s;
    return m->first < DELIMITER_LIMIT && !delimiter_end(s, word, m->first);
}

uint64_t reception_next(const struct node *n, const struct reception *r, unsigned word)
{
    uint64_t first = NEVER, latest = earshot_symbols(n, 2 * DELIMITER_LIMIT);
    EARSHOT_EACH(i, &r->ear)
    {
        const struct sound *sound = &r->ear.sounds[i];
        if (sound->begin + latest <= node_now(n))
            continue; /* its delimiter is over, wherever it was */
        uint64_t tick = delimiter_tick(n, r, sound, word);
        if (tick > node_now(n) && tick < first)
            first = tick;
    }
    return first;
}

static double ratio(const struct reception *r, int sound, uint64_t from, uint64_t to, double noise)
{
    return r->ear.sounds[sound].milliwatts / (noise + earshot_interference(&r->ear, r->hertz, sound, from, to));
}

static bool reception_damaged(struct node *n, double sinr)
{
    struct air_memo *m = n->air_memo;
    if (m->sinr < sinr || m->sinr > sinr) { /* most bytes of a frame have the same */
        m->loss = earshot_byte_loss(sinr);
        m->sinr = sinr;
    }
    double loss = m->loss;
    return loss > 0 && node_random(n) < loss * 4294967296.0;
}

/* Of the delimiters that end now the strongest is tried. */
bool reception_begin(struct node *n, struct reception *r, unsigned word, double noise)
{
    uint64_t now = node_now(n);
    int best = -1;
    EARSHOT_EACH(i, &r->ear)
    {
        const struct sound *s = &r->ear.sounds[i];
        if (delimiter_tick(n, r, s, word) == now && (best < 0 || s->milliwatts > r->ear.sounds[best].milliwatts))
            best = (int)i;
    }
    if (best < 0)
        return false;
    double sinr = ratio(r, best, now - earshot_symbols(n, 4), now, noise);
    const struct sound *s = &r->ear.sounds[best];
    bool damaged = reception_damaged(n, sinr);
    damaged = damaged || reception_damaged(n, sinr); /* its second byte: another draw */
    if (damaged) {
        radio_events_fate(n, s->sender, s->transmission, MOTET_LOSS_NOISE);
        return false;
    }
    r->sfd = now;
    r->sender = s->sender;
    r->transmission = s->transmission;
    r->sound = (int8_t)best;
    r->first = (uint8_t)delimiter_end(s, word, s->count);
    radio_events_fate(n, s->sender, s->transmission, FATE_BEGUN);
    return true;
}

/* ---- bytes ---- */

/* Without a sender there is only noise. */
uint8_t reception_byte(struct node *n, struct reception *r, unsigned i, double noise)
{
    const struct sound *s = &r->ear.sounds[r->sound];
    uint64_t from = reception_byte_begins(n, r, i), to = reception_byte_begins(n, r, i + 1);
    bool another = s->sender != r->sender || s->transmission != r->transmission;
    if (another || r->first + i >= s->count || (from + to) / 2 >= s->end)
        return (uint8_t)node_random(n);
    uint8_t byte = s->bytes[(r->first + i) % AIR_BYTES_MAX];
    if (reception_damaged(n, ratio(r, r->sound, from, to, noise)))
        byte ^= (uint8_t)(1 + node_random(n) % 255);
    return byte;
}

double reception_quality(const struct node *n, const struct reception *r, unsigned bytes, double noise)
{
    uint64_t end = reception_byte_begins(n, r, bytes);
    double disturbance = earshot_disturbance(&r->ear, r->hertz, r->sound, r->sfd, end);
    return decibel_of(r->ear.sounds[r->sound].milliwatts / (noise + disturbance));
}

/* 5131E (AT86RF230), 8.5.3: a signal 6 dB over the sensitivity, at which of 100 frames of 20 bytes one is damaged, is
 * close to 255 (see earshot_byte_loss: that is at 3 dB); at -1 dB hardly any frame is whole. */
uint8_t reception_link_quality(double quality)
{
    const double worst = -1, best = 9;
    double value = (quality - worst) * 255 / (best - worst);
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}
