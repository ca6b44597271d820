#include "part/at86rf230_internal.h"

#include "node/taps.h"

#include <string.h>

enum { ROLE_SEL, ROLE_RSTN, ROLE_SLP_TR };

/* "State transition timing", table 7-1, and "Interrupt handling". */
#define SECONDS_OFF_TO_ACTIVE 180e-6
#define SECONDS_AMONG_ACTIVE  1e-6
#define SECONDS_WAKE          880e-6
#define SECONDS_POWER_ON      510e-6 /* P_ON to TRX_OFF (Atmel's constants in Contiki's and TinyOS's drivers) */
#define SECONDS_RESET         120e-6
#define SECONDS_INTERRUPT     9e-6
#define SECONDS_TX_DELAY      16e-6

static void at86rf230_connect(const struct device *d, struct wiring *w)
{
    const struct at86rf230_config *c = d->config;
    wire_spi(w, d, c->bus, 0);
    wire_pin(w, d, c->sel, ROLE_SEL);
    wire_pin(w, d, c->rstn, ROLE_RSTN);
    wire_pin(w, d, c->slp_tr, ROLE_SLP_TR);
    wire_drive(w, d, c->irq);
    wire_air(w, d);
}

static void at86rf230_default_registers(struct rf230 *s, const struct device *d)
{
    const struct at86rf230_config *c = d->config;
    static const uint8_t defaults[RF230_REGISTERS] = {
        [TRX_CTRL_0] = 0x19,   [PHY_CC_CCA] = 0x2b,   [CCA_THRES] = 0xc7,        [IRQ_MASK] = 0xff,
        [BATMON] = 0x02,       [XOSC_CTRL] = 0xf0,    [PLL_CF] = 0x57,           [PLL_DCU] = 0x20,
        [PART_NUM] = 2,        [VERSION_NUM] = 2,     [MAN_ID_0] = 0x1f,         [PAN_ID_0] = 0xff,
        [PAN_ID_0 + 1] = 0xff, [SHORT_ADDR_0] = 0xff, [SHORT_ADDR_0 + 1] = 0xff, [XAH_CTRL] = 0x38,
        [CSMA_SEED_0] = 0xea,  [CSMA_SEED_1] = 0xc2,
    };
    memcpy(s->registers, defaults, sizeof s->registers);
    s->is_233 = c->is_233;
    if (c->is_233) {
        s->registers[PART_NUM] = 11;
        s->registers[TRX_CTRL_1] = 0x22;
    }
}

/* ---- interrupts ---- */

static void update_irq_pin(struct node *n, const struct device *d)
{
    const struct at86rf230_config *c = d->config;
    struct rf230 *s = device_state(n, d);
    pin_drive(n, c->irq, s->irq ? PIN_HIGH : PIN_LOW);
}

static void interrupt_now(struct node *n, const struct device *d, unsigned which)
{
    struct rf230 *s = device_state(n, d);
    s->irq |= (uint8_t)(which & s->registers[IRQ_MASK]);
    update_irq_pin(n, d);
}

void rf230_interrupt(struct node *n, const struct device *d, unsigned which)
{
    struct rf230 *s = device_state(n, d);
    s->irq_late |= (uint8_t)which;
    event_in(n, d, EVENT_IRQ, CLOCK_TICK, node_ticks(n, SECONDS_INTERRUPT));
}

/* ---- states ---- */

bool rf230_listens(const struct rf230 *s)
{
    switch ((enum rf230_state)s->state) {
    case RX_ON:
    case RX_ON_NOCLK:
    case BUSY_RX:
    case RX_AACK_ON:
    case RX_AACK_ON_NOCLK: return true;
    case BUSY_RX_AACK: return !s->acking;
    case BUSY_TX_ARET: return s->aret == ARET_ASSESS || s->aret == ARET_WAIT;
    default: return false;
    }
}

static bool active(enum rf230_state state)
{
    return state != P_ON && state != TRX_OFF && state != SLEEP && state != IN_TRANSITION;
}

static bool at86rf230_busy(enum rf230_state state)
{
    return state == BUSY_RX || state == BUSY_TX || state == BUSY_RX_AACK || state == BUSY_TX_ARET;
}

