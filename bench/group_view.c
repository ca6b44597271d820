/* The page of motet view in a real browser: how long it takes to appear, to seek and to zoom, and how large a report
 * is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"

struct view_network {
    unsigned nodes;
    const char *shape;
    double limit; /* seconds for drawing all of it; 0: none, nor one for the size of its report */
};

static bool view_make(const struct view_network *n, const char *path)
{
    char command[800];
    snprintf(command, sizeof command,
             MOTET " run --quiet --board micaz --topology %s --medium disk:15m --seed 7 --for %us --save %s "
                   "%s </dev/null >/dev/null",
             n->shape, bench_checking ? 2u : 60u, path, FIRMWARE_DIR "/network-cc2420-beacon.elf");
    return system(command) == 0 || bench_wrong("%s", "the network cannot be run");
}

static bool view_report_size(const struct view_network *n, const char *path)
{
    char command[800], page[200], name[80];
    struct stat is;
    snprintf(page, sizeof page, "%s.html", path);
    snprintf(command, sizeof command, MOTET " report %s -o %s 2>/dev/null", path, page);
    bool good = system(command) == 0 && stat(page, &is) == 0;
    unlink(page);
    if (!good)
        return bench_wrong("%s", "the report cannot be written");
    snprintf(name, sizeof name, "report of %u nodes", n->nodes);
    bench_report(&(struct bench_result){.name = name,
                                        .unit = "MB",
                                        .value = (double)is.st_size / 1e6,
                                        .less_is_better = true,
                                        .limit = n->limit > 0 ? 5 : 0});
    return true;
}

static bool view_browse(const struct view_network *n, const char *path)
{
    static const struct {
        const char *key, *text;
    } measures[] = {{"first", "first paint"}, {"draw", "drawing all"}, {"seek", "seek"}, {"zoom", "zoom"}};
    char command[800], key[20], name[80];
    double seconds;
    unsigned found = 0;
    snprintf(command, sizeof command, "python3 " VIEW_SCRIPT " " MOTET " " VIEW_SOURCE " %s", path);
    FILE *f = popen(command, "r");
    while (f && fscanf(f, "%19s %lf", key, &seconds) == 2)
        for (unsigned i = 0; i < sizeof measures / sizeof *measures; i++)
            if (strcmp(measures[i].key, key) == 0) {
                snprintf(name, sizeof name, "%u nodes: %s", n->nodes, measures[i].text);
                bench_report(&(struct bench_result){.name = name,
                                                    .unit = "ms",
                                                    .value = seconds * 1000,
                                                    .less_is_better = true,
                                                    .limit = i == 1 ? n->limit * 1000 : 0});
                found++;
            }
    return (f && pclose(f) == 0 && found == 4) || bench_wrong("%s", "the page cannot be measured");
}

static bool view_measure(const struct view_network *n)
{
    char path[100];
    snprintf(path, sizeof path, "/tmp/motet-bench-%ld.motet", (long)getpid());
    bench_progress("view: %u nodes", n->nodes);
    bool good = view_make(n, path) && view_report_size(n, path) && view_browse(n, path);
    unlink(path);
    return good;
}

static bool view_run(void)
{
    static const struct view_network networks[] = {
        {9, "grid:3x3:10m", 0.2}, {25, "grid:5x5:10m", 0.2}, {100, "grid:10x10:10m", 0}};
    bool good = true;
    if (system("command -v chromium >/dev/null") != 0)
        return bench_wrong("%s", "chromium is not installed");
    for (unsigned i = 0; i < (bench_checking ? 1 : sizeof networks / sizeof *networks); i++)
        good &= view_measure(&networks[i]);
    return good;
}

BENCH_GROUP(view, 97, "the page of motet view in headless Chromium: networks of beacons, 60 s", view_run)
