#include "check/seen.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SEEN_FIRST = 256, SEEN_BITS = 3 };
enum { SEEN_MASKS = 64 }; /* of an instant, at most */
enum { SEEN_PART = 4 };   /* of the memory: masks take a quarter of it at most, but for one an instant */

struct seen_entry {
    struct digest key; /* both halves 0: free */
    unsigned depth;
};

struct seen_masks {
    uint8_t **list; /* each contains the one before; the first ones are given up */
    size_t oldest, count, room;
};

struct seen {
    pthread_mutex_t lock;
    size_t instants, bytes, memory, used;
    size_t used_by_masks;
    struct seen_masks *masks; /* by instant */
    struct seen_entry *table; /* NULL: there are bits */
    size_t count, room;       /* room: a power of two */
    uint8_t *bits;
    size_t bit_count, bits_set;
    unsigned deepest;
    uint8_t *gathered;
    struct seen_work work;
};

static size_t seen_mask_size(const struct seen *s)
{
    return (s->bytes + 7) / 8;
}

struct seen *seen_new(size_t instants, size_t bytes, size_t memory)
{
    struct seen *s = memory_new(sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    s->instants = instants;
    s->bytes = bytes;
    s->memory = memory;
    s->masks = memory_array(instants, sizeof *s->masks);
    s->room = SEEN_FIRST;
    s->table = memory_array(s->room, sizeof *s->table);
    s->used = s->room * sizeof *s->table;
    s->gathered = memory_new(bytes);
    return s;
}

void seen_free(struct seen *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->instants; i++) {
        for (size_t k = s->masks[i].oldest; k < s->masks[i].count; k++)
            free(s->masks[i].list[k]);
        free(s->masks[i].list);
    }
    pthread_mutex_destroy(&s->lock);
    free(s->masks);
    free(s->table);
    free(s->bits);
    free(s->gathered);
    free(s);
}

/* ---- keys ---- */

static struct digest seen_key(struct seen *s, const struct seen_state *t, size_t mask)
{
    const uint8_t *bits = s->masks[t->instant].list[mask];
    size_t count = 0;
    for (size_t at = 0; at < seen_mask_size(s); at++)
        for (unsigned left = bits[at]; left; left &= left - 1)
            s->gathered[count++] = t->memories[8 * at + (unsigned)__builtin_ctz(left)];
    uint64_t where[] = {t->instant, mask};
    struct digest d = digest_join(t->form, digest_of(s->gathered, count));
    return digest_join(d, digest_of(where, sizeof where));
}

/* ---- the table ---- */

static struct seen_entry *seen_slot(struct seen_entry *table, size_t room, struct digest key)
{
    size_t at = (size_t)key.low & (room - 1);
    while ((table[at].key.high || table[at].key.low) && !digest_equal(table[at].key, key))
        at = (at + 1) & (room - 1);
    return &table[at];
}

static void seen_put(struct seen_entry *slot, struct digest key, unsigned depth)
{
    slot->key = key;
    slot->depth = depth > slot->depth ? depth : slot->depth;
}

/* ---- bits ---- */

static size_t seen_bit(const struct seen *s, struct digest key, unsigned depth, unsigned which)
{
    uint64_t step = (key.high ^ depth * UINT64_C(0x9e3779b97f4a7c15)) | 1;
    return (size_t)(key.low + depth * UINT64_C(0xd1342543de82ef95) + which * step) & (s->bit_count - 1);
}

static bool seen_all_bits(struct seen *s, struct digest key, unsigned depth)
{
    double full = (double)s->bits_set / (double)s->bit_count, wrong = full * full * full;
    s->work.missed = 1 - (1 - s->work.missed) * (1 - wrong);
    for (unsigned i = 0; i < SEEN_BITS; i++) {
        size_t bit = seen_bit(s, key, depth, i);
        if (!(s->bits[bit / 8] >> bit % 8 & 1))
            return false;
    }
    return true;
}

static void seen_set_bits(struct seen *s, struct digest key, unsigned depth)
{
    for (unsigned i = 0; i < SEEN_BITS; i++) {
        size_t bit = seen_bit(s, key, depth, i);
        s->bits_set += !(s->bits[bit / 8] >> bit % 8 & 1);
        s->bits[bit / 8] |= (uint8_t)(1u << bit % 8);
    }
}

