#include "device/avr/twi.h"

#include "device/avr/power_reduction.h"
#include "node/pins.h"

enum { ROLE_PLAIN, ROLE_TWSR, ROLE_TWDR, ROLE_TWCR, ROLE_POWER, ROLE_BUS };
enum { EVENT_STEP, EVENTS };

enum step { STEP_NONE, STEP_WAIT, STEP_START, STEP_ADDRESS, STEP_SEND, STEP_RECEIVE, STEP_STOP };
enum standing { UNADDRESSED, MASTER, SLAVE_RECEIVER, SLAVE_GENERAL, SLAVE_TRANSMITTER };
enum pending { PENDING_NONE, PENDING_STOP, PENDING_ADDRESS };

struct twi {
    uint64_t left;    /* while the device's clock is stopped: cycles to the end of the step */
    uint8_t step;     /* under way; STEP_WAIT: for another master to free the bus */
    uint8_t standing; /* on the bus */
    uint8_t status;   /* the last one shown */
    uint8_t bus_busy; /* another master is between START and STOP */
    uint8_t pending;  /* came before the firmware dealt with the last status */
    uint8_t pending_address;
};

static void twi_connect(const struct device *d, struct wiring *w)
{
    const struct twi_config *c = d->config;
    wire_register(w, d, c->twbr, ROLE_PLAIN, WIRE_PLAIN, 0xff);
    wire_register(w, d, c->twar, ROLE_PLAIN, WIRE_PLAIN, 0xff);
    if (c->twamr)
        wire_register(w, d, c->twamr, ROLE_PLAIN, WIRE_PLAIN, 0xfe);
    wire_register(w, d, c->twsr, ROLE_TWSR, WIRE_STORE, 0x03);
    wire_register(w, d, c->twdr, ROLE_TWDR, WIRE_WRITE, 0xff);
    wire_register(w, d, c->twcr, ROLE_TWCR, WIRE_WRITE, 0xff);
    power_reduction_wire(w, d, c->power_reduction, ROLE_POWER);
    avr_interrupt_wire(w, d, &c->interrupt, 0);
    wire_twi(w, d, c->bus, ROLE_BUS);
}

static void twi_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    const struct twi_config *c = d->config;
    struct twi *s = device_state(n, d);
    *s = (struct twi){.left = NEVER, .status = TWI_STATUS_NONE, .bus_busy = s->bus_busy};
    n->data[c->twsr] = TWI_STATUS_NONE;
    n->data[c->twdr] = 0xff;
    n->data[c->twar] = 0xfe;
    pin_set_override(n, c->scl, PIN_NO_OVERRIDE);
    pin_set_override(n, c->sda, PIN_NO_OVERRIDE);
}

static bool twi_control(const struct node *n, const struct twi_config *c, enum twi_twcr bit)
{
    return n->data[c->twcr] >> bit & 1;
}

static void twi_set_control(struct node *n, const struct twi_config *c, enum twi_twcr bit, bool on)
{
    n->data[c->twcr] = (uint8_t)((n->data[c->twcr] & ~(1u << bit)) | (unsigned)on << bit);
}

static void twi_set_status(struct node *n, const struct twi_config *c, unsigned status)
{
    n->data[c->twsr] = (uint8_t)(status | (n->data[c->twsr] & 3u));
}

/* A step is over: TWINT, with its status. */
static void twi_show(struct node *n, const struct device *d, enum twi_status status)
{
    const struct twi_config *c = d->config;
    struct twi *s = device_state(n, d);
    s->step = STEP_NONE;
    s->status = (uint8_t)status;
    twi_set_status(n, c, status);
    avr_interrupt_flag(n, &c->interrupt, true);
}

/* ---- steps ---- */

/* "Bit Rate Generator Unit": SCL has a period of 16 + 2 TWBR 4^TWPS cycles. */
static uint64_t scl_period(const struct node *n, const struct twi_config *c)
{
    return 16 + ((uint64_t)(2u * n->data[c->twbr]) << 2 * (n->data[c->twsr] & 3u));
}

