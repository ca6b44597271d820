/* What was on the air: the last transmissions, remembered once however often they are executed.
 *
 * Invariant: they are in the order of their ends, and no transmission is there twice.
 */
#ifndef DEBUG_AIRLOG_H
#define DEBUG_AIRLOG_H

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
};

void airlog_heard(struct airlog *l, const struct airlog_packet *p);
void airlog_forget(struct airlog *l, uint64_t now); /* what ends later: it will be otherwise */
void airlog_free(struct airlog *l);

/* The last of those that had ended by now, a line each. */
void airlog_say(const struct airlog *l, uint64_t now, size_t most, char *text, size_t size);

#endif
