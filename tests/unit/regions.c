/* Memory as a table of regions: a chip that no instruction set here has, with flash at 0, RAM at 0x20000000 and
 * registers of 32 bits at 0x40000000; and what the chips that are here do at the borders of their regions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chip/chip.h"
#include "debug/space.h"
#include "isa/isa.h"
#include "network/medium.h"
#include "network/network.h"
#include "node/interrupts.h"
#include "node/machine.h"
#include "node/map.h"
#include "node/node.h"
#include "node/pins.h"
#include "node/stops.h"
#include "node/taps.h"
#include "timeline/timeline.h"

/* ---- a core of 32 bits whose every instruction is one access ---- */

enum { STORE, LOAD, INSTRUCTION = 12 /* bytes: operation and size, address, value */ };

struct wide_insn {
    uint8_t operation, size, unused[2];
    uint32_t address, value;
};

struct wide_cpu {
    uint32_t pc, seen;
};

static const void *wide_decode(const struct machine *m, struct motet_error *e)
{
    (void)e;
    return m->flash;
}

static void wide_free(const void *code)
{
    (void)code;
}

static void wide_reset(struct node *n)
{
    ((struct wide_cpu *)n->cpu)->pc = 0;
}

static void wide_nothing(struct node *n)
{
    (void)n;
}

static void wide_mark(struct node *n, uint32_t address, bool on)
{
    (void)n, (void)address, (void)on; /* it looks at taps->marks itself */
}

static void wide_choose_code(struct node *n, bool own)
{
    (void)n, (void)own; /* it has none but its machine's */
}

static enum motet_flow wide_flow(const struct node *n, uint32_t address)
{
    (void)n, (void)address;
    return MOTET_FLOW_ON;
}

static uint32_t wide_pc(const struct node *n)
{
    return ((const struct wide_cpu *)n->cpu)->pc;
}

static uint32_t wide_sp(const struct node *n)
{
    return n->machine->ram->first + n->machine->ram->size;
}

static void wide_write(struct node *n, uint32_t address, uint32_t value, unsigned size)
{
    if (size == 4)
        node_write_long(n, address, value);
    else if (size == 2)
        node_write_word(n, address, (uint16_t)value);
    else
        node_write(n, address, (uint8_t)value);
}

static uint32_t wide_read(struct node *n, uint32_t address, unsigned size)
{
    return size == 4 ? node_read_long(n, address) : size == 2 ? node_read_word(n, address) : node_read(n, address);
}

static void wide_execute(struct node *n, const struct wide_insn *i)
{
    struct wide_cpu *cpu = n->cpu;
    bool looked_at = taps_look(n, i->address, i->size), store = i->operation == STORE;
    struct motet_access a = {.address = i->address, .pc = cpu->pc, .size = i->size, .write = store};
    map_peek(n, i->address, &a.old, i->size);
    a.value = store ? i->value : a.old;
    if (looked_at)
        taps_accessing(n, &a);
    if (store)
        wide_write(n, i->address, i->value, i->size);
    else
        a.value = cpu->seen = wide_read(n, i->address, i->size);
    if (looked_at)
        taps_accessed(n, &a);
}

static void wide_run(struct node *n)
{
    struct wide_cpu *cpu = n->cpu;
    while (n->state->now < n->horizon && !n->cut && !n->stopped) {
        struct wide_insn i;
        if (n->taps && n->taps->marks[cpu->pc / 2] && marks_met(n, cpu->pc) && n->stopped_before)
            return;
        memcpy(&i, (const uint8_t *)n->code + cpu->pc, sizeof i);
        if (i.operation > LOAD) { /* the program is over */
            node_exit(n, NODE_EXIT_HALT, 0);
            return;
        }
        wide_execute(n, &i);
        cpu->pc += INSTRUCTION;
        n->state->instructions++;
        n->time = ++n->state->now;
        if (n->pausing)
            taps_pause(n);
    }
}

static bool wide_interrupt(struct node *n)
{
    (void)n;
    return false;
}

