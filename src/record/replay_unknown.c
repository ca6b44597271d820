#include "record/replay_unknown.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "image/image.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/map.h"
#include "node/node.h"
#include "record/replay_places.h"

static struct replay_unknown *unknown_of(struct node *n, const struct device *d)
{
    struct replay_state *s = device_state(n, d);
    return &s->unknown;
}

static const struct replay *unknown_replay(const struct device *d)
{
    return d->config;
}

/* ---- the registers of the chip ---- */

static bool unknown_parse(const char *line, struct replay_register *r)
{
    unsigned address, size, bits;
    if (sscanf(line, "%x %u %x %19s", &address, &size, &bits, r->name) != 4 || address > 0xffff || size > 2)
        return false;
    r->address = (uint16_t)address;
    r->size = (uint8_t)size;
    r->bits = (uint16_t)bits;
    return true;
}

/* Bits of a byte that can be other than written last. A register that is not in the list may change in all. */
static unsigned unknown_changing(const struct replay *r, uint32_t address)
{
    unsigned bits = 0;
    bool listed = false;
    for (size_t i = 0; i < r->register_count; i++) {
        const struct replay_register *one = &r->registers[i];
        if (address - one->address < one->size) {
            listed = true;
            bits |= one->bits >> 8 * (address - one->address) & 0xff;
        }
    }
    return listed ? bits : 0xff;
}

/* The number of the pair that a byte belongs to, from 1 on; or 0. */
static unsigned unknown_pair_of(const struct replay *r, uint32_t address)
{
    for (unsigned i = 0; i < r->pair_count; i++)
        if (address - r->pairs[i] < 2)
            return i + 1;
    return 0;
}

/* Those of timers: only they have TEMP. */
static void unknown_find_pairs(struct replay *r)
{
    for (size_t i = 0; r->by_bytes && i < r->register_count; i++) {
        const struct replay_register *one = &r->registers[i];
        bool timer = strncmp(one->name, "TCNT", 4) == 0 || strncmp(one->name, "OCR", 3) == 0 ||
                     strncmp(one->name, "ICR", 3) == 0;
        if (timer && one->size == 2 && !unknown_pair_of(r, one->address) && r->pair_count < UNKNOWN_PAIRS)
            r->pairs[r->pair_count++] = one->address;
    }
}

/* A word with an address, a word with its bytes, and so on. */
static void unknown_find_filled(struct replay *r, const struct image *image)
{
    size_t size;
    const uint8_t *bytes;
    for (size_t i = 0; (bytes = image_section(image, ".motet.filled", i, &size)); i++)
        for (; size >= 8; bytes += 8, size -= 8) {
            uint32_t first = bytes[0] | (uint32_t)bytes[1] << 8, count = bytes[4] | (uint32_t)bytes[5] << 8;
            for (uint32_t address = first; first && address < first + count && address < UNKNOWN_SPACE; address++)
                r->filled[address / 8] |= (uint8_t)(1 << (address & 7));
        }
}

bool unknown_find_registers(struct replay *r, const struct image *image, struct motet_error *e)
{
    size_t size;
    const uint8_t *bytes = image_section(image, ".motet.registers", 0, &size);
    char line[80];
    for (size_t at = 0, length; bytes && at < size; at += length + 1) {
        const uint8_t *end = memchr(bytes + at, '\n', size - at);
        length = end ? (size_t)(end - (bytes + at)) : sizeof line;
        if (length >= sizeof line)
            return error_set(e, "%s: the list of registers cannot be read; build it again with this motet cc",
                             image_path(image));
        memcpy(line, bytes + at, length);
        line[length] = '\0';
        r->registers = memory_resize(r->registers, r->register_count + 1, sizeof *r->registers);
        if (!unknown_parse(line, &r->registers[r->register_count++]))
            return error_set(e, "%s: the list of registers has a wrong line; build it again with this motet cc",
                             image_path(image));
    }
    for (uint32_t address = 0; address < UNKNOWN_DEVICES; address++)
        r->changing[address] = (uint8_t)unknown_changing(r, address);
    unknown_find_pairs(r);
    unknown_find_filled(r, image);
    return r->register_count > 0 ||
           error_set(e, "%s has no list of registers (an older motet cc made it); build it again with this one",
                     image_path(image));
}

static const struct replay_register *unknown_register_at(const struct replay *r, uint32_t address)
{
    for (size_t i = 0; i < r->register_count; i++)
        if (address - r->registers[i].address < r->registers[i].size)
            return &r->registers[i];
    return NULL;
}

