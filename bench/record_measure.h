/* What is measured of a recorded application: how large its log is, and what that costs.
 *
 * Invariant: all sizes of one case are of the same run, but for those of another codec, which is another firmware with
 * another timing. Of networks they are means over the nodes but the base station.
 */
#ifndef BENCH_RECORD_MEASURE_H
#define BENCH_RECORD_MEASURE_H

#include "record_run.h"

struct measure_case {
    const char *board, *application;
    unsigned lpl; /* milliseconds; 0: the radio is always on, or there is none */
    unsigned nodes;
    double seconds;
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
    double coded_state, coded_timers, coded_data, coded_interrupts; /* what the codec makes of them */
};

/* A codec on the node. */
struct measure_log {
    bool there;      /* there is such a firmware */
    double rate;     /* bytes a second: what was written or waits in RAM, with what a gap has lost in proportion */
    double coverage; /* share of events that are in the log */
    unsigned gaps, differences, replays;
    unsigned dead;              /* nodes that sleep for good in the end */
    double simulated, replayed; /* seconds of the host's time for the nodes */
    double awake, milliwatts;
    uint32_t flash, ram; /* the firmware takes */
};

struct measure_figures {
    double events;            /* a second */
    double awake, awake_bits; /* interrupts that did not end sleep, a second, and what the codec spends on each */
    double tardis_events;     /* likewise of the firmware with that codec */
    double raw, gzip, slzw;   /* bytes a second, uncompressed and compressed */
    double unpolled;          /* uncompressed, without reads in polling loops */
    struct measure_techniques techniques;
    struct measure_log motet, tardis;
    struct measure_log other;                 /* with the other kind of positions (measure_stamped) */
    double other_awake, other_bits, other_at; /* likewise of that firmware; its events a second */
    double other_compared;
    double plain_awake, plain_milliwatts; /* of the firmware that does not record */
    uint32_t plain_flash, plain_ram;
    double compared;      /* percent of a shorter run's instructions, with the truth */
    unsigned divergences; /* such runs with a difference */
};

/* Whether the application's positions are cycle stamps, for which a TelosB has a timer that the kit leaves free;
 * else counts. */
bool measure_stamped(const struct measure_case *c);

/* Whether there is the firmware. */
bool measure_built(const struct measure_case *c);

bool measure(const struct measure_case *c, struct measure_figures *f);

/* Whether the other compressors give back what they were given, and the log has what the recorder got. */
bool measure_check(const struct measure_case *c);

#endif
