/* AVR programs: the kernels, each run for the same number of cycles by Motet and by simavr in turns. */
#include "bench.h"
#include "simavr.h"

static bool run(void)
{
    static const char *const kernels[] = {"sort16", "nbody", "fft", "crc", "mixed"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/bench-%s-atmega128.elf", FIRMWARE_DIR, kernels[i]);
        struct simavr *s = simavr_new(path, "atmega128", 7372800);
        double start = bench_seconds();
        uint64_t cycles = simavr_run_until(s, 20000000);
        double seconds = bench_seconds() - start;
        bench_report(&(struct bench_result){kernels[i], "Mcycles/s", (double)cycles / seconds / 1e6, NULL, 0, false});
        simavr_free(s);
    }
    return true;
}

BENCH_GROUP(avr, 10, "AVR programs, simulated instructions per second", run)
