/* The two-wire bus (SLAU049, chapter 15).
 *
 * Work on the bus is done a step at a time, each one event: START with the address, a byte with its acknowledge, STOP.
 * Between steps the clock is held low where the firmware has to supply or take data. As slave the module answers calls
 * of twi_signal on its bus. Invariant: RXRDYIFG is set exactly while I2CDR holds received data, TXRDYIFG while data to
 * send is asked for.
 */
#include "device/msp430/usart_internal.h"

enum i2c_ctl { I2CEN = 1, MST = 2, XA = 0x10, TXDMAEN = 0x40, RXDMAEN = 0x80 };
enum i2c_tctl { I2CSTT = 1, I2CSTP = 2, I2CSTB = 4, I2CTRX = 8, I2CSSEL = 4, I2CRM = 0x40, I2CWORD = 0x80 };
enum i2c_dctl { I2CBB = 1, I2CRXOVR = 2, I2CTXUDF = 4, I2CSBD = 8, I2CSCLLOW = 0x10, I2CBUSY = 0x20 };
enum i2c_flags { AL = 1, NACK = 2, OA = 4, ARDY = 8, RXRDY = 0x10, TXRDY = 0x20, GC = 0x40, STT = 0x80 };

/* The registers all modes share have other names here. */
enum {
    I2CTCTL = USART_TCTL,
    I2CDCTL = USART_RCTL,
    I2CPSC = USART_MCTL,
    I2CSCLH = USART_BR0,
    I2CSCLL = USART_BR1,
    I2CDRL = USART_RXBUF,
    I2CDRH = USART_TXBUF,
};

enum step { STEP_NONE, STEP_ADDRESS, STEP_SEND, STEP_RECEIVE, STEP_STOP, STEP_HELD, STEP_WAIT };
enum standing { UNADDRESSED, MASTER, SLAVE_RECEIVER, SLAVE_TRANSMITTER };

static bool tctl(const struct node *n, const struct msp430_usart *c, unsigned bit)
{
    return usart_get(n, c, I2CTCTL) & bit;
}

static void clear_tctl(struct node *n, const struct msp430_usart *c, unsigned bits)
{
    usart_set(n, c, I2CTCTL, usart_get(n, c, I2CTCTL) & ~bits);
}

static void dctl(struct node *n, const struct msp430_usart *c, unsigned bits, bool on)
{
    unsigned value = usart_get(n, c, I2CDCTL) & ~bits;
    usart_set(n, c, I2CDCTL, on ? value | bits : value);
}

/* ---- flags ---- */

bool i2c_asks(const struct node *n, const struct msp430_usart *c)
{
    return n->data[c->i2c->ie] & n->data[c->i2c->ifg];
}

static void usart_i2c_flag(struct node *n, const struct device *d, unsigned which, bool up)
{
    const struct msp430_usart *c = d->config;
    unsigned ctl = usart_get(n, c, USART_CTL);
    n->data[c->i2c->ifg] = (uint8_t)((n->data[c->i2c->ifg] & ~which) | (up ? which : 0));
    usart_update(n, d);
    if (up && which == RXRDY && ctl & RXDMAEN)
        msp430_dma_raise(n, c->dma_rx);
    if (up && which == TXRDY && ctl & TXDMAEN)
        msp430_dma_raise(n, c->dma_tx);
}

/* ---- steps ---- */

static unsigned bus_clock(const struct node *n, const struct msp430_usart *c)
{
    switch (usart_get(n, c, I2CTCTL) >> I2CSSEL & 3) {
    case 0: return MSP430_NO_CLOCK;
    case 1: return MSP430_ACLK;
    default: return MSP430_SMCLK;
    }
}

/* A half of SCL lasts I2CSCLx + 2 prescaled cycles, five at least; the prescaler divides by one to five (15.3). */
static unsigned half(unsigned value)
{
    return value < 3 ? 5 : value + 2;
}

