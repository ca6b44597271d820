/* The public timelines (motet/timeline.h): what their users give them, right or wrong, and that the same place has the
 * same state whichever way it was reached. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "motet/timeline.h"

static motet_machine *load(const char *firmware, const char *board)
{
    char path[512];
    struct motet_error e = {""};
    struct motet_options o = MOTET_OPTIONS_DEFAULT;
    o.board = board;
    snprintf(path, sizeof path, "%s/%s.elf", FIRMWARE_DIR, firmware);
    motet_machine *m = motet_machine_load(path, &o, &e);
    if (!m)
        fail_msg("%s", e.text);
    return m;
}

struct life {
    motet_machine *machine;
    motet_network *network;
    motet_timeline *timeline;
};

static const struct motet_timeline_options usual = {.memory = 4 << 20};

static struct life begin(const char *firmware, const char *board, const struct motet_timeline_options *o)
{
    struct life l = {.machine = load(firmware, board)};
    l.network = motet_network_of_one(l.machine, 0, 1);
    l.timeline = motet_timeline_of_network(l.network, o);
    return l;
}

static struct life begin_network(const char *firmware, const char *board, unsigned nodes)
{
    struct life l = {.machine = load(firmware, board)};
    struct motet_error e;
    struct motet_medium medium;
    motet_medium_default(&medium);
    l.network = motet_network_new(1, 1, &medium, &e);
    for (uint32_t i = 0; i < nodes; i++)
        assert_non_null(motet_network_add(l.network, l.machine,
                                          &(struct motet_place){.id = 10 + i, .x = 5 * i, .boot = i * 1000000}, &e));
    l.timeline = motet_timeline_of_network(l.network, &usual);
    return l;
}

static void end(struct life *l)
{
    motet_timeline_free(l->timeline);
    motet_network_free(l->network);
    motet_machine_free(l->machine);
}

static const char *digest(const struct life *l)
{
    static char texts[4][MOTET_DIGEST_TEXT];
    static unsigned next;
    char *text = texts[next++ % 4];
    motet_timeline_digest(l->timeline, text);
    return text;
}

/* ---- giving ---- */

static void what_has_no_place_is_refused(void **state)
{
    (void)state;
    struct life l = begin("busy-atmega328p", "atmega328p", &usual);
    static const uint8_t bytes[600];
    static const struct motet_input wrong[] = {
        {.kind = MOTET_INPUT_SERIAL, .where = 1, .bytes = bytes, .size = 1},
        {.kind = MOTET_INPUT_SERIAL, .where = UINT32_MAX, .bytes = bytes, .size = 1},
        {.kind = MOTET_INPUT_PIN, .where = 1000, .value = MOTET_HIGH},
        {.kind = MOTET_INPUT_PIN, .where = 0, .value = 99},
        {.kind = MOTET_INPUT_REGISTER, .where = 35},
        {.kind = MOTET_INPUT_DATA, .where = 0x8ff, .bytes = bytes, .size = 2},
        {.kind = MOTET_INPUT_DATA, .where = 0xffffffff, .bytes = bytes, .size = 2},
        {.kind = MOTET_INPUT_EEPROM, .where = 1024, .bytes = bytes, .size = 1},
        {.kind = MOTET_INPUT_EEPROM, .where = 1000, .bytes = bytes, .size = 25},
        {.kind = MOTET_INPUT_CODE, .where = 0x7fff, .bytes = bytes, .size = 2},
        {.kind = (enum motet_input_kind)77},
    };
    motet_timeline_seek(l.timeline, 1000);
    const char *before = digest(&l);
    struct motet_position here = motet_timeline_position(l.timeline);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (motet_timeline_give(l.timeline, 0, &wrong[i]))
            fail_msg("input %zu was taken", i);
    assert_string_equal(digest(&l), before);
    assert_int_equal(motet_position_compare(motet_timeline_position(l.timeline), here), 0);
    end(&l);
}

