/* The asynchronous timer against a reference that counts every edge of its crystal, while registers are written at
 * random: counts, busy flags, outputs on the edge, flags and interrupt lines three CPU cycles later. */
#include "bare_node.h"

#include "device/avr/clocks.h"
#include "device/avr/timer.h"
#include "timer_reference.h"

enum { COUNT, COMPARE, CONTROL = COMPARE + 3, REGISTERS = CONTROL + 2, NONE = 0 };

struct crystal {
    struct node *n;
    const struct timer_config *c;
    struct reference r;
    uint64_t tick, edges;
    uint64_t due[REGISTERS]; /* edge at which a written register holds */
    uint8_t value[REGISTERS];
    uint8_t control[2];
    uint64_t prescaler_due;
    uint64_t visible[TIMER_FLAGS]; /* tick from which a flag that is up can be seen */
    unsigned enabled, width;
};

static void same(const struct crystal *x, const char *what, unsigned is, unsigned should)
{
    if (is != should)
        fail_msg("%s mode %u cs %u tick %llu edge %llu: %s is 0x%x, not 0x%x (tcnt %x ocr %x %x)",
                 x->n->machine->chip->name, x->r.mode, x->r.cs, (unsigned long long)x->tick,
                 (unsigned long long)x->edges, what, is, should, x->r.tcnt, x->r.ocr[0], x->r.ocr[1]);
}

static unsigned visible_flags(const struct crystal *x)
{
    unsigned flags = reference_flags(&x->r);
    for (unsigned i = 0; i < TIMER_FLAGS; i++)
        if (x->tick < x->visible[i])
            flags &= ~(1u << i);
    return flags;
}

static unsigned field(const struct crystal *x, struct bits b)
{
    for (unsigned i = 0; i < 2; i++)
        if (b.width && x->c->control[i] == b.reg)
            return (x->control[i] & bits_mask(b)) >> b.shift;
    return 0;
}

static void take_control(struct crystal *x)
{
    const struct timer_config *c = x->c;
    x->r.cs = field(x, c->clock);
    for (unsigned i = 0; i < x->r.channels; i++)
        x->r.com[i] = field(x, c->channel[i].output);
    reference_mode(&x->r, field(x, c->mode[0]) | field(x, c->mode[1]) << c->mode[0].width);
}

static void take(struct crystal *x, unsigned which)
{
    uint8_t value = x->value[which];
    x->due[which] = NONE;
    if (which == COUNT) {
        x->r.tcnt = value;
        x->r.tcnt_written = true;
    } else if (which < CONTROL) {
        x->r.ocr_buffer[which - COMPARE] = value;
        if (!is_pwm(&x->r))
            x->r.ocr[which - COMPARE] = value;
    } else {
        x->control[which - CONTROL] = value;
        take_control(x);
        for (unsigned i = 0; i < x->r.channels; i++)
            if (x->c->channel[i].force.reg == x->c->control[which - CONTROL] &&
                (value & bits_mask(x->c->channel[i].force)) && !is_pwm(&x->r))
                plain_match(&x->r, i);
    }
}

static void mark_deaf(struct crystal *x)
{
    for (unsigned i = 0; i < 3; i++)
        x->r.deaf[i] = x->due[COUNT] || x->due[COMPARE + i];
}

static void rising_edge(struct crystal *x)
{
    unsigned before = reference_flags(&x->r);
    x->edges++;
    if (x->prescaler_due == x->edges) {
        x->prescaler_due = 0;
        if (x->r.divisors[x->r.cs] == 1)
            reference_clock(&x->r);
        x->r.prescaler = 0;
    } else {
        reference_cycle(&x->r);
    }
    unsigned raised = reference_flags(&x->r) & ~before;
    for (unsigned i = 0; i < TIMER_FLAGS; i++)
        if (raised >> i & 1)
            x->visible[i] = x->tick + 3;
    for (unsigned i = 0; i < REGISTERS; i++)
        if (x->due[i] == x->edges)
            take(x, i);
    mark_deaf(x);
}

static void write_register(struct crystal *x, unsigned which, uint16_t address, uint8_t value)
{
    x->due[which] = x->edges + 2;
    x->value[which] = value;
    mark_deaf(x);
    node_write(x->n, address, value);
}

static void write_control(struct crystal *x)
{
    const struct timer_config *c = x->c;
    unsigned which = c->control[1] ? random_below(2) : 0;
    uint8_t value = (uint8_t)random_below(256);
    struct bits clock = c->clock;
    if (clock.reg == c->control[which] && random_below(4)) /* mostly running, and fast */
        value = (uint8_t)((value & ~bits_mask(clock)) | (1 + random_below(3)) << clock.shift);
    write_register(x, CONTROL + which, c->control[which], value);
}

static void compare_busy(struct crystal *x)
{
    const struct timer_config *c = x->c;
    unsigned busy = node_read(x->n, c->asynchronous.reg), expected = bits_mask(c->asynchronous);
    expected |= x->due[COUNT] ? bits_mask(c->count_busy) : 0;
    for (unsigned i = 0; i < x->r.channels; i++)
        expected |= x->due[COMPARE + i] ? bits_mask(c->channel[i].busy) : 0;
    for (unsigned i = 0; i < 2; i++)
        expected |= x->due[CONTROL + i] ? bits_mask(c->control_busy[i]) : 0;
    same(x, "ASSR", busy, expected);
}

