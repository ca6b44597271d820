/* Media: which nodes hear a sender, and with which power.
 *
 * Nodes are known by number, in the order in which they were added. How much weaker a signal arrives follows from the
 * positions by a model, or from explicit directed links, which come before the model. Power heard is power sent plus
 * the gain, in dB; what would arrive below the cut-off is not carried at all, so that carrying costs what there are
 * neighbours. Whether a link loses a transmission is a pure function of seed, link and time, so nothing random is kept.
 *
 * Invariant: a medium is a value. Every result follows from its settings and the seed, by arithmetic that is the same
 * on every machine; shadowing of a link is the same in both directions and for the whole life of the medium. The lists
 * it keeps are derived and no part of its digest.
 */
#ifndef NETWORK_MEDIUM_H
#define NETWORK_MEDIUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"

#define MEDIUM_LOUDEST  10.0   /* dBm: no radio here sends more */
#define MEDIUM_CUT_OFF  -110.0 /* dBm, by default: 10 dB below the noise */
#define MEDIUM_DISK     -60.0  /* dB, by default: the gain inside a unit disk */
#define MEDIUM_EXPONENT 3.0    /* log-distance, by default */
#define MEDIUM_METRE    -40.0  /* dB: gain over the first metre, free space at 2.4 GHz */

enum medium_model {
    MEDIUM_LINKS,        /* explicit links only */
    MEDIUM_UNIT_DISK,    /* the same gain everywhere up to a range */
    MEDIUM_LOG_DISTANCE, /* gain at a metre, falling by 10 n dB a decade, with normal shadowing of each link */
};

struct medium_options {
    enum medium_model model;
    double range, gain;     /* unit disk: metres, dB */
    double exponent, metre; /* log-distance: n, dB */
    double shadowing;       /* its standard deviation, dB */
    double cut_off;         /* dBm */
    double noise;           /* dBm, where there is no trace */
    double loss;            /* probability, of links without one of their own */
};
extern const struct medium_options medium_default;

struct medium_position {
    double x, y, z; /* metres */
};

struct medium;

struct medium *medium_new(uint64_t seed, const struct medium_options *o);
struct medium *medium_share(struct medium *m); /* one more holder */
struct medium *medium_own(struct medium *m);   /* the same medium for one of its holders to change: a copy if shared */
void medium_free(struct medium *m);            /* one holder less */

uint32_t medium_add(struct medium *m, struct medium_position p); /* returns its number */
void medium_configure(struct medium *m, const struct medium_options *o);
const struct medium_options *medium_options(const struct medium *m);
void medium_move(struct medium *m, uint32_t node, struct medium_position p);
struct medium_position medium_position(const struct medium *m, uint32_t node);

/* Directed links. A gain replaces the model's; a link that is down carries nothing, independent of other settings. */
void medium_link(struct medium *m, uint32_t from, uint32_t to, double gain);
void medium_link_down(struct medium *m, uint32_t from, uint32_t to, bool down);
void medium_link_loss(struct medium *m, uint32_t from, uint32_t to, double probability);

/* The noise follows a trace: `count` readings in dBm, `spacing` nanoseconds apart, over and over; each node begins at a
 * place of its own in it. Copies the readings. A count of 0 goes back to the floor. */
void medium_noise_trace(struct medium *m, const float *dbm, size_t count, uint64_t spacing);

/* The nodes that may hear the node, by number, with their gain: all that could be above the cut-off at the highest
 * power. Valid until the medium changes. Not for several threads at once. */
struct medium_listener {
    uint32_t node;
    float gain;
};
size_t medium_listeners(struct medium *m, uint32_t from, const struct medium_listener **list);

/* Whether what begins at a time is lost on a link. */
bool medium_loses(const struct medium *m, uint32_t from, uint32_t to, uint64_t nanosecond);

float medium_noise(const struct medium *m, uint32_t node, uint64_t nanosecond);

/* Its settings as bytes; NULL if the bytes are no medium. */
struct pack;
struct unpack;
void medium_pack(const struct medium *m, struct pack *p);
struct medium *medium_unpack(struct unpack *u);

struct digest medium_digest(struct medium *m);

#endif