static void what_is_given_belongs_to_its_place(void **state)
{
    (void)state;
    struct life l = begin("busy-atmega328p", "atmega328p", &usual);
    uint8_t bytes[2] = {0x12, 0x34}, got[2];
    struct motet_input memory = {.kind = MOTET_INPUT_DATA, .where = 0x700, .bytes = bytes, .size = 2};
    struct motet_input eeprom = {.kind = MOTET_INPUT_EEPROM, .where = 1022, .bytes = bytes, .size = 2};
    motet_timeline_seek(l.timeline, 50000);
    const char *other = digest(&l);
    motet_timeline_seek(l.timeline, 20000);
    struct motet_position before = motet_timeline_position(l.timeline);
    assert_true(motet_timeline_give(l.timeline, 0, &memory));
    assert_true(motet_timeline_give(l.timeline, 0, &eeprom));
    assert_true(motet_position_compare(before, motet_timeline_position(l.timeline)) < 0);
    assert_int_equal(motet_timeline_position(l.timeline).inputs, 2);
    motet_timeline_seek(l.timeline, 50000);
    const char *now = digest(&l);
    assert_string_not_equal(now, other);
    motet_timeline_go(l.timeline, before);
    assert_true(motet_node_peek(motet_timeline_node(l.timeline, 0), 0x700, got, 2));
    assert_memory_not_equal(got, bytes, 2);
    motet_timeline_seek(l.timeline, 50000);
    assert_string_equal(digest(&l), now);
    assert_true(motet_node_peek(motet_timeline_node(l.timeline, 0), 0x700, got, 2));
    assert_memory_equal(got, bytes, 2);
    assert_int_equal(motet_node_look(motet_timeline_node(l.timeline, 0), 0x8103fe, got, 2), 2);
    assert_memory_equal(got, bytes, 2);
    end(&l);
}

/* ---- going ---- */

static void every_way_leads_to_the_same_state(void **state)
{
    (void)state;
    enum { STEPS = 40 };
    char digests[STEPS][MOTET_DIGEST_TEXT];
    struct motet_position at[STEPS];
    struct life l = begin("busy-atmega328p", "atmega328p", &usual);
    motet_timeline_seek(l.timeline, 30000);
    for (unsigned i = 0; i < STEPS; i++) {
        at[i] = motet_timeline_position(l.timeline);
        motet_timeline_digest(l.timeline, digests[i]);
        assert_int_equal(motet_timeline_step(l.timeline, 0, MOTET_NEVER).why, MOTET_TIMELINE_REACHED);
        assert_true(motet_position_compare(at[i], motet_timeline_position(l.timeline)) < 0);
    }
    for (unsigned i = STEPS; i-- > 0;) {
        assert_int_equal(motet_timeline_step_back(l.timeline, 0).why, MOTET_TIMELINE_REACHED);
        assert_string_equal(digest(&l), digests[i]);
    }
    for (unsigned i = 0; i < STEPS; i++) {
        motet_timeline_go(l.timeline, at[i * 7 % STEPS]);
        assert_string_equal(digest(&l), digests[i * 7 % STEPS]);
    }
    assert_int_equal(motet_timeline_run_back(l.timeline).why, MOTET_TIMELINE_BEGIN);
    assert_int_equal(motet_timeline_step_back(l.timeline, 0).why, MOTET_TIMELINE_BEGIN);
    end(&l);
}

static bool at_even_count(void *context, uint32_t node)
{
    const struct life *l = context;
    uint8_t ticks;
    uint32_t address, size;
    assert_int_equal(node, 0);
    assert_true(motet_machine_variable(l->machine, "ticks", &address, &size));
    assert_true(motet_node_peek(motet_timeline_node(l->timeline, 0), address, &ticks, 1));
    return ticks % 4 == 0;
}