static void stop_everything(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    transmission_break_off(n, &s->sent);
    for (unsigned i = 0; i < EVENTS; i++)
        if (i != EVENT_IRQ)
            event_cancel(n, d, i);
    s->receiving = s->acking = s->waiting = 0;
    s->aret = ARET_NONE;
}

static void tell_state(struct node *n, const struct rf230 *s)
{
    switch (s->state) {
    case BUSY_TX:
    case BUSY_TX_ARET: radio_events_state(n, MOTET_RADIO_SENDING); break;
    case SLEEP: radio_events_state(n, MOTET_RADIO_OFF); break;
    case P_ON:
    case TRX_OFF:
    case PLL_ON:
    case TX_ARET_ON:
    case IN_TRANSITION: radio_events_state(n, MOTET_RADIO_IDLE); break;
    default: radio_events_state(n, MOTET_RADIO_LISTENING); break;
    }
}

void rf230_enter(struct node *n, const struct device *d, enum rf230_state state)
{
    struct rf230 *s = device_state(n, d);
    s->state = (uint8_t)state;
    tell_state(n, s);
    s->heard.hertz = (2405.0 + 5.0 * ((s->registers[PHY_CC_CCA] & 31) - 11)) * 1e6;
    if (state == RX_ON || state == RX_AACK_ON)
        rf230_search(n, d);
    else
        event_cancel(n, d, EVENT_RECEIVE);
}

static void go(struct node *n, const struct device *d, enum rf230_state target, double seconds)
{
    struct rf230 *s = device_state(n, d);
    s->state = IN_TRANSITION;
    tell_state(n, s);
    s->target = (uint8_t)target;
    event_cancel(n, d, EVENT_RECEIVE);
    event_in(n, d, EVENT_STATE, CLOCK_TICK, node_ticks(n, seconds));
}

static void at86rf230_start(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    if (s->state == PLL_ON) {
        s->state = BUSY_TX;
        tell_state(n, s);
        rf230_transmit(n, d, node_now(n) + node_ticks(n, SECONDS_TX_DELAY));
    } else if (s->state == TX_ARET_ON) {
        s->state = BUSY_TX_ARET;
        tell_state(n, s);
        rf230_aret_start(n, d);
    }
}

static void at86rf230_obey(struct node *n, const struct device *d, unsigned command)
{
    struct rf230 *s = device_state(n, d);
    enum rf230_state from = (enum rf230_state)s->state;
    if (command == COMMAND_FORCE_TRX_OFF) {
        stop_everything(n, d);
        go(n, d, TRX_OFF, SECONDS_AMONG_ACTIVE);
        return;
    }
    if (command == COMMAND_TX_START) {
        at86rf230_start(n, d);
        return;
    }
    if (command != RX_ON && command != TRX_OFF && command != PLL_ON && command != RX_AACK_ON && command != TX_ARET_ON)
        return;
    if (at86rf230_busy(from) || from == IN_TRANSITION) {
        s->waiting = (uint8_t)command;
        return;
    }
    if (from == command || from == SLEEP || (from == P_ON && command != TRX_OFF))
        return;
    bool starts = from == TRX_OFF && active((enum rf230_state)command);
    go(n, d, (enum rf230_state)command,
       starts         ? SECONDS_OFF_TO_ACTIVE
       : from == P_ON ? SECONDS_POWER_ON
                      : SECONDS_AMONG_ACTIVE);
    if (starts)
        s->irq_late |= IRQ_PLL_LOCK; /* raised with the state */
}

void rf230_settle(struct node *n, const struct device *d, enum rf230_state state)
{
    struct rf230 *s = device_state(n, d);
    uint8_t command = s->waiting;
    s->waiting = 0;
    rf230_enter(n, d, state);
    if (command)
        at86rf230_obey(n, d, command);
}

static void at86rf230_arrived(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    if (s->irq_late & IRQ_PLL_LOCK) {
        s->irq_late &= (uint8_t)~IRQ_PLL_LOCK;
        interrupt_now(n, d, IRQ_PLL_LOCK);
    }
    rf230_settle(n, d, (enum rf230_state)s->target);
}

/* ---- pins ---- */

static void reset_chip(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    stop_everything(n, d);
    event_cancel(n, d, EVENT_IRQ);
    s->irq = s->irq_late = 0;
    s->sent.begin = s->sent.end = NEVER;
    at86rf230_default_registers(s, d);
    update_irq_pin(n, d);
    go(n, d, TRX_OFF, SECONDS_RESET);
}

