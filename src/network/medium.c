#include "network/medium.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/decibel.h"
#include "base/memory.h"
#include "base/pack.h"

enum { LINK_GAIN = 1, LINK_DOWN = 2, LINK_LOSS = 4 };

struct link {
    uint32_t to, has;
    double gain, loss;
};

/* One node: its place, its explicit links by the other's number, and the list of its listeners. */
struct place {
    struct medium_position at;
    struct link *links;
    uint32_t link_count;
    size_t link_room;
    struct medium_listener *list;
    uint32_t list_count;
    uint64_t list_version; /* of the medium when the list was made; 0: never */
};

/* Nodes sorted by the square they are in; squares are as wide as the range. */
struct square {
    int64_t x, y;
    uint32_t node;
};

struct trace {
    unsigned holders;
    size_t count;
    float dbm[];
};

struct medium {
    unsigned holders;
    uint64_t seed;
    struct medium_options o;
    struct place *places;
    uint32_t count;
    size_t room;
    struct trace *trace;
    uint64_t trace_spacing;
    uint64_t version; /* counts changes */
    struct square *squares;
    uint64_t squares_version;
    uint64_t digest_version; /* of the medium when the digest was taken; 0: never */
    struct digest digest;
    double range; /* beyond it nothing is heard by the model */
};

const struct medium_options medium_default = {
    .model = MEDIUM_LOG_DISTANCE,
    .range = 50,
    .gain = MEDIUM_DISK,
    .exponent = MEDIUM_EXPONENT,
    .metre = MEDIUM_METRE,
    .cut_off = MEDIUM_CUT_OFF,
    .noise = -100,
};

/* ---- life ---- */

struct medium *medium_new(uint64_t seed, const struct medium_options *o)
{
    struct medium *m = memory_new(sizeof *m);
    m->holders = 1;
    m->seed = seed;
    m->version = 1;
    m->o = *o;
    return m;
}

struct medium *medium_share(struct medium *m)
{
    m->holders++;
    return m;
}

static struct medium *medium_copy(const struct medium *m)
{
    struct medium *c = memory_bytes(sizeof *c);
    *c = *m;
    c->holders = 1;
    c->squares = NULL;
    c->squares_version = 0;
    c->room = m->count;
    c->places = memory_array(m->count + 1, sizeof *c->places);
    if (c->trace)
        c->trace->holders++;
    for (uint32_t i = 0; i < m->count; i++) {
        struct place *p = &c->places[i];
        *p = (struct place){.at = m->places[i].at, .link_count = m->places[i].link_count};
        if (!p->link_count)
            continue;
        p->link_room = p->link_count;
        p->links = memory_array(p->link_count, sizeof *p->links);
        memcpy(p->links, m->places[i].links, p->link_count * sizeof *p->links);
    }
    return c;
}

struct medium *medium_own(struct medium *m)
{
    if (m->holders == 1)
        return m;
    m->holders--;
    return medium_copy(m);
}

static void drop_trace(struct medium *m)
{
    if (m->trace && --m->trace->holders == 0)
        free(m->trace);
    m->trace = NULL;
}

void medium_free(struct medium *m)
{
    if (!m || --m->holders)
        return;
    for (uint32_t i = 0; i < m->count; i++) {
        free(m->places[i].links);
        free(m->places[i].list);
    }
    drop_trace(m);
    free(m->places);
    free(m->squares);
    free(m);
}

/* ---- what is set ---- */

static void changed(struct medium *m)
{
    assert(m->holders == 1);
    m->version++;
}

uint32_t medium_add(struct medium *m, struct medium_position p)
{
    changed(m);
    m->places = memory_grow(m->places, &m->room, m->count, sizeof *m->places);
    m->places[m->count] = (struct place){.at = p};
    return m->count++;
}

void medium_configure(struct medium *m, const struct medium_options *o)
{
    changed(m);
    m->o = *o;
}

const struct medium_options *medium_options(const struct medium *m)
{
    return &m->o;
}

void medium_move(struct medium *m, uint32_t node, struct medium_position p)
{
    changed(m);
    m->places[node].at = p;
}

struct medium_position medium_position(const struct medium *m, uint32_t node)
{
    return m->places[node].at;
}

