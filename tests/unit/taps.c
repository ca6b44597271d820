/* Probes, watches, alarms and hooks, through the public interface: exact, and without any effect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/handles.h"
#include "motet/motet.h"
#include "unit/one_node.h"
#include "unit/sanitized.h"

static const char *const firmwares[] = {"busy-atmega328p", "busy-atmega2560", "busy-msp430f1611"};
enum { FIRMWARES = sizeof firmwares / sizeof *firmwares };

static motet_machine *load(const char *firmware)
{
    struct motet_options o = MOTET_OPTIONS_DEFAULT;
    struct motet_error e = {""};
    char path[512];
    snprintf(path, sizeof path, "%s/%s.elf", FIRMWARE_DIR, firmware);
    o.board = strchr(firmware, '-') + 1;
    motet_machine *m = motet_machine_load(path, &o, &e);
    if (!m)
        fail_msg("%s", e.text);
    return m;
}

/* A tick may be far less than a cycle. */
static uint64_t ticks(const motet_machine *m, uint64_t cycles)
{
    return cycles * (motet_machine_hz(m) / motet_machine_cpu_hz(m));
}

static uint32_t ram_start(const motet_machine *m)
{
    struct motet_firmware f;
    motet_machine_firmware(m, &f);
    return f.ram_start;
}

static uint32_t ram_size(const motet_machine *m)
{
    struct motet_firmware f;
    motet_machine_firmware(m, &f);
    return f.ram_size;
}

/* ---- probes ---- */

struct moment {
    uint32_t pc, next;
    uint64_t now, instructions, cycles;
    uint32_t sp, registers[40];
};

static void look(const motet_node *n, struct moment *m)
{
    const char *name;
    unsigned size;
    memset(m, 0, sizeof *m);
    m->next = motet_node_pc(n);
    m->now = motet_node_now(n);
    m->instructions = motet_node_instructions(n);
    m->cycles = motet_node_cycles(n);
    m->sp = motet_node_sp(n);
    for (unsigned i = 0; i < 40 && motet_machine_register(motet_node_machine(n), i, &name, &size); i++)
        m->registers[i] = motet_node_register(n, i);
}

enum { STEPS = 20000 };

struct steps {
    struct moment before[STEPS], after[STEPS];
    size_t before_count, after_count;
};

static void record(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct steps *s = context;
    size_t *count = after ? &s->after_count : &s->before_count;
    if (*count == STEPS)
        return;
    struct moment *m = (after ? s->after : s->before) + (*count)++;
    look(n, m);
    m->pc = pc;
    if (!after)
        assert_int_equal(m->next, pc);
}

static void every_instruction_is_probed_as_it_is_stepped(void **state)
{
    (void)state;
    struct steps *s = malloc(sizeof *s);
    for (size_t f = 0; f < FIRMWARES; f++) {
        s->before_count = s->after_count = 0;
        motet_machine *m = load(firmwares[f]);
        motet_node *probed = one_node(m, 1, 2), *stepped = one_node(m, 1, 2);
        motet_probe(probed, MOTET_EVERYWHERE, MOTET_BEFORE | MOTET_AFTER, record, s);
        while (s->after_count < STEPS)
            one_node_run(probed, motet_node_now(probed) + 100000);
        for (size_t i = 0; i < STEPS; i++) {
            struct moment now;
            uint64_t count = motet_node_instructions(stepped);
            while (motet_node_instructions(stepped) == count) /* asleep, a step is an event */
                node_step(stepped->node);
            look(stepped, &now);
            now.pc = s->after[i].pc;
            assert_memory_equal(&now, &s->after[i], sizeof now);
            assert_int_equal(s->before[i].pc, s->after[i].pc);
            assert_int_equal(s->before[i].instructions + 1, s->after[i].instructions);
            assert_true(s->before[i].now < s->after[i].now);
        }
        one_node_free(probed);
        one_node_free(stepped);
        motet_machine_free(m);
    }
    free(s);
}

/* ---- watches ---- */