static void at86rf230_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    struct rf230 *s = device_state(n, d);
    memset(s, 0, sizeof *s);
    s->sent.begin = s->sent.end = NEVER;
    at86rf230_default_registers(s, d);
    s->state = P_ON;
    update_irq_pin(n, d);
}

static void sleep_or_start(struct node *n, const struct device *d, bool level)
{
    struct rf230 *s = device_state(n, d);
    if (level) {
        if (s->state == TRX_OFF)
            s->state = SLEEP;
        else if (s->state == RX_ON)
            s->state = RX_ON_NOCLK;
        else if (s->state == RX_AACK_ON)
            s->state = RX_AACK_ON_NOCLK;
        else
            at86rf230_start(n, d);
        return;
    }
    if (s->state == SLEEP)
        go(n, d, TRX_OFF, SECONDS_WAKE);
    else if (s->state == RX_ON_NOCLK)
        s->state = RX_ON;
    else if (s->state == RX_AACK_ON_NOCLK)
        s->state = RX_AACK_ON;
}

static void at86rf230_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    struct rf230 *s = device_state(n, d);
    switch (role) {
    case ROLE_SEL:
        s->access = ACCESS_COMMAND;
        s->written = 0;
        break;
    case ROLE_RSTN:
        if (!level)
            reset_chip(n, d);
        break;
    case ROLE_SLP_TR:
        sleep_or_start(n, d, level);
        tell_state(n, s);
        break;
    }
}

/* ---- registers ---- */

static uint8_t at86rf230_read_register(struct node *n, const struct device *d, unsigned address)
{
    struct rf230 *s = device_state(n, d);
    enum { DVDD_OK = 0x04, AVDD_OK = 0x40 };
    uint8_t value = s->registers[address];
    switch (address) {
    case TRX_STATUS:
        s->registers[TRX_STATUS] = 0; /* the assessment's result is read once */
        return (uint8_t)((value & (CCA_DONE | CCA_CLEAR)) | s->state);
    case IRQ_STATUS:
        value = s->irq;
        s->irq = 0;
        update_irq_pin(n, d);
        return value;
    case PHY_RSSI: return (uint8_t)((value & RX_CRC_VALID) | rf230_rssi(n, s));
    case PHY_CC_CCA: return value & 0x7f;
    case VREG_CTRL: return (uint8_t)(value | DVDD_OK | (active((enum rf230_state)s->state) ? AVDD_OK : 0));
    default: return value;
    }
}

static void at86rf230_write_register(struct node *n, const struct device *d, unsigned address, uint8_t value)
{
    struct rf230 *s = device_state(n, d);
    switch (address) {
    case TRX_STATUS:
    case PHY_RSSI:
    case IRQ_STATUS:
    case PART_NUM:
    case VERSION_NUM:
    case MAN_ID_0:
    case MAN_ID_1: return;
    case TRX_STATE:
        s->registers[TRX_STATE] = (uint8_t)((s->registers[TRX_STATE] & 0xe0) | (value & 31));
        at86rf230_obey(n, d, value & 31);
        return;
    case PHY_ED_LEVEL: rf230_measure(n, d); return;
    case PHY_CC_CCA:
        s->registers[PHY_CC_CCA] = value;
        s->heard.hertz = (2405.0 + 5.0 * ((value & 31) - 11)) * 1e6;
        if (value & CCA_REQUEST)
            rf230_measure(n, d);
        return;
    default: s->registers[address] = value;
    }
}

/* ---- SPI ---- */

static uint8_t at86rf230_frame_byte(struct node *n, const struct device *d, uint8_t byte)
{
    struct rf230 *s = device_state(n, d);
    uint8_t answer = 0;
    if (s->command & 0x40) {
        if (s->at < sizeof s->buffer) {
            rf230_use(n, d, s->at, true);
            s->buffer[s->at++] = byte;
            s->written = s->at;
        }
        return 0;
    }
    rf230_use(n, d, 0, false);
    if (s->at <= (s->buffer[0] & 0x7f)) {
        rf230_use(n, d, s->at, false);
        answer = s->buffer[s->at];
    } else if (s->at == (s->buffer[0] & 0x7f) + 1) {
        answer = s->lqi;
    }
    if (s->at < 0xff)
        s->at++;
    return answer;
}

