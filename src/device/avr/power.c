#include "device/avr/power.h"

#include "device/avr/clocks.h"
#include "device/avr/window.h"
#include "isa/avr/avr.h"
#include "node/interrupts.h"

enum { CLKPCE = 0x80, CLKPS = 0x0f, XDIVEN = 0x80 };
enum { PORF = 1, EXTRF = 2, BORF = 4, WDRF = 8, JTRF = 16 };
enum { ADIF = 0x10, ADATE = 0x20, ADSC = 0x40, ADEN = 0x80 };
enum { CHANGE_WINDOW = 4, BOD_OFF_WINDOW = 3, WAKE_CYCLES = 4, STANDBY_START = 6, LONGEST_PRESCALE = 8 };
enum { ROLE_VECTORS, ROLE_JTAG, ROLE_BOD, ROLE_RESET_FLAGS, ROLE_PRESCALER, ROLE_DIVIDER };
enum { EVENT_STABLE, EVENTS };

/* Numbers as in SM2..0. */
enum mode { IDLE, ADC_NOISE_REDUCTION, POWER_DOWN, POWER_SAVE, STANDBY = 6, EXTENDED_STANDBY, AWAKE };

struct state {
    uint64_t vectors_window, jtag_window, bod_window, bod_off_until, prescaler_window;
    uint16_t division; /* of the main oscillator */
    uint8_t mode;
    uint8_t starting; /* woken, the oscillator is not yet stable */
    uint8_t reset_flags;
    uint8_t jtag_asked;
};

static void power_connect(const struct device *d, struct wiring *w)
{
    const struct avr_power *c = d->config;
    const struct bits plain[] = {c->sleep_enable, c->sleep_mode, c->sleep_mode_high};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (plain[i].width)
            wire_register(w, d, plain[i].reg, 0, WIRE_PLAIN, bits_mask(plain[i]));
    for (size_t i = 0; i < c->plain_count; i++)
        wire_register(w, d, c->plain[i].address, 0, WIRE_PLAIN, c->plain[i].mask);
    if (c->vectors_move.width) {
        wire_register(w, d, c->vectors_move.reg, ROLE_VECTORS, WIRE_WRITE | WIRE_READ | WIRE_SELDOM, 0);
        wire_reads_matter(w, d, c->vectors_move.reg, bits_mask(c->vectors_enable));
    }
    if (c->jtag_off.width)
        wire_register(w, d, c->jtag_off.reg, ROLE_JTAG, WIRE_WRITE, 0);
    if (c->bod_off.width) {
        wire_register(w, d, c->bod_off.reg, ROLE_BOD, WIRE_WRITE | WIRE_READ | WIRE_SELDOM, 0);
        wire_reads_matter(w, d, c->bod_off.reg, bits_mask(c->bod_off) | bits_mask(c->bod_off_enable));
    }
    wire_register(w, d, c->reset_flags, ROLE_RESET_FLAGS, WIRE_WRITE, 0);
    if (c->prescaler)
        wire_register(w, d, c->prescaler, ROLE_PRESCALER, WIRE_WRITE | WIRE_READ, 0);
    if (c->divider)
        wire_register(w, d, c->divider, ROLE_DIVIDER, WIRE_WRITE, 0);
    wire_instruction(w, d, INSTRUCTION_SLEEP);
    wire_instruction(w, d, INSTRUCTION_WAKE);
}

/* ---- clocks ---- */

static uint64_t power_watch(const struct node *n)
{
    uint64_t hz = n->machine->watch_hz;
    return hz ? clock_period(n->machine->hz, (double)hz) : 0;
}

/* Table "Active Clock Domains and Wake-up Sources in the Different Sleep Modes". The watch crystal has one period, so a
 * clock that runs and goes on is left alone. */
static void set_clocks(struct node *n, const struct avr_power *c, const struct state *s)
{
    uint64_t main = s->division * CLOCK_ONE;
    bool io = s->mode == AWAKE || s->mode == IDLE, adc = io || s->mode == ADC_NOISE_REDUCTION;
    bool asy = s->mode != POWER_DOWN && s->mode != STANDBY;
    node_set_clock(n, CLOCK_CPU, s->mode == AWAKE ? main : 0);
    node_set_clock(n, CLOCK_IO, io ? main : 0);
    node_set_clock(n, AVR_CLOCK_ADC, adc ? main : 0);
    if (asy != (n->state->clocks[AVR_CLOCK_ASY].period != 0))
        node_set_clock(n, AVR_CLOCK_ASY, asy ? power_watch(n) : 0);
    double fast = c->pll && io ? avr_pll_hz(n, c->pll) : 0;
    if (c->pll)
        node_set_clock(n, AVR_CLOCK_FAST, fast > 0 ? clock_period(n->machine->hz, fast) : 0);
}

