/* Checks: how fast a network is walked, alone and with a snapshot, a digest and a restore at each event, by two workers
 * and one; how long exhaustive searches take over their depth, with matching and without; and how long it takes to find
 * the kit's bugs (check_figures.h).
 *
 * An event is an interrupt that is entered or a task that is started. They are counted in a run of their own, because
 * counting takes time; the walks that are measured are the same.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "board/boards.h"
#include "check/exhaust.h"
#include "check_figures.h"
#include "motet/motet.h"
#include "network/network.h"
#include "node/machine.h"
#include "node/taps.h"

enum { CHECK_ROUNDS = 3 };
#define CHECK_STEADY (29 * NETWORK_SECOND)

static const struct weights usual = {.lost = 0.1,
                                     .damaged = 0.05,
                                     .held = 0.02,
                                     .hold = 200,
                                     .busy = 1,
                                     .busy_for = 80000,
                                     .reset = 0.1,
                                     .power = 0.2,
                                     .death = 0.005};

/* ---- a subject: nodes in a row, all in reach ---- */

static uint64_t check_never(void *context)
{
    (void)context;
    return NEVER;
}

static void check_nothing(void *context)
{
    (void)context;
}

static size_t check_none(void *context)
{
    (void)context;
    return 0;
}

static void check_moved(void *context, uint64_t now, size_t given)
{
    (void)context, (void)now, (void)given;
}

static struct machine *check_machine(const char *firmware)
{
    struct motet_error e;
    char path[512];
    struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1, .holds = true};
    snprintf(path, sizeof path, "%s/%s.elf", FIRMWARE_DIR, firmware);
    struct image *image = image_load(path, &e);
    struct machine *m = image ? machine_new(board_micaz.chip, &board_micaz, image, &options, &e) : NULL;
    if (!m)
        bench_wrong("%s", e.text);
    return m;
}

static struct network *check_network(const struct machine *m, uint32_t nodes)
{
    struct motet_error e;
    struct network *n = network_new(1, 1, &medium_default);
    for (uint32_t i = 0; i < nodes; i++) {
        struct network_node o = {.id = i, .at = {5.0 * i, 0, 0}, .boot = i * UINT64_C(7919000)};
        struct node *node = network_add(n, m, &o, &e);
        if (!node || !node_set_variable(node, "node_id", i, &e)) {
            network_free(n);
            bench_wrong("%s", e.text);
            return NULL;
        }
    }
    return n;
}

static struct world *check_world(struct network *n)
{
    struct check_subject s = {
        .network = n, .due = check_never, .act = check_nothing, .given = check_none, .moved = check_moved};
    return world_new(&s);
}

struct check_family {
    const struct machine *machine;
    uint32_t nodes;
};

static bool check_make(void *context, struct check_subject *s, struct motet_error *e)
{
    const struct check_family *f = context;
    struct network *n = check_network(f->machine, f->nodes);
    *s = (struct check_subject){
        .network = n, .due = check_never, .act = check_nothing, .given = check_none, .moved = check_moved};
    snprintf(e->text, sizeof e->text, "a network cannot be made");
    return n != NULL;
}

static void check_release(void *context, struct check_subject *s)
{
    (void)context;
    network_free(s->network);
}

/* ---- walking ---- */

struct events {
    uint64_t count;
    uint32_t first, last; /* of the function that starts tasks */
    struct motet_tap **hooks;
};

static void check_count(void *context, const motet_node *handle, const struct motet_happened *h)
{
    struct events *e = context;
    (void)handle;
    e->count += h->what == MOTET_ON_INTERRUPT_ENTRY || (h->call.from >= e->first && h->call.from < e->last);
}

static double check_walk(struct world *w, uint64_t seed, uint64_t length)
{
    struct violation v;
    struct walk *walk = walk_new(world_network(w), &usual, seed, NULL, CHECK_STEADY);
    world_settle(w, NULL, 0, CHECK_STEADY, &v);
    double start = bench_seconds();
    world_run(w, walk_driver(walk), CHECK_STEADY + length);
    double seconds = bench_seconds() - start;
    walk_free(walk);
    return seconds;
}