static const struct isa isa_wide = {
    .name = "wide",
    .interrupts = {.lines = 240, .programmable = true}, /* as an NVIC has them */
    .state_size = sizeof(struct wide_cpu),
    .decode = wide_decode,
    .free_code = wide_free,
    .reset = wide_reset,
    .run = wide_run,
    .interrupt = wide_interrupt,
    .write = wide_write,
    .restored = wide_nothing,
    .mark = wide_mark,
    .choose_code = wide_choose_code,
    .show = wide_nothing,
    .flow = wide_flow,
    .pc = wide_pc,
    .sp = wide_sp,
};

/* ---- its chip: one device, of a register of 32 bits, one of 16 and one that is cleared by being read ---- */

enum { FLASH = 0, ALIAS = 0x10000000, RAM = 0x20000000, MORE = RAM + 0x1000, REGISTERS = 0x40000000 };
enum { WIDE = REGISTERS, HALF = REGISTERS + 0x10, CLEARS = REGISTERS + 0x20 };

struct port {
    uint32_t written, last, reads;
};

static void port_connect(const struct device *d, struct wiring *w)
{
    wire_register(w, d, WIDE, 0, WIRE_STORE | WIRE_LONG, 0xfffffff0);
    wire_register(w, d, HALF, 1, WIRE_STORE | WIRE_WORD, 0xffff);
    wire_register(w, d, CLEARS, 2, WIRE_READ, 0);
}

static void port_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    struct port *p = device_state(n, d);
    (void)role, (void)old;
    p->written++;
    p->last = value;
}

static void port_read(struct node *n, const struct device *d, unsigned role)
{
    struct port *p = device_state(n, d);
    (void)role;
    n->data[map_place(n->machine, CLEARS)] = (uint8_t)(p->reads++ ? 0 : 0x5a);
}

static const struct device_type port_type = {
    .name = "port", .state_size = sizeof(struct port), .connect = port_connect, .write = port_write, .read = port_read};

static const struct chip_device wide_devices[] = {{"port", &port_type, NULL}};

/* Two RAMs side by side are kept apart; addresses without memory lie between all others. */
static const struct region wide_regions[] = {
    {FLASH, 0x1000, REGION_FLASH, 32, 0},        {ALIAS, 0x400, REGION_ALIAS, 32, RAM},
    {RAM, 0x1000, REGION_RAM, 32, 0x100},        {MORE, 0x800, REGION_RAM, 32, 0x2000},
    {REGISTERS, 0x100, REGION_REGISTERS, 32, 0},
};

static const struct chip wide_chip = {.name = "wide",
                                      .isa = &isa_wide,
                                      CHIP_REGIONS(wide_regions),
                                      .ports = "A",
                                      .default_hz = 1000000,
                                      CHIP_DEVICES(wide_devices)};

static size_t hex_record(char *text, unsigned type, unsigned address, const uint8_t *bytes, unsigned size)
{
    unsigned sum = size + type + (address >> 8) + address;
    size_t at = (size_t)sprintf(text, ":%02X%04X%02X", size, address, type);
    for (unsigned i = 0; i < size; i++) {
        at += (size_t)sprintf(text + at, "%02X", bytes[i]);
        sum += bytes[i];
    }
    return at + (size_t)sprintf(text + at, "%02X\n", -sum & 0xff);
}

static struct node *node_with(const struct chip *chip, unsigned address, const void *program, size_t size)
{
    char text[8192];
    size_t at = 0;
    for (size_t i = 0; i < size; i += 16)
        at += hex_record(text + at, 0, address + (unsigned)i, (const uint8_t *)program + i,
                         (unsigned)(size - i < 16 ? size - i : 16));
    at += hex_record(text + at, 1, 0, NULL, 0);
    struct motet_error e = {""};
    struct image *image = image_parse("regions.hex", text, at, &e);
    struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1};
    struct machine *m = image ? machine_new(chip, NULL, image, &options, &e) : NULL;
    if (!m)
        fail_msg("%s", e.text);
    return node_new(m, 0, 1);
}

static void node_gone(struct node *n)
{
    struct machine *m = (struct machine *)(uintptr_t)n->machine;
    node_free(n);
    machine_free(m);
}

static struct node *wide_node(const struct wide_insn *program, size_t count)
{
    return node_with(&wide_chip, 0, program, count * sizeof *program);
}

