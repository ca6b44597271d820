/* MSP430 programs: the kernels, run by Motet and by mspdebug's simulator in turns.
 *
 * mspdebug cannot say what it has executed: it runs from the end of one round to that of another, and how many
 * instructions these rounds take is counted once by Motet. */
#include <string.h>

#include "bench.h"
#include "mspdebug.h"
#include "subject.h"

#define CHIP "msp430f1611"

struct kernel {
    const char *name;
    uint16_t few, many; /* rounds of mspdebug: the difference is some tenths of a second */
};

static const struct kernel kernels[] = {{"sort16", 4, 44}, {"crc", 2, 22}, {"mixed", 1, 11}};

/* Motet's first instructions; then, when all that is hot is translated, it is measured again. */
enum { HISTORY = 64, INSTRUCTIONS = 40000000, WARM = 300000000, LATER = 300000000 };

/* Motet's side: the rounds a kernel has finished, and their checksums (kernels/kernel.h). */
static uint16_t rounds_of(const struct subject *s)
{
    uint32_t at = subject_address(s, "bench_rounds");
    return (uint16_t)(subject_byte(s, at) | subject_byte(s, at + 1) << 8);
}

/* Runs until so many instructions are done; the clock's pace need not be known. */
static bool run_instructions(struct subject *s, uint64_t count)
{
    uint64_t now = subject_run_until(s, 0), ticks = 1000;
    while (subject_instructions(s) < count) {
        uint64_t before = subject_instructions(s), at = subject_run_until(s, now + ticks);
        if (!at)
            return false;
        double pace = (double)(at - now) / (double)(subject_instructions(s) - before + 1);
        uint64_t left = count > subject_instructions(s) ? count - subject_instructions(s) : 0;
        now = at;
        ticks = (uint64_t)((double)left * pace) + 1;
    }
    return true;
}

/* Instructions from the start until that many rounds are finished, to a few thousand. */
static uint64_t instructions_of(struct subject *s, uint16_t rounds)
{
    for (uint64_t count = subject_instructions(s); rounds_of(s) < rounds; count += 2000)
        if (!run_instructions(s, count + 2000))
            return 0;
    return subject_instructions(s);
}

/* Whether the last of these rounds gave the same checksum in both. */
static bool same_checksum(const char *name, const struct subject *s, uint16_t rounds, const uint8_t *history)
{
    unsigned place = (rounds - 1u) % 16 * 4;
    uint32_t at = subject_address(s, "bench_history") + place;
    for (unsigned i = 0; i < 4; i++)
        if (subject_byte(s, at + i) != history[place + i])
            return bench_wrong("%s: round %u gave another checksum in Motet than in mspdebug", name, rounds);
    return true;
}

struct pass {
    double subject, later, reference; /* MIPS */
};

static bool run_once(const struct kernel *k, const char *elf, uint64_t instructions, struct pass *p)
{
    uint8_t history[HISTORY];
    double few, many;
    uint16_t at;
    struct subject *s = subject_new(elf, CHIP, 0);
    if (!s)
        return false;
    at = (uint16_t)subject_address(s, "bench_history");
    double start = bench_seconds();
    bool good = run_instructions(s, bench_checking ? INSTRUCTIONS / 40 : INSTRUCTIONS);
    p->subject = (double)subject_instructions(s) / (bench_seconds() - start) * 1e-6;
    good = good && run_instructions(s, bench_checking ? 0 : WARM);
    uint64_t before = subject_instructions(s);
    start = bench_seconds();
    good = good && run_instructions(s, before + (bench_checking ? INSTRUCTIONS / 40 : LATER));
    p->later = (double)(subject_instructions(s) - before) / (bench_seconds() - start) * 1e-6;
    subject_free(s);
    good = good && mspdebug_run(elf, k->few, at, history, sizeof history, &few) &&
           mspdebug_run(elf, k->many, at, history, sizeof history, &many);
    if (good)
        p->reference = (double)instructions / (many - few) * 1e-6;
    return good;
}

/* Counts the instructions between the two lengths of mspdebug's runs, and sees that both come to the same. */
static uint64_t count_and_compare(const struct kernel *k, const char *elf)
{
    uint8_t history[HISTORY] = {0};
    double ignored;
    struct subject *s = subject_new(elf, CHIP, 0);
    if (!s)
        return 0;
    uint64_t first = instructions_of(s, k->few), last = first ? instructions_of(s, k->many) : 0;
    bool good = last > first || bench_wrong("%s did not run to the end", elf);
    good =
        good &&
        mspdebug_run(elf, k->many, (uint16_t)subject_address(s, "bench_history"), history, sizeof history, &ignored) &&
        same_checksum(k->name, s, k->many, history);
    subject_free(s);
    return good ? last - first : 0;
}

static bool measure(const struct kernel *k)
{
    char name[64], elf[512];
    snprintf(name, sizeof name, "%s %s", k->name, CHIP);
    snprintf(elf, sizeof elf, "%s/bench-%s-%s.elf", FIRMWARE_DIR, k->name, CHIP);
    uint64_t instructions = count_and_compare(k, elf);
    double subject[BENCH_ROUNDS], later[BENCH_ROUNDS], reference[BENCH_ROUNDS];
    unsigned rounds = bench_checking ? 1 : BENCH_ROUNDS;
    if (!instructions)
        return false;
    for (unsigned i = 0; i < rounds; i++) {
        struct pass p;
        bench_progress("%s, round %u of %u", name, i + 1, rounds);
        if (!run_once(k, elf, instructions, &p))
            return false;
        subject[i] = p.subject;
        later[i] = p.later;
        reference[i] = p.reference;
    }
    struct bench_result r = {.name = name,
                             .unit = "MIPS",
                             .value = bench_median(later, rounds),
                             .reference = "mspdebug",
                             .reference_value = bench_median(reference, rounds)};
    bench_report(&r);
    strncat(name, ", first instructions", sizeof name - strlen(name) - 1);
    r.value = bench_median(subject, rounds);
    bench_report(&r);
    return true;
}

static bool run(void)
{
    bool good = true;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        good &= measure(&kernels[k]);
    return good;
}

BENCH_GROUP(msp430, 15, "MSP430 programs, simulated instructions a second (mspdebug's as Motet counts them)", run)