static void usart_i2c_begin(struct node *n, const struct device *d, enum step step, unsigned periods)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    unsigned prescaler = usart_get(n, c, I2CPSC) > 4 ? 5 : usart_get(n, c, I2CPSC) + 1u;
    unsigned period = (half(usart_get(n, c, I2CSCLH)) + half(usart_get(n, c, I2CSCLL))) * prescaler;
    s->i2c_step = (uint8_t)step;
    dctl(n, c, I2CSCLLOW, false);
    event_in(n, d, USART_EVENT_I2C, bus_clock(n, c), (uint64_t)periods * period);
}

/* The clock is held low until the firmware does something. */
static void usart_i2c_held(struct node *n, const struct device *d)
{
    struct usart *s = device_state(n, d);
    s->i2c_step = STEP_HELD;
    dctl(n, d->config, I2CSCLLOW, true);
}

static bool usart_i2c_is_word(const struct node *n, const struct msp430_usart *c)
{
    return tctl(n, c, I2CWORD);
}

/* Bytes that I2CDR takes at once now. */
static unsigned width(const struct node *n, const struct msp430_usart *c, unsigned left)
{
    return usart_i2c_is_word(n, c) && (tctl(n, c, I2CRM) || left > 1) ? 2 : 1;
}

/* I2CDR is empty: ask for more unless all of I2CNDAT has been written. */
static void ask_for_data(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    const struct usart *s = device_state(n, d);
    if (tctl(n, c, I2CRM) || s->i2c_loads)
        usart_i2c_flag(n, d, TXRDY, true);
}

static void usart_i2c_start(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    if (s->i2c_busy) {
        s->i2c_step = STEP_WAIT;
        return;
    }
    bool ten = usart_get(n, c, USART_CTL) & XA, transmits = tctl(n, c, I2CTRX);
    s->i2c_standing = MASTER;
    s->i2c_more = s->i2c_loads = n->data[c->i2c->ndat];
    s->i2c_count = 0;
    dctl(n, c, I2CBUSY | I2CBB, true);
    usart_i2c_flag(n, d, ARDY, false);
    usart_i2c_begin(n, d, STEP_ADDRESS, ten ? (transmits ? 19 : 29) : 10);
    if (transmits)
        ask_for_data(n, d);
}

static void usart_i2c_stop(struct node *n, const struct device *d)
{
    usart_i2c_begin(n, d, STEP_STOP, 1);
}

static bool last_byte(const struct node *n, const struct msp430_usart *c, const struct usart *s)
{
    return tctl(n, c, I2CRM) ? tctl(n, c, I2CSTP) : s->i2c_more == 1;
}

static void next_to_send(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    const struct usart *s = device_state(n, d);
    bool all = tctl(n, c, I2CRM) ? !s->i2c_count && tctl(n, c, I2CSTP) : !s->i2c_more;
    if (!all && s->i2c_count) {
        usart_i2c_begin(n, d, STEP_SEND, 9);
    } else if (all && tctl(n, c, I2CSTP)) {
        usart_i2c_stop(n, d);
    } else if (tctl(n, c, I2CSTT)) {
        usart_i2c_start(n, d);
    } else {
        usart_i2c_held(n, d);
        if (all)
            usart_i2c_flag(n, d, ARDY, true);
        else
            dctl(n, c, I2CTXUDF, true);
    }
}

static void next_to_receive(struct node *n, const struct device *d, bool was_last)
{
    const struct msp430_usart *c = d->config;
    bool full = n->data[c->i2c->ifg] & RXRDY;
    if (was_last && tctl(n, c, I2CSTP)) {
        usart_i2c_stop(n, d);
    } else if (was_last && tctl(n, c, I2CSTT)) {
        usart_i2c_start(n, d);
    } else if (was_last) {
        usart_i2c_held(n, d);
        usart_i2c_flag(n, d, ARDY, true);
    } else if (full) {
        usart_i2c_held(n, d);
        dctl(n, c, I2CRXOVR, true);
    } else {
        usart_i2c_begin(n, d, STEP_RECEIVE, 9);
    }
}

