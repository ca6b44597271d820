/* Networks: MICAz nodes whose radios listen all the time. Some compute and broadcast ten times a second, in a grid
 * where each has up to four neighbours. The others broadcast twice a second and sleep in between, so that they mostly
 * hear. They stand in cells of four, out of each other's reach, where every node hears three, for any number of cells.
 * A node alone hears no other and is no measure for them, but one cell is. Dense ones, from their boot on, stand five
 * metres apart in the default medium, where each hears hundreds. Booting ones spin against a timer for their first
 * second, and neither send nor hear.
 */
#include <malloc.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "motet/motet.h"

enum { CHECK_LIMIT = 16, ROUNDS = 3 };
#define BOOTING (MOTET_SECOND / 10) /* until all have booted; not measured */

static const struct kind {
    const char *name, *firmware;
    double node_seconds, least; /* to simulate in a round; seconds at least, so that each node sends */
    unsigned repeated, most;    /* networks up to here are run in several rounds, or at all */
    unsigned measure;           /* the size the others are compared with, */
    const char *measured_by;    /* and its name */
    enum layout { CELLS, GRID, DENSE, APART } layout;
} kinds[] = {
    {"asleep", "network-cc2420-beacon", 16384, 3, 1024, 10000, 4, "one cell", CELLS},
    {"awake", "network-cc2420-awake", 512, 0.1, 256, 10000, 1, "one node", GRID},
    {"dense", "network-cc2420-beacon", 64, 1, 64, 1024, 16, "16 nodes", DENSE},
    {"booting", "bench-boot-atmega128", 16, 1, 16, 64, 1, "one node", APART},
};

struct measured {
    double rate; /* by the processor time of this thread */
    double wall_rate, kilobytes;
    char digest[MOTET_DIGEST_TEXT];
};

static double wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool fill(const struct kind *k, motet_network *n, const motet_machine *m, unsigned nodes, struct motet_error *e)
{
    for (unsigned i = 0; i < nodes; i++) {
        struct motet_place p = {
            .id = i, .x = i % 32 * 10.0, .y = i / 32 * 10.0, .boot = i * UINT64_C(7919000) % BOOTING};
        if (k->layout == CELLS) {
            p.x = i / 4 % 64 * 100.0 + i % 2 * 5.0;
            p.y = i / 256 * 100.0 + i / 2 % 2 * 5.0;
        } else if (k->layout == DENSE) {
            p.x /= 2;
            p.y /= 2;
        }
        if (!motet_network_add(n, m, &p, e))
            return false;
    }
    return true;
}

static bool run_once(const struct kind *k, const motet_machine *m, unsigned nodes, unsigned threads, struct measured *r)
{
    struct motet_error e;
    struct motet_medium medium;
    motet_medium_default(&medium);
    if (k->layout != DENSE) {
        medium.model = MOTET_MODEL_DISK;
        medium.range = 12;
    }
    double share = k->node_seconds / nodes, seconds = share < k->least || bench_checking ? k->least : share;
    uint64_t start_at = k->layout == DENSE || k->layout == APART ? 0 : BOOTING; /* from boot on, or steady */
    uint64_t until = start_at + (uint64_t)(seconds * 1e9);
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    motet_network *n = motet_network_new(1, threads, &medium, &e);
    if (!n || !fill(k, n, m, nodes, &e)) {
        motet_network_free(n);
        return bench_wrong("%u nodes: %s", nodes, e.text);
    }
    motet_network_run(n, start_at);
    double start = bench_seconds(), wall_start = wall();
    motet_network_run(n, until);
    r->rate = seconds * nodes / (bench_seconds() - start);
    r->wall_rate = seconds * nodes / (wall() - wall_start);
    r->kilobytes = (double)(mallinfo2().uordblks + mallinfo2().hblkhd - before) / 1024 / nodes;
    motet_network_digest(n, r->digest);
    bool good = k->layout == APART || 2 * motet_network_transmissions(n) >= nodes;
    motet_network_free(n);
    return good ? true : bench_wrong("%u nodes hardly sent a thing", nodes);
}

struct row {
    double one[ROUNDS], one_wall[ROUNDS], two[ROUNDS], kilobytes;
};

static bool measure(const struct kind *k, const motet_machine *m, unsigned nodes, unsigned rounds, struct row *row)
{
    for (unsigned i = 0; i < rounds; i++) {
        struct measured one = {0}, two = {0};
        bench_progress("network of %u %s, round %u of %u", nodes, k->name, i + 1, rounds);
        if (!run_once(k, m, nodes, 1, &one) || !run_once(k, m, nodes, 2, &two))
            return false;
        if (strcmp(one.digest, two.digest) != 0)
            return bench_wrong("%u nodes end as %s with one thread, as %s with two", nodes, one.digest, two.digest);
        row->one[i] = one.rate;
        row->one_wall[i] = one.wall_rate;
        row->two[i] = two.wall_rate;
        row->kilobytes = one.kilobytes;
    }
    return true;
}

static void report(const struct kind *k, unsigned nodes, struct row *row, unsigned rounds, double *measure)
{
    char name[64];
    double one = bench_median(row->one, rounds);
    *measure = nodes == k->measure ? one : *measure;
    snprintf(name, sizeof name, "%u %s", nodes, k->name);
    bench_report(&(struct bench_result){.name = name,
                                        .unit = "node-s/s",
                                        .value = one,
                                        .reference = nodes > k->measure ? k->measured_by : NULL,
                                        .reference_value = *measure});
    snprintf(name, sizeof name, "%u %s, 2 threads", nodes, k->name);
    bench_report(&(struct bench_result){.name = name,
                                        .unit = "node-s/s",
                                        .value = bench_median(row->two, rounds),
                                        .reference = "1 thread",
                                        .reference_value = bench_median(row->one_wall, rounds)});
    snprintf(name, sizeof name, "%u %s, memory a node", nodes, k->name);
    bench_report(&(struct bench_result){.name = name, .unit = "KB", .value = row->kilobytes, .less_is_better = true});
}

static bool run_kind(const struct kind *k, const motet_machine *m)
{
    static const unsigned sizes[] = {1, 4, 16, 64, 256, 1024, 10000};
    double measure_rate = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct row row;
        unsigned rounds = bench_checking || sizes[i] > k->repeated ? 1 : ROUNDS;
        if (sizes[i] > (bench_checking ? CHECK_LIMIT : k->most))
            break;
        if (!measure(k, m, sizes[i], rounds, &row))
            return false;
        report(k, sizes[i], &row, rounds, &measure_rate);
    }
    return true;
}

static bool run(void)
{
    bool good = true;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && good; i++) {
        struct motet_options options = MOTET_OPTIONS_DEFAULT;
        struct motet_error e;
        char path[512];
        options.board = "micaz";
        snprintf(path, sizeof path, "%s/%s.elf", FIRMWARE_DIR, kinds[i].firmware);
        motet_machine *m = motet_machine_load(path, &options, &e);
        good = m ? run_kind(&kinds[i], m) : bench_wrong("%s", e.text);
        motet_machine_free(m);
    }
    return good;
}

BENCH_GROUP(
    network, 30,
    "Networks of MICAz that broadcast, asleep or awake in between, and that boot: simulated node-seconds a second", run)
