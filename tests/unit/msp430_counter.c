/* Timer_A and Timer_B against a reference that counts every clock, written from SLAU049 (tables 11-1, 11-2, 12-1 to
 * 12-3 and what is said there of each mode): counts, flags, vectors, interrupt lines and outputs, cycle by cycle, in
 * all modes, while registers are written at random. Where the guide is silent the reference does what counter.h says.
 */
#include "bare.h"

#include "device/msp430/clocks.h"
#include "device/msp430/port.h"
#include "device/msp430/timer.h"
#include "registers/msp430f1611.h"

/* ---- the reference ---- */

enum { BLOCKS = 7 };

struct reference {
    unsigned blocks, max, grouping, divider, mode;
    bool latches;
    unsigned tar, ccr[BLOCKS], cl[BLOCKS], cctl[BLOCKS];
    bool updated[BLOCKS];
    bool up, tifg, ifg[BLOCKS], out[BLOCKS], scci[BLOCKS];
    bool clocked; /* a source has been selected: the divider counts from then */
    unsigned phase;
};

static unsigned controller_of(const struct reference *r, unsigned i)
{
    static const unsigned of[4][BLOCKS] = {
        {0, 1, 2, 3, 4, 5, 6}, {0, 1, 1, 3, 3, 5, 5}, {0, 1, 1, 1, 4, 4, 4}, {1, 1, 1, 1, 1, 1, 1}};
    return of[r->grouping][i];
}

static unsigned clld(const struct reference *r, unsigned i)
{
    return r->latches ? r->cctl[controller_of(r, i)] >> 9 & 3 : 0;
}

/* Loads every latch whose whole group has been written and whose event `when` says is here. */
static void load(struct reference *r, bool (*when)(const struct reference *r, unsigned i))
{
    bool now[BLOCKS] = {false};
    for (unsigned i = 0; i < r->blocks; i++) {
        bool all = true;
        for (unsigned j = 0; j < r->blocks; j++)
            all &= controller_of(r, j) != controller_of(r, i) || r->updated[j];
        now[i] = clld(r, i) ? all && when(r, i) : true;
    }
    for (unsigned i = 0; i < r->blocks; i++)
        if (now[i]) {
            r->cl[i] = r->ccr[i];
            r->updated[i] = false;
        }
}

static bool moves(const struct reference *r)
{
    return r->mode == 2 || (r->mode && (r->cl[0] || r->tar));
}

static bool at_rest(const struct reference *r, unsigned i)
{
    return r->mode && !moves(r) && clld(r, i) != 3;
}

static bool arrived_upward;

static bool at_event(const struct reference *r, unsigned i)
{
    unsigned c = controller_of(r, i);
    bool top = r->tar == r->cl[0] && (r->mode != 3 || arrived_upward);
    switch (clld(r, i)) {
    case 1: return r->tar == 0;
    case 2: return r->tar == 0 || (r->mode == 3 && top);
    default: return c == 0 ? top : r->tar == r->cl[c];
    }
}

static void set_output(struct reference *r, unsigned i, bool equal, bool top)
{
    static const char own[] = "-sTsTrTr", zero[] = "--rr--ss"; /* s: set, r: reset, T: toggle */
    unsigned mode = r->cctl[i] >> 5 & 7;
    char first = equal ? own[mode] : '-', second = top ? zero[mode] : '-';
    if (r->mode != 1) { /* in up mode the block's own action has the last word, else the one at the top */
        char swapped = first;
        first = second, second = swapped;
    }
    char what = first != '-' ? first : second;
    if (what == 'T')
        r->out[i] = !r->out[i];
    else if (what != '-')
        r->out[i] = what == 's';
}

