/* A bench for testing the AVR core alone: chips whose registers are plain memory, with one device that raises
 * interrupts when the test says so, and machines made from words of code.
 *
 * Invariant: nothing on a bench chip acts by itself, so what a test sees is the core's doing.
 */
#ifndef TESTS_AVR_BENCH_H
#define TESTS_AVR_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chip/avr/regions.h"
#include "chip/chip.h"
#include "isa/avr/avr.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/wiring.h"

/* ---- the device: events 0..3 raise the lines 1..4 they are wired to; taking the interrupt lowers it ---- */

enum { BENCH_LINES = 4, BENCH_ROLE_NOTED = 1, BENCH_NOTED = 0x3e /* SBI and CBI reach it */ };

struct bench_state {
    uint64_t taken[BENCH_LINES]; /* ticks at which interrupts were taken */
    uint64_t noted_at;           /* tick of the last access to the register BENCH_NOTED */
    uint64_t noted_reads, noted_writes;
    uint8_t slept, woken;
};

static inline void bench_connect(const struct device *d, struct wiring *w)
{
    for (unsigned a = AVR_FILE; a < w->machine->register_size; a++)
        if (a != BENCH_NOTED && (a < AVR_SPL || a > AVR_SREG))
            wire_register(w, d, (uint16_t)a, 0, WIRE_PLAIN, 0xff);
    wire_register(w, d, BENCH_NOTED, BENCH_ROLE_NOTED, WIRE_STORE | WIRE_READ, 0xff);
    for (unsigned i = 0; i < BENCH_LINES; i++)
        wire_interrupt(w, d, i + 1, i);
    wire_instruction(w, d, INSTRUCTION_SLEEP);
    wire_instruction(w, d, INSTRUCTION_WAKE);
    wire_instruction(w, d, INSTRUCTION_WATCHDOG_RESET);
}

static inline void bench_event(struct node *n, const struct device *d, unsigned event)
{
    (void)d;
    node_irq(n, event + 1, true);
}

static inline void bench_acknowledge(struct node *n, const struct device *d, unsigned irq)
{
    struct bench_state *s = device_state(n, d);
    s->taken[irq] = node_now(n);
    node_irq(n, irq + 1, false);
}

static inline void bench_read(struct node *n, const struct device *d, unsigned role)
{
    (void)role;
    struct bench_state *s = device_state(n, d);
    s->noted_at = node_now(n);
    s->noted_reads++;
}

static inline void bench_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)role, (void)value, (void)old;
    struct bench_state *s = device_state(n, d);
    s->noted_at = node_now(n);
    s->noted_writes++;
}

static inline void bench_instruction(struct node *n, const struct device *d, enum instruction what)
{
    (void)n, (void)d, (void)what;
}

static const struct device_type bench_device = {
    .instruction = bench_instruction,
    .name = "bench",
    .state_size = sizeof(struct bench_state),
    .events = BENCH_LINES,
    .connect = bench_connect,
    .event = bench_event,
    .acknowledge = bench_acknowledge,
    .read = bench_read,
    .write = bench_write,
};

static const struct chip_device bench_devices[] = {{.name = "bench", .type = &bench_device}};

/* ---- chips like the ATtiny25, ATtiny85, ATtiny1634, ATmega88, ATmega328P, ATmega128 and ATmega2560 ---- */

static const struct avr_core bench_core_25 = {AVR_CORE_25, .vectors = 5 * 2};
static const struct avr_core bench_core_35 = {AVR_CORE_35, .vectors = 5 * 4};
static const struct avr_core bench_core_4 = {AVR_CORE_4, .vectors = 5 * 2};
static const struct avr_core bench_core_5 = {AVR_CORE_5, .vectors = 5 * 4};
static const struct avr_core bench_core_51 = {AVR_CORE_51, .vectors = 5 * 4};
static const struct avr_core bench_core_6 = {AVR_CORE_6, .vectors = 5 * 4};

#define BENCH_CHIP(label, core_, flash, start, ram)                                                           \
    {                                                                                                         \
        .name = (label), .isa = &isa_avr, .core = (core_), AVR_REGIONS(flash, start, ram, 0), .ports = "ABC", \
        .default_hz = 1000000, CHIP_DEVICES(bench_devices)                                                    \
    }

