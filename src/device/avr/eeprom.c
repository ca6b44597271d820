#include "device/avr/eeprom.h"

#include "base/pages.h"
#include "chip/chip.h"
#include "device/avr/window.h"
#include "image/image.h"
#include "isa/avr/avr.h"
#include "node/wiring.h"

enum { EERE = 1, EEPE = 2, EEMPE = 4, EERIE = 8 };
enum { ROLE_CONTROL, ROLE_ADDRESS_LOW, ROLE_ADDRESS_HIGH };
enum { MODE_ERASE_AND_WRITE, MODE_ERASE, MODE_WRITE };
enum { EVENT_WRITTEN, EVENTS };
enum { WRITE_WINDOW = 4, WRITE_STALL = 2, READ_STALL = 4 };

struct state {
    uint64_t window;
    uint64_t done; /* tick at which the write under way ends; 0: none */
    uint16_t address;
    uint8_t data, mode;
};

static uint32_t eeprom_bytes(const struct machine *m)
{
    return chip_region(m->chip, REGION_EEPROM)->size;
}

static void eeprom_load(const struct device *d, struct machine *m)
{
    const struct image_segment *s;
    size_t count = image_segments(m->image, &s);
    for (size_t i = 0; i < count; i++) {
        if (s[i].address < AVR_SPACE_EEPROM || s[i].address >= AVR_SPACE_FUSES)
            continue;
        uint32_t at = s[i].address - AVR_SPACE_EEPROM, size = eeprom_bytes(m);
        if (at < size)
            pages_write(m->pages[d->pages], at, s[i].bytes, s[i].size < size - at ? s[i].size : size - at);
    }
}

static void eeprom_connect(const struct device *d, struct wiring *w)
{
    const struct avr_eeprom *c = d->config;
    wire_register(w, d, c->control, ROLE_CONTROL, WIRE_WRITE | WIRE_READ, 0);
    wire_register(w, d, c->data, 0, WIRE_PLAIN, 0xff);
    wire_register(w, d, c->address, ROLE_ADDRESS_LOW, WIRE_WRITE, 0);
    wire_register(w, d, c->address + 1, ROLE_ADDRESS_HIGH, WIRE_WRITE, 0);
    wire_interrupt(w, d, c->vector, 0);
    wire_pages(w, d, eeprom_bytes(w->machine), 0xff);
    eeprom_load(d, w->machine);
}

/* "The EEPROM Ready interrupt generates a constant interrupt when EEPE is cleared." */
static void eeprom_update_interrupt(struct node *n, const struct avr_eeprom *c)
{
    node_irq(n, c->vector, (n->data[c->control] & (EERIE | EEPE)) == EERIE);
}

static void eeprom_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    const struct avr_eeprom *c = d->config;
    struct state *s = device_state(n, d);
    (void)cause;
    s->window = 0;
    if (s->done) {
        event_at(n, d, EVENT_WRITTEN, CLOCK_TICK, s->done);
        n->data[c->control] = EEPE;
        bits_set(n, c->mode, s->mode);
    }
}

static void eeprom_event(struct node *n, const struct device *d, unsigned event)
{
    const struct avr_eeprom *c = d->config;
    struct state *s = device_state(n, d);
    struct pages *p = device_pages(n, d);
    (void)event;
    uint8_t old = pages_get(p, s->address);
    uint8_t now = s->mode == MODE_ERASE ? 0xff : s->mode == MODE_WRITE ? old & s->data : s->data;
    if (now != old)
        pages_set(p, s->address, now);
    s->done = 0;
    n->data[c->control] &= (uint8_t)~EEPE;
    eeprom_update_interrupt(n, c);
}

static uint16_t eeprom_address_of(const struct node *n, const struct avr_eeprom *c)
{
    return (uint16_t)(n->data[c->address] | n->data[c->address + 1] << 8);
}

static void start_write(struct node *n, const struct device *d)
{
    const struct avr_eeprom *c = d->config;
    struct state *s = device_state(n, d);
    if (c->flash_busy.width && node_read(n, c->flash_busy.reg) & bits_mask(c->flash_busy))
        return;
    unsigned mode = bits_get(n, c->mode);
    if (mode > MODE_WRITE)
        return; /* "Reserved for future use" */
    s->window = 0;
    s->address = eeprom_address_of(n, c);
    s->data = n->data[c->data];
    s->mode = (uint8_t)mode;
    s->done = n->time + node_ticks(n, c->write_us[mode] * 1e-6);
    event_at(n, d, EVENT_WRITTEN, CLOCK_TICK, s->done);
    n->data[c->control] = (uint8_t)((n->data[c->control] & ~EEMPE) | EEPE);
    node_stall(n, WRITE_STALL);
}

static void eeprom_control_written(struct node *n, const struct device *d, unsigned value)
{
    const struct avr_eeprom *c = d->config;
    struct state *s = device_state(n, d);
    uint8_t *control = &n->data[c->control];
    bool busy = *control & EEPE, prepared = window_is_open(n, s->window);
    *control = (uint8_t)((*control & ~EERIE) | (value & EERIE));
    if (!busy) {
        *control = (uint8_t)((*control & ~bits_mask(c->mode)) | (value & bits_mask(c->mode)));
        if (value & EEPE && prepared)
            start_write(n, d);
        else if (value & EERE) {
            n->data[c->data] = pages_get(device_pages(n, d), eeprom_address_of(n, c));
            node_stall(n, READ_STALL);
        }
    }
    if (value & EEMPE && !(*control & EEPE)) {
        if (!prepared)
            s->window = window_opened(n, WRITE_WINDOW);
        *control |= EEMPE;
    } else if (!(value & EEMPE)) {
        s->window = 0;
        *control &= (uint8_t)~EEMPE;
    }
    eeprom_update_interrupt(n, c);
}

static void eeprom_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    const struct avr_eeprom *c = d->config;
    bool busy = n->data[c->control] & EEPE; /* "it is neither possible to read ..., nor to change EEAR" */
    (void)old;
    if (role == ROLE_CONTROL)
        eeprom_control_written(n, d, value);
    else if (role == ROLE_ADDRESS_LOW && !busy)
        n->data[c->address] = (uint8_t)value;
    else if (role == ROLE_ADDRESS_HIGH && !busy)
        n->data[c->address + 1] = (uint8_t)(value & ((eeprom_bytes(n->machine) - 1) >> 8));
}

static void eeprom_read(struct node *n, const struct device *d, unsigned role)
{
    const struct avr_eeprom *c = d->config;
    const struct state *s = device_state(n, d);
    if (role == ROLE_CONTROL && !window_is_open(n, s->window))
        n->data[c->control] &= (uint8_t)~EEMPE;
}

/* EEPE falls by an event, EEMPE when its window is over. */
static bool eeprom_outlook(const struct node *n, const struct device *d, unsigned role, struct outlook *o)
{
    const struct avr_eeprom *c = d->config;
    const struct state *s = device_state(n, d);
    (void)o;
    return role == ROLE_CONTROL && !window_is_open(n, s->window) && !(n->data[c->control] & EEMPE);
}

const struct device_type avr_eeprom = {
    .memory = MEMORY_EEPROM,
    .name = "eeprom",
    .core = true, /* library code waits for it */
    .state_size = sizeof(struct state),
    .events = EVENTS,
    .connect = eeprom_connect,
    .reset = eeprom_reset,
    .event = eeprom_event,
    .read = eeprom_read,
    .outlook = eeprom_outlook,
    .write = eeprom_write,
};
