#include "device/nrf52/small.h"

#include "device/cortex/register32.h"
#include "isa/cortex/memory.h"
#include "part/aes.h"

/* ---- random numbers: a byte in 30 us, 120 us with bias correction ---- */

enum { RNG_CONFIG = 0x504, RNG_VALUE = 0x508 };

static void nrf52_rng_connect(const struct device *d, struct wiring *w)
{
    nrf52_block_wire(w, d, 3, 1, 1);
    nrf52_plain(w, d, RNG_CONFIG, 1);
    nrf52_plain(w, d, RNG_VALUE, 0);
}

static void nrf52_rng_next(struct node *n, const struct device *d)
{
    double us = nrf52_get(n, d, RNG_CONFIG) & 1 ? 120 : 30;
    event_in(n, d, 0, CLOCK_TICK, node_ticks(n, us * 1e-6));
}

static void nrf52_rng_event(struct node *n, const struct device *d, unsigned event)
{
    (void)event;
    nrf52_set(n, d, RNG_VALUE, node_random(n) & 0xff);
    if (!(nrf52_get(n, d, NRF52_SHORTS) & 1))
        nrf52_rng_next(n, d);
    nrf52_happens(n, d, 0);
}

static void nrf52_rng_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    if (nrf52_block_write(n, d, role, value) || !(value & 1))
        return;
    if (role == 0)
        nrf52_rng_next(n, d);
    else
        event_cancel(n, d, 0);
}

const struct device_type nrf52_rng = {
    .name = "rng",
    .events = 1,
    .connect = nrf52_rng_connect,
    .event = nrf52_rng_event,
    .write = nrf52_rng_write,
};

/* ---- temperature: 36 us, steps of a quarter of a degree ---- */

enum { TEMP_VALUE = 0x508, TEMP_OFFSET = 0x520, TEMP_END = 0x564 };

static void nrf52_temp_connect(const struct device *d, struct wiring *w)
{
    nrf52_block_wire(w, d, 3, 1, 0);
    nrf52_plain(w, d, TEMP_VALUE, 0);
    for (uint32_t offset = TEMP_OFFSET; offset <= TEMP_END; offset += 4)
        nrf52_plain(w, d, offset, 0xfff);
}

static void nrf52_temp_event(struct node *n, const struct device *d, unsigned event)
{
    (void)event;
    nrf52_set(n, d, TEMP_VALUE, 4 * 25);
    nrf52_happens(n, d, 0);
}

static void nrf52_temp_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    if (nrf52_block_write(n, d, role, value) || !(value & 1))
        return;
    if (role == 0)
        event_in(n, d, 0, CLOCK_TICK, node_ticks(n, 36e-6));
    else
        event_cancel(n, d, 0);
}

const struct device_type nrf52_temp = {
    .name = "temp",
    .events = 1,
    .connect = nrf52_temp_connect,
    .event = nrf52_temp_event,
    .write = nrf52_temp_write,
};

/* ---- EGU: each task is its event ---- */

static void nrf52_egu_connect(const struct device *d, struct wiring *w)
{
    nrf52_block_wire(w, d, 0xffff, 0xffff, 0);
}

static void nrf52_egu_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    if (!nrf52_block_write(n, d, role, value) && value & 1)
        nrf52_happens(n, d, role);
}

const struct device_type nrf52_egu = {
    .name = "egu",
    .connect = nrf52_egu_connect,
    .write = nrf52_egu_write,
};

/* ---- ECB: key, clear text and result one after the other in RAM; 7.2 us ---- */

enum { ECB_POINTER = 0x504 };

static void nrf52_ecb_connect(const struct device *d, struct wiring *w)
{
    nrf52_block_wire(w, d, 3, 3, 0);
    nrf52_plain(w, d, ECB_POINTER, 0xffffffff);
}

static void nrf52_ecb_event(struct node *n, const struct device *d, unsigned event)
{
    uint32_t at = nrf52_get(n, d, ECB_POINTER);
    uint8_t key[AES_BLOCK], block[AES_BLOCK];
    (void)event;
    if (map_is_register(n->machine, at) || !map_peek(n, at, key, AES_BLOCK) ||
        !map_peek(n, at + AES_BLOCK, block, AES_BLOCK) || !map_holds(n->machine, at + 2 * AES_BLOCK, AES_BLOCK)) {
        nrf52_happens(n, d, 1);
        return;
    }
    aes_encrypt(key, block);
    for (unsigned i = 0; i < AES_BLOCK; i++)
        cortex_write(n, at + 2 * AES_BLOCK + i, block[i], 1);
    nrf52_happens(n, d, 0);
}

static void nrf52_ecb_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    if (nrf52_block_write(n, d, role, value) || !(value & 1))
        return;
    if (role == 0)
        event_in(n, d, 0, CLOCK_TICK, node_ticks(n, 7.2e-6));
    else
        event_cancel(n, d, 0);
}

const struct device_type nrf52_ecb = {
    .name = "ecb",
    .events = 1,
    .connect = nrf52_ecb_connect,
    .event = nrf52_ecb_event,
    .write = nrf52_ecb_write,
};

/* ---- facts about the chip ---- */

#define FICR     0x10000000u
#define UICR     0x10001000u
#define REVISION 0xf0000fe0u

static void nrf52_facts_connect(const struct device *d, struct wiring *w)
{
    for (uint32_t offset = 0; offset < 0x460; offset += 4) {
        wire_register(w, d, FICR + offset, 0, WIRE_LONG | WIRE_PLAIN, 0);
        if (offset < 0x310)
            wire_register(w, d, UICR + offset, 0, WIRE_LONG | WIRE_PLAIN, 0);
    }
    for (uint32_t offset = 0; offset < 0x20; offset += 4)
        wire_register(w, d, REVISION + offset, 0, WIRE_LONG | WIRE_PLAIN, 0);
}

static void nrf52_facts_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    static const struct {
        uint16_t offset;
        uint32_t value;
    } facts[] = {{0x010, 4096},       {0x014, 256},    {0x0a0, 1},   {0x100, 0x52840},
                 {0x104, 0x41414330}, {0x108, 0x2004}, {0x10c, 256}, {0x110, 1024}};
    (void)d, (void)cause;
    for (uint32_t offset = 0; offset < 0x460; offset += 4) {
        register32_set(n, FICR + offset, 0xffffffff);
        if (offset < 0x310)
            register32_set(n, UICR + offset, 0xffffffff);
    }
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        register32_set(n, FICR + facts[i].offset, facts[i].value);
    /* Each node has numbers of its own, which follow from its id alone. */
    uint32_t id = n->id;
    register32_set(n, FICR + 0x060, 0x4d6f7465u ^ id * 2654435761u);
    register32_set(n, FICR + 0x064, 0x74210000u + id);
    register32_set(n, FICR + 0x0a4, 0x00100000u + id);
    register32_set(n, FICR + 0x0a8, 0x0000c0deu);
    register32_set(n, REVISION, 0x08);
    register32_set(n, REVISION + 4, 0x00);
    register32_set(n, REVISION + 8, 0x30);
}

const struct device_type nrf52_facts = {
    .name = "facts",
    .connect = nrf52_facts_connect,
    .reset = nrf52_facts_reset,
};
