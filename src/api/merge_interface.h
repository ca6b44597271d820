/* Events of interface logs as events of stories. */
#ifndef API_MERGE_INTERFACE_H
#define API_MERGE_INTERFACE_H

#include "interface/log.h"
#include "merge/story.h"

struct merge_sink {
    void *context;
    void (*add)(void *context, const struct story_event *e);
    void (*cut)(void *context, unsigned what); /* enum causal_cut */
};

/* Adds what an event of the log is in a story: nothing, an event, a cut. `refused`: of a send, its result says so. */
void merge_interface_event(const struct merge_sink *s, const struct interface_header *h,
                           const struct interface_event *e, bool refused);

#endif
