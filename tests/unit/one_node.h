/* A network of one, for tests that look at its node and count in its ticks. */
#ifndef TESTS_ONE_NODE_H
#define TESTS_ONE_NODE_H

#include <motet/motet.h>

static inline motet_node *one_node(const motet_machine *m, uint32_t id, uint64_t seed)
{
    return motet_network_at(motet_network_of_one(m, id, seed), 0);
}

static inline enum motet_network_end one_node_run(motet_node *n, uint64_t tick)
{
    motet_network *network = motet_node_network(n);
    return motet_network_run(network, motet_network_time(network, n, tick));
}

static inline void one_node_free(motet_node *n)
{
    if (n)
        motet_network_free(motet_node_network(n));
}

#endif
