/* Logs: what a recording node left in its flash, put in order again.
 *
 * A page that is whole (its check fits) is believed, any other is counted and left out. Pages belong to *parts*: one
 * begins at each start of the firmware. Invariant: the bytes of a part are a prefix of what the node wrote in it, with
 * nothing missing in between; what comes behind a lost page is counted, never used.
 */
#ifndef RECORD_LOG_H
#define RECORD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum log_codec { LOG_PLAIN, LOG_TARDIS, LOG_MOTET, LOG_CODECS };

struct log_part {
    uint16_t build, number; /* as the node numbers its parts */
    uint8_t codec;          /* enum log_codec, or unknown */
    uint32_t sequence;      /* of its first page */
    unsigned pages;         /* in `bytes`, from the first on without a gap */
    unsigned beyond;        /* whole pages behind a lost one */
    uint8_t *bytes;
    size_t size;
};

struct log {
    struct log_part *parts; /* in the order they were written */
    size_t count;
    unsigned page_size;
    unsigned pages, damaged, blank; /* in what was given */
};

/* From the contents of a flash memory or of a file made by log_save. A page size of 0 is found out. */
struct log *log_parse(const char *name, const uint8_t *bytes, size_t size, unsigned page_size, struct error *e);
struct log *log_load(const char *path, unsigned page_size, struct error *e);
void log_free(struct log *l);

/* Writes the whole pages of the log to a file, so that they take no more room than they need. */
bool log_save(const struct log *l, const char *path, struct error *e);

const char *log_codec_name(unsigned codec);

#endif
