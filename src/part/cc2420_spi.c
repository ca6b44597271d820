#include "part/cc2420_internal.h"

#include <string.h>

/* ---- registers ---- */

/* MDMCTRL1 has CORR_THR 20, as chips in use have it; early silicon and the first datasheets had 0. */
void cc2420_default_registers(struct cc2420 *s)
{
    static const uint16_t defaults[RESERVED + 1] = {
        [MAIN] = 0xf800,    [MDMCTRL0] = 0x0ae2, [MDMCTRL1] = 0x0500, [RSSI] = 0xe080,    [SYNCWORD] = 0xa70f,
        [TXCTRL] = 0xa0ff,  [RXCTRL0] = 0x12e5,  [RXCTRL1] = 0x0a56,  [FSCTRL] = 0x4165,  [SECCTRL0] = 0x03c4,
        [IOCFG0] = 0x0040,  [MANFIDL] = 0x233d,  [MANFIDH] = 0x3000,  [FSMTC] = 0x7a94,   [MANAND] = 0xffff,
        [AGCCTRL] = 0x07f0, [AGCTST0] = 0x3649,  [AGCTST1] = 0x0854,  [AGCTST2] = 0x012a, [FSTST0] = 0x0200,
        [FSTST1] = 0x5002,  [FSTST2] = 0x0600,   [FSTST3] = 0x82dd,   [TOPTST] = 0x0010,
    };
    memcpy(s->registers, defaults, sizeof s->registers);
}

/* "Battery Monitor": OK while the supply is over 1.25 V * (72 - BATTMON_VOLTAGE) / 27. */
static uint16_t battery_monitor(const struct node *n, uint16_t value)
{
    unsigned limit = 1250 * (72 - (value & 31u)) / 27;
    value &= (uint16_t)~BATTMON_OK;
    return value & BATTMON_EN && n->machine->millivolts > limit ? value | BATTMON_OK : value;
}

static uint16_t synthesizer(const struct cc2420 *s)
{
    enum { CAL_DONE = 0x2000, CAL_RUNNING = 0x1000, LOCK_STATUS = 0x0400 };
    uint16_t value = s->registers[FSCTRL] & (uint16_t) ~(CAL_DONE | CAL_RUNNING | LOCK_STATUS);
    bool calibrating = s->fsm == RX_CALIBRATE || s->fsm == TX_CALIBRATE || s->fsm == TX_ACK_CALIBRATE;
    if (s->fsm <= IDLE)
        return value;
    return value | (calibrating ? CAL_RUNNING : CAL_DONE | LOCK_STATUS);
}

static uint16_t cc2420_spi_register_value(const struct node *n, const struct cc2420 *s, unsigned address)
{
    uint64_t now = node_now(n);
    if (address > RESERVED)
        return 0;
    switch (address) {
    case RSSI:
        if (cc2420_rssi_valid(n, s))
            return (uint16_t)((s->registers[RSSI] & 0xff00) |
                              (uint8_t)cc2420_rssi(n, s, now - earshot_symbols(n, 8), now));
        return s->registers[RSSI];
    case FSCTRL: return synthesizer(s);
    case BATTMON: return battery_monitor(n, s->registers[BATTMON]);
    case FSMSTATE: return s->fsm;
    default: return s->registers[address];
    }
}

static void cc2420_spi_write_register(struct node *n, const struct device *d, unsigned address, uint16_t value)
{
    struct cc2420 *s = device_state(n, d);
    switch (address) {
    case MANFIDL:
    case MANFIDH:
    case FSMSTATE: return;
    case RSSI: s->registers[RSSI] = (uint16_t)((value & 0xff00) | (s->registers[RSSI] & 0xff)); break;
    case MAIN:
        if (!(value & MAIN_RESETN)) {
            cc2420_reset_chip(n, d);
            return;
        }
        s->registers[MAIN] = value;
        break;
    default:
        if (address <= RESERVED)
            s->registers[address] = value;
    }
    if (cc2420_listens(s)) {
        cc2420_plan_receive(n, d);
        cc2420_assess(n, d);
    }
    cc2420_update_pins(n, d);
}

/* ---- strobes ---- */

