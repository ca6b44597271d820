/* motet report: what happened in a run, as one file for a browser. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json.h"
#include "option.h"
#include "page.h"
#include "sentence.h"

static bool report_set_output(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct page_options *)into)->output = text;
    return true;
}

static bool report_set_json(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct page_options *)into)->json = true;
}

static const struct option report_options[] = {
    {"output", "FILE", "the file to write; by default report.html", report_set_output},
    PAGE_OPTIONS,
    {"json", NULL, "prints one line of JSON about the report", report_set_json},
    {NULL, NULL, NULL, NULL},
};

static const struct option_alias report_aliases[] = {{"o", "output"}, {NULL, NULL}};

static bool report_write(const motet_view *v, const char *path, struct motet_error *e)
{
    FILE *f = fopen(path, "w");
    bool good = f && motet_view_write(v, f);
    if (f && fclose(f) != 0)
        good = false;
    if (good)
        return true;
    sentence(e, "cannot write to %.300s: %s", path, strerror(errno));
    if (f)
        unlink(path);
    return false;
}

static void report_tell(const struct page_options *o, const motet_view *v)
{
    struct motet_view_summary s;
    struct stat is = {.st_size = 0};
    motet_view_summary(v, &s);
    stat(o->output, &is);
    double seconds = (double)s.end / (double)MOTET_SECOND;
    if (!o->json) {
        fprintf(stderr, "motet: %s has %zu node%s, %.6f s, %zu frames; %lld bytes\n", o->output, s.nodes,
                s.nodes == 1 ? "" : "s", seconds, s.frames, (long long)is.st_size);
        return;
    }
    printf("{\"file\": ");
    json_print(o->output);
    printf(", \"size\": %lld, \"nodes\": %zu, \"time\": %.9f, \"bars\": %zu, \"frames\": %zu, \"digest\": \"%s\"}\n",
           (long long)is.st_size, s.nodes, seconds, s.bars, s.frames, s.digest);
}

/* Whether the file can be written is found out before the run, and what was there stays until then. */
static int report_make(struct page_options *o, const char *const *files)
{
    struct motet_error e = {""};
    struct stat is;
    bool new = stat(o->output, &is) != 0;
    FILE *f = fopen(o->output, "a");
    if (!f)
        return complain("cannot write to %.300s: %s", o->output, strerror(errno));
    fclose(f);
    motet_view *v = page_collect(o, files, NULL);
    bool good = v && report_write(v, o->output, &e);
    if (good)
        report_tell(o, v);
    else if (new)
        unlink(o->output);
    if (v && !good)
        complain("%s", e.text);
    motet_view_free(v);
    return good ? 0 : STATUS_USAGE;
}

static int report_run(const struct verb *v, int argc, char **argv)
{
    struct page_options o;
    const char *files[PAGE_FILES + 1] = {NULL};
    int status;
    page_options_init(&o, argc, argv);
    o.output = "report.html";
    if (options_parse(v, argc, argv, &o, files, PAGE_FILES, &status))
        status = report_make(&o, files);
    page_options_free(&o);
    return status;
}

extern const struct verb verb_report;
const struct verb verb_report = {
    .name = "report",
    .operands = "FILE...",
    .about = "write what happened in a run as a page for a browser",
    .more = "Executes FILE once and writes one HTML file that shows it: the network, frames, interrupts, tasks and "
            "sleep of all nodes on one time axis, pins and variables, energy, serial output, faults, and the source "
            "with its coverage. FILE is a firmware or a scenario with the options of motet run, a saved run (a "
            "counterexample of motet check, too), or with --elf a node log, or several as ID:LOG. The file needs no "
            "server and no network. motet view shows the same from a server, which answers more.",
    .options = report_options,
    .lent = run_options,
    .borrowed = page_borrowed,
    .aliases = report_aliases,
    .run = report_run,
};
