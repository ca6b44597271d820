#include "node/wiring.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pages.h"
#include "board/board.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/map.h"
#include "node/node.h"

/* What is wrong with the table of a device: the first such thing is kept. */
static void __attribute__((format(printf, 3, 4)))
wiring_refuse(struct wiring *w, const struct device *d, const char *format, ...)
{
    if (w->problem[0])
        return;
    const struct machine *m = w->machine;
    const char *owner = d->part && m->board ? m->board->name : m->chip->name;
    int at = d->type->outside
                 ? snprintf(w->problem, sizeof w->problem, "the part %s ", d->name)
                 : snprintf(w->problem, sizeof w->problem, "the table of %s is wrong: %s ", owner, d->name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(w->problem + at, sizeof w->problem - (size_t)at, format, arguments);
    va_end(arguments);
}

static void wiring_add(struct wiring *w, enum wiring_kind kind, struct wire wire)
{
    struct wiring_list *l = &w->lists[kind];
    l->wires = memory_grow(l->wires, &l->room, l->count, sizeof *l->wires);
    l->wires[l->count++] = wire;
}

void wire_register(struct wiring *w, const struct device *d, uint32_t address, unsigned role, unsigned mode,
                   uint32_t mask)
{
    uint32_t place = map_place(w->machine, address);
    if (place >= w->machine->register_size || address < w->machine->chip->isa->first_register) {
        wiring_refuse(w, d, "has a register at 0x%x, but registers lie from 0x%x to 0x%x", address,
                      w->machine->chip->isa->first_register, w->machine->register_size - 1);
        return;
    }
    struct machine_register *r = &w->machine->registers[place];
    r->mode |= (uint8_t)mode;
    for (unsigned i = 1; i < (mode & WIRE_LONG ? 4 : mode & WIRE_WORD ? 2 : 1); i++)
        r[i].within = (uint8_t)i;
    if (mode & (WIRE_STORE | WIRE_PLAIN))
        r->writable |= mask;
    wiring_add(w, WIRING_REGISTER,
               (struct wire){.device = d, .key = place, .role = (uint8_t)role, .mode = (uint8_t)mode, .mask = mask});
}

void wire_reads_matter(struct wiring *w, const struct device *d, uint32_t address, uint8_t bits)
{
    uint32_t place = map_place(w->machine, address);
    assert(d->type->read && bits);
    if (place >= w->machine->register_size) /* wire_register has refused it */
        return;
    w->machine->registers[place].matters |= bits;
    w->machine->registers[place].readers++;
}

void wire_interrupt(struct wiring *w, const struct device *d, unsigned line, unsigned irq)
{
    if (line >= w->machine->chip->isa->interrupts.lines) {
        wiring_refuse(w, d, "has interrupt %u, and its instruction set no more than %u", line,
                      w->machine->chip->isa->interrupts.lines);
        return;
    }
    if (line < w->machine->chip->isa->first_line) {
        wiring_refuse(w, d, "has an interrupt to enable but no vector");
        return;
    }
    if (w->machine->lines[line].device) {
        wiring_refuse(w, d, "has interrupt %u, which %s has already", line, w->machine->lines[line].device->name);
        return;
    }
    w->machine->lines[line] = (struct wire){.device = d, .key = line, .role = (uint8_t)irq};
}

void wire_pin(struct wiring *w, const struct device *d, unsigned pin, unsigned role)
{
    if (pin == PIN_NONE)
        return;
    assert(d->type->input);
    if (pin >= PIN_PORTS * 8) {
        wiring_refuse(w, d, "has pin number %u, which no chip has", pin);
        return;
    }
    wiring_add(w, WIRING_PIN, (struct wire){.device = d, .key = pin, .role = (uint8_t)role});
}

void wire_drive(struct wiring *w, const struct device *d, unsigned pin)
{
    if (pin >= PIN_PORTS * 8) /* PIN_NONE; others are refused by wire_pin */
        return;
    const struct device **driver = &w->machine->drivers[pin];
    char name[CHIP_PIN_NAME] = "?";
    chip_pin_name(w->machine->chip, pin, name);
    if (*driver)
        wiring_refuse(w, d, "drives %s, which %s drives already", name, (*driver)->name);
    *driver = d;
}

/* Devices of the chip say which buses there are; parts are on them. */
static void add_bus(struct wiring *w, enum wiring_kind kind, uint32_t *there, struct wire wire)
{
    if (wire.key >= MACHINE_BUSES) {
        wiring_refuse(w, wire.device, "has bus or line %u, and a machine no more than %u", wire.key, MACHINE_BUSES);
        return;
    }
    if (!wire.device->part)
        *there |= UINT32_C(1) << wire.key;
    wiring_add(w, kind, wire);
}

void wire_spi(struct wiring *w, const struct device *d, unsigned bus, unsigned role)
{
    add_bus(w, WIRING_SPI, &w->machine->spi_buses, (struct wire){.device = d, .key = bus, .role = (uint8_t)role});
}

void wire_spi_bus(struct wiring *w, const struct device *d, unsigned bus)
{
    if (bus < MACHINE_BUSES)
        w->machine->spi_buses |= UINT32_C(1) << bus;
    else
        wiring_refuse(w, d, "has bus %u, and a machine no more than %u", bus, MACHINE_BUSES);
}

void wire_twi(struct wiring *w, const struct device *d, unsigned bus, unsigned role)
{
    add_bus(w, WIRING_TWI, &w->machine->twi_buses, (struct wire){.device = d, .key = bus, .role = (uint8_t)role});
}

void wire_serial(struct wiring *w, const struct device *d, unsigned line, unsigned role)
{
    add_bus(w, WIRING_SERIAL, &w->machine->serial_lines,
            (struct wire){.device = d, .key = line, .role = (uint8_t)role});
}

void wire_listener(struct wiring *w, const struct device *d, unsigned line, unsigned role)
{
    add_bus(w, WIRING_LISTENER, &w->machine->serial_lines,
            (struct wire){.device = d, .key = line, .role = (uint8_t)role});
}

void wire_analog(struct wiring *w, const struct device *d, unsigned channel, unsigned role)
{
    if (channel >= MACHINE_CHANNELS || w->machine->analog[channel].device) {
        wiring_refuse(w, d, "has analog line %u, which %s", channel,
                      channel < MACHINE_CHANNELS ? "another has already" : "no machine has");
        return;
    }
    wire_channel(w, d, channel);
    w->machine->analog[channel] = (struct wire){.device = d, .key = channel, .role = (uint8_t)role};
}

void wire_voltage(struct wiring *w, const struct device *d, unsigned channel, unsigned role)
{
    if (channel < MACHINE_CHANNELS && w->machine->channels >> channel & 1)
        wire_analog(w, d, channel, role);
    else
        wiring_refuse(w, d, "is on analog line %u, which %s does not have", channel, w->machine->chip->name);
}

void wire_channel(struct wiring *w, const struct device *d, unsigned channel)
{
    if (channel >= MACHINE_CHANNELS)
        wiring_refuse(w, d, "has analog line %u, which no machine has", channel);
    else
        w->machine->channels |= UINT64_C(1) << channel;
}

unsigned wire_free_channel(const struct wiring *w)
{
    unsigned channel = MACHINE_CHANNELS;
    while (channel > 0 && w->machine->channels >> (channel - 1) & 1)
        channel--;
    return channel ? channel - 1 : MACHINE_CHANNELS; /* refused by wire_analog */
}

void wire_quantity(struct wiring *w, const struct device *d, struct quantity q)
{
    struct machine *m = w->machine;
    if (m->quantity_count == MACHINE_QUANTITIES)
        wiring_refuse(w, d, "senses one quantity too many");
    else
        m->quantities[m->quantity_count++] = q;
}

void wire_air(struct wiring *w, const struct device *d)
{
    assert(!w->machine->radio && d->type->hear);
    w->machine->radio = d;
}

void wire_triggered(struct wiring *w, const struct device *d)
{
    assert(!w->machine->triggered);
    w->machine->triggered = d;
}

void wire_log(struct wiring *w, const struct device *d)
{
    assert(!w->machine->log && d->type->due);
    w->machine->log = d;
}

void wire_instruction(struct wiring *w, const struct device *d, enum instruction what)
{
    if (w->machine->instructions[what].device) {
        wiring_refuse(w, d, "does the same for the CPU as %s", w->machine->instructions[what].device->name);
        return;
    }
    w->machine->instructions[what] = (struct wire){.device = d, .key = what};
}

void wire_pages(struct wiring *w, const struct device *d, size_t size, uint8_t fill)
{
    struct machine *m = w->machine;
    m->devices[d->index].pages = (uint8_t)m->pages_count;
    m->pages = memory_resize(m->pages, m->pages_count + 1, sizeof *m->pages);
    m->pages[m->pages_count++] = pages_new(size, fill);
}

static struct wire_run *wiring_run_at(struct wire_run *runs, size_t stride, size_t key)
{
    return (struct wire_run *)((char *)runs + key * stride);
}

/* Moves one list into the machine's array at `at`, keeping for each key the order in which devices were connected. */
static void lay_out(struct wiring *w, enum wiring_kind kind, size_t at, size_t keys, struct wire_run *runs,
                    size_t run_stride)
{
    struct wiring_list *l = &w->lists[kind];
    for (size_t i = 0; i < l->count; i++)
        wiring_run_at(runs, run_stride, l->wires[i].key)->count++;
    for (size_t key = 0; key < keys; key++) {
        struct wire_run *run = wiring_run_at(runs, run_stride, key);
        run->first = (uint32_t)at;
        at += run->count;
        run->count = 0;
    }
    for (size_t i = 0; i < l->count; i++) {
        struct wire_run *run = wiring_run_at(runs, run_stride, l->wires[i].key);
        w->machine->wires[run->first + run->count++] = l->wires[i];
    }
    free(l->wires);
}

static bool wiring_is_silent(const struct machine *m, const struct device *d)
{
    return d && d != m->log && !d->type->core;
}

static void silence_list(const struct machine *m, struct wiring_list *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++)
        if (!wiring_is_silent(m, l->wires[i].device) || l->wires[i].mode & WIRE_KEPT)
            l->wires[kept++] = l->wires[i];
    l->count = kept;
}

