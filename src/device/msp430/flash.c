#include "device/msp430/flash.h"

#include "base/pages.h"
#include "chip/chip.h"
#include "device/msp430/clocks.h"
#include "device/msp430/nmi.h"
#include "device/msp430/reset.h"
#include "device/msp430/words.h"
#include "isa/msp430/msp430.h"
#include "node/map.h"
#include "node/wiring.h"

enum { ERASE = 0x02, MERAS = 0x04, WRT = 0x40, BLKWRT = 0x80, FCTL1_BITS = ERASE | MERAS | WRT | BLKWRT };
enum { BUSY = 0x01, KEYV = 0x02, ACCVIFG = 0x04, WAIT = 0x08, LOCK = 0x10, EMEX = 0x20 };
enum { FCTL2_RESET = 0x42, FCTL3_RESET = WAIT | LOCK };
enum { READ_KEY = 0x9600, WRITE_KEY = 0xa5, SPACE = 0x10000 };
enum { CONTROL_MODE, CONTROL_CLOCK, CONTROL_STATUS };
enum operation { NOTHING, WRITES, WRITES_BLOCK, ENDS_BLOCK, ERASES_SEGMENT, ERASES_MAIN, ERASES_ALL };

static const uint8_t read_while_busy[2] = {0xff, 0x3f};

struct state {
    uint16_t address, value;
    uint8_t size;
    uint8_t operation; /* enum operation under way */
    uint8_t in_block;  /* a block write has begun */
    uint8_t key_violation;
};

static const struct msp430_flash *flash_config_of(const struct device *d)
{
    return d->config;
}

static void flash_connect(const struct device *d, struct wiring *w)
{
    const struct msp430_flash *c = flash_config_of(d);
    for (unsigned i = 0; i < 3; i++)
        wire_register(w, d, c->control[i], i, WIRE_WORD | WIRE_WRITE, 0);
    wire_instruction(w, d, INSTRUCTION_PROGRAM);
    wire_pages(w, d, SPACE, 0xff);
    pages_write(w->machine->pages[d->pages], 0, w->machine->flash, SPACE);
}

/* ---- registers ---- */

static uint8_t *low_byte(struct node *n, const struct device *d, unsigned control)
{
    return &n->data[flash_config_of(d)->control[control]];
}

static void flash_set_status(struct node *n, const struct device *d, unsigned set, unsigned clear)
{
    uint8_t *status = low_byte(n, d, CONTROL_STATUS);
    *status = (uint8_t)((*status & ~clear) | set);
    n->code_reads_differ = *status & BUSY;
    msp430_nmi_update(n);
}

static void flash_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    const struct msp430_flash *c = flash_config_of(d);
    struct state *s = device_state(n, d);
    uint8_t violation = msp430_power_on_reset(cause) ? 0 : s->key_violation;
    *s = (struct state){.key_violation = violation};
    word_set(n, c->control[CONTROL_MODE], READ_KEY);
    word_set(n, c->control[CONTROL_CLOCK], READ_KEY | FCTL2_RESET);
    word_set(n, c->control[CONTROL_STATUS], READ_KEY | FCTL3_RESET | (violation ? KEYV : 0u));
    n->code_reads_differ = false;
}

/* ---- memory ---- */

static bool is_info(const struct node *n, uint32_t address)
{
    const struct region *r = map_region(n->machine, address);
    return r && r->kind == REGION_INFORMATION;
}

static bool is_flash(const struct node *n, uint32_t address)
{
    const struct region *r = map_region(n->machine, address);
    return r && (r->kind == REGION_FLASH || r->kind == REGION_INFORMATION);
}

static void flash_erase(struct node *n, const struct device *d, uint32_t from, uint32_t size)
{
    pages_fill(device_pages(n, d), from, 0xff, size);
    n->machine->chip->isa->reprogrammed(n, from, size);
}

static void erase_region(struct node *n, const struct device *d, enum region_kind kind)
{
    const struct region *r = chip_region(n->machine->chip, kind);
    flash_erase(n, d, r->first, r->size);
}