static uint8_t sram_byte(struct node *n, const struct device *d, uint8_t byte)
{
    struct rf230 *s = device_state(n, d);
    if (s->at >= sizeof s->buffer)
        return 0;
    rf230_use(n, d, s->at, false);
    uint8_t answer = s->buffer[s->at];
    if (s->command & 0x40)
        s->buffer[s->at] = byte;
    s->at++;
    return answer;
}

static void at86rf230_command(struct rf230 *s, uint8_t byte)
{
    s->command = byte;
    s->at = 0;
    s->access = byte & 0x80 ? ACCESS_VALUE : byte & 0x20 ? ACCESS_FRAME : ACCESS_ADDRESS;
}

static uint8_t at86rf230_spi(struct node *n, const struct device *d, unsigned role, uint8_t byte)
{
    (void)role;
    const struct at86rf230_config *c = d->config;
    struct rf230 *s = device_state(n, d);
    if (pin_level(n, c->sel))
        return 0xff;
    if (s->state == SLEEP || !pin_level(n, c->rstn))
        return 0;
    rf230_catch_up(n, d);
    switch ((enum rf230_access)s->access) {
    case ACCESS_COMMAND: at86rf230_command(s, byte); return 0;
    case ACCESS_VALUE:
        s->access = ACCESS_DONE;
        if (!(s->command & 0x40))
            return at86rf230_read_register(n, d, s->command & 0x3f);
        at86rf230_write_register(n, d, s->command & 0x3f, byte);
        return 0;
    case ACCESS_FRAME: return at86rf230_frame_byte(n, d, byte);
    case ACCESS_ADDRESS:
        s->at = byte & 0x7f;
        s->access = ACCESS_SRAM;
        return 0;
    case ACCESS_SRAM: return sram_byte(n, d, byte);
    case ACCESS_DONE: return 0;
    }
    return 0;
}

static void at86rf230_event(struct node *n, const struct device *d, unsigned which)
{
    struct rf230 *s = device_state(n, d);
    switch (which) {
    case EVENT_STATE: at86rf230_arrived(n, d); break;
    case EVENT_IRQ:
        interrupt_now(n, d, s->irq_late & ~IRQ_PLL_LOCK);
        s->irq_late &= IRQ_PLL_LOCK;
        break;
    case EVENT_SAY: rf230_say(n, d); break;
    case EVENT_SENT: rf230_sent(n, d); break;
    case EVENT_RECEIVE: rf230_receive(n, d); break;
    case EVENT_MEASURE: rf230_measured(n, d); break;
    case EVENT_ARET: rf230_aret_step(n, d); break;
    }
}

/* Idle and with nothing in the air: only registers, the frame buffer and what is scheduled matter. */
static void at86rf230_canonical(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    const struct at86rf230_config *c = d->config;
    bool idle = !at86rf230_busy(s->state) && s->state != IN_TRANSITION && !s->receiving && !s->acking && !s->aret;
    if (!earshot_forget(n, &s->heard.ear) || !idle)
        return;
    s->heard.searching_since = s->heard.sfd = 0;
    s->heard.sender = s->heard.transmission = 0;
    s->heard.sound = 0;
    s->heard.first = 0;
    s->sent = (struct transmission){.begin = NEVER};
    s->tx_crc = s->rx_crc = 0;
    s->rx_next = s->rx_length = s->rx_undecided = s->rx_rejected = 0;
    memset(s->rx_header, 0, sizeof s->rx_header);
    memset(s->ack, 0, sizeof s->ack);
    if (!event_pending(n, d, EVENT_MEASURE))
        s->measured_from = 0;
    if (pin_level(n, c->sel))
        s->command = s->at = 0;
}

const struct device_type at86rf230_type = {
    .name = "at86rf230",
    .state_size = sizeof(struct rf230),
    .events = EVENTS,
    .connect = at86rf230_connect,
    .reset = at86rf230_reset,
    .event = at86rf230_event,
    .input = at86rf230_input,
    .spi = at86rf230_spi,
    .hear = rf230_hear,
    .tracked = {offsetof(struct rf230, buffer), sizeof((struct rf230 *)NULL)->buffer},
    .canonical = at86rf230_canonical,
};
