/* AVR programs: the kernels, each run for the same number of cycles by Motet and by simavr in turns. */
#include <string.h>

#include "bench.h"
#include "simavr.h"
#include "subject.h"

struct kernel {
    const char *name;
    uint64_t cycles; /* some tenths of a second of simavr's time */
    bool interrupted;
};

static const struct kernel kernels[] = {
    {"sort16", 30000000, false}, {"nbody", 30000000, false}, {"fft", 30000000, false},
    {"crc", 30000000, false},    {"mixed", 30000000, false}, {"sleeper", 1000000000, true},
};

static const struct {
    const char *name;
    uint32_t frequency;
    unsigned ram, end; /* data addresses */
} chips[] = {{"atmega128", 7372800, 0x100, 0x1100}, {"atmega328p", 16000000, 0x100, 0x900}};

/* One run of each simulator from reset, in turns. */
struct pass {
    double subject_seconds, reference_seconds;
    uint64_t cycles, instructions;
};

static uint32_t word(const uint8_t *data, unsigned size)
{
    uint32_t value = 0;
    for (unsigned i = size; i-- > 0;)
        value = value << 8 | data[i];
    return value;
}

/* Whether both came to the same checksum in the last round that both finished (kernels/kernel.h). */
static bool agree(const char *name, const struct subject *m, const struct simavr *s)
{
    uint16_t rounds_at = subject_address(m, "bench_rounds"), history_at = subject_address(m, "bench_history");
    uint8_t rounds_bytes[2] = {subject_byte(m, rounds_at), subject_byte(m, rounds_at + 1)};
    uint32_t ours = word(rounds_bytes, 2), theirs = word(simavr_data(s) + rounds_at, 2);
    uint32_t both = ours < theirs ? ours : theirs, apart = ours < theirs ? theirs - ours : ours - theirs;
    if (both == 0 || apart > 8)
        return bench_wrong("%s: Motet finished %u rounds, simavr %u", name, ours, theirs);
    uint16_t at = (uint16_t)(history_at + (both - 1) % 16 * 4);
    uint8_t sum[4];
    for (unsigned i = 0; i < 4; i++)
        sum[i] = subject_byte(m, (uint16_t)(at + i));
    if (memcmp(sum, simavr_data(s) + at, 4) != 0)
        return bench_wrong("%s: round %u gave checksum %08x in Motet, %08x in simavr", name, both - 1, word(sum, 4),
                           word(simavr_data(s) + at, 4));
    return true;
}

/* The same, more strictly, for a program without interrupts: after the same cycles the registers and all of RAM are the
 * same, or the two differ in what some instruction does or takes. */
static bool same_memory(const char *name, size_t chip, const struct subject *m, const struct simavr *s)
{
    for (unsigned at = 0; at < chips[chip].end; at = at == 31 ? chips[chip].ram : at + 1)
        if (subject_byte(m, (uint16_t)at) != simavr_data(s)[at])
            return bench_wrong("%s: after the same cycles, data address 0x%x holds 0x%02x in Motet, 0x%02x in simavr",
                               name, at, subject_byte(m, (uint16_t)at), simavr_data(s)[at]);
    return true;
}

static bool run_once(const struct kernel *k, const char *name, size_t chip, struct pass *p)
{
    char elf[512];
    snprintf(elf, sizeof elf, "%s/bench-%s-%s.elf", FIRMWARE_DIR, k->name, chips[chip].name);
    uint64_t cycles = bench_checking ? k->cycles / 20 : k->cycles;
    struct simavr *s = simavr_new(elf, chips[chip].name, chips[chip].frequency);
    struct subject *m = subject_new(elf, chips[chip].name, chips[chip].frequency);
    bool good = s && m;
    if (good) {
        double start = bench_seconds();
        p->cycles = simavr_run_until(s, cycles);
        double middle = bench_seconds();
        good = p->cycles && subject_run_until(m, p->cycles);
        p->subject_seconds = bench_seconds() - middle;
        p->reference_seconds = middle - start;
        p->instructions = subject_instructions(m);
    }
    good = good ? agree(name, m, s) && (k->interrupted || same_memory(name, chip, m, s))
                : bench_wrong("%s did not run to the end in both simulators", elf);
    subject_free(m);
    simavr_free(s);
    return good;
}

static bool measure(const struct kernel *k, size_t chip)
{
    char name[64];
    snprintf(name, sizeof name, "%s %s", k->name, chips[chip].name);
    double subject[BENCH_ROUNDS], reference[BENCH_ROUNDS];
    unsigned rounds = bench_checking ? 1 : BENCH_ROUNDS;
    for (unsigned i = 0; i < rounds; i++) {
        struct pass p = {0};
        bench_progress("%s, round %u of %u", name, i + 1, rounds);
        if (!run_once(k, name, chip, &p))
            return false;
        subject[i] = (double)p.instructions / p.subject_seconds * 1e-6;
        reference[i] = (double)p.instructions / p.reference_seconds * 1e-6;
    }
    bench_report(&(struct bench_result){.name = name,
                                        .unit = "MIPS",
                                        .value = bench_median(subject, rounds),
                                        .reference = "simavr",
                                        .reference_value = bench_median(reference, rounds)});
    return true;
}

static bool run(void)
{
    bool good = true;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (size_t c = 0; c < sizeof chips / sizeof *chips; c++)
            good &= measure(&kernels[k], c);
    return good;
}

BENCH_GROUP(avr, 10, "AVR programs, simulated instructions a second (simavr's counted by the cycles it simulated)", run)
