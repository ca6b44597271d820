/* AVR timers against a reference that counts every clock: counts, flags, interrupt lines and outputs, cycle by cycle,
 * in all modes, while registers are written at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "device/avr/clocks.h"
#include "device/avr/timer.h"
#include "image/image.h"
#include "node/events.h"
#include "node/interrupts.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/pins.h"
#include "timer_reference.h"
#include "unit/sanitized.h"

/* ---- a node to drive by hand ---- */

static struct node *new_node(const char *chip)
{
    static const char hex[] = ":02000000FFCF30\n:00000001FF\n"; /* rjmp . */
    struct motet_error e = {0};
    struct image *image = image_parse("loop.hex", hex, sizeof hex - 1, &e);
    assert_non_null(image);
    struct machine_options o = {.fuses = {-1, -1, -1}, .lock = -1};
    struct machine *m = machine_new(chip_named(chip), NULL, image, &o, &e);
    assert_non_null(m);
    struct node *n = node_new(m, 1, 1);
    n->time = 0;
    node_set_clock(n, CLOCK_CPU, CLOCK_ONE);
    node_set_clock(n, CLOCK_IO, CLOCK_ONE);
    return n;
}

static void free_node(struct node *n)
{
    struct machine *m = (struct machine *)n->machine;
    node_free(n);
    machine_free(m);
}

static const struct device *device_named(const struct node *n, const char *name)
{
    for (size_t i = 0; i < n->machine->device_count; i++)
        if (strcmp(n->machine->devices[i].name, name) == 0)
            return &n->machine->devices[i];
    fail_msg("no device %s", name);
    return NULL;
}

static void go(struct node *n, uint64_t tick)
{
    events_run(n, tick);
    n->time = tick;
}

/* Makes the pins of all channels outputs. */
static void open_pins(struct node *n, const struct timer_config *c)
{
    for (unsigned i = 0; i < WAVEFORM_CHANNELS; i++)
        if (c->channel[i].compare)
            pin_set_port(n, c->channel[i].pin, true, false, false);
}

/* ---- both side by side ---- */

enum target { TO_NOTHING, TO_TCNT, TO_OCR, TO_ICR, TO_CONTROL, TO_PRESCALER };

struct pair {
    struct node *n;
    const struct device *d;
    const struct timer_config *c;
    struct reference r;
    uint64_t cycle;
    unsigned enabled; /* flags in the order of enum timer_flag */
    unsigned width;   /* of values that are likely to be near each other */

    /* A write under way: what the reference takes at the end of the cycle. */
    enum target target;
    unsigned channel, value;
    unsigned forced;

    /* The low byte of a 16-bit write, which follows the high one in the next cycle. */
    enum target low_target;
    uint16_t low_address;
};

static void describe(const struct pair *p, const char *what, unsigned is, unsigned should)
{
    const struct reference *r = &p->r;
    fail_msg("%s %s mode %u cs %u cycle %llu: %s is 0x%x, not 0x%x (tcnt %x ocr %x %x %x icr %x)",
             p->n->machine->chip->name, p->d->name, r->mode, r->cs, (unsigned long long)p->cycle, what, is, should,
             r->tcnt, r->ocr[0], r->ocr[1], r->ocr[2], r->icr);
}

static void same(const struct pair *p, const char *what, unsigned is, unsigned should)
{
    if (is != should)
        describe(p, what, is, should);
}

static void compare_visible(const struct pair *p)
{
    unsigned flags = reference_flags(&p->r);
    for (unsigned i = 0; i < TIMER_FLAGS; i++)
        if (p->c->interrupt[i].vector)
            same(p, "interrupt line", (unsigned)(interrupts_word(p->n, 0) >> p->c->interrupt[i].vector) & 1,
                 (flags & p->enabled) >> i & 1);
    for (unsigned i = 0; i < p->r.channels; i++)
        if (p->c->channel[i].pin != PIN_NONE)
            same(p, "output", pin_level(p->n, p->c->channel[i].pin), effective_com(&p->r, i) && p->r.oc[i]);
}

