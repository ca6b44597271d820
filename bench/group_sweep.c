/* A sweep of 200 runs: with one worker, two, and two ranks of MPI, in turns; all have the same table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

enum { SWEEP_KINDS = 3 };

static const struct sweep_kind {
    const char *name, *before, *workers;
} sweep_kinds[SWEEP_KINDS] = {
    {"one worker", "", "1"},
    {"two workers", "", "2"},
    {"two ranks of MPI", "mpirun --allow-run-as-root --oversubscribe -n 2 ", "1"},
};

static double sweep_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool sweep_write_scenario(const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return bench_wrong("cannot write %s", path);
    fprintf(f,
            "for i = 0, 8 do\n"
            "    node{ id = i, board = \"micaz\", firmware = \"%s/multihop-oscilloscope-micaz.elf\",\n"
            "          x = i %% 3 * 10, y = i // 3 * 10, boot = 0.1 * i }\n"
            "end\n"
            "medium{ loss = parameter(\"loss\", 0) }\n"
            "run_for(%s)\n"
            "at_end(function() report(\"transmissions\", transmissions()) end)\n",
            FIRMWARE_DIR, bench_checking ? "1" : "20");
    return fclose(f) == 0 || bench_wrong("cannot write %s", path);
}

static bool sweep_measure(const struct sweep_kind *k, unsigned number, double *took)
{
    char command[2048];
    double begun = sweep_clock();
    snprintf(command, sizeof command,
             "%s%s sweep %s/sweep.lua --quiet --seeds %u --with loss=0,0.2 --workers %s --table %s/sweep-%u.csv "
             ">%s/sweep-%u.txt 2>&1",
             k->before, MOTET, SCRATCH, bench_checking ? 3 : 100, k->workers, SCRATCH, number, SCRATCH, number);
    if (system(command) != 0)
        return bench_wrong("%s failed", command);
    *took = sweep_clock() - begun;
    if (!number)
        return true;
    snprintf(command, sizeof command, "cmp %s/sweep-0.csv %s/sweep-%u.csv", SCRATCH, SCRATCH, number);
    return system(command) == 0 || bench_wrong("%s and %s have different tables", sweep_kinds[0].name, k->name);
}

static bool sweep_bench(void)
{
    double took[SWEEP_KINDS][BENCH_ROUNDS], median[SWEEP_KINDS];
    unsigned rounds = bench_checking ? 1 : 3, kinds = SWEEP_KINDS;
    if (system("command -v mpirun >/dev/null") != 0)
        kinds--;
    if (system("mkdir -p " SCRATCH) != 0 || !sweep_write_scenario(SCRATCH "/sweep.lua"))
        return false;
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < kinds; i++) {
            bench_progress("sweep: %s", sweep_kinds[i].name);
            if (!sweep_measure(&sweep_kinds[i], i, &took[i][round]))
                return false;
        }
    for (unsigned i = 0; i < kinds; i++) {
        median[i] = bench_median(took[i], rounds);
        bench_report(&(struct bench_result){.name = sweep_kinds[i].name,
                                            .unit = "s",
                                            .value = median[i],
                                            .reference = i ? sweep_kinds[0].name : NULL,
                                            .reference_value = median[0],
                                            .less_is_better = true});
    }
    return true;
}

BENCH_GROUP(sweep, 95, "A sweep of 200 runs of nine nodes for 20 s: elapsed time, and the same table.", sweep_bench)