static void flash_program(struct node *n, const struct device *d)
{
    const struct state *s = device_state(n, d);
    struct pages *p = device_pages(n, d);
    for (unsigned i = 0; i < s->size; i++)
        pages_set(p, s->address + i, pages_get(p, s->address + i) & (uint8_t)(s->value >> 8 * i));
    n->machine->chip->isa->reprogrammed(n, s->address, s->size);
}

static void erase_segment(struct node *n, const struct device *d, uint16_t address)
{
    const struct msp430_flash *c = flash_config_of(d);
    uint16_t size = is_info(n, address) ? c->info_segment : c->segment;
    flash_erase(n, d, address & ~(size - 1u), size);
}

/* ---- operations ---- */

static unsigned generator_clock(unsigned fctl2)
{
    static const uint8_t clocks[4] = {MSP430_ACLK, MSP430_MCLK, MSP430_SMCLK, MSP430_SMCLK};
    return clocks[fctl2 >> 6 & 3];
}

/* The CPU comes back with the first of its cycles after the operation. It owes the cycles from the end of the one it is
 * in, which is the last of its instruction. */
static void hold_cpu(struct node *n, uint64_t end)
{
    const struct clock *cpu = &n->state->clocks[MSP430_MCLK];
    uint64_t back = clock_cycle_at(cpu, end), now = node_cycle(n, MSP430_MCLK);
    if (clock_tick_of(cpu, back) < end)
        back++;
    if (back > now + 1)
        node_stall(n, back - now - 1);
}

static void flash_begin(struct node *n, const struct device *d, enum operation operation, unsigned cycles)
{
    struct state *s = device_state(n, d);
    const struct msp430_cpu *cpu = n->cpu;
    uint8_t fctl2 = *low_byte(n, d, CONTROL_CLOCK);
    unsigned clock = generator_clock(fctl2);
    uint64_t end = node_cycle(n, clock) + (uint64_t)cycles * ((fctl2 & 0x3fu) + 1);
    s->operation = (uint8_t)operation;
    event_at(n, d, 0, clock, end);
    flash_set_status(n, d, BUSY, WAIT);
    if (is_flash(n, cpu->r[MSP430_PC]))
        hold_cpu(n, clock_tick_of(&n->state->clocks[clock], end));
}

static void flash_event(struct node *n, const struct device *d, unsigned event)
{
    struct state *s = device_state(n, d);
    enum operation operation = (enum operation)s->operation;
    (void)event;
    s->operation = NOTHING;
    switch (operation) {
    case WRITES:
    case WRITES_BLOCK: flash_program(n, d); break;
    case ERASES_SEGMENT: erase_segment(n, d, s->address); break;
    case ERASES_ALL: erase_region(n, d, REGION_INFORMATION); /* fall through */
    case ERASES_MAIN: erase_region(n, d, REGION_FLASH); break;
    default: break;
    }
    flash_set_status(n, d, WAIT, operation == WRITES_BLOCK ? 0 : BUSY);
}

/* Access to busy flash (SLAU056, table 5-3): a violation, which locks the flash if a block is being written. */
static void violate(struct node *n, const struct device *d)
{
    const struct state *s = device_state(n, d);
    flash_set_status(n, d, ACCVIFG | (s->in_block ? LOCK : 0), 0);
}

/* A write to busy flash is a violation, but for the next one of a block that waits for it. */
static void code_write(struct node *n, const struct device *d, uint32_t address, unsigned value, unsigned size)
{
    const struct msp430_flash *c = flash_config_of(d);
    struct state *s = device_state(n, d);
    uint8_t mode = *low_byte(n, d, CONTROL_MODE), status = *low_byte(n, d, CONTROL_STATUS);
    if (s->operation || ((status & BUSY) && !s->in_block)) {
        violate(n, d);
        return;
    }
    if ((status & LOCK) || !is_flash(n, address))
        return;
    s->address = (uint16_t)address;
    s->value = (uint16_t)value;
    s->size = (uint8_t)size;
    switch (mode & (ERASE | MERAS)) {
    case ERASE: flash_begin(n, d, ERASES_SEGMENT, c->erase); return;
    case MERAS: flash_begin(n, d, ERASES_MAIN, c->mass_erase); return;
    case ERASE | MERAS: flash_begin(n, d, ERASES_ALL, c->mass_erase); return;
    default: break;
    }
    if (!(mode & WRT)) { /* SLAU056, 5.3.4 */
        flash_set_status(n, d, ACCVIFG, 0);
        return;
    }
    if (!(mode & BLKWRT)) {
        flash_begin(n, d, WRITES, c->word);
    } else if (is_flash(n, ((const struct msp430_cpu *)n->cpu)->r[MSP430_PC])) {
        flash_set_status(n, d, ACCVIFG | LOCK, 0); /* a block can be written by code in RAM only */
    } else {
        flash_begin(n, d, WRITES_BLOCK, s->in_block ? c->next : c->first);
        s->in_block = 1;
    }
}

