/* Logs of several nodes, replayed together: motet replay 4:4.log 5:5.log. */
#ifndef CLI_REPLAY_NETWORK_H
#define CLI_REPLAY_NETWORK_H

#include "debug.h"
#include "motet/merge.h"

struct network_replay; /* nodes that replay their logs under one clock */

/* Each log is ID:LOG; NULL ends the list. `time` is the firmware's own clock. NULL with a sentence. */
struct network_replay *replay_network_open(struct run_options *o, const char *time, const char *const *logs,
                                           struct motet_error *e);
motet_network *replay_network_of(const struct network_replay *r);
/* A network of one of them alone, counted from 0, with the same plan; the caller's. NULL with a sentence. */
motet_network *replay_network_alone(const struct network_replay *r, size_t number, uint32_t *id, struct motet_error *e);
const motet_merge *replay_network_story(const struct network_replay *r);
void replay_network_close(struct network_replay *r); /* NULL is allowed */

/* Runs nodes that replay logs to the ends of these; a fault of the firmware is what it was on the node. */
void replay_network_ignore_faults(motet_network *n);
bool replay_network_ended(const motet_network *n);

/* Replays them, watched or debugged as the options say. Returns the exit status. */
int replay_network(struct debug_options *o, const char *time, const char *const *logs);

/* "4:file" is of node 4: its id. Returns what follows; where there is no id, the text itself. */
const char *replay_network_id(const char *text, bool *said, uint32_t *id);

#endif
