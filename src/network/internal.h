/* What the files of a network share. */
#ifndef NETWORK_INTERNAL_H
#define NETWORK_INTERNAL_H

#include "network/network.h"
#include "node/choice.h"
#include "network/pool.h"
#include "network/schedule.h"

/* Messages are handed over this many nanoseconds before the window in which they hold: a receiver that reckons the time
 * of a byte by its own clock may come to a tick before the sender's. */
enum { EARLY = 4000 };

/* A message on its way: sent by a node, not yet delivered. */
struct sent_message {
    uint64_t when;  /* nanosecond from which it holds */
    uint64_t order; /* the sender's count of them */
    uint32_t from;
    struct air_message message;
};

/* A message for a node, delivered at the beginning of the current window. */
struct heard_message {
    uint32_t which; /* index in network.due */
    float dbm;
};

/* One node in its network. What changes while running is all here, in the node and in the message queue. Nodes run
 * side by side in threads, so that no two share a line of a cache. */
struct member {
    /* In the first line: all that a window touches of a node that neither hears nor says anything. */
    struct node *node;
    struct clock clock; /* cycles are the node's ticks, ticks are nanoseconds */
    uint32_t past;      /* PAST_TRANSLATED in ticks */
    uint32_t number;
    bool alive, exited; /* exited: and it has been reported */
    bool left_out;      /* others run, and what it says is known (network_leave_out) */
    bool sending;       /* heard to begin, and not to end */
    bool asleep;        /* it was when it ran last: what to fetch for the next time */
    size_t incoming_count, outgoing_count;
    struct network *network;
    struct heard_message *incoming; /* its queue of messages to be delivered in this window */
    struct sent_message *outgoing;  /* its queue of messages sent in this window */
    size_t incoming_room, outgoing_room;
    uint64_t order;                    /* messages sent so far */
    struct air_message on_air;         /* while sending: the beginning; what comes before it is touched most */
    struct medium_listener *listeners; /* of that, with the power as gain */
    uint32_t listener_count;
    size_t listener_room;
    struct snapshot *last; /* as the node is, but for its time, as long as node->changed is not set; may be NULL */
    struct snapshot *kept; /* as it was inside a window (network_keep), and how much it had sent */
    size_t kept_outgoing;
    uint64_t kept_order;
} __attribute__((aligned(64)));

/* How a node came out of a window. All that is looked at of most nodes afterwards, and close together: what another
 * thread has written is slow to read. */
struct outcome {
    uint64_t next; /* when it has something to do again */
    uint8_t notes;
};
enum {
    NOTE_SENT = 1,
    NOTE_EXITED = 2, /* and that has not been reported */
    NOTE_ASKED = 4,  /* a callback has asked for the end of the run */
    NOTE_AWAKE = 8,
};

/* What is to be done, for the pool: a node that only wakes, one that is awake, an item of network_share. */
enum { NETWORK_EFFORT_ASLEEP = 1, NETWORK_EFFORT_AWAKE = 4, NETWORK_EFFORT_SHARE = 1024 };

/* The network's queue of messages: a heap, by when, from and order. */
struct message_queue {
    struct sent_message *list;
    size_t count, room;
};

struct network {
    /* In the first line of the host's cache: all that threads read of a window without messages. */
    struct member **members;  /* each at an address of its own, which its node knows */
    uint32_t *active;         /* the nodes of a window */
    struct outcome *outcomes; /* of each of them */
    uint64_t now, window_end;
    bool soft;      /* nodes may go past the end of the window (member.past) */
    bool lets_wait; /* a node in a loop that only waits may stay behind */

    uint32_t count, room;
    struct id_entry {
        uint32_t id, number;
    } * ids; /* by id */
    uint64_t seed;
    struct medium *medium;
    struct message_queue queue;
    struct sent_message *due; /* messages delivered in this window, in order */
    size_t due_count, due_room;
    struct schedule schedule;
    size_t awake; /* nodes of the last window that were awake at its end */
    struct pool *pool;
    struct network_observer observer;
    struct network_follower follower;
    const struct chooser *chooser; /* or NULL */
    uint64_t disturbed;            /* see network_disturbed */
    bool open;                     /* between network_open and network_close */
    bool ready; /* a sole node was stopped before an instruction, and what comes before it at that time is done */
    uint32_t ended;
    bool asked; /* a callback has asked for the end of the run */
    struct network_work work;
} __attribute__((aligned(64)));

/* ---- message_queue.c ---- */
bool message_before(const struct sent_message *a, const struct sent_message *b);
void message_queue_push(struct message_queue *s, const struct sent_message *one);
void message_queue_pop(struct message_queue *s, struct sent_message *one); /* the first */
void message_queue_remove_sender(struct message_queue *s, uint32_t from);  /* takes out all of one sender */

/* Nanoseconds that a node may be past a window's end: to finish an instruction, or in translated code (node_run_past),
 * which keeps a distance for clocks that are fast. */
enum { PAST = 8000, PAST_TRANSLATED = 6000 };

#define WINDOW ((uint64_t)(AIR_AHEAD * 1e9) - PAST - EARLY)

/* When the next window begins: with the next activity. One so close to the time that a node may be past it begins at
 * once, so that windows do not depend on how far nodes have gone. */
static inline uint64_t window_begin(const struct network *n, uint64_t next)
{
    return next < n->now + PAST ? n->now : next;
}

/* Runs a node through everything that begins before the time. */
void member_run(struct member *m, uint64_t before);

/* When a node has something to do next. */
uint64_t member_next(const struct member *m);

/* ---- exchange.c ---- */
void exchange_send(void *context, struct node *n, const struct air_message *m); /* struct air's send */
void exchange_collect(struct network *n, struct member *m);                     /* what a node sent in the window */
/* exchange_hand_over puts every message that takes effect before the time into the incoming queues of its listeners,
 * and schedules these now. exchange_take_in delivers a node's incoming queue, in the thread that runs the node. */
void exchange_hand_over(struct network *n, uint64_t before);
void exchange_take_in(struct member *m);

/* Interference at one node, from and to a nanosecond, at one frequency or, with 0, at all. It is put into the node's
 * incoming queue. */
struct interference {
    uint64_t from, to;
    double hertz;
    float dbm;
};
void exchange_interfere(struct network *n, struct member *to, const struct interference *i);

/* A frame of no node that one node hears, in whichever channel, from a nanosecond on. */
void exchange_foreign(struct network *n, struct member *to, uint64_t from, const uint8_t *bytes, size_t count,
                      float dbm);
void exchange_end_sending(struct network *n, struct member *m);
void exchange_forget(struct network *n, uint32_t number); /* it hears no end of a current transmission */
void exchange_reschedule(struct network *n, struct member *m);

/* ---- sole.c: a network of one ---- */
enum network_end sole_run(struct network *n, uint64_t until);
void sole_say(struct network *n, const struct sent_message *s); /* takes the place of the exchange */
void sole_now(struct network *n, uint64_t now);                 /* the node has done everything before that time */

#endif