/* The place of a link in the sorted list: the first not below `to`. */
static uint32_t link_index(const struct place *p, uint32_t to)
{
    uint32_t low = 0, high = p->link_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->links[middle].to < to)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct link *link_find(const struct medium *m, uint32_t from, uint32_t to)
{
    const struct place *p = &m->places[from];
    uint32_t i = link_index(p, to);
    return i < p->link_count && p->links[i].to == to ? &p->links[i] : NULL;
}

static struct link *link_make(struct medium *m, uint32_t from, uint32_t to)
{
    assert(from < m->count && to < m->count && from != to);
    changed(m);
    struct place *p = &m->places[from];
    uint32_t i = link_index(p, to);
    if (i < p->link_count && p->links[i].to == to)
        return &p->links[i];
    p->links = memory_grow(p->links, &p->link_room, p->link_count, sizeof *p->links);
    memmove(p->links + i + 1, p->links + i, (p->link_count - i) * sizeof *p->links);
    p->link_count++;
    p->links[i] = (struct link){.to = to};
    return &p->links[i];
}

void medium_link(struct medium *m, uint32_t from, uint32_t to, double gain)
{
    struct link *l = link_make(m, from, to);
    l->has |= LINK_GAIN;
    l->gain = gain;
}

void medium_link_down(struct medium *m, uint32_t from, uint32_t to, bool down)
{
    struct link *l = link_make(m, from, to);
    l->has = down ? l->has | LINK_DOWN : l->has & ~(uint32_t)LINK_DOWN;
}

void medium_link_loss(struct medium *m, uint32_t from, uint32_t to, double probability)
{
    struct link *l = link_make(m, from, to);
    l->has |= LINK_LOSS;
    l->loss = probability;
}

void medium_noise_trace(struct medium *m, const float *dbm, size_t count, uint64_t spacing)
{
    changed(m);
    drop_trace(m);
    m->trace_spacing = spacing;
    if (!count)
        return;
    assert(spacing > 0);
    m->trace = memory_with_array(sizeof *m->trace, count, sizeof *dbm);
    m->trace->holders = 1;
    m->trace->count = count;
    memcpy(m->trace->dbm, dbm, count * sizeof *dbm);
}

/* ---- chance ---- */

