#include "part/cc1000_internal.h"

#include <string.h>

enum { ROLE_PCLK, ROLE_PDATA, ROLE_PALE };

/* "VCO and PLL self-calibration": 34 ms at 1 MHz of reference, in inverse proportion to it (datasheet 2.1, pages 20 and
 * 22, as Avrora's CC1000Radio cites them). The reference is the crystal divided by REFDIV. */
static double calibration_seconds(const struct cc1000_config *c, const struct cc1000 *s)
{
    unsigned divisor = s->registers[PLL] >> 3 & 15;
    return 34e-3 * 1e6 * (divisor ? divisor : 1) / c->crystal;
}

static void cc1000_connect(const struct device *d, struct wiring *w)
{
    const struct cc1000_config *c = d->config;
    wire_pin(w, d, c->pclk, ROLE_PCLK);
    wire_pin(w, d, c->pale, ROLE_PALE);
    wire_drive(w, d, c->pdata);
    wire_drive(w, d, c->chp_out);
    wire_analog(w, d, c->rssi, 0);
    wire_air(w, d);
}

static void cc1000_default_registers(struct cc1000 *s)
{
    static const uint8_t defaults[CC1000_REGISTERS] = {
        [MAIN] = 0x3e,        [FREQ_2A] = 0x75,     [FREQ_2A + 1] = 0xa0, [FREQ_2A + 2] = 0xcb, [FREQ_2B] = 0x75,
        [FREQ_2B + 1] = 0xa5, [FREQ_2B + 2] = 0x4e, [FSEP0] = 0x59,       [CURRENT] = 0xca,     [FRONT_END] = 0x08,
        [PA_POW] = 0x0f,      [PLL] = 0x10,         [CAL] = 0x05,         [MODEM2] = 0x96,      [MODEM1] = 0x67,
        [MODEM0] = 0x24,      [FSCTRL] = 0x01,
    };
    memcpy(s->registers, defaults, sizeof s->registers);
}

static void cc1000_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)n, (void)cause;
    struct cc1000 *s = device_state(n, d);
    memset(s, 0, sizeof *s);
    s->begin = NEVER;
    cc1000_default_registers(s);
}

/* ---- registers ---- */

static void update_lock(struct node *n, const struct device *d)
{
    const struct cc1000_config *c = d->config;
    const struct cc1000 *s = device_state(n, d);
    bool locked = !(s->registers[MAIN] & (MAIN_FS_PD | MAIN_CORE_PD)) && !event_pending(n, d, EVENT_CALIBRATED);
    pin_drive(n, c->chp_out, locked && s->registers[LOCK] >> 4 ? PIN_HIGH : PIN_LOW);
}

static uint8_t cc1000_read_register(const struct node *n, const struct device *d, unsigned address)
{
    const struct cc1000 *s = device_state(n, d);
    if (address >= CC1000_REGISTERS)
        return 0;
    uint8_t value = s->registers[address];
    if (address == LOCK && !(s->registers[MAIN] & MAIN_FS_PD) && !event_pending(n, d, EVENT_CALIBRATED))
        value |= LOCK_CONTINUOUS | LOCK_INSTANT;
    return value;
}

static void cc1000_write_register(struct node *n, const struct device *d, unsigned address, uint8_t value)
{
    struct cc1000 *s = device_state(n, d);
    const struct cc1000_config *c = d->config;
    if (address >= CC1000_REGISTERS)
        return;
    if (address == MAIN && !(value & MAIN_RESET_N))
        cc1000_default_registers(s);
    if (address == CAL) {
        value &= (uint8_t)~CAL_COMPLETE;
        if (value & CAL_START && !(s->registers[CAL] & CAL_START))
            event_in(n, d, EVENT_CALIBRATED, CLOCK_TICK, node_ticks(n, calibration_seconds(c, s)));
        value |= s->registers[CAL] & CAL_COMPLETE && !event_pending(n, d, EVENT_CALIBRATED) ? CAL_COMPLETE : 0;
    }
    s->registers[address] = value;
    cc1000_switch(n, d);
    update_lock(n, d);
}

/* ---- the configuration interface ---- */

/* Bits are taken on the falling edge of PCLK by either side, the highest first: seven of address and one that says
 * "write" while PALE is low, then eight of data while it is high. */
static void take_bit(struct node *n, const struct device *d)
{
    const struct cc1000_config *c = d->config;
    struct cc1000 *s = device_state(n, d);
    bool address = !pin_level(n, c->pale);
    s->shift = (uint8_t)(s->shift << 1 | pin_level(n, c->pdata));
    if (++s->bits < 8)
        return;
    s->bits = 0;
    if (address)
        s->address = s->shift;
    else if (s->address & 1)
        cc1000_write_register(n, d, s->address >> 1, s->shift);
}

/* Read out, the next bit is there before that edge: the first with PALE, the others from the rising edge on. */
static void cc1000_show_bit(struct node *n, const struct device *d)
{
    const struct cc1000_config *c = d->config;
    const struct cc1000 *s = device_state(n, d);
    if (s->address & 1 || !pin_level(n, c->pale))
        return;
    uint8_t value = cc1000_read_register(n, d, s->address >> 1);
    pin_drive(n, c->pdata, value >> (7 - s->bits) & 1 ? PIN_HIGH : PIN_LOW);
}

static void cc1000_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    const struct cc1000_config *c = d->config;
    struct cc1000 *s = device_state(n, d);
    if (role == ROLE_PALE) {
        s->bits = s->shift = 0;
        if (!level)
            pin_drive(n, c->pdata, PIN_FLOATING);
    } else if (!level) {
        take_bit(n, d);
    }
    if (level)
        cc1000_show_bit(n, d);
}

static void cc1000_event(struct node *n, const struct device *d, unsigned which)
{
    struct cc1000 *s = device_state(n, d);
    if (which == EVENT_CLOCK) {
        cc1000_clock(n, d);
    } else {
        s->registers[CAL] = (uint8_t)((s->registers[CAL] | CAL_COMPLETE) & ~CAL_START);
        update_lock(n, d);
    }
}

/* With nothing in the air and nothing being sent, the numbers of earlier transmissions tell nothing; nor does, while it
 * is off, when its clock last began. */
static void cc1000_canonical(struct node *n, const struct device *d)
{
    struct cc1000 *s = device_state(n, d);
    bool silent = earshot_forget(n, &s->ear);
    if (silent && s->begin == NEVER)
        s->transmission = s->sent_bytes = 0;
    if (s->mode == CC1000_OFF)
        s->clock_start = s->clock_bytes = 0;
}

const struct device_type cc1000_type = {
    .name = "cc1000",
    .state_size = sizeof(struct cc1000),
    .events = EVENTS,
    .connect = cc1000_connect,
    .reset = cc1000_reset,
    .event = cc1000_event,
    .input = cc1000_input,
    .analog = cc1000_rssi,
    .hear = cc1000_hear,
    .canonical = cc1000_canonical,
};
