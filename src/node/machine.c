#include "node/holds.h"
#include "node/machine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "base/pages.h"
#include "board/board.h"
#include "chip/chip.h"
#include "isa/heat.h"
#include "node/events.h"
#include "node/interrupts.h"
#include "node/map.h"
#include "node/node.h"
#include "node/start_up.h"
#include "node/wiring.h"

/* ---- firmware into memories ---- */

static void set_flash_kind(struct machine *m, uint32_t address, uint32_t size, enum machine_flash_kind kind)
{
    for (uint32_t i = 0; i < size && address + i < m->code_size; i++)
        m->flash_known[address + i] = (uint8_t)kind;
}

static bool load_flash(struct machine *m, const struct image_segment *s, struct motet_error *e)
{
    uint32_t limit = m->code_size;
    if (s->address >= limit || s->size > limit - s->address)
        return error_set(e,
                         "%s: %u bytes at 0x%x do not fit the %u KB of program memory of %s; is the firmware built for "
                         "another chip?",
                         image_path(m->image), s->size, s->address, limit / 1024, m->chip->name);
    memcpy(m->flash + s->address, s->bytes, s->size);
    /* What runs elsewhere is the initial contents of variables. */
    set_flash_kind(m, s->address, s->size, s->run_address == s->address ? FLASH_CODE : FLASH_DATA);
    return true;
}

static void load_fuses(struct machine *m, const struct image_segment *s)
{
    /* In the file they are low, high, extended. */
    for (uint32_t i = 0; i < s->size && i < 3; i++)
        m->fuses[2 - i] = s->bytes[i];
}

static bool load_segments(struct machine *m, struct motet_error *e)
{
    const struct isa_spaces *space = &m->chip->isa->spaces;
    const struct image_segment *s;
    size_t count = image_segments(m->image, &s);
    for (size_t i = 0; i < count; i++) {
        if (space->lock && s[i].address >= space->lock)
            m->lock = s[i].address == space->lock && s[i].size ? s[i].bytes[0] : m->lock;
        else if (space->fuses && s[i].address >= space->fuses)
            load_fuses(m, &s[i]);
        else if (space->data && s[i].address >= space->data)
            continue; /* EEPROM is loaded by its device */
        else if (!load_flash(m, &s[i], e))
            return false;
    }
    return true;
}

/* Tables in program memory are no code: executing one is a fault worth a sentence. */
static void find_constants(struct machine *m)
{
    const struct image_symbol *s;
    size_t count = image_symbols(m->image, &s);
    bool (*is_function)(const uint8_t *, uint32_t) = m->chip->isa->is_function;
    for (size_t i = 0; i < count; i++)
        if (s[i].kind == IMAGE_SYMBOL_OBJECT && s[i].address < m->code_size &&
            s[i].size <= m->code_size - s[i].address && m->flash_known[s[i].address] == FLASH_CODE &&
            !(is_function && is_function(m->flash + s[i].address, s[i].size)))
            set_flash_kind(m, s[i].address, s[i].size, FLASH_DATA);
}

static uint32_t node_machine_data_symbol(const struct machine *m, const char *name)
{
    const struct image_symbol *s = image_symbol_named(m->image, name);
    return s ? map_of_image(m, s->address) : 0;
}

/* Where the variables end. Linker scripts name the place only sometimes, or by a symbol outside of all sections. */
static uint32_t named_variables_end(const struct machine *m)
{
    const struct image_symbol *s;
    size_t count = image_symbols(m->image, &s);
    uint32_t space = m->chip->isa->spaces.data;
    uint32_t first = space + m->ram->first, last = first + m->ram->size, end = 0;
    for (size_t i = 0; i < count; i++)
        if (s[i].address >= first && s[i].address < last && s[i].size <= last - s[i].address &&
            s[i].address + s[i].size > end)
            end = s[i].address + s[i].size;
    return end ? end - space : 0;
}

/* Where the stack ends that begins at an address the firmware gives: where the variable begins that holds it, else
 * where the variables below it end. */
static uint32_t variables_end_below(const struct machine *m, uint32_t sp)
{
    const struct image_symbol *s;
    size_t count = image_symbols(m->image, &s);
    uint32_t end = m->ram->first;
    for (size_t i = 0; i < count; i++) {
        uint32_t last = s[i].address + s[i].size;
        if (s[i].address < m->ram->first || !s[i].size)
            continue;
        if (s[i].address < sp && last >= sp)
            return s[i].address;
        if (last < sp && last > end)
            end = last;
    }
    return end;
}

/* What compilers and C libraries call when there is no going on: __builtin_trap and failed checks, assert, a stack
 * that was written over. */
