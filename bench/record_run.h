/* Runs of firmwares that are compared: alone, or nine in each other's reach as in TARDIS (IPSN 2015, 4.1), and what
 * replays of their logs say.
 *
 * Invariant: two runs of one firmware are equal, with any observers; a plain firmware and a recorded one get the same
 * seed, places, and times of boot.
 */
#ifndef BENCH_RECORD_RUN_H
#define BENCH_RECORD_RUN_H

#include "record_flow.h"
#include "record_pause.h"
#include "record_trace.h"

enum { RUN_NODES = 9 };

struct run_request {
    const char *path, *board;
    unsigned nodes; /* the first of several is the base station */
    double seconds;
    bool traced, energy; /* what is looked at */
    uint64_t seed;
    bool flow;                /* the control flow of all nodes, of firmware that does not record */
    struct pause_tap *pauses; /* of the last node; or NULL */
};

struct run_node {
    uint32_t id;
    struct trace trace;
    struct flow_tap flow;
    double awake;      /* share of the time */
    double milliwatts; /* on average */
    uint8_t *flash;    /* as it is in the end */
    size_t flash_size;
    bool dead;        /* asleep, and nothing will ever wake it */
    size_t unwritten; /* bytes of the log that are encoded, but still in RAM */
    size_t waiting;   /* events that are not even encoded, about */
};

struct run {
    struct run_node nodes[RUN_NODES];
    unsigned count;
    double seconds; /* of the host's time */
};

/* False: the reason is printed. Call run_free in either case. */
bool run_firmware(const struct run_request *r, struct run *run);
void run_free(struct run *run);

/* Replays of all of a node's log. */
struct run_replay {
    uint64_t events, bytes; /* of pages that were replayed */
    unsigned gaps, parts, checkpoints;
    unsigned differences; /* replays that did not fit */
    unsigned unusable;    /* parts */
    double seconds;       /* of the host's time */
    char how[1024];       /* the last one ended */
};
bool run_replay(const struct run_request *r, const struct run_node *n, struct run_replay *replay);

#endif
