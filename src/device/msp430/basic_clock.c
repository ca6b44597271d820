#include "device/msp430/basic_clock.h"

#include "device/msp430/clocks.h"
#include "device/msp430/nmi.h"
#include "isa/msp430/msp430.h"
#include "node/machine.h"

enum { DCOCTL_RESET = 0x60, BCSCTL1_RESET = 0x84 };
enum { XT2OFF = 0x80, XTS = 0x40, DCOR = 0x01, SELS = 0x08 };
enum { ROLE_DCOCTL, ROLE_BCSCTL1, ROLE_BCSCTL2, ROLE_FAULT_FLAG };

/* SCG0 switches the DCO's generator off, and it takes this long to run again (SLAS368G, page 31, t(LPM3)). Without
 * SCG0, in LPM0 and LPM2, the DCO is back within 100 ns (SLAS361D, page 21), less than a cycle. */
static const double dco_start_seconds = 6e-6;

struct state {
    uint16_t hunts; /* changes of DCOCTL that took back the direction of the one before */
    int8_t direction;
};

static const struct msp430_basic_clock *basic_clock_config_of(const struct device *d)
{
    return d->config;
}

static void basic_clock_connect(const struct device *d, struct wiring *w)
{
    const struct msp430_basic_clock *c = basic_clock_config_of(d);
    wire_register(w, d, c->dcoctl, ROLE_DCOCTL, WIRE_STORE, 0xff);
    wire_register(w, d, c->bcsctl1, ROLE_BCSCTL1, WIRE_STORE, 0xff);
    wire_register(w, d, c->bcsctl2, ROLE_BCSCTL2, WIRE_STORE, 0xff);
    wire_register(w, d, c->fault_flag.reg, ROLE_FAULT_FLAG, WIRE_STORE, bits_mask(c->fault_flag));
    wire_instruction(w, d, INSTRUCTION_SLEEP);
    wire_instruction(w, d, INSTRUCTION_WAKE);
}

/* ---- frequencies ---- */

/* How far the DCO is off, in steps of MOD from -1/2 to 1/2: the fractions of multiples of the golden ratio, so that any
 * point is soon come by. */
static double dco_drift(unsigned hunts)
{
    return hunts ? (hunts * 40503u & 0xffff) / 65536.0 - 0.5 : 0;
}

static double dco_seconds(const struct node *n, const struct device *d)
{
    const struct msp430_basic_clock *c = basic_clock_config_of(d);
    const struct state *s = device_state(n, d);
    unsigned dco = n->data[c->dcoctl] >> 5, mod = n->data[c->dcoctl] & 31, rsel = n->data[c->bcsctl1] & 7;
    double slow = 1 / c->dco_hz[rsel]; /* no pow(): its last bit differs from one C library to the next */
    for (unsigned step = dco; step < 3; step++)
        slow *= c->dco_step;
    for (unsigned step = 3; step < dco; step++)
        slow /= c->dco_step;
    slow *= 1 + dco_drift(s->hunts) * (c->dco_step - 1) / 32;
    if (dco == 7) /* there is no higher step to mix with */
        return slow;
    double fast = slow / c->dco_step;
    return ((32 - mod) * slow + mod * fast) / 32;
}

/* Seconds a cycle; 0: the oscillator does not run. */
static double lfxt1_seconds(const struct node *n)
{
    return n->machine->watch_hz ? 1 / (double)n->machine->watch_hz : 0;
}

static double xt2_seconds(const struct node *n, const struct msp430_basic_clock *c)
{
    return c->xt2_hz > 0 && !(n->data[c->bcsctl1] & XT2OFF) ? 1 / c->xt2_hz : 0;
}

/* A failed crystal is replaced by the DCO where it would clock the CPU (4.2.7). */
static double or_dco(const struct node *n, const struct device *d, double seconds)
{
    return seconds > 0 ? seconds : dco_seconds(n, d);
}

static double mclk_seconds(const struct node *n, const struct device *d)
{
    const struct msp430_basic_clock *c = basic_clock_config_of(d);
    unsigned bcsctl2 = n->data[c->bcsctl2], divider = 1u << (bcsctl2 >> 4 & 3);
    switch (bcsctl2 >> 6) {
    case 0:
    case 1: return divider * dco_seconds(n, d);
    case 2: return divider * or_dco(n, d, c->xt2_hz > 0 ? xt2_seconds(n, c) : lfxt1_seconds(n));
    default: return divider * or_dco(n, d, lfxt1_seconds(n));
    }
}

static double smclk_seconds(const struct node *n, const struct device *d)
{
    const struct msp430_basic_clock *c = basic_clock_config_of(d);
    unsigned bcsctl2 = n->data[c->bcsctl2], divider = 1u << (bcsctl2 >> 1 & 3);
    if (!(bcsctl2 & SELS))
        return divider * dco_seconds(n, d);
    return divider * (c->xt2_hz > 0 ? xt2_seconds(n, c) : lfxt1_seconds(n));
}

static double aclk_seconds(const struct node *n, const struct msp430_basic_clock *c)
{
    return (1u << (n->data[c->bcsctl1] >> 4 & 3)) * lfxt1_seconds(n);
}

static uint64_t ticks(const struct node *n, double seconds)
{
    return (uint64_t)(seconds * (double)n->machine->hz * (double)CLOCK_ONE + 0.5);
}

/* ---- what runs ---- */

