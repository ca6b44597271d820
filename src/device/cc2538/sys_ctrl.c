#include "device/cc2538/sys_ctrl.h"

#include "isa/cortex/cortex.h"
#include "node/clock.h"
#include "node/machine.h"

#define SYS_CTRL 0x400d2000u

enum {
    CLOCK_CTRL = 0x00,
    CLOCK_STA = 0x04,
    SRI2C = 0x44,
    SRSEC = 0x54,
    PMCTL = 0x58,
    PWRDBG = 0x74,
    CLD = 0x80,
    IWE = 0x94,
    I_MAP = 0x98,
    LAST = 0xb4
};
enum { ROLE_CLOCK_CTRL, ROLE_CLOCK_STA, ROLE_PWRDBG, ROLE_RESET };
enum { EVENT_SOURCE };

/* Bits of CLOCK_CTRL and CLOCK_STA. */
enum {
    SYNC_32K = 1 << 26,
    OSC32K_CALDIS = 1 << 25,
    OSC32K = 1 << 24,
    RESET_CAUSE = 22,
    SOURCE_CHANGE = 1 << 20,
    XOSC_STB = 1 << 19,
    HSOSC_STB = 1 << 18,
    OSC_PD = 1 << 17,
    OSC = 1 << 16,
    DIVISORS = 0x707,
};
enum { START_XOSC_US = 300, START_RC_US = 10, WAKE_PM1_US = 4, WAKE_PM2_US = 136, DEEP = 1 << 2, WARM_RESET = 1 << 3 };
enum { LOST_FIRST = 0x20000000, LOST_SIZE = 0x4000 }; /* RAM that PM2 and PM3 do not keep */
#define RC_32K_HZ 32753.0

struct sys_ctrl {
    uint8_t rc;    /* the system clock comes from the RC oscillator */
    uint8_t cause; /* of the last reset, as CLOCK_STA has it */
    uint8_t mode;  /* PM1 to PM3 while the chip is in it */
};

/* ---- interrupts ---- */

static const uint8_t sys_ctrl_alternate[] = {26, 27, 30, 31, 32, 33};

void cc2538_wire_interrupt(struct wiring *w, const struct device *d, unsigned interrupt)
{
    wire_interrupt(w, d, CORTEX_EXTERNAL + interrupt, 0);
    if (interrupt >= CC2538_RF_RX_TX)
        wire_interrupt(w, d, CORTEX_EXTERNAL + sys_ctrl_alternate[interrupt - CC2538_RF_RX_TX], 0);
}

void cc2538_interrupt(struct node *n, unsigned interrupt, bool level)
{
    if (interrupt >= CC2538_RF_RX_TX && register32_get(n, SYS_CTRL + I_MAP) & 1)
        interrupt = sys_ctrl_alternate[interrupt - CC2538_RF_RX_TX];
    node_irq(n, CORTEX_EXTERNAL + interrupt, level);
}

/* ---- clocks ---- */

static unsigned sys_ctrl_divisor(const struct sys_ctrl *s, unsigned shift)
{
    return s->rc && shift == 0 ? 1 : shift;
}

double cc2538_io_hz(const struct node *n)
{
    unsigned shift = register32_get(n, SYS_CTRL + CLOCK_CTRL) >> 8 & 7;
    bool rc = register32_get(n, SYS_CTRL + CLOCK_STA) & OSC;
    return (double)n->machine->hz / (1u << (rc && shift == 0 ? 1 : shift));
}

static void sys_ctrl_set_clocks(struct node *n, const struct device *d)
{
    const struct sys_ctrl *s = device_state(n, d);
    uint64_t period = CLOCK_ONE << sys_ctrl_divisor(s, block32_get(n, d, CLOCK_CTRL) & 7);
    node_set_clock(n, CLOCK_IO, period);
    node_set_clock(n, CLOCK_CPU, period);
}

static void sys_ctrl_set_32k(struct node *n, const struct device *d)
{
    bool rc = block32_get(n, d, CLOCK_CTRL) & OSC32K || !n->machine->watch_hz;
    double hz = rc ? RC_32K_HZ : (double)n->machine->watch_hz;
    node_set_clock(n, CC2538_CLOCK_64K, clock_period(n->machine->hz, 2 * hz));
}

static void sys_ctrl_show(struct node *n, const struct device *d)
{
    const struct sys_ctrl *s = device_state(n, d);
    uint32_t control = block32_get(n, d, CLOCK_CTRL), v = control & (OSC32K_CALDIS | OSC32K | OSC_PD | DIVISORS);
    bool both = !(control & OSC_PD), changing = event_pending(n, d, EVENT_SOURCE);
    v |= 1u << 3 | (uint32_t)s->cause << RESET_CAUSE | (s->rc ? OSC : 0) | (changing ? SOURCE_CHANGE : 0);
    v |= node_cycle(n, CC2538_CLOCK_64K) & 1 ? SYNC_32K : 0;
    v |= (!s->rc || (both && !changing) ? XOSC_STB : 0) | (s->rc || both ? HSOSC_STB : 0);
    block32_set(n, d, CLOCK_STA, v);
}

static void sys_ctrl_event(struct node *n, const struct device *d, unsigned event)
{
    struct sys_ctrl *s = device_state(n, d);
    (void)event;
    s->rc = (block32_get(n, d, CLOCK_CTRL) & OSC) != 0;
    sys_ctrl_set_clocks(n, d);
    sys_ctrl_show(n, d);
}

