#include "device/nrf52/clock.h"

#include "device/cortex/register32.h"
#include "node/clock.h"

enum { HFCLKSTART, HFCLKSTOP, LFCLKSTART, LFCLKSTOP, CAL, CTSTART, CTSTOP };
enum { HFCLKSTARTED, LFCLKSTARTED, POFWARN, DONE, CTTO, SLEEPENTER, SLEEPEXIT };
enum { ROLE_RESETREAS = NRF52_OWN, ROLE_SYSTEMOFF };
enum { EVENT_HFCLK, EVENT_LFCLK, EVENT_CAL };
enum {
    RESETREAS = 0x400,
    HFCLKRUN = 0x408,
    HFCLKSTAT = 0x40c,
    LFCLKRUN = 0x414,
    LFCLKSTAT = 0x418,
    LFCLKSRCCOPY = 0x41c,
    SYSTEMOFF = 0x500,
    LFCLKSRC = 0x518,
    GPREGRET = 0x51c
};
enum {
    RUNNING = 1u << 16,
    CRYSTAL = 1,
    RESET_WATCHDOG_BIT = 1u << 1,
    RESET_SOFTWARE_BIT = 1u << 2,
    RESET_PIN_BIT = 1u << 0
};

/* Starting times in microseconds: the crystal of 64 MHz, of 32768 Hz (0.25 s), the RC oscillator of that (0.6 ms). */
enum { HFXO_US = 360, LFXO_US = 250000, LFRC_US = 600, CAL_US = 16000 };

static void nrf52_clock_connect(const struct device *d, struct wiring *w)
{
    static const uint16_t plain[] = {0x438, 0x510, LFCLKSRC, GPREGRET, 0x520, 0x528, 0x538,
                                     0x578, 0x580, 0x55c,    0x550,    0x640, 0x428};
    nrf52_block_wire(w, d, 0x7f, 0x7f | 0x380, 0);
    nrf52_told(w, d, 0x78, 30, WIRE_WRITE); /* CONSTLAT, LOWPWR: no difference here */
    nrf52_told(w, d, 0x7c, 31, WIRE_WRITE);
    nrf52_told(w, d, RESETREAS, ROLE_RESETREAS, WIRE_WRITE);
    nrf52_told(w, d, SYSTEMOFF, ROLE_SYSTEMOFF, WIRE_WRITE);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        nrf52_plain(w, d, plain[i], 0xffffffff);
    for (uint32_t offset = HFCLKRUN; offset <= LFCLKSRCCOPY; offset += 4)
        nrf52_plain(w, d, offset, 0);
    wire_instruction(w, d, INSTRUCTION_SLEEP);
    wire_instruction(w, d, INSTRUCTION_WAKE);
}

/* Asleep the CPU has no clock; its peripherals ask for theirs. */
static void nrf52_clock_instruction(struct node *n, const struct device *d, enum instruction what)
{
    (void)d;
    if (what == INSTRUCTION_SLEEP)
        node_set_clock(n, CLOCK_CPU, 0);
    else
        node_join_clock(n, CLOCK_CPU, CLOCK_IO);
}

static void nrf52_clock_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    node_set_clock(n, CLOCK_CPU, CLOCK_ONE);
    node_set_clock(n, CLOCK_IO, CLOCK_ONE);
    node_set_clock(n, NRF52_CLOCK_16M, clock_period(n->machine->hz, 16e6));
    node_set_clock(n, NRF52_CLOCK_32K, 0);
    uint32_t reason = cause == RESET_WATCHDOG   ? RESET_WATCHDOG_BIT
                      : cause == RESET_SOFTWARE ? RESET_SOFTWARE_BIT
                      : cause == RESET_EXTERNAL ? RESET_PIN_BIT
                                                : 0;
    nrf52_set(n, d, RESETREAS, reason);
    nrf52_set(n, d, HFCLKSTAT, RUNNING);
    nrf52_set(n, d, 0x640, 0); /* MAINREGSTATUS: normal voltage */
}

static void nrf52_clock_event(struct node *n, const struct device *d, unsigned event)
{
    if (event == EVENT_HFCLK) {
        nrf52_set(n, d, HFCLKSTAT, RUNNING | CRYSTAL);
        nrf52_happens(n, d, HFCLKSTARTED);
    } else if (event == EVENT_LFCLK) {
        nrf52_set(n, d, LFCLKSTAT, RUNNING | nrf52_get(n, d, LFCLKSRCCOPY));
        nrf52_happens(n, d, LFCLKSTARTED);
    } else {
        nrf52_happens(n, d, DONE);
    }
}

static void nrf52_clock_in(struct node *n, const struct device *d, unsigned event, unsigned us)
{
    event_in(n, d, event, CLOCK_TICK, node_ticks(n, us * 1e-6));
}

static void nrf52_clock_task(struct node *n, const struct device *d, unsigned task)
{
    switch (task) {
    case HFCLKSTART:
        nrf52_set(n, d, HFCLKRUN, 1);
        nrf52_clock_in(n, d, EVENT_HFCLK, HFXO_US);
        break;
    case HFCLKSTOP:
        nrf52_set(n, d, HFCLKRUN, 0);
        nrf52_set(n, d, HFCLKSTAT, RUNNING);
        event_cancel(n, d, EVENT_HFCLK);
        break;
    case LFCLKSTART: {
        uint32_t source = nrf52_get(n, d, LFCLKSRC) & 3;
        nrf52_set(n, d, LFCLKRUN, 1);
        nrf52_set(n, d, LFCLKSRCCOPY, source);
        node_set_clock(n, NRF52_CLOCK_32K, clock_period(n->machine->hz, 32768));
        nrf52_clock_in(n, d, EVENT_LFCLK, source == 1 ? LFXO_US : LFRC_US);
        break;
    }
    case LFCLKSTOP:
        nrf52_set(n, d, LFCLKRUN, 0);
        nrf52_set(n, d, LFCLKSTAT, 0);
        node_set_clock(n, NRF52_CLOCK_32K, 0);
        event_cancel(n, d, EVENT_LFCLK);
        break;
    case CAL: nrf52_clock_in(n, d, EVENT_CAL, CAL_US); break;
    default: break;
    }
}

static void nrf52_clock_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    if (nrf52_block_write(n, d, role, value))
        return;
    if (role < NRF52_EVENT) {
        if (value & 1)
            nrf52_clock_task(n, d, role);
    } else if (role == ROLE_RESETREAS) {
        nrf52_set(n, d, RESETREAS, nrf52_get(n, d, RESETREAS) & ~value);
    } else if (role == ROLE_SYSTEMOFF && value & 1) {
        node_halt(n, NODE_EXIT_HALT, 0);
    }
}

const struct device_type nrf52_clock = {
    .name = "clock",
    .events = 3,
    .connect = nrf52_clock_connect,
    .reset = nrf52_clock_reset,
    .event = nrf52_clock_event,
    .write = nrf52_clock_write,
    .instruction = nrf52_clock_instruction,
};