struct accesses {
    struct motet_access last[0x10000]; /* writes of the instruction under way, by byte */
    uint32_t touched[64];
    unsigned count;
    uint64_t reads, writes;
    uint32_t ram; /* where RAM begins */
    bool before;
};

static void note_access(void *context, const motet_node *n, const struct motet_access *a)
{
    struct accesses *all = context;
    uint8_t bytes[2] = {0};
    bool memory = motet_node_peek(n, a->address, bytes, a->size);
    unsigned there = bytes[0] | (a->size == 2 ? bytes[1] << 8 : 0);
    assert_true(a->size == 1 || a->size == 2);
    if (!a->after) {
        assert_false(all->before);
        all->before = true;
        if (memory && a->address >= all->ram)
            assert_int_equal(a->old, there);
        return;
    }
    assert_true(all->before);
    all->before = false;
    if (memory && a->address >= all->ram)
        assert_int_equal(a->value, there);
    *(a->write ? &all->writes : &all->reads) += 1;
    for (unsigned i = 0; a->write && i < a->size; i++) {
        assert_true(all->count < 64);
        all->touched[all->count++] = a->address + i;
        all->last[a->address + i] = *a;
    }
}

/* Every change in RAM was reported, with the old and the new value. */
static void compare(struct accesses *all, uint32_t ram, uint32_t size, const uint8_t *was, const uint8_t *is)
{
    static bool seen[0x10000];
    for (unsigned i = 0; i < all->count; i++)
        seen[all->touched[i]] = true;
    for (uint32_t a = ram; a < ram + size; a++)
        if (was[a - ram] != is[a - ram] && !seen[a])
            fail_msg("0x%x changed from 0x%x to 0x%x without a callback", a, was[a - ram], is[a - ram]);
    for (unsigned i = 0; i < all->count; i++) {
        uint32_t a = all->touched[i];
        unsigned byte = all->last[a].value >> 8 * (a - all->last[a].address) & 0xff;
        if (a >= ram && a < ram + size)
            assert_int_equal(byte, is[a - ram]);
        seen[a] = false;
    }
    all->count = 0;
}

static void every_access_is_seen(void **state)
{
    (void)state;
    struct accesses *all = calloc(1, sizeof *all);
    for (size_t f = 0; f < FIRMWARES; f++) {
        motet_machine *m = load(firmwares[f]);
        motet_node *n = one_node(m, 1, 2);
        uint32_t ram = ram_start(m), size = ram_size(m);
        uint8_t *was = malloc(size), *is = malloc(size);
        all->reads = all->writes = all->count = 0;
        all->ram = ram;
        motet_watch(n, MOTET_EVERYWHERE, MOTET_READ | MOTET_WRITE | MOTET_BEFORE | MOTET_AFTER, note_access, all);
        motet_node_peek(n, ram, was, size);
        for (unsigned i = 0; i < 20000; i++) {
            node_step(n->node);
            motet_node_peek(n, ram, is, size);
            compare(all, ram, size, was, is);
            memcpy(was, is, size);
        }
        assert_true(all->reads > 1000 && all->writes > 1000);
        free(was);
        free(is);
        one_node_free(n);
        motet_machine_free(m);
    }
    free(all);
}

/* Every byte of RAM in turn sees as much as one watch over all of it. */
struct totals {
    uint64_t reads, writes, sum;
};

static void total(void *context, const motet_node *n, const struct motet_access *a)
{
    struct totals *t = context;
    *(a->write ? &t->writes : &t->reads) += 1;
    t->sum = t->sum * 31 + a->address * 7 + a->value + a->old + a->pc + motet_node_now(n);
}

static void total_each(void *context, const motet_node *n, const struct motet_access *a)
{
    struct totals *t = context;
    for (unsigned i = 0; i < a->size; i++)
        total(&t[a->address + i], n, a);
}