void unknown_connect(const struct replay *r, const struct device *d, const struct machine *m, struct wiring *w)
{
    for (uint32_t address = m->chip->isa->first_register; address < UNKNOWN_DEVICES; address++) {
        unsigned pair = unknown_pair_of(r, address);
        if (!map_is_register(m, address) || (!r->changing[address] && !pair))
            continue;
        unsigned role = pair ? 2 * pair + (address != r->pairs[pair - 1]) : 0; /* odd: its high byte */
        wire_register(w, d, address, role, WIRE_READ | (pair ? WIRE_STORE : 0), pair ? 0xff : 0);
    }
}

/* ---- memory ---- */

static bool unknown_is_ram(const struct node *n, uint32_t address)
{
    return address >= n->machine->register_size && address < n->machine->data_size;
}

static bool unknown_bit(const uint8_t *bits, uint32_t address)
{
    return bits[address / 8] >> (address & 7) & 1;
}

static void unknown_set_bit(uint8_t *bits, uint32_t address, bool on)
{
    uint8_t bit = (uint8_t)(1 << (address & 7));
    bits[address / 8] = (uint8_t)(on ? bits[address / 8] | bit : bits[address / 8] & ~bit);
}

static void unknown_mark_page(struct node *n, const struct replay_unknown *u, uint32_t page)
{
    static_assert(PAGE_BITS == 4, "the bits of a page are two bytes");
    uint8_t *mark = &n->page[page];
    *mark = (uint8_t)(u->memory[2 * page] | u->memory[2 * page + 1] ? *mark | PAGE_UNKNOWN : *mark & ~PAGE_UNKNOWN);
}

/* Memory that hardware writes to at any time. */
static const uint8_t *unknown_filled(const struct node *n)
{
    return unknown_replay(n->machine->log)->filled;
}

static void unknown_set(struct node *n, struct replay_unknown *u, uint32_t address, enum unknown_origin origin)
{
    unknown_set_bit(u->memory, address, origin != UNKNOWN_NOTHING || unknown_bit(unknown_filled(n), address));
    unknown_set_bit(u->devices, address, origin == UNKNOWN_DEVICE);
    unknown_mark_page(n, u, address >> PAGE_BITS);
}

static void unknown_set_range(struct node *n, struct replay_unknown *u, uint32_t first, uint32_t last, bool on)
{
    for (unsigned i = 0; i < UNKNOWN_STORED; i++)
        if (u->stored[i].at >= first && u->stored[i].at <= last)
            u->stored[i].at = 0;
    enum { PAGE = 1 << PAGE_BITS };
    first = first < n->machine->register_size ? n->machine->register_size : first;
    last = last >= n->machine->data_size ? n->machine->data_size - 1 : last;
    for (uint32_t address = first; address <= last;) {
        if ((address & PAGE_MASK) || last - address < PAGE - 1) {
            unknown_set(n, u, address++, on ? UNKNOWN_MEMORY : UNKNOWN_NOTHING);
            continue;
        }
        if (on)
            memset(u->memory + address / 8, 0xff, PAGE / 8);
        else
            memcpy(u->memory + address / 8, unknown_filled(n) + address / 8, PAGE / 8);
        memset(u->devices + address / 8, 0, PAGE / 8);
        unknown_mark_page(n, u, address >> PAGE_BITS);
        address += PAGE;
    }
}

/* ---- through an instruction ---- */

static bool unknown_in_cpu(const struct replay_unknown *u)
{
    unsigned any = u->cpu.flags;
    for (unsigned i = 0; i < UNKNOWN_REGISTERS; i++)
        any |= u->cpu.registers[i];
    return any != 0;
}

static void unknown_renew(struct node *n, struct replay_unknown *u)
{
    bool unsure = unknown_in_cpu(u);
    if (unsure && !n->unsure)
        n->cut = true;
    n->unsure = unsure && !u->off;
}

struct unknown_context {
    struct node *n;
    const struct device *d;
    struct replay_unknown *u;
    bool outputs; /* an unknown value goes to a register of a device that it did not come from */
};

static void unknown_comes_from(struct unknown_context *c, enum unknown_origin origin, uint32_t from, uint32_t address)
{
    c->u->origin = (uint8_t)origin;
    c->u->from = from;
    c->u->address = address;
}

