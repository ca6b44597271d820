/* Interface logs: what they cost on the node (interface_figures.h); and by probes: a 25-node collection network logged,
 * and its components replayed.
 *
 * A run that is logged has the digest of one that is not: the node executes no additional cycle. What it costs is the
 * host's time; what it gives is bytes a second, at the leaves, in the middle and at the root; and replays, all of which
 * must be exact. */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "interface_figures.h"
#include "interface/log.h"
#include "motet/log.h"
#include "motet/monitor.h"
#include "motet/motet.h"

enum { SIDE = 5, NODES = SIDE * SIDE, APART = 20 /* metres */ };

struct logged {
    double plain, with; /* seconds of the host */
    double bytes[NODES];
    uint64_t events;
};

static void log_path(char *path, size_t size, unsigned id)
{
    snprintf(path, size, "/tmp/motet-bench-%ld-%u.ilog", (long)getpid(), id);
}

/* A run of the grid, logged if there are monitors; its digest. */
static bool grid(const motet_machine *m, uint64_t seconds, motet_monitors *monitors, double *spent,
                 char digest[MOTET_DIGEST_TEXT])
{
    struct motet_error e = {""};
    struct motet_medium medium;
    motet_medium_default(&medium);
    motet_network *n = motet_network_new(1, 1, &medium, &e);
    bool good = n != NULL;
    for (unsigned i = 0; good && i < NODES; i++)
        good = motet_network_add(
            n, m,
            &(struct motet_place){
                .id = i, .x = i % SIDE * APART, .y = i / SIDE * APART, .boot = i * UINT64_C(37000000)},
            &e);
    good = good && (!monitors || motet_monitors_attach_network(monitors, n, &e));
    double start = bench_seconds();
    if (good)
        motet_network_run(n, seconds * MOTET_SECOND);
    *spent = bench_seconds() - start;
    if (good)
        motet_network_digest(n, digest);
    good = good && (!monitors || motet_monitors_write(monitors, stdout, false, &e));
    motet_network_free(n);
    return good || bench_wrong("the grid: %s", e.text);
}

static bool log_grid(const motet_machine *m, uint64_t seconds, struct logged *l)
{
    char text[200], plain[MOTET_DIGEST_TEXT], with[MOTET_DIGEST_TEXT];
    struct motet_error e = {""};
    snprintf(text, sizeof text, "interface:of=collection.c,of=route.c,format=log,file=/tmp/motet-bench-%ld-%%id.ilog",
             (long)getpid());
    motet_monitors *monitors = motet_monitors_new();
    bool good = motet_monitors_add(monitors, text, &e) && grid(m, seconds, NULL, &l->plain, plain) &&
                grid(m, seconds, monitors, &l->with, with);
    motet_monitors_free(monitors);
    if (good && strcmp(plain, with) != 0)
        return bench_wrong("a run that is logged has another digest");
    return good;
}

/* Reads the logs: how long they are. */
static bool measure_logs(uint64_t seconds, struct logged *l, double *speed)
{
    struct motet_error e = {""};
    double start = bench_seconds();
    for (unsigned i = 0; i < NODES; i++) {
        char path[80];
        struct stat s;
        struct interface_reader r;
        struct interface_event event;
        log_path(path, sizeof path, i);
        if (stat(path, &s) != 0 || !interface_open(&r, path, &e))
            return bench_wrong("%s: %s", path, e.text);
        size_t header = r.next_block;
        l->bytes[i] = (double)((size_t)s.st_size - header) / (double)seconds;
        while (interface_next(&r, &event))
            l->events++;
        interface_close(&r);
    }
    *speed = (double)l->events / (bench_seconds() - start) / 1e6;
    return true;
}

static bool replay_logs(const char *firmware, const char *board, double *speed)
{
    uint64_t events = 0;
    struct motet_options o = MOTET_OPTIONS_DEFAULT;
    o.board = board;
    double start = bench_seconds();
    for (unsigned i = 0; i < NODES; i++) {
        char path[80];
        struct motet_error e = {""};
        struct motet_replay r;
        log_path(path, sizeof path, i);
        motet_machine *m = motet_component_load(firmware, &o, path, &e);
        if (!m)
            return bench_wrong("%s: %s", path, e.text);
        motet_network *n = motet_network_of_one(m, i, 1);
        motet_network_run(n, MOTET_NEVER);
        motet_node_replay(motet_network_at(n, 0), &r);
        events += r.events;
        motet_network_free(n);
        motet_machine_free(m);
        if (r.differs || !r.ended)
            return bench_wrong("node %u: %s", i, r.how);
    }
    *speed = (double)events / (bench_seconds() - start) / 1e3;
    return true;
}

static void report(const char *board, const char *what, const char *unit, double value)
{
    char name[100];
    snprintf(name, sizeof name, "%s: %s", board, what);
    bench_report(&(struct bench_result){.name = name, .unit = unit, .value = value});
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool measure(const char *board)
{
    char firmware[300], path[80];
    struct motet_error e = {""};
    struct motet_options o = MOTET_OPTIONS_DEFAULT;
    struct logged l = {.plain = 0};
    uint64_t seconds = bench_checking ? 3 : 600;
    double read = 0, replayed = 0;
    snprintf(firmware, sizeof firmware, "%s/collect-%s.elf", FIRMWARE_DIR, board);
    o.board = board;
    motet_machine *m = motet_machine_load(firmware, &o, &e);
    if (!m)
        return bench_wrong("%s", e.text);
    bool good = log_grid(m, seconds, &l) && measure_logs(seconds, &l, &read) && replay_logs(firmware, board, &replayed);
    motet_machine_free(m);
    for (unsigned i = 0; i < NODES; i++) {
        log_path(path, sizeof path, i);
        unlink(path);
    }
    if (!good)
        return false;
    double root = l.bytes[0];
    qsort(l.bytes + 1, NODES - 1, sizeof *l.bytes, by_value);
    report(board, "cycles added to a node by probes", "cycles", 0); /* the digests are equal */
    report(board, "time of the host, with a log and without", "times", l.with / l.plain);
    report(board, "log of the node that logs least", "B/s", l.bytes[1]);
    report(board, "log of the median node", "B/s", l.bytes[NODES / 2]);
    report(board, "log of the node that logs most", "B/s", l.bytes[NODES - 1]);
    report(board, "log of the root", "B/s", root);
    report(board, "events of the network", "1/s", (double)l.events / (double)seconds);
    report(board, "reading logs", "M events/s", read);
    report(board, "replaying components", "k events/s", replayed);
    return true;
}

static bool run(void)
{
    setenv("MOTET_TARGET", REGISTER_FILES "/..", 1); /* descriptions of interfaces */
    bool node = MSP430 && INTERFACE_LOGGED;          /* the build has firmware that logs */
    bool good = !node || interface_figures();
    const char *parts = getenv("INTERFACE_PARTS");
    if (parts && !strstr(parts, "probes"))
        return good;
    return good && measure("micaz") && (!MSP430 || measure("telosb"));
}

BENCH_GROUP(interface, 84, "interface logs: on the node, and by probes of 25 nodes, collection.c and route.c", run)