/* With a filter, the stops met going forward are those met going backward. */
static void conditions_hold_both_ways(void **state)
{
    (void)state;
    enum { MET = 6 };
    struct motet_position met[MET];
    uint32_t ticks, size, writer;
    struct life l = begin("busy-atmega328p", "atmega328p", &usual);
    assert_true(motet_machine_variable(l.machine, "ticks", &ticks, &size));
    struct motet_timeline_watch w = {ticks, ticks, MOTET_WRITE};
    assert_true(motet_timeline_stops(l.timeline, 0, NULL, 0, &w, 1));
    struct motet_timeline_event event = motet_timeline_run(l.timeline, MOTET_NEVER);
    event = motet_timeline_run(l.timeline, MOTET_NEVER);
    assert_int_equal(event.why, MOTET_TIMELINE_WATCH);
    assert_int_equal(event.address, ticks);
    assert_int_equal(event.kind, MOTET_WRITE);
    motet_timeline_step_back(l.timeline, 0);
    writer = motet_node_pc(motet_timeline_node(l.timeline, 0));
    motet_timeline_filter(l.timeline, at_even_count, &l);
    assert_true(motet_timeline_stops(l.timeline, 0, &writer, 1, NULL, 0));
    for (unsigned i = 0; i < MET; i++) {
        assert_int_equal(motet_timeline_run(l.timeline, MOTET_NEVER).why, MOTET_TIMELINE_STOP);
        assert_int_equal(motet_node_pc(motet_timeline_node(l.timeline, 0)), writer);
        assert_true(at_even_count(&l, 0));
        met[i] = motet_timeline_position(l.timeline);
    }
    for (unsigned i = MET - 1; i-- > 0;) {
        assert_int_equal(motet_timeline_run_back(l.timeline).why, MOTET_TIMELINE_STOP);
        assert_int_equal(motet_position_compare(motet_timeline_position(l.timeline), met[i]), 0);
    }
    end(&l);
}

static void stops_have_bounds(void **state)
{
    (void)state;
    struct life l = begin("busy-atmega328p", "atmega328p", &usual);
    struct motet_timeline_watch w[MOTET_TIMELINE_WATCHES + 1];
    for (unsigned i = 0; i <= MOTET_TIMELINE_WATCHES; i++)
        w[i] = (struct motet_timeline_watch){0x200 + i, 0x200 + i, MOTET_WRITE};
    assert_true(motet_timeline_stops(l.timeline, 0, NULL, 0, w, MOTET_TIMELINE_WATCHES));
    assert_false(motet_timeline_stops(l.timeline, 0, NULL, 0, w, MOTET_TIMELINE_WATCHES + 1));
    assert_null(motet_timeline_node(l.timeline, 1));
    end(&l);
    motet_timeline_free(NULL);
}

static bool at_once(void *context)
{
    ++*(unsigned *)context;
    return true;
}

static void a_run_can_be_interrupted(void **state)
{
    (void)state;
    unsigned asked = 0;
    struct motet_timeline_options o = {.memory = 4 << 20, .interrupted = at_once, .context = &asked};
    struct life l = begin("busy-atmega328p", "atmega328p", &o);
    assert_int_equal(motet_timeline_run(l.timeline, MOTET_NEVER).why, MOTET_TIMELINE_INTERRUPTED);
    assert_true(asked > 0);
    end(&l);
}

struct presser {
    motet_node *node;
    unsigned acted;
};

static uint64_t next_press(void *context)
{
    const struct presser *p = context;
    return p->acted < 3 ? 10000 * (p->acted + 1) : MOTET_NEVER;
}

static void press(void *context)
{
    struct presser *p = context;
    motet_node_drive(p->node, 0, p->acted++ % 2 ? MOTET_LOW : MOTET_HIGH);
}

static void an_actor_is_asked_once(void **state)
{
    (void)state;
    struct presser p = {.acted = 0};
    struct motet_timeline_options o = {.memory = 4 << 20, .actor = {&p, next_press, press}};
    struct life l = {.machine = load("busy-atmega328p", "atmega328p")};
    l.network = motet_network_of_one(l.machine, 0, 1);
    p.node = motet_network_at(l.network, 0);
    l.timeline = motet_timeline_of_network(l.network, &o);
    motet_timeline_run(l.timeline, 50000);
    const char *first = digest(&l);
    assert_int_equal(p.acted, 3);
    motet_timeline_seek(l.timeline, 0);
    motet_timeline_run(l.timeline, 50000);
    assert_string_equal(digest(&l), first);
    assert_int_equal(p.acted, 3);
    end(&l);
}

/* ---- networks ---- */

static void count_one(void *context, const struct motet_transmission *t)
{
    (void)t;
    ++*(unsigned *)context;
}

