/* Slices, levels and native replay: what tracing takes, beside the paper's figures. bench/slice-figures does the work,
 * case by case, and writes docs/slice-figures.md; SLICE_PARTS chooses cases. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static void group_slice_report(char *line)
{
    char *name = strtok(line, "|"), *unit = strtok(NULL, "|"), *value = strtok(NULL, "|"), *goal = strtok(NULL, "|\n");
    if (!goal)
        return;
    bool less = strcmp(unit, "bytes") == 0;
    bench_report(&(struct bench_result){
        .name = name, .unit = unit, .value = atof(value), .less_is_better = less, .limit = atof(goal)});
}

static bool run(void)
{
    char command[2048], line[512];
    const char *parts = getenv("SLICE_PARTS");
    if (!SLICE_TRACED)
        return true; /* there is no LLVM */
    snprintf(command, sizeof command, "%s BUILD='%s' SCRATCH='%s/slice-figures%s' '%s' %s",
             bench_checking ? "CHECK=1" : "", SLICE_BUILD, SLICE_BUILD, bench_checking ? "-check" : "", SLICE_SCRIPT,
             bench_checking ? "blink-uno"
             : parts        ? parts
                            : "");
    FILE *f = popen(command, "r");
    while (f && fgets(line, sizeof line, f))
        group_slice_report(line);
    return (f && pclose(f) == 0) || bench_wrong("%s failed", command);
}

BENCH_GROUP(slice, 85, "tracing by levels: bytes added at level 3, native replay", run)