static const struct wide_insn program[] = {
    {STORE, 4, {0}, RAM + 0x10, 0x11223344},
    {STORE, 4, {0}, RAM + 0xffe, 0xa1b2c3d4}, /* across the border */
    {LOAD, 2, {0}, RAM + 0x10, 0},
    {STORE, 4, {0}, WIDE, 0x12345678},
    {STORE, 2, {0}, ALIAS + 0x10, 0xbeef},
    {STORE, 2, {0}, MORE + 0x7ff, 0x9988}, /* half of it is in a hole */
    {STORE, 1, {0}, 0x30000000, 1},
    {LOAD, 1, {0}, CLEARS, 0},
    {STORE, 1, {0}, RAM, 1},
    {STORE, 1, {0}, RAM, 2},
    {STORE, 1, {0}, RAM, 3},
    {STORE, 1, {0}, RAM, 4},
};
enum { PROGRAM = sizeof program / sizeof program[0] };

#define WIDE_NODE wide_node(program, PROGRAM)

static struct port *port_of(const struct node *n)
{
    return device_state(n, &n->machine->devices[0]);
}

/* ---- looking ---- */

static enum region_kind kind_at(const struct node *n, uint32_t address)
{
    const struct region *r = map_region(n->machine, address);
    return r ? r->kind : (enum region_kind) - 1;
}

static void regions_are_found(void **state)
{
    (void)state;
    struct node *n = WIDE_NODE;
    const enum region_kind hole = (enum region_kind) - 1;
    assert_int_equal(kind_at(n, 0xfff), REGION_FLASH);
    assert_int_equal(kind_at(n, 0x1000), hole);
    assert_int_equal(kind_at(n, RAM - 1), hole);
    assert_int_equal(kind_at(n, RAM), REGION_RAM);
    assert_int_equal(kind_at(n, MORE + 0x7ff), REGION_RAM);
    assert_int_equal(kind_at(n, MORE + 0x800), hole);
    assert_int_equal(kind_at(n, REGISTERS + 0xff), REGION_REGISTERS);
    assert_int_equal(kind_at(n, UINT32_MAX), hole);
    assert_int_equal(map_place(n->machine, ALIAS + 4), map_place(n->machine, RAM + 4));
    assert_int_equal(map_place(n->machine, 0), MAP_NOWHERE);
    assert_true(map_is_register(n->machine, WIDE));
    assert_false(map_is_register(n->machine, RAM));
    assert_true(map_has_register(n->machine, RAM, UINT32_MAX));
    assert_false(map_has_register(n->machine, 0, REGISTERS - 1));
    assert_int_equal(n->machine->ram->first, RAM);
    node_gone(n);
}

static void borders_are_crossed_and_holes_are_not(void **state)
{
    (void)state;
    struct node *n = WIDE_NODE;
    uint8_t bytes[4], byte = 0x77;
    node_run(n, PROGRAM);
    assert_true(map_peek(n, RAM + 0xffe, bytes, 4));
    assert_memory_equal(bytes, "\xd4\xc3\xb2\xa1", 4);
    assert_true(map_peek(n, ALIAS + 0x10, bytes, 4));
    assert_memory_equal(bytes, "\xef\xbe\x22\x11", 4);
    assert_true(map_peek(n, MORE + 0x7ff, bytes, 1) && bytes[0] == 0x88);
    assert_false(map_peek(n, MORE + 0x7ff, bytes, 2));
    assert_false(map_peek(n, ALIAS + 0x3ff, bytes, 2));
    assert_false(map_peek(n, 0x30000000, &byte, 1));
    assert_false(map_peek(n, UINT32_MAX, bytes, 2));
    assert_false(map_holds(n->machine, RAM, SIZE_MAX));
    assert_int_equal(byte, 0x77);
    node_gone(n);
}

/* What debuggers see of it: as many bytes as there are, and a register that is cleared by being read does not notice.
 */
static void debuggers_look_without_touching(void **state)
{
    (void)state;
    struct node *n = WIDE_NODE;
    uint8_t bytes[64];
    struct digest before = node_digest(n);
    assert_int_equal(space_read(n, MORE + 0x7f0, bytes, sizeof bytes), 16);
    assert_int_equal(space_read(n, RAM - 1, bytes, sizeof bytes), 0);
    assert_int_equal(space_read(n, RAM + 0xff0, bytes, sizeof bytes), sizeof bytes);
    assert_int_equal(space_read(n, CLEARS, bytes, 1), 1);
    assert_int_equal(bytes[0], 0x5a);
    assert_int_equal(space_read(n, CLEARS, bytes, 1), 1);
    assert_int_equal(bytes[0], 0x5a);
    assert_int_equal(space_read(n, 8, bytes, 4), 4);
    assert_memory_equal(bytes, &program[0].value, 4);
    struct digest after = node_digest(n);
    assert_memory_equal(&before, &after, sizeof before);
    node_gone(n);
}