static void twi_begin(struct node *n, const struct device *d, enum step step)
{
    const struct twi_config *c = d->config;
    struct twi *s = device_state(n, d);
    unsigned periods = step == STEP_START || step == STEP_STOP ? 1 : 9;
    s->step = (uint8_t)step;
    event_in(n, d, EVENT_STEP, CLOCK_IO, periods * scl_period(n, c));
}

static void start_when_free(struct node *n, const struct device *d)
{
    struct twi *s = device_state(n, d);
    if (s->bus_busy)
        s->step = STEP_WAIT;
    else
        twi_begin(n, d, STEP_START);
}

static void twi_addressed(struct node *n, const struct device *d, uint8_t address, bool lost);
static bool is_for_us(const struct node *n, const struct twi_config *c, uint8_t address);

/* What a partner may answer to a byte besides acknowledging it. True if that ends our time as master. */
static bool disturbed(struct node *n, const struct device *d, unsigned answer)
{
    struct twi *s = device_state(n, d);
    if (answer & TWI_BUS_ERROR) {
        s->standing = UNADDRESSED;
        twi_show(n, d, TWI_STATUS_BUS_ERROR);
        return true;
    }
    if (!(answer & TWI_ARBITRATION_LOST))
        return false;
    s->standing = UNADDRESSED;
    s->bus_busy = 1;
    uint8_t winner = (uint8_t)(answer >> 8);
    if (s->step == STEP_ADDRESS && is_for_us(n, d->config, winner))
        twi_addressed(n, d, winner, true);
    else
        twi_show(n, d, TWI_STATUS_ARBITRATION_LOST);
    return true;
}

static void twi_address_sent(struct node *n, const struct device *d)
{
    const struct twi_config *c = d->config;
    uint8_t address = n->data[c->twdr];
    unsigned answer = twi_signal(n, c->bus, TWI_START, address);
    if (disturbed(n, d, answer))
        return;
    bool ack = answer & TWI_ACKNOWLEDGE;
    if (address & 1)
        twi_show(n, d, ack ? TWI_STATUS_MR_ADDRESS_ACK : TWI_STATUS_MR_ADDRESS_NACK);
    else
        twi_show(n, d, ack ? TWI_STATUS_MT_ADDRESS_ACK : TWI_STATUS_MT_ADDRESS_NACK);
}

static void twi_byte_sent(struct node *n, const struct device *d)
{
    const struct twi_config *c = d->config;
    unsigned answer = twi_signal(n, c->bus, TWI_WRITE, n->data[c->twdr]);
    if (!disturbed(n, d, answer))
        twi_show(n, d, answer & TWI_ACKNOWLEDGE ? TWI_STATUS_MT_DATA_ACK : TWI_STATUS_MT_DATA_NACK);
}

static void twi_byte_received(struct node *n, const struct device *d)
{
    const struct twi_config *c = d->config;
    bool ack = twi_control(n, c, TWI_TWEA);
    n->data[c->twdr] = (uint8_t)twi_signal(n, c->bus, ack ? TWI_READ : TWI_READ_NACKED, 0);
    twi_show(n, d, ack ? TWI_STATUS_MR_DATA_ACK : TWI_STATUS_MR_DATA_NACK);
}

static void twi_stopped(struct node *n, const struct device *d)
{
    const struct twi_config *c = d->config;
    struct twi *s = device_state(n, d);
    twi_signal(n, c->bus, TWI_STOP, 0);
    s->standing = UNADDRESSED;
    s->step = STEP_NONE;
    twi_set_control(n, c, TWI_TWSTO, false);
    if (twi_control(n, c, TWI_TWSTA))
        start_when_free(n, d);
}

