#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/engine.h"
#include "api/handles.h"
#include "api/part.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "board/board.h"
#include "chip/chip.h"
#include "isa/abstract.h"
#include "isa/isa.h"
#include "node/pins.h"
#include "part/led.h"
#include "interface/replay.h"
#include "record/replay.h"

static uint64_t cpu_hz(const struct chip *chip, uint64_t oscillator)
{
    return chip->reset_hz ? chip->reset_hz : oscillator;
}

bool motet_board(size_t number, struct motet_board_info *info)
{
    size_t i = 0;
    for (; boards[i]; i++)
        if (i == number) {
            const struct board *b = boards[i];
            *info = (struct motet_board_info){
                b->name, b->alias, b->chip->name, b->chip->isa->name, cpu_hz(b->chip, b->hz), b->chip->reset_hz != 0,
                false};
            return true;
        }
    for (size_t c = 0; chips[c]; c++, i++)
        if (i == number) {
            *info = (struct motet_board_info){chips[c]->name,
                                              NULL,
                                              chips[c]->name,
                                              chips[c]->isa->name,
                                              cpu_hz(chips[c], chips[c]->default_hz),
                                              chips[c]->reset_hz != 0,
                                              true};
            return true;
        }
    return false;
}

static bool unknown_board(const char *name, struct motet_error *e)
{
    char known[600] = "";
    struct motet_board_info info;
    struct nearest near = {.wanted = name};
    for (size_t i = 0; motet_board(i, &info); i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", info.name);
        nearest_offer(&near, info.name);
        if (info.alias)
            nearest_offer(&near, info.alias);
    }
    error_set(e, "there is no board or chip '%.200s'", name);
    nearest_suggest(&near, e);
    size_t used = strlen(e->text);
    snprintf(e->text + used, sizeof e->text - used, near.count ? " Known are %s" : "; known are %s", known);
    return false;
}

bool machine_choose(const struct image *image, const char *name, const struct board **board, const struct chip **chip,
                    struct motet_error *e)
{
    *board = NULL;
    *chip = NULL;
    if (name) {
        *board = board_named(name);
        *chip = *board ? (*board)->chip : chip_named(name);
        return *chip ? true : unknown_board(name, e);
    }
    const char *device = image_device(image);
    if (!device)
        return error_set(e, "%s does not say which chip it was built for; choose one with --board", image_path(image));
    *chip = chip_named(device);
    if (!*chip)
        return error_set(e, "%s was built for %s, which Motet does not know; choose a board with --board",
                         image_path(image), device);
    return true;
}

motet_machine *machine_make(struct image *image, const struct board *board, const struct chip *chip,
                            const struct machine_options *options, struct part_list *parts, struct motet_error *e)
{
    struct machine_options o = *options;
    o.parts = parts->devices;
    o.part_count = parts->count;
    struct machine *m = machine_new(chip, board, image, &o, e);
    if (!m) {
        part_list_free(parts);
        return NULL;
    }
    machine_find_variables(m);
    if (!engine_begin(m, e)) {
        machine_free(m);
        part_list_free(parts);
        return NULL;
    }
    motet_machine *handle = memory_bytes(sizeof *handle);
    *handle = (motet_machine){.machine = m, .parts = parts};
    return handle;
}

motet_machine *motet_machine_load(const char *path, const struct motet_options *options, struct motet_error *e)
{
    const struct board *board;
    const struct chip *chip;
    struct part_list *parts = NULL;
    struct image *image = image_load(path, e);
    if (image && machine_choose(image, options->board, &board, &chip, e))
        parts = part_list_new(options->parts, options->part_count, chip, e);
    if (!parts) {
        image_free(image);
        return NULL;
    }
    struct machine_options o = {.hz = options->hz, .lock = options->lock};
    memcpy(o.fuses, options->fuses, sizeof o.fuses);
    return machine_make(image, board, chip, &o, parts, e);
}

