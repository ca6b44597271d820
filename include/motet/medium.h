/* The medium: what carries radio between nodes. */
#ifndef MOTET_MEDIUM_H
#define MOTET_MEDIUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/base/types.h"

#include "motet/base/begin.h"

enum motet_model {
    MOTET_MODEL_LINKS,        /* only motet_network_link makes links */
    MOTET_MODEL_DISK,         /* all nodes within a range, with the same gain */
    MOTET_MODEL_LOG_DISTANCE, /* gain at a metre, falling by 10 n dB a decade, with shadowing of each link */
};

struct motet_medium {
    enum motet_model model;
    double range, gain;     /* disk: metres, dB */
    double exponent, metre; /* log-distance: n, and the gain at one metre in dB */
    double shadowing;       /* its standard deviation in dB */
    double cut_off;         /* dBm: what arrives weaker is not carried at all */
    double noise;           /* dBm */
    double loss;            /* probability that a link loses a transmission, where it has none of its own */
};
void motet_medium_default(struct motet_medium *m);

#include "motet/base/end.h"

#endif
