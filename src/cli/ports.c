#include "ports.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint.h"
#include "memory.h"
#include "sentence.h"

/* Nanoseconds: longer than a window of a network, within which nothing can be given. */
enum { PORTS_WINDOW = 128000, PORTS_MILLISECOND = 1000000 };

struct port {
    motet_node *node;
    char *place; /* NULL: nothing is connected, and what is sent is dropped */
    bool listed; /* what is sent is shown among the lines of all nodes */
    struct endpoint endpoint;
};

struct ports {
    motet_network *network;
    bool alone;
    struct port **by; /* RUN_LINES for each node; NULL where an option says nothing */
    struct port **list;
    size_t count;
    struct endpoint *last; /* that wrote to standard output last */
    uint64_t next;         /* when to look for input; MOTET_NEVER: when something has come */
};

static struct port ports_nowhere; /* the place "null" */

/* ---- which ports there are ---- */

/* "serial port 0", "serial port 0 of node 3" */
static const char *ports_name(char text[64], const motet_node *n, unsigned line, bool alone)
{
    int used = line == MOTET_CONSOLE ? snprintf(text, 64, "the console") : snprintf(text, 64, "port %u", line);
    if (!alone)
        snprintf(text + used, 64 - (size_t)used, " of node %" PRIu32, motet_node_id(n));
    return text;
}

static bool ports_has(const motet_node *n, unsigned line)
{
    return line == MOTET_CONSOLE || motet_machine_has_serial(motet_node_machine(n), line);
}

/* A port that is asked for by two options of the same kind, or that is on no node. */
static bool ports_check_option(const struct run_options *o, size_t which, const motet_network *n, struct motet_error *e)
{
    const struct port_option *want = &o->ports[which];
    char name[64];
    bool alone = motet_network_count(n) == 1, there = false;
    for (size_t i = 0; i < which; i++)
        if (o->ports[i].line == want->line && which_same(o->ports[i].which, want->which))
            return want->which.one && !alone
                       ? sentence(e, "--serial: %s is given twice",
                                  ports_name(name, motet_network_node(n, want->which.id), want->line, false))
                       : sentence(e, "--serial: %s is given twice", ports_name(name, NULL, want->line, true));
    for (size_t i = 0; i < motet_network_count(n) && !there; i++)
        there = which_is(want->which, motet_node_id(motet_network_at(n, i))) &&
                ports_has(motet_network_at(n, i), want->line);
    if (!there && want->which.one && !alone)
        return sentence(e, "--serial: node %" PRIu32 " has no serial port %u", want->which.id, want->line);
    if (!there)
        return sentence(e, "--serial: %s has no serial port %u",
                        motet_machine_chip(motet_node_machine(motet_network_at(n, 0))), want->line);
    return true;
}

/* Several nodes cannot share a file that is written, a terminal or a number of a TCP port. */
static bool ports_can_share(const char *place)
{
    static const char *const shared[] = {"null", "pty", "tcp:0", "sf:0"};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (strcmp(place, shared[i]) == 0)
            return true;
    return endpoint_files(place) && !strchr(place, ',');
}

static const struct port_option *ports_option(const struct run_options *o, uint32_t id, unsigned line)
{
    const struct port_option *found = NULL;
    for (size_t i = 0; i < o->port_count; i++) {
        const struct port_option *p = &o->ports[i];
        if (p->line == line && which_is(p->which, id) && (!found || p->which.one))
            found = p;
    }
    return found;
}

static bool ports_add(struct ports *p, size_t number, unsigned line, const char *place, struct motet_error *e)
{
    motet_node *n = motet_network_at(p->network, number);
    struct port **at = &p->by[number * RUN_LINES + line];
    if (strcmp(place, "null") == 0) {
        *at = &ports_nowhere;
        return true;
    }
    struct port *port = cli_array(1, sizeof *port);
    port->node = n;
    port->place = which_text(place, motet_node_id(n));
    port->endpoint = (struct endpoint){.line = line, .in = -1, .out = -1, .listener = -1, .last = -1};
    port->listed = !p->alone && endpoint_files(place) && !strchr(place, ',');
    p->list = cli_one_more(p->list, p->count, sizeof *p->list);
    p->list[p->count++] = *at = port;
    return endpoint_check(port->place, e) && endpoint_check_files(n, line, port->place, e);
}

