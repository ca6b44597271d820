#include "device/msp430/usart.h"

#include "device/msp430/usart_internal.h"

enum { ROLE_IE = USART_TXBUF + 1, ROLE_IFG, ROLE_ME, ROLE_STE, ROLE_BUS, ROLE_LINE, ROLE_I2C };
enum { IRQ_RX, IRQ_TX };
enum { ERRORS = USART_FE | USART_PE | USART_OE | USART_BRK | USART_RXERR };

static void msp430_usart_connect(const struct device *d, struct wiring *w)
{
    const struct msp430_usart *c = d->config;
    for (unsigned reg = USART_CTL; reg <= USART_TXBUF; reg++)
        wire_register(w, d, (uint16_t)(c->ctl + reg), reg, WIRE_WRITE | WIRE_READ, 0xff);
    wire_register(w, d, c->ie, ROLE_IE, WIRE_STORE, c->rx | c->tx);
    wire_register(w, d, c->ifg, ROLE_IFG, WIRE_STORE, c->rx | c->tx);
    wire_register(w, d, c->me, ROLE_ME, WIRE_STORE, c->rx | c->tx);
    wire_interrupt(w, d, c->rx_line, IRQ_RX);
    wire_interrupt(w, d, c->tx_line, IRQ_TX);
    wire_pin(w, d, c->ste, ROLE_STE);
    wire_spi(w, d, c->bus, ROLE_BUS);
    wire_serial(w, d, c->line, ROLE_LINE);
    if (c->i2c)
        i2c_connect(d, w, ROLE_I2C);
}

/* ---- modes and clocks ---- */

enum usart_mode usart_mode_now(const struct node *n, const struct msp430_usart *c)
{
    unsigned ctl = usart_get(n, c, USART_CTL);
    if (!(ctl & USART_SYNC))
        return USART_MODE_UART;
    return c->i2c && ctl & USART_I2C ? USART_MODE_I2C : USART_MODE_SPI;
}

bool usart_runs(const struct node *n, const struct msp430_usart *c, enum usart_mode mode)
{
    bool runs = usart_get(n, c, USART_CTL) & USART_SWRST; /* in I2C mode the bit is I2CEN */
    return usart_mode_now(n, c) == mode && runs == (mode == USART_MODE_I2C);
}

unsigned usart_clock(const struct node *n, const struct msp430_usart *c)
{
    switch (usart_get(n, c, USART_TCTL) >> USART_SSEL & 3) {
    case 0: return MSP430_NO_CLOCK;
    case 1: return MSP430_ACLK;
    default: return MSP430_SMCLK;
    }
}

unsigned usart_br(const struct node *n, const struct msp430_usart *c)
{
    unsigned divider = usart_get(n, c, USART_BR0) | usart_get(n, c, USART_BR1) << 8;
    unsigned least =
        usart_mode_now(n, c) == USART_MODE_SPI ? 2 : 3; /* below, the baud rate is unpredictable (13.2.6) */
    return divider < least ? least : divider;
}

/* ---- flags ---- */

void usart_update(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    const struct usart *s = device_state(n, d);
    unsigned asks = n->data[c->ie] & n->data[c->ifg];
    bool edge = s->rx_started && n->data[c->ie] & c->rx && usart_get(n, c, USART_TCTL) & USART_URXSE;
    bool i2c = usart_mode_now(n, c) == USART_MODE_I2C;
    node_irq(n, c->rx_line, !i2c && (asks & c->rx || edge));
    node_irq(n, c->tx_line, i2c ? i2c_asks(n, c) : (asks & c->tx) != 0);
}

void usart_flag(struct node *n, const struct device *d, uint8_t which, bool up)
{
    const struct msp430_usart *c = d->config;
    if (up)
        n->data[c->ifg] |= which;
    else
        n->data[c->ifg] &= (uint8_t)~which;
    usart_update(n, d);
    if (up)
        msp430_dma_raise(n, which == c->rx ? c->dma_rx : c->dma_tx);
}

void usart_show_empty(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    const struct usart *s = device_state(n, d);
    unsigned tctl = usart_get(n, c, USART_TCTL) & ~(unsigned)USART_TXEPT;
    usart_set(n, c, USART_TCTL, tctl | (s->tx_full || s->tx_busy ? 0u : USART_TXEPT));
}

void usart_receive(struct node *n, const struct device *d, uint8_t character)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    if (s->rx_full) {
        unsigned rctl = usart_get(n, c, USART_RCTL) | USART_OE;
        usart_set(n, c, USART_RCTL, usart_mode_now(n, c) == USART_MODE_UART ? rctl | USART_RXERR : rctl);
    }
    s->rx_full = 1;
    usart_set(n, c, USART_RXBUF, character);
    usart_flag(n, d, c->rx, true);
}