static void networks_are_one_timeline(void **state)
{
    (void)state;
    struct life l = begin_network("network-cc2420-busy", "micaz", 3);
    char text[4096];
    unsigned heard = 0;
    motet_network_listen(l.network, count_one, &heard);
    assert_int_equal(motet_timeline_count(l.timeline), 3);
    assert_ptr_equal(motet_timeline_node(l.timeline, 2), motet_network_at(l.network, 2));
    motet_timeline_seek(l.timeline, 1500000);
    assert_true(motet_timeline_powered(l.timeline, 1));
    assert_false(motet_timeline_powered(l.timeline, 2));
    assert_false(motet_timeline_give(l.timeline, 2, &(struct motet_input){.kind = MOTET_INPUT_RESET}));
    assert_int_equal(motet_timeline_time(l.timeline, 2, 0), 2000000);
    motet_timeline_run(l.timeline, MOTET_SECOND / 2);
    const char *first = digest(&l);
    assert_true(heard > 0); /* other listeners hear what they did before */
    struct motet_transmission is;
    assert_int_equal(motet_timeline_air_since(l.timeline), 0);
    assert_true(motet_timeline_transmission(l.timeline, 1, &is));
    assert_true(is.begun < is.ended && is.ended <= MOTET_SECOND / 2);
    assert_non_null(strstr(motet_transmission_text(&is, text, sizeof text), ", node "));
    motet_transmission_text(&is, text, 10);
    assert_int_equal(strlen(text), 9);
    motet_timeline_step_back(l.timeline, 1);
    motet_timeline_seek(l.timeline, 1000);
    assert_false(motet_timeline_transmission(l.timeline, 0, &is));
    assert_int_equal(motet_timeline_air_since(l.timeline), 0);
    motet_timeline_run(l.timeline, MOTET_SECOND / 2);
    assert_string_equal(digest(&l), first);
    struct motet_timeline_kept kept;
    motet_timeline_kept(l.timeline, &kept);
    assert_true(kept.snapshots > 0 && kept.memory > 0);
    end(&l);
}

/* ---- as debuggers address them ---- */

static void memories_are_found(void **state)
{
    (void)state;
    struct life l = begin("busy-atmega328p", "atmega328p", &usual);
    struct motet_memory_info i;
    enum motet_memory which;
    uint32_t at;
    assert_true(motet_node_memory(motet_timeline_node(l.timeline, 0), MOTET_MEMORY_CODE, &i));
    assert_true(i.start == 0 && i.size == 0x8000 && i.writable);
    assert_true(motet_node_memory(motet_timeline_node(l.timeline, 0), MOTET_MEMORY_DATA, &i));
    assert_true(i.start == 0x800000 && i.size == 0x900);
    assert_true(motet_node_memory(motet_timeline_node(l.timeline, 0), MOTET_MEMORY_EEPROM, &i));
    assert_true(i.start == 0x810000 && i.size == 1024);
    assert_false(motet_node_memory(motet_timeline_node(l.timeline, 0), MOTET_MEMORIES, &i));
    assert_true(motet_node_locate(motet_timeline_node(l.timeline, 0), 0x8008fe, 2, &which, &at) &&
                which == MOTET_MEMORY_DATA && at == 0x8fe);
    assert_false(motet_node_locate(motet_timeline_node(l.timeline, 0), 0x8008fe, 3, &which, &at));
    assert_true(motet_node_locate(motet_timeline_node(l.timeline, 0), 0x810001, 1, &which, &at) &&
                which == MOTET_MEMORY_EEPROM && at == 1);
    assert_true(motet_node_locate(motet_timeline_node(l.timeline, 0), 0x7ffe, 2, &which, &at) &&
                which == MOTET_MEMORY_CODE && at == 0x7ffe);
    assert_false(motet_node_locate(motet_timeline_node(l.timeline, 0), 0x7ffe, 3, &which, &at));
    end(&l);
}