static uint8_t code_read(struct node *n, const struct device *d, uint32_t address)
{
    const struct state *s = device_state(n, d);
    uint8_t status = *low_byte(n, d, CONTROL_STATUS);
    bool fetched = (address & 0xfffe) == ((const struct msp430_cpu *)n->cpu)->r[MSP430_PC];
    if (!(status & BUSY))
        return pages_get(device_pages(n, d), address);
    if (s->in_block && (fetched || !(status & WAIT))) /* a block that waits lets data be read, as 0x3fff */
        violate(n, d);
    return read_while_busy[address & 1];
}

/* ---- writes to the registers ---- */

static void end_block(struct node *n, const struct device *d)
{
    struct state *s = device_state(n, d);
    s->in_block = 0;
    flash_begin(n, d, ENDS_BLOCK, flash_config_of(d)->after);
}

static void write_mode(struct node *n, const struct device *d, unsigned value)
{
    const struct state *s = device_state(n, d);
    uint8_t status = *low_byte(n, d, CONTROL_STATUS), *mode = low_byte(n, d, CONTROL_MODE);
    bool waits = s->in_block && (status & WAIT);
    if ((status & BUSY) && !waits) {
        flash_set_status(n, d, ACCVIFG, 0);
        return;
    }
    *mode = value & FCTL1_BITS;
    if (waits && !(value & BLKWRT))
        end_block(n, d);
}

/* EMEX "stops any erase or write operation"; LOCK ends a block that waits. */
static void flash_write_status(struct node *n, const struct device *d, unsigned value)
{
    struct state *s = device_state(n, d);
    bool waits = s->in_block && (*low_byte(n, d, CONTROL_STATUS) & WAIT);
    flash_set_status(n, d, value & (KEYV | ACCVIFG | LOCK), KEYV | ACCVIFG | LOCK);
    s->key_violation = (value & KEYV) != 0;
    if (value & EMEX) {
        *s = (struct state){.key_violation = s->key_violation};
        event_cancel(n, d, 0);
        *low_byte(n, d, CONTROL_MODE) = 0;
        flash_set_status(n, d, WAIT | LOCK, BUSY);
    } else if (waits && (value & LOCK)) {
        *low_byte(n, d, CONTROL_MODE) &= (uint8_t)~BLKWRT;
        end_block(n, d);
    }
}

static void flash_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    struct state *s = device_state(n, d);
    (void)old;
    if (value >> 8 != WRITE_KEY) {
        s->key_violation = 1;
        flash_set_status(n, d, KEYV, 0);
        node_request_reset(n, RESET_SOFTWARE);
        return;
    }
    if (role == CONTROL_MODE)
        write_mode(n, d, value);
    else if (role == CONTROL_STATUS)
        flash_write_status(n, d, value);
    else if (*low_byte(n, d, CONTROL_STATUS) & BUSY)
        flash_set_status(n, d, ACCVIFG, 0);
    else
        *low_byte(n, d, CONTROL_CLOCK) = (uint8_t)value;
}

static void flash_restored(struct node *n, const struct device *d)
{
    n->code_reads_differ = *low_byte(n, d, CONTROL_STATUS) & BUSY;
}

const struct device_type msp430_flash = {
    .name = "flash",
    .core = true,
    .state_size = sizeof(struct state),
    .events = 1,
    .connect = flash_connect,
    .reset = flash_reset,
    .event = flash_event,
    .write = flash_write,
    .code_read = code_read,
    .code_write = code_write,
    .restored = flash_restored,
};