/* ---- transmitter ---- */

void usart_load(struct node *n, const struct device *d, uint64_t start)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    bool spi = usart_mode_now(n, c) == USART_MODE_SPI;
    if (s->tx_busy || !s->tx_full || !(spi ? spi_may_send(n, c) : usart_enabled(n, c, c->tx)))
        return;
    uint64_t cycles;
    if (spi) {
        cycles = spi_cycles(n, c);
        s->tx_shift = usart_get(n, c, USART_TXBUF);
    } else {
        s->tx_shift = (uint16_t)uart_shape(n, d, &cycles);
    }
    s->tx_full = 0;
    s->tx_busy = 1;
    s->tx_end = start + cycles;
    event_at(n, d, USART_EVENT_TX, usart_clock(n, c), s->tx_end);
    usart_show_empty(n, d);
    usart_flag(n, d, c->tx, true);
}

static void load_idle(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    if (usart_runs(n, c, USART_MODE_UART) || usart_runs(n, c, USART_MODE_SPI))
        usart_load(n, d, node_cycle(n, usart_clock(n, c)) + 1);
}

static void write_buffer(struct node *n, const struct device *d, unsigned value)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    usart_set(n, c, USART_TXBUF, value);
    if (usart_get(n, c, USART_CTL) & USART_SWRST)
        return;
    s->tx_full = 1;
    usart_show_empty(n, d);
    usart_flag(n, d, c->tx, false);
    load_idle(n, d);
}

static void transmitted(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    uint64_t end = s->tx_end;
    s->tx_busy = 0;
    if (usart_mode_now(n, c) == USART_MODE_SPI)
        spi_sent(n, d);
    else
        uart_sent(n, d);
    usart_load(n, d, end);
    usart_show_empty(n, d);
}

/* ---- reset ---- */

static void msp430_usart_claim_pins(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    msp430_port_output(n, c->utxd, PIN_OUTPUT_HIGH); /* marking, also in reset */
    spi_claim_pins(n, d);
}

/* What SWRST holds: flags, errors, everything under way (13.2.1). The line goes on without us. */
static void msp430_usart_hold(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    event_cancel(n, d, USART_EVENT_TX);
    s->tx_full = s->tx_busy = s->tx_idling = 0;
    s->tx_shift = 0;
    s->tx_end = 0;
    s->rx_full = s->rx_started = s->rx_heard = 0;
    usart_set(n, c, USART_RCTL, usart_get(n, c, USART_RCTL) & (USART_URXEIE | USART_URXWIE));
    usart_set(n, c, USART_TCTL, (usart_get(n, c, USART_TCTL) & ~(unsigned)USART_TXWAKE) | USART_TXEPT);
    n->data[c->ie] &= (uint8_t) ~(c->rx | c->tx);
    n->data[c->ifg] = (uint8_t)((n->data[c->ifg] & ~c->rx) | c->tx);
    usart_update(n, d);
}

static void msp430_usart_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    struct usart_queue queue = s->queue;
    bool passing = s->rx_phase;
    *s = (struct usart){.queue = queue, .period = CLOCK_ONE};
    if (cause == RESET_POWER_ON) /* the clock without cycles, for what waits for one from outside */
        node_set_clock(n, MSP430_NO_CLOCK, 0);
    usart_set(n, c, USART_CTL, USART_SWRST);
    msp430_usart_hold(n, d);
    msp430_usart_claim_pins(n, d);
    if (passing)
        uart_line_passed(n, d);
}

/* ---- registers ---- */

static void msp430_usart_read(struct node *n, const struct device *d, unsigned role)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    if (role >= ROLE_I2C) {
        i2c_read_own(n, d, role - ROLE_I2C);
        return;
    }
    if (usart_mode_now(n, c) == USART_MODE_I2C) {
        i2c_read(n, d, role);
        return;
    }
    if (role != USART_RXBUF)
        return;
    s->rx_full = 0;
    usart_set(n, c, USART_RCTL, usart_get(n, c, USART_RCTL) & ~(unsigned)(ERRORS | USART_RXWAKE));
    usart_flag(n, d, c->rx, false);
}

/* Registers whose read does something are those that data is read from. */
static bool msp430_usart_outlook(const struct node *n, const struct device *d, unsigned role, struct outlook *o)
{
    (void)o;
    return role < USART_RXBUF && usart_mode_now(n, d->config) != USART_MODE_I2C;
}

