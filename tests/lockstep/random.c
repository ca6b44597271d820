/* Random programs of legal instructions, in lockstep with simavr: lockstep-random CHIP SEED COUNT INSTRUCTIONS runs
 * COUNT programs, from SEED on, of that many instructions each. */
#include "pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/avr_bench.h"
#include "../unit/avr_manual.h"

#define RAM(s) chip_region((s)->chip, REGION_RAM)

struct stream {
    struct pair pair;
    const struct chip *chip;
    uint32_t words;
    uint64_t random;
    const struct manual_instruction *instruction[0x10000]; /* by opcode; NULL: not to be executed here */
    uint64_t executed[MANUAL_INSTRUCTIONS];
};

static uint32_t below(struct stream *s, uint32_t limit)
{
    return bench_random(&s->random) % limit;
}

/* ---- programs ---- */

/* What acts on devices is not compared; what small chips lack is not legal. */
static bool included(const struct stream *s, const struct manual_instruction *i)
{
    static const char *const devices[] = {"SLEEP", "BREAK", "WDR", "SPM"};
    for (size_t k = 0; k < sizeof devices / sizeof *devices; k++)
        if (strcmp(i->name, devices[k]) == 0)
            return false;
    const struct avr_core *core = s->chip->core;
    if (strncmp(i->name, "MUL", 3) == 0 || strncmp(i->name, "FMUL", 4) == 0)
        return core->instructions & AVR_HAS_MUL;
    if (strcmp(i->name, "JMP") == 0 || strcmp(i->name, "CALL") == 0)
        return core->instructions & AVR_HAS_JMP;
    if (strncmp(i->name, "EI", 2) == 0)
        return core->instructions & AVR_HAS_EIJMP;
    return strncmp(i->name, "ELPM", 4) != 0 || core->instructions & AVR_HAS_ELPM;
}

static uint16_t random_address(struct stream *s)
{
    uint32_t size = (uint32_t)s->pair.machine->data_size;
    switch (below(s, 8)) {
    case 0: return (uint16_t)below(s, 0x20);
    case 1: return (uint16_t)(0x20 + below(s, RAM(s)->backing - 0x20u));
    default: return (uint16_t)(RAM(s)->backing + below(s, size - RAM(s)->backing));
    }
}

static size_t put_instruction(struct stream *s, uint16_t *words, size_t room)
{
    for (;;) {
        const struct manual_instruction *i = &manual_instructions[below(s, MANUAL_INSTRUCTIONS)];
        bool jump = strcmp(i->name, "JMP") == 0 || strcmp(i->name, "CALL") == 0;
        bool direct = strcmp(i->name, "LDS") == 0 || strcmp(i->name, "STS") == 0;
        if (!included(s, i) || ((jump || direct) && room < 2))
            continue;
        uint16_t opcode = 0;
        for (unsigned bit = 0; bit < 16; bit++) {
            char c = i->pattern[15 - bit];
            unsigned value = c == '0' || c == '1' ? (unsigned)(c - '0') : below(s, 2);
            if (jump && c == 'k')
                value = bit == 0 && s->words > 0x10000 ? value : 0; /* no further than flash goes */
            opcode |= (uint16_t)(value << bit);
        }
        words[0] = opcode;
        if (jump)
            words[1] = (uint16_t)below(s, s->words < 0x10000 ? s->words : 0x10000);
        else if (direct)
            words[1] = random_address(s);
        return jump || direct ? 2 : 1;
    }
}

static struct machine *random_machine(struct stream *s)
{
    uint16_t *words = calloc(s->words, sizeof *words);
    char *text = malloc(64 * 1024 + 20 * (size_t)s->words);
    if (!words || !text)
        abort();
    s->pair.machine = &(struct machine){.data_size = RAM(s)->backing + RAM(s)->size};
    for (size_t at = 0; at < s->words;)
        at += put_instruction(s, words + at, s->words - at);
    size_t size = bench_hex(text, 0, words, s->words);
    size += bench_hex_record(text + size, 1, 0, NULL, 0);
    struct motet_error e;
    struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1};
    struct image *image = image_parse("random.hex", text, size, &e);
    struct machine *m = image ? machine_new(s->chip, NULL, image, &options, &e) : NULL;
    if (!m)
        fprintf(stderr, "%s\n", e.text);
    free(words);
    free(text);
    return m;
}

