/* What is measured of a recorded application: how large its log is, and what that costs.
 *
 * Invariant: all sizes of one case are of the same run, but for those that name another firmware, which has another
 * timing. Codecs are compared on the same trace. Of networks figures are means over the nodes but the base station.
 */
#ifndef BENCH_RECORD_MEASURE_H
#define BENCH_RECORD_MEASURE_H

#include "record_run.h"

struct measure_case {
    const char *board, *application;
    unsigned lpl; /* milliseconds; 0: the radio is always on, or there is none */
    unsigned nodes;
    double seconds;
    bool light; /* only what is of a log: neither energy, nor other firmwares than the one with counts */
};

/* Bits of what the recorder got, with and without each technique of TARDIS (Table 1). */
struct measure_techniques {
    double all;                           /* reads of all registers, and interrupts of 36 bits */
    double baseline;                      /* the same without registers that are fixed */
    double changing;                      /* without bits that cannot change by themselves either */
    double polled;                        /* of the baseline, reads in loops that only poll */
    double masked;                        /* the baseline with bits that are used alone; one in loops that poll */
    double interrupts, interrupts_asleep; /* without, with: those that end sleep need only their vector */
    double state, timers, data;           /* reads that are recorded, by their class: whole registers */
    double coded_state, coded_timers, coded_data, coded_interrupts; /* what the codec `motet` makes of them */
    double raw_state, raw_timers, raw_data;                         /* of the baseline, by class */
};

/* Codecs on one trace, of the firmware whose positions are counts: bytes a second. */
struct measure_same {
    bool there;
    double motet, motet_boot;               /* all, and of the first second of a node's life */
    double small;                           /* the codec of the profile small */
    double tardis, tardis_boot;             /* what exact replay needs included */
    double figure4, figure4_boot;           /* the bits of the paper's format alone */
    double state, timers, data, interrupts; /* figure4, by class */
    double raw_state, raw_timers, raw_data,
        raw_interrupts; /* recorded reads as whole registers; interrupts of 36 bits */
};

/* Control flow alone, of the firmware that does not record: bytes a second. */
struct measure_flow {
    bool there;
    double raw, slzw, gzip;
};

/* How long interrupts are off, in microseconds, and how long a checkpoint takes, in milliseconds. */
struct measure_pauses {
    bool there;
    double plain, recorded, checkpoint;
    unsigned checkpoints;
    double moving; /* share of the CPU's time awake in which it moves bytes to and from the flash */
};

/* A codec on the node. */
struct measure_log {
    bool there;      /* there is such a firmware */
    double rate;     /* bytes a second: what was written or waits in RAM, with what a gap has lost in proportion */
    double coverage; /* share of events that are in the log */
    unsigned gaps, differences, replays;
    unsigned dead;              /* nodes that sleep for good in the end */
    double simulated, replayed; /* seconds of the host's time for the nodes */
    double awake, milliwatts;   /* of one run */
    uint32_t flash, ram;        /* the firmware takes */
};

struct measure_figures {
    double events;            /* a second */
    double awake, awake_bits; /* interrupts that did not end sleep, a second, and what the codec spends on each */
    double tardis_events;     /* likewise of the firmware with that codec */
    double raw, gzip, slzw;   /* bytes a second, uncompressed and compressed */
    double unpolled;          /* uncompressed, without reads in polling loops */
    double flash_half;        /* seconds until half of the flash is full */
    struct measure_techniques techniques;
    struct measure_same same;
    struct measure_flow flow;
    struct measure_pauses pauses;
    struct measure_log motet, tardis;
    struct measure_log small, tiny;             /* profiles, with counts */
    struct measure_log other;                   /* with the other kind of positions (measure_stamped) */
    double other_awake, other_bits, other_at;   /* likewise of that firmware; its events a second */
    double recorded_awake, recorded_milliwatts; /* over some runs */
    double plain_awake, plain_milliwatts;       /* of the firmware that does not record, over as many */
    uint32_t plain_flash, plain_ram;
    double compared;      /* percent of a shorter run's instructions, with the truth; on Cortex-M how many */
    unsigned divergences; /* such runs with a difference */
};

/* Whether the application's positions are cycle stamps, for which a TelosB has a timer that the kit leaves free;
 * else counts. */
bool measure_stamped(const struct measure_case *c);

/* Whether it is of a Cortex-M, where there is one codec and one kind of positions. */
bool measure_is_cortex(const struct measure_case *c);

/* Whether there is the firmware. */
bool measure_built(const struct measure_case *c);

bool measure(const struct measure_case *c, struct measure_figures *f);

/* Whether the other compressors give back what they were given, and the log has what the recorder got. */
bool measure_check(const struct measure_case *c);

#endif
