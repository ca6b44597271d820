/* Logs of nodes that log an interface themselves (`motet cc --log-interface`), made into interface logs.
 *
 * The node writes pages (target/recorder/page.h) to its flash memory or its serial port, one after the other, with
 * events in the short form of target/interface/logger.h. The firmware's file says what their numbers mean: its sections
 * .motet.component and .motet.crossings. Invariant: for any bytes the result is a valid interface log, or a sentence;
 * where pages are damaged or missing there is a gap, and events go on where logging begins anew.
 */
#ifndef INTERFACE_NODE_LOG_H
#define INTERFACE_NODE_LOG_H

#include "interface/log.h"
#include "node/machine.h"

struct node_log_result {
    uint64_t pages, bytes;             /* whole pages, and what they hold */
    uint64_t missing;                  /* pages that were lost between them */
    uint64_t events, lost, interrupts; /* lost: for want of room; interrupts: by handlers that interrupted it */
    uint64_t starts;                   /* of the node */
};

/* Whether the firmware logs an interface. */
bool node_log_is_of(const struct image *i);

/* `target`: of a firmware with several components the one that the log is made of, by its pieces or number; NULL: the
 * only one. */
bool node_log_convert(const char *name, const uint8_t *bytes, size_t size, const struct machine *m, uint32_t id,
                      const char *target, FILE *out, struct node_log_result *result, struct motet_error *e);

#endif
