#include "debug_ports.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>

#include "endpoint.h"
#include "memory.h"
#include "sentence.h"

/* Nanoseconds: longer than a window of a network, within which nothing can be given. */
enum { WINDOW = 128000 };

struct debug_port {
    size_t number;
    motet_node *node;
    const char *place;
    struct endpoint endpoint;
};

struct debug_ports {
    motet_node *alone;
    motet_network *network;
    uint64_t millisecond; /* in ticks or nanoseconds */
    uint64_t next;        /* when to look; MOTET_NEVER: when something has come */
    size_t count;
    struct debug_port ports[];
};

static bool debug_ports_add(struct debug_ports *p, motet_node *n, size_t number, unsigned line, const char *place,
                            struct motet_error *e)
{
    if (line != MOTET_CONSOLE && !motet_machine_has_serial(motet_node_machine(n), line))
        return sentence(e, "--serial: node %" PRIu32 " has no serial port %u", motet_node_id(n), line);
    for (size_t i = 0; i < p->count; i++)
        if (p->ports[i].number == number && p->ports[i].endpoint.line == line)
            return sentence(e, "--serial: port %u of node %" PRIu32 " is given twice", line, motet_node_id(n));
    p->ports[p->count++] =
        (struct debug_port){number, n, place, {.line = line, .in = -1, .out = -1, .listener = -1, .last = -1}};
    return endpoint_check_files(n, line, place, e);
}

static bool collect(struct debug_ports *p, const struct run_options *o, struct motet_error *e)
{
    for (unsigned line = 0; line < RUN_LINES; line++) {
        if (o->serial[line] && p->network)
            return sentence(e, "--serial: in a network say which node's port it is, such as 0:%u=%s", line,
                            o->serial[line]);
        if (o->serial[line] && !debug_ports_add(p, p->alone, 0, line, o->serial[line], e))
            return false;
    }
    for (size_t i = 0; i < o->node_serial_count; i++) {
        const struct node_serial *want = &o->node_serial[i];
        motet_node *n = p->network ? motet_network_node(p->network, want->id) : NULL;
        size_t number = 0;
        if (!n)
            return sentence(e, "--serial: there is no node %" PRIu32, want->id);
        while (motet_network_at(p->network, number) != n)
            number++;
        if (!debug_ports_add(p, n, number, want->line, want->place, e))
            return false;
    }
    return true;
}

static bool connect_all(struct debug_ports *p, struct motet_error *e)
{
    for (size_t i = 0; i < p->count; i++) {
        struct debug_port *port = &p->ports[i];
        if (!endpoint_open(&port->endpoint, port->node, port->endpoint.line, port->place, false, e))
            return false;
    }
    for (size_t i = 0; i < p->count; i++)
        if (!endpoint_wait(&p->ports[i].endpoint, e))
            return false;
    return true;
}

struct debug_ports *debug_ports_open(const struct run_options *o, motet_node *alone, motet_network *n,
                                     struct motet_error *e)
{
    struct debug_ports *p = cli_array(1, sizeof *p + (RUN_LINES + o->node_serial_count) * sizeof p->ports[0]);
    p->alone = alone;
    p->network = n;
    p->millisecond = n ? MOTET_SECOND / 1000 : motet_machine_hz(motet_node_machine(alone)) / 1000;
    if (collect(p, o, e) && connect_all(p, e))
        return p;
    struct motet_error ignored;
    debug_ports_close(p, &ignored);
    return NULL;
}

bool debug_ports_close(struct debug_ports *p, struct motet_error *e)
{
    bool good = true;
    for (size_t i = 0; p && i < p->count; i++)
        good &= endpoint_close(&p->ports[i].endpoint, e);
    free(p);
    return good;
}

bool debug_ports_put(struct debug_ports *p, size_t node, unsigned line, uint8_t byte)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->ports[i].number == node && p->ports[i].endpoint.line == line) {
            endpoint_put(&p->ports[i].endpoint, byte);
            return true;
        }
    return false;
}

/* Whether something is there to be given, without waiting for it. */
static bool has_some(const struct endpoint *e)
{
    struct pollfd f = {.fd = e->in, .events = POLLIN};
    return e->pending_count || (e->in >= 0 && (!e->paced || poll(&f, 1, 0) > 0));
}

static uint64_t debug_ports_now(const struct debug_ports *p)
{
    return p->network ? motet_network_now(p->network) : motet_node_now(p->alone);
}

uint64_t debug_ports_next(struct debug_ports *p)
{
    struct motet_error ignored;
    bool some = false;
    for (size_t i = 0; i < p->count; i++) {
        some |= has_some(&p->ports[i].endpoint);
        endpoint_flush(&p->ports[i].endpoint, &ignored);
    }
    if (!some)
        p->next = MOTET_NEVER;
    else if (p->next == MOTET_NEVER)
        p->next = ((debug_ports_now(p) + (p->network ? WINDOW : 0)) / p->millisecond + 1) * p->millisecond;
    return p->next;
}

bool debug_ports_feed(struct debug_ports *p, struct motet_error *e)
{
    bool good = true;
    for (size_t i = 0; i < p->count && good; i++) {
        struct debug_port *port = &p->ports[i];
        bool here = !p->network || motet_network_alive(p->network, port->node);
        if (here && has_some(&port->endpoint))
            good = endpoint_feed(&port->endpoint, port->node, e);
    }
    p->next = (debug_ports_now(p) / p->millisecond + 1) * p->millisecond;
    return good;
}
