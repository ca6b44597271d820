#include "api/analog_copies.h"

#include <stdlib.h>

#include "api/handles.h"
#include "base/memory.h"
#include "network/network.h"

struct analog_copy {
    const motet_node *original;
    const motet_node *node;
};

struct analog_copies {
    struct analog_copy *list; /* by node */
};

static int32_t analog_copies_read(void *context, unsigned channel, uint64_t tick)
{
    const struct analog_copy *c = context;
    uint64_t now = motet_network_time(c->node->network, c->node, tick);
    uint64_t there = network_tick_at(network_of(c->original->network), c->original->number, now);
    return c->original->analog.source(c->original->analog.context, channel, there);
}

struct analog_copies *analog_copies_new(const motet_network *from, motet_network *to)
{
    struct analog_copies *c = memory_new(sizeof *c);
    size_t count = motet_network_count(from);
    c->list = memory_array(count, sizeof *c->list);
    for (size_t i = 0; i < count && i < motet_network_count(to); i++) {
        motet_node *node = motet_network_at(to, i);
        c->list[i] = (struct analog_copy){motet_network_at(from, i), node};
        if (c->list[i].original->analog.source)
            motet_node_analog(node, analog_copies_read, &c->list[i]);
    }
    return c;
}

void analog_copies_free(struct analog_copies *c)
{
    if (!c)
        return;
    free(c->list);
    free(c);
}
