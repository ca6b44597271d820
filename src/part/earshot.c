#include "part/earshot.h"

#include <string.h>

#include "base/decibel.h"
#include "node/fetch.h"
#include "node/machine.h"
#include "node/node.h"

/* ---- the table ---- */

/* The node remembers in which slots it found sounds: they lie on many lines of the host's cache. */
static struct sound *sound_of(const struct node *n, struct earshot *e, const struct air_message *m)
{
    uint8_t *slot = &n->air_memo->slots[(m->sender + m->transmission) % AIR_MEMO_SLOTS];
    struct sound *guess = &e->sounds[*slot];
    if (e->used >> *slot & 1 && guess->transmission == m->transmission && guess->sender == m->sender)
        return guess;
    EARSHOT_EACH(i, e)
    if (e->sounds[i].transmission == m->transmission && e->sounds[i].sender == m->sender) {
        *slot = (uint8_t)i;
        return &e->sounds[i];
    }
    return NULL;
}

static void sound_take(struct sound *s, const uint8_t *bytes, unsigned count)
{
    unsigned at = s->count % AIR_BYTES_MAX, first = count < AIR_BYTES_MAX - at ? count : AIR_BYTES_MAX - at;
    memcpy(s->bytes + at, bytes, first);
    memcpy(s->bytes, bytes + first, count - first);
    s->count = (uint16_t)(s->count + count);
}

static uint64_t earshot_memory(const struct node *n)
{
    return node_ticks(n, EARSHOT_MEMORY * 1e-6);
}

/* Whether a sound is one no more, at a tick. */
static bool earshot_is_over(const struct sound *s, uint64_t tick, uint64_t memory)
{
    return s->milliwatts <= 0 || (s->end < tick && tick - s->end > memory);
}

bool earshot_forget(const struct node *n, struct earshot *e)
{
    uint64_t memory = earshot_memory(n);
    EARSHOT_EACH(i, e)
    if (earshot_is_over(&e->sounds[i], node_now(n), memory)) {
        memset(&e->sounds[i], 0, sizeof e->sounds[i]);
        e->used &= ~(UINT64_C(1) << i);
    }
    return !e->used;
}

/* A slot for a new sound: a free one, that which ended first, or that of the weakest if it is weaker. What ended long
 * ago leaves no trace in which slot that is. */
static struct sound *slot_for(struct earshot *e, double milliwatts, uint64_t tick, uint64_t memory)
{
    struct sound *ended = NULL, *weakest = NULL;
    for (int i = 0; i < EARSHOT_SOUNDS; i++) {
        struct sound *s = &e->sounds[i];
        if (earshot_is_over(s, tick, memory))
            return s;
        if (s->end <= tick && (!ended || s->end < ended->end))
            ended = s;
        if (!weakest || s->milliwatts < weakest->milliwatts)
            weakest = s;
    }
    if (ended)
        return ended;
    return weakest->milliwatts < milliwatts ? weakest : NULL;
}

/* NULL also if the sound is new but no other had to go for it. */
static struct sound *earshot_begin(const struct node *n, struct earshot *e, const struct air_message *m)
{
    double milliwatts = decibel_ratio((double)m->dbm);
    uint64_t memory = earshot_memory(n);
    struct sound *s = slot_for(e, milliwatts, m->tick, memory);
    if (!s)
        return NULL;
    bool replaces = !earshot_is_over(s, m->tick, memory);
    memset(s, 0, sizeof *s);
    e->used |= UINT64_C(1) << (s - e->sounds);
    s->begin = air_began(m, m->tick, (double)n->machine->hz);
    s->noticed = m->tick;
    s->end = NEVER;
    s->milliwatts = milliwatts;
    s->hertz = m->hertz;
    s->sender = m->sender;
    s->transmission = m->transmission;
    s->modulation = (uint8_t)m->modulation;
    return replaces ? s : NULL;
}

const struct sound *earshot_hear(const struct node *n, struct earshot *e, const struct air_message *m)
{
    struct sound *s = sound_of(n, e, m);
    switch (m->kind) {
    case AIR_BEGIN: return s ? NULL : earshot_begin(n, e, m);
    case AIR_BYTES:
        if (!s || m->first != s->count || m->count > AIR_BYTES_MAX)
            return NULL;
        sound_take(s, m->bytes, m->count);
        return s;
    case AIR_END:
        if (s)
            s->end = m->tick;
        break;
    }
    return NULL;
}

void earshot_fetch(const struct earshot *e)
{
    EARSHOT_EACH(i, e)
    fetch(&e->sounds[i], offsetof(struct sound, bytes));
}

/* ---- power ---- */

/* What the channel filter leaves of a sound at another frequency (SWRS041, "RF Receive section": rejection of the
 * adjacent channel 45 dB at 5 MHz, 54 dB at 10 MHz and beyond). */
static inline double passes(const struct sound *s, double hertz)
{
    double offset = s->hertz > hertz ? s->hertz - hertz : hertz - s->hertz;
    if (s->hertz <= 0 || offset < 1) /* interference at every frequency; the same channel, as most are */
        return 1;
    if (s->modulation == AIR_FSK_MANCHESTER)
        return offset < 3e5 ? 1 : 0;
    if (offset < 1e6)
        return 1;
    if (offset < 2.5e6)
        return 0.25;
    if (offset < 4.5e6)
        return 1e-3;
    return offset < 9.5e6 ? 3.1622776601683795e-5 : 3.9810717055349695e-6;
}