/* No acknowledge: the master waits for what the firmware wants, a STOP or another START (15.2.4). */
static void refused(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    s->i2c_more = s->i2c_loads = s->i2c_count = 0;
    usart_i2c_flag(n, d, TXRDY, false);
    usart_i2c_flag(n, d, NACK, true);
    if (tctl(n, c, I2CSTP))
        usart_i2c_stop(n, d);
    else
        usart_i2c_held(n, d);
}

/* Another master was stronger: MST and what was under way are gone. */
static bool lost(struct node *n, const struct device *d, unsigned answer)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    if (!(answer & (TWI_ARBITRATION_LOST | TWI_BUS_ERROR)))
        return false;
    s->i2c_standing = UNADDRESSED;
    s->i2c_step = STEP_NONE;
    s->i2c_busy = (answer & TWI_ARBITRATION_LOST) != 0;
    usart_set(n, c, USART_CTL, usart_get(n, c, USART_CTL) & ~(unsigned)MST);
    clear_tctl(n, c, I2CSTT | I2CSTP);
    dctl(n, c, I2CBUSY | I2CSCLLOW, false);
    usart_i2c_flag(n, d, AL, true);
    return true;
}

/* Seven bits in one byte; ten bits in two, and read after a second START (15.2.3). */
static unsigned send_address(struct node *n, const struct msp430_usart *c)
{
    unsigned address = word_get(n, c->i2c->sa), reads = tctl(n, c, I2CTRX) ? 0 : 1;
    if (!(usart_get(n, c, USART_CTL) & XA))
        return twi_signal(n, c->i2c->bus, TWI_START, (uint8_t)((address & 0x7f) << 1 | reads));
    unsigned first = 0xf0 | (address >> 7 & 6);
    unsigned answer = twi_signal(n, c->i2c->bus, TWI_START, (uint8_t)first);
    if (answer == TWI_ACKNOWLEDGE)
        answer = twi_signal(n, c->i2c->bus, TWI_WRITE, (uint8_t)address);
    if (answer == TWI_ACKNOWLEDGE && reads)
        answer = twi_signal(n, c->i2c->bus, TWI_START, (uint8_t)(first | 1));
    return answer;
}

static void usart_i2c_address_sent(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    unsigned answer = send_address(n, c);
    clear_tctl(n, c, I2CSTT);
    if (lost(n, d, answer))
        return;
    if (!(answer & TWI_ACKNOWLEDGE))
        refused(n, d);
    else if (tctl(n, c, I2CTRX))
        next_to_send(n, d);
    else
        usart_i2c_begin(n, d, STEP_RECEIVE, 9);
}

static void usart_i2c_byte_sent(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    unsigned answer = twi_signal(n, c->i2c->bus, TWI_WRITE, s->i2c_data[0]);
    s->i2c_data[0] = s->i2c_data[1];
    s->i2c_count--;
    if (s->i2c_more)
        s->i2c_more--;
    if (lost(n, d, answer))
        return;
    if (!(answer & TWI_ACKNOWLEDGE)) {
        refused(n, d);
        return;
    }
    if (!s->i2c_count && !(tctl(n, c, I2CRM) && tctl(n, c, I2CSTP)))
        ask_for_data(n, d);
    next_to_send(n, d);
}

/* A byte for I2CDR; a word is ready with its second byte, or the last of an odd number. */
static void usart_i2c_take_byte(struct node *n, const struct device *d, uint8_t byte, bool was_last)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    s->i2c_data[s->i2c_count++ & 1] = byte;
    if (usart_i2c_is_word(n, c) && s->i2c_count < 2 && !was_last)
        return;
    usart_set(n, c, I2CDRL, s->i2c_data[0]);
    usart_set(n, c, I2CDRH, s->i2c_count > 1 ? s->i2c_data[1] : 0);
    s->i2c_count = 0;
    usart_i2c_flag(n, d, RXRDY, true);
}