static void check_events_begin(struct network *n, const struct machine *m, struct events *e)
{
    const struct image_symbol *s = image_symbol_named(m->image, "main");
    *e = (struct events){.first = s->address, .last = s->address + s->size};
    e->hooks = calloc(network_count(n), sizeof *e->hooks);
    for (uint32_t i = 0; i < network_count(n); i++)
        e->hooks[i] = tap_hook(network_node(n, i), MOTET_ON(INTERRUPT_ENTRY) | MOTET_ON(CALL), check_count, e);
}

static uint64_t check_events_end(struct network *n, struct events *e)
{
    for (uint32_t i = 0; i < network_count(n); i++)
        tap_remove(e->hooks[i]);
    free(e->hooks);
    return e->count;
}

static uint64_t check_events(struct world *w, const struct machine *m, uint64_t seed, uint64_t length)
{
    struct events e;
    check_events_begin(world_network(w), m, &e);
    check_walk(w, seed, 0); /* to the steady state, which is not counted */
    e.count = 0;
    check_walk(w, seed, length);
    return check_events_end(world_network(w), &e);
}

/* A snapshot, a digest and a restore for each event, as a search makes them that goes down a few events and comes back
 * one by one. From the deepest state it goes on. Returns how many times that was done. */
static uint64_t check_matching(struct network *n, uint64_t until)
{
    enum {
        PAUSE = 30000,
        DOWN = 16
    }; /* nanoseconds: less than a wake-up takes, so that its handler and task are apart */
    struct network_snapshot *path[DOWN + 1];
    uint64_t times = 0;
    for (path[0] = network_snapshot(n); network_now(n) < until; times += DOWN) {
        for (unsigned i = 1; i <= DOWN; i++) {
            uint64_t next = network_next(n);
            network_run(n, (next > network_now(n) ? next : network_now(n)) + PAUSE);
            path[i] = network_snapshot(n);
            struct digest d = network_digest(n);
            (void)d;
        }
        for (unsigned i = DOWN; i-- > 0;)
            network_restore(n, path[i]);
        network_restore(n, path[DOWN]);
        for (unsigned i = 0; i < DOWN; i++)
            network_snapshot_free(path[i]);
        path[0] = path[DOWN];
    }
    network_snapshot_free(path[0]);
    return times;
}

/* Events a second. It must be done at least as often as there are events. */
static bool check_matching_rate(struct network *n, const struct machine *m, double *rate)
{
    uint64_t until = network_now(n) + (bench_checking ? 1 : 20) * NETWORK_SECOND / 10;
    struct network_snapshot *begin = network_snapshot(n);
    struct events e;
    check_events_begin(n, m, &e);
    check_matching(n, until);
    check_events_end(n, &e);
    network_restore(n, begin);
    network_snapshot_free(begin);
    double start = bench_seconds();
    uint64_t times = check_matching(n, until);
    *rate = (double)e.count / (bench_seconds() - start);
    return times >= e.count ||
           bench_wrong("%llu snapshots for %llu events", (unsigned long long)times, (unsigned long long)e.count);
}

static bool check_speed(const struct machine *m, uint32_t nodes)
{
    uint64_t length = (bench_checking ? 1 : 20) * NETWORK_SECOND;
    double rates[CHECK_ROUNDS], simulated[CHECK_ROUNDS], matching[CHECK_ROUNDS];
    unsigned rounds = bench_checking ? 1 : CHECK_ROUNDS;
    char name[64];
    struct network *n = check_network(m, nodes);
    struct world *w = n ? check_world(n) : NULL;
    bool good = w != NULL;
    for (unsigned i = 0; good && i < rounds; i++) {
        bench_progress("check of %u nodes, round %u of %u", nodes, i + 1, rounds);
        uint64_t events = check_events(w, m, i, length);
        double seconds = check_walk(w, i, length);
        rates[i] = (double)events / seconds;
        simulated[i] = (double)length * 1e-9 / seconds;
        good = check_matching_rate(n, m, &matching[i]);
    }
    if (!good)
        return false;
    snprintf(name, sizeof name, "%u nodes, walking", nodes);
    bench_report(&(struct bench_result){
        .name = name, .unit = "events/s", .value = bench_median(rates, rounds), .limit = nodes == 2 ? 400000 : 250000});
    snprintf(name, sizeof name, "%u nodes, simulated", nodes);
    bench_report(&(struct bench_result){.name = name, .unit = "s/s", .value = bench_median(simulated, rounds)});
    snprintf(name, sizeof name, "%u nodes, snapshot, digest, restore", nodes);
    bench_report(&(struct bench_result){
        .name = name, .unit = "events/s", .value = bench_median(matching, rounds), .limit = 150000});
    world_free(w);
    network_free(n);
    return true;
}

