#include "record_cases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

const char *cases_chosen(void)
{
    return getenv("RECORD_CASE");
}

static bool cases_is_wanted(const struct measure_case *c)
{
    char name[80];
    snprintf(name, sizeof name, "%s %s %u %u", c->board, c->application, c->lpl, c->nodes);
    return (!cases_chosen() || strcmp(name, cases_chosen()) == 0) && measure_built(c); /* there is a compiler */
}

struct worker {
    pid_t process; /* 0: none */
    int figures;   /* where they come from */
    size_t number; /* of the case */
};

static void cases_work(const struct measure_case *c, int to)
{
    static struct measure_figures f;
    bool good = measure(c, &f);
    good &= write(to, &f, sizeof f) == sizeof f; /* a pipe holds so much */
    _exit(good ? 0 : 1);
}

static bool cases_begin(struct worker *w, const struct measure_case *c, size_t number)
{
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0)
        return bench_wrong("cannot make a pipe: %s", strerror(errno));
    *w = (struct worker){fork(), ends[0], number};
    if (w->process == 0)
        cases_work(c, ends[1]);
    close(ends[1]);
    return w->process > 0 || bench_wrong("cannot make a process: %s", strerror(errno));
}

static bool cases_end(struct worker *all, size_t count, struct figures_case *cases)
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

static bool cases_run(struct figures_case *cases, size_t count)
{
    enum { MOST = 8 };
    struct worker all[MOST] = {{0}};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t room = processors < 1 ? 1 : processors > MOST ? MOST : (size_t)processors, busy = 0;
    bool good = true;
    for (size_t i = 0; i < count || busy;) {
        const struct measure_case *c = &cases[i < count ? i : 0].run;
        if (good && i < count && busy < room) {
            struct worker *free_one = all;
            while (free_one->process)
                free_one++;
            if (cases_is_wanted(c)) {
                bench_progress("%s on %s, LPL %u ms, nodes: %u", c->application, c->board, c->lpl, c->nodes);
                good = cases_begin(free_one, c, i);
                busy += good;
            }
            i++;
            continue;
        }
        if (!busy)
            break;
        good &= cases_end(all, MOST, cases);
        busy--;
        if (!good)
            i = count;
    }
    return good;
}

bool cases_check(const struct measure_case *small, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count; i++)
        good &= measure_check(&small[i]);
    return good;
}

bool cases_measure(struct figures_case *cases, size_t *count)
{
    size_t kept = 0;
    if (!cases_run(cases, *count))
        return false;
    for (size_t i = 0; i < *count; i++)
        if (cases_is_wanted(&cases[i].run))
            cases[kept++] = cases[i];
    *count = kept;
    return kept || bench_wrong("there is no recorded firmware; build the target `measured`");
}