static const struct unknown_stored *unknown_stored_at(const struct replay_unknown *u, uint32_t at)
{
    for (unsigned i = 1; i <= UNKNOWN_STORED; i++) {
        const struct unknown_stored *s = &u->stored[(uint8_t)(u->stored_next - i) % UNKNOWN_STORED];
        if (s->at == at)
            return s;
    }
    return NULL;
}

/* Where what goes to an address is noted: over what went there before, or is forgotten, as handlers push registers
 * again and again; else over the oldest. */
static struct unknown_stored *unknown_place_for(struct replay_unknown *u, uint32_t at)
{
    struct unknown_stored *unused = NULL;
    for (unsigned i = 0; i < UNKNOWN_STORED; i++) {
        if (u->stored[i].at == at)
            return &u->stored[i];
        if (!u->stored[i].at)
            unused = &u->stored[i];
    }
    return unused ? unused : &u->stored[u->stored_next++ % UNKNOWN_STORED];
}

static unsigned unknown_load_memory(struct unknown_context *c, uint32_t address)
{
    const struct replay_unknown *u = c->u;
    const struct unknown_stored *s = unknown_stored_at(u, address);
    if (!unknown_bit(u->memory, address))
        return 0;
    if (!s && unknown_bit(u->devices, address)) /* about the latest of them */
        s = &u->stored[(uint8_t)(u->stored_next - 1) % UNKNOWN_STORED];
    if (s)
        unknown_comes_from(c, (enum unknown_origin)s->origin, s->from, s->address);
    else
        unknown_comes_from(c, UNKNOWN_MEMORY, c->n->machine->chip->isa->pc(c->n), address);
    return s && s->at == address ? s->bits : 0xff;
}

static unsigned unknown_load(void *context, uint32_t address)
{
    struct unknown_context *c = context;
    struct replay_unknown *u = c->u;
    if (unknown_is_ram(c->n, address))
        return unknown_load_memory(c, address);
    if (address >= c->n->machine->register_size || address < c->n->machine->chip->isa->first_register)
        return 0;
    unsigned bits = address < UNKNOWN_DEVICES ? unknown_replay(c->d)->changing[address] : 0;
    unsigned pair = unknown_pair_of(unknown_replay(c->d), address);
    if (pair && address != unknown_replay(c->d)->pairs[pair - 1] && (u->torn >> (pair - 1) & 1))
        bits = 0xff;
    if (bits) {
        unsigned last = 0;
        while (last < UNKNOWN_SOURCES - 1 && u->sources[last] != address)
            last++;
        memmove(u->sources + 1, u->sources, last * sizeof *u->sources);
        u->sources[0] = (uint16_t)address;
        unknown_comes_from(c, UNKNOWN_DEVICE, c->n->machine->chip->isa->pc(c->n), address);
    }
    return bits;
}

static void unknown_store(void *context, uint32_t address, unsigned bits)
{
    struct unknown_context *c = context;
    struct replay_unknown *u = c->u;
    if (unknown_is_ram(c->n, address)) {
        if (unknown_bit(unknown_filled(c->n), address))
            return;
        unknown_set(c->n, u, address, bits ? (enum unknown_origin)u->origin : UNKNOWN_NOTHING);
        if (bits)
            *unknown_place_for(u, address) =
                (struct unknown_stored){(uint16_t)address, (uint16_t)u->address, u->from, (uint8_t)bits, u->origin};
        return;
    }
    bool back = !bits;
    for (unsigned i = 0; i < UNKNOWN_SOURCES; i++)
        back |= u->sources[i] == address;
    c->outputs |= !back && address < c->n->machine->register_size;
    if (bits)
        u->half_taken = (uint8_t)unknown_pair_of(unknown_replay(c->d), address);
}

static bool unknown_is_exempt(const struct node *n, const struct replay *r)
{
    const struct place *p = replay_place_at(r, n->machine->chip->isa->pc(n));
    return p && p->entry == ENTRY_POLL && p->poll.waits;
}

/* The instruction that is next, or under way, with everything as it was before it. */
static void unknown_spread(struct node *n, const struct device *d)
{
    const struct isa *isa = n->machine->chip->isa;
    struct replay_unknown *u = unknown_of(n, d);
    struct unknown_context c = {.n = n, .d = d, .u = u};
    struct unknown_memory memory = {&c, unknown_load, unknown_store};
    u->done = n->state->instructions;
    if (unknown_is_exempt(n, unknown_replay(d)))
        return;
    enum unknown_use use = isa->spread(n, &u->cpu, &memory);
    if (use || c.outputs) {
        u->use = (uint8_t)(use ? (int)use : UNKNOWN_OUTPUT);
        u->at = isa->pc(n);
        replay_unrecorded(n, d);
    }
    unknown_renew(n, u);
}

