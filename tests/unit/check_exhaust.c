/* Exhaustive searches: matching states misses nothing that plain enumeration finds, on small systems made at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "board/boards.h"
#include "check/exhaust.h"
#include "node/machine.h"
#include "node/map.h"
#include "unit/check_pair.h"

enum { DEPTH = 6 };
#define STEP (100 * MS)

struct family {
    struct machine *machine;
    uint64_t seed;
    bool judged; /* by a property of what the firmware itself never reads */
};

/* ---- a property, made of the seed ---- */

struct rule {
    struct property property;
    struct properties *properties;
    uint32_t address;
    uint8_t first, second; /* values */
};

static uint8_t rule_shown(const struct rule *r, uint32_t node)
{
    uint8_t value = 0;
    assert_true(properties_read(r->properties, node, r->address, &value, 1));
    return value;
}

static int rule_holds(void *context, size_t property, unsigned operand, uint32_t node, uint32_t *blame,
                      struct motet_error *e)
{
    const struct rule *r = context;
    (void)property, (void)e;
    if (operand)
        return rule_shown(r, 0) == r->second || rule_shown(r, 1) == r->second;
    if (node != UINT32_MAX)
        return (rule_shown(r, node) == r->first) == (r->property.kind != PROPERTY_ALWAYS);
    *blame = 1;
    return rule_shown(r, 0) == r->first && rule_shown(r, 1) == r->second;
}

static void rule_add(const struct family *f, struct check_subject *s)
{
    static const struct property kinds[] = {
        {.kind = PROPERTY_NEVER, .operands = {OPERAND_NETWORK}},
        {.kind = PROPERTY_ALWAYS, .operands = {OPERAND_EACH}, .within = 150 * MS},
        {.kind = PROPERTY_LEADS_TO, .operands = {OPERAND_EACH, OPERAND_NETWORK}, .within = 300 * MS},
        {.kind = PROPERTY_EVENTUALLY, .operands = {OPERAND_NETWORK}, .within = PROPERTY_NO_BOUND, .patience = 400 * MS},
        {.kind = PROPERTY_NEVER, .operands = {OPERAND_EACH}, .within = 60 * MS, .handlers = true},
    };
    struct rule *r = memory_new(sizeof *r);
    r->property = kinds[f->seed / 8 % (sizeof kinds / sizeof *kinds)];
    r->first = (uint8_t)(f->seed / 3 % 8);
    r->second = (uint8_t)(f->seed / 5 % 8);
    r->address = map_of_image(f->machine, image_symbol_named(f->machine->image, "shown")->address);
    struct property_judge judge = {.context = r, .holds = rule_holds};
    s->properties = r->properties = properties_new(s->network, &r->property, 1, &judge, 190 * MS);
    s->context = r;
}

static bool make(void *context, struct check_subject *s, struct motet_error *e)
{
    const struct family *f = context;
    if (!pair_make(f->machine, "TOS_NODE_ID", "seed", f->seed, s, e))
        return false;
    if (f->judged)
        rule_add(f, s);
    return true;
}

static void release(void *context, struct check_subject *s)
{
    (void)context;
    properties_free(s->properties);
    free(s->context);
    network_free(s->network);
}

/* ---- plain enumeration: each run from the steady state to its end ---- */

struct plain {
    const struct search_options *o;
    unsigned outcomes, depth;
    unsigned plan[DEPTH], counts[DEPTH]; /* outcomes taken, and how many there were */
    size_t asked;
    struct trace trace;
    bool timed; /* at instants each node is left alone, reset, or loses its power for a moment or for good: */
    struct network *network;
    uint64_t instant; /* the next */
    uint32_t node;    /* the next that is asked about then */
    struct choice due;
};

static unsigned plain_ask(struct plain *p, unsigned count)
{
    size_t number = p->asked++;
    if (number >= p->depth)
        return 0;
    p->counts[number] = count;
    return p->plan[number];
}