static void transmit_if_possible(struct node *n, const struct device *d, bool wait_for_clear_channel)
{
    struct cc2420 *s = device_state(n, d);
    if (s->fsm == TX_UNDERFLOW || (cc2420_transmits(s) && s->sent.begin != NEVER))
        return;
    if (wait_for_clear_channel)
        cc2420_assess(n, d); /* noise may have come since the last look */
    if (wait_for_clear_channel && !cc2420_channel_clear(n, s))
        return;
    cc2420_transmit(n, d);
}

static void flush_receiver(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    if (cc2420_listens(s)) {
        s->fsm = RX_SFD_SEARCH;
        cc2420_search(n, d);
    }
    cc2420_rx_flush(s);
}

static void flush_transmitter(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    s->tx_count = s->tx_sent = s->tx_underflow = 0;
    if (s->fsm == TX_UNDERFLOW)
        cc2420_listen(n, d);
}

/* SACK and SACKPEND: while a frame is received its acknowledgement follows it; after that it starts at once. */
static void cc2420_spi_acknowledge(struct node *n, const struct device *d, bool pending)
{
    struct cc2420 *s = device_state(n, d);
    s->ack_pending = pending;
    if (s->fsm == RX_FRAME)
        s->ack_wanted = 1;
    else if (s->fsm == RX_SFD_SEARCH && s->rx_crc == 0 && s->rx_length)
        cc2420_acknowledge(n, d);
}

static void stop_crystal(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    cc2420_enter(n, d, POWER_DOWN);
    event_cancel(n, d, EVENT_START);
    event_cancel(n, d, EVENT_SECURITY);
    s->crystal = CRYSTAL_OFF;
    s->security = SECURITY_NONE;
}

static void strobe(struct node *n, const struct device *d, enum cc2420_strobe what)
{
    struct cc2420 *s = device_state(n, d);
    if (what == SXOSCON)
        cc2420_start_crystal(n, d);
    if (s->crystal != CRYSTAL_STABLE && what != SXOSCOFF)
        return;
    switch (what) {
    case SNOP:
    case SXOSCON: return;
    case STXCAL:
        cc2420_enter(n, d, TX_CALIBRATE);
        cc2420_tune(s);
        break;
    case SRXON: cc2420_listen(n, d); break;
    case STXON: transmit_if_possible(n, d, false); break;
    case STXONCCA: transmit_if_possible(n, d, true); break;
    case SRFOFF: cc2420_enter(n, d, IDLE); break;
    case SXOSCOFF: stop_crystal(n, d); break;
    case SFLUSHRX: flush_receiver(n, d); break;
    case SFLUSHTX: flush_transmitter(n, d); break;
    case SACK: cc2420_spi_acknowledge(n, d, false); break;
    case SACKPEND: cc2420_spi_acknowledge(n, d, true); break;
    case SRXDEC: cc2420_secure(n, d, SECURITY_RECEIVE); break;
    case STXENC: cc2420_secure(n, d, SECURITY_TRANSMIT); break;
    case SAES: cc2420_secure(n, d, SECURITY_ALONE); break;
    }
    cc2420_update_pins(n, d);
}

/* ---- the bus ---- */

static uint8_t cc2420_spi_status(const struct node *n, const struct cc2420 *s)
{
    enum { XOSC16M_STABLE = 0x40, TX_UNDERFLOWN = 0x20, ENC_BUSY = 0x10, TX_ACTIVE = 0x08, LOCK = 0x04, VALID = 0x02 };
    uint8_t bits = 0;
    bool locked = cc2420_listens(s) || (cc2420_transmits(s) && s->fsm != TX_CALIBRATE && s->fsm != TX_ACK_CALIBRATE);
    bits |= s->crystal == CRYSTAL_STABLE ? XOSC16M_STABLE : 0;
    bits |= s->fsm == TX_UNDERFLOW ? TX_UNDERFLOWN : 0;
    bits |= s->security ? ENC_BUSY : 0;
    bits |= cc2420_transmits(s) && s->sent.begin != NEVER ? TX_ACTIVE : 0;
    bits |= locked ? LOCK : 0;
    bits |= cc2420_rssi_valid(n, s) ? VALID : 0;
    return bits;
}