static void msp430_usart_write_control(struct node *n, const struct device *d, unsigned value)
{
    const struct msp430_usart *c = d->config;
    bool was_i2c = usart_mode_now(n, c) == USART_MODE_I2C;
    usart_set(n, c, USART_CTL, value);
    if (usart_mode_now(n, c) == USART_MODE_I2C) {
        if (!was_i2c)
            msp430_usart_hold(n, d);
        i2c_write(n, d, USART_CTL, value, was_i2c);
    } else if (value & USART_SWRST) {
        msp430_usart_hold(n, d);
    }
    msp430_usart_claim_pins(n, d);
    load_idle(n, d);
}

/* Clearing URXSE also clears the start edge that was seen (13.2.8). */
static void write_transmit_control(struct node *n, const struct device *d, unsigned value, unsigned old)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    usart_set(n, c, USART_TCTL, (value & ~(unsigned)USART_TXEPT) | (old & USART_TXEPT));
    if (!(value & USART_URXSE))
        s->rx_started = 0;
    usart_update(n, d);
    msp430_usart_claim_pins(n, d);
}

/* What is sent to it while BRCLK stands still comes at the rate at which that ran. */
static void note_clock(struct node *n, const struct device *d)
{
    struct usart *s = device_state(n, d);
    uint64_t period = n->state->clocks[usart_clock(n, d->config)].period;
    if (period)
        s->period = period;
}

static void msp430_usart_write_register(struct node *n, const struct device *d, unsigned reg, unsigned value,
                                        unsigned old)
{
    const struct msp430_usart *c = d->config;
    switch (reg) {
    case USART_CTL: msp430_usart_write_control(n, d, value); break;
    case USART_TCTL: write_transmit_control(n, d, value, old); break;
    case USART_RXBUF: break;
    case USART_TXBUF: write_buffer(n, d, value); break;
    default: usart_set(n, c, reg, value); break;
    }
    note_clock(n, d);
}

static void msp430_usart_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    const struct msp430_usart *c = d->config;
    if (role >= ROLE_I2C) {
        i2c_write_own(n, d, role - ROLE_I2C, value, old);
        return;
    }
    switch (role) {
    case ROLE_IE:
    case ROLE_IFG: usart_update(n, d); return;
    case ROLE_ME: load_idle(n, d); return;
    default: break;
    }
    if (role != USART_CTL && usart_mode_now(n, c) == USART_MODE_I2C)
        i2c_write(n, d, role, value, old);
    else
        msp430_usart_write_register(n, d, role, value, old);
}

static void msp430_usart_event(struct node *n, const struct device *d, unsigned which)
{
    switch (which) {
    case USART_EVENT_TX: transmitted(n, d); break;
    case USART_EVENT_RX: uart_line_event(n, d); break;
    case USART_EVENT_I2C: i2c_event(n, d); break;
    }
}

/* UTXIFG is cleared when its interrupt is served, URXIFG too unless URXSE is set; I2C's flags are not. */
static void msp430_usart_acknowledge(struct node *n, const struct device *d, unsigned irq)
{
    const struct msp430_usart *c = d->config;
    if (usart_mode_now(n, c) == USART_MODE_I2C)
        return;
    if (irq == IRQ_TX)
        usart_flag(n, d, c->tx, false);
    else if (!(usart_get(n, c, USART_TCTL) & USART_URXSE))
        usart_flag(n, d, c->rx, false);
}

static void msp430_usart_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    const struct msp430_usart *c = d->config;
    (void)role, (void)level;
    if (!usart_runs(n, c, USART_MODE_SPI))
        return;
    spi_selected(n, d);
    spi_claim_pins(n, d);
    load_idle(n, d);
}

static bool serial(struct node *n, const struct device *d, unsigned role, unsigned frame)
{
    (void)role;
    return uart_line_offer(n, d, frame);
}

static void msp430_usart_canonical(struct node *n, const struct device *d)
{
    struct usart *s = device_state(n, d);
    uint64_t now = node_cycle(n, usart_clock(n, d->config));
    s->tx_end = s->tx_busy ? s->tx_end - now : 0; /* still to come */
    s->rx_expected = s->queue.count ? s->rx_expected - now : 0;
    if (!s->queue.count)
        s->queue = (struct usart_queue){.count = 0};
}

const struct device_type msp430_usart = {
    .name = "usart",
    .state_size = sizeof(struct usart),
    .events = USART_EVENTS,
    .connect = msp430_usart_connect,
    .reset = msp430_usart_reset,
    .event = msp430_usart_event,
    .read = msp430_usart_read,
    .outlook = msp430_usart_outlook,
    .write = msp430_usart_write,
    .acknowledge = msp430_usart_acknowledge,
    .input = msp430_usart_input,
    .spi = spi_exchanged,
    .twi = i2c_signalled,
    .serial = serial,
    .canonical = msp430_usart_canonical,
};