bool earshot_in_tune(const struct sound *s, double hertz)
{
    double offset = s->hertz > hertz ? s->hertz - hertz : hertz - s->hertz;
    bool foreign = s->hertz <= 0 && s->count; /* a frame of no node, in every channel */
    return s->milliwatts > 0 && s->modulation == AIR_OQPSK_250K && (foreign || offset < 0.3e6);
}

double earshot_disturbance(const struct earshot *e, double hertz, int wanted, uint64_t from, uint64_t to)
{
    double sum = 0;
    if (to <= from)
        return 0;
    EARSHOT_EACH(i, e)
    {
        const struct sound *s = &e->sounds[i];
        uint64_t first = s->noticed > from ? s->noticed : from, last = s->end < to ? s->end : to;
        if ((int)i != wanted && last > first)
            sum += s->milliwatts * passes(s, hertz) * (double)(last - first);
    }
    return sum / (double)(to - from);
}

double earshot_energy(const struct earshot *e, double hertz, uint64_t from, uint64_t to)
{
    return earshot_disturbance(e, hertz, -1, from, to);
}

double earshot_interference(const struct earshot *e, double hertz, int wanted, uint64_t from, uint64_t to)
{
    double sum = 0;
    EARSHOT_EACH(i, e)
    {
        const struct sound *s = &e->sounds[i];
        if ((int)i != wanted && s->noticed < to && s->end > from)
            sum += s->milliwatts * passes(s, hertz);
    }
    return sum;
}

void earshot_look(const struct earshot *e, double hertz, uint64_t after, struct earshot_scene *scene)
{
    scene->count = 0;
    EARSHOT_EACH(i, e)
    {
        const struct sound *s = &e->sounds[i];
        if (s->noticed > after || s->end > after)
            scene->of[scene->count++] = (struct scene_sound){s->noticed, s->end, s->milliwatts * passes(s, hertz)};
    }
}

double scene_energy(const struct earshot_scene *scene, uint64_t from, uint64_t to)
{
    double sum = 0;
    if (to <= from)
        return 0;
    for (unsigned i = 0; i < scene->count; i++) {
        const struct scene_sound *s = &scene->of[i];
        uint64_t first = s->noticed > from ? s->noticed : from, last = s->end < to ? s->end : to;
        if (last > first)
            sum += s->milliwatts * (double)(last - first);
    }
    return sum / (double)(to - from);
}

double scene_worst(const struct earshot_scene *scene, uint64_t after)
{
    double sum = 0;
    for (unsigned i = 0; i < scene->count; i++)
        if (scene->of[i].end > after)
            sum += scene->of[i].milliwatts;
    return sum;
}

uint64_t scene_edge(const struct earshot_scene *scene, uint64_t after)
{
    uint64_t first = NEVER;
    for (unsigned i = 0; i < scene->count; i++) {
        const struct scene_sound *s = &scene->of[i];
        if (s->noticed > after && s->noticed < first)
            first = s->noticed;
        if (s->end > after && s->end < first)
            first = s->end;
    }
    return first;
}

uint64_t scene_last_edge(const struct earshot_scene *scene)
{
    uint64_t last = 0;
    for (unsigned i = 0; i < scene->count; i++) {
        const struct scene_sound *s = &scene->of[i];
        uint64_t edge = s->end == NEVER || s->end < s->noticed ? s->noticed : s->end;
        last = edge > last ? edge : last;
    }
    return last;
}

uint64_t scene_fills(const struct earshot_scene *scene, uint64_t from, uint64_t to, double milliwatts)
{
    uint64_t window = to - from, until = 0;
    for (unsigned i = 0; i < scene->count; i++) {
        const struct scene_sound *s = &scene->of[i];
        if (s->noticed > from || s->milliwatts <= milliwatts)
            continue;
        uint64_t needed = (uint64_t)((double)window * (milliwatts / s->milliwatts)) + 2, spare = window - needed;
        uint64_t end = needed > window ? 0 : s->end < NEVER - spare ? s->end + spare : NEVER;
        until = end > until ? end : until;
    }
    return until;
}

/* ---- errors ---- */

static double exponential(double x)
{
    return decibel_ratio(x * 4.34294481903251827651); /* 10 / ln 10 */
}

/* IEEE 802.15.4-2006, E.4.1.8: the bit error rate of the O-QPSK at a ratio of signal to noise. The radios reject a
 * signal in their own channel from 3 dB below, and receive 3 dB over their noise; the ideal receiver of the formula is
 * 2.5 dB better, which is the loss of the real one. */
double earshot_byte_loss(double sinr)
{
    static const double choose[17] = {
        [2] = 120,   [3] = 560,   [4] = 1820,  [5] = 4368, [6] = 8008, [7] = 11440, [8] = 12870, [9] = 11440,
        [10] = 8008, [11] = 4368, [12] = 1820, [13] = 560, [14] = 120, [15] = 16,   [16] = 1};
    double ideal = sinr * 0.56234132519034908, bit = 0; /* 10^-0.25 */
    if (ideal > 4)
        return 0; /* below 10^-15 */
    for (int k = 2; k <= 16; k++)
        bit += (k % 2 ? -1 : 1) * choose[k] * exponential(20 * ideal * (1.0 / k - 1));
    bit *= 8.0 / 15 / 16;
    if (bit < 0)
        bit = 0;
    double kept = 1 - bit;
    kept *= kept;
    kept *= kept;
    return 1 - kept * kept;
}
