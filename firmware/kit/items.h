/* Many values that every node comes to have, each after its last change on any node: what the two protocols for this,
 * dip.c and dhv.c, have in common. An application links one of them and uses the functions here.
 *
 * An item has a version: a count of its changes in the upper half, and in the lower the node that made the last, so
 * that of two changes at the same time one wins, the same everywhere. Messages are of five kinds. Three of them say
 * something about many items at once and differ from protocol to protocol; VECTOR names items with their versions, and
 * DATA is one item. Invariant: an item's version never goes back (versions are compared by their difference, so they
 * may overflow).
 */
#ifndef KIT_ITEMS_H
#define KIT_ITEMS_H

#include <stdbool.h>
#include <stdint.h>

#include "radio.h"

#define ITEMS             32 /* a power of two; 8 of them to a byte of a slice */
#define ITEMS_MESSAGE_MAX 42
#define ITEMS_VECTOR_MAX  8

struct item {
    uint32_t version;
    uint16_t value;
};

extern struct item items[ITEMS];

/* ---- for applications ---- */

/* Needs radio_start() before. `changed` is called when a newer value of an item has come. */
void items_start(void (*changed)(uint8_t key, uint16_t value));

/* Gives all nodes a new value of an item. */
void items_change(uint8_t key, uint16_t value);

/* ---- for the protocols, which define these ---- */

void items_protocol_say(void);                               /* the time has come to say something */
void items_protocol_news(uint8_t key);                       /* this node has a newer version than others */
void items_protocol_received(const struct radio_message *m); /* of a kind that is the protocol's own */

/* What another node has sent of a version: same, older or newer than this node's. Not called for newer DATA. */
enum items_difference { ITEMS_SAME, ITEMS_OLDER, ITEMS_NEWER };
void items_protocol_heard(uint8_t key, enum items_difference theirs, bool data);

/* ---- and use these ---- */

enum { ITEMS_DATA = 0x61, ITEMS_VECTOR, ITEMS_SUMMARY, ITEMS_HORIZONTAL, ITEMS_VERTICAL }; /* types of messages */

/* Where to write the next message; NULL while the last one is still on its way. Then items_send() takes it. */
uint8_t *items_payload(void);
void items_send(uint8_t type, uint8_t length);

bool items_say_data(uint8_t key); /* false: not now */

/* A VECTOR of the items from `keys`, up to ITEMS_VECTOR_MAX. */
bool items_say_vector(const uint8_t *keys, uint8_t count);

/* Of the versions of items from begin to before end; the salt makes two that are equal by chance differ next time. */
uint16_t items_hash(uint8_t begin, uint8_t end, uint16_t salt);

void items_disagree(void); /* something is to be found out: speak soon */
void items_agree(void);    /* another node has sent what this node would send */

#endif
