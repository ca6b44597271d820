/* Air: what a radio on a node says to the world, and what it hears of it.
 *
 * A transmission is begun, gets bytes, and ends; each of these is one message with the tick from which it holds. The
 * sending radio gives its messages ahead of time, at least AIR_AHEAD before they take effect. The network delivers them
 * before that moment to the radios that can hear it. What is lost or damaged on the way is the receiving radio's to
 * work out, from the powers it hears. Invariant: a message that was sent is never taken back; a transmission's messages
 * come in the order begin, bytes, end.
 */
#ifndef NODE_AIR_H
#define NODE_AIR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decibel.h"

struct node;
struct device;

/* Seconds: the shortest time between a radio deciding to send and another noticing. 802.15.4 radios measure energy over
 * eight symbols, 128 microseconds; the others are slower. */
#define AIR_AHEAD 128e-6

enum air_kind { AIR_BEGIN, AIR_BYTES, AIR_END };

/* Radios hear each other only with the same modulation. */
enum air_modulation { AIR_OQPSK_250K, AIR_FSK_MANCHESTER };

enum { AIR_BYTES_MAX = 152 }; /* the longest preamble, delimiter, length and frame of 802.15.4: 146 */

/* The sender of interference, which is nobody's frame, and of frames from outside the network: `hertz` of 0 is every
 * frequency. */
#define AIR_FOREIGN UINT32_MAX

struct air_message {
    enum air_kind kind;
    enum air_modulation modulation;
    uint32_t sender;       /* node id */
    uint32_t transmission; /* counted by the sender; with its id the transmission's name */
    uint64_t tick;         /* of the receiving or sending node: when it takes effect; the beginning of the first byte */
    double begun;          /* AIR_BEGIN: so many seconds before the tick; a radio may start sooner than AIR_AHEAD */
    double hertz;          /* centre frequency */
    double bit_rate;
    float dbm;             /* as sent; as heard, once the medium has carried it */
    uint16_t first, count; /* AIR_BYTES: which bytes of the transmission these are */
    uint8_t bytes[AIR_BYTES_MAX];
};

/* What a node's radio talks to. */
struct air {
    void *context;
    void (*send)(void *context, struct node *n, const struct air_message *m);
    float (*noise)(void *context, const struct node *n); /* dBm in a channel at node_now() */
};

/* What radios have worked out last, and will again: pure functions of a number, and places to look first. Outside the
 * arena. */
enum { AIR_MEMO_SLOTS = 16 };
struct air_memo {
    struct decibel_memo noise, threshold[2];
    double sinr, loss;             /* earshot_byte_loss; a ratio of 0 is none */
    uint8_t slots[AIR_MEMO_SLOTS]; /* of sounds, by their names (earshot.c) */
};

/* When a transmission began whose AIR_BEGIN takes effect then, in units of 1/hz seconds. */
static inline uint64_t air_began(const struct air_message *m, uint64_t takes_effect, double hz)
{
    uint64_t before = (uint64_t)(m->begun * hz + 0.5);
    return before < takes_effect ? takes_effect - before : 0;
}

#define AIR_NOISE (-100.0f) /* dBm: thermal noise in 2 MHz and a receiver's own, where no medium says otherwise */

/* For radios: says a message. Without anyone to carry it, it is lost. */
void air_send(struct node *n, const struct air_message *m);

/* For radios: the noise around the node now, in dBm. */
float air_noise(const struct node *n);

/* For the medium: hands a message to the node's radio, in the order of their ticks and, but for the end of a
 * transmission whose sender died, ahead of them. How far ahead says nothing: a radio acts at the tick alone. It goes to
 * device_type.hear of the device wired by wire_air. */
void air_hear(struct node *n, const struct air_message *m);

#endif
