/* Networks: nodes under one clock, and the medium between them.
 *
 * Global time is counted in nanoseconds. Each node counts ticks of its own, from the moment it boots, at its board's
 * rate and with its own drift; the two are converted exactly (node/clock.h), so nothing accumulates.
 *
 * No node can affect another sooner than AIR_AHEAD after it acts. So time goes on in windows: one begins with the next
 * thing that happens anywhere and is a little shorter than AIR_AHEAD; every node that has something to do in it runs on
 * its own to the window's end, in any thread. Messages are collected, put in order (time, node, order of sending), and
 * delivered at the beginning of the window in which they take effect (or, if that is just after its beginning, of the
 * one before); each takes it in in the thread that runs it. A sleeping node is not touched.
 *
 * A node alone is a network of one. Its window has no end (network/sole.c): it runs to the time asked for in one go, at
 * once stops where a callback asks for it, and the time is then that of the instruction that would have come next.
 *
 * Invariants: what a node hears, and in which order, depends only on what was sent, neither on the threads nor on how a
 * run is cut into pieces. A medium's change holds for transmissions that begin after it. A node that heard a
 * transmission begin hears it end, even if its sender dies.
 */
#ifndef NETWORK_NETWORK_H
#define NETWORK_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"
#include "network/medium.h"
#include "node/node.h"

#define NETWORK_SECOND      UINT64_C(1000000000)
#define NETWORK_TIME_LIMIT  (UINT64_C(1) << 62) /* nanoseconds; 146 years */
#define NETWORK_DRIFT_LIMIT 10000.0             /* ppm: AIR_AHEAD is reckoned by the sender's clock */

struct network;
struct network_snapshot;

struct network_node {
    uint32_t id; /* unique in the network */
    struct medium_position at;
    uint64_t boot; /* nanoseconds */
    double drift;  /* ppm, positive: its clock is fast */
};

enum network_end {
    NETWORK_TIME,    /* reached the time asked for */
    NETWORK_ENDED,   /* a node has exited; see network_ended. The run can go on without it */
    NETWORK_IDLE,    /* nothing will ever happen again */
    NETWORK_STOPPED, /* a callback asked for it */
};

/* An observer of all messages, in order, as they are sent; called by one thread at a time. `heard` is called before
 * the beginning of a transmission, with its listeners by number and the received power as the gain. Either may be
 * NULL. */
struct network_observer {
    void *context;
    void (*heard)(void *context, uint32_t node, const struct medium_listener *listeners, size_t count);
    void (*sent)(void *context, uint32_t node, uint64_t nanosecond, const struct air_message *m);
};

/* `threads` of 0 is one for each processor. */
struct network *network_new(uint64_t seed, unsigned threads, const struct medium_options *medium);
void network_free(struct network *n);

/* Adds a node, numbered in the order of adding; NULL if the id is taken or something is out of range. */
struct node *network_add(struct network *n, const struct machine *m, const struct network_node *o,
                         struct motet_error *e);
uint32_t network_count(const struct network *n);
struct node *network_node(const struct network *n, uint32_t number);
bool network_find(const struct network *n, uint32_t id, uint32_t *number);
bool network_is_sole(const struct network *n); /* there is one node */
void network_observe(struct network *n, const struct network_observer *o);

/* Called whenever a window is over, in the thread that runs the network; true ends the run. A sole node has no windows.
 * One with a callback of NULL takes it away. */
struct network_follower {
    void *context;
    bool (*window_over)(void *context);
};
void network_follow(struct network *n, const struct network_follower *f);

/* Runs all nodes to the time, or, if one exits before, to the end of that window; a sole node to where it exits. */
enum network_end network_run(struct network *n, uint64_t until);
uint64_t network_now(const struct network *n);
uint64_t network_next(const struct network *n);  /* before which nothing will happen by itself; NEVER */
uint32_t network_ended(const struct network *n); /* the node that made network_run return NETWORK_ENDED */

/* The global time at which a tick of a node begins. */
uint64_t network_time(const struct network *n, uint32_t number, uint64_t tick);

/* The tick of a node at a time of the network; 0 before it is switched on. */
uint64_t network_tick_at(const struct network *n, uint32_t number, uint64_t time);

/* ---- between runs ---- */

/* What happens to a node. Each of these is a choice of the environment (network_disturbed). */
void network_reset(struct network *n, uint32_t number); /* its reset pin; without power nothing */
void network_kill(struct network *n, uint32_t number);  /* power off, for now */
void network_boot(struct network *n, uint32_t number);  /* power on, or off and on */
bool network_alive(const struct network *n, uint32_t number);
bool network_powered(const struct network *n, uint32_t number); /* alive, or to be switched on by itself */

float network_noise(const struct network *n, uint32_t number, uint64_t nanosecond); /* dBm around a node */

/* Who decides what the environment does from now on (node/choice.h); NULL: nobody, all is as ever. It stays the
 * caller's. What is done at times of its own is in network/choices.h. */
struct chooser;
void network_choose(struct network *n, const struct chooser *by);

