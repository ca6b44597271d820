#include "motet/remote.h"

#include <stdio.h>

#include "api/handles.h"
#include "interface/remote.h"

/* The replay on the simulated chip, to its end. */
static struct moves *remote_moves(motet_network *network, struct motet_replay *r, struct motet_error *e)
{
    motet_node *n = motet_network_at(network, 0);
    if (!n->machine->component) {
        error_set(e, "only a component, of an interface log, is replayed on a node");
        return NULL;
    }
    struct moves *m = moves_new(n->machine->component, n->node->machine, 0, e);
    while (m && motet_node_exit(n) == MOTET_RUNNING)
        if (motet_network_run(network, MOTET_NEVER) == MOTET_NETWORK_IDLE)
            break;
    motet_node_replay(n, r);
    r->differs |= motet_node_exit(n) == MOTET_EXIT_FAULT;
    if (m && !moves_end(m, r->differs, e)) {
        moves_free(m);
        return NULL;
    }
    return m;
}

bool motet_remote_replay(motet_network *network, const struct motet_remote *o, struct motet_remote_end *end,
                         struct motet_error *e)
{
    struct motet_replay r;
    struct remote_end there;
    *end = (struct motet_remote_end){.calls = 0};
    struct image *image = image_load(o->firmware, e);
    struct moves *m = image ? remote_moves(network, &r, e) : NULL;
    bool good = m && remote_replay(m, image, o->line, o->patience, &there, e);
    if (good) {
        end->calls = there.calls;
        end->compared = there.compared;
        end->differs = there.differs || r.differs;
        snprintf(end->how, sizeof end->how, "%s", there.differs ? there.how : r.how);
    }
    moves_free(m);
    image_free(image);
    return good;
}
