#include "device/samr21/clocks.h"

#include "device/samr21/registers.h"
#include "node/clock.h"
#include "node/machine.h"

#define PM      0x40000400u
#define SYSCTRL 0x40000800u
#define GCLK    0x40000c00u
#define WDT     0x40001000u
#define NVMCTRL 0x41004000u

enum { CTRL, STATUS, CLKCTRL, GENCTRL = 4, GENDIV = 8 }; /* of GCLK */
enum { PCLKSR = 0x0c, OSC8M = 0x20, DPLLRATIO = 0x48, DPLLSTATUS = 0x50 };
enum { ROLE_CTRL, ROLE_CLKCTRL, ROLE_GENCTRL = 4, ROLE_GENDIV = 8, ROLE_OSC8M = 12, ROLE_RATIO = 16 };
enum { ROLE_WDT = 20, ROLE_COMMAND };
enum { GENERATORS = 9, CLOCKS = 0x25, CLOCK_FDPLL = 1, CLKEN = 0x40, GENEN = 1, DIVSEL = 0x10 };
enum { SOURCE_GENERATOR1 = 2, SOURCE_ULP32K = 3, SOURCE_XOSC32K = 5, SOURCE_OSC8M, SOURCE_DFLL, SOURCE_FDPLL };
enum { READY = 0xde /* all oscillators and the DFLL */, PLL_READY = 7 };

struct clocks {
    uint8_t source[GENERATORS], flags[GENERATORS]; /* GENCTRL */
    uint16_t divisor[GENERATORS];
    uint8_t generator[CLOCKS]; /* CLKCTRL: the generator, and CLKEN */
};

static const struct device *samr21_clocks_of(const struct machine *m)
{
    for (size_t i = 0; i < m->device_count; i++)
        if (m->devices[i].type == &samr21_clocks)
            return &m->devices[i];
    return NULL;
}

static void samr21_clocks_connect(const struct device *d, struct wiring *w)
{
    samr21_plain(w, d, PM, 0x40);
    samr21_plain(w, d, SYSCTRL, PCLKSR);
    samr21_fixed(w, d, SYSCTRL + PCLKSR, 4);
    samr21_plain(w, d, SYSCTRL + 0x10, OSC8M - 0x10);
    samr21_told(w, d, SYSCTRL + OSC8M, 4, ROLE_OSC8M, WIRE_STORE);
    samr21_plain(w, d, SYSCTRL + OSC8M + 4, DPLLRATIO - OSC8M - 4);
    samr21_told(w, d, SYSCTRL + DPLLRATIO, 4, ROLE_RATIO, WIRE_STORE);
    samr21_plain(w, d, SYSCTRL + DPLLRATIO + 4, 4);
    samr21_fixed(w, d, SYSCTRL + DPLLSTATUS, 1);
    samr21_told(w, d, GCLK + CTRL, 1, ROLE_CTRL, WIRE_WRITE);
    samr21_fixed(w, d, GCLK + STATUS, 1);
    samr21_told(w, d, GCLK + CLKCTRL, 2, ROLE_CLKCTRL, WIRE_STORE);
    samr21_told(w, d, GCLK + GENCTRL, 4, ROLE_GENCTRL, WIRE_STORE);
    samr21_told(w, d, GCLK + GENDIV, 4, ROLE_GENDIV, WIRE_STORE);
    samr21_told(w, d, WDT, 1, ROLE_WDT, WIRE_STORE);
    samr21_plain(w, d, WDT + 1, 8);
    samr21_told(w, d, NVMCTRL, 2, ROLE_COMMAND, WIRE_WRITE);
    samr21_plain(w, d, NVMCTRL + 4, 4);
    samr21_fixed(w, d, NVMCTRL + 8, 4);
    samr21_plain(w, d, NVMCTRL + 12, 8);
    samr21_fixed(w, d, NVMCTRL + 0x14, 1);
    samr21_plain(w, d, NVMCTRL + 0x18, 12);
    wire_instruction(w, d, INSTRUCTION_SLEEP);
    wire_instruction(w, d, INSTRUCTION_WAKE);
}

/* ---- frequencies ---- */

static double samr21_clocks_generator(const struct node *n, const struct clocks *s, unsigned generator, unsigned depth);

static double samr21_clocks_source(const struct node *n, const struct clocks *s, unsigned source, unsigned depth)
{
    switch (source) {
    case SOURCE_GENERATOR1: return depth ? samr21_clocks_generator(n, s, 1, depth - 1) : 0;
    case SOURCE_ULP32K:
    case SOURCE_ULP32K + 1:
    case SOURCE_XOSC32K: return 32768;
    case SOURCE_OSC8M: return 8e6 / (1u << (samr21_get(n, SYSCTRL + OSC8M, 4) >> 8 & 3));
    case SOURCE_DFLL: return 48e6;
    case SOURCE_FDPLL: {
        uint32_t ratio = samr21_get(n, SYSCTRL + DPLLRATIO, 4);
        unsigned from = s->generator[CLOCK_FDPLL] & 15;
        double reference = depth && from < GENERATORS ? samr21_clocks_generator(n, s, from, depth - 1) : 0;
        return reference * ((ratio & 0xfff) + 1 + (ratio >> 16 & 15) / 16.0);
    }
    default: return 0;
    }
}

static double samr21_clocks_generator(const struct node *n, const struct clocks *s, unsigned generator, unsigned depth)
{
    unsigned divisor = s->divisor[generator];
    if (!(s->flags[generator] & GENEN))
        return 0;
    divisor = s->flags[generator] & DIVSEL ? 2u << (divisor & 15) : divisor ? divisor : 1;
    return samr21_clocks_source(n, s, s->source[generator], depth) / divisor;
}

