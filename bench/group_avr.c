/* AVR programs: the kernels, each run for the same number of cycles by Motet and by simavr in turns. Then Motet goes on
 * until what is hot is translated, and is measured again: that is its figure, beside simavr's and, where it is
 * installed and has the chip, QEMU's. The figure of the first cycles has a row of its own. */
#include <string.h>

#include "bench.h"
#include "qemu.h"
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
    double later_seconds, qemu_seconds; /* for the same instructions, when all that is hot is translated */
    uint64_t cycles, instructions, later_instructions;
};

/* Cycles: until then, and from then on. A kernel that sleeps executes little in many of them. */
enum { WARM = 400000000, LATER = 300000000, SLEEPS = 40 };

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
    uint32_t rounds_at = subject_address(m, "bench_rounds"), history_at = subject_address(m, "bench_history");
    uint8_t rounds_bytes[2] = {subject_byte(m, rounds_at), subject_byte(m, rounds_at + 1)};
    uint32_t ours = word(rounds_bytes, 2), theirs = word(simavr_data(s) + rounds_at, 2);
    uint32_t both = ours < theirs ? ours : theirs, apart = ours < theirs ? theirs - ours : ours - theirs;
    if (both == 0 || apart > 8)
        return bench_wrong("%s: Motet finished %u rounds, simavr %u", name, ours, theirs);
    uint32_t at = history_at + (both - 1) % 16 * 4;
    uint8_t sum[4];
    for (unsigned i = 0; i < 4; i++)
        sum[i] = subject_byte(m, at + i);
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

static unsigned rounds_of(const struct subject *m)
{
    uint32_t at = subject_address(m, "bench_rounds");
    return subject_byte(m, at) | (unsigned)subject_byte(m, at + 1) << 8;
}

static bool has_qemu(size_t chip)
{
    return strcmp(chips[chip].name, "atmega328p") == 0 && qemu_is_there(&qemu_avr);
}

/* Goes on with Motet, then lets QEMU do as many rounds as that; but QEMU sleeps in the time of the host. */
static bool run_later(const struct kernel *k, const char *elf, size_t chip, struct subject *m, struct pass *p)
{
    uint64_t times = k->interrupted ? SLEEPS : 1, warm = bench_checking ? p->cycles : times * WARM;
    uint64_t end = warm + (bench_checking ? p->cycles : times * LATER);
    if (!subject_run_until(m, warm))
        return false;
    uint64_t before = subject_instructions(m);
    unsigned rounds = rounds_of(m);
    double start = bench_seconds(), pace = 0;
    bool good = subject_run_until(m, end);
    p->later_seconds = bench_seconds() - start;
    p->later_instructions = subject_instructions(m) - before;
    rounds = (uint16_t)(rounds_of(m) - rounds);
    if (!k->interrupted && has_qemu(chip)) {
        good = good && qemu_run(&qemu_avr, elf, subject_address(m, "bench_rounds"), &pace);
        p->qemu_seconds = pace > 0 ? rounds / pace : 0;
    }
    return good;
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
    good = good && run_later(k, elf, chip, m, p);
    subject_free(m);
    simavr_free(s);
    return good;
}

static void report(const char *name, double value, const char *reference, double reference_value)
{
    bench_report(&(struct bench_result){
        .name = name, .unit = "MIPS", .value = value, .reference = reference, .reference_value = reference_value});
}

static bool measure(const struct kernel *k, size_t chip)
{
    char name[64];
    snprintf(name, sizeof name, "%s %s", k->name, chips[chip].name);
    double subject[BENCH_ROUNDS], reference[BENCH_ROUNDS], later[BENCH_ROUNDS], qemu[BENCH_ROUNDS];
    unsigned rounds = bench_checking ? 1 : BENCH_ROUNDS;
    for (unsigned i = 0; i < rounds; i++) {
        struct pass p = {0};
        bench_progress("%s, round %u of %u", name, i + 1, rounds);
        if (!run_once(k, name, chip, &p))
            return false;
        subject[i] = (double)p.instructions / p.subject_seconds * 1e-6;
        reference[i] = (double)p.instructions / p.reference_seconds * 1e-6;
        later[i] = (double)p.later_instructions / p.later_seconds * 1e-6;
        qemu[i] = p.qemu_seconds > 0 ? (double)p.later_instructions / p.qemu_seconds * 1e-6 : 0;
    }
    double simavr = bench_median(reference, rounds), value = bench_median(later, rounds);
    report(name, value, "simavr", simavr);
    if (!k->interrupted && has_qemu(chip))
        report(name, value, "QEMU", bench_median(qemu, rounds));
    strncat(name, ", first cycles", sizeof name - strlen(name) - 1);
    report(name, bench_median(subject, rounds), "simavr", simavr);
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
