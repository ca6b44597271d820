/* Logs of several nodes, replayed together: motet replay 4:4.log 5:5.log. */
#ifndef CLI_REPLAY_NETWORK_H
#define CLI_REPLAY_NETWORK_H

#include "debug.h"

/* Each log is ID:LOG; NULL ends the list. `time` is the firmware's own clock. Returns the exit status. */
int replay_network(struct debug_options *o, const char *time, const char *const *logs);

/* "4:file" is of node 4: its id. Returns what follows; where there is no id, the text itself. */
const char *replay_network_id(const char *text, bool *said, uint32_t *id);

#endif
