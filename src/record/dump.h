/* Dumps: the log of a node that sends it over its serial port (target/recorder/dump.h).
 *
 * The bytes come over a descriptor that the caller has opened. Invariant: a page counts only if its frame's check fits.
 * Bytes outside frames, such as output of the application, are skipped. It ends for any input, also for none.
 */
#ifndef RECORD_DUMP_H
#define RECORD_DUMP_H

#include "base/error.h"
#include "record/log.h"

struct dump_options {
    unsigned patience; /* milliseconds to wait for the node's first answer, and then for each page */
    unsigned gap;      /* microseconds between the bytes of the command, at most 999999 */
    void (*progress)(void *context, unsigned pages);
    void *context;
};

/* Asks the node for its log. NULL with a sentence if it does not answer or breaks off. */
struct log *dump_receive(const char *name, int descriptor, const struct dump_options *o, struct motet_error *e);

#endif
