#include "base/decibel.h"
#include "device/cc2538/rf_internal.h"
#include "device/cc2538/sys_ctrl.h"
#include "node/taps.h"

enum { ROLE_FIRST = RF_FRMFILT0 };
#define ROLE(offset) (((offset)-ROLE_FIRST) / 4)

/* ---- interrupts ---- */

static void rf_ask(struct node *n, const struct device *d)
{
    cc2538_interrupt(n, CC2538_RF_RX_TX,
                     (block32_get(n, d, RF_RFIRQF0) & block32_get(n, d, RF_RFIRQM0)) |
                         (block32_get(n, d, RF_RFIRQF1) & block32_get(n, d, RF_RFIRQM1)));
    cc2538_interrupt(n, CC2538_RF_ERROR, block32_get(n, d, RF_RFERRF) & block32_get(n, d, RF_RFERRM));
}

void rf_flag(struct node *n, const struct device *d, uint32_t offset, uint32_t bits)
{
    block32_set(n, d, offset, block32_get(n, d, offset) | bits);
    rf_ask(n, d);
}

/* ---- states ---- */

static const char *rf_doing(const struct node *n, const struct device *d)
{
    const struct rf *s = device_state(n, d);
    return s->fsm == RF_IDLE ? "off" : rf_transmits(s) ? "sending" : rf_listens(s) ? "listening" : "idle";
}

void rf_enter(struct node *n, const struct device *d, enum rf_state state)
{
    struct rf *s = device_state(n, d);
    transmission_break_off(n, &s->sent);
    event_cancel(n, d, RF_EVENT_FSM);
    event_cancel(n, d, RF_EVENT_SAY);
    event_cancel(n, d, RF_EVENT_RECEIVE);
    s->fsm = (uint8_t)state;
    s->sfd = 0;
    s->rx_undecided = 0;
    taps_part(n, d);
}

void rf_tune(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    s->heard.hertz = (2394.0 + (block32_get(n, d, RF_FREQCTRL) & 0x7f)) * 1e6;
}

static void rf_set_enable(struct node *n, const struct device *d, uint32_t mask)
{
    uint32_t before = block32_get(n, d, RF_RXENABLE);
    block32_set(n, d, RF_RXENABLE, mask);
    if (before && !mask)
        rf_flag(n, d, RF_RFIRQF0, IRQ0_RXMASKZERO);
}

static void rf_off(struct node *n, const struct device *d)
{
    const struct rf *s = device_state(n, d);
    if (s->fsm == RF_IDLE && !block32_get(n, d, RF_RXENABLE)) {
        rf_flag(n, d, RF_RFERRF, ERROR_STROBE);
        return;
    }
    rf_set_enable(n, d, 0);
    rf_enter(n, d, RF_IDLE);
    rf_flag(n, d, RF_RFIRQF1, IRQ1_RFIDLE);
}

static void rf_transmit_if_clear(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    s->sampled_cca = rf_clear(n, d);
    if (s->sampled_cca)
        rf_transmit(n, d);
}

/* The low four bits of strobes are the same for those at once and those of programs. */
void rf_strobe(struct node *n, const struct device *d, unsigned strobe)
{
    struct rf *s = device_state(n, d);
    uint32_t mask = block32_get(n, d, RF_RXENABLE);
    rf_catch_up(n, d);
    switch (strobe) {
    case 0x3: /* RXON */
        rf_set_enable(n, d, mask | 0x80);
        if (!rf_transmits(s) && s->fsm != RF_RX_OVERFLOW)
            rf_listen(n, d);
        break;
    case 0x4: rf_set_enable(n, d, mask | 0x20); break; /* RXMASKBITSET */
    case 0x5: rf_set_enable(n, d, mask & ~0x20u); break;
    case 0x6:
    case 0x7: /* ACK, ACKPEND */
        s->ack_wanted = 1;
        s->ack_pending = strobe == 0x7;
        break;
    case 0x8: s->ack_wanted = 2; break; /* NACK */
    case 0x9: rf_transmit(n, d); break;
    case 0xa: rf_transmit_if_clear(n, d); break;
    case 0xb: s->sampled_cca = rf_clear(n, d); break;
    case 0xd: rf_flush(n, d); break;
    case 0xe: s->tx_count = s->tx_sent = s->tx_underflow = 0; break;
    case 0xf: rf_off(n, d); break;
    default: break;
    }
}

/* ---- energy ---- */

/* With the loss of earshot_byte_loss, noise of -100 dBm is the sensitivity of -97 dBm of the datasheet (SWRS096). */
double rf_noise(const struct node *n)
{
    return decibel_ratio_again(&n->air_memo->noise, (double)air_noise(n));
}

bool rf_rssi_valid(const struct node *n, const struct rf *s)
{
    return rf_listens(s) && node_now(n) >= s->listening_since + earshot_symbols(n, RF_RSSI_SYMBOLS);
}