static void find_traps(struct machine *m)
{
    static const char *const names[MACHINE_TRAPS] = {"abort", "__assert", "__assert_fail", "__stack_chk_fail"};
    for (unsigned i = 0; i < MACHINE_TRAPS; i++) {
        const struct image_symbol *s = image_symbol_named(m->image, names[i]);
        if (s && s->kind != IMAGE_SYMBOL_OBJECT && s->address > 1 && s->address < m->code_size)
            m->traps[m->trap_count++] = s->address & ~1u;
    }
}

static uint32_t headed_variables_end(const struct machine *m)
{
    uint32_t space = m->chip->isa->spaces.data, first = space + m->ram->first;
    uint32_t end = image_variables_end(m->image, first, first + m->ram->size);
    return end ? end - space : 0;
}

static void find_landmarks(struct machine *m)
{
    uint32_t sp = m->chip->isa->first_sp ? m->chip->isa->first_sp(m) : 0;
    if (sp)
        m->stack_limit = variables_end_below(m, sp);
    else
        m->stack_limit = named_variables_end(m);
    if (m->stack_limit)
        m->variables_known = VARIABLES_BY_SYMBOLS;
    else if ((m->stack_limit = headed_variables_end(m)))
        m->variables_known = VARIABLES_BY_HEADERS;
    m->heap_break = node_machine_data_symbol(m, "__brkval");
    const struct image_symbol *first = image_symbol_named(m->image, "main");
    m->main_address = first ? first->address : UINT32_MAX;
    const struct image_symbol *stop = image_symbol_named(m->image, "__stop_program");
    m->exit_address = stop ? stop->address : UINT32_MAX;
    find_traps(m);
}

/* ---- devices ---- */

static void place_device(struct machine *m, const struct chip_device *from, bool part, unsigned *slots)
{
    struct device *d = &m->devices[m->device_count];
    *d = (struct device){
        .name = from->name,
        .type = from->type,
        .config = from->config,
        .first_event = (uint16_t)*slots,
        .index = (uint8_t)m->device_count,
        .pages = 0xff,
        .part = part,
    };
    m->device_count++;
    *slots += from->type->events;
}

static bool place_devices(struct machine *m, const struct machine_options *o, struct motet_error *e)
{
    size_t parts = m->board ? m->board->part_count : 0;
    unsigned slots = 0;
    m->devices = memory_array(m->chip->device_count + parts + o->part_count + 2, sizeof *m->devices);
    for (size_t i = 0; i < m->chip->device_count; i++)
        place_device(m, &m->chip->devices[i], false, &slots);
    for (size_t i = 0; i < parts; i++)
        place_device(m, &m->board->parts[i], true, &slots);
    for (size_t i = 0; i < o->part_count; i++)
        place_device(m, &o->parts[i], true, &slots);
    if (o->log)
        place_device(m, o->log, false, &slots);
    if (o->holds) {
        m->holds = &m->devices[m->device_count];
        place_device(m, &holds_device, false, &slots);
    }
    m->keeps_lines = o->log || o->holds;
    if (m->device_count >= 256 || slots > 256)
        return error_set(e, "a machine has less than 256 devices and parts, and at most 256 timers in all of them");
    m->event_slots = 2;
    while (m->event_slots < slots)
        m->event_slots *= 2;
    m->event_device = memory_array(m->event_slots, 1);
    for (size_t i = 0; i < m->device_count; i++)
        for (unsigned event = 0; event < m->devices[i].type->events; event++)
            m->event_device[m->devices[i].first_event + event] = (uint8_t)i;
    return true;
}

static size_t node_machine_after(size_t offset, size_t size)
{
    return (offset + size + 15) & ~(size_t)15;
}

static void lay_out_arena(struct machine *m)
{
    m->cpu_offset = node_machine_after(0, sizeof(struct node_state));
    assert(m->chip->isa->interrupts.lines <= MACHINE_LINES);
    m->interrupts_offset = node_machine_after(m->cpu_offset, m->chip->isa->state_size);
    m->events_offset = node_machine_after(m->interrupts_offset, interrupts_size(&m->chip->isa->interrupts));
    m->pins_offset = node_machine_after(m->events_offset, events_size(m->event_slots));
    m->data_offset = node_machine_after(m->pins_offset, PIN_PORTS * 8 * sizeof(struct pin_state));
    size_t end = node_machine_after(m->data_offset, m->data_size);
    for (size_t i = 0; i < m->device_count; i++) {
        m->devices[i].state_offset = (uint32_t)end;
        end = node_machine_after(end, m->devices[i].type->state_size);
    }
    m->arena_size = end;
}

static bool connect_devices(struct machine *m, struct motet_error *e)
{
    struct wiring w = {.machine = m};
    for (size_t i = 0; i < m->device_count; i++)
        if (m->devices[i].type->connect)
            m->devices[i].type->connect(&m->devices[i], &w);
    return wiring_finish(&w, e);
}

/* ---- whole machines ---- */