static void twi_event(struct node *n, const struct device *d, unsigned event)
{
    (void)event;
    struct twi *s = device_state(n, d);
    switch ((enum step)s->step) {
    case STEP_START: {
        bool repeated = s->standing == MASTER;
        s->standing = MASTER;
        twi_show(n, d, repeated ? TWI_STATUS_REPEATED_START : TWI_STATUS_START);
        break;
    }
    case STEP_ADDRESS: twi_address_sent(n, d); break;
    case STEP_SEND: twi_byte_sent(n, d); break;
    case STEP_RECEIVE: twi_byte_received(n, d); break;
    case STEP_STOP: twi_stopped(n, d); break;
    case STEP_NONE:
    case STEP_WAIT: break;
    }
}

/* ---- slave ---- */

static bool is_general_call(const struct node *n, const struct twi_config *c, uint8_t address)
{
    return address == 0 && n->data[c->twar] & 1;
}

static bool is_for_us(const struct node *n, const struct twi_config *c, uint8_t address)
{
    if (!twi_control(n, c, TWI_TWEN) || !twi_control(n, c, TWI_TWEA) || bits_get(n, c->power_reduction))
        return false;
    uint8_t mask = c->twamr ? n->data[c->twamr] : 0;
    return ((address ^ n->data[c->twar]) & 0xfe & ~mask) == 0 || is_general_call(n, c, address);
}

static void twi_addressed(struct node *n, const struct device *d, uint8_t address, bool lost)
{
    const struct twi_config *c = d->config;
    struct twi *s = device_state(n, d);
    n->data[c->twdr] = address;
    if (is_general_call(n, c, address)) {
        s->standing = SLAVE_GENERAL;
        twi_show(n, d, lost ? TWI_STATUS_SR_GENERAL_LOST : TWI_STATUS_SR_GENERAL);
    } else if (address & 1) {
        s->standing = SLAVE_TRANSMITTER;
        twi_show(n, d, lost ? TWI_STATUS_ST_ADDRESS_LOST : TWI_STATUS_ST_ADDRESS);
    } else {
        s->standing = SLAVE_RECEIVER;
        twi_show(n, d, lost ? TWI_STATUS_SR_ADDRESS_LOST : TWI_STATUS_SR_ADDRESS);
    }
}

static bool twi_receiving(const struct twi *s)
{
    return s->standing == SLAVE_RECEIVER || s->standing == SLAVE_GENERAL;
}

/* A STOP, or the START of another transfer, while addressed as receiver. */
static void transfer_over(struct node *n, const struct device *d)
{
    struct twi *s = device_state(n, d);
    s->standing = UNADDRESSED;
    twi_show(n, d, TWI_STATUS_SR_STOP);
}

static unsigned twi_slave_start(struct node *n, const struct device *d, uint8_t address)
{
    const struct twi_config *c = d->config;
    struct twi *s = device_state(n, d);
    bool ours = is_for_us(n, c, address), held = twi_control(n, c, TWI_TWINT);
    s->bus_busy = 1;
    if (s->step == STEP_START) { /* the other was first */
        s->step = STEP_WAIT;
        event_cancel(n, d, EVENT_STEP);
    }
    if (held || twi_receiving(s)) {
        s->pending = ours ? PENDING_ADDRESS : twi_receiving(s) ? PENDING_STOP : PENDING_NONE;
        s->pending_address = ours ? address : 0;
        if (!held)
            transfer_over(n, d);
        return ours;
    }
    s->standing = UNADDRESSED;
    if (ours)
        twi_addressed(n, d, address, false);
    return ours;
}

static void twi_slave_stop(struct node *n, const struct device *d)
{
    const struct twi_config *c = d->config;
    struct twi *s = device_state(n, d);
    s->bus_busy = 0;
    if (twi_receiving(s) && twi_control(n, c, TWI_TWINT))
        s->pending = PENDING_STOP;
    else if (twi_receiving(s))
        transfer_over(n, d);
    else if (s->standing == SLAVE_TRANSMITTER)
        s->standing = UNADDRESSED;
    if (s->step == STEP_WAIT)
        twi_begin(n, d, STEP_START);
}

