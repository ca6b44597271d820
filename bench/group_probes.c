/* What looking on costs, in the shape of the tables of Avrora's paper (section 6): watches, probes on every
 * instruction, sampling; each beside the same run without, in turns, and, on AVR, beside simavr without anything on the
 * same program. Writes docs/probes-figures.md. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <motet/motet.h>

#include "bench.h"
#include "probes_figures.h"
#include "simavr.h"

enum { ROUNDS = 15 };
#define CYCLES 10000000u

static const struct kernel {
    const char *kind, *name, *chip;
    unsigned hz;                  /* 0: the chip's own */
    uint32_t ram, end, untouched; /* addresses */
    bool avrora_memory;           /* which of its figures is beside these */
    bool avrora, simavr;          /* are there any */
} kernels[] = {
    {"compute", "nbody", "atmega128", 7372800, 0x100, 0x10ff, 0xf00, false, true, true},
    {"memory", "sort16", "atmega128", 7372800, 0x100, 0x10ff, 0xf00, true, true, true},
    {"MSP430 compute", "crc", "msp430f1611", 0, 0x1100, 0x38ff, 0x3000, false, false, false},
    {"MSP430 memory", "sort16", "msp430f1611", 0, 0x1100, 0x38ff, 0x3000, true, false, false},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static const struct kernel *kernel; /* under way */
static struct probes_program figures[KERNELS];
static size_t figure_count;

struct count {
    uint64_t reads[0x3900], writes[0x3900];
    struct {
        uint64_t times, cycles;
    } at[0x10000]; /* by word address */
    uint64_t begun;
    uint32_t last;
};

static struct count count;

/* ---- what is put on ---- */

static void nothing_probed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    (void)context, (void)n, (void)pc, (void)after;
}

static void count_probed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct count *c = context;
    (void)n, (void)after;
    c->at[pc / 2].times++;
}

/* What an instruction took is known when the next one begins. */
static void count_cycles_probed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct count *c = context;
    uint64_t now = motet_node_cycles(n);
    (void)after;
    c->at[c->last / 2].cycles += now - c->begun;
    c->at[pc / 2].times++;
    c->begun = now;
    c->last = pc;
}

static void nothing_watched(void *context, const motet_node *n, const struct motet_access *a)
{
    (void)context, (void)n, (void)a;
}

static void count_watched(void *context, const motet_node *n, const struct motet_access *a)
{
    struct count *c = context;
    (void)n;
    (a->write ? c->writes : c->reads)[a->address]++;
}

static void sampled(void *context, const motet_node *n, uint64_t due)
{
    struct count *c = context;
    (void)due;
    c->at[motet_node_pc(n) / 2].times++;
}

static const unsigned accesses = MOTET_READ | MOTET_WRITE | MOTET_AFTER;

static void put_none(motet_node *n) /* and taken off again */
{
    motet_tap_remove(motet_watch(n, kernel->ram, kernel->end, accesses, nothing_watched, NULL));
    motet_tap_remove(motet_probe(n, MOTET_EVERYWHERE, MOTET_BEFORE, nothing_probed, NULL));
    motet_tap_remove(motet_alarm(n, MOTET_CYCLES, 1000, 1000, sampled, &count));
}

static void put_present(motet_node *n)
{
    motet_watch(n, kernel->untouched, kernel->untouched + 1, accesses, nothing_watched, NULL);
}

static void put_empty_watch(motet_node *n)
{
    motet_watch(n, kernel->ram, kernel->end, accesses, nothing_watched, NULL);
}

static void put_counting_watch(motet_node *n)
{
    motet_watch(n, kernel->ram, kernel->end, accesses, count_watched, &count);
}

static void put_empty_probe(motet_node *n)
{
    motet_probe(n, MOTET_EVERYWHERE, MOTET_BEFORE, nothing_probed, NULL);
}

static void put_counting_probe(motet_node *n)
{
    motet_probe(n, MOTET_EVERYWHERE, MOTET_BEFORE, count_probed, &count);
}

static void put_cycles_probe(motet_node *n)
{
    motet_probe(n, MOTET_EVERYWHERE, MOTET_BEFORE, count_cycles_probed, &count);
}

#define SAMPLING(period)                                                   \
    static void put_sampling_##period(motet_node *n)                       \
    {                                                                      \
        motet_alarm(n, MOTET_CYCLES, (period), (period), sampled, &count); \
    }
