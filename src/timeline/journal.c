#include "timeline/journal.h"

#include <stdlib.h>
#include <string.h>

static void *must(void *p)
{
    if (!p)
        abort();
    return p;
}

void journal_free(struct journal *j)
{
    for (size_t i = 0; i < j->count; i++) {
        free((void *)j->entries[i].reals);
        free((void *)j->entries[i].bytes);
    }
    for (size_t i = 0; i < j->nodes; i++)
        for (unsigned c = 0; c < JOURNAL_CHANNELS; c++)
            free(j->readings[i].channels[c].list);
    free(j->entries);
    free(j->readings);
    *j = (struct journal){.entries = NULL};
}

void journal_add(struct journal *j, struct journal_entry e)
{
    if (j->count == j->room) {
        j->room = j->room ? 2 * j->room : 64;
        j->entries = must(realloc(j->entries, j->room * sizeof *j->entries));
    }
    double *reals = must(malloc((e.real_count + 1) * sizeof *reals));
    uint8_t *bytes = must(calloc(1, e.size + 1));
    if (e.real_count)
        memcpy(reals, e.reals, e.real_count * sizeof *reals);
    if (e.size)
        memcpy(bytes, e.bytes, e.size);
    e.reals = reals;
    e.bytes = bytes;
    j->entries[j->count++] = e;
}

/* ---- analog inputs ---- */

void journal_readings_for(struct journal *j, size_t nodes)
{
    if (nodes <= j->nodes)
        return;
    j->readings = must(realloc(j->readings, nodes * sizeof *j->readings));
    memset(j->readings + j->nodes, 0, (nodes - j->nodes) * sizeof *j->readings);
    j->nodes = nodes;
}

static bool is_after(const struct journal_reading *r, uint32_t life, uint64_t tick)
{
    return r->life != life ? r->life > life : r->tick > tick;
}

static void channel_add(struct journal_channel *c, struct journal_reading one)
{
    if (c->count == c->room) {
        c->room = c->room ? 2 * c->room : 16;
        c->list = must(realloc(c->list, c->room * sizeof *c->list));
    }
    c->list[c->count++] = one;
}

void journal_read(struct journal_readings *r, unsigned channel, struct journal_reading one)
{
    if (channel >= JOURNAL_CHANNELS)
        return;
    struct journal_channel *c = &r->channels[channel];
    const struct journal_reading *last = c->count ? &c->list[c->count - 1] : NULL;
    bool same_life = last && last->life == one.life;
    if (last && is_after(last, one.life, one.tick))
        return; /* executed again */
    if (same_life ? last->microvolts != one.microvolts : one.microvolts != INT32_MIN)
        channel_add(c, one);
}

int32_t journal_reading_at(const struct journal_readings *r, unsigned channel, uint32_t life, uint64_t tick)
{
    if (channel >= JOURNAL_CHANNELS)
        return INT32_MIN;
    const struct journal_channel *c = &r->channels[channel];
    size_t low = 0, high = c->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_after(&c->list[middle], life, tick))
            high = middle;
        else
            low = middle + 1;
    }
    return low && c->list[low - 1].life == life ? c->list[low - 1].microvolts : INT32_MIN;
}

/* ---- as bytes ---- */

void journal_pack(const struct journal *j, struct pack *p)
{
    uint64_t before = 0;
    pack_count(p, j->count);
    for (size_t i = 0; i < j->count; i++) {
        const struct journal_entry *e = &j->entries[i];
        pack_count(p, e->kind);
        pack_count(p, e->at - before);
        pack_count(p, e->node);
        pack_count(p, e->where);
        pack_count(p, e->value);
        pack_count(p, e->number);
        pack_count(p, e->real_count);
        for (size_t k = 0; k < e->real_count; k++)
            pack_real(p, e->reals[k]);
        pack_count(p, e->size);
        pack_bytes(p, e->bytes, e->size);
        before = e->at;
    }
}

#define NUMBERS (UINT64_C(1) << 32)

static bool entry_unpack(struct journal *j, struct unpack *u, uint64_t *time)
{
    struct journal_entry e = {.kind = (enum journal_kind)unpack_below(u, JOURNAL_KINDS)};
    uint64_t later = unpack_count(u);
    u->failed |= later > UINT64_MAX / 2 - *time;
    *time += later;
    e.at = *time;
    e.node = (uint32_t)unpack_below(u, NUMBERS);
    e.where = (uint32_t)unpack_below(u, NUMBERS);
    e.value = (uint32_t)unpack_below(u, NUMBERS);
    e.number = unpack_count(u);
    e.real_count = (size_t)unpack_below(u, unpack_left(u) / sizeof(double) + 1);
    double *reals = must(malloc((e.real_count + 1) * sizeof *reals));
    for (size_t k = 0; k < e.real_count; k++)
        reals[k] = unpack_real(u);
    e.reals = reals;
    e.size = (size_t)unpack_below(u, unpack_left(u) + 1);
    e.bytes = unpack_bytes(u, e.size);
    if (!u->failed)
        journal_add(j, e);
    free(reals);
    return !u->failed;
}

bool journal_unpack(struct journal *j, struct unpack *u)
{
    uint64_t time = 0, count = unpack_count(u);
    for (uint64_t i = 0; i < count; i++)
        if (!entry_unpack(j, u, &time))
            return false;
    return !u->failed && unpack_left(u) == 0;
}

void journal_pack_readings(const struct journal *j, struct pack *p)
{
    pack_count(p, j->nodes);
    for (size_t i = 0; i < j->nodes; i++)
        for (unsigned c = 0; c < JOURNAL_CHANNELS; c++) {
            const struct journal_channel *channel = &j->readings[i].channels[c];
            pack_count(p, channel->count);
            for (size_t k = 0; k < channel->count; k++) {
                pack_count(p, channel->list[k].life);
                pack_count(p, channel->list[k].tick);
                pack_number(p, (uint32_t)channel->list[k].microvolts, 4);
            }
        }
}

static void channel_unpack(struct journal_channel *c, struct unpack *u)
{
    uint64_t count = unpack_count(u);
    for (uint64_t k = 0; k < count && !u->failed; k++) {
        struct journal_reading one = {.life = (uint32_t)unpack_below(u, NUMBERS)};
        one.tick = unpack_count(u);
        one.microvolts = (int32_t)(uint32_t)unpack_number(u, 4);
        u->failed |= c->count && is_after(&c->list[c->count - 1], one.life, one.tick);
        if (!u->failed)
            channel_add(c, one);
    }
}

bool journal_unpack_readings(struct journal *j, struct unpack *u)
{
    size_t nodes = (size_t)unpack_below(u, unpack_left(u) / JOURNAL_CHANNELS + 1);
    journal_readings_for(j, nodes);
    for (size_t i = 0; i < nodes && !u->failed; i++)
        for (unsigned c = 0; c < JOURNAL_CHANNELS && !u->failed; c++)
            channel_unpack(&j->readings[i].channels[c], u);
    return !u->failed && unpack_left(u) == 0;
}