static bool dco_clocks(const struct node *n, const struct msp430_basic_clock *c, unsigned sr)
{
    unsigned bcsctl2 = n->data[c->bcsctl2];
    bool mclk = !(sr & MSP430_CPUOFF) && (bcsctl2 >> 6) < 2, smclk = !(sr & MSP430_SCG1) && !(bcsctl2 & SELS);
    return mclk || smclk || !(sr & MSP430_SCG0);
}

/* Whether MCLK starts while SMCLK runs on: both are gated from one DCOCLK, whose edges they have in common. */
static bool joins_smclk(const struct node *n, const struct msp430_basic_clock *c, uint64_t mclk, uint64_t smclk)
{
    bool dco = (n->data[c->bcsctl2] >> 6) < 2 && !(n->data[c->bcsctl2] & SELS);
    const struct clock *now = n->state->clocks;
    return dco && mclk && mclk == smclk && !now[MSP430_MCLK].period && now[MSP430_SMCLK].period == smclk;
}

/* Table 2-2 and figure 4-1: CPUOFF stops MCLK, SCG1 SMCLK, OSCOFF the crystal and with it ACLK. */
static void basic_clock_settle(struct node *n, const struct device *d)
{
    const struct msp430_basic_clock *c = basic_clock_config_of(d);
    unsigned sr = ((const struct msp430_cpu *)n->cpu)->r[MSP430_SR];
    uint64_t mclk = sr & MSP430_CPUOFF ? 0 : ticks(n, mclk_seconds(n, d));
    uint64_t smclk = sr & MSP430_SCG1 ? 0 : ticks(n, smclk_seconds(n, d));
    if (joins_smclk(n, c, mclk, smclk))
        node_join_clock(n, MSP430_MCLK, MSP430_SMCLK);
    else
        node_set_clock(n, MSP430_MCLK, mclk);
    node_set_clock(n, MSP430_SMCLK, smclk);
    node_set_clock(n, MSP430_ACLK, sr & MSP430_OSCOFF ? 0 : ticks(n, aclk_seconds(n, c)));
}

/* The fault flag cannot be cleared while the XT2 oscillator, switched on, does not run. */
static void show_fault(struct node *n, const struct device *d)
{
    const struct msp430_basic_clock *c = basic_clock_config_of(d);
    bool lfxt1_fails = (n->data[c->bcsctl1] & XTS) && n->machine->watch_hz < 400000;
    bool xt2_fails = !(n->data[c->bcsctl1] & XT2OFF) && c->xt2_hz <= 0;
    if (lfxt1_fails || xt2_fails)
        bits_set(n, c->fault_flag, 1);
    msp430_nmi_update(n);
}

static void basic_clock_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    const struct msp430_basic_clock *c = basic_clock_config_of(d);
    (void)cause;
    *(struct state *)device_state(n, d) = (struct state){0};
    n->data[c->dcoctl] = DCOCTL_RESET;
    n->data[c->bcsctl1] = BCSCTL1_RESET;
    n->data[c->bcsctl2] = 0;
    ((struct msp430_cpu *)n->cpu)->r[MSP430_SR] = 0;
    bits_set(n, c->fault_flag, 1); /* set until firmware has seen the crystals start (4.2.7) */
    basic_clock_settle(n, d);
}

static void hunt(struct state *s, unsigned value, unsigned old)
{
    int8_t direction = (int8_t)((value > old) - (value < old));
    if (direction && direction == -s->direction)
        s->hunts++;
    if (direction)
        s->direction = direction;
}

static void basic_clock_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    if (role == ROLE_DCOCTL)
        hunt(device_state(n, d), value, old);
    if (role == ROLE_DCOCTL || role == ROLE_BCSCTL1 || role == ROLE_BCSCTL2)
        basic_clock_settle(n, d);
    show_fault(n, d);
}

/* SR's low-power bits have changed: by an instruction, or cleared because an interrupt was accepted. */
static void basic_clock_instruction(struct node *n, const struct device *d, enum instruction what)
{
    const struct msp430_basic_clock *c = basic_clock_config_of(d);
    unsigned sr = ((const struct msp430_cpu *)n->cpu)->r[MSP430_SR];
    bool unused = n->state->clocks[MSP430_SMCLK].period == 0 && n->state->clocks[MSP430_MCLK].period == 0;
    bool dco_was_off = unused && (sr & MSP430_SCG0); /* which an accepted interrupt leaves as it was */
    basic_clock_settle(n, d);
    if (what == INSTRUCTION_WAKE && dco_was_off && dco_clocks(n, c, sr) && (n->data[c->bcsctl2] >> 6) < 2)
        node_stall(n, (uint64_t)(dco_start_seconds / mclk_seconds(n, d)));
}

/* Figure 2-10 of the family's user's guide (SLAU049): the modes by SCG1, SCG0 and OSCOFF. */
static const char *basic_clock_doing(const struct node *n, const struct device *d)
{
    unsigned sr = ((const struct msp430_cpu *)n->cpu)->r[MSP430_SR];
    bool scg0 = sr & MSP430_SCG0, scg1 = sr & MSP430_SCG1;
    (void)d;
    if (!(sr & MSP430_CPUOFF))
        return "active";
    if (sr & MSP430_OSCOFF)
        return "LPM4";
    return scg1 ? scg0 ? "LPM3" : "LPM2" : scg0 ? "LPM1" : "LPM0";
}

const struct device_type msp430_basic_clock = {
    .name = "basic clock",
    .state_size = sizeof(struct state),
    .connect = basic_clock_connect,
    .reset = basic_clock_reset,
    .write = basic_clock_write,
    .instruction = basic_clock_instruction,
    .doing = basic_clock_doing,
};