void motet_machine_free(motet_machine *m)
{
    if (!m)
        return;
    machine_free(m->machine);
    part_list_free(m->parts);
    replay_free(m->replay);
    component_replay_free(m->component);
    free(m);
}

uint64_t motet_machine_hz(const motet_machine *m)
{
    return m->machine->hz;
}

uint64_t motet_machine_cpu_hz(const motet_machine *m)
{
    return cpu_hz(m->machine->chip, m->machine->hz);
}

const char *motet_machine_board(const motet_machine *m)
{
    return m->machine->board ? m->machine->board->name : m->machine->chip->name;
}

const char *motet_machine_currents(const motet_machine *m)
{
    return m->machine->board ? m->machine->board->currents : NULL;
}

const char *motet_machine_chip(const motet_machine *m)
{
    return m->machine->chip->name;
}

const char *motet_machine_debugger(const motet_machine *m, const char **package)
{
    *package = m->machine->chip->isa->debugger_package;
    return m->machine->chip->isa->debugger;
}

/* ---- pins ---- */

unsigned motet_machine_pins(const motet_machine *m)
{
    return (unsigned)strlen(m->machine->chip->ports) * 8;
}

bool motet_machine_pin_name(const motet_machine *m, unsigned pin, char name[8])
{
    return chip_pin_name(m->machine->chip, pin, name);
}

int motet_machine_pin_named(const motet_machine *m, const char *name)
{
    return chip_pin_named(m->machine->chip, name);
}

bool motet_machine_has_channel(const motet_machine *m, unsigned channel)
{
    return channel < MACHINE_CHANNELS && m->machine->channels >> channel & 1;
}

_Static_assert((int)MACHINE_CHANNELS == (int)MOTET_CHANNELS, "one number of analog lines");

bool motet_machine_quantity(const motet_machine *m, size_t number, struct motet_quantity *q)
{
    if (number >= m->machine->quantity_count)
        return false;
    const struct quantity *from = &m->machine->quantities[number];
    *q = (struct motet_quantity){from->name, from->unit, from->channel, from->offset, from->factor};
    return true;
}

/* The LED of that number, counting through the board's parts. */
static const struct device *led_numbered(const struct machine *m, size_t number)
{
    for (size_t i = 0; i < m->device_count; i++)
        if (m->devices[i].type == &part_led && number-- == 0)
            return &m->devices[i];
    return NULL;
}

bool motet_machine_led(const motet_machine *m, size_t number, struct motet_led *led)
{
    const struct device *d = led_numbered(m->machine, number);
    if (!d)
        return false;
    const struct led *config = d->config;
    *led = (struct motet_led){.name = d->name, .pin = config->pin, .active_low = config->active_low};
    return true;
}

bool motet_node_level(const motet_node *n, unsigned pin)
{
    char name[8];
    return motet_machine_pin_name(n->machine, pin, name) && pin_level(n->node, pin);
}

bool motet_node_led(const motet_node *n, size_t number)
{
    const struct device *d = led_numbered(n->node->machine, number);
    return d && led_is_lit(n->node, d);
}

bool motet_machine_has_serial(const motet_machine *m, unsigned line)
{
    return line < MACHINE_BUSES && m->machine->serial[line].count > 0;
}

unsigned motet_machine_terminal(const motet_machine *m)
{
    return m->machine->board ? m->machine->board->terminal : 0;
}

struct motet_stack_use motet_machine_stack_use(const motet_machine *m)
{
    const struct isa *isa = m->machine->chip->isa;
    unsigned size = isa->return_size(m->machine);
    bool pushed = isa->abstract && !isa->links; /* else the return address is somewhere in the frame */
    return (struct motet_stack_use){size, isa->stack_gap,
                                    pushed ? isa->abstract->interrupt_pushes(m->machine) - size : 0, isa->links};
}

char *motet_machine_place(const motet_machine *m, uint32_t address, char *text, size_t size)
{
    return image_place(m->machine->image, address, text, size);
}
