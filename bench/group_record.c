/* Recording on the node beside TARDIS (IPSN 2015): what a log takes, and what it costs to keep it. Writes
 * docs/node-logs-figures.md. */
#include <errno.h>
#include <string.h>

#include "bench.h"
#include "record_figures.h"

#define MHO "multihop-oscilloscope"
/* The paper's figures: how many percent smaller than uncompressed. Nodes that do little run for long, and networks
 * beyond finding themselves: else logs would be mostly what the codec has to learn. */
#define CASE(board, application, lpl, nodes, seconds, reduction)             \
    {                                                                        \
        .run = {board, application, lpl, nodes, seconds}, .paper = reduction \
    }
#define CASES_OF(board)                                                                                       \
    CASE(board, MHO, 0, 1, 600, 92), CASE(board, MHO, 64, 1, 60, 94), CASE(board, MHO, 512, 1, 60, 90),       \
        CASE(board, MHO, 0, 9, 120, 80), CASE(board, MHO, 64, 9, 120, 86), CASE(board, MHO, 512, 9, 120, 77), \
        CASE(board, "earthquake", 0, 1, 60, 0), CASE(board, "earthquake", 0, 9, 120, 83),                     \
        CASE(board, "collect", 0, 1, 600, 0), CASE(board, "collect", 0, 9, 300, 78),                          \
        CASE(board, "sense", 0, 1, 600, 0), CASE(board, "blink", 0, 1, 600, 0)

static struct figures_case cases[] = {CASES_OF("micaz"), CASES_OF("telosb")};
enum { CASES = sizeof cases / sizeof *cases };

static bool check(void)
{
    static const struct measure_case small[] = {{"micaz", "sense", 0, 1, 10},
                                                {"micaz", MHO, 0, 1, 60},
                                                {"micaz", MHO, 0, 3, 4},
                                                {"telosb", "sense", 0, 1, 10},
                                                {"telosb", MHO, 0, 3, 4}};
    bool good = true;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        good &= measure_check(&small[i]);
    return good;
}

static bool run(void)
{
    if (bench_checking)
        return check();
    size_t count = 0;
    for (size_t i = 0; i < CASES; i++) {
        const struct measure_case *c = &cases[i].run;
        bench_progress("%s on %s, LPL %u ms, nodes: %u", c->application, c->board, c->lpl, c->nodes);
        if (!measure_built(c))
            continue; /* a board for which there is no compiler */
        if (!measure(c, &cases[i].figures))
            return false;
        cases[count++] = cases[i];
    }
    if (count == 0)
        return bench_wrong("there is no recorded firmware; build the target `measured`");
    FILE *out = fopen(RECORD_FIGURES, "w");
    if (!out)
        return bench_wrong("cannot write %s: %s", RECORD_FIGURES, strerror(errno));
    figures_write(out, cases, count);
    return fclose(out) == 0 || bench_wrong("cannot write %s", RECORD_FIGURES);
}

BENCH_GROUP(record, 50, "Recording on the node, beside TARDIS (all of it in docs/node-logs-figures.md)", run)
