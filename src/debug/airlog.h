/* What was on the air: the last transmissions, remembered once however often they are executed.
 *
 * Invariant: they are in the order of their ends, and no transmission is there twice. All that began and ended between
 * `from` and `to` are there; of other times nothing is known. After a jump to a place outside, what was known is
 * forgotten.
 */
#ifndef DEBUG_AIRLOG_H
#define DEBUG_AIRLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AIRLOG_PACKETS = 1024, AIRLOG_BYTES = 160 };

/* A transmission that has ended, perhaps again. */
struct airlog_packet {
    uint64_t begun, ended; /* nanoseconds */
    uint32_t sender;       /* node id */
    size_t count;
    const uint8_t *bytes; /* from the preamble on */
};

struct airlog {
    struct airlog_frame {
        uint64_t begun, ended;
        uint32_t sender;
        size_t count; /* of which at most AIRLOG_BYTES are kept */
        uint8_t bytes[AIRLOG_BYTES];
    } * frames;
    size_t count;
    uint64_t from, to; /* nanoseconds */
};

/* Execution begins at a time, and has come to another. Whether that was a jump out of what is known. */
bool airlog_begins(struct airlog *l, uint64_t now);
void airlog_ended(struct airlog *l, uint64_t now);
void airlog_heard(struct airlog *l, const struct airlog_packet *p);
void airlog_forget(struct airlog *l, uint64_t now); /* what ends later: it will be otherwise */
void airlog_free(struct airlog *l);

/* How many are known of those that had ended by now; and of these the last but `number`. */
size_t airlog_count(const struct airlog *l, uint64_t now);
const struct airlog_frame *airlog_last(const struct airlog *l, uint64_t now, size_t number);

/* A transmission as a line, without its end; returns `text`. */
char *airlog_text(const struct airlog_packet *p, char *text, size_t size);

#endif
