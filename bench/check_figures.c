#include "check_figures.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "bench.h"
#include "check_rows.h"
#include "motet/sweep.h"

/* Two nodes make no tree that can be repaired, and no clusters. 0: there is no large network of it. */
static unsigned figures_nodes(const struct bug *b, bool large)
{
    static const unsigned small[] = {2, 1, 3, 4, 6};
    return !large ? small[b->where] : b->where == IN_SERIAL ? 0 : 8;
}

/* A number that the environment may set. */
static unsigned figures_number(const char *name, unsigned usual)
{
    const char *text = getenv(name);
    unsigned long number = text ? strtoul(text, NULL, 10) : 0;
    return number >= 1 && number <= 1000 ? (unsigned)number : usual;
}

/* 25 at most, as in the paper; SEEDS=5 asks for fewer. */
static unsigned figures_seeds(void)
{
    return bench_checking ? 1 : figures_number("SEEDS", 25);
}

/* ---- rows that are kept ----
 * A line of text each, behind a digest of all that the row depends on. */

#define FIGURES_KEPT SCRATCH ".rows"

static struct digest figures_digest_of_file(const char *path)
{
    struct digest d = digest_of("", 0);
    char bytes[1 << 16];
    FILE *in = fopen(path, "rb");
    for (size_t got; in && (got = fread(bytes, 1, sizeof bytes, in)) > 0;)
        d = digest_join(d, digest_of(bytes, got));
    if (in)
        fclose(in);
    return d;
}

static void figures_key(const struct row *r, unsigned seeds, char text[DIGEST_TEXT])
{
    char path[512], name[128];
    row_firmware(r, path, sizeof path);
    snprintf(name, sizeof name, "%s %s %u %u", r->bug->name, r->board, r->nodes, seeds);
    struct digest d = digest_join(figures_digest_of_file(MOTET), figures_digest_of_file(path));
    digest_print(digest_join(d, digest_of(name, strlen(name))), text);
}

static bool figures_parse(const char *line, struct row *r)
{
    struct found *d = &r->deviating, *s = &r->shortest;
    int is[2];
    int got = sscanf(line, "%u %u %u %lf %lf %lf %d %lf %d %lf %lf %lf %lf %lf %u %lf", &r->seeds, &r->plain,
                     &r->walked, &r->events, &r->seconds, &r->longest, &is[0], &d->choices, &is[1], &s->seconds,
                     &s->choices, &s->tasks, &s->interrupts, &s->timers, &s->left_out, &r->taken);
    d->is = got == 16 && is[0];
    s->is = got == 16 && is[1];
    return got == 16;
}

static void figures_recall(struct row *r, unsigned seeds)
{
    char key[DIGEST_TEXT], line[512];
    FILE *in = fopen(FIGURES_KEPT, "r");
    figures_key(r, seeds, key);
    while (in && fgets(line, sizeof line, in)) {
        struct row kept = *r;
        if (strncmp(line, key, DIGEST_TEXT - 1) == 0 && figures_parse(line + DIGEST_TEXT - 1, &kept))
            *r = kept;
    }
    if (in)
        fclose(in);
}

static void figures_keep(const struct row *r, unsigned seeds)
{
    const struct found *d = &r->deviating, *s = &r->shortest;
    char key[DIGEST_TEXT];
    FILE *out = fopen(FIGURES_KEPT, "a");
    if (!out)
        return;
    figures_key(r, seeds, key);
    fprintf(out, "%s %u %u %u %f %f %f %d %.0f %d %f %.0f %.0f %.0f %.0f %u %f\n", key, r->seeds, r->plain, r->walked,
            r->events, r->seconds, r->longest, d->is, d->choices, s->is, s->seconds, s->choices, s->tasks,
            s->interrupts, s->timers, s->left_out, r->taken);
    fclose(out);
}

/* ---- all rows ---- */

struct figures_rows {
    struct row *list;
    size_t count;
    unsigned seeds;
};