static bool check_device(const struct machine *m, const struct machine_options *o, struct motet_error *e)
{
    bool fuses_given = o->fuses[0] >= 0 || o->fuses[1] >= 0 || o->fuses[2] >= 0 || o->lock >= 0;
    if (fuses_given && !m->chip->has_fuses)
        return error_set(e, "%s has no fuses or lock bits", m->chip->name);
    if (o->hz && m->chip->reset_hz)
        return error_set(e, "%s makes its own clock, which the firmware sets; leave out --clock", m->chip->name);
    const char *built_for = image_device(m->image);
    if (image_machine(m->image) != IMAGE_MACHINE_UNKNOWN && image_machine(m->image) != m->chip->isa->machine)
        return error_set(e, "%s: this firmware is for another kind of processor than %s (%s)", image_path(m->image),
                         m->chip->name, m->chip->isa->name);
    if (built_for && strcmp(built_for, m->chip->name) != 0)
        return error_set(e, "%s: this firmware was built for %s, but the board has %s; choose the board with --board",
                         image_path(m->image), built_for, m->chip->name);
    return true;
}

static void choose_options(struct machine *m, const struct machine_options *o)
{
    m->hz = o->hz ? o->hz : m->board ? m->board->hz : m->chip->default_hz;
    m->watch_hz = m->board ? m->board->watch_hz : 32768;
    m->millivolts = m->board ? m->board->millivolts : 5000;
    for (int i = 0; i < 3; i++)
        if (o->fuses[i] >= 0)
            m->fuses[i] = (uint8_t)o->fuses[i];
    if (o->lock >= 0)
        m->lock = (uint8_t)o->lock;
}

struct machine *machine_new(const struct chip *chip, const struct board *board, struct image *image,
                            const struct machine_options *options, struct motet_error *e)
{
    struct machine *m = memory_new(sizeof *m);
    m->chip = chip;
    m->board = board;
    m->image = image;
    memcpy(m->fuses, board && board->fuses ? board->fuses : chip->fuses, sizeof m->fuses);
    m->lock = chip->lock;
    map_make(m);
    m->registers = memory_array(m->register_size, sizeof *m->registers);
    m->flash = memory_array(m->code_size, 1);
    m->flash_known = memory_array(m->code_size, 1);
    memset(m->flash, 0xff, m->code_size);
    if (!check_device(m, options, e) || !load_segments(m, e) || !place_devices(m, options, e)) {
        machine_free(m);
        return NULL;
    }
    choose_options(m, options);
    find_constants(m);
    find_landmarks(m);
    lay_out_arena(m);
    m->code = connect_devices(m, e) ? chip->isa->decode(m, e) : NULL;
    if (!m->code) {
        machine_free(m);
        return NULL;
    }
    return m;
}

void machine_find_variables(struct machine *m)
{
    if (!m->stack_limit && !m->log && (m->stack_limit = start_up_variables_end(m)))
        m->variables_known = VARIABLES_BY_START_UP;
}

static bool machine_in_ram(const struct machine *m, const struct image_symbol *s)
{
    uint32_t first = m->chip->isa->spaces.data + m->ram->first, last = first + m->ram->size;
    return s->kind != IMAGE_SYMBOL_FUNCTION && s->address >= first && s->address < last && s->size <= last - s->address;
}

void machine_suggest_variable(const struct machine *m, const char *name, struct motet_error *e)
{
    const struct image_symbol *all;
    size_t count = image_symbols(m->image, &all);
    struct nearest near = {.wanted = name};
    for (size_t i = 0; i < count; i++)
        if (all[i].kind == IMAGE_SYMBOL_OBJECT && machine_in_ram(m, &all[i]))
            nearest_offer(&near, all[i].name);
    nearest_suggest(&near, e);
}

bool machine_variable(const struct machine *m, const char *name, uint32_t *address, uint32_t *size,
                      struct motet_error *e)
{
    const struct image_symbol *s = image_symbol_named(m->image, name);
    if (!s)
        return error_set(e, "%s: there is no symbol '%s'", image_path(m->image), name);
    if (!machine_in_ram(m, s))
        return error_set(e, "%s: '%s' is not a variable in RAM, so it cannot be set", image_path(m->image), name);
    *address = s->address - m->chip->isa->spaces.data;
    *size = s->size;
    return true;
}

void machine_free(struct machine *m)
{
    if (!m)
        return;
    heat_free(m->heat); /* first: it waits for a translation under way, which reads the code */
    if (m->code)
        m->chip->isa->free_code(m->code);
    for (size_t i = 0; i < m->pages_count; i++)
        pages_free(m->pages[i]);
    free(m->pages);
    free(m->wires);
    free(m->devices);
    free(m->event_device);
    free(m->map);
    free(m->slots);
    free(m->registers);
    free(m->flash);
    free(m->flash_known);
    image_free(m->image);
    free(m);
}
