/* What looking on costs, in the shape of the tables of Avrora's paper (section 6): watches, probes on every
 * instruction, sampling; each beside the same run without, in turns, and beside simavr without anything on the same
 * program. */
#include <string.h>

#include <motet/motet.h>

#include "bench.h"
#include "simavr.h"

enum { ROUNDS = 5, CHIP_HZ = 7372800 };
#define CYCLES 60000000u

struct count {
    uint64_t reads[0x1100], writes[0x1100];
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
enum { RAM = 0x100, RAM_END = 0x10ff, UNTOUCHED = 0x0f00 };

static void put_none(motet_node *n) /* and taken off again */
{
    motet_tap_remove(motet_watch(n, RAM, RAM_END, accesses, nothing_watched, NULL));
    motet_tap_remove(motet_probe(n, MOTET_EVERYWHERE, MOTET_BEFORE, nothing_probed, NULL));
    motet_tap_remove(motet_alarm(n, MOTET_CYCLES, 1000, 1000, sampled, &count));
}

static void put_present(motet_node *n)
{
    motet_watch(n, UNTOUCHED, UNTOUCHED + 1, accesses, nothing_watched, NULL);
}

static void put_empty_watch(motet_node *n)
{
    motet_watch(n, RAM, RAM_END, accesses, nothing_watched, NULL);
}

static void put_counting_watch(motet_node *n)
{
    motet_watch(n, RAM, RAM_END, accesses, count_watched, &count);
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

/* Avrora's figures are those of the paper, on the programs it took: overhead in percent. */
struct way {
    const char *name;
    void (*put)(motet_node *n);
    double avrora_compute, avrora_memory; /* negative: the paper has none */
};

static const struct way ways[] = {
    {"watches: none", put_none, 3.1, 15.8},
    {"watches: present", put_present, 3.4, 24.0},
    {"watches: empty", put_empty_watch, 3.9, 43.8},
    {"watches: count", put_counting_watch, 4.0, 46.0},
    {"probes: empty", put_empty_probe, 17.8, -1},
    {"probes: count", put_counting_probe, 33.4, -1},
    {"probes: count+cycles", put_cycles_probe, 85.5, -1},
    {"sampling: 1", put_sampling_1, 200.2, -1},
    {"sampling: 10", put_sampling_10, 26.4, -1},
    {"sampling: 100", put_sampling_100, 4.7, -1},
    {"sampling: 1000", put_sampling_1000, 1.5, -1},
};
enum { WAYS = sizeof ways / sizeof *ways };

static const struct {
    const char *name, *kind;
    bool memory;
} kernels[] = {{"nbody", "compute", false}, {"sort16", "memory", true}};

/* ---- measuring ---- */

struct result {
    double seconds;
    uint64_t instructions;
    char digest[MOTET_DIGEST_TEXT];
};

static bool run_with(const motet_machine *m, void (*put)(motet_node *n), uint64_t cycles, struct result *r)
{
    motet_node *n = motet_node_new(m, 0, 1);
    count.begun = 0;
    if (put)
        put(n);
    double start = bench_seconds();
    bool good = motet_node_run(n, cycles) == MOTET_RUNNING;
    r->seconds = bench_seconds() - start;
    r->instructions = motet_node_instructions(n);
    motet_node_digest(n, r->digest);
    motet_node_free(n);
    return good;
}

static double reference_seconds(const char *elf, uint64_t cycles)
{
    struct simavr *s = simavr_new(elf, "atmega128", CHIP_HZ);
    double start = bench_seconds();
    bool good = s && simavr_run_until(s, cycles);
    double seconds = bench_seconds() - start;
    simavr_free(s);
    return good ? seconds : 0;
}

struct times {
    double ratio[WAYS][ROUNDS], mips[WAYS][ROUNDS], reference[ROUNDS];
};

static bool one_round(const motet_machine *m, const char *elf, unsigned round, struct times *t)
{
    uint64_t cycles = bench_checking ? CYCLES / 50 : CYCLES;
    struct result bare, with;
    double reference = reference_seconds(elf, cycles);
    if (reference <= 0 || !run_with(m, NULL, cycles, &bare))
        return bench_wrong("%s did not run to the end", elf);
    t->reference[round] = (double)bare.instructions / reference * 1e-6;
    for (size_t i = 0; i < WAYS; i++) {
        struct result again;
        if (!run_with(m, NULL, cycles, &again) || !run_with(m, ways[i].put, cycles, &with))
            return bench_wrong("%s did not run to the end", elf);
        if (strcmp(with.digest, bare.digest) != 0)
            return bench_wrong("%s: with %s the state after the run is another", elf, ways[i].name);
        t->ratio[i][round] = with.seconds / again.seconds;
        t->mips[i][round] = (double)with.instructions / with.seconds * 1e-6;
    }
    return true;
}

static void report(size_t kernel, unsigned rounds, struct times *t)
{
    double reference = bench_median(t->reference, rounds);
    for (size_t i = 0; i < WAYS; i++) {
        char name[64];
        double avrora = kernels[kernel].memory ? ways[i].avrora_memory : ways[i].avrora_compute;
        snprintf(name, sizeof name, "%s, %s", kernels[kernel].kind, ways[i].name);
        bench_report(&(struct bench_result){.name = name,
                                            .unit = "% time",
                                            .value = 100 * bench_median(t->ratio[i], rounds),
                                            .reference = avrora < 0 ? NULL : "Avrora",
                                            .reference_value = 100 + avrora,
                                            .less_is_better = true});
        bench_report(&(struct bench_result){.name = name,
                                            .unit = "MIPS",
                                            .value = bench_median(t->mips[i], rounds),
                                            .reference = "simavr",
                                            .reference_value = reference});
    }
}

static bool measure(size_t kernel)
{
    static struct times t;
    char elf[512];
    struct motet_options options = MOTET_OPTIONS_DEFAULT;
    struct motet_error e;
    snprintf(elf, sizeof elf, "%s/bench-%s-atmega128.elf", FIRMWARE_DIR, kernels[kernel].name);
    options.board = "atmega128";
    options.hz = CHIP_HZ;
    motet_machine *m = motet_machine_load(elf, &options, &e);
    if (!m)
        return bench_wrong("%s", e.text);
    unsigned rounds = bench_checking ? 1 : ROUNDS;
    bool good = true;
    for (unsigned i = 0; good && i < rounds; i++) {
        bench_progress("%s, round %u of %u", kernels[kernel].name, i + 1, rounds);
        good = one_round(m, elf, i, &t);
    }
    if (good)
        report(kernel, rounds, &t);
    motet_machine_free(m);
    return good;
}

static bool run(void)
{
    return measure(0) && measure(1);
}

BENCH_GROUP(
    probes, 15,
    "Looking on: time beside the same run with nothing on (Avrora's is the paper's, on its programs and machine), "
    "and instructions a second beside bare simavr",
    run)
