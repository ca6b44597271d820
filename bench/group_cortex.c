/* Cortex-M: the kernels, run by Motet and by QEMU in turns, QEMU with and without counting instructions. Motet's first
 * cycles are those of the loop; it is measured again when what is hot is translated. Then networks
 * of the kit's nodes, which sleep most of the time, beside the same network of MICAz. QEMU has no nRF52840: the kernels
 * use no device, and its mps2-an386 has flash and RAM at the same addresses. */
#include <motet/motet.h>
#include <string.h>

#include "bench.h"
#include "qemu.h"
#include "subject.h"

#define BOARD "nrf52840dk"

static const char *const kernels[] = {"sort16", "crc"};

enum { NODES = 64, SECONDS = 10, BOOTED = 2 };

/* Cycles: in the loop, before what is hot is translated; until it is; until the end. With --check fewer. */
enum { LOOP = 80000000, WARM = 1600000000, END = 2000000000, FEW = 100 };

static uint16_t rounds_of(const struct subject *s)
{
    uint32_t at = subject_address(s, "bench_rounds");
    return (uint16_t)(subject_byte(s, at) | subject_byte(s, at + 1) << 8);
}

struct pass {
    double loop, translated, qemu, counted; /* MIPS */
};

/* Runs until the cycle; returns MIPS, or 0 if that was not possible. */
static double run_until(struct subject *s, uint64_t cycle)
{
    double start = bench_seconds(), before = (double)subject_instructions(s);
    bool good = subject_run_until(s, bench_checking ? cycle / FEW : cycle);
    return good ? ((double)subject_instructions(s) - before) / (bench_seconds() - start) * 1e-6 : 0;
}

static bool run_once(const char *elf, struct pass *p)
{
    struct subject *s = subject_new(elf, BOARD, 0);
    double plain = 0, counted = 0;
    if (!s)
        return false;
    p->loop = run_until(s, LOOP);
    double instructions = (double)subject_instructions(s), rounds = rounds_of(s);
    bool good = p->loop > 0 && rounds > 0 && run_until(s, WARM) > 0;
    p->translated = good ? run_until(s, END) : 0;
    good = p->translated > 0;
    uint32_t at = subject_address(s, "bench_rounds");
    subject_free(s);
    good = good && qemu_run(&qemu_arm, elf, at, &plain) && qemu_run(&qemu_arm_counted, elf, at, &counted);
    p->qemu = plain * instructions / rounds * 1e-6;
    p->counted = counted * instructions / rounds * 1e-6;
    return good;
}

static void report(const char *kernel, const char *engine, double value, double qemu, double counted)
{
    char name[64];
    snprintf(name, sizeof name, "%s nrf52840%s", kernel, engine);
    struct bench_result r = {
        .name = name, .unit = "MIPS", .value = value, .reference = "QEMU", .reference_value = qemu};
    bench_report(&r);
    r.reference = "QEMU -icount";
    r.reference_value = counted;
    bench_report(&r);
}

static bool measure(const char *kernel)
{
    char elf[512];
    double loop[BENCH_ROUNDS], translated[BENCH_ROUNDS], qemu[BENCH_ROUNDS], counted[BENCH_ROUNDS];
    unsigned rounds = bench_checking ? 1 : BENCH_ROUNDS;
    snprintf(elf, sizeof elf, "%s/bench-%s-nrf52840.elf", FIRMWARE_DIR, kernel);
    for (unsigned i = 0; i < rounds; i++) {
        struct pass p;
        bench_progress("%s, round %u of %u", kernel, i + 1, rounds);
        if (!run_once(elf, &p))
            return false;
        loop[i] = p.loop;
        translated[i] = p.translated;
        qemu[i] = p.qemu;
        counted[i] = p.counted;
    }
    double q = bench_median(qemu, rounds), c = bench_median(counted, rounds);
    report(kernel, "", bench_median(translated, rounds), q, c);
    report(kernel, ", loop", bench_median(loop, rounds), q, c);
    return true;
}

/* Node-seconds a second of a grid in which every node reports over several hops. */
static bool network_once(const char *board, double *rate)
{
    struct motet_options options = MOTET_OPTIONS_DEFAULT;
    struct motet_error e;
    struct motet_medium medium;
    char elf[512];
    motet_medium_default(&medium);
    medium.model = MOTET_MODEL_DISK;
    medium.range = 15;
    options.board = board;
    snprintf(elf, sizeof elf, "%s/multihop-oscilloscope-%s.elf", FIRMWARE_DIR, board);
    motet_machine *m = motet_machine_load(elf, &options, &e);
    motet_network *n = m ? motet_network_new(1, 1, &medium, &e) : NULL;
    bool good = n;
    for (unsigned i = 0; i < NODES && good; i++) {
        struct motet_place p = {.id = i, .x = i % 8 * 10.0, .y = i / 8 * 10.0, .boot = i * UINT64_C(7919000)};
        motet_node *node = motet_network_add(n, m, &p, &e);
        good = node && motet_node_set(node, "node_id", i, &e);
    }
    if (good) {
        motet_network_run(n, BOOTED * UINT64_C(1000000000));
        double start = bench_seconds(), seconds = bench_checking ? 1 : SECONDS;
        motet_network_run(n, (BOOTED * UINT64_C(1000000000)) + (uint64_t)(seconds * 1e9));
        *rate = NODES * seconds / (bench_seconds() - start);
        good = motet_network_transmissions(n) > 0;
    }
    motet_network_free(n);
    motet_machine_free(m);
    return good ? true : bench_wrong("%s: %s", elf, e.text);
}

static bool measure_network(void)
{
    double subject[BENCH_ROUNDS], reference[BENCH_ROUNDS];
    unsigned rounds = bench_checking ? 1 : BENCH_ROUNDS;
    for (unsigned i = 0; i < rounds; i++) {
        bench_progress("network, round %u of %u", i + 1, rounds);
        if (!network_once(BOARD, &subject[i]) || !network_once("micaz", &reference[i]))
            return false;
    }
    bench_report(&(struct bench_result){.name = "64 nodes of multihop-oscilloscope",
                                        .unit = "node-s/s",
                                        .value = bench_median(subject, rounds),
                                        .reference = "MICAz",
                                        .reference_value = bench_median(reference, rounds)});
    return true;
}

static bool run(void)
{
    bool good = true;
    if (!qemu_is_there(&qemu_arm))
        return bench_wrong("qemu-system-arm is not installed");
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        good &= measure(kernels[k]);
    return good && measure_network();
}

BENCH_GROUP(cortex, 16, "Cortex-M programs, simulated instructions a second (QEMU's as Motet counts them); networks",
            run)
