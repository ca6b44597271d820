/* usage: bench [--check] [GROUP...]
 * Runs the named groups (all where none is named), prints a table for each and writes bench.json beside the build. With
 * --check it only sees that what would be compared agrees, and writes nothing. */
#include "bench.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool bench_checking;

static struct bench_group *groups;
static const struct bench_group *running;
static FILE *json;
static unsigned reported, lines; /* by the running group, by all */

void bench_register(struct bench_group *g)
{
    struct bench_group **at = &groups;
    while (*at && (*at)->order <= g->order)
        at = &(*at)->next;
    g->next = *at;
    *at = g;
}

double bench_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void clear_progress(void)
{
    if (isatty(2))
        fprintf(stderr, "\r\033[K");
}

bool bench_wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    clear_progress();
    fprintf(stderr, "bench %s: ", running->name);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return false;
}

void bench_progress(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    clear_progress();
    vfprintf(stderr, format, args);
    if (!isatty(2))
        fputc('\n', stderr);
    va_end(args);
}

void bench_report(const struct bench_result *r)
{
    bool compared = r->reference && r->reference_value > 0 && r->value > 0;
    double ratio = compared ? (r->less_is_better ? r->reference_value / r->value : r->value / r->reference_value) : 0;
    clear_progress();
    if (reported++ == 0) {
        printf("\n%s: %s\n", running->name, running->about);
        printf("%-34s %10s %-9s %22s %8s\n", "name", "Motet", "unit", "reference", "ratio");
    }
    printf("%-34s %10.1f %-9s ", r->name, r->value, r->unit);
    if (compared)
        printf("%10s %11.1f %7.2fx", r->reference, r->reference_value, ratio);
    else
        printf("%22s %8s", "-", "-");
    bool met = r->less_is_better ? r->value < r->limit : r->value > r->limit;
    if (r->limit > 0)
        printf("  %s (%s %.1f)", met ? "ok" : "FAIL", r->less_is_better ? "under" : "over", r->limit);
    putchar('\n');
    fflush(stdout);

    fprintf(json, "%s\n  {\"group\": \"%s\", \"name\": \"%s\", \"unit\": \"%s\", \"value\": %.6g", lines++ ? "," : "",
            running->name, r->name, r->unit, r->value);
    if (compared)
        fprintf(json, ", \"reference\": \"%s\", \"reference_value\": %.6g, \"ratio\": %.4g", r->reference,
                r->reference_value, ratio);
    else
        fprintf(json, ", \"reference\": null, \"reference_value\": null, \"ratio\": null");
    if (r->limit > 0)
        fprintf(json, ", \"limit\": %.6g, \"met\": %s", r->limit, met ? "true" : "false");
    fputc('}', json);
}

static bool wanted(const struct bench_group *g, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], g->name) == 0)
            return true;
    return count == 0;
}

static bool known(const char *name)
{
    for (const struct bench_group *g = groups; g; g = g->next)
        if (strcmp(name, g->name) == 0)
            return true;
    fprintf(stderr, "bench: there is no group `%s`; the groups are:", name);
    for (const struct bench_group *g = groups; g; g = g->next)
        fprintf(stderr, " %s", g->name);
    fputc('\n', stderr);
    return false;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--check") == 0) {
        bench_checking = true;
        argc--, argv++;
    }
    for (int i = 1; i < argc; i++)
        if (!known(argv[i]))
            return 2;
    const char *path = bench_checking ? "/dev/null" : BENCH_JSON;
    json = fopen(path, "w");
    if (!json) {
        fprintf(stderr, "bench: cannot write %s: %s\n", path, strerror(errno));
        return 2;
    }
    fputc('[', json);
    bool good = true;
    for (const struct bench_group *g = groups; g; g = g->next) {
        if (!wanted(g, argc - 1, argv + 1))
            continue;
        running = g;
        reported = 0;
        good &= g->run();
    }
    fprintf(json, "\n]\n");
    fclose(json);
    if (!bench_checking)
        printf("\nwritten to %s\n", path);
    return good ? 0 : 1;
}
