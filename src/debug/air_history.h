/* What was on the air: the last transmissions, remembered once however often they are executed.
 *
 * Invariant: they are in the order of their ends, and no transmission is there twice. All that began and ended between
 * `from` and `to` are there; of other times nothing is known. After a jump to a place outside, what was known is
 * forgotten.
 */
#ifndef DEBUG_AIR_HISTORY_H
#define DEBUG_AIR_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "part/framing.h"

enum { AIR_HISTORY_PACKETS = 1024, AIR_HISTORY_BYTES = FRAMING_ROOM };

/* A transmission that has ended, perhaps again. */
struct air_history_packet {
    uint64_t begun, ended; /* nanoseconds */
    uint32_t sender;       /* node id */
    size_t count;
    const uint8_t *bytes; /* from the preamble on */
};

struct air_history {
    struct air_history_frame {
        uint64_t begun, ended;
        uint32_t sender;
        size_t count; /* of which at most AIR_HISTORY_BYTES are kept */
        uint8_t bytes[AIR_HISTORY_BYTES];
    } * frames;
    size_t count;
    uint64_t from, to; /* nanoseconds */
};

/* Execution begins at a time, and has come to another. Whether that was a jump out of what is known. */
bool air_history_begins(struct air_history *l, uint64_t now);
void air_history_ended(struct air_history *l, uint64_t now);
void air_history_heard(struct air_history *l, const struct air_history_packet *p);
void air_history_forget(struct air_history *l, uint64_t now); /* what ends later: it will be otherwise */
void air_history_free(struct air_history *l);

/* How many are known of those that had ended by now; and of these the last but `number`. */
size_t air_history_count(const struct air_history *l, uint64_t now);
const struct air_history_frame *air_history_last(const struct air_history *l, uint64_t now, size_t number);

/* Says a frame of IEEE 802.15.4, without its length; its check sequence is not looked at. */
struct line;
void air_history_say_frame(struct line *l, const uint8_t *frame, size_t count);

/* A transmission as a line, without its end; returns `text`. */
char *air_history_text(const struct air_history_packet *p, char *text, size_t size);

#endif
