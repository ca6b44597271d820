/* Random MSP430 programs in the loop and in translated code: engine-random-msp430 SEED COUNT. Most instructions are
 * those of compilers, on registers and RAM; some words are anything. */
#include "both.h"

#include "../unit/msp430_bench.h"
#include "node/wiring.h"

enum { WORDS = 0x1000, LINES = 4, GIE = 8 };

/* ---- interrupts: event K raises line K, taking it lowers it ---- */

static void lines_connect(const struct device *d, struct wiring *w)
{
    for (unsigned i = 0; i < LINES; i++)
        wire_interrupt(w, d, i, i);
}

static void lines_event(struct node *n, const struct device *d, unsigned event)
{
    (void)d;
    node_irq(n, event, true);
}

static void lines_acknowledge(struct node *n, const struct device *d, unsigned irq)
{
    (void)d;
    node_irq(n, irq, false);
}

static const struct device_type lines_type = {
    .name = "lines", .events = LINES, .connect = lines_connect, .event = lines_event, .acknowledge = lines_acknowledge};
static const struct chip_device lines[] = {{.name = "lines", .type = &lines_type}};
static const struct chip chip = {BENCH_CHIP, CHIP_DEVICES(lines)};

static void disturb(struct node *n, unsigned which, uint64_t ticks)
{
    n->time = n->state->now;
    event_in(n, &n->machine->devices[0], which, CLOCK_CPU, ticks);
}

/* ---- programs ---- */

static uint16_t random_word(uint64_t *random)
{
    uint32_t any = bench_random(random);
    uint16_t s = (uint16_t)(4 + (any >> 8) % 12), d = (uint16_t)(4 + (any >> 12) % 12);
    if (any % 64 == 0)
        return (uint16_t)(any >> 16);
    switch (any % 8) {
    case 0: return (uint16_t)(0x2000 | (any >> 16 & 0x1c00) | (any >> 20 & 0x3f));             /* a jump, forward */
    case 1: return (uint16_t)(0x1000 | (any >> 16 & 0x01c0) | d);                              /* RRC, RRA, SWPB, SXT */
    case 2: return (uint16_t)(0x1200 | d);                                                     /* PUSH */
    case 3: return (uint16_t)(0x4000 | (any >> 16 & 0x40) | 3u << 8 | (any >> 16 & 0x30) | d); /* a constant */
    default: break;
    }
    /* Two operands: registers, or what a register points to; seldom others, which are rarely in RAM here. */
    uint16_t modes = (uint16_t)(any >> 16 & 0x40);
    if (any >> 24 & 1)
        modes |= (uint16_t)(0x20 | (any >> 16 & 0x10));
    else if ((any >> 25 & 7) == 0)
        modes |= (uint16_t)(any >> 16 & 0xb0);
    return (uint16_t)((4 + (any >> 20) % 12) << 12 | s << 8 | modes | d);
}

static struct node *random_node(uint64_t seed)
{
    static uint8_t bytes[2 * WORDS];
    for (unsigned i = 0; i < WORDS; i++) {
        uint16_t word = random_word(&seed);
        bytes[2 * i] = (uint8_t)word;
        bytes[2 * i + 1] = (uint8_t)(word >> 8);
    }
    return bench_node_of(&chip, BENCH_FLASH, bytes, sizeof bytes);
}

static uint16_t in_ram(uint64_t *random)
{
    return (uint16_t)(BENCH_RAM + (bench_random(random) % BENCH_RAM_SIZE & (bench_random(random) % 8 ? ~1u : ~0u)));
}

static void begin(struct node *n, uint64_t seed)
{
    struct msp430_cpu *cpu = n->cpu;
    for (unsigned i = 4; i < 16; i++) {
        uint32_t any = bench_random(&seed);
        cpu->r[i] = any % 4   ? in_ram(&seed)
                    : any % 8 ? (uint16_t)(BENCH_FLASH + (any >> 16) % (2 * WORDS))
                              : (uint16_t)(any >> 16);
    }
    for (unsigned i = 0; i < BENCH_RAM_SIZE; i++)
        n->data[BENCH_RAM + i] = (uint8_t)bench_random(&seed);
    cpu->r[MSP430_SP] = (uint16_t)(in_ram(&seed) & ~1u);
    cpu->r[MSP430_SR] = (uint16_t)(bench_random(&seed) & (MSP430_C | MSP430_Z | MSP430_N | MSP430_V | GIE));
    cpu->r[MSP430_PC] = (uint16_t)(BENCH_FLASH + bench_random(&seed) % WORDS * 2);
}

static bool run(uint64_t seed, uint64_t *passed, uint64_t *all)
{
    struct both b = {.loop = random_node(seed),
                     .translated = random_node(seed),
                     .unit = 2,
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
        printf("To see it again: build/tests/engine/engine-random-msp430 %llu 1\n", (unsigned long long)seed);
    return good;
}

int main(int count, char **arguments)
{
    if (count != 3) {
        fprintf(stderr, "usage: engine-random-msp430 SEED COUNT\n");
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