static void usart_i2c_byte_received(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    bool was_last = last_byte(n, c, s);
    uint8_t byte = (uint8_t)twi_signal(n, c->i2c->bus, was_last ? TWI_READ_NACKED : TWI_READ, 0);
    if (s->i2c_more)
        s->i2c_more--;
    usart_i2c_take_byte(n, d, byte, was_last);
    next_to_receive(n, d, was_last);
}

static void usart_i2c_stopped(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    twi_signal(n, c->i2c->bus, TWI_STOP, 0);
    s->i2c_standing = UNADDRESSED;
    s->i2c_step = STEP_NONE;
    clear_tctl(n, c, I2CSTP | I2CSTT);
    usart_set(n, c, USART_CTL, usart_get(n, c, USART_CTL) & ~(unsigned)MST);
    dctl(n, c, I2CBUSY | I2CBB | I2CSCLLOW, false);
    usart_i2c_flag(n, d, TXRDY, false);
    usart_i2c_flag(n, d, ARDY, true);
}

void i2c_event(struct node *n, const struct device *d)
{
    const struct usart *s = device_state(n, d);
    switch ((enum step)s->i2c_step) {
    case STEP_ADDRESS: usart_i2c_address_sent(n, d); break;
    case STEP_SEND: usart_i2c_byte_sent(n, d); break;
    case STEP_RECEIVE: usart_i2c_byte_received(n, d); break;
    case STEP_STOP: usart_i2c_stopped(n, d); break;
    case STEP_NONE:
    case STEP_HELD:
    case STEP_WAIT: break;
    }
}

/* ---- slave ---- */

static bool is_ours(const struct node *n, const struct msp430_usart *c, struct usart *s, uint8_t byte)
{
    unsigned own = word_get(n, c->i2c->oa);
    if (!(usart_get(n, c, USART_CTL) & XA))
        return byte >> 1 == (own & 0x7f);
    return (byte & 0xfe) == (0xf0 | (own >> 7 & 6)) && (!(byte & 1) || s->i2c_match == 2);
}

static void usart_i2c_addressed(struct node *n, const struct device *d, bool reads, bool general)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    s->i2c_standing = reads ? SLAVE_TRANSMITTER : SLAVE_RECEIVER;
    s->i2c_count = 0;
    dctl(n, c, I2CBUSY, true);
    usart_i2c_flag(n, d, general ? GC : OA, true);
    usart_i2c_flag(n, d, STT, true);
    if (reads)
        usart_i2c_flag(n, d, TXRDY, true);
}

static unsigned usart_i2c_slave_start(struct node *n, const struct device *d, uint8_t byte)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    bool ten = usart_get(n, c, USART_CTL) & XA, reads = byte & 1;
    s->i2c_busy = 1;
    dctl(n, c, I2CBB, true);
    s->i2c_standing = UNADDRESSED;
    if (byte == 0) {
        usart_i2c_addressed(n, d, false, true);
        return TWI_ACKNOWLEDGE;
    }
    if (!is_ours(n, c, s, byte))
        return 0;
    if (ten && !reads)
        s->i2c_match = 1; /* the rest of the address comes as a byte */
    else
        usart_i2c_addressed(n, d, reads, false);
    return TWI_ACKNOWLEDGE;
}

static unsigned usart_i2c_slave_receive(struct node *n, const struct device *d, uint8_t byte)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    if (s->i2c_match == 1) {
        s->i2c_match = byte == (word_get(n, c->i2c->oa) & 0xff) ? 2 : 0;
        if (s->i2c_match)
            usart_i2c_addressed(n, d, false, false);
        return s->i2c_match ? TWI_ACKNOWLEDGE : 0;
    }
    if (s->i2c_standing != SLAVE_RECEIVER || n->data[c->i2c->ifg] & RXRDY)
        return 0;
    usart_i2c_take_byte(n, d, byte, false);
    return TWI_ACKNOWLEDGE;
}

