#include "device/nrf52/wdt.h"

#include "device/nrf52/clock.h"
#include "node/clock.h"

enum {
    START,
    TIMEOUT = 0,
    RUNSTATUS = 0x400,
    REQSTATUS = 0x404,
    CRV = 0x504,
    RREN = 0x508,
    CONFIG = 0x50c,
    RR = 0x600,
    RELOADS = 8
};
enum { ROLE_RR = NRF52_OWN };
enum { EVENT_TIMEOUT };
#define RELOAD 0x6e524635u

static void nrf52_wdt_connect(const struct device *d, struct wiring *w)
{
    nrf52_block_wire(w, d, 1, 1, 0);
    nrf52_plain(w, d, RUNSTATUS, 0);
    nrf52_plain(w, d, REQSTATUS, 0);
    nrf52_plain(w, d, CRV, 0xffffffff);
    nrf52_plain(w, d, RREN, 0xff);
    nrf52_plain(w, d, CONFIG, 0x9);
    for (unsigned i = 0; i < RELOADS; i++)
        nrf52_told(w, d, RR + 4 * i, ROLE_RR + i, WIRE_WRITE);
    wire_instruction(w, d, INSTRUCTION_WATCHDOG_RESET);
}

static void nrf52_wdt_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    nrf52_set(n, d, CRV, 0xffffffff);
    nrf52_set(n, d, RREN, 1);
    nrf52_set(n, d, CONFIG, 1);
}

static void nrf52_wdt_restart(struct node *n, const struct device *d)
{
    uint64_t cycles = (uint64_t)nrf52_get(n, d, CRV) + 1;
    nrf52_set(n, d, REQSTATUS, nrf52_get(n, d, RREN));
    event_in(n, d, EVENT_TIMEOUT, NRF52_CLOCK_32K, cycles < 0xf ? 0xf : cycles);
}

static void nrf52_wdt_event(struct node *n, const struct device *d, unsigned event)
{
    (void)event;
    nrf52_happens(n, d, TIMEOUT);
    node_request_reset(n, RESET_WATCHDOG);
}

static void nrf52_wdt_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    if (nrf52_block_write(n, d, role, value))
        return;
    if (role == START) {
        if (value & 1 && !nrf52_get(n, d, RUNSTATUS)) {
            nrf52_set(n, d, RUNSTATUS, 1);
            nrf52_wdt_restart(n, d);
        }
        return;
    }
    uint32_t asked = nrf52_get(n, d, REQSTATUS);
    if (value != RELOAD || !nrf52_get(n, d, RUNSTATUS))
        return;
    asked &= ~(1u << (role - ROLE_RR));
    nrf52_set(n, d, REQSTATUS, asked);
    if (!asked)
        nrf52_wdt_restart(n, d);
}

const struct device_type nrf52_wdt = {
    .name = "wdt",
    .events = 1,
    .connect = nrf52_wdt_connect,
    .reset = nrf52_wdt_reset,
    .event = nrf52_wdt_event,
    .write = nrf52_wdt_write,
};