/* The page with the rows that are there. It is written after each, so that a run that is ended leaves what it has. */
static bool figures_write(const struct figures_rows *rows)
{
    FILE *out = bench_checking ? tmpfile() : fopen(CHECK_PAGE, "w");
    if (!out)
        return bench_wrong("cannot write %s", CHECK_PAGE);
    page_write(out, rows->list, rows->count, rows->seeds);
    return fclose(out) == 0 || bench_wrong("cannot write %s", CHECK_PAGE);
}

static bool figures_wanted(void *context, size_t number)
{
    return ((struct figures_rows *)context)->list[number].taken <= 0;
}

static void figures_one(void *context, size_t number, FILE *answer)
{
    const struct figures_rows *rows = context;
    struct row r = rows->list[number];
    row_measure(&r, rows->seeds, figures_number("ROW_SECONDS", ROW_FOR_SEEDS));
    fwrite(&r, sizeof r, 1, answer);
}

static void figures_done(void *context, size_t number, const char *answer, size_t size, int signal)
{
    struct figures_rows *rows = context;
    if (signal || size != sizeof(struct row))
        return;
    memcpy(&rows->list[number], answer, size);
    if (bench_checking)
        return;
    figures_keep(&rows->list[number], rows->seeds);
    figures_write(rows);
}

static void figures_report(const struct row *r)
{
    char name[96];
    snprintf(name, sizeof name, "%s, %u %s, found", r->bug->name, r->nodes, r->board);
    bench_report(&(struct bench_result){
        .name = name, .unit = "s", .value = r->seconds, .less_is_better = true, .limit = row_limit(r)});
    snprintf(name, sizeof name, "%s, %u %s, choices left", r->bug->name, r->nodes, r->board);
    bench_report(&(struct bench_result){
        .name = name, .unit = "", .value = r->shortest.choices, .less_is_better = true, .limit = ROW_CHOICES + 1});
    snprintf(name, sizeof name, "%s, %u %s, events of the story", r->bug->name, r->nodes, r->board);
    bench_report(&(struct bench_result){
        .name = name, .unit = "", .value = row_events(r), .less_is_better = true, .limit = r->bug->paper.shortest});
}

static bool figures_measure_all(struct figures_rows *rows)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct motet_jobs jobs = {.context = rows,
                              .count = rows->count,
                              .workers = figures_number("JOBS", processors > 1 ? (unsigned)processors : 1),
                              .wanted = figures_wanted,
                              .one = figures_one,
                              .done = figures_done};
    struct motet_error e;
    unsigned lost;
    for (size_t i = 0; !bench_checking && i < rows->count; i++)
        figures_recall(&rows->list[i], rows->seeds);
    return motet_jobs_run(&jobs, &lost, &e) == 0 || bench_wrong("%s", e.text);
}

bool check_figures(void)
{
    static const char *const boards[] = {"micaz", "telosb"};
    struct row list[4 * BUGS];
    struct figures_rows rows = {list, 0, figures_seeds()};
    for (size_t i = 0; i < (bench_checking ? 2 : BUGS); i++)
        for (unsigned k = 0; k < (bench_checking ? 1 : 4); k++)
            if (figures_nodes(&check_bugs[i], k % 2))
                list[rows.count++] = (struct row){
                    .bug = &check_bugs[i], .board = boards[k / 2], .nodes = figures_nodes(&check_bugs[i], k % 2)};
    bool good = figures_measure_all(&rows) && figures_write(&rows), all = true;
    for (size_t i = 0; i < rows.count; i++) {
        const struct row *r = &list[i];
        all &= r->taken > 0;
        figures_report(r);
        good &= r->walked > 0 || bench_wrong("%s was not found on %u %s", r->bug->name, r->nodes, r->board);
    }
    if (all && !bench_checking)
        remove(FIGURES_KEPT); /* the next time all are measured anew */
    return good;
}
