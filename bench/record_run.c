#include "record_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <motet/monitor.h>
#include <motet/log.h>

#include "bench.h"
#include "record_cores.h"

static motet_machine *load(const struct run_request *r)
{
    struct motet_options options = MOTET_OPTIONS_DEFAULT;
    struct motet_error e;
    options.board = r->board;
    motet_machine *m = motet_machine_load(r->path, &options, &e);
    if (!m)
        bench_wrong("%s: %s", r->path, e.text);
    return m;
}

static bool set_id(motet_node *n, const motet_machine *m, uint32_t id, struct motet_error *e)
{
    uint32_t at, size;
    return !motet_machine_variable(m, "node_id", &at, &size) || motet_node_set(n, "node_id", id, e);
}

/* ---- a run ---- */

static motet_network *network_of(const struct run_request *r, const motet_machine *m, struct run *run)
{
    struct motet_error e;
    struct motet_medium medium;
    motet_medium_default(&medium);
    medium.model = MOTET_MODEL_DISK;
    medium.range = 30;
    motet_network *network = motet_network_new(r->seed, 1, &medium, &e);
    for (unsigned i = 0; network && i < r->nodes; i++) {
        uint32_t id = r->nodes == 1 ? 1 : i;
        struct motet_place p = {
            .id = id, .x = i % 3, .y = i / 3, .boot = i * UINT64_C(37000000), .drift = (double)(i * 7 % 20) - 10};
        motet_node *n = motet_network_add(network, m, &p, &e);
        if (!n || !set_id(n, m, id, &e)) {
            motet_network_free(network);
            network = NULL;
            break;
        }
        run->nodes[i].id = id;
    }
    if (!network)
        bench_wrong("%s", e.text);
    return network;
}

/* What the monitor says of node after node, a line each. */
static void read_energy(struct run *run, char *text)
{
    static const char active[] = "\"component\": \"cpu\", \"state\": \"active\", \"seconds\": ";
    char *line = strtok(text, "\n");
    for (unsigned i = 0; line && i < run->count; i++, line = strtok(NULL, "\n")) {
        const char *seconds = strstr(line, "\"seconds\": "), *spent = strstr(line, "\"millijoules\": "),
                   *cpu = strstr(line, active);
        if (!seconds || !spent || !cpu)
            continue;
        double length = atof(seconds + strlen("\"seconds\": "));
        run->nodes[i].milliwatts = atof(spent + strlen("\"millijoules\": ")) / length;
        run->nodes[i].awake = atof(cpu + strlen(active)) / length;
    }
}

static bool write_energy(motet_monitors *s, struct run *run)
{
    struct motet_error e;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    bool good = motet_monitors_write(s, out, true, &e);
    fclose(out);
    if (good)
        read_energy(run, text);
    free(text);
    return good || bench_wrong("%s", e.text);
}

static size_t number(const motet_node *n, const char *expression)
{
    struct motet_value v;
    struct motet_error e;
    if (!motet_node_value(n, expression, &v, &e)) {
        bench_wrong("%s: %s", expression, e.text);
        return 0;
    }
    return v.number > 0 ? (size_t)v.number : 0;
}

static void take_log(struct run_node *r, const motet_node *n, bool cores)
{
    enum { UNIT = 4 };
    r->flash_size = motet_node_store(n, MOTET_STORE_FLASH, NULL, 0);
    r->flash = malloc(r->flash_size ? r->flash_size : 1);
    if (!r->flash)
        abort();
    motet_node_store(n, MOTET_STORE_FLASH, r->flash, r->flash_size);
    r->dead = motet_node_sleeping(n) && motet_node_next(n) == MOTET_NEVER;
    struct motet_value fill;
    struct motet_error none;
    if (!motet_node_value(n, "motet_recorder.fill", &fill, &none)) /* does not record */
        return;
    if (cores) { /* all events are encoded at once */
        r->unwritten = (size_t)fill.number + number(n, "motet_recorder.used");
        return;
    }
    r->unwritten = number(n, "motet_recorder.out_count") +
                   (number(n, "motet_recorder.events_page.open") ? number(n, "motet_recorder.events_page.h.used") : 0);
    r->waiting = (size_t)fill.number / UNIT;
}

