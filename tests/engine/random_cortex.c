/* Random Thumb programs in the loop and in translated code: engine-random-cortex SEED COUNT. Most instructions are
 * those of compilers, on registers and RAM, with ITs; some halfwords are anything. In some programs the memory
 * protection unit guards a part of RAM. */
#include "both.h"

#include "../unit/msp430_bench.h" /* for bench_node_of(), which asks for no instruction set */
#include "device/cortex/scs.h"
#include "isa/cortex/code.h"
#include "isa/cortex/cortex.h"
#include "node/wiring.h"

enum { FLASH_SIZE = 0x4000, HALVES = FLASH_SIZE / 2, VECTORS = 0x80, RAM_SIZE = 0x1000, LINES = 4 };
#define RAM 0x20000000u

/* ---- interrupts: event K pulses line K ---- */

static void lines_connect(const struct device *d, struct wiring *w)
{
    for (unsigned i = 0; i < LINES; i++)
        wire_interrupt(w, d, CORTEX_EXTERNAL + i, i);
}

static void lines_event(struct node *n, const struct device *d, unsigned event)
{
    (void)d;
    node_irq(n, CORTEX_EXTERNAL + event, true);
    node_irq(n, CORTEX_EXTERNAL + event, false);
}

static const struct device_type lines_type = {
    .name = "lines", .events = LINES, .connect = lines_connect, .event = lines_event};
static const struct chip_device devices[] = {{.name = "lines", .type = &lines_type}, SCS_DEVICES};
static const struct cortex_core core = {
    .external = LINES, .priority_bits = 3, .dsp = true, .fpu = true, .mpu = true, .cpuid = 0x410fc241};
static const struct region regions[] = {
    {0, FLASH_SIZE, REGION_FLASH, 32, 0}, {RAM, RAM_SIZE, REGION_RAM, 32, 0x1100}, SCS_REGIONS(0)};
static const struct chip chip = {.name = "random",
                                 .isa = &isa_cortex,
                                 .core = &core,
                                 CHIP_REGIONS(regions),
                                 .ports = "1",
                                 .default_hz = 1000000,
                                 CHIP_DEVICES(devices)};

static void disturb(struct node *n, unsigned which, uint64_t ticks)
{
    n->time = n->state->now;
    event_in(n, &n->machine->devices[0], which, CLOCK_CPU, ticks);
}

/* ---- programs ---- */

static uint32_t random_wide(uint64_t *random)
{
    uint32_t any = bench_random(random), more = bench_random(random);
    uint32_t n = any & 7, d = any >> 3 & 7, m = any >> 6 & 7, base = 4 + (any >> 9 & 3);
    switch (any >> 28) {
    case 0:
    case 1: /* data processing with a number */
        return 0xf0000000 | (more & 0x05f00000) | n << 16 | (more & 0x70ff) | d << 8;
    case 2:
    case 3: /* with a shifted register */
        return 0xea000000 | (more & 0x01f00000) | n << 16 | (more & 0x70f0) | d << 8 | m;
    case 4: /* MOVW, MOVT */ return 0xf2400000 | (more & 0x048f70ff) | d << 8;
    case 5: /* LDR, STR and their like with a number */
        return 0xf8800000 | (more & 0x00700000) | base << 16 | d << 12 | (more & 0x7c);
    case 6: /* the same, moving the base or not */
        return 0xf8000800 | (more & 0x01700000) | base << 16 | d << 12 | 0x100 | (more & 0x63c);
    case 7: /* with a register */ return 0xf8000000 | (more & 0x01700000) | base << 16 | d << 12 | (more & 0x30) | m;
    case 8: /* LDRD, STRD */ return 0xe9400000 | (more & 0x00b00000) | base << 16 | d << 12 | m << 8 | (more & 0xf);
    case 9: /* products and quotients */
        return 0xfb000000 | (more & 0x00f00000) | n << 16 | d << 8 | (more & 0x70f0) | m;
    case 10: /* LDM, STM */
        return 0xe8800000 | (more & 0x00300000) | (more & 0x2000000 ? 0x00800000 ^ 0x01800000 : 0) | base << 16 |
               (more & 0x10ff);
    case 11: /* a conditional branch, near */ return 0xf0008000 | (more & 0x03c00000) | (more & 0x1f);
    case 12: /* BL, near */ return 0xf000f800 | (more & 0x3f);
    case 13: /* UBFX, SBFX, BFI */
        return (more & 1   ? 0xf3c00000
                : more & 2 ? 0xf3400000
                           : 0xf3600000) |
               n << 16 | d << 8 | (more & 0x10f0) >> 1 | (more & 0x1f000) >> 12;
    case 14: /* extensions, REV, CLZ, shifts by registers */
        return 0xfa00f000 | (more & 0x00b00000) | n << 16 | d << 8 | (more & 0xb0) | m;
    default: /* exclusive accesses */
        return (more & 1 ? 0xe8500f00 : 0xe8400000 | m << 8) | base << 16 | d << 12 | (more & 0x30) >> 4;
    }
}

