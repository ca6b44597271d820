#include "device/avr/selfprogram.h"

#include <string.h>

#include "base/pages.h"
#include "device/avr/window.h"
#include "isa/avr/avr.h"
#include "node/wiring.h"

enum { SPMEN = 1, PGERS = 2, PGWRT = 4, BLBSET = 8, RWWSRE = 16, SIGRD = 32, RWWSB = 64, SPMIE = 128 };
enum { COMMAND = SPMEN | PGERS | PGWRT | BLBSET | RWWSRE | SIGRD };
enum { BLB01 = 4, BLB02 = 8, BLB11 = 16, BLB12 = 32 }; /* in the lock byte; 0 is programmed */
enum { EVENT_DONE, EVENT_EXPIRED, EVENTS };
enum { ROLE_CONTROL, ROLE_EEPROM };
enum { REGISTER_R0 = 0, REGISTER_Z = 30 };

/* SPM must begin within four cycles, LPM within three; LPM looks in its third cycle. */
enum { PROGRAM_WINDOW = 4, READ_WINDOW = 3 + 2 };

struct state {
    uint64_t program_window, read_window;
    uint32_t address; /* of the page being erased or written */
    uint8_t lock;
    uint8_t busy; /* the command under way, 0 if none */
    uint8_t lock_asked;
    uint8_t filled[SELFPROGRAM_PAGE / 2 / 8]; /* words of the buffer that hold something */
    uint8_t buffer[SELFPROGRAM_PAGE];
};

static void selfprogram_connect(const struct device *d, struct wiring *w)
{
    const struct avr_selfprogram *c = d->config;
    uint32_t size = w->machine->code_size;
    wire_register(w, d, c->control, ROLE_CONTROL, WIRE_WRITE | WIRE_READ, 0);
    wire_register(w, d, c->eeprom_busy.reg, ROLE_EEPROM, WIRE_WRITE, 0);
    if (c->vector)
        wire_interrupt(w, d, c->vector, 0);
    wire_instruction(w, d, INSTRUCTION_PROGRAM);
    wire_pages(w, d, size, 0xff);
    pages_write(w->machine->pages[d->pages], 0, w->machine->flash, size);
}

/* "The interrupt will be generated as long as SPMEN is cleared." */
static void selfprogram_update_interrupt(struct node *n, const struct avr_selfprogram *c)
{
    if (c->vector)
        node_irq(n, c->vector, (n->data[c->control] & (SPMIE | SPMEN)) == SPMIE);
}

static void update_reads(struct node *n, const struct device *d)
{
    const struct avr_selfprogram *c = d->config;
    const struct state *s = device_state(n, d);
    uint8_t control = n->data[c->control];
    bool locked = (s->lock & (BLB02 | BLB12)) != (BLB02 | BLB12);
    n->code_reads_differ = locked || control & RWWSB || s->read_window;
}

/* The command in SPMCSR is done, or came to nothing. */
static void end_command(struct node *n, const struct device *d)
{
    const struct avr_selfprogram *c = d->config;
    struct state *s = device_state(n, d);
    s->program_window = s->read_window = 0;
    event_cancel(n, d, EVENT_EXPIRED);
    n->data[c->control] &= (uint8_t)~COMMAND;
    update_reads(n, d);
    selfprogram_update_interrupt(n, c);
}

static void clear_buffer(struct state *s)
{
    memset(s->buffer, 0xff, sizeof s->buffer);
    memset(s->filled, 0, sizeof s->filled);
}

/* What an erase or write of the page leaves there. */
static void selfprogram_finish(struct node *n, const struct device *d)
{
    const struct avr_selfprogram *c = d->config;
    struct state *s = device_state(n, d);
    struct pages *p = device_pages(n, d);
    switch (s->busy) {
    case PGERS: pages_fill(p, s->address, 0xff, c->page); break;
    case PGWRT:
        for (unsigned i = 0; i < c->page; i++) /* programming only clears bits */
            pages_set(p, s->address + i, pages_get(p, s->address + i) & s->buffer[i]);
        clear_buffer(s);
        break;
    case BLBSET: s->lock &= s->lock_asked; break;
    }
    if (s->busy == PGERS || s->busy == PGWRT)
        n->machine->chip->isa->reprogrammed(n, s->address, c->page);
    s->busy = 0;
}

static void selfprogram_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct state *s = device_state(n, d);
    if (cause == RESET_POWER_ON)
        s->lock = n->machine->lock;
    else
        selfprogram_finish(n, d);
    clear_buffer(s);
    s->program_window = s->read_window = 0;
    update_reads(n, d);
}

