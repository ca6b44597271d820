/* Networks: nodes and a medium under one clock. */
#ifndef MOTET_NETWORK_H
#define MOTET_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/base/happening.h"
#include "motet/base/types.h"
#include "motet/error.h"
#include "motet/medium.h"
#include "motet/node.h"

#include "motet/base/begin.h"

/* Nodes under one clock, in nanoseconds, with a radio medium between them. A network's nodes belong to it: they run and
 * end with it, and are not run, restored or freed by themselves. Observers of different nodes are called in different
 * threads, but never two of one node at once, and only while motet_network_run runs. Everything else here is for one
 * thread at a time, between runs. */

struct motet_place {
    uint32_t id;    /* unique in the network */
    double x, y, z; /* metres */
    uint64_t boot;  /* when it is switched on */
    double drift;   /* of its clock, ppm; positive is fast */
    bool own_id;    /* the firmware keeps the id that it was built with */
};

/* `threads` of 0 is one for each processor; results do not depend on it. */
motet_network *motet_network_new(uint64_t seed, unsigned threads, const struct motet_medium *m, struct motet_error *e);
void motet_network_free(motet_network *n); /* before its machines */

/* Adds a node. Where the firmware has TinyOS's TOS_NODE_ID, its active-message address and the like, they are set to
 * the id as by motet_node_set, unless own_id says otherwise. */
motet_node *motet_network_add(motet_network *n, const motet_machine *m, const struct motet_place *p,
                              struct motet_error *e);

/* A network of one node whose firmware keeps the id that it was built with, with the default medium around it. */
motet_network *motet_network_of_one(const motet_machine *m, uint32_t id, uint64_t seed);

size_t motet_network_count(const motet_network *n);
motet_node *motet_network_at(const motet_network *n, size_t number); /* in the order of adding */
motet_node *motet_network_node(const motet_network *n, uint32_t id); /* NULL if there is none */
uint32_t motet_node_id(const motet_node *n);

enum motet_network_end {
    MOTET_NETWORK_TIME,    /* reached the time asked for */
    MOTET_NETWORK_ENDED,   /* a node has exited, see motet_network_ended; the others can go on */
    MOTET_NETWORK_IDLE,    /* nothing will ever happen again */
    MOTET_NETWORK_STOPPED, /* a callback asked for it (motet_node_stop); run again to go on */
};
enum motet_network_end motet_network_run(motet_network *n, uint64_t until);
uint64_t motet_network_now(const motet_network *n);
uint64_t motet_network_next(const motet_network *n); /* before which nothing will happen; MOTET_NEVER if nothing will */
motet_node *motet_network_ended(const motet_network *n);
uint64_t motet_network_time(const motet_network *n, const motet_node *node, uint64_t tick); /* of a node's tick */

/* Changes while running, from now on; a transmission under way is heard as it began. */
void motet_network_kill(motet_network *n, motet_node *node); /* power off */
void motet_network_boot(motet_network *n, motet_node *node); /* power on, or off and on */
bool motet_network_alive(const motet_network *n, const motet_node *node);
bool motet_network_move(motet_network *n, motet_node *node, double x, double y, double z, struct motet_error *e);
void motet_network_position(const motet_network *n, const motet_node *node, double position[3]);
bool motet_network_medium(motet_network *n, const struct motet_medium *m, struct motet_error *e);
void motet_network_get_medium(const motet_network *n, struct motet_medium *m);

/* Directed links. `dbm` is the power at which a transmission of 0 dBm arrives, and comes before the model's. */
bool motet_network_link(motet_network *n, uint32_t from, uint32_t to, double dbm, struct motet_error *e);
bool motet_network_link_down(motet_network *n, uint32_t from, uint32_t to, bool down, struct motet_error *e);
bool motet_network_link_loss(motet_network *n, uint32_t from, uint32_t to, double probability, struct motet_error *e);

/* Readings of noise in dBm, so many nanoseconds apart, over and over, each node from a place of its own in them. */
bool motet_network_noise(motet_network *n, const float *dbm, size_t count, uint64_t spacing, struct motet_error *e);

/* Every transmission as it ends. */
struct motet_transmission {
    uint32_t sender;
    uint64_t begun, ended;
    double hertz, dbm;    /* as sent */
    const uint8_t *bytes; /* from the preamble on, of which at most 16 bytes are kept */
    size_t count;
    struct motet_framing frame; /* in them */
};
typedef void motet_radio(void *context, const struct motet_transmission *t);
void motet_network_listen(motet_network *n, motet_radio *told, void *context);
uint64_t motet_network_transmissions(const motet_network *n); /* how many have ended since the network was made */

/* Frames of IEEE 802.15.4, and of TinyOS on a CC1000, to a pcapng file, from now on. The end of it says whether all
 * could be written. _empty: transmissions that have ended although the file has no frame, since their formats are not
 * known; else 0. */
bool motet_network_capture(motet_network *n, const char *path, struct motet_error *e);
uint64_t motet_network_capture_empty(const motet_network *n);
bool motet_network_capture_end(motet_network *n, struct motet_error *e);

void motet_network_digest(const motet_network *n, char text[MOTET_DIGEST_TEXT]);
motet_network_snapshot *motet_network_snapshot_take(motet_network *n);
void motet_network_snapshot_restore(motet_network *n, const motet_network_snapshot *s);
void motet_network_snapshot_free(motet_network_snapshot *s);

#include "motet/base/end.h"

#endif