static void a_watch_on_one_byte_sees_what_a_watch_on_all_sees(void **state)
{
    (void)state;
    struct totals *each = calloc(0x10000, sizeof *each);
    for (size_t f = 0; f < FIRMWARES; f++) {
        motet_machine *m = load(firmwares[f]);
        const unsigned when = MOTET_READ | MOTET_WRITE | MOTET_AFTER;
        memset(each, 0, 0x10000 * sizeof *each);
        motet_node *n = one_node(m, 1, 2);
        motet_watch(n, 0, 0xffff, when, total_each, each);
        one_node_run(n, ticks(m, 100000));
        one_node_free(n);
        uint32_t ram = ram_start(m), size = ram_size(m);
        unsigned tried = 0;
        for (uint32_t a = 0x20; a < ram + size; a++) {
            if (each[a].reads + each[a].writes == 0 || (a * 2654435761u >> 28) != 3)
                continue;
            struct totals alone = {0};
            n = one_node(m, 1, 2);
            motet_watch(n, a, a, when, total, &alone);
            one_node_run(n, ticks(m, 100000));
            one_node_free(n);
            assert_int_equal(alone.reads, each[a].reads);
            assert_int_equal(alone.writes, each[a].writes);
            assert_int_equal(alone.sum, each[a].sum);
            tried++;
        }
        assert_true(tried > 2);
        motet_machine_free(m);
    }
    free(each);
}

/* ---- alarms ---- */

struct rings {
    uint64_t count, next, period;
    bool cycles;
};

static void ring(void *context, const motet_node *n, uint64_t due)
{
    struct rings *r = context;
    uint64_t now = r->cycles ? motet_node_cycles(n) : motet_node_now(n);
    r->count++;
    assert_true(due >= r->next && (due - r->next) % r->period == 0);
    assert_true(now >= due);
    assert_true(now - due < r->period || r->period < 2000);
    r->next = due + r->period;
}

static void alarms_ring_in_time(void **state)
{
    (void)state;
    for (size_t f = 0; f < FIRMWARES; f++) {
        motet_machine *m = load(firmwares[f]);
        motet_node *n = one_node(m, 1, 2);
        struct rings slow = {.next = 5000, .period = 70000}, fast = {.next = 100, .period = 7, .cycles = true};
        struct rings once = {.next = 123456, .period = 1};
        motet_alarm(n, MOTET_TICKS, slow.next, slow.period, ring, &slow);
        motet_tap *quick = motet_alarm(n, MOTET_CYCLES, fast.next, fast.period, ring, &fast);
        motet_tap *single = motet_alarm(n, MOTET_TICKS, once.next, 0, ring, &once);
        one_node_run(n, 10000000);
        assert_int_equal(slow.count, (10000000 - 5000 + 69999) / 70000);
        assert_true(fast.count > 900);
        assert_int_equal(once.count, 1);
        motet_tap_remove(quick);
        motet_tap_remove(single);
        uint64_t count = fast.count;
        one_node_run(n, 12000000);
        assert_int_equal(fast.count, count);
        one_node_free(n);
        motet_machine_free(m);
    }
}

/* An alarm that is alone goes a shorter way than one of several. */
enum { BEATS = 3000 };

struct beats {
    motet_node *n;
    motet_tap *self, *other;
    uint64_t period, count, others;
    struct moment at[BEATS];
};

static void nobody_rings(void *context, const motet_node *n, uint64_t due)
{
    struct beats *b = context;
    (void)n, (void)due;
    b->others++;
}

static void beat(void *context, const motet_node *n, uint64_t due)
{
    struct beats *b = context;
    struct moment *m = &b->at[b->count++];
    look(n, m);
    assert_true(m->cycles >= due && m->cycles - due < 2000);
    m->pc = (uint32_t)due;
    if (b->count % 500 == 0) /* for a while it is not */
        b->other = motet_alarm(b->n, MOTET_CYCLES, due + 10 * b->period + 5, 0, nobody_rings, b);
    if (b->count == BEATS)
        motet_tap_remove(b->self);
}

