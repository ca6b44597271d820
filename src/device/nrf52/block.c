#include "device/nrf52/block.h"

#include "device/cortex/register32.h"
#include "isa/cortex/memory.h"

enum {
    PPI_CHEN = 0x500,
    PPI_CHENSET = 0x504,
    PPI_CHENCLR = 0x508,
    PPI_ENDPOINTS = 0x510,
    PPI_GROUPS = 0x800,
    PPI_FORKS = 0x910,
    PPI_GROUP_COUNT = 6
};

static const struct nrf52_block *nrf52_block_of(const struct device *d)
{
    return d->config;
}

void nrf52_told(struct wiring *w, const struct device *d, uint32_t offset, unsigned role, unsigned mode)
{
    wire_register(w, d, nrf52_block_of(d)->base + offset, role, WIRE_LONG | mode, mode & WIRE_STORE ? 0xffffffff : 0);
}

void nrf52_plain(struct wiring *w, const struct device *d, uint32_t offset, uint32_t mask)
{
    wire_register(w, d, nrf52_block_of(d)->base + offset, 0, WIRE_LONG | WIRE_PLAIN, mask);
}

void nrf52_block_wire(struct wiring *w, const struct device *d, uint32_t tasks, uint32_t events, uint32_t shorts)
{
    const struct nrf52_block *b = nrf52_block_of(d);
    for (unsigned i = 0; i < 32; i++) {
        if (tasks >> i & 1)
            nrf52_told(w, d, 4 * i, NRF52_TASK + i, WIRE_WRITE);
        if (events >> i & 1)
            nrf52_told(w, d, NRF52_EVENTS + 4 * i, NRF52_EVENT + i, WIRE_WRITE);
    }
    if (shorts)
        nrf52_plain(w, d, NRF52_SHORTS, shorts);
    if (b->line) {
        nrf52_told(w, d, NRF52_INTEN, NRF52_ROLE_INTEN, WIRE_STORE);
        nrf52_told(w, d, NRF52_INTENSET, NRF52_ROLE_INTENSET, WIRE_WRITE);
        nrf52_told(w, d, NRF52_INTENCLR, NRF52_ROLE_INTENCLR, WIRE_WRITE);
        wire_interrupt(w, d, b->line, 0);
    }
}

uint32_t nrf52_get(const struct node *n, const struct device *d, uint32_t offset)
{
    return register32_get(n, nrf52_block_of(d)->base + offset);
}

void nrf52_set(struct node *n, const struct device *d, uint32_t offset, uint32_t value)
{
    register32_set(n, nrf52_block_of(d)->base + offset, value);
}

bool nrf52_enabled(const struct node *n, const struct device *d, unsigned event)
{
    return nrf52_get(n, d, NRF52_INTEN) >> event & 1;
}

static void nrf52_block_ask(struct node *n, const struct device *d)
{
    uint32_t enabled = nrf52_get(n, d, NRF52_INTEN), asks = 0;
    for (uint32_t bits = enabled; bits && !asks; bits &= bits - 1)
        asks = nrf52_get(n, d, NRF52_EVENTS + 4 * (uint32_t)__builtin_ctz(bits));
    node_irq(n, nrf52_block_of(d)->line, asks);
}

static void nrf52_block_enable(struct node *n, const struct device *d, uint32_t enabled)
{
    nrf52_set(n, d, NRF52_INTEN, enabled);
    nrf52_set(n, d, NRF52_INTENSET, enabled);
    nrf52_set(n, d, NRF52_INTENCLR, enabled);
    nrf52_block_ask(n, d);
}

bool nrf52_block_write(struct node *n, const struct device *d, unsigned role, uint32_t value)
{
    uint32_t enabled = nrf52_block_of(d)->line ? nrf52_get(n, d, NRF52_INTEN) : 0;
    if (role >= NRF52_EVENT && role < NRF52_ROLE_INTEN) {
        nrf52_set(n, d, NRF52_EVENTS + 4 * (role - NRF52_EVENT), value & 1);
        if (nrf52_block_of(d)->line)
            nrf52_block_ask(n, d);
    } else if (role == NRF52_ROLE_INTEN) {
        nrf52_block_enable(n, d, value);
    } else if (role == NRF52_ROLE_INTENSET) {
        nrf52_block_enable(n, d, enabled | value);
    } else if (role == NRF52_ROLE_INTENCLR) {
        nrf52_block_enable(n, d, enabled & ~value);
    } else {
        return false;
    }
    return true;
}

uint8_t nrf52_dma_fetch(const struct node *n, uint32_t address)
{
    uint8_t byte = 0;
    return map_is_register(n->machine, address) || !map_peek(n, address, &byte, 1) ? 0 : byte;
}