SAMPLING(1)
SAMPLING(10)
SAMPLING(100)
SAMPLING(1000)

static uint64_t samples[0x10000];

static void put_profile(motet_node *n) /* what --monitor sampling puts on */
{
    motet_sample(n, 1000, 1000, samples, sizeof samples / sizeof *samples);
}

/* Avrora's figures are those of the paper, on the programs it took: overhead in percent. */
struct way {
    const char *name;
    void (*put)(motet_node *n);
    double avrora_compute, avrora_memory; /* negative: the paper has none */
    double limit;                         /* percent of the time with nothing on; 0: none */
    bool beats_simavr;                    /* still has to be faster than it */
};

/* What is to cost nothing is given this much for noise: two runs with nothing on differ by as much now and then. */
#define NOTHING 102

static const struct way ways[] = {
    {"watches: none", put_none, 3.1, 15.8, NOTHING, true},
    {"watches: present", put_present, 3.4, 24.0, NOTHING, true},
    {"watches: empty", put_empty_watch, 3.9, 43.8, 0, true},
    {"watches: count", put_counting_watch, 4.0, 46.0, 0, true},
    {"probes: empty", put_empty_probe, 17.8, -1, 0, true},
    {"probes: count", put_counting_probe, 33.4, -1, 0, true},
    {"probes: count+cycles", put_cycles_probe, 85.5, -1, 0, true},
    {"sampling: 1", put_sampling_1, 200.2, -1, 0, false},
    {"sampling: 10", put_sampling_10, 26.4, -1, 0, false},
    {"sampling: 100", put_sampling_100, 4.7, -1, 0, true},
    {"sampling: 1000", put_sampling_1000, 1.5, -1, 0, true},
    {"monitor sampling", put_profile, 1.5, -1, 101.5, true},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* ---- measuring ---- */

/* A run with something on and one with nothing go side by side, a stretch each in turns, so that what disturbs the
 * machine for a while disturbs both; the time of a stretch is the median over the rounds. */
enum { STRETCHES = 50, BARE = 0, WITH = 1 };

struct times {
    double seconds[2][STRETCHES][ROUNDS];
    uint64_t instructions;
};

static bool one_round(const motet_machine *m, const struct way *way, uint64_t ticks, unsigned round, struct times *t)
{
    motet_network *network[2] = {motet_network_of_one(m, 0, 1), motet_network_of_one(m, 0, 1)};
    motet_node *n[2] = {motet_network_at(network[0], 0), motet_network_at(network[1], 0)};
    char digest[2][MOTET_DIGEST_TEXT];
    bool good = true;
    count.begun = 0;
    way->put(n[WITH]);
    for (unsigned i = 0; i < STRETCHES; i++)
        for (unsigned k = 0; k < 2; k++) {
            unsigned which = (i + k + round) % 2;
            uint64_t until = motet_network_time(network[which], n[which], ticks / STRETCHES * (i + 1));
            double start = bench_seconds();
            good &= motet_network_run(network[which], until) == MOTET_NETWORK_TIME;
            t->seconds[which][i][round] = bench_seconds() - start;
        }
    t->instructions = motet_node_instructions(n[BARE]);
    for (unsigned k = 0; k < 2; k++) {
        motet_node_digest(n[k], digest[k]);
        motet_network_free(network[k]);
    }
    if (!good)
        return bench_wrong("a run did not come to its end");
    return strcmp(digest[BARE], digest[WITH]) == 0 ||
           bench_wrong("with %s the state after the run is another", way->name);
}

static double sum_of_medians(double seconds[STRETCHES][ROUNDS], unsigned rounds)
{
    double sum = 0;
    for (unsigned i = 0; i < STRETCHES; i++)
        sum += bench_median(seconds[i], rounds);
    return sum;
}

static bool reference_mips(const char *elf, uint64_t cycles, uint64_t instructions, unsigned rounds, double *mips)
{
    double seconds[ROUNDS];
    for (unsigned i = 0; i < rounds; i++) {
        struct simavr *s = simavr_new(elf, kernel->chip, kernel->hz);
        double start = bench_seconds();
        bool good = s && simavr_run_until(s, cycles);
        seconds[i] = bench_seconds() - start;
        simavr_free(s);
        if (!good)
            return bench_wrong("simavr did not run %s to its end", elf);
    }
    *mips = (double)instructions / bench_median(seconds, rounds) * 1e-6;
    return true;
}

static void note(const struct way *way, double percent, double mips, double reference)
{
    struct probes_program *p = &figures[figure_count];
    double avrora = kernel->avrora_memory ? way->avrora_memory : way->avrora_compute;
    p->kind = kernel->kind;
    p->name = kernel->name;
    p->chip = kernel->chip;
    p->avrora_name = !kernel->avrora ? NULL : kernel->avrora_memory ? "bubblesort" : "livermore1";
    p->simavr = kernel->simavr ? reference : 0;
    p->figures[p->count++] = (struct probes_figure){way->name, percent, kernel->avrora ? avrora : -1, mips};
}

static void report(const struct way *way, unsigned rounds, struct times *t, double reference)
{
    char name[64];
    double avrora = kernel->avrora_memory ? way->avrora_memory : way->avrora_compute;
    double bare = sum_of_medians(t->seconds[BARE], rounds), with = sum_of_medians(t->seconds[WITH], rounds);
    snprintf(name, sizeof name, "%s, %s", kernel->kind, way->name);
    note(way, 100 * with / bare - 100, (double)t->instructions / with * 1e-6, reference);
    bench_report(&(struct bench_result){.name = name,
                                        .unit = "% time",
                                        .value = 100 * with / bare,
                                        .reference = avrora < 0 || !kernel->avrora ? NULL : "Avrora",
                                        .reference_value = 100 + avrora,
                                        .less_is_better = true,
                                        .limit = way->limit});
    bench_report(&(struct bench_result){.name = name,
                                        .unit = "MIPS",
                                        .value = (double)t->instructions / with * 1e-6,
                                        .reference = kernel->simavr ? "simavr" : NULL,
                                        .reference_value = reference,
                                        .limit = way->beats_simavr && kernel->simavr ? reference : 0});
}

/* MOTET_BENCH_SHORT=1: fewer rounds, to see the page; it says so. */
static bool short_run(void)
{
    const char *asked = getenv("MOTET_BENCH_SHORT");
    return asked && *asked == '1';
}

static bool measure(void)
{
    static struct times t[WAYS];
    char elf[512];
    struct motet_options options = MOTET_OPTIONS_DEFAULT;
    struct motet_error e;
    double reference = 0;
    uint64_t cycles = bench_checking ? CYCLES / 10 : CYCLES;
    unsigned rounds = bench_checking ? 1 : short_run() ? 3 : ROUNDS;
    snprintf(elf, sizeof elf, "%s/bench-%s-%s.elf", FIRMWARE_DIR, kernel->name, kernel->chip);
    options.board = kernel->chip;
    options.hz = kernel->hz;
    motet_machine *m = motet_machine_load(elf, &options, &e);
    if (!m)
        return bench_wrong("%s", e.text);
    uint64_t ticks = cycles * (motet_machine_hz(m) / motet_machine_cpu_hz(m));
    bool good = true;
    for (unsigned i = 0; good && i < rounds; i++) {
        bench_progress("%s, round %u of %u", kernel->name, i + 1, rounds);
        for (size_t w = 0; good && w < WAYS; w++)
            good = one_round(m, &ways[w], ticks, i, &t[w]);
    }
    if (kernel->simavr)
        good = good && reference_mips(elf, cycles, t[0].instructions, rounds, &reference);
    for (size_t w = 0; good && w < WAYS; w++)
        report(&ways[w], rounds, &t[w], reference);
    figure_count++;
    motet_machine_free(m);
    return good;
}

static bool run(void)
{
    for (kernel = kernels; kernel < kernels + KERNELS; kernel++)
        if ((kernel->simavr || MSP430) && !measure())
            return false;
    if (bench_checking)
        return true;
    FILE *out = fopen(PROBES_PAGE, "w");
    if (!out)
        return bench_wrong("cannot write %s: %s", PROBES_PAGE, strerror(errno));
    probes_figures_write(out, figures, figure_count, short_run());
    return fclose(out) == 0 || bench_wrong("cannot write %s", PROBES_PAGE);
}

BENCH_GROUP(
    probes, 30,
    "Looking on: time beside the same run with nothing on (Avrora's is the paper's, on its programs and machine), "
    "and instructions a second beside bare simavr (as tables in docs/probes-figures.md)",
    run)