void unknown_before(struct node *n, const struct device *d)
{
    struct replay_unknown *u = unknown_of(n, d);
    if (!u->off && u->done != n->state->instructions && !n->state->exit)
        unknown_spread(n, d);
}

/* Only instructions count: a debugger may read registers too. */
void unknown_read(struct node *n, const struct device *d, unsigned role)
{
    if (!n->executing)
        return;
    const struct replay *r = unknown_replay(d);
    if (role && r->changing[r->pairs[role / 2 - 1]])
        unknown_of(n, d)->half = 0; /* TEMP has its high byte now */
    unknown_before(n, d);
}

void unknown_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    struct replay_unknown *u = unknown_of(n, d);
    if (!role || !n->executing)
        return;
    unsigned pair = role / 2;
    uint8_t *high = &n->data[unknown_replay(d)->pairs[pair - 1] + 1];
    if (role & 1) {
        u->half = (uint8_t)pair;
        u->temp = (uint8_t)value;
        *high = (uint8_t)old;
        return;
    }
    uint64_t bit = UINT64_C(1) << (pair - 1);
    if (u->half == pair)
        *high = u->temp;
    u->torn = u->half != pair || u->half_taken == pair ? u->torn | bit : u->torn & ~bit;
    u->half = u->half_taken = 0;
}

void unknown_touched(struct node *n, const struct device *d, uint32_t address, unsigned size, bool write)
{
    struct replay_unknown *u = unknown_of(n, d);
    if ((u->off && !write) || (!u->off && n->executing && u->done == n->state->instructions))
        return;
    bool unknown = false;
    for (unsigned i = 0; i < size; i++)
        unknown |= unknown_is_ram(n, address + i) && unknown_bit(u->memory, address + i);
    if (unknown && write)
        unknown_set_range(n, u, address, address + size - 1, false);
    else if (unknown && n->executing)
        unknown_spread(n, d);
}

/* ---- what the log knows ---- */

void unknown_known(struct node *n, const struct device *d, uint32_t address, size_t size)
{
    if (size)
        unknown_set_range(n, unknown_of(n, d), address, address + (uint32_t)size - 1, false);
}

bool unknown_is(const struct node *n, uint32_t address)
{
    return unknown_is_ram(n, address) && unknown_bit(replay_state_of(n)->unknown.memory, address);
}

void unknown_known_register(struct node *n, const struct device *d, unsigned number, unsigned bits)
{
    struct replay_unknown *u = unknown_of(n, d);
    u->cpu.registers[number] &= (uint16_t)~bits;
    unknown_renew(n, u);
}

void unknown_known_registers(struct node *n, const struct device *d)
{
    struct replay_unknown *u = unknown_of(n, d);
    u->cpu = (struct unknown){.flags = 0};
    unknown_renew(n, u);
}

void unknown_known_flags(struct node *n, const struct device *d)
{
    struct replay_unknown *u = unknown_of(n, d);
    u->cpu.flags = 0;
    unknown_renew(n, u);
}

void unknown_loaded(struct node *n, const struct device *d, uint32_t address, unsigned size)
{
    const struct isa *isa = n->machine->chip->isa;
    struct replay_unknown *u = unknown_of(n, d);
    struct unknown_context c = {.n = n, .d = d, .u = u};
    unsigned wide = isa->register_size(isa->result_register);
    for (unsigned i = 0; i < size; i++) {
        uint16_t *to = &u->cpu.registers[isa->result_register + i / wide];
        unsigned bits = unknown_is_ram(n, address + i) ? unknown_load(&c, address + i) : 0, shift = 8 * (i % wide);
        *to = (uint16_t)((*to & ~(0xffu << shift)) | bits << shift);
    }
    unknown_renew(n, u);
}

/* ---- the stack ---- */

/* The lowest address that the stack may have here: where variables and heap end, or where the variable that holds it
 * begins. */
static uint32_t unknown_floor(const struct node *n, uint32_t sp)
{
    const struct machine *m = n->machine;
    uint32_t limit = m->stack_limit ? m->stack_limit : m->ram->first, at = m->heap_break;
    uint32_t heap = at ? n->data[at] | (uint32_t)n->data[at + 1] << 8 : 0;
    if (sp >= limit)
        return heap > limit ? heap : limit;
    const struct image_symbol *s = image_symbol_at(m->image, m->chip->isa->spaces.data + sp);
    return s ? map_of_image(m, s->address) : sp;
}