/* A register of a silent device is memory, with the bits that can be written; all of them where the device alone knew.
 */
static void silence_register(const struct machine *m, struct machine_register *r, const struct wire *w)
{
    if (!wiring_is_silent(m, w->device) || w->mode & WIRE_KEPT)
        return;
    if (w->mode & WIRE_WRITE && w->mask)
        r->writable |= w->mask;
    else if (w->mode & WIRE_WRITE)
        r->writable |= w->mode & WIRE_LONG ? 0xffffffff : w->mode & WIRE_WORD ? 0xffff : 0xff;
}

/* Where a log stands in for the devices: takes out their wires. */
static void silence(struct wiring *w)
{
    struct machine *m = w->machine;
    struct wiring_list *registers = &w->lists[WIRING_REGISTER];
    for (size_t i = 0; i < registers->count; i++)
        silence_register(m, &m->registers[registers->wires[i].key], &registers->wires[i]);
    for (int k = 0; k < WIRING_KINDS; k++)
        silence_list(m, &w->lists[k]);
    for (unsigned i = 0; i < MACHINE_LINES; i++)
        m->lines[i] = (struct wire){.device = m->log, .key = i, .role = (uint8_t)i};
    for (unsigned i = 0; i < INSTRUCTION_KINDS; i++)
        if (wiring_is_silent(m, m->instructions[i].device))
            m->instructions[i].device = NULL;
    for (unsigned i = 0; i < m->register_size; i++) /* an address without calls is plain again */
        m->registers[i].mode = (uint8_t)((m->registers[i].mode & (WIRE_WORD | WIRE_LONG)) | WIRE_PLAIN);
    for (size_t i = 0; i < registers->count; i++)
        m->registers[registers->wires[i].key].mode |= registers->wires[i].mode;
}

