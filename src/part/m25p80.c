#include "part/m25p80.h"

#include "base/pages.h"
#include "node/node.h"
#include "node/pins.h"
#include "node/taps.h"

enum { PAGE = 256, SECTOR = 1 << 16, SECTORS = M25P80_SIZE / SECTOR };
enum { WIP = 1, WEL = 2, BP = 2, BP_MASK = 0x1c, SRWD = 0x80 };
enum instruction_code {
    WRSR = 0x01,
    PP = 0x02,
    READ = 0x03,
    WRDI = 0x04,
    RDSR = 0x05,
    WREN = 0x06,
    FAST_READ = 0x0b,
    RDID = 0x9f,
    RES = 0xab,
    DP = 0xb9,
    BE = 0xc7,
    SE = 0xd8,
};
enum { SIGNATURE = 0x13 };
enum { EVENT_DONE, EVENT_POWER, EVENTS };
enum { ROLE_SELECT, ROLE_CLOCK };

/* Typical, "AC Characteristics", of the 40 MHz part that TelosB has (August 2005; a page in 1.4 ms: "Features
 * Summary"). That a program of n bytes takes 0.4 ms and n/256 ms is from memory of its table. Power-down and release
 * are maxima. */
static const double write_status_seconds = 5e-3, program_seconds = 0.4e-3, byte_seconds = 1e-3 / PAGE,
                    sector_seconds = 1, bulk_seconds = 10, power_down_seconds = 3e-6, release_seconds = 1.8e-6;

struct state {
    uint32_t count;   /* bytes since S fell */
    uint32_t address; /* as it was sent; READ counts it up */
    uint8_t code;
    uint8_t status;
    uint8_t asleep; /* in deep power-down, or on the way out of it */
    uint8_t selected;
    uint8_t value;               /* the last byte after the address or instruction */
    uint8_t bits, in, out;       /* of a byte that is moved bit by bit: how many, and what came and goes */
    uint32_t busy_at, busy_size; /* what is being written, if anything is */
    uint8_t written[PAGE / 8];
    uint8_t buffer[PAGE];
};

static void m25p80_connect(const struct device *d, struct wiring *w)
{
    const struct m25p80 *c = d->config;
    wire_spi(w, d, c->bus, 0);
    wire_pin(w, d, c->select, ROLE_SELECT);
    wire_pin(w, d, c->clock, ROLE_CLOCK);
    wire_drive(w, d, c->out);
    wire_pages(w, d, M25P80_SIZE, 0xff);
}

static void m25p80_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    const struct m25p80 *c = d->config;
    struct state *s = device_state(n, d);
    (void)cause;
    *s = (struct state){.status = 0};
    pin_drive(n, c->select, PIN_PULLED_UP);
    pin_drive(n, c->hold, PIN_PULLED_UP);
}

/* ---- reading ---- */

static bool m25p80_held(const struct node *n, const struct m25p80 *c)
{
    return c->hold != PIN_NONE && !pin_level(n, c->hold);
}

static uint8_t read_on(struct node *n, const struct device *d, struct state *s)
{
    uint8_t byte = pages_get(device_pages(n, d), s->address);
    s->address = (s->address + 1) % M25P80_SIZE;
    return byte;
}

/* What the memory puts out while byte number `count` comes in. */
static uint8_t m25p80_answer(struct node *n, const struct device *d, struct state *s)
{
    static const uint8_t identification[3] = {0x20, 0x20, 0x14};
    switch (s->count ? s->code : 0) {
    case RDSR: return s->status;
    case RDID: return s->count <= 3 ? identification[s->count - 1] : 0xff;
    case READ: return s->count >= 4 ? read_on(n, d, s) : 0xff;
    case FAST_READ: return s->count >= 5 ? read_on(n, d, s) : 0xff;
    case RES: return s->count >= 4 ? SIGNATURE : 0xff;
    default: return 0xff;
    }
}

/* ---- taking bytes ---- */

