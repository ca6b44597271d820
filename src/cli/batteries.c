#include "batteries.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "motet/energy.h"
#include "sentence.h"

#define SHORTEST (MOTET_SECOND / 1000)

struct battery {
    motet_meter *meter; /* NULL: the node has none, or it is empty */
    double milliamp_hours;
    uint64_t empty; /* when, of the network's time */
};

struct batteries {
    motet_network *network;
    size_t count;
    struct battery *list; /* by node */
};

/* What is given for a node comes before what is given for every node; the last of several counts. */
static double batteries_of(const struct run_options *o, uint32_t id)
{
    double every = 0, one = 0;
    for (size_t i = 0; i < o->battery_count; i++) {
        const struct battery_option *b = &o->batteries[i];
        if (b->which.one && which_is(b->which, id))
            one = b->milliamp_hours;
        else if (!b->which.one)
            every = b->milliamp_hours;
    }
    return one > 0 ? one : every;
}

struct batteries *batteries_new(const struct run_options *o, motet_network *n, struct motet_error *e)
{
    struct motet_error why = {""};
    struct batteries *b = cli_array(1, sizeof *b);
    b->network = n;
    b->count = motet_network_count(n);
    b->list = cli_array(b->count, sizeof *b->list);
    for (size_t i = 0; i < b->count; i++) {
        motet_node *node = motet_network_at(n, i);
        b->list[i] = (struct battery){.milliamp_hours = batteries_of(o, motet_node_id(node)), .empty = MOTET_NEVER};
        if (b->list[i].milliamp_hours <= 0)
            continue;
        b->list[i].meter = motet_meter_new(node, NULL, &why);
        if (!b->list[i].meter) {
            batteries_free(b);
            sentence(e, "--battery: %.1000s", why.text);
            return NULL;
        }
    }
    return b;
}

void batteries_free(struct batteries *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->count; i++)
        motet_meter_free(b->list[i].meter);
    free(b->list);
    free(b);
}

static void batteries_die(struct batteries *b, size_t i)
{
    motet_node *node = motet_network_at(b->network, i);
    struct battery *battery = &b->list[i];
    battery->empty = motet_network_now(b->network);
    motet_meter_free(battery->meter);
    battery->meter = NULL;
    fprintf(stderr,
            "motet: node %" PRIu32 ": the battery of %g mAh is empty at %.6f s; the node is dead from here on\n",
            motet_node_id(node), battery->milliamp_hours, (double)battery->empty / (double)MOTET_SECOND);
    motet_network_kill(b->network, node);
}

uint64_t batteries_apply(struct batteries *b)
{
    uint64_t now = motet_network_now(b->network), next = MOTET_NEVER;
    for (size_t i = 0; i < b->count; i++) {
        struct battery *battery = &b->list[i];
        if (battery->empty != MOTET_NEVER && motet_network_alive(b->network, motet_network_at(b->network, i)))
            motet_network_kill(b->network, motet_network_at(b->network, i)); /* a scenario has switched it on again */
        if (!battery->meter)
            continue;
        double left = battery->milliamp_hours - motet_meter_milliamp_hours(battery->meter);
        if (left <= 0) {
            batteries_die(b, i);
            continue;
        }
        double most = motet_meter_largest_milliamps(battery->meter);
        double seconds = most > 0 ? left * 3600 / most : 1e9;
        uint64_t wait = seconds > 1e9 ? (uint64_t)1e9 * MOTET_SECOND : (uint64_t)(seconds * (double)MOTET_SECOND);
        wait = wait < SHORTEST ? SHORTEST : wait;
        next = now + wait < next ? now + wait : next;
    }
    return next;
}

uint64_t batteries_empty(const struct batteries *b, size_t node)
{
    return b->list[node].empty;
}