#define BENCH_UNUSED __attribute__((unused))
static const struct chip bench_avr25_small BENCH_UNUSED = BENCH_CHIP("small25", &bench_core_25, 0x800, 0x60, 0x80);
static const struct chip bench_avr25 BENCH_UNUSED = BENCH_CHIP("bench25", &bench_core_25, 0x2000, 0x60, 0x200);
static const struct chip bench_avr5 = BENCH_CHIP("bench5", &bench_core_5, 0x8000, 0x100, 0x800);
static const struct chip bench_avr5u4 BENCH_UNUSED = BENCH_CHIP("bench5u4", &bench_core_5, 0x8000, 0x100, 0xa00);
static const struct chip bench_avr51 = BENCH_CHIP("bench51", &bench_core_51, 0x20000, 0x100, 0x1000);
static const struct chip bench_avr6 = BENCH_CHIP("bench6", &bench_core_6, 0x40000, 0x200, 0x2000);

/* ---- programs ---- */

static inline size_t bench_hex_record(char *text, uint8_t type, uint16_t address, const uint8_t *bytes, uint8_t size)
{
    uint8_t sum = (uint8_t)(size + type + (address >> 8) + address);
    size_t at = (size_t)sprintf(text, ":%02X%04X%02X", size, address, type);
    for (unsigned i = 0; i < size; i++) {
        sum = (uint8_t)(sum + bytes[i]);
        at += (size_t)sprintf(text + at, "%02X", bytes[i]);
    }
    return at + (size_t)sprintf(text + at, "%02X\n", (uint8_t)-sum);
}

/* `count` words of code at word address `first`, as Intel HEX at `text`; returns its length. Needs up to 20 characters
 * a word. */
static inline size_t bench_hex(char *text, uint32_t first, const uint16_t *words, size_t count)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t byte = 2 * (first + (uint32_t)i);
        uint8_t high[2] = {0, (uint8_t)(byte >> 16)}, code[2] = {(uint8_t)words[i], (uint8_t)(words[i] >> 8)};
        if (i == 0 || (byte & 0xffff) == 0)
            at += bench_hex_record(text + at, 4, 0, high, 2);
        at += bench_hex_record(text + at, 0, (uint16_t)byte, code, 2);
    }
    return at;
}

struct bench_code {
    uint32_t at; /* word address */
    const uint16_t *words;
    size_t count;
};

/* A node of its own machine, every fault ignored. */
static inline struct node *bench_node(const struct chip *chip, const struct bench_code *code, size_t pieces)
{
    size_t size = 64, at = 0;
    for (size_t i = 0; i < pieces; i++)
        size += 64 + 20 * code[i].count;
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i < pieces; i++)
        at += bench_hex(text + at, code[i].at, code[i].words, code[i].count);
    at += bench_hex_record(text + at, 1, 0, NULL, 0);
    struct motet_error e;
    struct image *image = image_parse("bench.hex", text, at, &e);
    free(text);
    struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1};
    struct machine *m = image ? machine_new(chip, NULL, image, &options, &e) : NULL;
    if (!m)
        fail_msg("%s", e.text);
    struct node *n = node_new(m, 0, 1);
    for (int i = 0; i < FAULT_KINDS; i++)
        n->fault_action[i] = FAULT_IGNORE;
    return n;
}

static inline void bench_free(struct node *n)
{
    struct machine *m = (struct machine *)(uintptr_t)n->machine;
    node_free(n);
    machine_free(m);
}

static inline struct bench_state *bench_state(const struct node *n)
{
    return device_state(n, &n->machine->devices[0]);
}

/* Raises interrupt line 1 + `which` when the CPU has run that many cycles from now. */
static inline void bench_raise_in(struct node *n, unsigned which, uint64_t cycles)
{
    n->time = n->state->now;
    event_in(n, &n->machine->devices[0], which, CLOCK_CPU, cycles);
}

static inline uint32_t bench_pc(const struct node *n)
{
    return isa_avr.pc(n) / 2;
}

static inline void bench_set_pc(struct node *n, uint32_t words)
{
    isa_avr.set_pc(n, 2 * words);
}

static inline uint32_t bench_sp(const struct node *n)
{
    return isa_avr.sp(n);
}

static inline void bench_set_sp(struct node *n, uint32_t sp)
{
    isa_avr.set_register(n, AVR_REGISTER_SP, sp);
}

/* A small generator for tests: the same numbers everywhere. */
static inline uint32_t bench_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

#endif