static void header(struct node *n, const struct device *d, uint8_t byte)
{
    struct cc2420 *s = device_state(n, d);
    if (byte & 0x80) {
        s->at = byte & 0x7f;
        s->access = ACCESS_BANK;
        return;
    }
    s->address = byte & 0x3f;
    s->reading = byte >> 6 & 1;
    if (s->address == TXFIFO)
        s->access = ACCESS_TXFIFO;
    else if (s->address == RXFIFO)
        s->access = ACCESS_RXFIFO;
    else if (s->address >= MAIN)
        s->access = ACCESS_HIGH;
    else if (s->address <= SAES)
        strobe(n, d, (enum cc2420_strobe)s->address);
}

static uint8_t register_byte(struct node *n, const struct device *d, uint8_t byte)
{
    struct cc2420 *s = device_state(n, d);
    bool high = s->access == ACCESS_HIGH;
    s->access = high ? ACCESS_LOW : ACCESS_HEADER;
    uint16_t value = cc2420_spi_register_value(n, s, s->address);
    uint8_t answer = (uint8_t)(high ? value >> 8 : value);
    if (s->reading)
        return answer;
    if (high)
        s->high = byte;
    else
        cc2420_spi_write_register(n, d, s->address, (uint16_t)(s->high << 8 | byte));
    return answer;
}

static uint8_t rxfifo_byte(struct node *n, const struct device *d, uint8_t byte)
{
    struct cc2420 *s = device_state(n, d);
    bool fifo = s->rx_count > 0, fifop = cc2420_fifop(s);
    uint8_t answer = 0;
    if (s->reading)
        answer = cc2420_rx_take(s);
    else
        cc2420_rx_put(s, byte);
    if (s->fsm == RX_FRAME) /* room in the FIFO moves the next stop */
        cc2420_plan_receive(n, d);
    if (fifo != (s->rx_count > 0) || fifop != cc2420_fifop(s)) /* no other pin shows the FIFO */
        cc2420_update_pins(n, d);
    return answer;
}

static void cc2420_spi_tx_write(struct node *n, const struct device *d, uint8_t byte)
{
    struct cc2420 *s = device_state(n, d);
    cc2420_tx_write(s, byte);
    if (s->tx_count < FIFO_SIZE) /* else it may have been lost */
        uses_state(n, d, offsetof(struct cc2420, ram) + RAM_TXFIFO + s->tx_count - 1u, 1, true);
}

static uint8_t ram_byte(struct node *n, struct cc2420 *s, uint8_t byte)
{
    unsigned at = s->at;
    s->at = (s->at + 1) & 0x1ff;
    if (at >= RAM_SIZE)
        return 0;
    if (at < RAM_KEY0) /* where in a FIFO something lies is no part of the canonical form */
        uses_blind(n);
    uint8_t answer = s->ram[at];
    if (!s->reading)
        s->ram[at] = byte;
    return answer;
}

uint8_t cc2420_spi(struct node *n, const struct device *d, unsigned role, uint8_t byte)
{
    (void)role;
    const struct cc2420_config *c = d->config;
    struct cc2420 *s = device_state(n, d);
    bool held = c->resetn != PIN_NONE && !pin_level(n, c->resetn);
    if (pin_level(n, c->csn))
        return 0xff;
    if (node_now(n) < s->specified)
        cc2420_too_early(n, d);
    if (s->supply != SUPPLY_ON) /* SO is not driven, and other parts may be talking on the bus */
        return 0xff;
    if (held)
        return 0;
    cc2420_catch_up(n, d);
    if (s->access == ACCESS_RXFIFO)
        return s->crystal == CRYSTAL_STABLE ? rxfifo_byte(n, d, byte) : 0;
    uint8_t before = cc2420_spi_status(n, s);
    bool memories = s->crystal == CRYSTAL_STABLE; /* the FIFOs and the RAM need the clock */
    switch ((enum cc2420_access)s->access) {
    case ACCESS_HEADER: header(n, d, byte); return before;
    case ACCESS_HIGH:
    case ACCESS_LOW: return register_byte(n, d, byte);
    case ACCESS_TXFIFO:
        if (memories && !s->reading)
            cc2420_spi_tx_write(n, d, byte);
        return before;
    case ACCESS_RXFIFO: break; /* see above */
    case ACCESS_BANK:
        s->at |= (uint16_t)((byte >> 6) << 7);
        s->reading = byte >> 5 & 1;
        s->access = ACCESS_RAM;
        return before;
    case ACCESS_RAM: return memories ? ram_byte(n, s, byte) : 0;
    }
    return 0;
}