static void timer_clock(struct reference *r)
{
    if (!moves(r))
        return;
    unsigned top = r->mode == 2 || r->cl[0] > r->max ? r->max : r->cl[0];
    bool overflow = false, was_top = r->tar == r->cl[0];
    arrived_upward = true;
    if (r->mode != 3) {
        overflow = r->tar >= top;
        r->tar = overflow ? 0 : r->tar + 1;
    } else {
        if (r->up && r->tar >= top)
            r->up = false;
        arrived_upward = r->up;
        r->tar = r->up ? r->tar + 1 : r->tar - 1;
        if (r->tar == 0)
            overflow = r->up = true;
    }
    r->tifg |= overflow;
    bool reached = r->tar == r->cl[0] && arrived_upward;
    for (unsigned i = 0; i < r->blocks; i++) {
        bool equal = i ? r->tar == r->cl[i] : reached;
        r->ifg[i] |= equal;
        if (equal)
            r->scci[i] = r->cctl[i] >> 12 == 3;
        set_output(r, i, equal, r->mode == 1 ? overflow && was_top : reached);
    }
    load(r, at_event);
}

static void source_clock(struct reference *r)
{
    r->phase = (r->phase + 1) % 8;
    if (r->phase % r->divider == 0)
        timer_clock(r);
}

/* ---- both side by side ---- */

struct pair {
    struct node *n;
    const struct msp430_timer *c;
    const struct device *d;
    struct reference r;
    uint64_t cycle;
    unsigned enabled; /* block bits, and 0x80 */
    unsigned near;    /* values below this are likely */
};

static uint32_t seed;

static uint32_t random_below(uint32_t limit)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)seed * limit) >> 32);
}

static void same(const struct pair *p, const char *what, unsigned is, unsigned should)
{
    const struct reference *r = &p->r;
    if (is != should)
        fail_msg("%s mode %u cycle %llu: %s is 0x%x, not 0x%x (count %x top %x, latches %x %x)", p->d->name, r->mode,
                 (unsigned long long)p->cycle, what, is, should, r->tar, r->cl[0], r->cl[1], r->cl[2]);
}

static unsigned flags_of(const struct reference *r)
{
    unsigned flags = r->tifg ? 0x80 : 0;
    for (unsigned i = 0; i < r->blocks; i++)
        flags |= (unsigned)r->ifg[i] << i;
    return flags;
}

static void compare_visible(const struct pair *p)
{
    unsigned asks = flags_of(&p->r) & p->enabled;
    same(p, "line of block 0", bare_asks(p->n, p->c->line_0), asks & 1);
    same(p, "line", bare_asks(p->n, p->c->line), (asks & 0xfe) != 0);
    for (unsigned i = 0; i < p->r.blocks; i++)
        same(p, "output", pin_level(p->n, p->c->block[i].outputs[0]), p->r.out[i]);
}

static void compare_registers(struct pair *p, unsigned which)
{
    const struct reference *r = &p->r;
    if (which == 0)
        same(p, "count", node_read_word(p->n, p->c->count), r->tar);
    if (which == 1)
        same(p, "overflow flag", node_read_word(p->n, p->c->control) & 1, r->tifg);
    for (unsigned i = 0; i < r->blocks && which == 2; i++) {
        unsigned control = node_read_word(p->n, (uint16_t)(p->c->block_control + 2 * i));
        same(p, "flag", control & 1, r->ifg[i]);
        if (!r->latches)
            same(p, "SCCI", control >> 10 & 1, r->scci[i]);
        same(p, "compare register", node_read_word(p->n, (uint16_t)(p->c->compare + 2 * i)), r->ccr[i]);
    }
}

static unsigned random_value(const struct pair *p)
{
    return random_below(8) ? random_below(p->near) : random_below(0x10000);
}

static void write_compare(struct pair *p)
{
    unsigned i = random_below(p->r.blocks), value = random_value(p);
    node_write_word(p->n, (uint16_t)(p->c->compare + 2 * i), (uint16_t)value);
    p->r.ccr[i] = value;
    p->r.updated[i] = true;
    load(&p->r, at_rest);
}

static void write_block(struct pair *p)
{
    unsigned i = random_below(p->r.blocks);
    unsigned value = random_below(8) << 5 | random_below(2) << 4 | random_below(2) << 2 | random_below(2);
    value |= (2 + random_below(2)) << 12 | (p->r.latches ? random_below(4) << 9 : 0);
    node_write_word(p->n, (uint16_t)(p->c->block_control + 2 * i), (uint16_t)value);
    p->r.cctl[i] = value;
    p->r.ifg[i] = value & 1;
    if (!(value >> 5 & 7))
        p->r.out[i] = value >> 2 & 1;
    p->enabled = (p->enabled & ~(1u << i)) | (value >> 4 & 1) << i;
    load(&p->r, at_rest);
}

