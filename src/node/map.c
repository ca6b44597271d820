#include "node/map.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "isa/isa.h"

static bool map_is_kept(const struct region *r)
{
    return r->kind == REGION_CORE || r->kind == REGION_REGISTERS || r->kind == REGION_RAM;
}

/* ---- the map ---- */

/* Where data has a space of its own, program memory and EEPROM are not on the bus that loads and stores use. */
static bool on_data_bus(const struct chip *c, const struct region *r)
{
    return r->size && (!c->isa->spaces.data || map_is_kept(r) || r->kind == REGION_ALIAS);
}

static uint32_t map_end(const struct region *r)
{
    return r->backing + r->size;
}

static void take_sizes(struct machine *m, const struct region *r)
{
    uint32_t *end = map_is_kept(r) ? &m->data_size : r->kind == REGION_FLASH ? &m->code_size : NULL;
    if (end && *end < map_end(r))
        *end = map_end(r);
    if (map_is_kept(r) && r->kind != REGION_RAM && m->register_size < map_end(r))
        m->register_size = map_end(r);
}

static void add_region(struct machine *m, const struct region *r)
{
    uint32_t space = m->chip->isa->spaces.data;
    struct region *to = &m->map[m->map_count];
    assert(r->width == 8 || r->width == 16 || r->width == 32);
    *to = *r;
    to->first -= space;
    if (r->kind == REGION_ALIAS) {
        to->backing -= space;
        m->aliased = true;
    }
    assert(!m->map_count || to->first >= to[-1].first + to[-1].size);
    assert(to->first <= UINT32_MAX - (to->size - 1));
    if (r->kind == REGION_RAM && !m->ram)
        m->ram = to;
    m->map_count++;
}

static void check_map(const struct machine *m)
{
    assert(m->ram && m->code_size);
    for (size_t i = 0; i < m->map_count; i++) {
        const struct region *r = &m->map[i];
        uint32_t shown = r->backing;
        assert(r->kind != REGION_RAM || r->backing >= m->register_size);
        if (r->kind == REGION_ALIAS) {
            const struct region *of = map_region(m, shown);
            assert(of && of->kind != REGION_ALIAS && r->size <= of->size - (shown - of->first));
        }
    }
}

static void number_slots(struct machine *m)
{
    m->flat = m->chip->isa->flat;
    m->slot_count = m->flat;
    for (size_t i = 0; i < m->map_count; i++) {
        m->slots[i] = m->slot_count;
        if (m->map[i].first >= m->flat)
            m->slot_count += (m->map[i].size + PAGE_MASK) & ~(uint32_t)PAGE_MASK;
        else
            assert(m->map[i].first + m->map[i].size <= m->flat && !((m->map[i].first | m->map[i].size) & PAGE_MASK));
    }
}

void map_make(struct machine *m)
{
    const struct chip *c = m->chip;
    m->map = memory_array(c->region_count, sizeof *m->map);
    m->slots = memory_array(c->region_count, sizeof *m->slots);
    for (size_t i = 0; i < c->region_count; i++) {
        take_sizes(m, &c->regions[i]);
        if (on_data_bus(c, &c->regions[i]))
            add_region(m, &c->regions[i]);
    }
    check_map(m);
    for (size_t i = 0; i < m->map_count && map_is_kept(&m->map[i]) && m->map[i].first == m->identical &&
                       m->map[i].backing == m->identical;
         i++)
        m->identical += m->map[i].size;
    number_slots(m);
}

/* ---- looking ---- */

const struct region *map_region(const struct machine *m, uint32_t address)
{
    size_t low = 0, high = m->map_count; /* the last region that begins at the address or before is in [low, high) */
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (m->map[middle].first <= address)
            low = middle;
        else
            high = middle;
    }
    return high && address - m->map[low].first < m->map[low].size ? &m->map[low] : NULL;
}

const struct region *map_shown(const struct machine *m, uint32_t *address)
{
    const struct region *r = map_region(m, *address);
    if (r && r->kind == REGION_ALIAS) {
        *address = *address - r->first + r->backing;
        r = map_region(m, *address);
    }
    return r;
}

uint32_t map_find(const struct machine *m, uint32_t address)
{
    const struct region *r = map_shown(m, &address);
    return r && map_is_kept(r) ? address - r->first + r->backing : MAP_NOWHERE;
}

bool map_is_register(const struct machine *m, uint32_t address)
{
    return map_place(m, address) < m->register_size;
}

bool map_has_register(const struct machine *m, uint32_t first, uint32_t last)
{
    for (size_t i = 0; i < m->map_count; i++) {
        const struct region *r = &m->map[i];
        bool kind = r->kind == REGION_CORE || r->kind == REGION_REGISTERS;
        if (kind && first <= r->first + (r->size - 1) && last >= r->first)
            return true;
    }
    return false;
}

/* Where the bytes from a data address on are kept, and how many of them in one piece. */
static uint32_t map_piece(const struct machine *m, uint32_t address, size_t *count)
{
    uint32_t at = address;
    const struct region *r = map_region(m, address), *shown = map_shown(m, &at);
    if (!shown || !map_is_kept(shown))
        return MAP_NOWHERE;
    size_t room = r->size - (address - r->first);
    *count = *count < room ? *count : room;
    return at - shown->first + shown->backing;
}