void nrf52_dma_store(struct node *n, uint32_t address, uint8_t byte)
{
    if (!map_is_register(n->machine, address) && map_place(n->machine, address) != MAP_NOWHERE)
        cortex_write(n, address, byte, 1);
}

/* ---- the interconnect ---- */

static void nrf52_trigger(struct node *n, uint32_t task)
{
    if (task && map_is_register(n->machine, task))
        node_write_long(n, task, 1);
}

/* Channels 20 to 31 have fixed ends (Product Specification, table of pre-programmed channels). */
static const struct {
    uint32_t event, task;
} nrf52_fixed[12] = {
    {0x40008140, 0x40001000}, {0x40008140, 0x40001004}, {0x40008144, 0x40001010}, {0x40001104, 0x4000f000},
    {0x40001108, 0x4000f008}, {0x4000110c, 0x40008048}, {0x4000b140, 0x40008004}, {0x4000b140, 0x40001000},
    {0x4000b140, 0x40001004}, {0x4000b140, 0x40008048}, {0x40001104, 0x40008044}, {0x4000110c, 0x40008048},
};

static void nrf52_interconnect(struct node *n, uint32_t event)
{
    uint32_t channels = register32_get(n, NRF52_PPI + PPI_CHEN);
    for (; channels; channels &= channels - 1) {
        unsigned c = (unsigned)__builtin_ctz(channels);
        bool fixed = c >= 20;
        uint32_t end = fixed ? nrf52_fixed[c - 20].event : register32_get(n, NRF52_PPI + PPI_ENDPOINTS + 8 * c);
        if (end != event)
            continue;
        nrf52_trigger(n, fixed ? nrf52_fixed[c - 20].task : register32_get(n, NRF52_PPI + PPI_ENDPOINTS + 8 * c + 4));
        nrf52_trigger(n, register32_get(n, NRF52_PPI + PPI_FORKS + 4 * c));
    }
}

void nrf52_happens(struct node *n, const struct device *d, unsigned event)
{
    const struct nrf52_block *b = nrf52_block_of(d);
    uint32_t offset = NRF52_EVENTS + 4 * event;
    nrf52_set(n, d, offset, 1);
    if (b->line && nrf52_enabled(n, d, event))
        node_irq(n, b->line, true);
    nrf52_interconnect(n, b->base + offset);
}

enum { ROLE_CHEN = NRF52_OWN, ROLE_CHENSET, ROLE_CHENCLR };

static void nrf52_ppi_connect(const struct device *d, struct wiring *w)
{
    for (unsigned i = 0; i < 2 * PPI_GROUP_COUNT; i++)
        nrf52_told(w, d, 4 * i, NRF52_TASK + i, WIRE_WRITE);
    nrf52_told(w, d, PPI_CHEN, ROLE_CHEN, WIRE_STORE);
    nrf52_told(w, d, PPI_CHENSET, ROLE_CHENSET, WIRE_WRITE);
    nrf52_told(w, d, PPI_CHENCLR, ROLE_CHENCLR, WIRE_WRITE);
    for (unsigned i = 0; i < 20; i++) {
        nrf52_plain(w, d, PPI_ENDPOINTS + 8 * i, 0xffffffff);
        nrf52_plain(w, d, PPI_ENDPOINTS + 8 * i + 4, 0xffffffff);
    }
    for (unsigned i = 0; i < PPI_GROUP_COUNT; i++)
        nrf52_plain(w, d, PPI_GROUPS + 4 * i, 0xffffffff);
    for (unsigned i = 0; i < NRF52_PPI_CHANNELS; i++)
        nrf52_plain(w, d, PPI_FORKS + 4 * i, 0xffffffff);
}

static void nrf52_ppi_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    uint32_t enabled = nrf52_get(n, d, PPI_CHEN);
    if (role < 2 * PPI_GROUP_COUNT) { /* CHG[i].EN, CHG[i].DIS */
        uint32_t group = nrf52_get(n, d, PPI_GROUPS + 4 * (role / 2));
        enabled = !(value & 1) ? enabled : role & 1 ? enabled & ~group : enabled | group;
    } else {
        enabled = role == ROLE_CHENSET ? enabled | value : role == ROLE_CHENCLR ? enabled & ~value : value;
    }
    nrf52_set(n, d, PPI_CHEN, enabled);
    nrf52_set(n, d, PPI_CHENSET, enabled);
    nrf52_set(n, d, PPI_CHENCLR, enabled);
}

const struct device_type nrf52_ppi = {
    .name = "ppi",
    .connect = nrf52_ppi_connect,
    .write = nrf52_ppi_write,
};