static void an_alarm_alone_sees_what_one_of_many_sees(void **state)
{
    (void)state;
    static const uint64_t periods[] = {1, 10, 37, 1000};
    struct beats *b = malloc(2 * sizeof *b);
    for (size_t f = 0; f < FIRMWARES; f++)
        for (size_t p = 0; p < sizeof periods / sizeof *periods; p++) {
            motet_machine *m = load(firmwares[f]);
            char digest[3][MOTET_DIGEST_TEXT];
            for (int i = 0; i < 3; i++) {
                motet_node *n = one_node(m, 1, 2);
                if (i < 2) {
                    memset(&b[i], 0, sizeof b[i]);
                    b[i].n = n;
                    b[i].period = periods[p];
                    b[i].self = motet_alarm(n, MOTET_CYCLES, periods[p], periods[p], beat, &b[i]);
                }
                if (i == 1)
                    motet_alarm(n, MOTET_TICKS, UINT64_MAX / 2, 0, nobody_rings, &b[i]);
                one_node_run(n, ticks(m, 5000000 / SANITIZED_SHARE));
                motet_node_digest(n, digest[i]);
                one_node_free(n);
            }
            assert_true(b[0].count > 100);
            assert_int_equal(b[0].count, b[1].count);
            assert_int_equal(b[0].others, b[1].others);
            assert_true(b[0].others == b[0].count / 500 || b[0].others + 1 == b[0].count / 500);
            assert_memory_equal(b[0].at, b[1].at, b[0].count * sizeof b[0].at[0]);
            assert_string_equal(digest[0], digest[2]);
            assert_string_equal(digest[1], digest[2]);
            motet_machine_free(m);
        }
    free(b);
}

/* ---- hooks ---- */

struct seen {
    uint64_t count[MOTET_HAPPENINGS];
    int depth;
    unsigned lines[64];
    uint64_t unknown, tick;
    uint32_t ram;
};

static void note(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct seen *t = context;
    t->count[h->what]++;
    uint64_t instruction = ticks(motet_node_machine(n), 8);
    assert_true(h->tick + instruction >= t->tick); /* devices act within an instruction and are reported after it */
    t->tick = h->tick > t->tick ? h->tick : t->tick;
    assert_int_equal(h->tick, motet_node_now(n));
    if (h->what == MOTET_ON_INTERRUPT_ENTRY) {
        assert_true(t->depth < 64 && strlen(h->interrupt.name) > 0);
        assert_int_equal(h->interrupt.handler, motet_node_pc(n));
        t->lines[t->depth++] = h->interrupt.line;
    }
    if (h->what == MOTET_ON_INTERRUPT_EXIT) {
        assert_true(t->depth > 0);
        assert_int_equal(h->interrupt.line, t->lines[--t->depth]);
        assert_int_equal(h->interrupt.from, motet_node_pc(n));
    }
    if (h->what == MOTET_ON_CALL || h->what == MOTET_ON_RETURN)
        assert_int_equal(h->call.to, motet_node_pc(n));
    if (h->what == MOTET_ON_REGISTER)
        assert_true(h->access.address < t->ram);
}

static void happenings_are_told(void **state)
{
    (void)state;
    for (size_t f = 0; f < FIRMWARES; f++) {
        motet_machine *m = load(firmwares[f]);
        motet_node *n = one_node(m, 1, 2);
        struct seen t = {.ram = ram_start(m)};
        motet_hook(n, MOTET_ON_ANYTHING, note, &t);
        one_node_run(n, ticks(m, 1000000 / SANITIZED_SHARE));
        assert_true(t.count[MOTET_ON_INTERRUPT_POST] > 10);
        assert_true(t.count[MOTET_ON_INTERRUPT_ENTRY] > 10);
        assert_int_equal(t.count[MOTET_ON_INTERRUPT_ENTRY], t.count[MOTET_ON_INTERRUPT_EXIT] + (uint64_t)t.depth);
        assert_true(t.count[MOTET_ON_CALL] > 10 && t.count[MOTET_ON_RETURN] > 10);
        assert_true(t.count[MOTET_ON_REGISTER] > 100);
        assert_true(t.count[MOTET_ON_PIN] > 0);
        one_node_free(n);
        motet_machine_free(m);
    }
    assert_string_equal(motet_happening_name(MOTET_ON_INTERRUPT_ENTRY), "interrupt-entry");
    assert_string_equal(motet_loss_name(MOTET_LOSS_CUT), "cut");
    for (int i = 0; i < MOTET_HAPPENINGS; i++)
        assert_non_null(motet_happening_name((enum motet_happening)i));
}