/* ---- writing ---- */

static void devices_are_told_of_whole_registers(void **state)
{
    (void)state;
    struct node *n = WIDE_NODE;
    const uint8_t four[] = {1, 2, 3, 4, 5, 6};
    map_write(n, WIDE, four, 4);
    assert_int_equal(port_of(n)->written, 1);
    assert_int_equal(port_of(n)->last, 0x04030201);
    assert_int_equal(node_read_long(n, WIDE), 0x04030200); /* bits that cannot be written */
    map_write(n, HALF, four, 2);
    assert_int_equal(port_of(n)->written, 2);
    assert_int_equal(port_of(n)->last, 0x0201);
    map_write(n, HALF + 1, four, 1); /* not the low byte: nothing */
    assert_int_equal(port_of(n)->written, 2);
    map_write(n, WIDE + 2, four, 2);
    assert_int_equal(port_of(n)->written, 2);
    node_gone(n);
}

static void writes_cross_borders_and_are_lost_in_holes(void **state)
{
    (void)state;
    struct node *n = WIDE_NODE;
    const uint8_t bytes[] = {1, 2, 3, 4, 5, 6};
    uint8_t back[6];
    map_write(n, RAM + 0xffd, bytes, 6);
    assert_true(map_peek(n, RAM + 0xffd, back, 6));
    assert_memory_equal(back, bytes, 6);
    map_write(n, ALIAS + 0x3fe, bytes, 6); /* the last two addresses of it */
    assert_true(map_peek(n, RAM + 0x3fc, back, 6));
    assert_memory_equal(back, "\0\0\1\2\0\0", 6);
    struct digest before = node_digest(n);
    map_write(n, 0x30000000, bytes, 6);
    map_write(n, 0, bytes, 6); /* flash is no data */
    map_write(n, UINT32_MAX, bytes, 6);
    struct digest after = node_digest(n);
    assert_memory_equal(&before, &after, sizeof before);
    node_gone(n);
}

/* ---- those who look on ---- */

struct seen {
    unsigned count;
    struct motet_access last;
};

static void see(void *context, const struct motet_node *handle, const struct motet_access *a)
{
    struct seen *s = context;
    (void)handle;
    s->count++;
    s->last = *a;
}

static struct seen watched(uint32_t first, uint32_t last, unsigned when)
{
    struct node *n = WIDE_NODE, *plain = WIDE_NODE;
    struct seen s = {.count = 0};
    struct motet_tap *t = tap_watch(n, first, last, when | MOTET_AFTER, see, &s);
    node_run(n, PROGRAM);
    tap_remove(t);
    node_run(plain, PROGRAM);
    struct digest a = node_digest(n), b = node_digest(plain);
    assert_memory_equal(&a, &b, sizeof a);
    node_gone(n);
    node_gone(plain);
    return s;
}

static void watches_see_wide_accesses(void **state)
{
    (void)state;
    struct seen s = watched(WIDE + 3, WIDE + 3, MOTET_WRITE);
    assert_int_equal(s.count, 1);
    assert_true(s.last.address == WIDE && s.last.size == 4 && s.last.value == 0x12345678 && s.last.old == 0);
    s = watched(RAM + 0xffd, MORE, MOTET_WRITE); /* across the border of two regions */
    assert_int_equal(s.count, 1);
    assert_true(s.last.address == RAM + 0xffe && s.last.value == 0xa1b2c3d4);
    assert_int_equal(watched(MORE + 1, MORE + 1, MOTET_WRITE).count, 1);
    assert_int_equal(watched(MORE + 2, MORE + 2, MOTET_WRITE).count, 0);
    assert_int_equal(watched(RAM + 0xffd, RAM + 0xffd, MOTET_WRITE).count, 0);
    assert_int_equal(watched(0, UINT32_MAX, MOTET_READ | MOTET_WRITE).count, PROGRAM - 1); /* all but the hole's */
}