/* ---- keeping the streams where both have a meaning ---- */

static void poke_pair(struct stream *s, unsigned low, unsigned value)
{
    pair_poke(&s->pair, low, (uint8_t)value);
    pair_poke(&s->pair, low + 1, (uint8_t)(value >> 8));
}

static unsigned register_pair(const struct stream *s, unsigned low)
{
    return s->pair.node->data[low] | (unsigned)s->pair.node->data[low + 1] << 8;
}

/* simavr stops at an access beyond RAM. */
static void aim_pointer(struct stream *s, const char *name, unsigned q)
{
    const char *letter = strpbrk(name, "XYZ");
    unsigned low = 26 + 2 * (unsigned)(*letter - 'X');
    unsigned at = (register_pair(s, low) + q - (strstr(name, "_DEC") ? 1 : 0)) & 0xffff;
    if (at >= s->pair.machine->data_size)
        poke_pair(s, low, random_address(s) - q + (strstr(name, "_DEC") ? 1 : 0));
    at = (register_pair(s, low) + q - (strstr(name, "_DEC") ? 1 : 0)) & 0xffff;
    if (at >= s->pair.machine->data_size || (at >= low && at < low + 2)) /* nor at itself: undefined */
        poke_pair(s, low, RAM(s)->backing + 64u);
}

static void aim_stack(struct stream *s)
{
    unsigned sp = register_pair(s, AVR_SPL), low = RAM(s)->backing + 8u;
    unsigned high = (unsigned)s->pair.machine->data_size - 8;
    if (sp < low || sp > high)
        poke_pair(s, AVR_SPL, low + below(s, high - low));
}

static void aim_return(struct stream *s)
{
    unsigned sp = register_pair(s, AVR_SPL), bytes = s->words > 0x10000 ? 3 : 2;
    uint32_t to = below(s, s->words);
    for (unsigned i = 0; i < bytes; i++)
        pair_poke(&s->pair, sp + bytes - i, (uint8_t)(to >> (8 * i)));
}

static void aim(struct stream *s, const struct manual_instruction *i, const struct manual_fields *f)
{
    const char *name = i->name;
    bool loads = strncmp(name, "LD_", 3) == 0 || strncmp(name, "LDD_", 4) == 0;
    bool stores = strncmp(name, "ST_", 3) == 0 || strncmp(name, "STD_", 4) == 0;
    bool returns = strncmp(name, "RET", 3) == 0;
    if (loads || stores)
        aim_pointer(s, name, f->q);
    if (returns || strstr(name, "CALL") || strcmp(name, "PUSH") == 0 || strcmp(name, "POP") == 0)
        aim_stack(s);
    if (returns)
        aim_return(s);
    if (strcmp(name, "IJMP") == 0 || strcmp(name, "ICALL") == 0)
        poke_pair(s, 30, register_pair(s, 30) & (s->words - 1));
    if (strncmp(name, "LPM", 3) == 0 || strncmp(name, "ELPM", 4) == 0) /* simavr reads past its flash */
        poke_pair(s, 30, register_pair(s, 30) & (2 * s->words - 1));
    if (strncmp(name, "EI", 2) == 0)
        pair_poke(&s->pair, AVR_EIND, s->pair.node->data[AVR_EIND] & 1);
    if (strncmp(name, "ELPM", 4) == 0)
        pair_poke(&s->pair, AVR_RAMPZ, s->pair.node->data[AVR_RAMPZ] & (uint8_t)(s->words / 0x8000 - 1));
}

static void elsewhere(struct stream *s)
{
    pair_jump(&s->pair, below(s, s->words));
    for (unsigned at = 0; at < 0x20; at++)
        pair_poke(&s->pair, at, (uint8_t)bench_random(&s->random));
    pair_poke(&s->pair, AVR_SREG, (uint8_t)bench_random(&s->random));
}