bool map_holds(const struct machine *m, uint32_t address, size_t size)
{
    for (size_t done = 0, count; done < size; done += count) {
        count = size - done;
        if (done > UINT32_MAX - address || map_piece(m, address + (uint32_t)done, &count) == MAP_NOWHERE)
            return false;
    }
    return true;
}

bool map_peek(const struct node *n, uint32_t address, void *to, size_t size)
{
    const struct machine *m = n->machine;
    if (!map_holds(m, address, size))
        return false;
    for (size_t done = 0, count; done < size; done += count) {
        count = size - done;
        uint32_t place = map_piece(m, address + (uint32_t)done, &count);
        memcpy((uint8_t *)to + done, n->data + place, count);
    }
    return true;
}

uint32_t map_of_image(const struct machine *m, uint32_t address)
{
    uint32_t space = m->chip->isa->spaces.data;
    return address >= space ? address - space : address;
}

/* ---- as instructions do ---- */

/* The widest access at an address that no more than so many bytes are left for. */
static unsigned map_step(const struct region *r, uint32_t address, size_t left)
{
    unsigned size = r->width / 8;
    while (size > left || size > r->size || address % size || address - r->first > r->size - size)
        size /= 2;
    return size;
}

void map_write(struct node *n, uint32_t address, const uint8_t *bytes, size_t size)
{
    unsigned step;
    for (size_t done = 0; done < size && done <= UINT32_MAX - address; done += step) {
        uint32_t at = address + (uint32_t)done, value = 0;
        const struct region *r = map_shown(n->machine, &at);
        step = r ? map_step(r, at, size - done) : 1;
        for (unsigned i = 0; i < step; i++)
            value |= (uint32_t)bytes[done + i] << 8 * i;
        if (r && map_is_kept(r))
            n->machine->chip->isa->write(n, at, value, step);
    }
}

void map_read(struct node *n, uint32_t address, uint8_t *bytes, size_t size)
{
    unsigned step;
    for (size_t done = 0; done < size; done += step) {
        uint32_t at = address + (uint32_t)done;
        const struct region *r = map_shown(n->machine, &at);
        step = r ? map_step(r, at, size - done) : 1;
        uint32_t value = step == 4 ? node_read_long(n, at) : step == 2 ? node_read_word(n, at) : node_read(n, at);
        for (unsigned i = 0; i < step; i++)
            bytes[done + i] = (uint8_t)(value >> 8 * i);
    }
}

/* ---- slots ---- */

uint32_t map_find_slot(const struct machine *m, uint32_t address)
{
    const struct region *r = address < m->flat ? NULL : map_region(m, address);
    if (address < m->flat)
        return address;
    return r ? m->slots[r - m->map] + (address - r->first) : m->slot_count;
}

static void slots_of(const struct machine *m, uint32_t first, uint32_t last, void (*f)(void *, uint32_t, uint32_t),
                     void *context)
{
    if (first < m->flat && first <= last)
        f(context, first, last < m->flat ? last : m->flat - 1);
    for (size_t i = 0; i < m->map_count; i++) {
        const struct region *r = &m->map[i];
        uint32_t end = r->first + (r->size - 1), from = first > r->first ? first : r->first;
        uint32_t to = last < end ? last : end;
        if (r->first >= m->flat && from <= to)
            f(context, m->slots[i] + (from - r->first), m->slots[i] + (to - r->first));
    }
}

bool map_moved(uint32_t *first, uint32_t *last, uint32_t from, uint32_t size, uint32_t to)
{
    uint32_t end = from + (size - 1);
    *first = *first > from ? *first : from;
    *last = *last < end ? *last : end;
    if (*first > *last)
        return false;
    *first += to - from;
    *last += to - from;
    return true;
}

void map_slots(const struct machine *m, uint32_t first, uint32_t last, void (*f)(void *, uint32_t, uint32_t),
               void *context)
{
    slots_of(m, first, last, f, context);
    for (size_t i = 0; m->aliased && i < m->map_count; i++) {
        const struct region *r = &m->map[i];
        uint32_t a = first, b = last, c = first, d = last;
        if (r->kind != REGION_ALIAS)
            continue;
        if (map_moved(&a, &b, r->first, r->size, r->backing))
            slots_of(m, a, b, f, context);
        if (map_moved(&c, &d, r->backing, r->size, r->first))
            slots_of(m, c, d, f, context);
    }
}

bool map_aliases(const struct machine *m, uint32_t address, unsigned size, uint32_t first, uint32_t last)
{
    for (size_t i = 0; i < m->map_count; i++) {
        const struct region *r = &m->map[i];
        uint32_t a = first, b = last, c = first, d = last;
        if (r->kind != REGION_ALIAS)
            continue;
        if (map_moved(&a, &b, r->first, r->size, r->backing) && address <= b && address + (size - 1) >= a)
            return true;
        if (map_moved(&c, &d, r->backing, r->size, r->first) && address <= d && address + (size - 1) >= c)
            return true;
    }
    return false;
}