double samr21_clock_hz(const struct node *n, unsigned id)
{
    const struct device *d = samr21_clocks_of(n->machine);
    const struct clocks *s = device_state(n, d);
    unsigned generator = s->generator[id] & 15;
    return s->generator[id] & CLKEN && generator < GENERATORS ? samr21_clocks_generator(n, s, generator, 2) : 0;
}

/* A CPU without a clock, or with one that the chip cannot have, goes on as it was, and that is reported. */
static void samr21_clocks_apply(struct node *n, const struct device *d)
{
    const struct clocks *s = device_state(n, d);
    double hz = samr21_clocks_generator(n, s, 0, 2);
    if (hz < 1 || hz > (double)n->machine->hz) {
        node_unspecified(n, d, 0);
        return;
    }
    node_set_clock(n, CLOCK_IO, clock_period(n->machine->hz, hz));
    node_join_clock(n, CLOCK_CPU, CLOCK_IO);
}

/* ---- the device ---- */

static void samr21_clocks_defaults(struct node *n, const struct device *d)
{
    struct clocks *s = device_state(n, d);
    *s = (struct clocks){.source[0] = SOURCE_OSC8M, .flags[0] = GENEN};
    s->source[2] = SOURCE_ULP32K;
    s->flags[2] = GENEN;
}

static void samr21_clocks_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    samr21_clocks_defaults(n, d);
    samr21_set(n, SYSCTRL + PCLKSR, 4, READY);
    samr21_set(n, SYSCTRL + OSC8M, 4, 0x382); /* enabled, on demand, divided by 8 */
    samr21_set(n, SYSCTRL + 0x24, 2, 0x80);
    samr21_set(n, SYSCTRL + DPLLSTATUS, 1, PLL_READY);
    samr21_set(n, PM + 0x38, 1, cause == RESET_POWER_ON ? 1 : cause == RESET_SOFTWARE ? 0x40 : 0x10);
    samr21_set(n, NVMCTRL + 8, 4, 0x00030000 | 4096); /* 4096 pages of 64 bytes */
    samr21_set(n, NVMCTRL + 0x14, 1, 1);
    node_set_clock(n, CLOCK_IO, clock_period(n->machine->hz, 1e6));
    node_set_clock(n, CLOCK_CPU, clock_period(n->machine->hz, 1e6));
}

/* Asleep the CPU has no clock. Peripherals go on: Motet does not tell the sleep modes apart. */
static void samr21_clocks_instruction(struct node *n, const struct device *d, enum instruction what)
{
    (void)d;
    if (what == INSTRUCTION_SLEEP)
        node_set_clock(n, CLOCK_CPU, 0);
    else
        node_join_clock(n, CLOCK_CPU, CLOCK_IO);
}

static void samr21_clocks_set_generator(struct node *n, const struct device *d)
{
    struct clocks *s = device_state(n, d);
    uint32_t control = samr21_get(n, GCLK + GENCTRL, 4);
    unsigned generator = control & 15;
    if (generator >= GENERATORS)
        return;
    s->source[generator] = control >> 8 & 31;
    s->flags[generator] = control >> 16 & 0x3f;
    samr21_clocks_apply(n, d);
}

static void samr21_clocks_divide(struct node *n, const struct device *d)
{
    struct clocks *s = device_state(n, d);
    uint32_t divide = samr21_get(n, GCLK + GENDIV, 4);
    if ((divide & 15) >= GENERATORS)
        return;
    s->divisor[divide & 15] = (uint16_t)(divide >> 8);
    samr21_clocks_apply(n, d);
}

/* Of a register of several bytes, the byte that firmware writes last decides. */
static void samr21_clocks_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    struct clocks *s = device_state(n, d);
    unsigned id = samr21_get(n, GCLK + CLKCTRL, 1) & 0x3f;
    (void)old;
    switch (role) {
    case ROLE_CTRL:
        if (value & 1) {
            samr21_clocks_defaults(n, d);
            samr21_clocks_apply(n, d);
        }
        break;
    case ROLE_CLKCTRL + 1:
        if (id < CLOCKS)
            s->generator[id] = (uint8_t)value;
        break;
    case ROLE_GENCTRL + 2: samr21_clocks_set_generator(n, d); break;
    case ROLE_GENDIV + 2: samr21_clocks_divide(n, d); break;
    case ROLE_OSC8M + 1:
    case ROLE_RATIO + 2: samr21_clocks_apply(n, d); break;
    case ROLE_WDT:
        if (value & 2)
            node_unspecified(n, d, 1);
        break;
    case ROLE_COMMAND + 1:
        if (value == 0xa5)
            node_unspecified(n, d, 2);
        break;
    default: break;
    }
}

static const char *const samr21_clocks_unspecified[] = {
    "generic clock generator 0 is given a source that does not run, or one that is too fast; the CPU keeps its clock",
    "the watchdog is switched on, which Motet does not have on this chip",
    "a command for the flash controller, which Motet does not have on this chip: flash stays as it is",
};

const struct device_type samr21_clocks = {
    .name = "clocks",
    .state_size = sizeof(struct clocks),
    .core = true,
    .connect = samr21_clocks_connect,
    .reset = samr21_clocks_reset,
    .write = samr21_clocks_write,
    .instruction = samr21_clocks_instruction,
    .unspecified = samr21_clocks_unspecified,
};