static void selfprogram_event(struct node *n, const struct device *d, unsigned event)
{
    if (event == EVENT_DONE)
        selfprogram_finish(n, d);
    end_command(n, d);
}

/* ---- SPM ---- */

static void selfprogram_start(struct node *n, const struct device *d, unsigned command, bool halts)
{
    const struct avr_selfprogram *c = d->config;
    struct state *s = device_state(n, d);
    uint64_t ticks = node_ticks(n, c->time_us * 1e-6), period = n->state->clocks[CLOCK_CPU].period;
    s->busy = (uint8_t)command;
    s->program_window = s->read_window = 0;
    event_cancel(n, d, EVENT_EXPIRED);
    event_in(n, d, EVENT_DONE, CLOCK_TICK, ticks);
    if (halts)
        node_stall(n, (uint64_t)((((unsigned __int128)ticks << 32) + period - 1) / period));
    update_reads(n, d);
}

static bool may_write(const struct node *n, const struct avr_selfprogram *c, const struct state *s, uint32_t address)
{
    return s->lock & (address >= boot_start(n, c->boot) ? BLB11 : BLB01);
}

static void start_page(struct node *n, const struct device *d, unsigned command, uint32_t z)
{
    const struct avr_selfprogram *c = d->config;
    struct state *s = device_state(n, d);
    uint32_t address = z & (n->machine->code_size - 1) & ~(uint32_t)(c->page - 1u);
    if (!may_write(n, c, s, address)) {
        end_command(n, d);
        return;
    }
    bool rww = address < boot_largest(n, c->boot);
    s->address = address;
    if (rww)
        n->data[c->control] |= RWWSB;
    selfprogram_start(n, d, command, !rww);
}

/* "It is not possible to write more than one time to each address without erasing the temporary buffer." */
static void selfprogram_fill(struct node *n, const struct device *d, uint32_t z)
{
    const struct avr_selfprogram *c = d->config;
    struct state *s = device_state(n, d);
    unsigned at = z & (c->page - 1u) & ~1u, word = at / 2;
    if (!(s->filled[word / 8] >> word % 8 & 1)) {
        s->buffer[at] = n->data[REGISTER_R0];
        s->buffer[at + 1] = n->data[REGISTER_R0 + 1];
        s->filled[word / 8] |= (uint8_t)(1u << word % 8);
    }
    n->data[c->control] &= (uint8_t)~RWWSB; /* "automatically cleared if a page load operation is initiated" */
    end_command(n, d);
}

static void selfprogram_instruction(struct node *n, const struct device *d, enum instruction what)
{
    const struct avr_selfprogram *c = d->config;
    const struct avr_cpu *cpu = n->cpu;
    struct state *s = device_state(n, d);
    (void)what;
    bool enabled = !c->enable.mask || fuse_programmed(n, c->enable);
    if (s->busy || !enabled || !window_is_open(n, s->program_window) || 2 * cpu->pc < boot_start(n, c->boot))
        return;
    const struct avr_core *core = n->machine->chip->core;
    unsigned high = core->instructions & AVR_HAS_ELPM ? n->data[AVR_RAMPZ] : 0;
    uint32_t z = (uint32_t)(n->data[REGISTER_Z] | n->data[REGISTER_Z + 1] << 8) | high << 16;
    switch (n->data[c->control] & COMMAND) {
    case SPMEN: selfprogram_fill(n, d, z); break;
    case SPMEN | PGERS: start_page(n, d, PGERS, z); break;
    case SPMEN | PGWRT: start_page(n, d, PGWRT, z); break;
    case SPMEN | RWWSRE:
        n->data[c->control] &= (uint8_t)~RWWSB;
        clear_buffer(s);
        end_command(n, d);
        break;
    case SPMEN | BLBSET:
        if (!c->lock_bits) {
            end_command(n, d);
            break;
        }
        s->lock_asked = (uint8_t)(n->data[REGISTER_R0] | ~c->lock_bits);
        selfprogram_start(n, d, BLBSET, false);
        break;
    default: end_command(n, d); break; /* SIGRD is for LPM */
    }
}

/* ---- SPMCSR ---- */

/* "Writing any other combination ... in the lower five bits will have no effect." */
static bool selfprogram_is_command(const struct avr_selfprogram *c, unsigned value)
{
    switch (value & COMMAND) {
    case SPMEN:
    case SPMEN | PGERS:
    case SPMEN | PGWRT:
    case SPMEN | BLBSET:
    case SPMEN | RWWSRE: return true;
    case SPMEN | SIGRD: return c->signature_row;
    default: return false;
    }
}