static bool wiring_is_port_pin(const struct wiring *w, unsigned pin)
{
    const struct wiring_list *l = &w->lists[WIRING_PIN];
    bool ports = false;
    for (size_t i = 0; i < l->count; i++) {
        bool port = l->wires[i].device->type->port;
        if (port && l->wires[i].key == pin)
            return true;
        ports |= port;
    }
    return !ports; /* a chip without ports is a test's */
}

/* A pin that was forgotten in a table is pin 0, which many chips do not have. */
static void wiring_check_pins(struct wiring *w)
{
    const struct wiring_list *l = &w->lists[WIRING_PIN];
    size_t ports = strlen(w->machine->chip->ports); /* beyond them are pins of no port (RST/NMI) */
    for (size_t i = 0; i < l->count; i++)
        if (l->wires[i].key / 8u < ports && !wiring_is_port_pin(w, l->wires[i].key))
            wiring_refuse(w, l->wires[i].device, "has pin %u of port %c, which the chip does not have",
                          l->wires[i].key % 8, w->machine->chip->ports[l->wires[i].key / 8]);
}

static void wiring_check_bus(struct wiring *w, enum wiring_kind kind, uint32_t there, const char *what)
{
    const struct wiring_list *l = &w->lists[kind];
    for (size_t i = 0; i < l->count; i++)
        if (l->wires[i].device->type->outside && !(there >> l->wires[i].key & 1))
            wiring_refuse(w, l->wires[i].device, "is on %s %u, which %s does not have", what, l->wires[i].key,
                          w->machine->chip->name);
}