static void watches_see_through_aliases(void **state)
{
    (void)state;
    struct seen s = watched(RAM + 0x11, RAM + 0x11, MOTET_WRITE);
    assert_int_equal(s.count, 2);
    assert_true(s.last.address == ALIAS + 0x10 && s.last.value == 0xbeef && s.last.old == 0x3344);
    s = watched(ALIAS + 0x10, ALIAS + 0x10, MOTET_READ | MOTET_WRITE);
    assert_int_equal(s.count, 3);
    assert_int_equal(watched(ALIAS + 0x14, ALIAS + 0x14, MOTET_READ | MOTET_WRITE).count, 0);
}

static void holes_and_last_bytes_can_be_watched(void **state)
{
    (void)state;
    assert_int_equal(watched(0x30000000, 0x30000000, MOTET_WRITE).count, 0);
    assert_int_equal(watched(MORE + 0x7ff, MORE + 0x7ff, MOTET_WRITE).count, 1);
    assert_int_equal(watched(MORE + 0x800, MORE + 0x800, MOTET_WRITE).count, 0);
    assert_int_equal(watched(UINT32_MAX, UINT32_MAX, MOTET_WRITE).count, 0);
    assert_int_equal(watched(UINT32_MAX, 0, MOTET_WRITE).count, 0); /* nothing */
}

static void probed(void *context, const struct motet_node *handle, uint32_t pc, bool after)
{
    (void)handle;
    *(uint32_t *)context = pc + after;
}

static void probes_and_stops_are_met(void **state)
{
    (void)state;
    struct node *n = WIDE_NODE;
    uint32_t at = 0, stop = 9 * INSTRUCTION;
    tap_probe(n, 2 * INSTRUCTION, 2 * INSTRUCTION, MOTET_AFTER, probed, &at);
    stops_set(n, &stop, 1, NULL, 0);
    node_run(n, PROGRAM);
    assert_int_equal(at, 2 * INSTRUCTION + 1);
    assert_true(n->stopped && wide_pc(n) == stop);
    node_gone(n);
}

/* ---- lives ---- */

static void timelines_go_back_to_wide_addresses(void **state)
{
    (void)state;
    enum { TICK = 1000 /* nanoseconds */ };
    struct node *alone = WIDE_NODE;
    struct network *network = network_new(7, 1, &medium_default);
    struct motet_error error;
    struct node *n = network_add(network, alone->machine, &(struct network_node){.id = 0}, &error);
    assert_non_null(n);
    struct timeline *t = timeline_new(subject_of_network(network), TIMELINE_MEMORY, NULL, NULL);
    const struct watch on[] = {{RAM + 0x10, RAM + 0x13, WATCH_WRITE}};
    stops_set(n, NULL, 0, on, 1);
    timeline_seek(t, PROGRAM * TICK);
    struct timeline_event e = timeline_run_back(t);
    assert_int_equal(e.why, TIMELINE_WATCH);
    assert_int_equal(wide_pc(n), 4 * INSTRUCTION); /* the store through the alias */
    assert_int_equal(e.address, ALIAS + 0x10);
    e = timeline_run_back(t);
    assert_int_equal(e.why, TIMELINE_WATCH);
    assert_int_equal(e.address, RAM + 0x10);
    assert_int_equal(wide_pc(n), 0);
    const uint8_t byte = 0x42;
    uint8_t back;
    assert_true(timeline_give(t, 0, INPUT_MEMORY, WIDE, 0, &byte, 1));
    assert_int_equal(port_of(n)->last, 0x42);
    timeline_step(t, 0, TIMELINE_NEVER);
    timeline_step_back(t, 0);
    assert_int_equal(port_of(n)->last, 0x42);
    assert_true(map_peek(n, WIDE, &back, 1) && back == 0x40);
    timeline_free(t);
    network_free(network);
    node_gone(alone);
}

