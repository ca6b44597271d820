/* The handle of a merge. */
#ifndef API_MERGE_H
#define API_MERGE_H

#include "merge/story.h"

/* Where time can pass in a replay before an event of its story: before it takes an event from its log. */
struct merge_anchor {
    uint64_t event;          /* of the log */
    uint64_t cycle, happens; /* cycles executed there, and when the story's event happens */
};

struct motet_merge {
    struct story *story;
    struct merge_anchor *anchors; /* by event of the story, if all nodes are replays that will run together */
    size_t anchor_count, anchor_room;
    double *happened; /* nanoseconds of each event in the plan; NULL: not made yet */
    bool payloads;
};

#endif