/* ---- coming and going, from everywhere ---- */

/* A crowd of taps, each of which puts on and takes off others when it is called. */
enum { CROWD = 40 };

struct crowd {
    motet_node *n;
    motet_tap *taps[CROWD];
    uint64_t called;
    uint32_t random;
    bool gone[CROWD];
};

struct member {
    struct crowd *crowd;
    unsigned number;
} members[CROWD];

static uint32_t draw(struct crowd *c)
{
    c->random = c->random * 1664525u + 1013904223u;
    return c->random >> 8;
}

static void churn(void *context, const motet_node *n);

static void churn_probed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    (void)pc, (void)after;
    churn(context, n);
}

static void churn_watched(void *context, const motet_node *n, const struct motet_access *a)
{
    (void)a;
    churn(context, n);
}

static void churn_alarmed(void *context, const motet_node *n, uint64_t due)
{
    (void)due;
    churn(context, n);
}

static void churn_hooked(void *context, const motet_node *n, const struct motet_happened *h)
{
    (void)h;
    churn(context, n);
}

static void put_on(struct crowd *c, unsigned i)
{
    uint32_t a = draw(c) % 0x2000, code = (motet_node_pc(c->n) & ~0x3ffu) + draw(c) % 0x800, kind = draw(c) % 6;
    struct member *m = &members[i];
    c->gone[i] = false;
    switch (kind) {
    case 0: c->taps[i] = motet_probe(c->n, code, code, 1 + draw(c) % 3, churn_probed, m); break;
    case 1: c->taps[i] = motet_probe(c->n, code, code + draw(c) % 300, 1 + draw(c) % 3, churn_probed, m); break;
    case 2: c->taps[i] = motet_watch(c->n, a, a + draw(c) % 200, 1 + draw(c) % 15, churn_watched, m); break;
    case 3:
        c->taps[i] = motet_alarm(c->n, draw(c) % 2 ? MOTET_TICKS : MOTET_CYCLES, motet_node_now(c->n) + draw(c) % 9000,
                                 draw(c) % 5000, churn_alarmed, m);
        break;
    case 4: c->taps[i] = motet_hook(c->n, draw(c), churn_hooked, m); break;
    default:
        c->taps[i] = motet_probe(c->n, motet_node_pc(c->n), motet_node_pc(c->n), 1 + draw(c) % 3, churn_probed, m);
        break;
    }
}

static void churn(void *context, const motet_node *n)
{
    struct member *m = context;
    struct crowd *c = m->crowd;
    assert_ptr_equal(n, c->n);
    assert_false(c->gone[m->number]);
    c->called++;
    if (draw(c) % 8)
        return;
    unsigned i = draw(c) % 4 ? draw(c) % CROWD : m->number; /* often itself */
    motet_tap_remove(c->taps[i]);
    c->gone[i] = true;
    put_on(c, i);
}

static void coming_and_going_changes_nothing(void **state)
{
    (void)state;
    for (size_t f = 0; f < FIRMWARES; f++) {
        char bare_digest[MOTET_DIGEST_TEXT], digest[MOTET_DIGEST_TEXT];
        motet_machine *m = load(firmwares[f]);
        motet_node *bare = one_node(m, 1, 2), *n = one_node(m, 1, 2);
        struct crowd c = {.n = n, .random = (uint32_t)f + 7};
        for (unsigned i = 0; i < CROWD; i++) {
            members[i] = (struct member){&c, i};
            put_on(&c, i);
        }
        for (uint64_t until = ticks(m, 50000); until <= ticks(m, 1000000 / SANITIZED_SHARE); until += ticks(m, 50000)) {
            one_node_run(bare, until);
            one_node_run(n, until);
            motet_node_digest(bare, bare_digest);
            motet_node_digest(n, digest);
            assert_string_equal(digest, bare_digest);
            assert_int_equal(motet_node_cycles(n), motet_node_cycles(bare));
        }
        assert_true(c.called > 5000 / SANITIZED_SHARE);
        one_node_free(n);
        one_node_free(bare);
        motet_machine_free(m);
    }
}