static void write_control(struct pair *p)
{
    static const unsigned maxima[4] = {0xffff, 0xfff, 0x3ff, 0xff};
    struct reference *r = &p->r;
    unsigned mode = random_below(8) ? 1 + random_below(3) : 0, id = random_below(2) ? 0 : random_below(4);
    unsigned value = 2 << 8 | id << 6 | mode << 4 | (random_below(4) == 0) << 2 | random_below(4);
    value |= r->latches ? random_below(4) << 13 | (random_below(3) ? 3 : random_below(4)) << 11 : 0;
    node_write_word(p->n, p->c->control, (uint16_t)value);
    r->mode = mode;
    r->divider = 1u << id;
    r->grouping = value >> 13 & 3;
    r->max = maxima[value >> 11 & 3];
    if (value & 4)
        r->tar = 0;
    if (value & 4 || !r->clocked)
        r->phase = 0;
    r->clocked = true;
    if (value & 4 || mode != 3)
        r->up = true;
    r->tar &= r->max;
    r->up |= r->tar == 0;
    r->tifg = value & 1;
    p->enabled = (p->enabled & 0x7f) | (value & 2) << 6;
    load(r, at_rest);
}

/* Reads the vector register: the most urgent enabled flag, which that clears. */
static void take_vector(struct pair *p)
{
    unsigned asks = flags_of(&p->r) & p->enabled & 0xfe, expected = 0;
    for (unsigned i = 1; i < p->r.blocks && !expected; i++)
        if (asks >> i & 1) {
            expected = 2 * i;
            p->r.ifg[i] = false;
        }
    if (!expected && asks) {
        expected = p->r.latches ? 14 : 10;
        p->r.tifg = false;
    }
    same(p, "vector", node_read_word(p->n, p->c->vector), expected);
}

static void act(struct pair *p)
{
    switch (random_below(12)) {
    case 0: write_control(p); break;
    case 1:
    case 2: write_block(p); break;
    case 3:
    case 4:
    case 5: write_compare(p); break;
    case 6: {
        unsigned value = random_value(p) & p->r.max;
        node_write_word(p->n, p->c->count, (uint16_t)value);
        p->r.tar = value;
        p->r.up |= value == 0;
        break;
    }
    case 7: take_vector(p); break;
    case 8:
        if (bare_asks(p->n, p->c->line_0)) {
            bare_take(p->n, p->c->line_0);
            p->r.ifg[0] = false;
        }
        break;
    default: break;
    }
}

static struct pair new_pair(struct bare *b, const char *name)
{
    *b = bare_chip("msp430f1611");
    struct node *n = b->node;
    struct pair p = {.n = n};
    for (size_t i = 0; i < b->machine->device_count; i++)
        if (strcmp(b->machine->devices[i].name, name) == 0)
            p.d = &b->machine->devices[i];
    assert_non_null(p.d);
    p.c = p.d->config;
    p.r = (struct reference){.blocks = p.c->blocks, .max = 0xffff, .divider = 1, .latches = p.c->latches, .up = true};
    node_set_clock(n, MSP430_SMCLK, CLOCK_ONE);
    bare_write_word(n, 0, WDTCTL, WDTPW | WDTHOLD);
    for (unsigned i = 0; i < p.c->blocks; i++) {
        unsigned pin = p.c->block[i].outputs[0];
        uint16_t sel = pin / 8 == 0 ? P1SEL : P4SEL, dir = pin / 8 == 0 ? P1DIR : P4DIR;
        node_write(n, sel, (uint8_t)(n->data[sel] | 1u << pin % 8));
        node_write(n, dir, (uint8_t)(n->data[dir] | 1u << pin % 8));
    }
    return p;
}