void unknown_moved(struct node *n, const struct device *d)
{
    unknown_of(n, d)->done = UINT64_MAX;
}

void unknown_residue(struct node *n, const struct device *d, uint32_t sp, bool all)
{
    struct replay_unknown *u = unknown_of(n, d);
    uint32_t top = sp + n->machine->chip->isa->stack_gap, floor = unknown_floor(n, sp);
    if (u->off || top <= floor)
        return;
    uint32_t first = all || top - floor < UNKNOWN_RESIDUE ? floor : top - UNKNOWN_RESIDUE;
    unknown_set_range(n, u, first, top - 1, true);
}

void unknown_resumed(struct node *n, const struct device *d)
{
    struct replay_unknown *u = unknown_of(n, d);
    uint32_t sp = n->machine->chip->isa->sp(n);
    memcpy(u->memory, unknown_filled(n), sizeof u->memory);
    memset(u->devices, 0, sizeof u->devices);
    u->torn = 0;
    unknown_residue(n, d, sp, true);
    unknown_restored(n, d);
}

/* ---- life ---- */

void unknown_restored(struct node *n, const struct device *d)
{
    struct replay_unknown *u = unknown_of(n, d);
    for (uint32_t page = n->machine->register_size >> PAGE_BITS; page <= (n->machine->data_size - 1) >> PAGE_BITS;
         page++)
        unknown_mark_page(n, u, page);
    n->unsure = unknown_in_cpu(u) && !u->off;
}

void unknown_reset(struct node *n, const struct device *d)
{
    const struct replay *r = unknown_replay(d);
    struct replay_unknown *u = unknown_of(n, d);
    assert(n->machine->data_size <= UNKNOWN_SPACE && n->machine->flat >= n->machine->data_size);
    *u = (struct replay_unknown){.done = UINT64_MAX};
    unknown_set_range(n, u, n->machine->register_size, n->machine->data_size - 1, true);
    unknown_known(n, d, r->count, 2);
    unknown_known(n, d, r->uncounted, r->uncounted ? 1 : 0);
    n->unsure = false;
}

/* ---- in words ---- */

static void unknown_explain_device(const struct node *n, const struct replay_unknown *u, const char *at, char *text,
                                   size_t size)
{
    char from[200];
    const struct replay_register *r = unknown_register_at(unknown_replay(n->machine->log), u->address);
    image_place(n->machine->image, u->from, from, sizeof from);
    snprintf(text, size,
             "a read was not recorded: %s (0x%x) at %s, whose value %s %s; compile that code with motet cc, and read "
             "registers by name or through volatile pointers",
             r ? r->name : "a register", (unsigned)u->address, from,
             u->use == UNKNOWN_OUTPUT ? "is written to a device at" : "is used at", at);
}

static void unknown_explain_memory(const struct node *n, const struct replay_unknown *u, const char *at, char *text,
                                   size_t size)
{
    const struct machine *m = n->machine;
    const struct image_symbol *s = image_symbol_at(m->image, m->chip->isa->spaces.data + u->address);
    char from[200];
    image_place(m->image, u->from, from, sizeof from);
    if (unknown_bit(unknown_filled(n), u->address)) {
        snprintf(text, size,
                 "%s is filled by DMA; it is read at %s, where that is not recorded, and its value is used at %s: read "
                 "its elements by their indices in the file that defines it",
                 s ? s->name : "memory", from, at);
        return;
    }
    bool variable = s && s->kind == IMAGE_SYMBOL_OBJECT && m->stack_limit && u->address < m->stack_limit;
    if (variable)
        snprintf(text, size,
                 "%s is read at %s before anything has written it, and its value is used at %s; what a reset leaves in "
                 "memory is not in the log: initialise it",
                 s->name, from, at);
    else
        snprintf(text, size,
                 "memory at 0x%x (the stack or the heap) is read at %s before it is written, and its value is used at "
                 "%s; what lay there is not in the log: initialise the variable",
                 (unsigned)u->address, from, at);
}

void unknown_explain(const struct node *n, const struct replay_unknown *u, char *text, size_t size)
{
    char at[200];
    image_place(n->machine->image, u->at, at, sizeof at);
    if (u->origin == UNKNOWN_DEVICE)
        unknown_explain_device(n, u, at, text, size);
    else
        unknown_explain_memory(n, u, at, text, size);
}
