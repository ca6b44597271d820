/* Stops: where a debugger wants a node to halt: before an instruction, or after one that accesses a place in memory.
 *
 * Invariant: looking changes nothing. A stop lies in the node's own copy of the decoded code, a watch in the marks of
 * its pages; neither is in the arena, so a run with stops passes through exactly the states of one without, and where
 * there are none nothing is slower.
 *
 * When one is met node->stopped is set and node_run returns. An address stop is met before its instruction. A watch is
 * met by the instruction that touches the place, which is then completed; stops->hit says what it was.
 */
#ifndef NODE_STOPS_H
#define NODE_STOPS_H

#include <stdbool.h>
#include <stdint.h>

struct node;

enum watch_kind { WATCH_READ = 1, WATCH_WRITE = 2 };

struct watch {
    uint32_t first, last; /* data addresses */
    uint8_t kinds;
};

struct watch_hit {
    bool met;
    uint8_t kind;
    uint32_t address;
    uint64_t before; /* instructions done before the one that touched it */
};

enum { STOPS_WATCHES = 64 };

struct stops {
    uint64_t pass; /* the instruction count at which an address stop is passed over */
    bool blind;    /* all are passed over */
    uint32_t *at;  /* byte addresses */
    unsigned at_count, at_room;
    struct watch watch[STOPS_WATCHES];
    unsigned watch_count;
    bool registers; /* a watch lies among the registers, where not every access can be seen: step and compare */
    struct watch_hit hit;

    uint8_t *traps;       /* a bit for each even byte address; NULL: none */
    uint32_t trap_space;  /* byte addresses that have one */
    uint32_t moving_trap; /* one more, or UINT32_MAX */
    uint64_t trap_pass;   /* the instruction count at which a trap is passed over */
    struct node *trial;   /* where the replay of a log tries what comes next; NULL: not yet */
};

/* Replaces all stops of the node; watches beyond STOPS_WATCHES are left out. Addresses beyond memory never come. */
void stops_set(struct node *n, const uint32_t *at, unsigned at_count, const struct watch *watch, unsigned watch_count);
bool stops_has(const struct node *n, uint32_t address);
bool stops_marks(const struct node *n, uint32_t address); /* a stop or a trap lies there */
void stops_free(struct node *n);

/* Traps: addresses before whose instructions the device that replays a log is asked (device_type.due), in every way
 * to run the node. They are not stops: no caller sees them. */
void stops_trap(struct node *n, uint32_t address);
void stops_move_trap(struct node *n, uint32_t address); /* the one that moves; UINT32_MAX takes it away */

/* The log's device is to be asked: the CPU sleeps or is at a trap that is not to be passed over. */
bool stops_due(const struct node *n);

/* For instruction sets, at a marked instruction: whether to end the slice before it. */
bool stops_meet(struct node *n, uint32_t address, uint64_t count);

/* An instruction set tells that data at the address is accessed by the instruction after `before` done ones. */
void stops_accessed(struct node *n, uint32_t address, enum watch_kind kind, uint64_t before);

#endif
