/* Recording on the node beside TARDIS (IPSN 2015): what a log takes, and what it costs to keep it. Writes
 * docs/node-logs-figures.md. */
#include <stdlib.h>

#include "bench.h"
#include "page.h"
#include "record_cases.h"

#define MHO "multihop-oscilloscope"
/* The paper's figures: how many percent smaller than uncompressed. Nodes that do little run for long, and networks
 * beyond finding themselves: else logs would be mostly what the codec has to learn. */
#define CASE(board, application, lpl, nodes, seconds, reduction)                    \
    {                                                                               \
        .run = {board, application, lpl, nodes, seconds, false}, .paper = reduction \
    }
/* Five nodes, as in the paper's Table 1; and applications as heavy as the paper's. */
#define LIGHT(board, application, lpl, nodes, seconds)           \
    {                                                            \
        .run = { board, application, lpl, nodes, seconds, true } \
    }
#define CASES_OF(board)                                                                                        \
    CASE(board, MHO, 0, 1, 600, 92), CASE(board, MHO, 64, 1, 60, 94), CASE(board, MHO, 512, 1, 60, 90),        \
        CASE(board, MHO, 0, 9, 120, 80), CASE(board, MHO, 64, 9, 120, 86), CASE(board, MHO, 512, 9, 120, 77),  \
        CASE(board, "earthquake", 0, 1, 60, 0), CASE(board, "earthquake", 0, 9, 120, 83),                      \
        CASE(board, "collect", 0, 1, 600, 0), CASE(board, "collect", 0, 9, 180, 78),                           \
        CASE(board, "sense", 0, 1, 600, 0), CASE(board, "blink", 0, 1, 600, 0), LIGHT(board, MHO, 64, 5, 120), \
        LIGHT(board, "easy-collection", 0, 9, 30), LIGHT(board, "chatter", 0, 9, 30)

static struct figures_case cases[] = {CASES_OF("micaz"), CASES_OF("telosb")};
enum { CASES = sizeof cases / sizeof *cases };

static bool check(void)
{
    static const struct measure_case small[] = {{"micaz", "sense", 0, 1, 10, false},
                                                {"micaz", MHO, 0, 1, 60, false},
                                                {"micaz", MHO, 0, 3, 4, false},
                                                {"telosb", "sense", 0, 1, 10, false},
                                                {"telosb", MHO, 0, 3, 4, false}};
    return cases_check(small, sizeof small / sizeof *small);
}

static bool run(void)
{
    if (bench_checking)
        return check();
    size_t count = CASES;
    if (!cases_measure(cases, &count))
        return false;
    if (cases_chosen()) {
        figures_write(stdout, cases, count);
        return true;
    }
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    figures_write(out, cases, count);
    fclose(out);
    bool good = page_write_others(RECORD_FIGURES, FIGURES_CORTEX, text);
    free(text);
    return good;
}

BENCH_GROUP(record, 50, "Recording on the node, beside TARDIS (all of it in docs/node-logs-figures.md)", run)
