#include "node/taps.h"
#include "part/cc2420_internal.h"

#include <string.h>

enum { ROLE_CSN, ROLE_VREG, ROLE_RESETN };
enum { PIN_BIT_FIFO = 1, PIN_BIT_FIFOP = 2, PIN_BIT_SFD = 4, PIN_BIT_CCA = 8, PINS_UNDRIVEN = 0x80 };

/* The datasheet promises a regulated supply 0.6 ms after VREG_EN (SWRS041, page 13). Boards answered on SPI long
 * before: Contiki's first driver strobed SXOSCON after about 160 us, and MSPSim takes 50 us so that images of real
 * nodes run. */
#define REGULATOR_SECONDS 0.05e-3
#define SPECIFIED_SECONDS 0.6e-3
#define CRYSTAL_SECONDS   0.86e-3 /* "Crystal oscillator": start-up time, datasheet 1.2 (SWRS041C has 1.0 ms) */

static const char *const cc2420_unspecified[] = {
    "SPI access less than 0.6 ms after VREG_EN went high; the datasheet promises no supply before that",
};

static void cc2420_connect(const struct device *d, struct wiring *w)
{
    const struct cc2420_config *c = d->config;
    wire_spi(w, d, c->bus, 0);
    wire_pin(w, d, c->csn, ROLE_CSN);
    wire_pin(w, d, c->vreg_en, ROLE_VREG);
    wire_pin(w, d, c->resetn, ROLE_RESETN);
    wire_drive(w, d, c->fifo);
    wire_drive(w, d, c->fifop);
    wire_drive(w, d, c->sfd);
    wire_drive(w, d, c->cca);
    wire_air(w, d);
}

/* ---- pins ---- */

/* What a multiplexed output shows ("Test Outputs", tables 11 and 12); sources not listed are tied low. */
static bool multiplexed(const struct cc2420 *s, unsigned source, bool signal)
{
    enum { LOCK_STATUS = 23, XOSC16M_STABLE = 24 };
    switch (source) {
    case 0: return signal;
    case LOCK_STATUS: return cc2420_listens(s) || (cc2420_transmits(s) && s->fsm != TX_CALIBRATE);
    case XOSC16M_STABLE: return s->crystal == CRYSTAL_STABLE;
    default: return false;
    }
}

static unsigned pin_levels(const struct node *n, const struct cc2420 *s)
{
    unsigned polarity = s->registers[IOCFG0], mux = s->registers[IOCFG1], levels = 0;
    bool fifo = s->rx_count > 0 && s->fsm != RX_OVERFLOW;
    bool sfd = s->sfd, cca = cc2420_channel_clear(n, s);
    if (mux & 0x3ff) {
        sfd = multiplexed(s, mux >> 5 & 31, sfd);
        cca = multiplexed(s, mux & 31, cca);
    }
    levels |= fifo != (bool)(polarity & IOCFG0_FIFO_POLARITY) ? PIN_BIT_FIFO : 0;
    levels |= cc2420_fifop(s) != (bool)(polarity & IOCFG0_FIFOP_POLARITY) ? PIN_BIT_FIFOP : 0;
    levels |= sfd != (bool)(polarity & IOCFG0_SFD_POLARITY) ? PIN_BIT_SFD : 0;
    levels |= cca != (bool)(polarity & IOCFG0_CCA_POLARITY) ? PIN_BIT_CCA : 0;
    return levels;
}

static void cc2420_tell_state(struct node *n, const struct cc2420 *s)
{
    bool sends = s->fsm >= TX_CALIBRATE && s->fsm < TX_UNDERFLOW;
    radio_events_state(n, s->supply != SUPPLY_ON      ? MOTET_RADIO_OFF
                          : s->crystal == CRYSTAL_OFF ? MOTET_RADIO_POWER_DOWN
                          : sends                     ? MOTET_RADIO_SENDING
                          : s->fsm == IDLE            ? MOTET_RADIO_IDLE
                                                      : MOTET_RADIO_LISTENING);
}