/* ---- workers ---- */

static double check_clock(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double check_processor_seconds(void)
{
    return check_clock(CLOCK_PROCESS_CPUTIME_ID);
}

/* Seconds by the clock on the wall, which work of others on the machine disturbs. */
static double check_walks(const struct machine *m, unsigned workers)
{
    struct check_family family = {m, 2};
    struct subjects subjects = {&family, check_make, check_release};
    struct search_options o = {.walks = bench_checking ? 4 : 400, .steady = CHECK_STEADY, .workers = workers};
    struct search_result r;
    struct motet_error e;
    o.length = 10 * NETWORK_SECOND;
    o.weights = usual;
    double start = check_clock(CLOCK_MONOTONIC);
    bool good = search_run(&o, &subjects, NULL, NULL, &r, &e);
    double seconds = check_clock(CLOCK_MONOTONIC) - start;
    if (good)
        search_result_free(&r);
    return good ? seconds : 0;
}

static bool check_workers(const struct machine *m)
{
    double one = check_walks(m, 1), two = check_walks(m, 2);
    if (one <= 0 || two <= 0)
        return bench_wrong("walks with one and two workers failed");
    bench_report(&(struct bench_result){
        .name = "two workers, times as fast as one", .unit = "x", .value = one / two, .limit = 1.8});
    return true;
}

/* ---- exhaustive searches ---- */

static bool check_depth(const char *what, const struct machine *m, unsigned depth, bool matching)
{
    struct check_family family = {m, 2};
    struct subjects subjects = {&family, check_make, check_release};
    struct search_options o = {.steady = CHECK_STEADY, .length = 12 * NETWORK_SECOND, .workers = 1};
    struct exhaust_options x = {.depth = depth, .step = EXHAUST_STEP, .matching = matching, .memory = 1u << 30};
    struct search_result r;
    struct exhaust_work work;
    struct motet_error e;
    char name[64];
    o.weights.lost = 0.1;
    bench_progress("%s, depth %u", what, depth);
    double start = check_processor_seconds();
    if (!exhaust_run(&o, &x, &subjects, NULL, NULL, &r, &work, &e))
        return bench_wrong("%s: %s", what, e.text);
    double seconds = check_processor_seconds() - start;
    search_result_free(&r);
    snprintf(name, sizeof name, "%s, depth %u%s", what, depth, matching ? ", matched" : "");
    bench_report(&(struct bench_result){.name = name, .unit = "s", .value = seconds, .less_is_better = true});
    return r.found || work.wrong ? bench_wrong("%s: %s", name, r.found ? "an error was found" : "a wrong match") : true;
}

/* Time over depth: frames of two nodes lost or not. */
static bool check_curve(const char *what, const char *firmware)
{
    struct machine *m = check_machine(firmware);
    bool good = m != NULL;
    for (unsigned depth = 2; good && depth <= (bench_checking ? 2 : 10); depth += 2)
        good = check_depth(what, m, depth, false) && check_depth(what, m, depth, true);
    machine_free(m);
    return good;
}

static bool run(void)
{
    struct machine *m = check_machine("multihop-oscilloscope-micaz-checked");
    bool good = m && check_speed(m, 2) && check_speed(m, 8) && check_workers(m);
    machine_free(m);
    good = good && check_curve("periodic", "multihop-oscilloscope-micaz-checked") &&
           check_curve("Trickle", "dip-micaz-checked");
    return good && check_figures();
}

BENCH_GROUP(
    check, 60,
    "motet check on one core: speed of walks, processor time to find bugs (as tables in docs/checking-figures.md)", run)
