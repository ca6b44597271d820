/* Recording on the node beside TARDIS (IPSN 2015): what a log takes, and what it costs to keep it. Writes
 * docs/node-logs-figures.md. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "record_figures.h"

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
    bool good = true;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        good &= measure_check(&small[i]);
    return good;
}

/* RECORD_CASE='micaz multihop-oscilloscope 0 9': that case alone, on standard output. */
static const char *record_chosen(void)
{
    return getenv("RECORD_CASE");
}

static bool record_is_wanted(const struct measure_case *c)
{
    char name[80];
    snprintf(name, sizeof name, "%s %s %u %u", c->board, c->application, c->lpl, c->nodes);
    return (!record_chosen() || strcmp(name, record_chosen()) == 0) && measure_built(c); /* there is a compiler */
}

/* ---- cases, each in a process of its own, as many at a time as there are processors ---- */

struct worker {
    pid_t process; /* 0: none */
    int figures;   /* where they come from */
    size_t number; /* of the case */
};

static void work(const struct measure_case *c, int to)
{
    static struct measure_figures f;
    bool good = measure(c, &f);
    good &= write(to, &f, sizeof f) == sizeof f; /* a pipe holds so much */
    _exit(good ? 0 : 1);
}

static bool begin_case(struct worker *w, size_t number)
{
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0)
        return bench_wrong("cannot make a pipe: %s", strerror(errno));
    *w = (struct worker){fork(), ends[0], number};
    if (w->process == 0)
        work(&cases[number].run, ends[1]);
    close(ends[1]);
    return w->process > 0 || bench_wrong("cannot make a process: %s", strerror(errno));
}

static bool end_case(struct worker *all, size_t count)
{
    int status;
    pid_t ended = wait(&status);
    for (struct worker *w = all; w < all + count; w++) {
        if (w->process != ended)
            continue;
        struct measure_figures *f = &cases[w->number].figures;
        bool good = status == 0 && read(w->figures, f, sizeof *f) == sizeof *f;
        close(w->figures);
        w->process = 0;
        return good;
    }
    return false;
}

static bool run_cases(void)
{
    enum { MOST = 8 };
    struct worker all[MOST] = {{0}};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t room = processors < 1 ? 1 : processors > MOST ? MOST : (size_t)processors, busy = 0;
    bool good = true;
    for (size_t i = 0; i < CASES || busy;) {
        const struct measure_case *c = &cases[i < CASES ? i : 0].run;
        if (good && i < CASES && busy < room) {
            struct worker *free_one = all;
            while (free_one->process)
                free_one++;
            if (record_is_wanted(c)) {
                bench_progress("%s on %s, LPL %u ms, nodes: %u", c->application, c->board, c->lpl, c->nodes);
                good = begin_case(free_one, i);
                busy += good;
            }
            i++;
            continue;
        }
        if (!busy)
            break;
        good &= end_case(all, MOST);
        busy--;
        if (!good)
            i = CASES;
    }
    return good;
}

static bool run(void)
{
    if (bench_checking)
        return check();
    if (!run_cases())
        return false;
    size_t count = 0;
    for (size_t i = 0; i < CASES; i++)
        if (record_is_wanted(&cases[i].run))
            cases[count++] = cases[i];
    if (count == 0)
        return bench_wrong("there is no recorded firmware; build the target `measured`");
    if (record_chosen()) {
        figures_write(stdout, cases, count);
        return true;
    }
    FILE *out = fopen(RECORD_FIGURES, "w");
    if (!out)
        return bench_wrong("cannot write %s: %s", RECORD_FIGURES, strerror(errno));
    figures_write(out, cases, count);
    return fclose(out) == 0 || bench_wrong("cannot write %s", RECORD_FIGURES);
}

BENCH_GROUP(record, 50, "Recording on the node, beside TARDIS (all of it in docs/node-logs-figures.md)", run)