/* splitmix64's finaliser over the arguments: the same for the same, and unrelated otherwise. */
static uint64_t medium_mixed(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t z = a;
    const uint64_t parts[] = {b, c, UINT64_C(0x9e3779b97f4a7c15)};
    for (int i = 0; i < 3; i++) {
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        z = (z ^ (z >> 31)) + parts[i] * UINT64_C(0x9e3779b97f4a7c15);
    }
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double fraction(uint64_t random)
{
    return (double)(random >> 11) * 0x1p-53;
}

/* Near enough normal, and bounded by six deviations: the sum of twelve uniform numbers. */
static double normal(uint64_t seed, uint64_t a, uint64_t b)
{
    double sum = -6;
    for (uint64_t i = 0; i < 12; i++)
        sum += fraction(medium_mixed(seed + i, a, b));
    return sum;
}

bool medium_loses(const struct medium *m, uint32_t from, uint32_t to, uint64_t nanosecond)
{
    const struct link *l = link_find(m, from, to);
    double loss = l && l->has & LINK_LOSS ? l->loss : m->o.loss;
    if (!(loss > 0))
        return false;
    return fraction(medium_mixed(m->seed ^ UINT64_C(0x6c6f7373), (uint64_t)from << 32 | to, nanosecond)) < loss;
}

float medium_noise(const struct medium *m, uint32_t node, uint64_t nanosecond)
{
    if (!m->trace)
        return (float)m->o.noise;
    uint64_t start = medium_mixed(m->seed ^ UINT64_C(0x6e6f697365), node, 0) % m->trace->count;
    return m->trace->dbm[(start + nanosecond / m->trace_spacing) % m->trace->count];
}

/* ---- listeners ---- */

static double model_gain(const struct medium *m, uint32_t a, uint32_t b)
{
    const struct medium_position *p = &m->places[a].at, *q = &m->places[b].at;
    double x = p->x - q->x, y = p->y - q->y, z = p->z - q->z, square = x * x + y * y + z * z;
    if (m->o.model == MEDIUM_LINKS)
        return DECIBEL_NOTHING;
    if (m->o.model == MEDIUM_UNIT_DISK)
        return square <= m->o.range * m->o.range ? m->o.gain : DECIBEL_NOTHING;
    double gain = m->o.metre;
    if (square > 1) /* nearer than a metre the model says nothing, and no louder */
        gain -= m->o.exponent * decibel_of(square) / 2;
    if (m->o.shadowing > 0)
        gain += m->o.shadowing * normal(m->seed, a < b ? a : b, a < b ? b : a);
    return gain;
}

/* The distance beyond which the model cannot reach the cut-off. */
static double model_range(const struct medium *m)
{
    if (m->o.model == MEDIUM_LINKS)
        return 0;
    if (m->o.model == MEDIUM_UNIT_DISK)
        return m->o.range;
    double spare = MEDIUM_LOUDEST + m->o.metre + 6 * m->o.shadowing - m->o.cut_off;
    return spare > 0 ? decibel_ratio(spare / m->o.exponent) : 1;
}

static int by_square(const void *a, const void *b)
{
    const struct square *p = a, *q = b;
    if (p->y != q->y)
        return p->y < q->y ? -1 : 1;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return p->node < q->node ? -1 : p->node > q->node;
}

static int64_t floor_of(double x)
{
    int64_t whole = (int64_t)x;
    return whole > x ? whole - 1 : whole;
}

static struct square square_of(const struct medium *m, uint32_t node)
{
    double width = m->range > 1 ? m->range : 1;
    return (struct square){floor_of(m->places[node].at.x / width), floor_of(m->places[node].at.y / width), node};
}

static void sort_squares(struct medium *m)
{
    if (m->squares_version == m->version)
        return;
    m->range = model_range(m);
    m->squares = memory_resize(m->squares, m->count + 1, sizeof *m->squares);
    for (uint32_t i = 0; i < m->count; i++)
        m->squares[i] = square_of(m, i);
    qsort(m->squares, m->count, sizeof *m->squares, by_square);
    m->squares_version = m->version;
}

static uint32_t first_at(const struct medium *m, int64_t x, int64_t y)
{
    struct square key = {x, y, 0};
    uint32_t low = 0, high = m->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (by_square(&m->squares[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct listeners {
    struct medium_listener *list;
    uint32_t count;
    size_t room;
};

static void offer(const struct medium *m, struct listeners *l, uint32_t node, double gain)
{
    if (MEDIUM_LOUDEST + gain < m->o.cut_off)
        return;
    l->list = memory_grow(l->list, &l->room, l->count, sizeof *l->list);
    l->list[l->count++] = (struct medium_listener){.node = node, .gain = (float)gain};
}

/* By the model, from the squares around; nodes with a word of their own on a link come from the links. */
static void offer_near(struct medium *m, struct listeners *l, uint32_t from)
{
    sort_squares(m);
    struct square here = square_of(m, from);
    for (int64_t y = here.y - 1; y <= here.y + 1; y++)
        for (uint32_t i = first_at(m, here.x - 1, y); i < m->count; i++) {
            const struct square *s = &m->squares[i];
            if (s->y != y || s->x > here.x + 1)
                break;
            const struct link *k = link_find(m, from, s->node);
            if (s->node != from && !(k && k->has & (LINK_GAIN | LINK_DOWN)))
                offer(m, l, s->node, model_gain(m, from, s->node));
        }
}

static int by_node(const void *a, const void *b)
{
    const struct medium_listener *p = a, *q = b;
    return p->node < q->node ? -1 : p->node > q->node;
}

size_t medium_listeners(struct medium *m, uint32_t from, const struct medium_listener **list)
{
    struct place *p = &m->places[from];
    if (p->list_version != m->version) {
        struct listeners l = {.list = p->list, .room = p->list_count};
        if (m->o.model != MEDIUM_LINKS)
            offer_near(m, &l, from);
        for (uint32_t i = 0; i < p->link_count; i++)
            if ((p->links[i].has & (LINK_GAIN | LINK_DOWN)) == LINK_GAIN)
                offer(m, &l, p->links[i].to, p->links[i].gain);
        if (l.count)
            qsort(l.list, l.count, sizeof *l.list, by_node);
        p->list = l.list;
        p->list_count = l.count;
        p->list_version = m->version;
    }
    *list = p->list;
    return p->list_count;
}

/* ---- state ---- */

static struct digest medium_new_digest(const struct medium *m)
{
    const struct medium_options *o = &m->o;
    double settings[] = {(double)o->model, o->range,   o->gain,  o->exponent, o->metre,
                         o->shadowing,     o->cut_off, o->noise, o->loss};
    struct digest d = digest_of(settings, sizeof settings);
    d = digest_join(d, digest_of(&m->seed, sizeof m->seed));
    for (uint32_t i = 0; i < m->count; i++) {
        const struct place *p = &m->places[i];
        d = digest_join(d, digest_of(&p->at, sizeof p->at));
        for (uint32_t k = 0; k < p->link_count; k++)
            if (p->links[k].has)
                d = digest_join(d, digest_of(&p->links[k], sizeof p->links[k]));
    }
    if (m->trace) {
        d = digest_join(d, digest_of(&m->trace_spacing, sizeof m->trace_spacing));
        d = digest_join(d, digest_of(m->trace->dbm, m->trace->count * sizeof m->trace->dbm[0]));
    }
    return d;
}

struct digest medium_digest(struct medium *m)
{
    if (m->digest_version != m->version)
        m->digest = medium_new_digest(m);
    m->digest_version = m->version;
    return m->digest;
}

static double *options_as_reals(struct medium_options *o, size_t i)
{
    double *reals[] = {&o->range, &o->gain, &o->exponent, &o->metre, &o->shadowing, &o->cut_off, &o->noise, &o->loss};
    return i < sizeof reals / sizeof *reals ? reals[i] : NULL;
}

void medium_pack(const struct medium *m, struct pack *p)
{
    struct medium_options o = m->o;
    pack_number(p, m->seed, 8);
    pack_count(p, o.model);
    for (size_t i = 0; options_as_reals(&o, i); i++)
        pack_real(p, *options_as_reals(&o, i));
    pack_count(p, m->count);
    for (uint32_t i = 0; i < m->count; i++) {
        const struct place *at = &m->places[i];
        pack_real(p, at->at.x);
        pack_real(p, at->at.y);
        pack_real(p, at->at.z);
        pack_count(p, at->link_count);
        for (uint32_t k = 0; k < at->link_count; k++) {
            pack_count(p, at->links[k].to);
            pack_count(p, at->links[k].has);
            pack_real(p, at->links[k].gain);
            pack_real(p, at->links[k].loss);
        }
    }
    pack_count(p, m->trace ? m->trace->count : 0);
    pack_count(p, m->trace_spacing);
    for (size_t i = 0; m->trace && i < m->trace->count; i++)
        pack_real(p, (double)m->trace->dbm[i]);
}

static void links_unpack(struct medium *m, uint32_t from, struct unpack *u)
{
    size_t count = (size_t)unpack_below(u, m->count);
    for (size_t k = 0; k < count && !u->failed; k++) {
        uint32_t to = (uint32_t)unpack_below(u, m->count), has = (uint32_t)unpack_below(u, 8);
        u->failed |= to == from;
        if (u->failed)
            return;
        struct link *l = link_make(m, from, to);
        l->has = has;
        l->gain = unpack_real(u);
        l->loss = unpack_real(u);
    }
}

static void trace_unpack(struct medium *m, struct unpack *u)
{
    size_t count = (size_t)unpack_below(u, unpack_left(u) / sizeof(double) + 1);
    uint64_t spacing = unpack_count(u);
    u->failed |= count && !spacing;
    float *dbm = memory_array(count + 1, sizeof *dbm);
    for (size_t i = 0; i < count; i++)
        dbm[i] = (float)unpack_real(u);
    if (!u->failed)
        medium_noise_trace(m, dbm, count, spacing);
    free(dbm);
}

struct medium *medium_unpack(struct unpack *u)
{
    uint64_t seed = unpack_number(u, 8);
    struct medium_options o = {.model = (enum medium_model)unpack_below(u, MEDIUM_LOG_DISTANCE + 1)};
    for (size_t i = 0; options_as_reals(&o, i); i++)
        *options_as_reals(&o, i) = unpack_real(u);
    struct medium *m = medium_new(seed, &o);
    uint32_t count = (uint32_t)unpack_below(u, unpack_left(u) + 1);
    /* All places come before the links, which need both their ends. */
    for (uint32_t i = 0; i < count; i++)
        medium_add(m, (struct medium_position){0, 0, 0});
    for (uint32_t i = 0; i < count && !u->failed; i++) {
        struct medium_position *at = &m->places[i].at;
        at->x = unpack_real(u);
        at->y = unpack_real(u);
        at->z = unpack_real(u);
        links_unpack(m, i, u);
    }
    trace_unpack(m, u);
    if (!u->failed)
        return m;
    medium_free(m);
    return NULL;
}