static void snapshots_hold_all_regions(void **state)
{
    (void)state;
    struct node *n = WIDE_NODE;
    node_run(n, 3);
    struct snapshot *s = snapshot_take(n);
    struct digest before = node_digest(n);
    for (uint32_t at = REGISTERS; at >= RAM; at -= at == REGISTERS ? REGISTERS - (MORE + 0x7ff) : 0x7ff) {
        const uint8_t byte = 0xa5;
        map_write(n, at, &byte, 1);
        struct digest other = node_digest(n);
        assert_memory_not_equal(&before, &other, sizeof other);
        snapshot_restore(n, s);
        struct digest again = node_digest(n);
        assert_memory_equal(&before, &again, sizeof again);
    }
    snapshot_free(s);
    node_gone(n);
}

/* ---- interrupts ---- */

static void priorities_decide_then_numbers(void **state)
{
    (void)state;
    struct node *n = WIDE_NODE;
    assert_false(interrupts_any(n));
    assert_int_equal(interrupts_next(n, INTERRUPT_ANY), INTERRUPT_NONE);
    node_irq(n, 239, true);
    node_irq(n, 100, true);
    node_irq(n, 3, true);
    node_irq(n, 3, true); /* asks already */
    assert_int_equal(n->state->asking, 3);
    assert_int_equal(interrupts_next(n, INTERRUPT_ANY), 3);
    interrupts_set_priority(n, 3, 0x80);
    interrupts_set_priority(n, 100, 0x40);
    interrupts_set_priority(n, 239, 0x40);
    assert_int_equal(interrupts_next(n, INTERRUPT_ANY), 100);
    assert_int_equal(interrupts_next(n, 0x40), INTERRUPT_NONE); /* nothing is more urgent than what is being done */
    interrupts_set_priority(n, 239, 0);
    assert_int_equal(interrupts_next(n, 0x40), 239);
    node_irq(n, 239, false);
    assert_false(interrupts_asks(n, 239));
    assert_true(interrupts_asks(n, 100));
    assert_int_equal(interrupts_next(n, 0x41), 100);
    node_gone(n);
}

static void snapshots_hold_lines_and_priorities(void **state)
{
    (void)state;
    struct node *n = WIDE_NODE;
    struct digest none = node_digest(n);
    node_irq(n, 200, true);
    struct digest one = node_digest(n);
    assert_memory_not_equal(&none, &one, sizeof one);
    interrupts_set_priority(n, 200, 7);
    struct digest urgent = node_digest(n);
    assert_memory_not_equal(&one, &urgent, sizeof one);
    struct snapshot *s = snapshot_take(n);
    interrupts_reset(n);
    assert_false(interrupts_any(n) || interrupts_asks(n, 200) || interrupts_priority(n, 200));
    snapshot_restore(n, s);
    assert_true(interrupts_any(n) && interrupts_asks(n, 200) && interrupts_priority(n, 200) == 7);
    snapshot_free(s);
    node_gone(n);
}

static void one_line_is_not_masked_on_msp430(void **state)
{
    (void)state;
    enum { LINE_NMI = 14, MASKED = 1 };
    struct node *n = node_with(chip_named("msp430f1611"), 0xf000, "\xff\x3f", 2);
    node_irq(n, 13, true);
    node_irq(n, 5, true);
    assert_int_equal(interrupts_next(n, INTERRUPT_ANY), 13);
    assert_int_equal(interrupts_next(n, MASKED), INTERRUPT_NONE);
    node_irq(n, LINE_NMI, true);
    assert_int_equal(interrupts_next(n, MASKED), LINE_NMI);
    assert_int_equal(interrupts_next(n, INTERRUPT_ANY), LINE_NMI);
    node_gone(n);
}

/* ---- the chips that are here ---- */

enum { P3IN = 0x18, P3OUT = 0x19, P3DIR = 0x1a, P4IN = 0x1c, P4OUT = 0x1d, P4DIR = 0x1e };
enum { IE1 = 0, IFG1 = 2, WDTIE = 1, LINE_WDT = 10, WDTCTL = 0x120 };

static struct node *chip_node(const char *name, unsigned address)
{
    static const uint8_t loop[2] = {0xff, 0x3f}; /* jmp $; as an AVR instruction, which is not executed, sbci */
    return node_with(chip_named(name), address, loop, 2);
}

static void poke(struct node *n, uint32_t address, unsigned value, unsigned size)
{
    const uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
    map_write(n, address, bytes, size);
}

static unsigned look(struct node *n, uint32_t address)
{
    uint8_t byte = 0;
    assert_int_equal(space_read(n, address, &byte, 1), 1);
    return byte;
}