static unsigned usart_i2c_slave_transmit(struct node *n, const struct device *d, bool acknowledged)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    if (s->i2c_standing != SLAVE_TRANSMITTER)
        return 0xff;
    if (!s->i2c_count) {
        dctl(n, c, I2CTXUDF, true);
        return 0xff;
    }
    uint8_t byte = s->i2c_data[0];
    s->i2c_data[0] = s->i2c_data[1];
    if (!--s->i2c_count && acknowledged)
        usart_i2c_flag(n, d, TXRDY, true);
    return byte;
}

static void usart_i2c_slave_stop(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    s->i2c_busy = s->i2c_match = 0;
    dctl(n, c, I2CBB | I2CBUSY, false);
    if (s->i2c_standing != UNADDRESSED) {
        s->i2c_standing = UNADDRESSED;
        usart_i2c_flag(n, d, TXRDY, false);
        usart_i2c_flag(n, d, ARDY, true);
    }
    if (s->i2c_step == STEP_WAIT)
        usart_i2c_start(n, d);
}

unsigned i2c_signalled(struct node *n, const struct device *d, unsigned role, enum twi_event event, uint8_t byte)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    bool reads = event == TWI_READ || event == TWI_READ_NACKED;
    (void)role;
    if (!usart_runs(n, c, USART_MODE_I2C) || s->i2c_standing == MASTER) /* off, or we hear ourselves */
        return reads ? 0xff : 0;
    switch (event) {
    case TWI_START: return usart_i2c_slave_start(n, d, byte);
    case TWI_WRITE: return usart_i2c_slave_receive(n, d, byte);
    case TWI_READ:
    case TWI_READ_NACKED: return usart_i2c_slave_transmit(n, d, event == TWI_READ);
    case TWI_STOP: usart_i2c_slave_stop(n, d); return 0;
    case TWI_CLOCK_HELD:
        return (s->i2c_standing == SLAVE_TRANSMITTER && !s->i2c_count) ||
               (s->i2c_standing == SLAVE_RECEIVER && n->data[c->i2c->ifg] & RXRDY);
    }
    return 0;
}

/* ---- what the firmware does ---- */

/* I2CSTT or I2CSTP was set, or the data that was waited for is here (table 15-2). */
static void usart_i2c_act(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    if (!usart_runs(n, c, USART_MODE_I2C) || !(usart_get(n, c, USART_CTL) & MST))
        return;
    if (s->i2c_step == STEP_NONE) {
        if (tctl(n, c, I2CSTT))
            usart_i2c_start(n, d);
        else if (tctl(n, c, I2CSTP))
            clear_tctl(n, c, I2CSTP);
        return;
    }
    if (s->i2c_step != STEP_HELD)
        return;
    bool more = !tctl(n, c, I2CRM) && s->i2c_more;
    if (tctl(n, c, I2CSTT) && !more && !s->i2c_count)
        usart_i2c_start(n, d);
    else if (tctl(n, c, I2CTRX))
        next_to_send(n, d);
    else if (tctl(n, c, I2CSTP) && !more)
        usart_i2c_stop(n, d);
    else if (!(n->data[c->i2c->ifg] & RXRDY) && (more || tctl(n, c, I2CRM)))
        usart_i2c_begin(n, d, STEP_RECEIVE, 9);
}

static void data_read(struct node *n, const struct device *d)
{
    usart_i2c_flag(n, d, RXRDY, false);
    dctl(n, d->config, I2CRXOVR, false);
    usart_i2c_act(n, d);
}

/* A word is there with its high byte. */
static void data_written(struct node *n, const struct device *d, unsigned reg, unsigned value)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    unsigned bytes = width(n, c, s->i2c_loads);
    usart_set(n, c, reg, value);
    if (s->i2c_count || (reg == I2CDRH) != (usart_i2c_is_word(n, c)))
        return;
    s->i2c_data[0] = usart_get(n, c, I2CDRL);
    s->i2c_data[1] = usart_get(n, c, I2CDRH);
    s->i2c_count = (uint8_t)bytes;
    s->i2c_loads = (uint8_t)(s->i2c_loads > bytes ? s->i2c_loads - bytes : 0);
    usart_i2c_flag(n, d, TXRDY, false);
    dctl(n, c, I2CTXUDF, false);
    usart_i2c_act(n, d);
}