static uint16_t random_narrow(uint64_t *random)
{
    uint32_t any = bench_random(random);
    uint16_t low = (uint16_t)(any >> 8), base = (uint16_t)((4 + (any >> 24 & 3)) << 3);
    switch (any & 31) {
    case 0: return (uint16_t)(0xd000 | (low & 0xd00) | (low & 0xf));             /* a branch, forward */
    case 1: return (uint16_t)(0xb100 | (low & 0x0878));                          /* CBZ, CBNZ */
    case 2: return (uint16_t)(0xbf00 | (low % 14) << 4 | (1 + (low >> 8) % 15)); /* IT */
    case 3: return (uint16_t)(0xb400 | (low & 0x1ff));                           /* PUSH */
    case 4: return (uint16_t)(0xbc00 | (low & 0xff));                            /* POP */
    case 5: return (uint16_t)(0xc000 | (low & 0x8ff) | 0x400 | (low & 0x300));   /* LDM, STM */
    case 6: return (uint16_t)(0xb200 | (low & 0xff));                            /* extensions */
    case 7: return (uint16_t)(0x4400 | (low & 0x0377 & ~0x80u));                 /* high registers, or low ones */
    case 8: return (uint16_t)(0xa000 | (low & 0xfff));                           /* ADR, or of SP */
    case 9: return (uint16_t)(0x9000 | (low & 0xf0f));                           /* on the stack */
    case 10: return (uint16_t)(0x4800 | (low & 0x71f));                          /* a literal */
    case 11: return (uint16_t)(0xb000 | (low & 0x83));                           /* a frame */
    case 12:
    case 13:
    case 14: return (uint16_t)(0x6000 | (low & 0x1e07 & ~0x1000u) | base | (low & 0x40)); /* LDR, STR, LDRB, STRB */
    case 15: return (uint16_t)(0x5000 | (low & 0xfc7) | base);                            /* with a register */
    case 16: return (uint16_t)(0x8000 | (low & 0x847) | base);                            /* LDRH, STRH */
    case 17: return (uint16_t)(low % 8 ? 0x4770 : 0xbe00 | (low & 3));                    /* BX LR, seldom BKPT */
    case 18:
    case 19:
    case 20:
    case 21: return (uint16_t)(0x4000 | (low & 0x3ff)); /* on two registers */
    case 22: return (uint16_t)(low % 4 ? 0xe000 | (low & 0xf) : low % 16 ? 0xb662 | (low & 0x10) : 0xdf00);
    default: return (uint16_t)(low & 0x3fff); /* shifts, sums, moves, comparisons */
    }
}

static void put_half(uint8_t *bytes, unsigned at, uint16_t half)
{
    bytes[at] = (uint8_t)half;
    bytes[at + 1] = (uint8_t)(half >> 8);
}

static struct node *random_node(uint64_t seed)
{
    static uint8_t bytes[FLASH_SIZE];
    for (unsigned i = 0; i < VECTORS; i += 4) {
        put_half(bytes, i, i ? (uint16_t)((VECTORS + bench_random(&seed) % (FLASH_SIZE - VECTORS)) | 1) : RAM_SIZE / 2);
        put_half(bytes, i + 2, i ? 0 : RAM >> 16);
    }
    for (unsigned i = VECTORS; i < FLASH_SIZE; i += 2) {
        uint32_t any = bench_random(&seed);
        if (any % 64 == 0) {
            put_half(bytes, i, (uint16_t)(any >> 16));
        } else if (any % 3 || i + 4 > FLASH_SIZE) {
            put_half(bytes, i, random_narrow(&seed));
        } else {
            uint32_t w = random_wide(&seed);
            put_half(bytes, i, (uint16_t)(w >> 16));
            put_half(bytes, i + 2, (uint16_t)w);
            i += 2;
        }
    }
    struct node *n = bench_node_of(&chip, 0, bytes, sizeof bytes);
    ((struct machine *)(uintptr_t)n->machine)->stack_limit = RAM + RAM_SIZE / 8;
    return n;
}