static void writes_reach_every_device_of_msp430(void **state)
{
    (void)state;
    static const char *const names[] = {"msp430f1611", "msp430f149"};
    for (int i = 0; i < 2; i++) {
        struct node *n = chip_node(names[i], 0xf000);
        poke(n, P3DIR, 0xff, 1);
        poke(n, P3OUT, 0xa5, 1);
        assert_int_equal(look(n, P3IN), 0xa5); /* as the pins are */
        poke(n, P4DIR, 0x0f, 1);
        poke(n, P4OUT, 0x3c, 1);
        assert_int_equal(look(n, P4IN) & 0x0f, 0x0c);
        poke(n, WDTCTL, 0x5a90, 2); /* held, with its password: in one piece, else the chip is reset */
        assert_int_equal(look(n, WDTCTL), 0x90);
        assert_int_equal(n->state->reset_pending, 0);
        poke(n, IFG1, WDTIE, 1);
        assert_int_equal(interrupts_word(n, 0), 0);
        poke(n, IE1, WDTIE, 1);
        assert_int_equal(interrupts_word(n, 0), UINT64_C(1) << LINE_WDT);
        poke(n, WDTCTL, 0x80, 1);
        assert_int_not_equal(n->state->reset_pending, 0);
        node_gone(n);
    }
}

static void aliases_of_ram_are_ram(void **state)
{
    (void)state;
    struct node *n = chip_node("msp430f1611", 0xf000);
    poke(n, 0x0200, 0x1234, 2);
    assert_int_equal(n->data[0x1100] | n->data[0x1101] << 8, 0x1234);
    assert_int_equal(look(n, 0x1101), 0x12);
    poke(n, 0x18ff, 0x77, 1);
    assert_int_equal(look(n, 0x09ff), 0x77);
    poke(n, 0x0a00, 0x55, 1); /* behind the alias: nothing */
    uint8_t byte;
    assert_int_equal(space_read(n, 0x0a00, &byte, 1), 0);
    assert_int_equal(look(n, 0x10ff), 0xff); /* information memory, as flash is, erased */
    poke(n, 0x1000, 0, 1);
    assert_int_equal(look(n, 0x1000), 0xff);
    node_gone(n);
}

static void stack_pointer_is_written_in_data_space(void **state)
{
    (void)state;
    struct node *n = chip_node("atmega328p", 0);
    poke(n, 0x5d, 0x01f0, 2);
    assert_int_equal(n->machine->chip->isa->sp(n), 0x01f0);
    poke(n, 5, 0x99, 1);
    assert_int_equal(n->machine->chip->isa->get_register(n, 5), 0x99);
    poke(n, 0x24, 0xff, 1); /* DDRB */
    poke(n, 0x25, 0x81, 1); /* PORTB */
    assert_true(pin_level(n, PIN(B, 0)) && !pin_level(n, PIN(B, 1)) && pin_level(n, PIN(B, 7)));
    poke(n, 0x8ff, 0x1234, 2); /* the last byte of RAM, and one that is not there */
    assert_int_equal(look(n, 0x8008ff), 0x34);
    node_gone(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_are_found),
        cmocka_unit_test(borders_are_crossed_and_holes_are_not),
        cmocka_unit_test(debuggers_look_without_touching),
        cmocka_unit_test(devices_are_told_of_whole_registers),
        cmocka_unit_test(writes_cross_borders_and_are_lost_in_holes),
        cmocka_unit_test(watches_see_wide_accesses),
        cmocka_unit_test(watches_see_through_aliases),
        cmocka_unit_test(holes_and_last_bytes_can_be_watched),
        cmocka_unit_test(probes_and_stops_are_met),
        cmocka_unit_test(timelines_go_back_to_wide_addresses),
        cmocka_unit_test(snapshots_hold_all_regions),
        cmocka_unit_test(priorities_decide_then_numbers),
        cmocka_unit_test(snapshots_hold_lines_and_priorities),
        cmocka_unit_test(one_line_is_not_masked_on_msp430),
        cmocka_unit_test(writes_reach_every_device_of_msp430),
        cmocka_unit_test(aliases_of_ram_are_ram),
        cmocka_unit_test(stack_pointer_is_written_in_data_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