/* "An EEPROM write operation will block all software programming to Flash", reading fuses and lock bits included. */
static void selfprogram_control_written(struct node *n, const struct device *d, unsigned value)
{
    const struct avr_selfprogram *c = d->config;
    struct state *s = device_state(n, d);
    uint8_t *control = &n->data[c->control];
    if (c->vector)
        *control = (uint8_t)((*control & ~SPMIE) | (value & SPMIE));
    if (!s->busy && !bits_get(n, c->eeprom_busy)) {
        end_command(n, d);
        if (selfprogram_is_command(c, value)) {
            *control |= value & COMMAND;
            s->program_window = window_opened(n, PROGRAM_WINDOW);
            if (value & (BLBSET | SIGRD))
                s->read_window = window_opened(n, READ_WINDOW);
            if (value & SPMIE && c->vector) /* only the interrupt notices by itself that no SPM came */
                event_in(n, d, EVENT_EXPIRED, CLOCK_CPU, PROGRAM_WINDOW + 1);
            update_reads(n, d);
        }
    }
    selfprogram_update_interrupt(n, c);
}

/* "If the EEPROM is written in the middle of an SPM Page Load operation, all data loaded will be lost." The EEPROM
 * comes before this device in the chip's list, so a write it has begun shows. */
static void selfprogram_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    const struct avr_selfprogram *c = d->config;
    uint8_t busy = bits_mask(c->eeprom_busy);
    if (role == ROLE_CONTROL)
        selfprogram_control_written(n, d, value);
    else if (n->data[c->eeprom_busy.reg] & ~old & busy)
        clear_buffer(device_state(n, d));
}

static void selfprogram_read(struct node *n, const struct device *d, unsigned role)
{
    const struct state *s = device_state(n, d);
    (void)role;
    if (!s->busy && s->program_window && !window_is_open(n, s->program_window))
        end_command(n, d);
}

/* ---- LPM ---- */

static uint8_t read_signature_row(const struct avr_selfprogram *c, uint32_t address)
{
    switch (address) {
    case 0: return c->signature[0];
    case 1: return c->calibration;
    case 2: return c->signature[1];
    case 4: return c->signature[2];
    default: return 0xff;
    }
}

static uint8_t read_fuses(const struct node *n, const struct state *s, uint32_t address)
{
    switch (address) {
    case 0: return n->machine->fuses[FUSE_LOW];
    case 1: return s->lock;
    case 2: return n->machine->fuses[FUSE_EXTENDED];
    case 3: return n->machine->fuses[FUSE_HIGH];
    default: return 0xff;
    }
}

static bool selfprogram_readable(const struct node *n, const struct avr_selfprogram *c, const struct state *s,
                                 uint32_t address)
{
    const struct avr_cpu *cpu = n->cpu;
    uint32_t boot = boot_start(n, c->boot);
    bool from_boot = 2 * cpu->pc >= boot, of_boot = address >= boot;
    if (n->data[c->control] & RWWSB && address < boot_largest(n, c->boot))
        return false;
    if (from_boot && !of_boot)
        return s->lock & BLB02;
    if (!from_boot && of_boot)
        return s->lock & BLB12;
    return true;
}

static uint8_t selfprogram_code_read(struct node *n, const struct device *d, uint32_t address)
{
    const struct avr_selfprogram *c = d->config;
    const struct state *s = device_state(n, d);
    if (s->read_window) {
        bool open = window_is_open(n, s->read_window), signature = n->data[c->control] & SIGRD;
        end_command(n, d);
        if (open)
            return signature ? read_signature_row(c, address) : read_fuses(n, s, address);
    }
    return selfprogram_readable(n, c, s, address) ? pages_get(device_pages(n, d), address) : 0xff;
}

static void selfprogram_restored(struct node *n, const struct device *d)
{
    update_reads(n, d);
}

const struct device_type avr_selfprogram = {
    .name = "selfprogram",
    .core = true,
    .state_size = sizeof(struct state),
    .events = EVENTS,
    .connect = selfprogram_connect,
    .reset = selfprogram_reset,
    .event = selfprogram_event,
    .read = selfprogram_read,
    .write = selfprogram_write,
    .instruction = selfprogram_instruction,
    .code_read = selfprogram_code_read,
    .restored = selfprogram_restored,
};
