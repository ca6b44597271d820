/* What the steps of a merge share: causal.c keeps events, match.c finds sends, align.c the clocks, order.c the order.
 */
#ifndef MERGE_CAUSAL_INTERNAL_H
#define MERGE_CAUSAL_INTERNAL_H

#include "merge/causal.h"

/* A point that a clock's map to global time goes through. */
struct causal_knot {
    int64_t local, global;
};

/* Events of one node through which one clock runs. */
struct causal_clock {
    uint32_t node, first, end;
    struct causal_knot *knots; /* at least one after alignment; rising in both */
    uint32_t knot_count;
};

struct causal_lost {
    uint32_t node, event; /* something is missing before this event */
};

struct causal {
    struct causal_options options;
    struct causal_event *events; /* node after node */
    size_t count, room;
    uint32_t *links; /* RECEIVE: its send; SEND: how many receives; copy: the first copy */
    uint16_t *order; /* the node of each event of the linear order */
    uint32_t *nodes; /* the first event of each */
    size_t node_count, node_room;
    struct causal_clock *clocks;
    size_t clock_count, clock_room;
    struct causal_lost *losses;
    size_t loss_count, loss_room;
    unsigned cut; /* before the next event */
    struct causal_finding *findings;
    size_t finding_count, finding_room;
    struct causal_counts counts;
};

void causal_find(struct causal *c, enum causal_wrong wrong, uint32_t event, uint32_t other);
uint32_t causal_node_end(const struct causal *c, uint32_t node);
struct causal_clock *causal_clock_of(const struct causal *c, uint32_t event);

/* ---- align.c ---- */

/* What messages say about each pair of clocks. */
struct causal_bounds;
struct causal_bounds *causal_bounds_new(const struct causal *c);
void causal_bounds_free(struct causal_bounds *b);
void causal_bounds_message(struct causal_bounds *b, uint32_t send, uint32_t receive);

/* Gives each clock its map. */
void causal_align(struct causal *c, struct causal_bounds *b);
int64_t causal_map(const struct causal_clock *k, int64_t local);

/* ---- match.c ---- */

void causal_match(struct causal *c);
void causal_check_unmatched(struct causal *c); /* after the order is known */

/* ---- order.c ---- */

void causal_order(struct causal *c);

#endif