/* When the environment did something last that is not its default, but for interrupts that were held
 * (node->disturbed): nanoseconds, 0 for never. It is no part of the state; callers that restore put it back. */
uint64_t network_disturbed(const struct network *n);
void network_set_disturbed(struct network *n, uint64_t at);
#define NETWORK_BUSY_DBM (-40.0f) /* of interference that makes the channel busy */

/* Of interference that is far: above what radios take for a clear channel (-77 dBm after a reset of a CC2420 or RF230,
 * "Clear Channel Assessment"), and 12 dB below what a node hears of its neighbours by default (MEDIUM_DISK). */
#define NETWORK_FAINT_DBM (-72.0f)

/* The medium, to be changed. Valid until the next snapshot. */
struct medium *network_medium(struct network *n);

/* Something will be done to a node from outside (a pin, a serial line), and was: it may have woken. A sole node that
 * was stopped before an instruction does it first, so that all that comes before the input is what begins before now.
 */
void network_before_input(struct network *n);
void network_touched(struct network *n, uint32_t number);

/* Whether a sole node was stopped before an instruction, with all done that comes before it at that time; and the same
 * again for one that has been run to that time. */
bool network_is_ready(const struct network *n);
void network_make_ready(struct network *n);

/* ---- inside a window, for callers that stop there (timeline/subject.c) ----
 *
 * Windows opened and closed one after the other by these are those of network_run(NEVER), but for the cuts. Within an
 * open window nodes do not know of each other: each may be run by itself, in pieces, back and again, as long as all
 * have come to the window's end when it is closed. */

/* Opens the window of the next thing to happen, if that is before the time; it ends at the cut at the latest. */
bool network_open(struct network *n, uint64_t before, uint64_t cut);
bool network_is_open(const struct network *n);
uint64_t network_window_end(const struct network *n);
void network_close(struct network *n);
void network_cut(struct network *n, uint64_t at); /* none is open, all nodes were run until then: it is then.
                                                   * A sole node has no windows, and is cut wherever it is stopped */

/* The nodes that have something to do before the end of the open window; returns how many. */
size_t network_active(const struct network *n, uint32_t *numbers);

/* The node's first tick that begins at the time or later; 0 for one that boots later, NEVER for one without power. */
uint64_t network_tick(const struct network *n, uint32_t number, uint64_t at);

/* Keeps a node as it is within the window, and puts it back. */
void network_keep(struct network *n, uint32_t number);
void network_back(struct network *n, uint32_t number);

/* Calls for each of some nodes, in all threads. */
void network_share(struct network *n, size_t items, void (*work)(void *context, size_t item), void *context);

/* ---- only some of the nodes, for callers that have run all of it before (timeline/subject.c) ----
 *
 * Nodes affect each other only by messages. So with their history a node can be left out when the others run again: its
 * past messages are sent for it, it hears nothing and does not change. That lasts until a snapshot is restored, which
 * brings it back. No input may come from outside in the meantime. */

struct message_history; /* in the order of windows */
struct message_history *message_history_new(void);
void message_history_free(struct message_history *s);
void message_history_add(struct message_history *s,
                         const struct network *n);                     /* the open window, just before it is closed */
void message_history_forget(struct message_history *s, uint64_t from); /* of windows that begin then or later */
size_t message_history_size(const struct message_history *s);          /* bytes */

/* `until`: before that time everything is in what was noted, and no further will be run. */
void network_leave_out(struct network *n, uint32_t number, const struct message_history *s, uint64_t until);

/* The same for windows: one that was just opened is lengthened while no node sends and no message is to be
 * delivered, at most to the limit and within the history. */
void network_lengthen(struct network *n, const struct message_history *s, uint64_t limit);
bool network_left_out(const struct network *n, uint32_t number);

/* ---- state as data: also inside a window ----
 *
 * Snapshots share the state of nodes that did nothing but sleep in between (node->changed), so that a snapshot, a
 * digest and a restore cost what has changed. What is done to a node from outside must therefore be told by
 * network_touched. */

struct network_snapshot *network_snapshot(struct network *n);
void network_restore(struct network *n, const struct network_snapshot *s); /* onto the network it was taken of */
void network_snapshot_free(struct network_snapshot *s);
uint64_t network_snapshot_instructions(const struct network_snapshot *s, uint32_t number); /* a node had executed */
void network_snapshot_pack(const struct network_snapshot *s, struct pack *p); /* as bytes, for this build of Motet */
struct network_snapshot *network_snapshot_unpack(struct network *n, struct unpack *u); /* NULL if none of its own */
struct digest
network_digest(const struct network *n); /* of what nodes and medium are; the nodes' clocks tell the time */

/* Puts all nodes into their canonical forms (node/canonical.h), which a snapshot must put right afterwards. The digest
 * is that of everything but what is tracked (node/uses.h). False, and nothing is done, while a message is under way
 * between nodes. */
bool network_canonical(struct network *n, struct digest *d);

/* How much was done, for measurements. */
struct network_work {
    uint64_t windows, node_windows, messages, heard;
};
struct network_work network_work(const struct network *n);

#endif