static unsigned twi_slave_receive(struct node *n, const struct device *d, uint8_t byte)
{
    const struct twi_config *c = d->config;
    struct twi *s = device_state(n, d);
    if (!twi_receiving(s) || twi_control(n, c, TWI_TWINT))
        return 0;
    bool ack = twi_control(n, c, TWI_TWEA), general = s->standing == SLAVE_GENERAL;
    n->data[c->twdr] = byte;
    if (ack) {
        twi_show(n, d, general ? TWI_STATUS_SR_GENERAL_DATA_ACK : TWI_STATUS_SR_DATA_ACK);
    } else {
        s->standing = UNADDRESSED;
        twi_show(n, d, general ? TWI_STATUS_SR_GENERAL_DATA_NACK : TWI_STATUS_SR_DATA_NACK);
    }
    return ack;
}

static unsigned twi_slave_transmit(struct node *n, const struct device *d, bool ack)
{
    const struct twi_config *c = d->config;
    struct twi *s = device_state(n, d);
    if (s->standing != SLAVE_TRANSMITTER || twi_control(n, c, TWI_TWINT))
        return 0xff;
    bool more = twi_control(n, c, TWI_TWEA);
    uint8_t byte = n->data[c->twdr];
    if (!ack || !more)
        s->standing = UNADDRESSED;
    twi_show(n, d, !ack ? TWI_STATUS_ST_DATA_NACK : more ? TWI_STATUS_ST_DATA_ACK : TWI_STATUS_ST_LAST_ACK);
    return byte;
}

static unsigned twi_signalled(struct node *n, const struct device *d, unsigned role, enum twi_event event, uint8_t byte)
{
    (void)role;
    const struct twi_config *c = d->config;
    struct twi *s = device_state(n, d);
    bool reads = event == TWI_READ || event == TWI_READ_NACKED;
    if (s->standing == MASTER) /* we hear ourselves */
        return reads ? 0xff : 0;
    /* Asleep, the bus itself clocks the recognition of addresses, which wakes the chip; data needs the I/O clock. */
    if ((reads || event == TWI_WRITE) && n->state->clocks[CLOCK_IO].period == 0)
        return reads ? 0xff : 0;
    switch (event) {
    case TWI_START: return twi_slave_start(n, d, byte);
    case TWI_WRITE: return twi_slave_receive(n, d, byte);
    case TWI_READ:
    case TWI_READ_NACKED: return twi_slave_transmit(n, d, event == TWI_READ);
    case TWI_STOP: twi_slave_stop(n, d); return 0;
    case TWI_CLOCK_HELD: return twi_control(n, c, TWI_TWINT) && twi_control(n, c, TWI_TWEN);
    }
    return 0;
}

/* ---- what the firmware decides ---- */

static void act_as_master(struct node *n, const struct device *d)
{
    const struct twi_config *c = d->config;
    struct twi *s = device_state(n, d);
    if (twi_control(n, c, TWI_TWSTO)) {
        twi_begin(n, d, STEP_STOP);
        return;
    }
    if (twi_control(n, c, TWI_TWSTA)) {
        twi_begin(n, d, STEP_START);
        return;
    }
    switch ((enum twi_status)s->status) {
    case TWI_STATUS_START:
    case TWI_STATUS_REPEATED_START: twi_begin(n, d, STEP_ADDRESS); break;
    case TWI_STATUS_MT_ADDRESS_ACK:
    case TWI_STATUS_MT_ADDRESS_NACK:
    case TWI_STATUS_MT_DATA_ACK:
    case TWI_STATUS_MT_DATA_NACK: twi_begin(n, d, STEP_SEND); break;
    case TWI_STATUS_MR_ADDRESS_ACK:
    case TWI_STATUS_MR_DATA_ACK: twi_begin(n, d, STEP_RECEIVE); break;
    default: break; /* after a NACK there is nothing but STOP or START to do */
    }
}