static void cc2420_drive_pins(struct node *n, const struct device *d, unsigned levels)
{
    const struct cc2420_config *c = d->config;
    struct cc2420 *s = device_state(n, d);
    const uint8_t pins[] = {c->fifo, c->fifop, c->sfd, c->cca};
    unsigned changed = levels ^ s->pins;
    s->pins = (uint8_t)levels;
    for (unsigned i = 0; i < 4; i++) {
        if (levels & PINS_UNDRIVEN)
            pin_drive(n, pins[i], PIN_FLOATING);
        else if (changed & (1u << i | PINS_UNDRIVEN))
            pin_drive(n, pins[i], levels >> i & 1 ? PIN_HIGH : PIN_LOW);
    }
}

void cc2420_update_pins(struct node *n, const struct device *d)
{
    const struct cc2420 *s = device_state(n, d);
    unsigned levels = s->supply == SUPPLY_ON ? pin_levels(n, s) : PINS_UNDRIVEN;
    if (taps_wanted(n, MOTET_ON(RADIO_STATE)))
        cc2420_tell_state(n, s);
    if (levels != s->pins)
        cc2420_drive_pins(n, d, levels);
}

/* ---- power and reset ---- */

/* All but what is outside the chip: the air, the supply, and the count of transmissions. */
static void cc2420_forget(struct cc2420 *s)
{
    struct cc2420 kept = *s;
    memset(s, 0, sizeof *s);
    s->heard.ear = kept.heard.ear;
    s->sent.number = kept.sent.number;
    s->supply = kept.supply;
    s->specified = kept.specified;
    s->early = kept.early;
    s->pins = kept.pins;
    s->heard.sound = -1;
    s->sent.begin = s->sent.end = NEVER;
    cc2420_default_registers(s);
}

void cc2420_reset_chip(struct node *n, const struct device *d)
{
    cc2420_enter(n, d, POWER_DOWN);
    event_cancel(n, d, EVENT_START);
    event_cancel(n, d, EVENT_SECURITY);
    cc2420_forget(device_state(n, d));
    cc2420_update_pins(n, d);
}

static void cc2420_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    struct cc2420 *s = device_state(n, d);
    memset(s, 0, sizeof *s);
    cc2420_forget(s);
    s->pins = PINS_UNDRIVEN;
}

static void switch_supply(struct node *n, const struct device *d, bool on)
{
    struct cc2420 *s = device_state(n, d);
    if (on) {
        s->supply = SUPPLY_STARTING;
        s->specified = node_now(n) + node_ticks(n, SPECIFIED_SECONDS);
        s->early = 0;
        event_in(n, d, EVENT_START, CLOCK_TICK, node_ticks(n, REGULATOR_SECONDS));
        return;
    }
    cc2420_enter(n, d, POWER_DOWN);
    event_cancel(n, d, EVENT_START);
    event_cancel(n, d, EVENT_SECURITY);
    s->supply = SUPPLY_OFF;
    cc2420_forget(s);
    cc2420_update_pins(n, d);
}

void cc2420_too_early(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    if (s->early || s->supply == SUPPLY_OFF)
        return;
    s->early = 1;
    node_unspecified(n, d, 0);
}

void cc2420_start_crystal(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    if (s->crystal != CRYSTAL_OFF)
        return;
    s->crystal = CRYSTAL_STARTING;
    event_in(n, d, EVENT_START, CLOCK_TICK, node_ticks(n, CRYSTAL_SECONDS));
}

static void cc2420_started(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    if (s->supply == SUPPLY_STARTING) {
        s->supply = SUPPLY_ON;
    } else {
        s->crystal = CRYSTAL_STABLE;
        s->fsm = IDLE;
    }
    cc2420_update_pins(n, d);
}

static void cc2420_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    struct cc2420 *s = device_state(n, d);
    switch (role) {
    case ROLE_CSN: s->access = ACCESS_HEADER; break;
    case ROLE_VREG: switch_supply(n, d, level); break;
    case ROLE_RESETN:
        if (!level && s->supply == SUPPLY_ON)
            cc2420_reset_chip(n, d);
        break;
    }
}

