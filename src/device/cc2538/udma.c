#include "device/cc2538/udma.h"

#include "isa/cortex/memory.h"

enum {
    STAT = 0x00,
    CFG = 0x04,
    CTLBASE = 0x08,
    ALTBASE = 0x0c,
    WAITSTAT = 0x10,
    SWREQ = 0x14,
    SETS = 0x18, /* five pairs of set and clear: burst, mask, enable, alternate, priority */
    ENABLES = 2,
    ALTERNATES = 3,
    PAIRS = 5,
    ERRCLR = 0x4c,
    CHASGN = 0x500,
    CHIS = 0x504,
    CHMAP0 = 0x510,
};
enum { ROLE_CFG, ROLE_CTLBASE, ROLE_SWREQ, ROLE_CHIS, ROLE_ERRCLR, ROLE_SETS = 8 };
enum { STOP, BASIC, AUTO };

static uint32_t udma_load(struct node *n, uint32_t address, unsigned size)
{
    return cortex_load_any(n, 0, address, size, false);
}

/* An address goes on by 1, 2 or 4 bytes with each item, or not at all; the pointer given is that of the last one. */
static uint32_t udma_address(uint32_t end, unsigned step, uint32_t left)
{
    return step == 3 ? end : end - (left << step);
}

/* The control structure of a channel: source's end, destination's end, control word. */
static void udma_transfer(struct node *n, const struct device *d, unsigned channel)
{
    uint32_t alternate = block32_get(n, d, SETS + 8 * ALTERNATES) >> channel & 1;
    uint32_t at = block32_get(n, d, CTLBASE) + 16 * channel + (alternate ? 0x200 : 0),
             control = udma_load(n, at + 8, 4);
    uint32_t from = udma_load(n, at, 4), to = udma_load(n, at + 4, 4), left = (control >> 4 & 0x3ff) + 1;
    unsigned mode = control & 7, size = control >> 24 & 3, to_step = control >> 30, from_step = control >> 26 & 3;
    uint32_t items = mode == AUTO ? left : 1u << (control >> 14 & 15);
    if (mode != BASIC && mode != AUTO) {
        if (mode != STOP)
            node_unspecified(n, d, 1);
        return;
    }
    for (items = items < left ? items : left; items; items--) {
        left--;
        uint32_t item = udma_load(n, udma_address(from, from_step, left), 1u << size);
        cortex_store_any(n, 0, udma_address(to, to_step, left), item, 1u << size, false);
    }
    control &= ~0x3ff0u;
    control = left ? control | (left - 1) << 4 : control & ~7u;
    cortex_store_any(n, 0, at + 8, control, 4, false);
    if (left)
        return;
    uint32_t on = block32_get(n, d, SETS + 8 * ENABLES) & ~(1u << channel);
    block32_set(n, d, SETS + 8 * ENABLES, on);
    block32_set(n, d, SETS + 8 * ENABLES + 4, on);
    block32_set(n, d, CHIS, block32_get(n, d, CHIS) | 1u << channel);
    node_irq(n, block32_of(d)->line, true);
    node_irq(n, block32_of(d)->line, false);
}

static void udma_connect(const struct device *d, struct wiring *w)
{
    block32_plain(w, d, STAT, 0);
    block32_told(w, d, CFG, ROLE_CFG, WIRE_WRITE);
    block32_told(w, d, CTLBASE, ROLE_CTLBASE, WIRE_STORE);
    block32_plain(w, d, ALTBASE, 0);
    block32_plain(w, d, WAITSTAT, 0);
    block32_told(w, d, SWREQ, ROLE_SWREQ, WIRE_WRITE);
    for (unsigned i = 0; i < 2 * PAIRS; i++)
        block32_told(w, d, SETS + 4 * i, ROLE_SETS + i, WIRE_WRITE);
    block32_told(w, d, ERRCLR, ROLE_ERRCLR, WIRE_WRITE);
    block32_plain(w, d, CHASGN, 0xffffffff);
    block32_told(w, d, CHIS, ROLE_CHIS, WIRE_WRITE);
    for (unsigned i = 0; i < 4; i++)
        block32_plain(w, d, CHMAP0 + 4 * i, 0xffffffff);
    wire_interrupt(w, d, block32_of(d)->line, 0);
}

static void udma_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    block32_set(n, d, STAT, 0x001f0000);
    block32_set(n, d, ALTBASE, 0x200);
}

static void udma_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    if (role >= ROLE_SETS) {
        uint32_t pair = SETS + 8 * ((role - ROLE_SETS) / 2), before = block32_get(n, d, pair);
        uint32_t after = (role - ROLE_SETS) % 2 ? before & ~value : before | value;
        block32_set(n, d, pair, after);
        block32_set(n, d, pair + 4, after);
        if (role == ROLE_SETS + 2 * ENABLES && value & ~block32_get(n, d, SETS + 8))
            node_unspecified(n, d, 0);
    } else if (role == ROLE_CFG) {
        block32_set(n, d, STAT, 0x001f0000 | (value & 1));
    } else if (role == ROLE_CTLBASE) {
        block32_set(n, d, CTLBASE, value & 0xfffffc00);
        block32_set(n, d, ALTBASE, (value & 0xfffffc00) + 0x200);
    } else if (role == ROLE_CHIS) {
        block32_set(n, d, CHIS, block32_get(n, d, CHIS) & ~value);
    } else if (role == ROLE_SWREQ && block32_get(n, d, STAT) & 1) {
        for (uint32_t on = value & block32_get(n, d, SETS + 8 * ENABLES); on; on &= on - 1)
            udma_transfer(n, d, (unsigned)__builtin_ctz(on));
    }
}

static const char *const udma_unspecified[] = {
    "a channel of the uDMA is enabled for the requests of a peripheral, which Motet does not have: only software "
    "requests move anything",
    "a channel of the uDMA is started in ping-pong or scatter-gather mode, which Motet does not have: it moves nothing",
};

const struct device_type cc2538_udma = {
    .name = "udma",
    .connect = udma_connect,
    .reset = udma_reset,
    .write = udma_write,
    .unspecified = udma_unspecified,
};