int8_t rf_rssi(const struct node *n, const struct rf *s, uint64_t from, uint64_t to)
{
    double dbm = decibel_of(rf_noise(n) + earshot_energy(&s->heard.ear, s->heard.hertz, from, to));
    double value = (dbm > 0 ? 0 : dbm) + RF_RSSI_OFFSET;
    return (int8_t)(value < 0 ? value - 0.5 : value + 0.5);
}

static int8_t rf_rssi_now(const struct node *n, const struct rf *s)
{
    uint64_t now = node_now(n);
    return rf_rssi_valid(n, s) ? rf_rssi(n, s, now - earshot_symbols(n, RF_RSSI_SYMBOLS), now) : -128;
}

bool rf_clear(const struct node *n, const struct device *d)
{
    const struct rf *s = device_state(n, d);
    bool quiet = rf_rssi_now(n, s) < (int8_t)block32_get(n, d, RF_CCACTRL0);
    bool receiving = s->fsm == RF_RX_FRAME || s->fsm == RF_RX_WAIT;
    if (!rf_rssi_valid(n, s))
        return false;
    switch (block32_get(n, d, RF_CCACTRL1) >> 3 & 3) {
    case 0: return true;
    case 1: return quiet;
    case 2: return !receiving;
    default: return quiet && !receiving;
    }
}

/* ---- registers ---- */

static void rf_connect(const struct device *d, struct wiring *w)
{
    static const uint16_t reads[] = {RF_FSMSTAT0,   RF_FSMSTAT1,    RF_RSSI,       RF_RSSISTAT,
                                     RF_RXFIRST,    RF_RXFIFOCNT,   RF_TXFIFOCNT,  RF_RXFIRST_PTR,
                                     RF_RXLAST_PTR, RF_TXFIRST_PTR, RF_TXLAST_PTR, RF_RFRND};
    static const uint16_t stores[] = {RF_FRMCTRL0, RF_FIFOPCTRL, RF_RFIRQM0, RF_RFIRQM1, RF_RFERRM};
    static const uint16_t writes[] = {RF_RXENABLE, RF_RXMASKSET, RF_RXMASKCLR, RF_RFERRF,
                                      RF_RFIRQF1,  RF_RFIRQF0,   RF_RFST};
    bool told[RF_XREG_END / 4] = {false};
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        block32_told(w, d, reads[i], ROLE(reads[i]), WIRE_READ);
        told[reads[i] / 4] = true;
    }
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        block32_told(w, d, stores[i], ROLE(stores[i]), WIRE_STORE);
        told[stores[i] / 4] = true;
    }
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        block32_told(w, d, writes[i], ROLE(writes[i]), WIRE_WRITE);
        if (writes[i] < RF_XREG_END)
            told[writes[i] / 4] = true;
    }
    for (uint32_t offset = 0; offset < RF_XREG_END; offset += 4)
        if (!told[offset / 4])
            block32_plain(w, d, offset, 0xff);
    for (uint32_t offset = RF_MTCTRL; offset <= RF_RFDATA; offset += 4)
        block32_told(w, d, offset, ROLE(offset), WIRE_READ | WIRE_WRITE);
    block32_plain(w, d, RF_MTCSPCFG, 0x77);
    cc2538_wire_interrupt(w, d, CC2538_RF_RX_TX);
    cc2538_wire_interrupt(w, d, CC2538_RF_ERROR);
    cc2538_wire_interrupt(w, d, CC2538_MAC_TIMER);
    wire_air(w, d);
}

static void rf_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    static const struct {
        uint16_t offset;
        uint8_t value;
    } initial[] = {{RF_FRMFILT0, 0x0d}, {RF_FRMFILT1, 0x78},  {RF_SRCMATCH, 0x07}, {RF_FRMCTRL0, 0x40},
                   {RF_FRMCTRL1, 0x01}, {RF_FREQCTRL, 0x0b},  {RF_TXPOWER, 0xf5},  {0x638, 0x0f},
                   {0x644, 0x69},       {RF_FIFOPCTRL, 0x40}, {RF_CCACTRL0, 0xe0}, {RF_CCACTRL1, 0x1a},
                   {RF_MDMCTRL0, 0x85}, {0x6a4, 0x14},        {0x654, 0x01},       {RF_MTCTRL, 0x02},
                   {RF_CSPT, 0xff}};
    struct rf *s = device_state(n, d);
    (void)cause;
    transmission_break_off(n, &s->sent);
    struct reception heard = s->heard;
    uint32_t number = s->sent.number;
    *s = (struct rf){.heard = heard, .sent = {.begin = NEVER, .number = number}};
    s->heard.sound = -1;
    for (size_t i = 0; i < sizeof initial / sizeof *initial; i++)
        block32_set(n, d, initial[i].offset, initial[i].value);
    rf_tune(n, d);
}