/* ---- the state machine ---- */

void cc2420_tune(struct cc2420 *s)
{
    s->heard.hertz = (2048.0 + (s->registers[FSCTRL] & 0x3ff)) * 1e6; /* "Frequency and Channel Programming" */
}

void cc2420_enter(struct node *n, const struct device *d, enum cc2420_fsm state)
{
    struct cc2420 *s = device_state(n, d);
    if (cc2420_listens(s)) {
        cc2420_catch_up(n, d);
        if (cc2420_rssi_valid(n, s)) {
            uint64_t window = earshot_symbols(n, 8), now = node_now(n);
            uint8_t value = (uint8_t)cc2420_rssi(n, s, now - window, now);
            s->registers[RSSI] = (uint16_t)((s->registers[RSSI] & 0xff00) | value);
        }
        if (s->fsm == RX_FRAME)
            cc2420_rx_drop(s, s->rx_next);
    }
    if (cc2420_transmits(s))
        transmission_break_off(n, &s->sent);
    event_cancel(n, d, EVENT_FSM);
    event_cancel(n, d, EVENT_SAY);
    event_cancel(n, d, EVENT_RECEIVE);
    event_cancel(n, d, EVENT_CCA);
    s->fsm = (uint8_t)state;
    s->sfd = 0;
    s->heard.sound = -1;
    s->rx_undecided = 0;
    s->energy_clear = 0;
    s->ack_wanted = 0;
}

static void cc2420_step(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    if (s->fsm == RX_CALIBRATE) {
        s->fsm = RX_SFD_SEARCH;
        s->listening_since = node_now(n);
        cc2420_search(n, d);
        cc2420_assess(n, d);
    } else {
        cc2420_transmit_step(n, d);
    }
    cc2420_update_pins(n, d);
}

static void cc2420_event(struct node *n, const struct device *d, unsigned which)
{
    switch (which) {
    case EVENT_START: cc2420_started(n, d); break;
    case EVENT_FSM: cc2420_step(n, d); break;
    case EVENT_SAY: cc2420_say(n, d); break;
    case EVENT_RECEIVE: cc2420_receive(n, d); break;
    case EVENT_CCA: cc2420_assess(n, d); break;
    case EVENT_SECURITY: cc2420_secured(n, d); break;
    }
}

/* What was received last stays: an acknowledgement can be strobed for it. */
static void cc2420_canonical(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    const struct cc2420_config *c = d->config;
    bool idle = s->fsm == RX_SFD_SEARCH || s->fsm == IDLE || s->fsm == POWER_DOWN;
    if (!earshot_forget(n, &s->heard.ear) || !idle || s->security)
        return;
    s->heard.searching_since = s->heard.sfd = 0;
    s->heard.sender = s->heard.transmission = 0;
    s->heard.first = 0;
    s->sent = (struct transmission){.begin = NEVER};
    s->tx_crc = 0;
    memset(s->ack, 0, sizeof s->ack);
    if (!s->rx_count) {
        s->rx_head = 0;
        memset(s->ram + RAM_RXFIFO, 0, FIFO_SIZE);
    }
    if (pin_level(n, c->csn)) {
        s->access = ACCESS_HEADER;
        s->reading = s->address = s->high = 0;
        s->at = 0;
    }
}

const struct device_type cc2420_type = {
    .name = "cc2420",
    .state_size = sizeof(struct cc2420),
    .events = EVENTS,
    .connect = cc2420_connect,
    .reset = cc2420_reset,
    .event = cc2420_event,
    .input = cc2420_input,
    .spi = cc2420_spi,
    .hear = cc2420_hear,
    .fetch = cc2420_fetch,
    .unspecified = cc2420_unspecified,
    .tracked = {offsetof(struct cc2420, ram) + RAM_TXFIFO, FIFO_SIZE},
    .canonical = cc2420_canonical,
};