void avr_power_clocks_changed(struct node *n)
{
    const struct device *d = n->machine->instructions[INSTRUCTION_SLEEP].device;
    set_clocks(n, d->config, device_state(n, d));
}

/* Typical frequency at the supply voltage: straight between, and beyond, the two the datasheet gives. */
static double power_hz(const struct node *n, double at_3v, double at_5v)
{
    return at_3v + (at_5v - at_3v) * ((double)n->machine->millivolts - 3000) / 2000;
}

static double watchdog_hz(const struct node *n, const struct avr_power *c)
{
    return power_hz(n, c->watchdog_hz_3v, c->watchdog_hz);
}

static const struct avr_source *power_source(const struct node *n, const struct avr_power *c)
{
    unsigned cksel = n->machine->fuses[FUSE_LOW] & 0x0f;
    for (size_t i = 0; i < c->source_count; i++)
        if (c->sources[i].cksel >> cksel & 1)
            return &c->sources[i];
    return &c->sources[0];
}

static unsigned start_up_fuse(const struct node *n)
{
    return n->machine->fuses[FUSE_LOW] >> 4 & 3;
}

static void set_division(struct node *n, const struct avr_power *c, struct state *s, unsigned division)
{
    s->division = (uint16_t)division;
    set_clocks(n, c, s);
}

/* ---- reset ---- */

static void note_cause(struct node *n, const struct avr_power *c, struct state *s, enum reset_cause cause)
{
    switch (cause) {
    case RESET_POWER_ON: s->reset_flags = PORF; break; /* it clears the others */
    case RESET_BROWN_OUT: s->reset_flags |= BORF; break;
    case RESET_WATCHDOG: s->reset_flags |= WDRF; break;
    case RESET_JTAG: s->reset_flags |= c->jtag ? JTRF : EXTRF; break;
    case RESET_EXTERNAL:
    case RESET_SOFTWARE: s->reset_flags |= EXTRF; break; /* no AVR here resets itself by software */
    }
    n->data[c->reset_flags] |= s->reset_flags;
}

/* "The start-up sequence for the clock includes both the time-out delay and the start-up time". */
static void hold_in_reset(struct node *n, const struct avr_power *c, const struct state *s)
{
    const struct avr_source *from = power_source(n, c);
    unsigned sut = start_up_fuse(n);
    double hz = c->delay_hz ? power_hz(n, c->delay_hz_3v, c->delay_hz) : watchdog_hz(n, c);
    double delay = from->delay[sut] / hz;
    uint64_t ticks = from->start[sut] + c->reset_ck + node_ticks(n, delay);
    node_stall(n, (ticks + s->division - 1) / s->division);
}

static void power_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    const struct avr_power *c = d->config;
    struct state *s = device_state(n, d);
    struct avr_cpu *cpu = n->cpu;
    *s = (struct state){.reset_flags = s->reset_flags, .mode = AWAKE, .division = 1};
    note_cause(n, c, s, cause);
    for (size_t i = 0; i < c->plain_count; i++)
        n->data[c->plain[i].address] |= c->plain[i].initial;
    if (fuse_programmed(n, c->divide_by_8)) {
        n->data[c->prescaler] = 3;
        s->division = 8;
    }
    node_set_clock(n, AVR_CLOCK_ASY, power_watch(n));
    set_clocks(n, c, s);
    node_set_clock(n, AVR_CLOCK_WATCHDOG, clock_period(n->machine->hz, watchdog_hz(n, c)));
    cpu->vector_base = 0;
    cpu->reset_pc = boot_reset(n, c->boot) ? boot_start(n, c->boot) / 2 : 0;
    if (cause != RESET_POWER_ON)
        hold_in_reset(n, c, s);
}

/* ---- sleep ---- */

static unsigned chosen_mode(const struct node *n, const struct avr_power *c)
{
    return bits_get(n, c->sleep_mode) | bits_get(n, c->sleep_mode_high) << 2;
}

