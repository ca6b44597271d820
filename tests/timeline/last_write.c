/* usage: last_write FIRMWARE BOARD NODES FUNCTION COUNT VARIABLE
 *
 * Which code wrote the variable before the function was called for the COUNT-th time? A tool on the public interface
 * alone (motet/timeline.h): runs to the call, goes back to the write, and forward again to where it was, which must be
 * the same state. With more than one node, those of a network, it is about the last of them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motet/timeline.h"

struct question {
    motet_timeline *timeline;
    uint32_t node;
    uint32_t function;                  /* its address */
    struct motet_timeline_watch writes; /* of the variable */
};

static int fail(const char *what)
{
    fprintf(stderr, "last_write: %s\n", what);
    return 1;
}

static void say_here(const struct question *q, const char *what)
{
    const motet_node *n = motet_timeline_node(q->timeline, q->node);
    uint8_t bytes[4] = {0};
    char place[200];
    motet_node_peek(n, q->writes.first, bytes, q->writes.last - q->writes.first + 1);
    printf("%s at instruction %" PRIu64 ", %s: %u\n", what, motet_node_instructions(n),
           motet_machine_place(motet_node_machine(n), motet_node_pc(n), place, sizeof place), bytes[0] | bytes[1] << 8);
}

static bool run_to_call(struct question *q, unsigned times)
{
    struct motet_timeline_event e = {.why = MOTET_TIMELINE_STOP};
    motet_timeline_stops(q->timeline, q->node, &q->function, 1, NULL, 0);
    while (times-- && e.why == MOTET_TIMELINE_STOP)
        e = motet_timeline_run(q->timeline, 10 * MOTET_SECOND);
    return e.why == MOTET_TIMELINE_STOP && e.node == q->node;
}

static int answer(struct question *q, unsigned times)
{
    char there[MOTET_DIGEST_TEXT], again[MOTET_DIGEST_TEXT];
    if (!run_to_call(q, times))
        return fail("the function is not called so often in 10 s");
    struct motet_position call = motet_timeline_position(q->timeline);
    motet_timeline_digest(q->timeline, there);
    say_here(q, "called");

    motet_timeline_stops(q->timeline, q->node, NULL, 0, &q->writes, 1);
    if (motet_timeline_run_back(q->timeline).why != MOTET_TIMELINE_WATCH)
        return fail("the variable was not written before");
    say_here(q, "before the write");
    motet_timeline_step(q->timeline, q->node, MOTET_NEVER);
    say_here(q, "after the write");

    motet_timeline_go(q->timeline, call);
    motet_timeline_digest(q->timeline, again);
    say_here(q, "again");
    return strcmp(there, again) == 0 ? 0 : fail("the same place, but another state");
}

static bool find(struct question *q, const motet_machine *m, const char *function, const char *variable)
{
    struct motet_error e;
    uint32_t size;
    q->writes.kinds = MOTET_WRITE;
    if (motet_machine_find(m, function, &q->function, 1, &e) == 0 ||
        !motet_machine_variable(m, variable, &q->writes.first, &size))
        return false;
    q->writes.last = q->writes.first + size - 1;
    return size <= 4;
}

static motet_network *network_of(const motet_machine *m, unsigned nodes)
{
    struct motet_error e;
    struct motet_medium medium;
    motet_medium_default(&medium);
    motet_network *n = motet_network_new(1, 1, &medium, &e);
    for (unsigned i = 0; n && i < nodes; i++)
        motet_network_add(n, m, &(struct motet_place){.id = i, .x = 10.0 * i, .boot = i * UINT64_C(1234567)}, &e);
    return n;
}

int main(int argc, char **argv)
{
    struct motet_error e = {""};
    struct motet_options options = MOTET_OPTIONS_DEFAULT;
    struct motet_timeline_options how = {.memory = 16 << 20};
    struct question q = {.node = 0};
    if (argc != 7)
        return fail("usage: last_write FIRMWARE BOARD NODES FUNCTION COUNT VARIABLE");
    options.board = argv[2];
    unsigned nodes = (unsigned)atoi(argv[3]);
    motet_machine *m = motet_machine_load(argv[1], &options, &e);
    if (!m)
        return fail(e.text);
    if (!find(&q, m, argv[4], argv[6]))
        return fail("there is no such function or variable");
    motet_network *network = nodes > 1 ? network_of(m, nodes) : motet_network_of_one(m, 0, 1);
    q.timeline = motet_timeline_of_network(network, &how);
    q.node = motet_timeline_count(q.timeline) - 1;
    int status = answer(&q, (unsigned)atoi(argv[5]));
    motet_timeline_free(q.timeline);
    motet_network_free(network);
    motet_machine_free(m);
    return status;
}