static uint32_t plain_choose(void *context, const struct choice *asked)
{
    struct plain *p = context;
    if (asked->source != CHOICE_FRAME)
        return 0;
    struct choice c = *asked;
    c.outcome = plain_ask(p, p->outcomes);
    if (c.outcome)
        trace_add(&p->trace, &c);
    return c.outcome;
}

static uint64_t plain_next_time(void *context)
{
    static const enum choice_source sources[] = {CHOICE_SOURCES, CHOICE_RESET, CHOICE_POWER, CHOICE_DEATH};
    struct plain *p = context;
    uint64_t now = network_now(p->network);
    while (p->due.source == CHOICE_SOURCES && now >= p->instant) {
        uint32_t number = p->node++;
        if (number == network_count(p->network)) {
            p->node = 0;
            p->instant += STEP;
        } else if (network_powered(p->network, number)) {
            p->due = (struct choice){.source = sources[plain_ask(p, 4)], .ordinal = now, .outcome = 1, .at = now};
            p->due.node = network_node(p->network, number)->id;
        }
    }
    return p->due.source == CHOICE_SOURCES ? p->instant : now;
}

static const struct choice *plain_take(void *context)
{
    struct plain *p = context;
    trace_add(&p->trace, &p->due);
    p->due.source = CHOICE_SOURCES;
    return &p->trace.list[p->trace.count - 1];
}

/* The plan after this one, in the order of enumeration; choices that did not come up count for nothing. */
static bool plain_next(struct plain *p)
{
    size_t used = p->asked < p->depth ? p->asked : p->depth;
    for (size_t i = used; i < p->depth; i++)
        p->plan[i] = 0;
    while (used && p->plan[used - 1] + 1 == p->counts[used - 1])
        p->plan[--used] = 0;
    if (used)
        p->plan[used - 1]++;
    return used;
}

static struct violation enumerate(struct world *w, struct plain *p)
{
    struct driver d = {.chooser = {p, plain_choose, false}};
    struct violation v;
    if (p->timed)
        d.next = plain_next_time, d.take = plain_take;
    p->network = world_network(w);
    do {
        p->asked = p->trace.count = p->node = 0;
        p->instant = p->o->steady;
        p->due.source = CHOICE_SOURCES;
        if (world_settle(w, NULL, 0, p->o->steady, &v))
            v = world_run(w, &d, p->o->steady + p->o->length);
    } while (v.kind == VIOLATION_NONE && plain_next(p));
    return v;
}

/* ---- one against the other ---- */

struct totals {
    unsigned found, clean;
    uint64_t runs, plain_runs, merged, rechecked;
};

static void must_agree(const struct family *f, const struct search_result *r, const struct violation *v,
                       const struct trace *t)
{
    if (r->found != (v->kind != VIOLATION_NONE))
        fail_msg("seed %llu: %s", (unsigned long long)f->seed, r->found ? "found too much" : "a violation was missed");
    if (!r->found)
        return;
    assert_true(violation_same(&r->violation, v));
    assert_int_equal(r->violation.at, v->at);
    assert_int_equal(r->trace.count, t->count);
    for (size_t i = 0; i < t->count; i++) {
        assert_int_equal(choices_compare(&r->trace.list[i], &t->list[i]), 0);
        assert_int_equal(r->trace.list[i].outcome, t->list[i].outcome);
    }
}

static void search(struct family *f, const struct search_options *o, const struct exhaust_options *x,
                   const struct violation *v, const struct trace *t, struct exhaust_work *work)
{
    struct subjects subjects = {f, make, release};
    struct search_result r;
    struct motet_error e = {""};
    assert_true(exhaust_run(o, x, &subjects, NULL, NULL, &r, work, &e));
    must_agree(f, &r, v, t);
    assert_int_equal(work->wrong, 0);
    search_result_free(&r);
}

