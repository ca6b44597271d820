/* A chip without a board, running a few instruction words: for tests of devices down to the cycle.
 *
 * Everything not given is NOP, so that time can pass one cycle at a time, with a jump back after 2K words and at the
 * end. A program is placed by word address.
 */
#ifndef UNIT_BARE_CHIP_H
#define UNIT_BARE_CHIP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "image/image.h"
#include "isa/avr/avr.h"
#include "node/machine.h"
#include "node/node.h"

enum { NOP = 0x0000, SLEEP = 0x9588, SEI = 0x9478, CLI = 0x94f8, RETI = 0x9518, WDR = 0x95a8, SPM = 0x95e8 };
#define LDI(d, k)      (uint16_t)(0xe000 | (((k)&0xf0) << 4) | (((d)-16) << 4) | ((k)&0x0f))
#define OUT(io, r)     (uint16_t)(0xb800 | (((io)&0x30) << 5) | ((r) << 4) | ((io)&0x0f))
#define STS(r, at)     (uint16_t)(0x9200 | ((r) << 4)), (uint16_t)(at)
#define RJMP(from, to) (uint16_t)(0xc000 | (((to) - (from)-1) & 0xfff))
#define LPM(d)         (uint16_t)(0x9004 | ((d) << 4))

struct placed {
    uint32_t at; /* word address */
    const uint16_t *words;
    size_t count;
};
#define PLACED(at_, list)                                                    \
    {                                                                        \
        .at = (at_), .words = (list), .count = sizeof(list) / sizeof *(list) \
    }

static void bare_record(char **to, unsigned type, unsigned address, const uint8_t *bytes, unsigned count)
{
    unsigned sum = count + (address >> 8) + (address & 0xff) + type;
    *to += sprintf(*to, ":%02X%04X%02X", count, address & 0xffff, type);
    for (unsigned i = 0; i < count; i++) {
        *to += sprintf(*to, "%02X", bytes[i]);
        sum += bytes[i];
    }
    *to += sprintf(*to, "%02X\n", -sum & 0xff);
}

static struct image *bare_image(const uint8_t *flash, uint32_t size)
{
    char *text = malloc(size * 3 + 4096), *to = text;
    for (uint32_t at = 0; at < size; at += 32) {
        if (at % 0x10000 == 0) {
            uint8_t upper[2] = {0, (uint8_t)(at >> 16)};
            bare_record(&to, 4, 0, upper, 2);
        }
        bare_record(&to, 0, at & 0xffff, flash + at, 32);
    }
    bare_record(&to, 1, 0, NULL, 0);
    struct motet_error e = {0};
    struct image *image = image_parse("bare.hex", text, (size_t)(to - text), &e);
    assert_non_null(image);
    free(text);
    return image;
}

/* Fuses and lock of -1 are the chip's own. */
static struct node *bare_chip(const char *name, uint64_t hz, const int fuses[3], int lock,
                              const struct placed *programs, size_t count)
{
    const struct chip *chip = chip_named(name);
    assert_non_null(chip);
    uint8_t *flash = calloc(1, chip_region(chip, REGION_FLASH)->size);
    uint16_t back = RJMP(0x7ff, 0x200);
    memcpy(flash + 2 * 0x7ff, &back, 2);
    memcpy(flash + chip_region(chip, REGION_FLASH)->size - 2, &back, 2);
    for (size_t i = 0; i < count; i++)
        for (size_t w = 0; w < programs[i].count; w++) {
            flash[2 * (programs[i].at + w)] = (uint8_t)programs[i].words[w];
            flash[2 * (programs[i].at + w) + 1] = (uint8_t)(programs[i].words[w] >> 8);
        }
    struct machine_options o = {.hz = hz, .fuses = {fuses[0], fuses[1], fuses[2]}, .lock = lock};
    struct motet_error e = {0};
    struct machine *m = machine_new(chip, NULL, bare_image(flash, chip_region(chip, REGION_FLASH)->size), &o, &e);
    assert_non_null(m);
    free(flash);
    return node_new(m, 1, 1);
}

static const int OWN_FUSES[3] = {-1, -1, -1};

static inline void bare_free(struct node *n)
{
    struct machine *m = (struct machine *)(uintptr_t)n->machine;
    node_free(n);
    machine_free(m);
}

/* An access between two instructions. */
static inline void poke(struct node *n, uint16_t address, uint8_t value)
{
    n->time = n->state->now;
    node_write(n, address, value);
}

static inline uint8_t peek(struct node *n, uint16_t address)
{
    n->time = n->state->now;
    return node_read(n, address);
}

static inline void run(struct node *n, uint64_t ticks)
{
    node_run(n, n->state->now + ticks);
}

/* Steps until the next instruction is at the word address. */
static inline void run_to(struct node *n, uint32_t pc)
{
    const struct avr_cpu *cpu = n->cpu;
    for (unsigned i = 0; i < 1000000 && !n->state->exit; i++) {
        if (cpu->pc == pc && !n->state->sleeping && !n->state->stall)
            return;
        node_step(n);
    }
    fail_msg("never came to word 0x%x; at 0x%x", pc, cpu->pc);
}

static inline uint64_t now(const struct node *n)
{
    return n->state->now;
}

#endif