/* The memory left, or as much as the table has taken, becomes bits. */
static void seen_change_to_bits(struct seen *s)
{
    size_t table = s->room * sizeof *s->table, left = s->memory > s->used ? s->memory - s->used : 0, size = 64;
    while (2 * size <= (left > table ? left : table))
        size *= 2;
    s->bits = memory_new(size);
    s->bit_count = 8 * size;
    for (size_t i = 0; i < s->room; i++)
        if (s->table[i].key.high || s->table[i].key.low)
            seen_set_bits(s, s->table[i].key, s->table[i].depth);
    free(s->table);
    s->table = NULL;
    s->used += size - table;
    s->work.bits = true;
}

static void seen_grow(struct seen *s)
{
    size_t size = s->room * sizeof *s->table;
    if (s->used + 2 * size > s->memory) { /* both are there for a while */
        seen_change_to_bits(s);
        return;
    }
    struct seen_entry *table = memory_array(2 * s->room, sizeof *table);
    for (size_t i = 0; i < s->room; i++)
        if (s->table[i].key.high || s->table[i].key.low)
            *seen_slot(table, 2 * s->room, s->table[i].key) = s->table[i];
    free(s->table);
    s->table = table;
    s->room *= 2;
    s->used += size;
}

/* ---- masks ---- */

/* Gives up the oldest masks of an instant, and with them the states that are kept by them. Where masks take more than
 * their part of the memory, the last one is left alone. */
static void seen_give_up(struct seen *s, struct seen_masks *m)
{
    size_t most = s->used_by_masks > s->memory / SEEN_PART ? 1 : SEEN_MASKS, size = seen_mask_size(s);
    for (; m->count - m->oldest > most; m->oldest++) {
        free(m->list[m->oldest]);
        m->list[m->oldest] = NULL;
        s->used_by_masks -= size;
        s->used -= size;
    }
}

/* The last mask of the instant, which contains the reads; a new one where it did not. */
static size_t seen_mask_for(struct seen *s, size_t instant, const uint8_t *reads)
{
    struct seen_masks *m = &s->masks[instant];
    size_t size = seen_mask_size(s);
    const uint8_t *last = m->count ? m->list[m->count - 1] : NULL;
    bool contains = last != NULL;
    for (size_t i = 0; contains && i < size; i++)
        contains = !(reads[i] & ~last[i]);
    if (contains)
        return m->count - 1;
    uint8_t *more = memory_copy(reads, size);
    for (size_t i = 0; last && i < size; i++)
        more[i] |= last[i];
    m->list = memory_grow(m->list, &m->room, m->count, sizeof *m->list);
    m->list[m->count++] = more;
    s->used_by_masks += size;
    s->used += size;
    seen_give_up(s, m);
    return m->count - 1;
}

/* ---- asking and adding ---- */

static bool seen_has_key(struct seen *s, struct digest key, unsigned depth)
{
    if (s->table) {
        const struct seen_entry *slot = seen_slot(s->table, s->room, key);
        return (slot->key.high || slot->key.low) && slot->depth >= depth;
    }
    bool has = false;
    for (unsigned d = depth; !has && d <= s->deepest; d++)
        has = seen_all_bits(s, key, d);
    return has;
}

bool seen_has(struct seen *s, const struct seen_state *t, unsigned depth, uint8_t *reads)
{
    bool has = false;
    pthread_mutex_lock(&s->lock);
    const struct seen_masks *m = &s->masks[t->instant];
    for (size_t i = m->count; !has && i > m->oldest; i--) {
        has = seen_has_key(s, seen_key(s, t, i - 1), depth);
        for (size_t k = 0; has && k < seen_mask_size(s); k++)
            reads[k] |= m->list[i - 1][k];
    }
    s->work.merged += has;
    pthread_mutex_unlock(&s->lock);
    return has;
}

void seen_add(struct seen *s, const struct seen_state *t, unsigned depth, const uint8_t *reads)
{
    pthread_mutex_lock(&s->lock);
    s->deepest = depth > s->deepest ? depth : s->deepest;
    struct digest key = seen_key(s, t, seen_mask_for(s, t->instant, reads));
    if (s->table && 2 * (s->count + 1) > s->room)
        seen_grow(s);
    if (s->table) {
        struct seen_entry *slot = seen_slot(s->table, s->room, key);
        s->count += !slot->key.high && !slot->key.low;
        seen_put(slot, key, depth);
    } else {
        seen_set_bits(s, key, depth);
    }
    s->work.states++;
    pthread_mutex_unlock(&s->lock);
}

struct seen_work seen_work(struct seen *s)
{
    pthread_mutex_lock(&s->lock);
    struct seen_work w = s->work;
    w.memory = s->used;
    pthread_mutex_unlock(&s->lock);
    return w;
}