static uint32_t rf_status(const struct node *n, const struct device *d)
{
    const struct rf *s = device_state(n, d);
    return (s->rx_count && s->fsm != RF_RX_OVERFLOW ? 0x80u : 0) | (rf_fifop(n, d) ? 0x40u : 0) | (s->sfd ? 0x20u : 0) |
           (rf_clear(n, d) ? 0x10u : 0) | (s->sampled_cca ? 0x08u : 0) | (s->fsm ? 0x04u : 0) |
           (rf_transmits(s) ? 0x02u : 0) | (s->fsm && s->fsm < RF_TX_CALIBRATE ? 0x01u : 0);
}

static uint32_t rf_value(struct node *n, const struct device *d, uint32_t offset)
{
    const struct rf *s = device_state(n, d);
    switch (offset) {
    case RF_FSMSTAT0: return s->fsm | (s->fsm ? 0x80u : 0);
    case RF_FSMSTAT1: return rf_status(n, d);
    case RF_RSSI: return (uint8_t)rf_rssi_now(n, s);
    case RF_RSSISTAT: return rf_rssi_valid(n, s);
    case RF_RXFIRST: return block32_get(n, d, RF_RXFIFO + 4 * s->rx_head);
    case RF_RXFIFOCNT: return s->rx_count;
    case RF_TXFIFOCNT: return s->tx_count;
    case RF_RXFIRST_PTR: return s->rx_head;
    case RF_RXLAST_PTR: return (s->rx_head + s->rx_count) % RF_FIFO;
    case RF_TXLAST_PTR: return s->tx_count;
    case RF_RFRND: return rf_listens(s) ? node_random(n) & 3 : 0;
    default: return 0;
    }
}

static void rf_read(struct node *n, const struct device *d, unsigned role)
{
    uint32_t offset = ROLE_FIRST + 4 * role;
    rf_catch_up(n, d);
    if (offset == RF_RFDATA)
        block32_set(n, d, RF_RFDATA, rf_take(n, d));
    else if (offset >= RF_MTCTRL)
        rf_mac_read(n, d, offset);
    else
        block32_set(n, d, offset, rf_value(n, d, offset));
}

/* RXENMASK can be changed by registers too: the receiver starts with the first bit, and stops without any. */
static void rf_write_enable(struct node *n, const struct device *d, uint32_t mask)
{
    const struct rf *s = device_state(n, d);
    rf_set_enable(n, d, mask & 0xff);
    if (mask && s->fsm == RF_IDLE)
        rf_listen(n, d);
    else if (!mask && s->fsm && !rf_transmits(s))
        rf_enter(n, d, RF_IDLE);
}

static void rf_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    uint32_t offset = ROLE_FIRST + 4 * role, mask = block32_get(n, d, RF_RXENABLE);
    (void)old;
    rf_catch_up(n, d);
    switch (offset) {
    case RF_RXENABLE: rf_write_enable(n, d, value); break;
    case RF_RXMASKSET: rf_write_enable(n, d, mask | value); break;
    case RF_RXMASKCLR: rf_write_enable(n, d, mask & ~value); break;
    case RF_FRMCTRL0:
    case RF_FIFOPCTRL: rf_catch_up(n, d); break;
    case RF_RFIRQM0:
    case RF_RFIRQM1:
    case RF_RFERRM: rf_ask(n, d); break;
    case RF_RFDATA: rf_put(n, d, (uint8_t)value); break;
    case RF_RFERRF:
    case RF_RFIRQF0:
    case RF_RFIRQF1: /* zeros clear, ones change nothing */
        block32_set(n, d, offset, block32_get(n, d, offset) & value);
        rf_ask(n, d);
        break;
    case RF_RFST: rf_csp_write(n, d, (uint8_t)value); break;
    default: rf_mac_write(n, d, offset, value); break;
    }
}

static void rf_event(struct node *n, const struct device *d, unsigned event)
{
    struct rf *s = device_state(n, d);
    switch (event) {
    case RF_EVENT_FSM:
        if (s->fsm == RF_RX_CALIBRATE) {
            s->fsm = RF_RX_SEARCH;
            s->listening_since = node_now(n);
            taps_part(n, d);
            rf_search(n, d);
        } else {
            rf_transmit_step(n, d);
        }
        break;
    case RF_EVENT_SAY: rf_say(n, d); break;
    case RF_EVENT_RECEIVE: rf_receive(n, d); break;
    case RF_EVENT_CSP: rf_csp_go(n, d); break;
    default: rf_mac_event(n, d); break;
    }
}

static const char *const rf_unspecified[] = {
    "a program of the command strobe processor waits for an event of the MAC timer, or sets its compare value, which "
    "Motet does not have: it goes on",
};

const struct device_type cc2538_rf = {
    .name = "radio",
    .state_size = sizeof(struct rf),
    .events = RF_EVENTS,
    .connect = rf_connect,
    .reset = rf_reset,
    .event = rf_event,
    .read = rf_read,
    .write = rf_write,
    .hear = rf_hear,
    .doing = rf_doing,
    .unspecified = rf_unspecified,
};