static void compare_flags(struct crystal *x)
{
    for (unsigned i = 0; i < TIMER_CAPTURE; i++) {
        struct bits flag = x->c->interrupt[i].flag;
        if (flag.width)
            same(x, "flag", (node_read(x->n, flag.reg) & bits_mask(flag)) != 0, visible_flags(x) >> i & 1);
    }
}

static void clear_flag(struct crystal *x)
{
    unsigned which = random_below(1 + x->r.channels);
    node_write(x->n, x->c->interrupt[which].flag.reg, bits_mask(x->c->interrupt[which].flag));
    if (which == TIMER_OVERFLOW)
        x->r.tov = false;
    else
        x->r.ocf[which - TIMER_COMPARE_A] = false;
}

static void enable(struct crystal *x)
{
    x->enabled = random_below(8);
    for (unsigned i = 0; i < TIMER_CAPTURE; i++) {
        struct bits e = x->c->interrupt[i].enable;
        if (!e.width) {
            x->enabled &= ~(1u << i);
            continue;
        }
        uint8_t byte = x->n->data[e.reg] & (uint8_t)~bits_mask(e);
        node_write(x->n, e.reg, (x->enabled >> i & 1) ? byte | bits_mask(e) : byte);
    }
}

static void act(struct crystal *x)
{
    const struct timer_config *c = x->c;
    unsigned channel = random_below(x->r.channels);
    uint8_t value = (uint8_t)(random_below(8) ? random_below(x->width) : 255 - random_below(3));
    switch (random_below(10)) {
    case 0: write_register(x, COUNT, c->count, value); break;
    case 1: write_register(x, COMPARE + channel, c->channel[channel].compare, value); break;
    case 2: write_control(x); break;
    case 3: clear_flag(x); break;
    case 4: enable(x); break;
    case 5:
        if (random_below(5) == 0) {
            x->prescaler_due = x->edges + 1;
            node_write(x->n, c->prescaler_reset.reg, bits_mask(c->prescaler_reset));
        }
        break;
    case 6: compare_flags(x); break;
    case 7: compare_busy(x); break;
    default: same(x, "TCNT", node_read(x->n, c->count), x->r.tcnt); break;
    }
}

static void compare_visible(const struct crystal *x)
{
    for (unsigned i = 0; i < TIMER_CAPTURE; i++)
        if (x->c->interrupt[i].vector)
            same(x, "interrupt line", bare_node_asks(x->n, x->c->interrupt[i].vector),
                 (visible_flags(x) & x->enabled) >> i & 1);
    for (unsigned i = 0; i < x->r.channels; i++)
        same(x, "output", pin_level(x->n, x->c->channel[i].pin), effective_com(&x->r, i) && x->r.oc[i]);
}

static struct crystal new_crystal(const struct chip *chip, const char *timer)
{
    struct crystal x = {.n = bare_node(chip, NULL)};
    struct node *n = x.n;
    x.c = bare_node_device(n, timer)->config;
    x.r = (struct reference){.max = 0xff, .toggle_modes = x.c->toggle_modes, .divisors = x.c->divisors, .up = true};
    while (x.r.channels < 3 && x.c->channel[x.r.channels].compare) {
        pin_set_port(n, x.c->channel[x.r.channels].pin, true, false, false);
        x.r.channels++;
    }
    bare_node_at(n, 0);
    node_set_clock(n, CLOCK_IO, CLOCK_ONE);
    node_set_clock(n, AVR_CLOCK_ASY, 0);
    node_set_clock(n, AVR_CLOCK_ASY, clock_period(100, 14)); /* an edge every 7.14 ticks */
    node_write(n, x.c->asynchronous.reg, bits_mask(x.c->asynchronous));
    return x;
}

static void run(struct crystal *x, unsigned ticks, unsigned pause)
{
    unsigned wait = 1 + random_below(pause);
    for (unsigned i = 0; i < ticks; i++) {
        x->tick++;
        if (clock_cycle_at(&x->n->state->clocks[AVR_CLOCK_ASY], x->tick) != x->edges)
            rising_edge(x);
        bare_node_at(x->n, x->tick);
        compare_visible(x);
        if (--wait == 0) {
            wait = 1 + random_below(pause);
            act(x);
        }
    }
}

static void compare_timer(const struct chip *chip, const char *timer)
{
    static const unsigned widths[] = {3, 10, 60, 250}, pauses[] = {4, 30, 300, 2000};
    for (unsigned round = 0; round < 300; round++) {
        struct crystal x = new_crystal(chip, timer);
        seed = round;
        x.width = widths[round % 4];
        write_control(&x);
        run(&x, 12000, pauses[round / 4 % 4]);
        bare_node_free(x.n);
    }
}

static void atmega128_timer0(void **state)
{
    (void)state;
    compare_timer(&chip_atmega128, "timer0");
}

static void atmega328p_timer2(void **state)
{
    (void)state;
    compare_timer(&chip_atmega328p, "timer2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(atmega128_timer0), cmocka_unit_test(atmega328p_timer2)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
