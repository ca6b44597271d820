/* motet merge --follow: logs that are still being written. */
#ifndef CLI_MERGE_FOLLOW_H
#define CLI_MERGE_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

struct merge_follow_options {
    uint64_t delay, patience; /* nanoseconds; 0: the library's */
    bool json;
};

/* Until all feeds have ended, or Ctrl-C. Returns the status of the program. */
int merge_follow(const struct merge_follow_options *o, const char *const *feeds);

#endif