/* I2CEN was cleared: everything under way ends, the flags too (15.2.1). */
static void usart_i2c_switch_off(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    bool master = s->i2c_standing == MASTER;
    event_cancel(n, d, USART_EVENT_I2C);
    s->i2c_standing = UNADDRESSED;
    s->i2c_step = STEP_NONE;
    s->i2c_count = s->i2c_more = s->i2c_loads = s->i2c_match = 0;
    clear_tctl(n, c, I2CSTT | I2CSTP | I2CSTB);
    usart_set(n, c, I2CDCTL, 0);
    n->data[c->i2c->ifg] = n->data[c->i2c->ie] = 0;
    usart_update(n, d);
    if (master)
        twi_signal(n, c->i2c->bus, TWI_STOP, 0);
}

void i2c_connect(const struct device *d, struct wiring *w, unsigned first_role)
{
    const struct msp430_usart *c = d->config;
    const struct msp430_usart_i2c *i = c->i2c;
    wire_register(w, d, i->ie, first_role + I2C_ROLE_IE, WIRE_STORE, 0xff);
    wire_register(w, d, i->ifg, first_role + I2C_ROLE_IFG, WIRE_STORE, 0xff);
    wire_register(w, d, i->ndat, first_role + I2C_ROLE_NDAT, WIRE_STORE, 0xff);
    wire_register(w, d, i->oa, first_role + I2C_ROLE_OA, WIRE_STORE | WIRE_WORD, 0x3ff);
    wire_register(w, d, i->sa, first_role + I2C_ROLE_SA, WIRE_STORE | WIRE_WORD, 0x3ff);
    wire_register(w, d, i->iv, first_role + I2C_ROLE_IV, WIRE_WRITE | WIRE_READ | WIRE_WORD, 0xffff);
    wire_twi(w, d, i->bus, 0);
}

void i2c_read(struct node *n, const struct device *d, unsigned reg)
{
    if (reg == I2CDRL && n->data[((const struct msp430_usart *)d->config)->i2c->ifg] & RXRDY)
        data_read(n, d);
}

void i2c_write(struct node *n, const struct device *d, unsigned reg, unsigned value, unsigned old)
{
    const struct msp430_usart *c = d->config;
    (void)old;
    switch (reg) {
    case USART_CTL:
        if (!(value & I2CEN))
            usart_i2c_switch_off(n, d);
        usart_i2c_act(n, d);
        break;
    case I2CTCTL:
        usart_set(n, c, reg, value);
        usart_i2c_act(n, d);
        break;
    case I2CDCTL: break;
    case I2CDRL:
    case I2CDRH: data_written(n, d, reg, value); break;
    default: usart_set(n, c, reg, value); break;
    }
}

/* The number of the most urgent flag that is set and enabled; any access to I2CIV clears that flag (15.2.8). */
static void usart_i2c_serve_vector(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    unsigned asks = n->data[c->i2c->ie] & n->data[c->i2c->ifg];
    unsigned bit = asks ? (unsigned)__builtin_ctz(asks) : 0;
    word_set(n, c->i2c->iv, asks ? 2 * (bit + 1) : 0);
    if (asks)
        usart_i2c_flag(n, d, 1u << bit, false);
}

void i2c_read_own(struct node *n, const struct device *d, unsigned role)
{
    if (role == I2C_ROLE_IV)
        usart_i2c_serve_vector(n, d);
}

void i2c_write_own(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)value, (void)old;
    if (role == I2C_ROLE_IV)
        usart_i2c_serve_vector(n, d);
    else if (role == I2C_ROLE_IE || role == I2C_ROLE_IFG)
        usart_update(n, d);
}