/* ---- everything at once ---- */

static void count_probe(void *context, const motet_node *n, uint32_t pc, bool after)
{
    (void)n, (void)pc, (void)after;
    ++*(uint64_t *)context;
}

static void count_access(void *context, const motet_node *n, const struct motet_access *a)
{
    (void)n, (void)a;
    ++*(uint64_t *)context;
}

static void count_alarm(void *context, const motet_node *n, uint64_t due)
{
    (void)n, (void)due;
    ++*(uint64_t *)context;
}

static void count_happening(void *context, const motet_node *n, const struct motet_happened *h)
{
    (void)n, (void)h;
    ++*(uint64_t *)context;
}

static void put_everything_on(motet_node *n, uint64_t *count)
{
    motet_probe(n, MOTET_EVERYWHERE, MOTET_BEFORE | MOTET_AFTER, count_probe, count);
    motet_watch(n, 0, 0xffff, MOTET_READ | MOTET_WRITE | MOTET_BEFORE | MOTET_AFTER, count_access, count);
    motet_alarm(n, MOTET_CYCLES, 0, 3, count_alarm, count);
    motet_alarm(n, MOTET_TICKS, 0, 1000, count_alarm, count);
    motet_hook(n, MOTET_ON_ANYTHING, count_happening, count);
}

static void everything_at_once_changes_nothing(void **state)
{
    (void)state;
    for (size_t f = 0; f < FIRMWARES; f++) {
        char bare_digest[MOTET_DIGEST_TEXT], digest[MOTET_DIGEST_TEXT];
        motet_machine *m = load(firmwares[f]);
        motet_node *bare = one_node(m, 1, 2), *n = one_node(m, 1, 2);
        uint64_t count = 0;
        put_everything_on(n, &count);
        one_node_run(bare, ticks(m, 1000000 / SANITIZED_SHARE));
        one_node_run(n, ticks(m, 1000000 / SANITIZED_SHARE));
        motet_node_digest(bare, bare_digest);
        motet_node_digest(n, digest);
        assert_string_equal(digest, bare_digest);
        assert_int_equal(motet_node_cycles(n), motet_node_cycles(bare));
        assert_int_equal(motet_node_instructions(n), motet_node_instructions(bare));
        assert_true(count > 2 * motet_node_instructions(n));
        one_node_free(n);
        one_node_free(bare);
        motet_machine_free(m);
    }
}

/* ---- asking a run to end ---- */

struct stopping {
    uint64_t at, count;
    bool after;
};

static void stop_at(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct stopping *s = context;
    (void)pc;
    assert_int_equal(after, s->after);
    s->count++;
    if (motet_node_instructions(n) == s->at)
        motet_node_stop(n);
}

static void a_run_stops_where_it_is_asked_to(void **state)
{
    (void)state;
    for (size_t f = 0; f < FIRMWARES; f++)
        for (int way = 0; way < 6; way++) {
            bool after = way % 2;
            motet_machine *m = load(firmwares[f]);
            motet_node *n = one_node(m, 1, 2);
            struct stopping s = {.at = 1000, .after = after};
            static struct beats none;
            for (int i = 0; i < way / 2; i++) /* slices that pause later on stop here all the same */
                motet_alarm(n, MOTET_CYCLES, 50, 50, nobody_rings, &none);
            motet_probe(n, MOTET_EVERYWHERE, after ? MOTET_AFTER : MOTET_BEFORE, stop_at, &s);
            assert_int_equal(one_node_run(n, ticks(m, 100000)), MOTET_NETWORK_STOPPED);
            assert_int_equal(motet_node_instructions(n), 1000);
            assert_int_equal(s.count, after ? 1000 : 1001);
            s.at = 1001;
            assert_int_equal(one_node_run(n, ticks(m, 100000)), MOTET_NETWORK_STOPPED);
            assert_int_equal(motet_node_instructions(n), 1001);
            assert_int_equal(s.count, after ? 1001 : 1002);
            assert_int_equal(one_node_run(n, ticks(m, 100000)), MOTET_NETWORK_TIME);
            assert_int_equal(s.count, motet_node_instructions(n));
            one_node_free(n);
            motet_machine_free(m);
        }
}

