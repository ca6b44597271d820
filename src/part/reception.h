/* Reception: how a radio of IEEE 802.15.4 at 2.4 GHz finds a frame among what it hears, and its bytes.
 *
 * The receiver synchronises on a start delimiter that it has heard whole while searching, if the signal stands out from
 * noise and interference, and then stays with that transmission; a byte is damaged with the probability its own ratio
 * of signal to interference gives. Invariant: all that is drawn is drawn from the node's generator, in the order of the
 * bytes.
 */
#ifndef PART_RECEPTION_H
#define PART_RECEPTION_H

#include "part/earshot.h"

struct reception {
    struct earshot ear;
    double hertz;             /* tuned to */
    uint64_t searching_since; /* ticks */
    uint64_t sfd;             /* when the start delimiter of the frame being received ended */
    uint32_t sender, transmission;
    int8_t sound;  /* which of the ear's it is */
    uint8_t first; /* where in it the frame's length is */
};

/* The tick at which byte i of the frame, the length being 0, begins. */
uint64_t reception_byte_begins(const struct node *n, const struct reception *r, unsigned i);

/* Takes in a message. False: reception_next answers as before. */
bool reception_hear(const struct node *n, struct reception *r, unsigned word, const struct air_message *m);

/* When the next start delimiter will have been heard, NEVER if none is known. `word` has four symbols, the first in its
 * low nibble; F matches anything. */
uint64_t reception_next(const struct node *n, const struct reception *r, unsigned word);

/* A delimiter has just been heard: whether it was made out. `noise` in milliwatts. */
bool reception_begin(struct node *n, struct reception *r, unsigned word, double noise);

/* Byte i of the frame as it was received. */
uint8_t reception_byte(struct node *n, struct reception *r, unsigned i, double noise);

/* Signal to noise and interference of the frame on average over its first bytes, the length included, in dB. */
double reception_quality(const struct node *n, const struct reception *r, unsigned bytes, double noise);

/* That as IEEE 802.15.4-2006, 6.9.8, has it: 0 for the worst frames that can be received, 255 for the best, and evenly
 * between them. */
uint8_t reception_link_quality(double quality);

#endif