/* `patience`: mean cycles between two actions; `look`: between two looks at the registers. */
static void drive(const char *name, uint32_t start, unsigned near, unsigned patience, unsigned look, uint64_t cycles)
{
    struct bare b;
    struct pair p = new_pair(&b, name);
    seed = start;
    p.near = near;
    for (p.cycle = 1; p.cycle <= cycles; p.cycle++) {
        bare_at(p.n, p.cycle);
        source_clock(&p.r);
        compare_visible(&p);
        if (random_below(look) == 0)
            compare_registers(&p, random_below(3));
        if (random_below(patience) == 0)
            act(&p);
        compare_visible(&p);
    }
    bare_free(b);
}

static void timer_a_counts_like_the_reference(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 20; i++)
        drive("timer_a", 1 + i, i % 2 ? 6 : 40, i % 3 ? 5 : 60, 3, 20000);
}

static void timer_b_counts_like_the_reference(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 30; i++)
        drive("timer_b", 100 + i, i % 2 ? 6 : 40, i % 3 ? 5 : 60, 3, 20000);
    for (uint32_t i = 0; i < 10; i++) /* around the end of 8 bits */
        drive("timer_b", 200 + i, 0x300, 20, 3, 50000);
}

/* A shorter counter can be left at zero on its way down. */
static void a_shorter_counter_goes_on(void **state)
{
    struct bare b = bare_chip("msp430f1611");
    struct node *n = b.node;
    (void)state;
    bare_at(n, 0);
    node_set_clock(n, MSP430_SMCLK, CLOCK_ONE);
    bare_write_word(n, 0, WDTCTL, WDTPW | WDTHOLD);
    bare_write_word(n, 0, TBCCR0, 0x102);
    bare_write_word(n, 0, TBCTL, TBSSEL1 | MC0 * 3);
    assert_int_equal(bare_read_word(n, 0x104, TBR), 0x100);
    bare_write_word(n, 0x104, TBCTL, TBSSEL1 | MC0 * 3 | CNTL0 * 3);
    assert_int_equal(bare_read_word(n, 0x106, TBR), 2);
    assert_false(bare_read_word(n, 0x106, TBCTL) & TBIFG);
    bare_free(b);
}

/* Many rounds between two looks: the closed form skips them. */
static void rounds_that_nobody_sees_are_skipped(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 300; i++) {
        struct bare b;
        struct pair p = new_pair(&b, i % 2 ? "timer_b" : "timer_a");
        seed = 1000 + i;
        p.near = 9;
        for (unsigned j = 0; j < 25; j++)
            act(&p);
        for (unsigned j = 0; j < 6; j++) {
            uint64_t cycles = 1 + random_below(3000);
            for (uint64_t k = 0; k < cycles; k++)
                source_clock(&p.r);
            p.cycle += cycles;
            bare_at(p.n, p.cycle);
            compare_visible(&p);
            for (unsigned k = 0; k < 3; k++)
                compare_registers(&p, k);
            act(&p);
        }
        bare_free(b);
    }
}

/* A timer with nothing to show has no events, however fast it counts. */
static void an_unseen_timer_has_no_events(void **state)
{
    struct bare b = bare_chip("msp430f1611");
    struct node *n = b.node;
    (void)state;
    bare_write_word(n, 0, WDTCTL, WDTPW | WDTHOLD);
    node_write_word(n, TACCR0, 9);
    node_write_word(n, TACCTL0, 4 << 5); /* toggles, on no pin */
    node_write_word(n, TACTL, TASSEL1 | MC0);
    assert_true(events_next(n) == NEVER);
    node_write_word(n, TACCTL0, CCIE);
    assert_true(events_next(n) != NEVER);
    node_write_word(n, TACCTL0, CCIFG | CCIE); /* already asks */
    assert_true(events_next(n) == NEVER);
    bare_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timer_a_counts_like_the_reference), cmocka_unit_test(timer_b_counts_like_the_reference),
        cmocka_unit_test(a_shorter_counter_goes_on),         cmocka_unit_test(rounds_that_nobody_sees_are_skipped),
        cmocka_unit_test(an_unseen_timer_has_no_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
