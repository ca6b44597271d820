/* A bench for testing the MSP430 core alone: a chip without devices, and machines made from words of code.
 *
 * Invariant: nothing on the bench chip acts by itself, so what a test sees is the core's doing. A tick is a cycle.
 */
#ifndef TESTS_MSP430_BENCH_H
#define TESTS_MSP430_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chip/chip.h"
#include "isa/msp430/msp430.h"
#include "node/machine.h"
#include "node/node.h"

enum { BENCH_FLASH = 0x4000, BENCH_RAM = 0x1100, BENCH_RAM_SIZE = 0x2800 };

static const struct region bench_regions[] = {
    {0x0000, 0x0100, REGION_REGISTERS, 8, 0x0000},
    {0x0100, 0x0100, REGION_REGISTERS, 16, 0x0100},
    {0x0c00, 0x0400, REGION_ROM, 16, 0x0c00},
    {0x1000, 0x0100, REGION_INFORMATION, 16, 0x1000},
    {BENCH_RAM, BENCH_RAM_SIZE, REGION_RAM, 16, BENCH_RAM},
    {BENCH_FLASH, 0x10000 - BENCH_FLASH, REGION_FLASH, 16, BENCH_FLASH},
};
#define BENCH_CHIP .name = "bench", .isa = &isa_msp430, CHIP_REGIONS(bench_regions), .ports = "1", .default_hz = 1000000

static const struct chip bench_chip = {BENCH_CHIP};

/* A node with these bytes in flash from `address` on; every fault is ignored. */
static inline struct node *bench_node_of(const struct chip *chip, uint16_t address, const uint8_t *bytes, size_t size)
{
    enum { RECORD = 16 };
    char *text = malloc(size / RECORD * 64 + 256), *at = text;
    assert_non_null(text);
    for (size_t i = 0; i < size; i += RECORD) {
        size_t count = size - i < RECORD ? size - i : RECORD, start = address + i;
        uint8_t sum = (uint8_t)(count + (start >> 8) + start);
        at += sprintf(at, ":%02zX%04zX00", count, start);
        for (size_t j = 0; j < count; j++) {
            sum = (uint8_t)(sum + bytes[i + j]);
            at += sprintf(at, "%02X", bytes[i + j]);
        }
        at += sprintf(at, "%02X\n", (uint8_t)-sum);
    }
    at += sprintf(at, ":00000001FF\n");
    struct motet_error e;
    struct image *image = image_parse("bench.hex", text, (size_t)(at - text), &e);
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

static inline struct node *bench_node(uint16_t address, const uint8_t *bytes, size_t size)
{
    return bench_node_of(&bench_chip, address, bytes, size);
}

static inline void bench_free(struct node *n)
{
    struct machine *m = (struct machine *)(uintptr_t)n->machine;
    node_free(n);
    machine_free(m);
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