static void sys_ctrl_write_clock(struct node *n, const struct device *d, uint32_t value, uint32_t old)
{
    const struct sys_ctrl *s = device_state(n, d);
    bool rc = value & OSC;
    if ((value ^ old) & DIVISORS)
        sys_ctrl_set_clocks(n, d);
    if ((value ^ old) & OSC32K)
        sys_ctrl_set_32k(n, d);
    if (rc != s->rc && !event_pending(n, d, EVENT_SOURCE)) {
        double us = rc || !(old & OSC_PD) ? START_RC_US : START_XOSC_US;
        event_in(n, d, EVENT_SOURCE, CLOCK_TICK, node_ticks(n, us * 1e-6));
    }
    sys_ctrl_show(n, d);
}

/* ---- sleep ---- */

static void sys_ctrl_sleep(struct node *n, const struct device *d)
{
    struct sys_ctrl *s = device_state(n, d);
    const struct cortex_cpu *cpu = n->cpu;
    node_set_clock(n, CLOCK_CPU, 0);
    s->mode = cpu->scr & DEEP ? block32_get(n, d, PMCTL) & 3 : 0;
    if (!s->mode)
        return;
    node_set_clock(n, CLOCK_IO, 0);
    if (s->mode == 3)
        node_set_clock(n, CC2538_CLOCK_64K, 0);
    for (uint32_t i = 0; s->mode >= 2 && i < LOST_SIZE; i += 4)
        register32_set(n, LOST_FIRST + i, node_random(n));
}

static void sys_ctrl_wake(struct node *n, const struct device *d)
{
    struct sys_ctrl *s = device_state(n, d);
    if (!s->mode) {
        node_join_clock(n, CLOCK_CPU, CLOCK_IO);
        return;
    }
    unsigned shift = sys_ctrl_divisor(s, block32_get(n, d, CLOCK_CTRL) & 7);
    double us = s->mode == 1 ? WAKE_PM1_US : WAKE_PM2_US;
    if (s->mode == 3)
        sys_ctrl_set_32k(n, d);
    s->mode = 0;
    sys_ctrl_set_clocks(n, d);
    node_stall(n, node_ticks(n, us * 1e-6) >> shift);
}

static void sys_ctrl_instruction(struct node *n, const struct device *d, enum instruction what)
{
    if (what == INSTRUCTION_SLEEP)
        sys_ctrl_sleep(n, d);
    else
        sys_ctrl_wake(n, d);
}

/* ---- registers ---- */

static bool sys_ctrl_is_reset(uint32_t offset)
{
    return offset == 0x14 || offset == 0x24 || offset == 0x34;
}

static void sys_ctrl_connect(const struct device *d, struct wiring *w)
{
    for (uint32_t offset = 0x08; offset <= LAST; offset += 4) {
        if (sys_ctrl_is_reset(offset))
            block32_told(w, d, offset, ROLE_RESET, WIRE_STORE);
        else if (offset == SRI2C || offset == SRSEC)
            continue; /* i2c.c and crypto.c have them */
        else if (offset < 0x60 || offset == CLD || offset == IWE || offset == I_MAP || offset >= 0xa8)
            block32_plain(w, d, offset, 0xffffffff);
    }
    block32_told(w, d, CLOCK_CTRL, ROLE_CLOCK_CTRL, WIRE_STORE);
    block32_told(w, d, CLOCK_STA, ROLE_CLOCK_STA, WIRE_READ);
    block32_told(w, d, PWRDBG, ROLE_PWRDBG, WIRE_WRITE);
    wire_instruction(w, d, INSTRUCTION_SLEEP);
    wire_instruction(w, d, INSTRUCTION_WAKE);
}

static void sys_ctrl_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct sys_ctrl *s = device_state(n, d);
    unsigned why = cause == RESET_WATCHDOG ? 2 : cause == RESET_SOFTWARE ? 3 : cause == RESET_EXTERNAL ? 1 : 0;
    *s = (struct sys_ctrl){.rc = 1, .cause = (uint8_t)why};
    block32_set(n, d, CLOCK_CTRL, OSC32K | OSC_PD | OSC | 0x001);
    sys_ctrl_set_clocks(n, d);
    sys_ctrl_set_32k(n, d);
    sys_ctrl_show(n, d);
}

static void sys_ctrl_read(struct node *n, const struct device *d, unsigned role)
{
    (void)role;
    sys_ctrl_show(n, d);
}

static void sys_ctrl_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    if (role == ROLE_CLOCK_CTRL)
        sys_ctrl_write_clock(n, d, value, old);
    else if (role == ROLE_PWRDBG && value & WARM_RESET)
        node_request_reset(n, RESET_SOFTWARE);
    else if (role == ROLE_RESET && value)
        node_unspecified(n, d, 0);
}

static const char *const sys_ctrl_unspecified[] = {
    "the reset of a single peripheral (SRGPT, SRSSI, SRUART), which Motet does not have: it goes on as it was",
};

const struct device_type cc2538_sys_ctrl = {
    .name = "system control",
    .state_size = sizeof(struct sys_ctrl),
    .events = 1,
    .connect = sys_ctrl_connect,
    .reset = sys_ctrl_reset,
    .event = sys_ctrl_event,
    .read = sys_ctrl_read,
    .write = sys_ctrl_write,
    .instruction = sys_ctrl_instruction,
    .unspecified = sys_ctrl_unspecified,
};