static bool accepted(const struct state *s, uint8_t code)
{
    if (s->asleep)
        return code == RES;
    return !(s->status & WIP) || code == RDSR;
}

static void take_page_byte(struct state *s, uint8_t byte)
{
    unsigned at = (s->address + s->count - 4) % PAGE; /* wraps in the page: of more than 256 the last count */
    s->buffer[at] = byte;
    s->written[at / 8] |= (uint8_t)(1u << at % 8);
}

static void m25p80_take(struct state *s, uint8_t byte)
{
    if (s->count == 0) {
        s->code = accepted(s, byte) ? byte : 0;
        s->address = 0;
    } else if (s->count <= 3 && s->code != WRSR) {
        s->address = (s->address << 8 | byte) % M25P80_SIZE;
    } else if (s->code == PP) {
        take_page_byte(s, byte);
    }
    s->value = byte;
    s->count++;
}

/* Bits by hand, "SPI Modes": D is taken with the rising edge of C, Q changes with the falling one. */
static void clocked(struct node *n, const struct device *d, bool rising)
{
    const struct m25p80 *c = d->config;
    struct state *s = device_state(n, d);
    if (!s->selected || m25p80_held(n, c))
        return;
    if (!rising) {
        if (s->bits == 0)
            s->out = m25p80_answer(n, d, s);
        pin_drive(n, c->out, s->out >> (7 - s->bits) & 1 ? PIN_HIGH : PIN_LOW);
        return;
    }
    s->in = (uint8_t)(s->in << 1 | pin_level(n, c->in));
    if (++s->bits == 8) {
        s->bits = 0;
        m25p80_take(s, s->in);
    }
}

static uint8_t m25p80_spi(struct node *n, const struct device *d, unsigned role, uint8_t byte)
{
    const struct m25p80 *c = d->config;
    struct state *s = device_state(n, d);
    (void)role;
    if (!s->selected || m25p80_held(n, c))
        return 0xff;
    uint8_t out = m25p80_answer(n, d, s);
    m25p80_take(s, byte);
    return out;
}

/* ---- executing ---- */

/* "Protected Area Sizes": the upper 1, 2, 4, 8 or all of 16 sectors. */
static bool is_protected(const struct state *s, uint32_t address)
{
    unsigned bp = (s->status & BP_MASK) >> BP, sectors = bp == 0 ? 0 : bp >= 5 ? SECTORS : 1u << (bp - 1);
    return address / SECTOR >= SECTORS - sectors;
}

static void m25p80_busy(struct node *n, const struct device *d, double seconds, uint32_t at, uint32_t size)
{
    struct state *s = device_state(n, d);
    s->status |= WIP;
    s->busy_at = at;
    s->busy_size = size;
    event_in(n, d, EVENT_DONE, CLOCK_TICK, node_ticks(n, seconds));
}

static void program_page(struct node *n, const struct device *d)
{
    struct state *s = device_state(n, d);
    struct pages *memory = device_pages(n, d);
    uint32_t start = s->address & ~(uint32_t)(PAGE - 1);
    unsigned bytes = 0;
    for (unsigned i = 0; i < PAGE; i++)
        if (s->written[i / 8] >> i % 8 & 1) {
            pages_set(memory, start + i, pages_get(memory, start + i) & s->buffer[i]);
            bytes++;
        }
    m25p80_busy(n, d, program_seconds + bytes * byte_seconds, start, PAGE);
}

static void m25p80_write_status(struct node *n, const struct device *d)
{
    const struct m25p80 *c = d->config;
    struct state *s = device_state(n, d);
    bool hardware = c->write_protect != PIN_NONE && !pin_level(n, c->write_protect);
    if (s->status & SRWD && hardware)
        return;
    s->status = (uint8_t)((s->status & (WIP | WEL)) | (s->value & (SRWD | BP_MASK)));
    m25p80_busy(n, d, write_status_seconds, 0, 0);
}

