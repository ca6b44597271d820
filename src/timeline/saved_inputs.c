#include "timeline/saved_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void saved_inputs_free(struct saved_inputs *j)
{
    for (size_t i = 0; i < j->count; i++) {
        free((void *)j->entries[i].reals);
        free((void *)j->entries[i].bytes);
    }
    for (size_t i = 0; i < j->nodes; i++)
        for (unsigned c = 0; c < SAVED_CHANNELS; c++)
            free(j->readings[i].channels[c].list);
    free(j->entries);
    free(j->readings);
    *j = (struct saved_inputs){.entries = NULL};
}

void saved_inputs_add(struct saved_inputs *j, struct saved_input e)
{
    j->entries = memory_grow(j->entries, &j->room, j->count, sizeof *j->entries);
    double *reals = memory_array(e.real_count + 1, sizeof *reals);
    uint8_t *bytes = memory_new(e.size + 1);
    if (e.real_count)
        memcpy(reals, e.reals, e.real_count * sizeof *reals);
    if (e.size)
        memcpy(bytes, e.bytes, e.size);
    e.reals = reals;
    e.bytes = bytes;
    j->entries[j->count++] = e;
}

/* ---- analog inputs ---- */

void saved_inputs_readings_for(struct saved_inputs *j, size_t nodes)
{
    if (nodes <= j->nodes)
        return;
    j->readings = memory_resize(j->readings, nodes, sizeof *j->readings);
    memset(j->readings + j->nodes, 0, (nodes - j->nodes) * sizeof *j->readings);
    j->nodes = nodes;
}

static bool is_after(const struct saved_reading *r, uint32_t life, uint64_t tick)
{
    return r->life != life ? r->life > life : r->tick > tick;
}

static void channel_add(struct saved_channel *c, struct saved_reading one)
{
    c->list = memory_grow(c->list, &c->room, c->count, sizeof *c->list);
    c->list[c->count++] = one;
}

void saved_readings_add(struct saved_readings *r, unsigned channel, struct saved_reading one)
{
    if (channel >= SAVED_CHANNELS)
        return;
    struct saved_channel *c = &r->channels[channel];
    const struct saved_reading *last = c->count ? &c->list[c->count - 1] : NULL;
    bool same_life = last && last->life == one.life;
    if (last && is_after(last, one.life, one.tick))
        return; /* executed again */
    if (same_life ? last->microvolts != one.microvolts : one.microvolts != INT32_MIN)
        channel_add(c, one);
}

int32_t saved_reading_at(const struct saved_readings *r, unsigned channel, uint32_t life, uint64_t tick)
{
    if (channel >= SAVED_CHANNELS)
        return INT32_MIN;
    const struct saved_channel *c = &r->channels[channel];
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

void saved_inputs_pack(const struct saved_inputs *j, struct pack *p)
{
    uint64_t before = 0;
    pack_count(p, j->count);
    for (size_t i = 0; i < j->count; i++) {
        const struct saved_input *e = &j->entries[i];
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

static bool entry_unpack(struct saved_inputs *j, struct unpack *u, uint64_t *time)
{
    struct saved_input e = {.kind = (enum saved_input_kind)unpack_below(u, SAVED_INPUT_KINDS)};
    uint64_t later = unpack_count(u);
    u->failed |= later > UINT64_MAX / 2 - *time;
    *time += later;
    e.at = *time;
    e.node = (uint32_t)unpack_below(u, NUMBERS);
    e.where = (uint32_t)unpack_below(u, NUMBERS);
    e.value = (uint32_t)unpack_below(u, NUMBERS);
    e.number = unpack_count(u);
    e.real_count = (size_t)unpack_below(u, unpack_left(u) / sizeof(double) + 1);
    double *reals = memory_array(e.real_count + 1, sizeof *reals);
    for (size_t k = 0; k < e.real_count; k++)
        reals[k] = unpack_real(u);
    e.reals = reals;
    e.size = (size_t)unpack_below(u, unpack_left(u) + 1);
    e.bytes = unpack_bytes(u, e.size);
    if (!u->failed)
        saved_inputs_add(j, e);
    free(reals);
    return !u->failed;
}

bool saved_inputs_unpack(struct saved_inputs *j, struct unpack *u)
{
    uint64_t time = 0, count = unpack_count(u);
    for (uint64_t i = 0; i < count; i++)
        if (!entry_unpack(j, u, &time))
            return false;
    return !u->failed && unpack_left(u) == 0;
}

void saved_inputs_pack_readings(const struct saved_inputs *j, struct pack *p)
{
    pack_count(p, j->nodes);
    for (size_t i = 0; i < j->nodes; i++)
        for (unsigned c = 0; c < SAVED_CHANNELS; c++) {
            const struct saved_channel *channel = &j->readings[i].channels[c];
            pack_count(p, channel->count);
            for (size_t k = 0; k < channel->count; k++) {
                pack_count(p, channel->list[k].life);
                pack_count(p, channel->list[k].tick);
                pack_number(p, (uint32_t)channel->list[k].microvolts, 4);
            }
        }
}

static void channel_unpack(struct saved_channel *c, struct unpack *u)
{
    uint64_t count = unpack_count(u);
    for (uint64_t k = 0; k < count && !u->failed; k++) {
        struct saved_reading one = {.life = (uint32_t)unpack_below(u, NUMBERS)};
        one.tick = unpack_count(u);
        one.microvolts = (int32_t)(uint32_t)unpack_number(u, 4);
        u->failed |= c->count && is_after(&c->list[c->count - 1], one.life, one.tick);
        if (!u->failed)
            channel_add(c, one);
    }
}

bool saved_inputs_unpack_readings(struct saved_inputs *j, struct unpack *u)
{
    size_t nodes = (size_t)unpack_below(u, unpack_left(u) / SAVED_CHANNELS + 1);
    saved_inputs_readings_for(j, nodes);
    for (size_t i = 0; i < nodes && !u->failed; i++)
        for (unsigned c = 0; c < SAVED_CHANNELS && !u->failed; c++)
            channel_unpack(&j->readings[i].channels[c], u);
    return !u->failed && unpack_left(u) == 0;
}

bool saved_inputs_copy(const struct saved_inputs *from, uint64_t until, struct saved_inputs *to)
{
    struct pack p = {.bytes = NULL}, readings = {.bytes = NULL};
    struct saved_inputs part = *from;
    while (part.count && part.entries[part.count - 1].at > until)
        part.count--;
    saved_inputs_pack(&part, &p);
    saved_inputs_pack_readings(&part, &readings);
    struct unpack u = {.at = p.bytes, .end = p.bytes + p.count};
    struct unpack v = {.at = readings.bytes, .end = readings.bytes + readings.count};
    bool good = saved_inputs_unpack(to, &u) && saved_inputs_unpack_readings(to, &v);
    pack_free(&p);
    pack_free(&readings);
    return good;
}
