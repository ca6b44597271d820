#include "replay_network.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "motet/merge.h"
#include "sentence.h"
#include "stretch.h"

/* A node: its log, and the machine that replays it in step with the others. */
struct network_log {
    motet_log *log;
    motet_machine *machine;
    uint32_t id;
};

struct network_replay {
    struct run_options *run;
    const char *time;
    struct network_log *logs;
    size_t count;
    motet_merge *merge;
    motet_network *network;
};

const char *replay_network_id(const char *text, bool *said, uint32_t *id)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    *said = text[0] >= '0' && text[0] <= '9' && *end == ':' && end[1] && number <= UINT32_MAX;
    *id = *said ? (uint32_t)number : 0;
    return *said ? end + 1 : text;
}

/* The first pass: alone, as fast as it goes. */
static bool network_survey(struct network_replay *r, const char *text, struct motet_error *e)
{
    bool said;
    r->logs = cli_one_more(r->logs, r->count, sizeof *r->logs);
    struct network_log *l = &r->logs[r->count++];
    const char *path = replay_network_id(text, &said, &l->id);
    struct stretch s = {.machine = NULL};
    struct run_options *run = r->run;
    *l = (struct network_log){.id = l->id};
    if (motet_interface_is_log(path))
        return sentence(e,
                        "%s is an interface log: components are replayed one at a time, and networks from what their "
                        "nodes recorded",
                        path);
    l->log = motet_log_load(path, 0, e);
    run->topology.id_said = true;
    run->topology.id = l->id;
    struct motet_log_part part = {.checkpoint = 0};
    if (l->log)
        motet_log_part(l->log, motet_log_begin(l->log), &part);
    struct motet_merge_replay how = {.time = r->time, .together = true, .starts = part.checkpoint == 0};
    bool good =
        l->log &&
        (said ||
         sentence(e, "which node wrote %s? several logs need the ids of their nodes, as in 4:%s", path, path)) &&
        motet_merge_node(r->merge, l->id, path, e) && stretch_load(&s, run, l->log, motet_log_begin(l->log), e) &&
        motet_merge_add_replay(r->merge, s.network, &how, e);
    stretch_free(&s);
    return good;
}

static bool network_add(struct network_replay *r, uint32_t number, struct motet_error *e)
{
    struct network_log *l = &r->logs[number];
    struct run_options *run = r->run;
    l->machine = motet_replay_load(run->file, &run->machine, l->log, motet_log_begin(l->log), e);
    if (!l->machine)
        return false;
    motet_merge_plan(r->merge, number, l->machine);
    motet_node *n = motet_network_add(r->network, l->machine, &(struct motet_place){.id = l->id}, e);
    return n && topology_set(&run->topology, n, e);
}

/* The second: all under one clock. */
static bool network_join(struct network_replay *r, struct motet_error *e)
{
    motet_merge_finish(r->merge);
    r->network = motet_network_new(0, 1, &r->run->topology.medium, e);
    bool good = r->network != NULL;
    for (uint32_t i = 0; i < r->count && good; i++)
        good = network_add(r, i, e);
    return good && which_exist(&r->run->named, r->network, e);
}

bool replay_network_ended(const motet_network *n)
{
    for (size_t i = 0; i < motet_network_count(n); i++)
        if (motet_node_exit(motet_network_at(n, i)) == MOTET_RUNNING)
            return false;
    return true;
}

void replay_network_ignore_faults(motet_network *n)
{
    for (size_t i = 0; i < motet_network_count(n); i++)
        for (unsigned k = 0; k < MOTET_FAULT_KINDS; k++)
            motet_node_on_fault(motet_network_at(n, i), (enum motet_fault_kind)k, MOTET_FAULT_IGNORE);
}

static void network_said(void *context, const motet_node *n, uint64_t tick, const char *line)
{
    (void)context, (void)tick;
    fprintf(stderr, "%" PRIu32 ": %s\n", motet_node_id(n), line);
}

static bool network_watch(struct network_replay *r, struct attached *attached, struct motet_error *e)
{
    for (size_t i = 0; i < r->count; i++) {
        motet_node *n = motet_network_at(r->network, i);
        if (!attached_add(attached, n, network_said, NULL, e))
            return false;
    }
    replay_network_ignore_faults(r->network);
    if (!motet_monitors_attach_network(r->run->monitors, r->network, e))
        return false;
    while (!replay_network_ended(r->network) && !attached_over(attached)) {
        enum motet_network_end end = motet_network_run(r->network, MOTET_NEVER);
        if (!attached_heed(attached, e))
            return false;
        if (end == MOTET_NETWORK_IDLE)
            break;
    }
    return attached_end(attached, e) && motet_monitors_write(r->run->monitors, stdout, r->run->json, e);
}

static int network_tell(const struct network_replay *r)
{
    int status = 0;
    for (size_t i = 0; i < r->count; i++) {
        struct motet_replay end;
        motet_node_replay(motet_network_at(r->network, i), &end);
        fprintf(stderr, "motet: node %" PRIu32 ": replayed %" PRIu64 " events; %s\n", r->logs[i].id, end.events,
                end.how);
        status = end.differs ? STATUS_FAULT : status;
    }
    return status;
}

static int network_go_through(struct network_replay *r)
{
    struct motet_error e = {""};
    struct attached *attached = attached_new(&r->run->attachments, &e);
    int status = attached && network_watch(r, attached, &e) ? network_tell(r) : complain("%s", e.text);
    attached_free_scripts(attached);
    motet_network_free(r->network);
    r->network = NULL;
    attached_free(attached);
    return status;
}

struct network_replay *replay_network_open(struct run_options *o, const char *time, const char *const *logs,
                                           struct motet_error *e)
{
    struct network_replay *r = cli_array(1, sizeof *r);
    *r = (struct network_replay){.run = o, .time = time};
    bool good = time || sentence(e, "nodes that are replayed together need a clock: the firmware's own, with --time");
    r->merge = motet_merge_new(&(struct motet_merge_options){.delay = 0});
    for (size_t i = 0; logs[i] && good; i++)
        good = network_survey(r, logs[i], e);
    if (good && network_join(r, e))
        return r;
    replay_network_close(r);
    return NULL;
}

motet_network *replay_network_of(const struct network_replay *r)
{
    return r->network;
}

motet_network *replay_network_alone(const struct network_replay *r, size_t number, uint32_t *id, struct motet_error *e)
{
    const struct network_log *l = &r->logs[number];
    motet_network *alone = motet_network_new(0, 1, &r->run->topology.medium, e);
    *id = l->id;
    motet_node *n = alone ? motet_network_add(alone, l->machine, &(struct motet_place){.id = l->id}, e) : NULL;
    if (n && topology_set(&r->run->topology, n, e))
        return alone;
    motet_network_free(alone);
    return NULL;
}

const motet_merge *replay_network_story(const struct network_replay *r)
{
    return r->merge;
}

void replay_network_close(struct network_replay *r)
{
    if (!r)
        return;
    motet_network_free(r->network);
    motet_merge_free(r->merge);
    for (size_t i = 0; i < r->count; i++) {
        motet_machine_free(r->logs[i].machine);
        motet_log_free(r->logs[i].log);
    }
    free(r->logs);
    free(r);
}

int replay_network(struct debug_options *o, const char *time, const char *const *logs)
{
    struct motet_error e = {""};
    struct network_replay *r = replay_network_open(&o->run, time, logs, &e);
    int status = !r                                ? complain("%s", e.text)
                 : o->listen || o->exec || o->face ? debug_network(r->network, o)
                                                   : network_go_through(r);
    replay_network_close(r);
    return status;
}