static void execute_write(struct node *n, const struct device *d)
{
    struct state *s = device_state(n, d);
    switch (s->code) {
    case WRSR:
        if (s->count == 2)
            m25p80_write_status(n, d);
        break;
    case PP:
        if (s->count >= 5 && !is_protected(s, s->address))
            program_page(n, d);
        break;
    case SE:
        if (s->count == 4 && !is_protected(s, s->address)) {
            uint32_t start = s->address & ~(uint32_t)(SECTOR - 1);
            pages_fill(device_pages(n, d), start, 0xff, SECTOR);
            m25p80_busy(n, d, sector_seconds, start, SECTOR);
        }
        break;
    case BE:
        if (s->count == 1 && !(s->status & BP_MASK)) {
            pages_fill(device_pages(n, d), 0, 0xff, M25P80_SIZE);
            m25p80_busy(n, d, bulk_seconds, 0, M25P80_SIZE);
        }
        break;
    }
}

static void m25p80_execute(struct node *n, const struct device *d)
{
    struct state *s = device_state(n, d);
    switch (s->code) {
    case WREN: s->status |= s->count == 1 ? WEL : 0; break;
    case WRDI: s->status &= (uint8_t)(s->count == 1 ? ~WEL : 0xff); break;
    case DP:
        if (s->count == 1) {
            s->asleep = 1;
            event_in(n, d, EVENT_POWER, CLOCK_TICK, node_ticks(n, power_down_seconds));
        }
        break;
    case RES:
        if (s->asleep)
            event_in(n, d, EVENT_POWER, CLOCK_TICK, node_ticks(n, s->count > 1 ? release_seconds : power_down_seconds));
        break;
    default:
        if (s->status & WEL)
            execute_write(n, d);
        break;
    }
}

static void m25p80_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    const struct m25p80 *c = d->config;
    struct state *s = device_state(n, d);
    if (role == ROLE_CLOCK) {
        clocked(n, d, level);
        return;
    }
    if (level && s->selected && s->count && s->bits == 0) /* else S rose within a byte */
        m25p80_execute(n, d);
    if (level)
        pin_drive(n, c->out, PIN_FLOATING);
    s->selected = !level;
    s->bits = 0;
    s->count = s->address = 0;
    s->code = s->value = 0;
    for (unsigned i = 0; i < sizeof s->written; i++)
        s->written[i] = 0;
    for (unsigned i = 0; i < PAGE; i++)
        s->buffer[i] = 0;
    if (taps_wanted(n, MOTET_ON(PART)))
        taps_part(n, d);
}

static void m25p80_power_fails(struct node *n, const struct device *d)
{
    const struct state *s = device_state(n, d);
    for (uint32_t i = 0; s->status & WIP && i < s->busy_size; i++)
        pages_set(device_pages(n, d), s->busy_at + i, (uint8_t)node_random(n));
}

/* WEL goes with the end of what it allowed. DP and RES each end with the other state. */
static void m25p80_event(struct node *n, const struct device *d, unsigned which)
{
    struct state *s = device_state(n, d);
    if (which == EVENT_DONE)
        s->status &= (uint8_t) ~(WIP | WEL);
    else
        s->asleep = s->asleep == 1 ? 2 : 0;
    if (taps_wanted(n, MOTET_ON(PART)))
        taps_part(n, d);
}

static const char *m25p80_doing(const struct node *n, const struct device *d)
{
    const struct state *s = device_state(n, d);
    return s->status & WIP ? "write" : s->asleep == 2 ? "power-down" : s->selected ? "read" : "standby";
}

const struct device_type part_m25p80 = {
    .memory = MEMORY_DATA_FLASH,
    .name = "m25p80",
    .state_size = sizeof(struct state),
    .events = EVENTS,
    .connect = m25p80_connect,
    .reset = m25p80_reset,
    .power_fails = m25p80_power_fails,
    .event = m25p80_event,
    .input = m25p80_input,
    .spi = m25p80_spi,
    .doing = m25p80_doing,
};
