/* Snapshots of a running node: what taking one, and taking and restoring one, costs. */
#include "bench.h"
#include "subject.h"

static bool measure(const char *chip, uint32_t frequency)
{
    char elf[512], names[2][64];
    snprintf(elf, sizeof elf, "%s/bench-mixed-%s.elf", FIRMWARE_DIR, chip);
    snprintf(names[0], sizeof names[0], "take %s", chip);
    snprintf(names[1], sizeof names[1], "take and restore %s", chip);
    struct subject *s = subject_new(elf, chip, frequency);
    if (!s || !subject_run_until(s, 1000000)) {
        subject_free(s);
        return bench_wrong("%s does not run", elf);
    }
    void (*const work[])(struct subject *, unsigned) = {subject_take, subject_take_and_restore};
    unsigned times = bench_checking ? 100 : 50000;
    for (unsigned w = 0; w < 2; w++) {
        double nanoseconds[BENCH_ROUNDS];
        for (unsigned i = 0; i < BENCH_ROUNDS; i++) {
            double start = bench_seconds();
            work[w](s, times);
            nanoseconds[i] = (bench_seconds() - start) * 1e9 / times;
        }
        bench_report(&(struct bench_result){
            .name = names[w], .unit = "ns", .value = bench_median(nanoseconds, BENCH_ROUNDS), .less_is_better = true});
    }
    subject_free(s);
    return true;
}

static bool run(void)
{
    return measure("atmega128", 7372800) & measure("atmega328p", 16000000);
}

BENCH_GROUP(snapshot, 20, "snapshots of a running node", run)
