/* The calls that are under way on a node, as they are made: a shadow of its stack.
 *
 * Frames are matched to returns by the stack pointer: a frame ends when the stack has risen past where its return
 * address lies, so frames left by longjmp or by a handler that does not return are taken off as well. The bottom frame
 * is there from the first instruction on and ends with a reset only. A function that is reached by a jump to its
 * beginning (a tail call, or falling into it) has a frame on top of the jumping one's, marked `tail`, which ends with
 * it. A passage (functions.h) has no frame. Cycles in interrupt handlers are counted apart from those of what they
 * interrupt.
 */
#ifndef MONITOR_CALLS_H
#define MONITOR_CALLS_H

#include <limits.h>

#include "monitor/functions.h"
#include "monitor/monitor.h"

#define CALLS_NO_LINE UINT_MAX

struct call {
    size_t function;    /* number in `functions` */
    uint32_t site;      /* the instruction that called, jumped or was interrupted */
    uint32_t sp;        /* after the call */
    unsigned line;      /* of an interrupt, else CALLS_NO_LINE */
    const char *device; /* of an interrupt */
    bool tail;
    uint64_t tick, cycles; /* when it began */
    uint64_t instructions; /* executed by then */
    uint64_t interrupted;  /* cycles in handlers since then */
    size_t tag;            /* for the follower of the calls; 0 at first */
    bool unnamed;          /* an interrupt whose handler has not begun */
};

struct calls;
/* A call has begun (is on top) or is about to end (still on top). The beginning of an interrupt may be reported a
 * few cycles late; its frame has the exact time. */
typedef void calls_told(void *context, struct calls *c);

struct calls {
    struct functions functions;
    struct call *list; /* the bottom first */
    size_t count, room;
    const motet_node *node;
    calls_told *begun, *ending;
    void *context;
    bool returning;       /* what ends does so because of a return */
    uint32_t jumped_from; /* address of the instruction before, if the follower knows it; else 0 */
};

void calls_follow(struct calls *c, motet_node *n, calls_told *begun, calls_told *ending, void *context);
void calls_end(struct calls *c); /* the run is over: all that is under way ends */
void calls_free(struct calls *c);

static inline struct call *calls_top(const struct calls *c)
{
    return &c->list[c->count - 1];
}

/* Cycles since the call on top began; none if the node was switched off and on meanwhile and counts anew. */
static inline uint64_t calls_cycles(const struct calls *c)
{
    uint64_t now = motet_node_cycles(c->node), then = calls_top(c)->cycles;
    return now > then ? now - then : 0;
}

static inline const char *calls_name(const struct calls *c, const struct call *frame)
{
    return c->functions.list[frame->function].name;
}

#endif