static bool run_machine(const struct run_request *r, const motet_machine *m, struct trace_layout *layout,
                        motet_monitors *monitors, struct run *run)
{
    struct motet_error e;
    struct trace_tap taps[RUN_NODES];
    struct cores_tap cores[RUN_NODES];
    motet_network *network = network_of(r, m, run);
    bool good = network != NULL;
    run->count = r->nodes;
    for (unsigned i = 0; good && layout && i < r->nodes; i++) {
        taps[i] = (struct trace_tap){.layout = layout, .trace = &run->nodes[i].trace};
        trace_put(motet_network_at(network, i), &taps[i]);
    }
    for (unsigned i = 0; good && r->traced && !layout && i < r->nodes; i++) {
        cores[i] = (struct cores_tap){.trace = &run->nodes[i].trace};
        good = cores_put(motet_network_at(network, i), m, &cores[i]);
    }
    for (unsigned i = 0; good && r->flow && i < r->nodes; i++)
        flow_put(motet_network_at(network, i), m, &run->nodes[i].flow);
    if (good && r->pauses)
        pause_put(motet_network_at(network, r->nodes - 1), m, r->pauses);
    if (good && monitors && !motet_monitors_attach_network(monitors, network, &e))
        good = bench_wrong("%s", e.text);
    if (!good) {
        motet_network_free(network);
        return false;
    }
    double start = bench_seconds();
    enum motet_network_end end = motet_network_run(network, (uint64_t)(r->seconds * 1e9));
    run->seconds = bench_seconds() - start;
    if (end != MOTET_NETWORK_TIME)
        good = bench_wrong("%s: a node did not come to the end of the run", r->path);
    for (unsigned i = 0; i < r->nodes; i++)
        run->nodes[i].awake =
            (double)motet_node_cycles(motet_network_at(network, i)) / (double)motet_machine_hz(m) / r->seconds;
    if (monitors)
        good &= write_energy(monitors, run);
    for (unsigned i = 0; i < r->nodes; i++)
        take_log(&run->nodes[i], motet_network_at(network, i), cores_has(m));
    motet_network_free(network);
    return good;
}

bool run_firmware(const struct run_request *r, struct run *run)
{
    struct motet_error e;
    memset(run, 0, sizeof *run);
    motet_machine *m = load(r);
    if (!m)
        return false;
    bool other = cores_has(m);
    struct trace_layout *layout = r->traced && !other ? trace_layout_new(m) : NULL;
    motet_monitors *monitors = r->energy ? motet_monitors_new() : NULL;
    bool good = !r->traced || other || layout;
    if (monitors && !motet_monitors_add(monitors, "energy:functions=0", &e))
        good = bench_wrong("%s", e.text);
    good = good && run_machine(r, m, layout, monitors, run);
    motet_monitors_free(monitors);
    trace_layout_free(layout);
    motet_machine_free(m);
    return good;
}

void run_free(struct run *run)
{
    for (unsigned i = 0; i < run->count; i++) {
        record_trace_free(&run->nodes[i].trace);
        free(run->nodes[i].flow.bytes.bytes);
        free(run->nodes[i].flash);
    }
    run->count = 0;
}

/* ---- replays ---- */

static motet_log *log_of(const struct run_node *n)
{
    struct motet_error e;
    return motet_log_read("the log", n->flash, n->flash_size, 0, &e);
}

/* From a part through those that go on where it ends; *part is the last of them then. */
static bool replay_from(const struct run_request *r, const struct run_node *n, const motet_log *l, size_t *part,
                        struct run_replay *into)
{
    struct motet_options options = MOTET_OPTIONS_DEFAULT;
    struct motet_error e;
    struct motet_replay how;
    options.board = r->board;
    motet_machine *m = motet_replay_load(r->path, &options, l, *part, &e);
    motet_network *network = m ? motet_network_of_one(m, n->id, 1) : NULL;
    motet_node *node = m ? motet_network_at(network, 0) : NULL;
    if (!m || !set_id(node, m, n->id, &e)) {
        motet_network_free(network);
        motet_machine_free(m);
        return bench_wrong("%s", e.text);
    }
    double start = bench_seconds();
    motet_network_run(network, MOTET_NEVER);
    into->seconds += bench_seconds() - start;
    motet_node_replay(node, &how);
    into->events += how.events;
    into->differences += how.differs || !how.ended;
    memcpy(into->how, how.how, sizeof into->how);
    *part = how.part;
    motet_network_free(network);
    motet_machine_free(m);
    return true;
}

bool run_replay(const struct run_request *r, const struct run_node *n, struct run_replay *replay)
{
    struct motet_log_part p;
    bool good = true;
    memset(replay, 0, sizeof *replay);
    motet_log *l = log_of(n);
    if (!l)
        return true; /* not one page was full */
    for (size_t i = 0; good && motet_log_part(l, i, &p); i++) {
        size_t first = i;
        if (!p.usable) {
            replay->unusable++;
            continue;
        }
        good = replay_from(r, n, l, &i, replay);
        for (size_t k = first; k <= i && motet_log_part(l, k, &p); k++) {
            replay->bytes += p.bytes;
            replay->gaps += p.gap;
            replay->checkpoints += p.checkpoint != 0;
            replay->parts++;
        }
    }
    motet_log_free(l);
    return good;
}