/* ---- states ---- */

static uint32_t in_ram(uint64_t *random)
{
    return RAM + (bench_random(random) % RAM_SIZE & (bench_random(random) % 8 ? ~3u : ~0u));
}

static void write_register(struct node *n, uint32_t address, uint32_t value)
{
    n->machine->chip->isa->write(n, address, value, 4);
}

static void begin(struct node *n, uint64_t seed)
{
    struct cortex_cpu *cpu = n->cpu;
    n->time = n->state->now;
    write_register(n, 0xe000e100, bench_random(&seed) & ((1u << LINES) - 1)); /* interrupts that are enabled */
    if (seed % 5 == 0) {
        write_register(n, 0xe000ed98, 0);
        write_register(n, 0xe000ed9c, RAM + 0x400);
        write_register(n, 0xe000eda0, 0x06000000 | 9 << 1 | 1); /* 1 KB, read only */
        write_register(n, 0xe000ed94, 5);
    }
    if (seed % 7 == 0)
        write_register(n, 0xe000ed14, 0x218); /* faults by division, and by alignment */
    for (unsigned i = 0; i < 15; i++) {
        uint32_t any = bench_random(&seed);
        cpu->r[i] = (i & 7) >= 4 && any % 16 ? in_ram(&seed)
                    : any % 3                ? (any >> 8) % 64
                    : any % 2                ? (any >> 8) % FLASH_SIZE
                                             : bench_random(&seed);
    }
    for (unsigned i = 0; i < RAM_SIZE; i += 4) {
        uint32_t any = bench_random(&seed), word = any % 8 ? any : (any >> 8) % FLASH_SIZE | 1;
        memcpy(n->data + n->machine->ram->backing + i, &word, 4);
    }
    cpu->r[CORTEX_SP] = in_ram(&seed) & ~3u;
    cpu->r[CORTEX_LR] = (bench_random(&seed) % FLASH_SIZE) | 1;
    cpu->psr = bench_random(&seed) & (CORTEX_FLAGS | CORTEX_Q);
    cpu->primask = bench_random(&seed) % 4 == 0;
    cpu->r[CORTEX_PC] = VECTORS + (bench_random(&seed) % (FLASH_SIZE - VECTORS) & ~1u);
    n->cut = false;
}

static uint32_t entry(const struct node *n)
{
    const struct cortex_cpu *cpu = n->cpu;
    uint32_t at = cortex_entry(n->machine->code, cpu->r[CORTEX_PC], cpu->it);
    return at == UINT32_MAX ? HEAT_LOOP : at;
}

static bool run(uint64_t seed, uint64_t *passed, uint64_t *all)
{
    struct both b = {.loop = random_node(seed),
                     .translated = random_node(seed),
                     .entry = entry,
                     .random = seed,
                     .begin = begin,
                     .disturb = disturb};
    for (int i = 0; i < FAULT_KINDS; i++)
        b.loop->fault_action[i] = b.translated->fault_action[i] = seed % 3 ? FAULT_WARN : FAULT_STOP;
    bool good = both_learn(&b, seed) && both_compare(&b, seed, 60);
    *passed += b.passed;
    *all += b.all;
    both_end(&b);
    bench_free(b.loop);
    bench_free(b.translated);
    if (!good)
        printf("To see it again: build/tests/engine/engine-random-cortex %llu 1\n", (unsigned long long)seed);
    return good;
}

int main(int count, char **arguments)
{
    if (count != 3) {
        fprintf(stderr, "usage: engine-random-cortex SEED COUNT\n");
        return 2;
    }
    uint64_t seed = strtoull(arguments[1], NULL, 0), seeds = strtoull(arguments[2], NULL, 0), passed = 0, all = 0;
    for (uint64_t i = 0; i < seeds; i++)
        if (!run(seed + i, &passed, &all))
            return 1;
    printf("%llu of %llu instructions in translated code, all as in the loop\n", (unsigned long long)passed,
           (unsigned long long)all);
    return passed > 1000 * seeds ? 0 : 1; /* or little was tested */
}
