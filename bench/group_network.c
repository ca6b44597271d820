/* Networks: MICAz nodes whose radios listen all the time and which broadcast every half second, in a grid where each
 * has up to four neighbours. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "motet/motet.h"

enum { NODE_SECONDS = 2048, LEAST_SECONDS = 2, CHECK_LIMIT = 16 };

struct measured {
    double rate, kilobytes;
    char digest[MOTET_DIGEST_TEXT];
};

static double wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool fill(motet_network *n, const motet_machine *m, unsigned nodes, struct motet_error *e)
{
    for (unsigned i = 0; i < nodes; i++) {
        struct motet_place p = {
            .id = i, .x = i % 32 * 10.0, .y = i / 32 * 10.0, .boot = i * UINT64_C(7919000) % MOTET_SECOND};
        if (!motet_network_add(n, m, &p, e))
            return false;
    }
    return true;
}

/* Processor time of the one thread, or, where there are several, time on the clock. */
static bool run_once(const motet_machine *m, unsigned nodes, unsigned threads, struct measured *r)
{
    struct motet_error e;
    struct motet_medium medium;
    motet_medium_default(&medium);
    medium.model = MOTET_MODEL_DISK;
    medium.range = 12;
    uint64_t seconds = bench_checking ? 1 : NODE_SECONDS / nodes;
    if (seconds < LEAST_SECONDS && !bench_checking)
        seconds = LEAST_SECONDS;
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    motet_network *n = motet_network_new(1, threads, &medium, &e);
    if (!n || !fill(n, m, nodes, &e)) {
        motet_network_free(n);
        return bench_wrong("%u nodes: %s", nodes, e.text);
    }
    motet_network_run(n, 1 * MOTET_SECOND); /* all have booted */
    double start = threads == 1 ? bench_seconds() : wall();
    motet_network_run(n, (1 + seconds) * MOTET_SECOND);
    double took = (threads == 1 ? bench_seconds() : wall()) - start;
    r->rate = (double)seconds * nodes / took;
    r->kilobytes = (double)(mallinfo2().uordblks + mallinfo2().hblkhd - before) / 1024 / nodes;
    motet_network_digest(n, r->digest);
    bool good = motet_network_transmissions(n) >= nodes;
    motet_network_free(n);
    return good ? true : bench_wrong("%u nodes hardly sent a thing", nodes);
}

struct row {
    double one[BENCH_ROUNDS], two[BENCH_ROUNDS], kilobytes;
};

static bool measure(const motet_machine *m, unsigned nodes, unsigned rounds, struct row *row)
{
    for (unsigned i = 0; i < rounds; i++) {
        struct measured one, two;
        bench_progress("network of %u, round %u of %u", nodes, i + 1, rounds);
        if (!run_once(m, nodes, 1, &one) || !run_once(m, nodes, 2, &two))
            return false;
        if (strcmp(one.digest, two.digest) != 0)
            return bench_wrong("%u nodes end as %s with one thread, as %s with two", nodes, one.digest, two.digest);
        row->one[i] = one.rate;
        row->two[i] = two.rate;
        row->kilobytes = one.kilobytes;
    }
    return true;
}

static void report(unsigned nodes, double one, double two, double alone, double kilobytes)
{
    char name[64];
    snprintf(name, sizeof name, "%u node%s", nodes, nodes > 1 ? "s" : "");
    bench_report(&(struct bench_result){.name = name,
                                        .unit = "node-s/s",
                                        .value = one,
                                        .reference = nodes > 1 ? "one node" : NULL,
                                        .reference_value = alone});
    snprintf(name, sizeof name, "%u node%s, 2 threads", nodes, nodes > 1 ? "s" : "");
    bench_report(&(struct bench_result){
        .name = name, .unit = "node-s/s", .value = two, .reference = "1 thread", .reference_value = one});
    snprintf(name, sizeof name, "memory a node of %u", nodes);
    bench_report(&(struct bench_result){.name = name, .unit = "KB", .value = kilobytes, .less_is_better = true});
}

static bool run(void)
{
    static const unsigned sizes[] = {1, 4, 16, 64, 256, 1024};
    struct motet_options options = MOTET_OPTIONS_DEFAULT;
    struct motet_error e;
    unsigned rounds = bench_checking ? 1 : BENCH_ROUNDS;
    double alone = 0;
    bool good = true;
    options.board = "micaz";
    motet_machine *m = motet_machine_load(FIRMWARE_DIR "/network-cc2420-beacon.elf", &options, &e);
    if (!m)
        return bench_wrong("%s", e.text);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && good; i++) {
        struct row row;
        if (bench_checking && sizes[i] > CHECK_LIMIT)
            break;
        good = measure(m, sizes[i], rounds, &row);
        if (!good)
            break;
        double one = bench_median(row.one, rounds), two = bench_median(row.two, rounds);
        alone = i == 0 ? one : alone;
        report(sizes[i], one, two, alone, row.kilobytes);
    }
    motet_machine_free(m);
    return good;
}

BENCH_GROUP(network, 30, "Networks of MICAz that broadcast twice a second: simulated node-seconds a second", run)