static void probes_see_again_what_is_executed_again(void **state)
{
    (void)state;
    motet_machine *m = load(firmwares[0]);
    motet_node *n = one_node(m, 1, 2);
    motet_network_snapshot *s = motet_network_snapshot_take(motet_node_network(n));
    uint64_t count = 0;
    motet_probe(n, MOTET_EVERYWHERE, MOTET_BEFORE, count_probe, &count);
    one_node_run(n, 10000);
    uint64_t first = count;
    motet_network_snapshot_restore(motet_node_network(n), s);
    one_node_run(n, 10000);
    assert_int_equal(count, 2 * first);
    motet_network_snapshot_free(s);
    one_node_free(n);
    motet_machine_free(m);
}

enum { CODE = 0x20000 };

static void count_pc(void *context, const motet_node *n, uint64_t due)
{
    (void)due;
    ((uint64_t *)context)[motet_node_pc(n) / 2]++;
}

/* What an alarm that calls back would count: alone, beside another, with a probe on everything. */
static void samples_are_counted_where_alarms_ring(void **state)
{
    (void)state;
    static const uint64_t periods[] = {1, 37, 1000};
    static uint64_t expected[CODE], counts[CODE];
    for (size_t f = 0; f < FIRMWARES; f++)
        for (size_t i = 0; i < 3 * sizeof periods / sizeof *periods; i++) {
            uint64_t period = periods[i / 3], instructions[2], total = 0, probed = 0;
            motet_machine *m = load(firmwares[f]);
            motet_node *n[2] = {one_node(m, 1, 2), one_node(m, 1, 2)};
            struct beats none = {.others = 0};
            char digest[2][MOTET_DIGEST_TEXT];
            memset(expected, 0, sizeof expected);
            memset(counts, 0, sizeof counts);
            motet_alarm(n[0], MOTET_CYCLES, 5, period, count_pc, expected);
            motet_tap *sample = motet_sample(n[1], 5, period, counts, CODE);
            if (i % 3 == 1)
                motet_alarm(n[1], MOTET_CYCLES, 50, 50, nobody_rings, &none);
            if (i % 3 == 2)
                motet_probe(n[1], MOTET_EVERYWHERE, MOTET_BEFORE, count_probe, &probed);
            for (unsigned k = 0; k < 2; k++) {
                one_node_run(n[k], ticks(m, 3000000 / SANITIZED_SHARE));
                motet_node_digest(n[k], digest[k]);
                instructions[k] = motet_node_instructions(n[k]);
            }
            motet_tap_remove(sample);
            for (size_t at = 0; at < CODE; at++)
                total += counts[at];
            assert_true(total > 1000 / SANITIZED_SHARE);
            assert_memory_equal(counts, expected, sizeof counts);
            assert_string_equal(digest[0], digest[1]);
            assert_int_equal(instructions[0], instructions[1]);
            one_node_run(n[1], ticks(m, 4000000 / SANITIZED_SHARE));
            assert_memory_equal(counts, expected, sizeof counts);
            one_node_free(n[0]);
            one_node_free(n[1]);
            motet_machine_free(m);
        }
}

/* ---- whose code is executed ---- */

static bool executes_code_of_machine(const motet_node *n)
{
    return n->node->code == n->node->machine->code;
}