/* Where all is in one list of addresses. */
static void shared_addresses_are_told_apart(void **state)
{
    (void)state;
    FILE *built = fopen(FIRMWARE_DIR "/busy-msp430f1611.elf", "rb");
    if (!built)
        skip();
    fclose(built);
    struct life l = begin("busy-msp430f1611", "msp430f1611", &usual);
    struct motet_memory_info data, code;
    enum motet_memory which;
    uint32_t at;
    uint8_t vector[2];
    assert_true(motet_node_memory(motet_timeline_node(l.timeline, 0), MOTET_MEMORY_DATA, &data) && data.start == 0);
    assert_true(motet_node_memory(motet_timeline_node(l.timeline, 0), MOTET_MEMORY_CODE, &code) &&
                code.start + code.size == 0x10000);
    assert_false(motet_node_memory(motet_timeline_node(l.timeline, 0), MOTET_MEMORY_EEPROM, &data));
    assert_true(motet_node_locate(motet_timeline_node(l.timeline, 0), 0x1100, 2, &which, &at) &&
                which == MOTET_MEMORY_DATA && at == 0x1100);
    assert_true(motet_node_locate(motet_timeline_node(l.timeline, 0), 0xfffe, 2, &which, &at) &&
                which == MOTET_MEMORY_CODE && at == 0xfffe);
    assert_int_equal(motet_node_look(motet_timeline_node(l.timeline, 0), 0xfffe, vector, 8), 2);
    assert_int_equal(motet_node_pc(motet_timeline_node(l.timeline, 0)), vector[0] | vector[1] << 8);
    end(&l);
}

/* Registers that are cleared by being read, and the like, do not notice. */
static void looking_changes_nothing(void **state)
{
    (void)state;
    struct life l = begin("busy-atmega328p", "atmega328p", &usual);
    uint8_t all[0x900];
    motet_timeline_seek(l.timeline, 100000);
    const char *before = digest(&l);
    assert_int_equal(motet_node_look(motet_timeline_node(l.timeline, 0), 0x800000, all, 2 * sizeof all), sizeof all);
    assert_string_equal(digest(&l), before);
    end(&l);
}

static void registers_have_their_numbers(void **state)
{
    (void)state;
    motet_machine *m = load("busy-atmega328p", "atmega328p");
    struct motet_registers r;
    const char *name;
    unsigned size;
    motet_machine_registers(m, &r);
    assert_string_equal(motet_machine_architecture(m), "avr");
    assert_int_equal(r.count, 35);
    assert_false(motet_machine_register(m, r.count, &name, &size));
    assert_true(motet_machine_register(m, r.pc, &name, &size) && size == 4);
    assert_string_equal(name, "PC");
    assert_true(motet_machine_register(m, r.sp, &name, &size) && size == 2);
    assert_string_equal(name, "SP");
    assert_true(motet_machine_register(m, r.status, &name, &size) && size == 1);
    motet_machine_free(m);
}

static void firmware_is_as_it_was_loaded(void **state)
{
    (void)state;
    motet_machine *m = load("busy-atmega328p", "atmega328p");
    struct motet_symbol s;
    size_t size;
    const uint8_t *bytes = motet_machine_file(m, &size);
    assert_true(size > 4 && memcmp(bytes, "\177ELF", 4) == 0);
    assert_string_equal(motet_machine_path(m), FIRMWARE_DIR "/busy-atmega328p.elf");
    assert_true(motet_machine_symbol_named(m, "main", &s));
    assert_string_equal(s.name, "main");
    assert_int_equal(s.kind, MOTET_SYMBOL_FUNCTION);
    assert_false(motet_machine_symbol_named(m, "mainly", &s));
    motet_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_no_place_is_refused),
        cmocka_unit_test(what_is_given_belongs_to_its_place),
        cmocka_unit_test(every_way_leads_to_the_same_state),
        cmocka_unit_test(conditions_hold_both_ways),
        cmocka_unit_test(stops_have_bounds),
        cmocka_unit_test(a_run_can_be_interrupted),
        cmocka_unit_test(an_actor_is_asked_once),
        cmocka_unit_test(networks_are_one_timeline),
        cmocka_unit_test(memories_are_found),
        cmocka_unit_test(shared_addresses_are_told_apart),
        cmocka_unit_test(looking_changes_nothing),
        cmocka_unit_test(registers_have_their_numbers),
        cmocka_unit_test(firmware_is_as_it_was_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
