/* Transmission: one frame that a radio of IEEE 802.15.4 at 2.4 GHz sends.
 *
 * Bytes are sent in pieces, each AIR_AHEAD before its first byte begins on the air, so that firmware may still change
 * what comes later. Invariant: begin, bytes in order, end; nothing is sent after the end.
 */
#ifndef PART_TRANSMISSION_H
#define PART_TRANSMISSION_H

#include <stdbool.h>
#include <stdint.h>

struct node;

enum { TRANSMISSION_PIECE = 4 }; /* bytes sent at once */

struct transmission {
    uint64_t begin; /* tick of the first byte; NEVER: none is under way */
    uint64_t end;   /* NEVER until it has been sent */
    double hertz;
    float dbm;
    uint32_t number;
    uint16_t sent_bytes;
    uint8_t header; /* of them preamble and start delimiter */
};

/* Begins at a tick in the near future, which may be nearer than AIR_AHEAD: the others then notice late. */
void transmission_begin(struct node *n, struct transmission *t, uint64_t tick, double hertz, double dbm);

/* Preamble of so many zero bytes and delimiter, which is known from the beginning. */
void transmission_header(struct node *n, struct transmission *t, unsigned preamble, unsigned word);
void transmission_say(struct node *n, struct transmission *t, const uint8_t *bytes, unsigned count);
void transmission_end(struct node *n, struct transmission *t, uint64_t tick);

/* The tick at which a byte begins; by which the next piece must be sent. */
uint64_t transmission_byte_begins(const struct node *n, const struct transmission *t, unsigned byte);
uint64_t transmission_due(const struct node *n, const struct transmission *t);

/* Switched off in the middle: messages already sent are not withdrawn, so the others hear the carrier a little
 * longer. */
void transmission_break_off(struct node *n, struct transmission *t);

#endif
