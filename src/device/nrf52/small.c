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