/* Whether the instruction at the program counter can be compared. */
static bool comparable(struct stream *s, const struct manual_instruction *i, const struct manual_fields *f)
{
    uint32_t pc = pair_pc(&s->pair);
    if (pc + 4 > s->words || manual_undefined(i, f))
        return false;
    if (pair_opcode(&s->pair, pc) == 0xcfff) /* rjmp to itself: Motet ends the run */
        return false;
    /* The second word is code after a jump into the middle of an instruction. */
    uint16_t next = pair_opcode(&s->pair, pc + 1);
    if (strcmp(i->name, "LDS") == 0 || strcmp(i->name, "STS") == 0)
        return next < s->pair.machine->data_size;
    if (strcmp(i->name, "JMP") == 0 || strcmp(i->name, "CALL") == 0)
        return (f->k << 16 | next) < s->words;
    return true;
}

/* A stream soon runs in circles; it is sent elsewhere before long. */
enum { STRETCH = 100 };

static bool run_stream(struct stream *s, unsigned instructions)
{
    elsewhere(s);
    for (unsigned count = 0, stretch = 0; count < instructions;) {
        uint16_t opcode = pair_opcode(&s->pair, pair_pc(&s->pair));
        const struct manual_instruction *i = s->instruction[opcode];
        struct manual_fields f = {0};
        if (i)
            f = manual_fields(i, opcode);
        if (!i || ++stretch > STRETCH || !comparable(s, i, &f)) {
            stretch = 0;
            elsewhere(s);
            continue;
        }
        aim(s, i, &f);
        if (!pair_step(&s->pair))
            return false;
        s->executed[i - manual_instructions]++;
        count++;
    }
    return true;
}

/* A stream that leaves an instruction out has tested nothing there. */
static bool all_executed(const struct stream *s)
{
    for (unsigned i = 0; i < MANUAL_INSTRUCTIONS; i++)
        if (included(s, &manual_instructions[i]) && s->executed[i] == 0) {
            printf("%s was never executed; are there enough instructions?\n", manual_instructions[i].name);
            return false;
        }
    return true;
}

static bool run_seed(const char *name, const struct chip *chip, uint64_t seed, unsigned instructions)
{
    static struct stream s;
    memset(&s, 0, sizeof s);
    s.chip = chip;
    s.words = chip_region(chip, REGION_FLASH)->size / 2;
    s.random = seed;
    for (unsigned opcode = 0; opcode < 0x10000; opcode++) {
        s.instruction[opcode] = manual_instruction((uint16_t)opcode);
        if (s.instruction[opcode] && !included(&s, s.instruction[opcode]))
            s.instruction[opcode] = NULL;
    }
    struct machine *m = random_machine(&s);
    bool good = m && pair_open(&s.pair, m, name, true) && run_stream(&s, instructions) && all_executed(&s);
    if (m)
        pair_close(&s.pair);
    if (!good)
        printf("To see it again: build/tests/lockstep/lockstep-random %s %llu 1 %u\n", name, (unsigned long long)seed,
               instructions);
    return good;
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        const struct chip *chip;
    } chips_[] = {
        {"atmega328p", &bench_avr5}, {"atmega128", &bench_avr51},   {"atmega2560", &bench_avr6},
        {"attiny85", &bench_avr25},  {"atmega32u4", &bench_avr5u4},
    };
    if (count != 5) {
        fprintf(stderr, "usage: lockstep-random CHIP SEED COUNT INSTRUCTIONS\n");
        return 2;
    }
    uint64_t seed = strtoull(arguments[2], NULL, 0), seeds = strtoull(arguments[3], NULL, 0);
    unsigned instructions = (unsigned)strtoul(arguments[4], NULL, 0);
    for (size_t c = 0; c < sizeof chips_ / sizeof *chips_; c++) {
        if (strcmp(chips_[c].name, arguments[1]) != 0)
            continue;
        for (uint64_t i = 0; i < seeds; i++)
            if (!run_seed(chips_[c].name, chips_[c].chip, seed + i, instructions))
                return 1;
        printf("%s: %llu programs of %u instructions from seed %llu agree\n", arguments[1], (unsigned long long)seeds,
               instructions, (unsigned long long)seed);
        return 0;
    }
    fprintf(stderr, "no chip %s here\n", arguments[1]);
    return 2;
}