/* "If the ADC is enabled, a conversion starts automatically when this mode is entered." (idle, ADC noise reduction) */
static void start_conversion(struct node *n, const struct avr_power *c)
{
    uint8_t control = n->data[c->adc];
    if ((control & (ADEN | ADSC | ADATE)) == ADEN)
        node_write(n, c->adc, (uint8_t)((control & ~ADIF) | ADSC));
}

static void fall_asleep(struct node *n, const struct avr_power *c, struct state *s)
{
    unsigned mode = chosen_mode(n, c);
    if (!bits_get(n, c->sleep_enable) || !(c->sleep_modes >> mode & 1))
        return; /* "the SE bit must be written to logic one"; a reserved mode does nothing */
    s->mode = (uint8_t)mode;
    s->starting = 0;
    node_sleeping(n, true);
    n->cut = true;
    if (c->adc && (mode == IDLE || mode == ADC_NOISE_REDUCTION))
        start_conversion(n, c);
    if (mode == IDLE)
        node_set_clock(n, CLOCK_CPU, 0); /* all others go on */
    else
        set_clocks(n, c, s);
}

static void awake(struct node *n, const struct avr_power *c, struct state *s)
{
    bool idle = s->mode == IDLE;
    s->mode = AWAKE;
    s->starting = 0;
    node_sleeping(n, false);
    if (idle)
        node_set_clock(n, CLOCK_CPU, s->division * CLOCK_ONE);
    else
        set_clocks(n, c, s);
    node_stall(n, WAKE_CYCLES);
}

/* "The MCU is then halted for four cycles in addition to the start-up time". An interrupt whose cause goes away during
 * start-up has woken the chip all the same. */
static void power_wake(struct node *n, const struct device *d)
{
    const struct avr_power *c = d->config;
    struct state *s = device_state(n, d);
    bool deep = s->mode != IDLE && s->mode != ADC_NOISE_REDUCTION;
    if (s->starting || (deep && !(interrupts_word(n, 0) & ~c->shallow_lines)))
        return;
    switch (s->mode) {
    case POWER_DOWN:
    case POWER_SAVE: event_in(n, d, EVENT_STABLE, CLOCK_TICK, power_source(n, c)->start[start_up_fuse(n)]); break;
    case STANDBY:
    case EXTENDED_STANDBY: event_in(n, d, EVENT_STABLE, CLOCK_TICK, STANDBY_START); break;
    default: awake(n, c, s); return;
    }
    s->starting = 1;
}

static void power_event(struct node *n, const struct device *d, unsigned event)
{
    (void)event;
    awake(n, d->config, device_state(n, d));
}

static void power_instruction(struct node *n, const struct device *d, enum instruction what)
{
    if (what == INSTRUCTION_SLEEP)
        fall_asleep(n, d->config, device_state(n, d));
    else
        power_wake(n, d);
}

static const char *power_doing(const struct node *n, const struct device *d)
{
    static const char *const names[] = {
        "idle",    "ADC noise reduction", "power-down", "power-save", "reserved", "reserved",
        "standby", "extended standby",    "active"};
    const struct state *s = device_state(n, d);
    return names[s->mode];
}

/* ---- control registers ---- */

/* Interrupts "are disabled in the cycle IVCE is set, and they remain disabled until after the instruction following the
 * write to IVSEL" or for four cycles, here: instructions. */
static void vectors_written(struct node *n, const struct avr_power *c, struct state *s, unsigned value)
{
    struct avr_cpu *cpu = n->cpu;
    bool open = window_is_open(n, s->vectors_window);
    if (value & bits_mask(c->vectors_enable)) {
        s->vectors_window = window_opened(n, CHANGE_WINDOW);
        bits_set(n, c->vectors_enable, 1);
        cpu->quiet_until = n->state->instructions + 1 + CHANGE_WINDOW;
        return;
    }
    if (open) {
        bool boot = value & bits_mask(c->vectors_move);
        bits_set(n, c->vectors_move, boot);
        cpu->vector_base = boot ? boot_start(n, c->boot) / 2 : 0;
        cpu->quiet_until = n->state->instructions + 2;
    }
    bits_set(n, c->vectors_enable, 0);
    s->vectors_window = 0;
}

