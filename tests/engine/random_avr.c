/* Random AVR programs in the loop and in translated code: engine-random-avr CHIP SEED COUNT. Words are legal
 * instructions, few of them anything. */
#include "both.h"

#include "../unit/avr_bench.h"
#include "../unit/avr_manual.h"

enum { WORDS = 0x800 }; /* of code */

/* What seldom leaves translated code. */
static bool is_calm(const char *name)
{
    static const char *const others[] = {"SLEEP", "BREAK", "WDR",  "SPM",   "IN",    "OUT",    "SBI", "CBI",
                                         "SBIC",  "SBIS",  "IJMP", "ICALL", "EIJMP", "EICALL", "RET", "RETI"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0)
            return false;
    return true;
}

static uint32_t random_word(uint64_t *random)
{
    uint32_t word = bench_random(random) & 0xffff;
    if (bench_random(random) % 16 == 0)
        return word;
    const struct manual_instruction *i = &manual_instructions[bench_random(random) % MANUAL_INSTRUCTIONS];
    while (!is_calm(i->name) && bench_random(random) % 16)
        i = &manual_instructions[bench_random(random) % MANUAL_INSTRUCTIONS];
    for (unsigned bit = 0; bit < 16; bit++) {
        char c = i->pattern[15 - bit];
        if (c == '0' || c == '1')
            word = (word & ~(1u << bit)) | (uint32_t)(c - '0') << bit;
    }
    return word;
}

/* Second words and indirect jumps lead to the code, too: an address below WORDS is likely. */
static struct node *random_node(const struct chip *chip, uint64_t seed)
{
    static uint16_t words[WORDS];
    for (unsigned i = 0; i < WORDS; i++) {
        words[i] = (uint16_t)random_word(&seed);
        if (i && manual_two_words(words[i - 1]))
            words[i] = (uint16_t)(bench_random(&seed) % WORDS);
    }
    struct bench_code code = {0, words, WORDS};
    return bench_node(chip, &code, 1);
}

static uint16_t in_ram(const struct node *n, uint64_t *random)
{
    const struct region *ram = n->machine->ram;
    return (uint16_t)(ram->first + bench_random(random) % ram->size);
}

static void begin(struct node *n, uint64_t seed)
{
    for (unsigned i = 0; i < 26; i++)
        n->data[i] = (uint8_t)bench_random(&seed);
    for (unsigned i = 26; i < 32; i += 2) {
        uint16_t at = i == 30 && bench_random(&seed) % 2 ? (uint16_t)(bench_random(&seed) % WORDS) : in_ram(n, &seed);
        n->data[i] = (uint8_t)at;
        n->data[i + 1] = (uint8_t)(at >> 8);
    }
    for (unsigned i = 0; i < n->machine->ram->size; i++) /* return addresses among them */
        n->data[n->machine->ram->first + i] = (uint8_t)(bench_random(&seed) % (i % 2 ? WORDS >> 8 : 256));
    isa_avr.set_register(n, AVR_REGISTER_SREG, (uint8_t)bench_random(&seed));
    bench_set_sp(n, bench_random(&seed) % 8 ? in_ram(n, &seed) : bench_random(&seed) % 0x10000);
    bench_set_pc(n, bench_random(&seed) % WORDS);
}

static bool run(const char *name, const struct chip *chip, uint64_t seed, uint64_t *passed, uint64_t *all)
{
    struct both b = {.loop = random_node(chip, seed),
                     .translated = random_node(chip, seed),
                     .unit = 2,
                     .random = seed,
                     .begin = begin,
                     .disturb = bench_raise_in};
    for (int i = 0; i < FAULT_KINDS; i++)
        b.loop->fault_action[i] = b.translated->fault_action[i] = seed % 3 ? FAULT_WARN : FAULT_STOP;
    bool good = both_learn(&b, seed) && both_compare(&b, seed, 60);
    *passed += b.passed;
    *all += b.all;
    both_end(&b);
    bench_free(b.loop);
    bench_free(b.translated);
    if (!good)
        printf("To see it again: build/tests/engine/engine-random-avr %s %llu 1\n", name, (unsigned long long)seed);
    return good;
}

int main(int count, char **arguments)
{
    static const struct chip *const benches[] = {&bench_avr25, &bench_avr5, &bench_avr51, &bench_avr6};
    if (count != 4) {
        fprintf(stderr, "usage: engine-random-avr CHIP SEED COUNT\n");
        return 2;
    }
    uint64_t seed = strtoull(arguments[2], NULL, 0), seeds = strtoull(arguments[3], NULL, 0), passed = 0, all = 0;
    for (size_t c = 0; c < sizeof benches / sizeof *benches; c++)
        for (uint64_t i = 0; strcmp(benches[c]->name, arguments[1]) == 0 && i < seeds; i++)
            if (!run(arguments[1], benches[c], seed + i, &passed, &all))
                return 1;
    printf("%s: %llu of %llu instructions in translated code, all as in the loop\n", arguments[1],
           (unsigned long long)passed, (unsigned long long)all);
    return passed > 1000 * seeds ? 0 : 1; /* or little was tested */
}