/* What an option says, and otherwise the terminal where it is the only node's. */
static bool ports_collect(struct ports *p, const struct run_options *o, size_t number, bool terminal,
                          struct motet_error *e)
{
    const motet_node *n = motet_network_at(p->network, number);
    unsigned main_line = motet_machine_terminal(motet_node_machine(n));
    bool taken = false; /* standard output by another port */
    for (size_t i = 0; i < o->port_count; i++)
        taken |= o->ports[i].line != main_line && strcmp(o->ports[i].place, "stdio") == 0;
    for (unsigned line = 0; line < RUN_LINES; line++) {
        const struct port_option *said = ports_has(n, line) ? ports_option(o, motet_node_id(n), line) : NULL;
        const char *place = said ? said->place : NULL;
        if (!place && terminal && line == main_line)
            place = taken && !ports_option(o, motet_node_id(n), MOTET_CONSOLE) ? "null" : "stdio";
        if (!place && terminal && line == MOTET_CONSOLE)
            place = "stdio";
        if (place && !ports_add(p, number, line, place, e))
            return false;
    }
    return true;
}

static bool ports_check(const struct run_options *o, const motet_network *n, struct motet_error *e)
{
    const struct port_option *standard = NULL;
    for (size_t i = 0; i < o->port_count; i++) {
        const struct port_option *p = &o->ports[i];
        if (!ports_check_option(o, i, n, e))
            return false;
        if (!which_apart(p->which, p->place, n) && !ports_can_share(p->place))
            return sentence(e, "--serial: several nodes cannot share %s; give NODE:%u=%s for one, or a place with %%id",
                            p->place, p->line, p->place);
        if (strcmp(p->place, "stdio") != 0)
            continue;
        if (standard)
            return sentence(e, "--serial: only one port can have stdio");
        standard = p;
    }
    return true;
}

struct ports *ports_new(const struct run_options *o, motet_network *n, bool terminal, struct motet_error *e)
{
    if (!ports_check(o, n, e))
        return NULL;
    size_t count = motet_network_count(n);
    struct ports *p = cli_array(1, sizeof *p);
    p->network = n;
    p->alone = count == 1;
    p->by = cli_array(count * RUN_LINES, sizeof(struct port *));
    for (size_t i = 0; i < count && (o->port_count || terminal); i++)
        if (!ports_collect(p, o, i, terminal, e)) {
            ports_free(p);
            return NULL;
        }
    return p;
}

void ports_free(struct ports *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->count; i++) {
        free(p->list[i]->place);
        free(p->list[i]);
    }
    free(p->list);
    free(p->by);
    free(p);
}

/* ---- opening and closing ---- */

bool ports_open(struct ports *p, bool quiet, struct motet_error *e)
{
    for (size_t i = 0; i < p->count; i++) {
        struct port *port = p->list[i];
        unsigned line = port->endpoint.line;
        if (!endpoint_open(&port->endpoint, port->node, line, port->place, quiet, e))
            return false;
        if (port->listed) {
            port->endpoint.out = -1;
            port->endpoint.standard = false;
        }
        if (!ports_has(port->node, line))
            port->endpoint.in = -1; /* the chip has no such port, so nothing reads standard input */
    }
    for (size_t i = 0; i < p->count; i++)
        if (!endpoint_wait(&p->list[i]->endpoint, e))
            return false;
    return true;
}

bool ports_close(struct ports *p, struct motet_error *e)
{
    bool good = true;
    for (size_t i = 0; i < p->count; i++)
        good &= endpoint_close(&p->list[i]->endpoint, e);
    return good;
}

/* ---- output ---- */

/* The console and a port of the only node may share standard output: their bytes stay in order. */
static void ports_take_turns(struct ports *p, struct endpoint *now)
{
    struct motet_error ignored; /* reported again at the next flush */
    if (!p->alone || !now->standard || p->last == now)
        return;
    if (p->last)
        endpoint_flush(p->last, &ignored);
    p->last = now;
}