static void compare(struct family *f, struct search_options *o, struct totals *sum)
{
    struct check_subject s;
    struct motet_error e;
    struct exhaust_work work;
    struct plain p = {.o = o, .outcomes = o->weights.damaged > 0 ? 3 : 2, .depth = o->weights.damaged > 0 ? 4 : DEPTH};
    p.timed = o->weights.reset > 0;
    struct exhaust_options x = {.depth = p.depth, .step = STEP, .memory = 1 << 24};
    x.also = p.timed ? 1 << CHOICE_RESET | 1 << CHOICE_POWER | 1 << CHOICE_DEATH : 0;
    assert_true(make(f, &s, &e));
    struct world *w = world_new(&s);
    struct violation v = enumerate(w, &p);
    search(f, o, &x, &v, &p.trace, &work);
    sum->plain_runs += work.runs;
    x.matching = true;
    x.recheck = f->seed % 3 ? 0 : 2;
    search(f, o, &x, &v, &p.trace, &work);
    sum->runs += work.runs;
    sum->merged += work.seen.merged;
    sum->rechecked += work.rechecked;
    sum->found += v.kind != VIOLATION_NONE;
    sum->clean += v.kind == VIOLATION_NONE;
    trace_free(&p.trace);
    world_free(w);
    release(f, &s);
}

static void matching_misses_nothing_of(bool judged, bool timed, uint64_t seeds)
{
    struct family f = {.machine = pair_load(FIRMWARE_DIR "/check-small.elf"), .judged = judged};
    struct totals sum = {0, 0, 0, 0, 0, 0};
    for (f.seed = 1; f.seed <= seeds; f.seed++) {
        struct search_options o = {.steady = 190 * MS, .length = 1000 * MS, .weights = {.lost = 0.1}};
        o.workers = 1 + f.seed % 2;
        o.weights.damaged = f.seed / 8 % 3 && !timed ? 0 : 0.1;
        if (timed)
            o.weights.reset = o.weights.power = o.weights.death = 0.1;
        compare(&f, &o, &sum);
    }
    print_message("%u systems with a violation, %u without; %llu stretches instead of %llu, %llu states matched, "
                  "%llu of them explored again\n",
                  sum.found, sum.clean, (unsigned long long)sum.runs, (unsigned long long)sum.plain_runs,
                  (unsigned long long)sum.merged, (unsigned long long)sum.rechecked);
    assert_true(sum.found > seeds / 10 && sum.clean > seeds / 10);
    assert_true(sum.merged > (judged || timed ? seeds : 10 * seeds) && sum.rechecked > (judged ? 0 : seeds));
    machine_free(f.machine);
}

static void matching_misses_nothing(void **state)
{
    (void)state;
    matching_misses_nothing_of(false, false, getenv("LONG") ? 4000 : 240);
}

static void matching_misses_no_property(void **state)
{
    (void)state;
    matching_misses_nothing_of(true, false, getenv("LONG") ? 4000 : 120);
}

static void matching_misses_nothing_that_happens_at_instants(void **state)
{
    (void)state;
    matching_misses_nothing_of(false, true, getenv("LONG") ? 1000 : 24);
}

/* ---- what is kept of states ---- */

enum { BYTES = 64 };

static struct seen_state state_of(size_t instant, uint8_t *memories, unsigned which)
{
    struct seen_state s = {.instant = instant, .form = digest_of(&which, sizeof which), .memories = memories};
    return s;
}

static void only_what_was_read_counts(void **state)
{
    struct seen *s = seen_new(2, BYTES, 1 << 20);
    uint8_t bytes[BYTES] = {0}, reads[BYTES / 8] = {0x05}, mask[BYTES / 8] = {0};
    (void)state;
    struct seen_state t = state_of(1, bytes, 7), other = state_of(0, bytes, 7), form = state_of(1, bytes, 8);
    assert_false(seen_has(s, &t, 0, mask));
    seen_add(s, &t, 3, reads);
    bytes[1] = 9; /* not read */
    assert_true(seen_has(s, &t, 3, mask));
    assert_int_equal(mask[0], 0x05);
    assert_true(seen_has(s, &t, 0, mask));
    assert_false(seen_has(s, &t, 4, mask));     /* not explored so deep */
    assert_false(seen_has(s, &other, 3, mask)); /* at another time */
    assert_false(seen_has(s, &form, 3, mask));
    bytes[2] = 1;
    assert_false(seen_has(s, &t, 3, mask));
    reads[0] = 0x08; /* more is read: the first is still known */
    seen_add(s, &t, 3, reads);
    bytes[2] = 0;
    assert_true(seen_has(s, &t, 3, mask));
    assert_int_equal(seen_work(s).states, 2);
    assert_false(seen_work(s).bits);
    seen_free(s);
}