/* "The application software must write this bit to the desired value twice within four cycles to change its value." */
static void jtag_written(struct node *n, const struct avr_power *c, struct state *s, unsigned value)
{
    uint8_t asked = (value & bits_mask(c->jtag_off)) != 0;
    if (window_is_open(n, s->jtag_window) && asked == s->jtag_asked) {
        bits_set(n, c->jtag_off, asked);
        s->jtag_window = 0;
    } else {
        s->jtag_asked = asked;
        s->jtag_window = window_opened(n, CHANGE_WINDOW);
    }
}

/* BODS stays for three cycles, in which SLEEP must come. There is no brown-out detector to turn off here. */
static void bod_written(struct node *n, const struct avr_power *c, struct state *s, unsigned value)
{
    bool off = value & bits_mask(c->bod_off), enable = value & bits_mask(c->bod_off_enable);
    if (off && enable) {
        s->bod_window = window_opened(n, CHANGE_WINDOW);
    } else {
        if (off && window_is_open(n, s->bod_window))
            s->bod_off_until = window_opened(n, BOD_OFF_WINDOW);
        s->bod_window = 0;
    }
    bits_set(n, c->bod_off_enable, s->bod_window != 0);
    bits_set(n, c->bod_off, window_is_open(n, s->bod_off_until));
}

/* "The CLKPCE bit is only updated when the other bits in CLKPR are simultaneously written to zero." */
static void prescaler_written(struct node *n, const struct avr_power *c, struct state *s, unsigned value)
{
    bool open = window_is_open(n, s->prescaler_window);
    uint8_t *prescaler = &n->data[c->prescaler];
    if (value == CLKPCE) {
        if (!open) /* rewriting it "does neither extend the time-out period, nor clear the CLKPCE bit" */
            s->prescaler_window = window_opened(n, CHANGE_WINDOW);
        *prescaler |= CLKPCE;
    } else if (open && !(value & CLKPCE)) {
        unsigned power = value & CLKPS;
        s->prescaler_window = 0;
        *prescaler = (uint8_t)power;
        set_division(n, c, s, 1u << (power < LONGEST_PRESCALE ? power : LONGEST_PRESCALE));
    }
}

/* XDIV: the factor can change only while XDIVEN is written from zero to one. */
static void divider_written(struct node *n, const struct avr_power *c, struct state *s, unsigned value)
{
    uint8_t *divider = &n->data[c->divider];
    if (!(value & XDIVEN)) {
        *divider &= (uint8_t)~XDIVEN;
        set_division(n, c, s, 1);
    } else if (!(*divider & XDIVEN)) {
        *divider = (uint8_t)value;
        set_division(n, c, s, 129 - (value & 0x7f));
    }
}

static void power_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    const struct avr_power *c = d->config;
    struct state *s = device_state(n, d);
    (void)old;
    switch (role) {
    case ROLE_VECTORS: vectors_written(n, c, s, value); break;
    case ROLE_JTAG: jtag_written(n, c, s, value); break;
    case ROLE_BOD: bod_written(n, c, s, value); break;
    case ROLE_RESET_FLAGS: /* a zero clears, a one leaves */
        s->reset_flags &= (uint8_t)value;
        n->data[c->reset_flags] &= (uint8_t)(value | ~(PORF | EXTRF | BORF | WDRF | JTRF));
        break;
    case ROLE_PRESCALER: prescaler_written(n, c, s, value); break;
    case ROLE_DIVIDER: divider_written(n, c, s, value); break;
    }
}

static void power_read(struct node *n, const struct device *d, unsigned role)
{
    const struct avr_power *c = d->config;
    const struct state *s = device_state(n, d);
    if (role == ROLE_VECTORS && !window_is_open(n, s->vectors_window))
        bits_set(n, c->vectors_enable, 0);
    if (role == ROLE_PRESCALER && !window_is_open(n, s->prescaler_window))
        n->data[c->prescaler] &= CLKPS;
    if (role == ROLE_BOD) {
        bits_set(n, c->bod_off_enable, window_is_open(n, s->bod_window));
        bits_set(n, c->bod_off, window_is_open(n, s->bod_off_until));
    }
}

const struct device_type avr_power = {
    .name = "power",
    .core = true,
    .state_size = sizeof(struct state),
    .events = EVENTS,
    .connect = power_connect,
    .reset = power_reset,
    .event = power_event,
    .read = power_read,
    .write = power_write,
    .instruction = power_instruction,
    .doing = power_doing,
};
