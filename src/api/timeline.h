/* What a public timeline is made of. */
#ifndef API_TIMELINE_H
#define API_TIMELINE_H

#include "debug/air_history.h"
#include "motet/timeline.h"
#include "timeline/timeline.h"

struct motet_timeline {
    struct timeline *timeline;
    motet_network *network;
    uint32_t count;
    uint64_t until;
    motet_saved_run *saved; /* it is of, or NULL */
    uint64_t begun;         /* where history begins */
    struct air_history air;
};

struct motet_timeline_event timeline_event_out(struct timeline_event e);

/* Notes what nodes read from their analog inputs, so that the run can be saved. */
void timeline_take_notes(motet_timeline *t);

motet_node *timeline_node(const motet_timeline *t, uint32_t number); /* there is one of that number */

#endif
