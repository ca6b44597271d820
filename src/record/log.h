/* Logs: what a recording node wrote in its flash, put in order again (docs/node-log-format.md).
 *
 * A page that is whole (its check fits) is used, any other is counted and left out. Pages belong to *parts*: one begins
 * at each start of the firmware, and at each checkpoint, whose own pages then are the first of it. Invariant: the bytes
 * of a part, and those of its checkpoint, are a prefix of what the node wrote, with nothing missing in between. Pages
 * after a lost page are counted, never used.
 */
#ifndef RECORD_LOG_H
#define RECORD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum log_codec {
    LOG_PLAIN,
    LOG_TARDIS,
    LOG_FORMER /* of an earlier Motet */,
    LOG_MOTET,
    LOG_FORMER_BITS /* of an earlier Motet */,
    LOG_WORDS,
    LOG_BITS,
    LOG_CODECS
};

/* Pages of one kind in a part: events, or the checkpoint. */
struct log_stream {
    unsigned pages;  /* in `bytes`, from the first on without a gap */
    unsigned beyond; /* whole pages after a lost one */
    uint8_t *bytes;
    size_t size;
};

struct log_part {
    uint64_t build;       /* of the firmware that wrote it, if `named` */
    bool named;           /* its first page is there, which says that */
    uint16_t tag, number; /* the lowest bits of the build, which every page has; as the node numbers its parts */
    uint8_t codec;        /* enum log_codec, or unknown */
    bool continues;       /* begins with a checkpoint, not with a start of the firmware */
    bool recovered;       /* its end was written after a reset, from what was left in memory */
    bool gap;             /* ends because the recorder had no room for what came next */
    bool frozen;          /* recording was ended for good, also after a reset */
    bool restarted;       /* what comes next is from another start of the firmware */
    uint32_t sequence;    /* of the first page there is */
    uint32_t last;        /* of the last page of events there is */
    unsigned pages;       /* of events, in `bytes`, from the first on without a gap */
    unsigned beyond;      /* whole pages of events after a lost one */
    uint8_t *bytes;
    size_t size;
    struct log_stream checkpoint;
    const struct log_part *next; /* the part whose checkpoint was taken at the end of this one, if it is there */
};

struct log {
    struct log_part *parts; /* in the order they were written */
    size_t count;
    unsigned page_size;
    unsigned pages, damaged, blank; /* in what was given */
    unsigned former;                /* whole pages in the format of an earlier Motet, left out */
    uint32_t first, last;           /* sequence numbers of pages */
    unsigned missing;               /* between them: lost, or never whole */
};

/* From the contents of a flash memory or of a file made by log_save. A page size of 0 is found out. */
struct log *log_parse(const char *name, const uint8_t *bytes, size_t size, unsigned page_size, struct motet_error *e);
struct log *log_load(const char *path, unsigned page_size, struct motet_error *e);
void log_free(struct log *l);

/* Writes the whole pages of the log to a file, so that they take no more room than they need. */
bool log_save(const struct log *l, const char *path, struct motet_error *e);

/* A build id, as pages and ELF files have it: eight bytes, little-endian. */
uint64_t log_build_at(const uint8_t *bytes);

const char *log_codec_name(unsigned codec);

/* Whether a replay can begin with the part: its start is there, and if that is a checkpoint all of it. */
bool log_part_usable(const struct log_part *p);

#endif
