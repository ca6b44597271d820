/* Logs of many nodes put in one causal order: events a second with vector clocks, and memory. */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "merge/causal.h"
#include "motet/merge.h"

enum { SIDE_MOST = 20, REACHED = 4 };

/* An hour of a grid: each round a node does something of its own, sends, or gets what neighbours sent. */
struct traffic {
    uint32_t side, rounds, random;
};

static uint32_t draw(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

/* A node sends in every fourth of its rounds, at a time that its neighbours can work out. */
static uint64_t sent_at(uint32_t node, uint32_t round)
{
    return (uint64_t)round * 50000000 + node % 25 * 1900000;
}

static uint64_t content_of(uint32_t node, uint32_t round)
{
    return ((uint64_t)node << 32 | round) * UINT64_C(0x9e3779b97f4a7c15) | 1;
}

static uint32_t neighbour(const struct traffic *t, uint32_t node, uint32_t which)
{
    uint32_t x = node % t->side, y = node / t->side, side = t->side;
    uint32_t to_x = which == 0 ? (x + 1) % side : which == 1 ? (x + side - 1) % side : x;
    uint32_t to_y = which == 2 ? (y + 1) % side : which == 3 ? (y + side - 1) % side : y;
    return to_y * side + to_x;
}

static int by_time(const void *a, const void *b)
{
    const struct causal_event *one = a, *two = b;
    return (one->time > two->time) - (one->time < two->time);
}

static void add_round(struct causal *c, struct traffic *t, uint32_t node, uint32_t round)
{
    struct causal_event list[REACHED + 4];
    uint32_t count = 0;
    uint64_t begin = sent_at(0, round);
    for (uint32_t i = 0; i < 3; i++)
        list[count++] = (struct causal_event){.time = begin + draw(&t->random) % 49000000, .kind = CAUSAL_OTHER};
    if ((round + node) % 4 == 0)
        list[count++] = (struct causal_event){
            .time = sent_at(node, round), .kind = CAUSAL_SEND, .content = content_of(node, round)};
    for (uint32_t i = 0; i < REACHED; i++) {
        uint32_t from = neighbour(t, node, i);
        if ((round + from) % 4 == 0 && (from * 7 + round + node) % 10)
            list[count++] =
                (struct causal_event){.time = sent_at(from, round) + 1500000 + (node * 7 + round) % 13 * 1000000,
                                      .kind = CAUSAL_RECEIVE,
                                      .content = content_of(from, round),
                                      .from = CAUSAL_ANYONE};
    }
    qsort(list, count, sizeof *list, by_time);
    for (uint32_t i = 0; i < count; i++) {
        list[i].time += node * UINT64_C(12345678) + list[i].time / 1000000 * (node % 50); /* its own clock */
        causal_add(c, &list[i]);
    }
}

static struct causal *make(struct traffic t)
{
    struct causal *c = causal_new(&(struct causal_options){.delay = 0});
    for (uint32_t node = 0; node < t.side * t.side; node++) {
        causal_node(c);
        for (uint32_t round = 0; round < t.rounds; round++)
            add_round(c, &t, node, round);
    }
    return c;
}

static void sum_clocks(void *context, uint32_t event, const uint32_t *clock)
{
    *(uint64_t *)context += clock[event % 16];
}

static bool measure(struct traffic t)
{
    char name[3][80];
    double speed[BENCH_ROUNDS], memory = 0;
    uint32_t count = 0, alive = 0;
    for (unsigned i = 0; i < BENCH_ROUNDS; i++) {
        size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
        struct causal *c = make(t);
        struct causal_counts counts;
        uint64_t sum = 0;
        double start = bench_seconds();
        causal_merge(c);
        alive = causal_walk(c, sum_clocks, &sum);
        count = causal_count(c);
        speed[i] = count / (bench_seconds() - start) / 1e6;
        memory = (double)(mallinfo2().uordblks + mallinfo2().hblkhd - before) / count;
        causal_counts(c, &counts);
        causal_free(c);
        if (counts.matched != counts.receives || counts.weaker + counts.undecided)
            return bench_wrong("%u of %u receives are matched", counts.matched, counts.receives);
    }
    snprintf(name[0], sizeof name[0], "merge %u nodes, %.1f M events", t.side * t.side, count / 1e6);
    snprintf(name[1], sizeof name[1], "memory at %u nodes", t.side * t.side);
    snprintf(name[2], sizeof name[2], "clocks alive at %u nodes", t.side * t.side);
    bench_report(&(struct bench_result){
        .name = name[0], .unit = "M events/s", .value = bench_median(speed, BENCH_ROUNDS), .limit = 3});
    bench_report(&(struct bench_result){.name = name[1], .unit = "B/event", .value = memory, .less_is_better = true});
    bench_report(&(struct bench_result){.name = name[2], .unit = "", .value = alive, .less_is_better = true});
    return true;
}

/* ---- following live feeds ---- */

enum { FEEDS = 25, FEED_BAUD = 115200, FEED_PIECE = 576 /* bytes of 50 ms at that rate */ };

static uint8_t *feed_load(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    uint8_t *bytes = malloc(*size + 1);
    bool good = bytes && fread(bytes, 1, *size, f) == *size;
    fclose(f);
    unlink(path);
    return good ? bytes : NULL;
}

/* Logs of 25 nodes, by probes. */
static bool feed_make(uint8_t *bytes[FEEDS], size_t sizes[FEEDS])
{
    char path[100], command[600];
    snprintf(command, sizeof command,
             MOTET " run --quiet --board micaz --topology grid:5x5:10m --for %us "
                   "--log-interface collection.c,route.c=/tmp/motet-bench-%ld-%%id.ilog %s </dev/null >/dev/null",
             bench_checking ? 5u : 60u, (long)getpid(), FIRMWARE_DIR "/collect-micaz.elf");
    if (system(command) != 0)
        return bench_wrong("%s", "the network cannot be run");
    bool good = true;
    for (unsigned i = 0; i < FEEDS; i++) {
        snprintf(path, sizeof path, "/tmp/motet-bench-%ld-%u.ilog", (long)getpid(), i);
        bytes[i] = feed_load(path, &sizes[i]);
        good &= bytes[i] != NULL;
    }
    return good || bench_wrong("%s", "a log is missing");
}

/* The time that the host takes for what 25 serial lines carry in a second. */
static bool measure_feeds(void)
{
    uint8_t *bytes[FEEDS] = {NULL};
    size_t sizes[FEEDS], total = 0;
    const char *names[FEEDS];
    double speed[BENCH_ROUNDS];
    unsigned rounds = bench_checking ? 1 : BENCH_ROUNDS;
    struct motet_follow_summary s = {.events = 0};
    struct motet_error e;
    bool good = feed_make(bytes, sizes);
    for (unsigned i = 0; i < FEEDS; i++)
        names[i] = "feed";
    for (unsigned k = 0; k < rounds && good; k++) {
        FILE *nowhere = fopen("/dev/null", "w");
        motet_follow *f = motet_follow_new(
            &(struct motet_follow_options){.feeds = FEEDS, .names = names, .json = true, .to = nowhere});
        double start = bench_seconds();
        bool more = true;
        total = 0;
        for (size_t at = 0; more && good; at += FEED_PIECE) {
            more = false;
            uint64_t now = 1 + at * 10 * UINT64_C(1000000000) / FEED_BAUD;
            for (unsigned i = 0; i < FEEDS && good; i++)
                if (at < sizes[i]) {
                    size_t piece = sizes[i] - at < FEED_PIECE ? sizes[i] - at : FEED_PIECE;
                    good = motet_follow_take(f, i, bytes[i] + at, piece, now, &e);
                    total += piece;
                    more = true;
                }
            motet_follow_pass(f, now);
        }
        motet_follow_finish(f);
        speed[k] = (double)total * 10 / FEED_BAUD / FEEDS / (bench_seconds() - start);
        motet_follow_summary(f, &s);
        motet_follow_free(f);
        fclose(nowhere);
    }
    for (unsigned i = 0; i < FEEDS; i++)
        free(bytes[i]);
    if (!good || s.matched * 100 < s.receives * 98 || s.late)
        return bench_wrong("%u of %u receives of live feeds have their send", (unsigned)s.matched,
                           (unsigned)s.receives);
    bench_report(&(struct bench_result){.name = "follow 25 feeds at 115,200 baud",
                                        .unit = "times real time",
                                        .value = bench_median(speed, rounds),
                                        .limit = 1});
    return true;
}

static bool run(void)
{
    uint32_t less = bench_checking ? 1000 : 1;
    return measure_feeds() & measure((struct traffic){5, 18000 / less, 1}) &
           measure((struct traffic){5, 100000 / less, 1}) &
           measure((struct traffic){SIDE_MOST, 3000 / (bench_checking ? 100 : 1), 1});
}

BENCH_GROUP(merge, 85, "logs of many nodes in one causal order, with vector clocks", run)
