/* The frozen log of a node, fetched over the radio through a base station on a serial line (firmware/kit/log_radio.h).
 *
 * Invariants: pages are those that the node has; what is lost on the way is asked for again; it ends for any input,
 * also for none.
 */
#ifndef CLI_COLLECT_RADIO_H
#define CLI_COLLECT_RADIO_H

#include "motet/log.h"

struct radio_fetch {
    const char *place; /* of the line, for sentences */
    int line;
    unsigned node;
    unsigned patience; /* milliseconds to wait for an answer */
    void (*progress)(void *context, unsigned pages);
    void *context;
};

/* NULL with a sentence if the node does not answer. `asked_again` counts requests beyond one for each page. */
motet_log *collect_radio(const struct radio_fetch *f, unsigned *asked_again, struct motet_error *e);

#endif