/* What can be translated is the machine's code. */
static void a_node_that_nothing_looks_at_executes_the_code_of_its_machine(void **state)
{
    (void)state;
    for (size_t f = 0; f < FIRMWARES; f++) {
        motet_machine *m = load(firmwares[f]);
        motet_node *n = one_node(m, 1, 2);
        uint64_t count = 0;
        motet_tap *probe = motet_probe(n, MOTET_EVERYWHERE, MOTET_BEFORE, count_probe, &count);
        motet_tap *watch = motet_watch(n, 0, 0xffff, MOTET_READ | MOTET_AFTER, count_access, &count);
        one_node_run(n, ticks(m, 1000));
        assert_false(executes_code_of_machine(n));
        motet_tap_remove(probe);
        motet_tap_remove(watch);
        one_node_run(n, ticks(m, 2000));
        assert_true(executes_code_of_machine(n));
        uint64_t before = count;
        probe = motet_probe(n, MOTET_EVERYWHERE, MOTET_BEFORE, count_probe, &count);
        one_node_run(n, ticks(m, 3000));
        assert_false(executes_code_of_machine(n));
        assert_true(count > before);
        one_node_free(n);
        motet_machine_free(m);
    }
}

enum { ACCESSES = 400 };

struct run_of_accesses {
    uint32_t pc[ACCESSES], address[ACCESSES];
    unsigned count, probed_at;
    uint64_t probed;
    motet_node *n;
};

static void note_place(void *context, const motet_node *n, const struct motet_access *a)
{
    struct run_of_accesses *c = context;
    (void)n;
    if (c->count == ACCESSES)
        return;
    if (c->count == c->probed_at)
        motet_probe(c->n, MOTET_EVERYWHERE, MOTET_BEFORE, count_probe, &c->probed);
    c->pc[c->count] = a->pc;
    c->address[c->count++] = a->address;
}

static void run_noting(const motet_machine *m, struct run_of_accesses *c, unsigned probed_at)
{
    *c = (struct run_of_accesses){.n = one_node(m, 1, 2), .probed_at = probed_at};
    motet_watch(c->n, ram_start(m), ram_start(m) + ram_size(m) - 1, MOTET_READ | MOTET_WRITE | MOTET_AFTER, note_place,
                c);
    one_node_run(c->n, ticks(m, 20000));
    one_node_free(c->n);
}

/* Between two accesses of one instruction, say. */
static void a_probe_put_on_at_an_access_changes_none_of_the_next(void **state)
{
    static struct run_of_accesses all, c;
    (void)state;
    for (size_t f = 0; f < FIRMWARES; f++) {
        motet_machine *m = load(firmwares[f]);
        run_noting(m, &all, ACCESSES);
        assert_int_equal(all.count, ACCESSES);
        for (unsigned at = 0; at < ACCESSES; at += 4 * SANITIZED_SHARE - 3) { /* all, or one of 17 */
            run_noting(m, &c, at);
            assert_true(c.probed > 0);
            assert_memory_equal(c.pc, all.pc, sizeof c.pc);
            assert_memory_equal(c.address, all.address, sizeof c.address);
        }
        motet_machine_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_is_probed_as_it_is_stepped),
        cmocka_unit_test(every_access_is_seen),
        cmocka_unit_test(a_watch_on_one_byte_sees_what_a_watch_on_all_sees),
        cmocka_unit_test(alarms_ring_in_time),
        cmocka_unit_test(an_alarm_alone_sees_what_one_of_many_sees),
        cmocka_unit_test(samples_are_counted_where_alarms_ring),
        cmocka_unit_test(happenings_are_told),
        cmocka_unit_test(coming_and_going_changes_nothing),
        cmocka_unit_test(everything_at_once_changes_nothing),
        cmocka_unit_test(a_run_stops_where_it_is_asked_to),
        cmocka_unit_test(probes_see_again_what_is_executed_again),
        cmocka_unit_test(a_node_that_nothing_looks_at_executes_the_code_of_its_machine),
        cmocka_unit_test(a_probe_put_on_at_an_access_changes_none_of_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