static void compare_registers(struct pair *p, unsigned which)
{
    struct node *n = p->n;
    const struct timer_config *c = p->c;
    if (which == 0) {
        unsigned low = node_read(n, c->count);
        same(p, "TCNT", low | (c->wide ? (unsigned)node_read(n, c->count + 1) << 8 : 0), p->r.tcnt);
    } else if (which == 1) {
        for (unsigned i = 0; i < TIMER_FLAGS; i++)
            if (c->interrupt[i].flag.width)
                same(p, "flag", (node_read(n, c->interrupt[i].flag.reg) & bits_mask(c->interrupt[i].flag)) != 0,
                     reference_flags(&p->r) >> i & 1);
    } else {
        for (unsigned i = 0; i < p->r.channels; i++) {
            unsigned low = node_read(n, c->channel[i].compare);
            same(p, "OCR", low | (c->wide ? (unsigned)node_read(n, c->channel[i].compare + 1) << 8 : 0),
                 p->r.ocr_buffer[i]);
        }
    }
}

static void put(uint8_t *registers, const struct timer_config *c, struct bits b, unsigned value)
{
    for (unsigned i = 0; i < 3; i++)
        if (b.width && c->control[i] == b.reg)
            registers[i] = (uint8_t)((registers[i] & ~bits_mask(b)) | ((value << b.shift) & bits_mask(b)));
}

/* The reference's settings as control registers. */
static void control_bytes(const struct pair *p, uint8_t *registers)
{
    const struct timer_config *c = p->c;
    memset(registers, 0, 3);
    put(registers, c, c->mode[0], p->r.mode);
    put(registers, c, c->mode[1], p->r.mode >> c->mode[0].width);
    put(registers, c, c->clock, p->r.cs);
    for (unsigned i = 0; i < p->r.channels; i++)
        put(registers, c, c->channel[i].output, p->r.com[i]);
}

static unsigned modes_of(const struct timer_config *c)
{
    return 1u << (c->mode[0].width + c->mode[1].width);
}

static unsigned some_value(const struct pair *p)
{
    if (random_below(8) == 0)
        return p->r.max - random_below(4);
    return random_below(p->width) & p->r.max;
}

/* Writes one control register with something new in it; the reference takes it with the next cycle. */
static void write_control(struct pair *p)
{
    struct pair next = *p;
    uint8_t before[3], after[3];
    control_bytes(p, before);
    do {
        switch (random_below(6)) {
        case 0: next.r.mode = random_below(modes_of(p->c)); break;
        case 1: next.r.cs = random_below(4); break;
        default: next.r.com[random_below(p->r.channels)] = random_below(4); break;
        }
        control_bytes(&next, after);
    } while (memcmp(before, after, 3) == 0);
    unsigned which = 0;
    while (before[which] == after[which])
        which++;
    /* Only one register: fields in another stay. */
    uint8_t written[3] = {before[0], before[1], before[2]};
    written[which] = after[which];
    p->target = TO_CONTROL;
    p->channel = which;
    p->value = written[which];
    p->forced = 0;
    for (unsigned i = 0; i < p->r.channels; i++)
        if (p->c->channel[i].force.reg == p->c->control[which] && random_below(3) == 0) {
            p->forced |= 1u << i;
            written[which] |= bits_mask(p->c->channel[i].force);
        }
    node_write(p->n, p->c->control[which], written[which]);
}

static unsigned field(const uint8_t *registers, const struct timer_config *c, struct bits b)
{
    for (unsigned i = 0; i < 3; i++)
        if (b.width && c->control[i] == b.reg)
            return (registers[i] & bits_mask(b)) >> b.shift;
    return 0;
}

