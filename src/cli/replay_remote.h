/* Replay of a component on a node, over its serial line: motet replay --serial. */
#ifndef CLI_REPLAY_REMOTE_H
#define CLI_REPLAY_REMOTE_H

#include <stdint.h>

#include "motet/motet.h"

struct replay_remote {
    const char *place;    /* as serial_line.h has it; NULL: there is none */
    const char *firmware; /* that the node has */
    uint64_t baud, patience;
};

/* The network has one node, of an interface log, which has not begun. The exit status. */
int replay_remote(motet_network *n, const struct replay_remote *o, bool json);

#endif