static void little_memory_becomes_bits(void **state)
{
    enum { STATES = 20000 };
    struct seen *s = seen_new(1, BYTES, 1 << 16);
    uint8_t bytes[BYTES] = {0}, reads[BYTES / 8] = {0xff}, mask[BYTES / 8];
    unsigned wrong = 0;
    (void)state;
    for (unsigned i = 0; i < STATES; i++) {
        struct seen_state t = state_of(0, bytes, 2 * i);
        seen_add(s, &t, i % 3, reads);
    }
    assert_true(seen_work(s).bits);
    for (unsigned i = 0; i < STATES; i++) {
        struct seen_state t = state_of(0, bytes, 2 * i), other = state_of(0, bytes, 2 * i + 1);
        assert_true(seen_has(s, &t, i % 3, mask)); /* what was added is never lost */
        wrong += seen_has(s, &other, 0, mask);
    }
    assert_true(wrong > 0 && wrong < STATES / 2);
    assert_true(seen_work(s).missed > 0.99);
    seen_free(s);
}

/* Each state reads other bytes, so each has a mask of its own: the oldest are given up, and what is kept is found. */
static void masks_take_a_part_of_the_memory(void **state)
{
    enum { MANY = 1 << 15, STATES = 3000, MEMORY = 1 << 20 };
    static uint8_t bytes[MANY], reads[MANY / 8], mask[MANY / 8];
    struct seen *s = seen_new(1, MANY, MEMORY);
    unsigned kept = 0;
    (void)state;
    for (unsigned i = 0; i < STATES; i++) {
        struct seen_state t = state_of(0, bytes, i);
        reads[i / 8] = (uint8_t)(1u << i % 8);
        seen_add(s, &t, 0, reads);
        reads[i / 8] = 0;
        assert_true(seen_has(s, &t, 0, mask));
        assert_true(seen_work(s).memory <= MEMORY);
    }
    for (unsigned i = 0; i < STATES; i++) {
        struct seen_state t = state_of(0, bytes, i);
        kept += seen_has(s, &t, 0, mask);
    }
    assert_true(kept > 30 && kept <= 64);
    assert_false(seen_work(s).bits);
    seen_free(s);
}

/* With room for hardly anything it still ends, finds what is there or says what may be missing. */
static void a_search_with_little_memory_says_so(void **state)
{
    struct family f = {.machine = pair_load(FIRMWARE_DIR "/check-small.elf"), .seed = 9};
    struct search_options o = {.steady = 190 * MS, .length = 1400 * MS, .workers = 1, .weights = {.lost = 0.1}};
    struct exhaust_options x = {.depth = 9, .step = 100 * MS, .matching = true, .memory = 1};
    struct subjects subjects = {&f, make, release};
    struct search_result r;
    struct exhaust_work work;
    struct motet_error e = {""};
    (void)state;
    for (; f.seed < 200; f.seed++) {
        assert_true(exhaust_run(&o, &x, &subjects, NULL, NULL, &r, &work, &e));
        bool found = r.found;
        search_result_free(&r);
        if (!found)
            break;
    }
    assert_true(work.seen.bits);
    assert_true(work.seen.missed > 0 && work.seen.missed <= 1);
    machine_free(f.machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_was_read_counts),
        cmocka_unit_test(little_memory_becomes_bits),
        cmocka_unit_test(masks_take_a_part_of_the_memory),
        cmocka_unit_test(a_search_with_little_memory_says_so),
        cmocka_unit_test(matching_misses_nothing),
        cmocka_unit_test(matching_misses_no_property),
        cmocka_unit_test(matching_misses_nothing_that_happens_at_instants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