/* Where another device has to know of every read, too, none is left out. */
static void wiring_check_readers(const struct wiring *w)
{
    const struct wiring_list *l = &w->lists[WIRING_REGISTER];
    for (size_t i = 0; i < l->count; i++)
        if (l->wires[i].mode & WIRE_READ)
            w->machine->registers[l->wires[i].key].readers--;
    for (uint32_t i = 0; i < w->machine->register_size; i++)
        if (w->machine->registers[i].readers != 0)
            w->machine->registers[i].matters = 0;
}

/* The same of writes. */
static void wiring_check_writers(const struct wiring *w)
{
    const struct wiring_list *l = &w->lists[WIRING_REGISTER];
    for (size_t i = 0; i < l->count; i++) {
        struct machine_register *r = &w->machine->registers[l->wires[i].key];
        if (!r->matters || ((l->wires[i].mode & (WIRE_STORE | WIRE_WRITE)) && !(l->wires[i].mode & WIRE_SELDOM)))
            r->mode &= (uint8_t)~WIRE_SELDOM;
    }
}

bool wiring_finish(struct wiring *w, struct motet_error *e)
{
    struct machine *m = w->machine;
    wiring_check_pins(w);
    wiring_check_bus(w, WIRING_SPI, m->spi_buses, "SPI bus");
    wiring_check_bus(w, WIRING_TWI, m->twi_buses, "I2C bus");
    wiring_check_bus(w, WIRING_LISTENER, m->serial_lines, "serial port");
    if (m->log)
        silence(w);
    wiring_check_readers(w);
    wiring_check_writers(w);
    size_t starts[WIRING_KINDS], total = 0;
    for (int k = 0; k < WIRING_KINDS; k++) {
        starts[k] = total;
        total += w->lists[k].count;
    }
    m->wires = memory_array(total + 1, sizeof *m->wires);
    lay_out(w, WIRING_REGISTER, starts[WIRING_REGISTER], m->register_size, &m->registers[0].wires,
            sizeof m->registers[0]);
    lay_out(w, WIRING_PIN, starts[WIRING_PIN], PIN_PORTS * 8, m->pins, sizeof m->pins[0]);
    lay_out(w, WIRING_SPI, starts[WIRING_SPI], MACHINE_BUSES, m->spi, sizeof m->spi[0]);
    lay_out(w, WIRING_TWI, starts[WIRING_TWI], MACHINE_BUSES, m->twi, sizeof m->twi[0]);
    lay_out(w, WIRING_SERIAL, starts[WIRING_SERIAL], MACHINE_BUSES, m->serial, sizeof m->serial[0]);
    lay_out(w, WIRING_LISTENER, starts[WIRING_LISTENER], MACHINE_BUSES, m->listeners, sizeof m->listeners[0]);
    return w->problem[0] ? error_set(e, "%s", w->problem) : true;
}