/* TWINT is clear: TWCR holds what the firmware wants next. */
static void twi_act(struct node *n, const struct device *d)
{
    const struct twi_config *c = d->config;
    struct twi *s = device_state(n, d);
    if (s->standing == MASTER) {
        act_as_master(n, d);
        return;
    }
    if (twi_control(n, c, TWI_TWSTO)) { /* a slave, or one in bus error, lets go of the bus without a STOP */
        twi_set_control(n, c, TWI_TWSTO, false);
        s->standing = UNADDRESSED;
    }
    if (s->pending != PENDING_NONE) {
        bool over = twi_receiving(s);
        if (over) {
            transfer_over(n, d);
        } else if (s->pending == PENDING_ADDRESS) {
            twi_addressed(n, d, s->pending_address, false);
        }
        if (s->pending == PENDING_STOP || !over)
            s->pending = s->pending_address = 0;
        if (twi_control(n, c, TWI_TWINT))
            return;
    }
    if (twi_control(n, c, TWI_TWSTA) && s->standing == UNADDRESSED)
        start_when_free(n, d);
}

static void twi_switch_off(struct node *n, const struct device *d)
{
    const struct twi_config *c = d->config;
    struct twi *s = device_state(n, d);
    bool master = s->standing == MASTER;
    event_cancel(n, d, EVENT_STEP);
    *s = (struct twi){.left = NEVER, .status = TWI_STATUS_NONE, .bus_busy = s->bus_busy};
    twi_set_control(n, c, TWI_TWSTO, false);
    twi_set_status(n, c, twi_control(n, c, TWI_TWINT) ? n->data[c->twsr] & 0xf8u : TWI_STATUS_NONE);
    if (master) /* both lines are let go: to the others that ends the transfer */
        twi_signal(n, c->bus, TWI_STOP, 0);
}

static void twi_write_control(struct node *n, const struct device *d, unsigned value, unsigned old)
{
    const struct twi_config *c = d->config;
    struct twi *s = device_state(n, d);
    const unsigned kept = 1u << TWI_TWWC | 1u << TWI_TWINT;
    const unsigned taken = 1u << TWI_TWEA | 1u << TWI_TWSTA | 1u << TWI_TWSTO | 1u << TWI_TWEN | 1u << TWI_TWIE;
    bool on = value & 1u << TWI_TWEN, was_on = old & 1u << TWI_TWEN;
    n->data[c->twcr] = (uint8_t)((value & taken) | (old & kept));
    if (s->step == STEP_STOP)
        twi_set_control(n, c, TWI_TWSTO, true); /* until it has been executed */
    if (value & old & 1u << TWI_TWINT) {
        twi_set_control(n, c, TWI_TWINT, false);
        twi_set_status(n, c, TWI_STATUS_NONE);
    }
    avr_interrupt_update(n, &c->interrupt);
    if (on != was_on) {
        pin_set_override(n, c->scl, on ? PIN_INPUT : PIN_NO_OVERRIDE);
        pin_set_override(n, c->sda, on ? PIN_INPUT : PIN_NO_OVERRIDE);
        if (!on)
            twi_switch_off(n, d);
    }
    if (on && s->step == STEP_NONE && !twi_control(n, c, TWI_TWINT))
        twi_act(n, d);
}

static void twi_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    const struct twi_config *c = d->config;
    struct twi *s = device_state(n, d);
    if (role == ROLE_POWER) {
        bool stopped_now = bits_get(n, c->power_reduction);
        if (stopped_now != (bool)(old & bits_mask(c->power_reduction)))
            power_reduction_event(n, d, EVENT_STEP, CLOCK_IO, stopped_now, &s->left);
        return;
    }
    if (bits_get(n, c->power_reduction))
        return;
    if (role == ROLE_TWCR)
        twi_write_control(n, d, value, old);
    if (role != ROLE_TWDR)
        return;
    bool allowed = twi_control(n, c, TWI_TWINT);
    twi_set_control(n, c, TWI_TWWC, !allowed);
    if (allowed)
        n->data[c->twdr] = (uint8_t)value;
}

const struct device_type twi_type = {
    .name = "twi",
    .state_size = sizeof(struct twi),
    .events = EVENTS,
    .connect = twi_connect,
    .reset = twi_reset,
    .event = twi_event,
    .write = twi_write,
    .twi = twi_signalled,
};
