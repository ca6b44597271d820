/* The handle of a merge. */
#ifndef API_MERGE_H
#define API_MERGE_H

#include "merge/story.h"

struct motet_merge {
    struct story *story;
    bool payloads;
};

#endif