static void take_control(struct pair *p)
{
    const struct timer_config *c = p->c;
    uint8_t registers[3];
    control_bytes(p, registers);
    registers[p->channel] = (uint8_t)p->value;
    p->r.cs = field(registers, c, c->clock);
    for (unsigned i = 0; i < p->r.channels; i++)
        p->r.com[i] = field(registers, c, c->channel[i].output);
    reference_mode(&p->r, field(registers, c, c->mode[0]) | field(registers, c, c->mode[1]) << c->mode[0].width);
    for (unsigned i = 0; i < p->r.channels; i++)
        if ((p->forced & (1u << i)) && !is_pwm(&p->r))
            plain_match(&p->r, i);
}

/* What was written in this cycle holds from the next on. */
static void take_write(struct pair *p)
{
    struct reference *r = &p->r;
    switch (p->target) {
    case TO_NOTHING: break;
    case TO_TCNT:
        r->tcnt = p->value;
        r->tcnt_written = true;
        break;
    case TO_OCR:
        r->ocr_buffer[p->channel] = p->value;
        if (!is_pwm(r))
            r->ocr[p->channel] = p->value;
        break;
    case TO_ICR:
        if (row_of(r)->top == TOP_ICR)
            r->icr = p->value;
        break;
    case TO_CONTROL: take_control(p); break;
    case TO_PRESCALER:
        r->prescaler = 0;
        r->hold = p->value;
        break;
    }
    p->target = TO_NOTHING;
}

static void write_low(struct pair *p)
{
    p->target = p->low_target;
    p->low_target = TO_NOTHING;
    node_write(p->n, p->low_address, (uint8_t)p->value);
}

static void write_value(struct pair *p, enum target target, unsigned channel, uint16_t address, unsigned value)
{
    p->low_target = target;
    p->low_address = address;
    p->channel = channel;
    p->value = value;
    if (p->c->wide)
        node_write(p->n, address + 1, (uint8_t)(value >> 8));
    else
        write_low(p);
}

static void clear_flags(struct pair *p)
{
    unsigned chosen = random_below(32);
    for (unsigned i = 0; i < TIMER_FLAGS; i++)
        if (p->c->interrupt[i].flag.width && (chosen >> i & 1)) {
            node_write(p->n, p->c->interrupt[i].flag.reg, bits_mask(p->c->interrupt[i].flag));
            if (i == TIMER_OVERFLOW)
                p->r.tov = false;
            else if (i == TIMER_CAPTURE)
                p->r.icf = false;
            else
                p->r.ocf[i - TIMER_COMPARE_A] = false;
        }
}

static void enable_some(struct pair *p)
{
    p->enabled = random_below(3) ? random_below(32) : 0;
    for (unsigned i = 0; i < TIMER_FLAGS; i++) {
        struct bits e = p->c->interrupt[i].enable;
        if (!e.width) {
            p->enabled &= ~(1u << i);
            continue;
        }
        uint8_t byte = p->n->data[e.reg] & (uint8_t)~bits_mask(e);
        node_write(p->n, e.reg, (p->enabled >> i & 1) ? byte | bits_mask(e) : byte);
    }
}

static void reset_prescaler(struct pair *p)
{
    const struct timer_config *c = p->c;
    bool hold = !p->r.hold && random_below(3) == 0;
    unsigned value = (hold ? bits_mask(c->synchronisation) : 0u) | bits_mask(c->prescaler_reset);
    p->target = TO_PRESCALER;
    p->value = hold;
    node_write(p->n, c->prescaler_reset.reg, (uint8_t)value);
    same(p, "prescaler reset bit", (node_read(p->n, c->prescaler_reset.reg) & bits_mask(c->prescaler_reset)) != 0,
         hold);
}