bool ports_put(struct ports *p, size_t node, unsigned line, uint8_t byte)
{
    struct port *port = line < RUN_LINES ? p->by[node * RUN_LINES + line] : NULL;
    if (!port || port->listed)
        return false;
    if (port == &ports_nowhere)
        return true;
    ports_take_turns(p, &port->endpoint);
    endpoint_put(&port->endpoint, byte);
    return true;
}

bool ports_flush(struct ports *p, struct motet_error *e)
{
    bool good = true;
    for (size_t i = 0; i < p->count && good; i++)
        good = endpoint_flush(&p->list[i]->endpoint, e);
    return good;
}

bool ports_within_line(const struct ports *p)
{
    for (size_t i = 0; i < p->count && !p->alone; i++)
        if (p->list[i]->endpoint.standard && p->list[i]->endpoint.last >= 0 && p->list[i]->endpoint.last != '\n')
            return true;
    return p->last && p->last->last >= 0 && p->last->last != '\n';
}

/* ---- input ---- */

bool ports_feed(struct ports *p, struct motet_error *e)
{
    for (size_t i = 0; i < p->count; i++) {
        struct port *port = p->list[i];
        bool here = motet_network_alive(p->network, port->node);
        if (port->endpoint.timed)
            timed_input_feed(port->endpoint.timed, port->node, port->endpoint.line, motet_network_now(p->network));
        else if (here && endpoint_has_input(&port->endpoint) && !endpoint_feed(&port->endpoint, port->node, e))
            return false;
    }
    return true;
}

uint64_t ports_due(const struct ports *p)
{
    uint64_t next = MOTET_NEVER;
    for (size_t i = 0; i < p->count; i++) {
        const struct timed_input *t = p->list[i]->endpoint.timed;
        uint64_t due = t ? timed_input_next(t) : MOTET_NEVER;
        next = due < next ? due : next;
    }
    return next;
}

bool ports_have_input(const struct ports *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (endpoint_has_input(&p->list[i]->endpoint))
            return true;
    return false;
}

bool ports_are_alive(const struct ports *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->list[i]->endpoint.paced && endpoint_has_input(&p->list[i]->endpoint))
            return true;
    return false;
}

bool ports_wait(struct ports *p, struct motet_error *e)
{
    struct pollfd *fds = cli_array(p->count, sizeof *fds);
    nfds_t count = 0;
    bool good = ports_flush(p, e);
    for (size_t i = 0; i < p->count; i++)
        if (p->list[i]->endpoint.in >= 0)
            fds[count++] = (struct pollfd){.fd = p->list[i]->endpoint.in, .events = POLLIN};
    poll(fds, count, 100);
    free(fds);
    return good;
}

/* Whether something is there to be given, without waiting for it. */
static bool ports_has_some(const struct endpoint *e)
{
    struct pollfd f = {.fd = e->in, .events = POLLIN};
    return e->pending_count || (e->timed && timed_input_pending(e->timed)) ||
           (e->in >= 0 && (!e->paced || poll(&f, 1, 0) > 0));
}

uint64_t ports_next(struct ports *p)
{
    struct motet_error ignored;
    bool some = false;
    for (size_t i = 0; i < p->count; i++) {
        some |= ports_has_some(&p->list[i]->endpoint);
        endpoint_flush(&p->list[i]->endpoint, &ignored);
    }
    if (!some)
        p->next = MOTET_NEVER;
    else if (p->next == MOTET_NEVER)
        p->next = ((motet_network_now(p->network) + PORTS_WINDOW) / PORTS_MILLISECOND + 1) * PORTS_MILLISECOND;
    uint64_t due = ports_due(p);
    return due < p->next ? due : p->next;
}

bool ports_give(struct ports *p, struct motet_error *e)
{
    bool good = true;
    uint64_t now = motet_network_now(p->network);
    for (size_t i = 0; i < p->count && good; i++) {
        struct port *port = p->list[i];
        if (port->endpoint.timed)
            timed_input_feed(port->endpoint.timed, port->node, port->endpoint.line, now);
        else if (motet_network_alive(p->network, port->node) && ports_has_some(&port->endpoint))
            good = endpoint_feed(&port->endpoint, port->node, e);
    }
    p->next = (now / PORTS_MILLISECOND + 1) * PORTS_MILLISECOND;
    return good;
}
