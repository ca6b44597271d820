/* Debugging: a network of nine MICAz, run for a minute under a timeline of 256 MB; then one step back from anywhere,
 * seeks to anywhere, and a search backward through all of it. */
#include <stdlib.h>

#include "bench.h"
#include "board/boards.h"
#include "network/network.h"
#include "node/machine.h"
#include "timeline/timeline.h"

enum { NODES = 9, POINTS = 100, WATCHED_NODE = 3 };

static const struct kind {
    const char *name, *firmware;
} kinds[] = {{"awake", "network-cc2420-awake"}, {"asleep", "network-cc2420-beacon"}};

static struct machine *load(const char *firmware)
{
    char path[512];
    struct motet_error e;
    struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1};
    snprintf(path, sizeof path, "%s/%s.elf", FIRMWARE_DIR, firmware);
    struct image *image = image_load(path, &e);
    struct machine *m = image ? machine_new(board_micaz.chip, &board_micaz, image, &options, &e) : NULL;
    if (!m)
        bench_wrong("%s", e.text);
    return m;
}

static struct network *grid(const struct machine *m)
{
    struct motet_error e;
    struct network *n = network_new(1, 1, &medium_default);
    for (uint32_t i = 0; i < NODES; i++) {
        struct network_node place = {.id = i, .at = {i % 3 * 10.0, i / 3 * 10.0, 0}, .boot = i * UINT64_C(7919000)};
        if (!network_add(n, m, &place, &e))
            bench_wrong("%s", e.text);
    }
    return n;
}

static void report(const struct kind *k, const char *what, const char *unit, double value, const char *reference,
                   double reference_value)
{
    char name[96];
    snprintf(name, sizeof name, "%s, %s", what, k->name);
    bench_report(&(struct bench_result){.name = name,
                                        .unit = unit,
                                        .value = value,
                                        .reference = reference,
                                        .reference_value = reference_value,
                                        .less_is_better = true});
}

struct times {
    double typical, longest; /* milliseconds */
    double simulated;        /* likewise: the most that was run again, asleep or not */
    double work;             /* thousands of instructions in it, of all nodes, at most */
};

/* From points all over the run, each once, the worst of them too. */
static struct times everywhere(struct timeline *t, uint64_t length, bool step)
{
    static double taken[POINTS];
    struct times r = {0, 0, 0, 0};
    uint64_t random = step ? 1 : 2;
    for (unsigned i = 0; i < POINTS; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t to = (random >> 20) % length;
        double start = bench_seconds();
        uint64_t before = timeline_run(t), worked = timeline_work(t);
        timeline_seek(t, to);
        if (step) {
            start = bench_seconds();
            before = timeline_run(t);
            worked = timeline_work(t);
            timeline_step_back(t, i % NODES);
        }
        taken[i] = (bench_seconds() - start) * 1000;
        double again = (double)(timeline_run(t) - before) * 1e-6;
        r.simulated = again > r.simulated ? again : r.simulated;
        double work = (double)(timeline_work(t) - worked) * 1e-3;
        r.work = work > r.work ? work : r.work;
        r.longest = taken[i] > r.longest ? taken[i] : r.longest;
    }
    r.typical = bench_median(taken, POINTS);
    return r;
}

/* For what happened at start-up only: main on all nodes, or writes to a variable of one of them. */
static double search(struct timeline *t, struct network *n, const struct machine *m, uint64_t length, bool writes)
{
    const struct image_symbol *s = image_symbol_named(m->image, "TOS_NODE_ID");
    uint32_t address = image_symbol_named(m->image, "main")->address;
    struct watch watch = {s->address & 0xffff, (s->address & 0xffff) + 1, WATCH_WRITE};
    timeline_seek(t, length);
    for (uint32_t i = 0; i < NODES; i++)
        stops_set(network_node(n, i), &address, !writes, &watch, writes && i == WATCHED_NODE);
    double start = bench_seconds();
    timeline_run_back(t);
    double taken = bench_seconds() - start;
    for (uint32_t i = 0; i < NODES; i++)
        stops_set(network_node(n, i), NULL, 0, NULL, 0);
    return taken;
}

/* `full`: thousands of instructions that all nodes do in a millisecond, awake; the first kind of them says so. */
static void measure(const struct kind *k, const struct machine *m, double *full)
{
    uint64_t length = (bench_checking ? 1 : 60) * NETWORK_SECOND;
    bench_progress("a minute of nine nodes %s", k->name);
    struct network *plain = grid(m), *n = grid(m);
    double start = bench_seconds();
    network_run(plain, length);
    double run = bench_seconds() - start;
    network_free(plain);
    struct timeline *t = timeline_new(subject_of_network(n), TIMELINE_MEMORY, NULL, NULL);
    start = bench_seconds();
    timeline_run_until(t, length);
    double forward = bench_seconds() - start;
    if (*full == 0)
        *full = (double)timeline_work(t) / ((double)length * 1e-6) * 1e-3;
    report(k, "a minute with snapshots", "s", forward, "without", run);
    report(k, "kept for going back", "MB", (double)timeline_memory(t) / 1e6, "allowed", (double)TIMELINE_MEMORY / 1e6);
    struct times seek = everywhere(t, length, false);
    report(k, "seek, typical", "ms", seek.typical, "allowed", 200);
    report(k, "seek, longest", "ms", seek.longest, "allowed", 200);
    struct times step = everywhere(t, length, true);
    report(k, "reverse-step, typical", "ms", step.typical, "allowed", 50);
    report(k, "reverse-step, longest", "ms", step.longest, "allowed", 50);
    report(k, "reverse-step, time run again at most", "ms", step.simulated, "allowed", 20);
    report(k, "reverse-step, instructions run again at most", "thousands", step.work, "20 ms", 20 * *full);
    report(k, "reverse-continue through all, breakpoint on all nodes", "s", search(t, n, m, length, false), "bare run",
           run);
    report(k, "reverse-continue through all, watchpoint on one node", "s", search(t, n, m, length, true), "bare run",
           run);
    timeline_free(t);
    network_free(n);
}

static bool run(void)
{
    double full = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct machine *m = load(kinds[i].firmware);
        if (!m)
            return false;
        measure(&kinds[i], m, &full);
        machine_free(m);
    }
    return true;
}

BENCH_GROUP(debug, 40, "Debugging a minute of nine MICAz, forward and backward", run)