static void act(struct pair *p)
{
    unsigned channel = random_below(p->r.channels);
    const struct timer_config *c = p->c;
    switch (random_below(9)) {
    case 0: write_value(p, TO_TCNT, 0, c->count, some_value(p)); break;
    case 1:
    case 2: write_value(p, TO_OCR, channel, c->channel[channel].compare, some_value(p)); break;
    case 3:
        if (c->capture)
            write_value(p, TO_ICR, 0, c->capture, some_value(p));
        break;
    case 4: write_control(p); break;
    case 5: clear_flags(p); break;
    case 6: enable_some(p); break;
    case 7:
        if (random_below(4) == 0)
            reset_prescaler(p);
        break;
    default: compare_registers(p, random_below(3)); break;
    }
}

static void run_pair(struct pair *p, unsigned cycles, unsigned pause)
{
    unsigned wait = 1 + random_below(pause);
    for (unsigned i = 0; i < cycles; i++) {
        p->cycle++;
        reference_cycle(&p->r);
        take_write(p);
        go(p->n, p->cycle);
        compare_visible(p);
        if (p->low_target) {
            write_low(p);
        } else if (--wait == 0) {
            wait = 1 + random_below(pause);
            act(p);
        }
    }
}

static struct pair new_pair(const char *chip, const char *timer)
{
    struct pair p = {.n = new_node(chip)};
    p.d = device_named(p.n, timer);
    p.c = p.d->config;
    p.r =
        (struct reference){.wide = p.c->wide, .toggle_modes = p.c->toggle_modes, .divisors = p.c->divisors, .up = true};
    p.r.max = p.c->wide ? 0xffff : 0xff;
    while (p.r.channels < 3 && p.c->channel[p.r.channels].compare)
        p.r.channels++;
    open_pins(p.n, p.c);
    return p;
}

static void set_mode(struct pair *p, unsigned mode, unsigned cs)
{
    uint8_t registers[3];
    p->r.cs = cs;
    reference_mode(&p->r, mode);
    control_bytes(p, registers);
    for (unsigned i = 0; i < 3; i++)
        if (p->c->control[i])
            node_write(p->n, p->c->control[i], registers[i]);
    /* Both begin in the next cycle. */
    p->r.prescaler = (unsigned)((p->cycle + 1) % 1024);
    p->cycle++;
    go(p->n, p->cycle);
}

static void compare_timer(const char *chip, const char *timer)
{
    unsigned modes;
    {
        struct pair p = new_pair(chip, timer);
        modes = modes_of(p.c);
        free_node(p.n);
    }
    for (unsigned mode = 0; mode < modes; mode++)
        for (unsigned round = 0; round < 40 / SANITIZED_SHARE; round++) {
            struct pair p = new_pair(chip, timer);
            static const unsigned widths[] = {3, 8, 40, 300, 2000}, pauses[] = {3, 20, 200, 3000};
            seed = mode * 1000 + round;
            p.width = widths[round % 5];
            set_mode(&p, mode, 1 + random_below(3));
            run_pair(&p, 6000, pauses[round % 4]);
            free_node(p.n);
        }
}

static void atmega128_timer0(void **state)
{
    (void)state, compare_timer("atmega128", "timer0");
}
static void atmega128_timer1(void **state)
{
    (void)state, compare_timer("atmega128", "timer1");
}
static void atmega128_timer2(void **state)
{
    (void)state, compare_timer("atmega128", "timer2");
}
static void atmega328p_timer0(void **state)
{
    (void)state, compare_timer("atmega328p", "timer0");
}
static void atmega328p_timer1(void **state)
{
    (void)state, compare_timer("atmega328p", "timer1");
}
static void atmega328p_timer2(void **state)
{
    (void)state, compare_timer("atmega328p", "timer2");
}
static void atmega2560_timer4(void **state)
{
    (void)state, compare_timer("atmega2560", "timer4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atmega128_timer0),  cmocka_unit_test(atmega128_timer1),  cmocka_unit_test(atmega128_timer2),
        cmocka_unit_test(atmega328p_timer0), cmocka_unit_test(atmega328p_timer1), cmocka_unit_test(atmega328p_timer2),
        cmocka_unit_test(atmega2560_timer4),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
