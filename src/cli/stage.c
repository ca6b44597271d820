#include "stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sentence.h"
#include "stores.h"

/* ---- what the options say ---- */

static bool stage_ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), tail = strlen(end);
    return length > tail && strcmp(path + length - tail, end) == 0;
}

bool stage_time(const motet_network *n, const char *option, const struct motet_span *at, uint64_t *time,
                struct motet_error *e)
{
    if (at->in_ticks && motet_network_count(n) > 1)
        return sentence(e, "--%s: nodes have ticks of their own; give a time such as 10s", option);
    *time = at->in_ticks ? motet_network_time(n, motet_network_at(n, 0), at->ticks) : at->nanoseconds;
    return true;
}

static bool stage_load_scenario(struct stage *s)
{
    const struct run_options *o = s->o;
    const struct motet_options *m = &o->machine;
    if (o->stimulus_count)
        return sentence(&s->error, "%s says for itself what is on pins and inputs; see drive and analog there",
                        o->file);
    if (o->part_count)
        return sentence(&s->error, "%s says for itself which parts the boards have; see node{parts} there", o->file);
    if (m->board || m->hz || m->fuses[0] >= 0 || m->fuses[1] >= 0 || m->fuses[2] >= 0 || m->lock >= 0)
        return sentence(&s->error, "%s says for itself which boards there are; no options about them go with it",
                        o->file);
    if (topology_counts(&o->topology) || o->topology.said || o->topology.variable_count)
        return sentence(&s->error, "%s says for itself which nodes, links, media and variables there are", o->file);
    s->scenario = motet_scenario_load(o->file, o->seed, o->threads, o->with, o->with_count, &s->error);
    if (!s->scenario)
        return false;
    s->network = motet_scenario_network(s->scenario);
    s->until = motet_scenario_until(s->scenario);
    return true;
}

static const motet_machine *stage_machine(const void *machines, uint32_t id)
{
    return machines_of(machines, id);
}

static bool stage_load_firmware(struct stage *s)
{
    struct run_options *o = s->o;
    if (stage_ends_in(o->file, ".motet"))
        return sentence(&s->error, "%s is a saved run; motet open goes through it, and motet open --debug debugs it",
                        o->file);
    if (o->with_count)
        return sentence(&s->error, "--with is for scenarios; %s is a firmware, whose variables --set sets", o->file);
    s->machines = machines_load(o, &s->error);
    if (s->machines)
        s->network = topology_build(&o->topology, stage_machine, s->machines, o->seed, o->threads, &s->error);
    s->owned = true;
    return s->network != NULL;
}

static bool stage_has_parts(const struct stage *s)
{
    struct motet_part_info any;
    bool has = false;
    for (size_t i = 0; i < motet_network_count(s->network); i++)
        has |= motet_machine_part(motet_node_machine(motet_network_at(s->network, i)), 0, &any);
    return has;
}

/* What can be wrong with options about the nodes there are. */
static bool stage_prepare(struct stage *s, bool terminal)
{
    const struct run_options *o = s->o;
    size_t count = motet_network_count(s->network);
    if (!count)
        return sentence(&s->error, "%s has no nodes", o->file);
    s->named = count > 1 || s->scenario;
    if (stage_has_parts(s))
        motet_plugins_explain_crashes();
    if (!which_exist(&o->named, s->network, &s->error) ||
        (o->limited && !stage_time(s->network, "for", &o->limit, &s->until, &s->error)) ||
        !stores_load(o, s->network, &s->error))
        return false;
    s->stimuli = stimuli_new(s->o, s->network, &s->error);
    s->batteries = s->stimuli ? batteries_new(o, s->network, &s->error) : NULL;
    s->ports = s->batteries ? ports_new(o, s->network, terminal && !s->named, &s->error) : NULL;
    return s->ports != NULL;
}

bool stage_load(struct stage *s, struct run_options *o, bool terminal)
{
    *s = (struct stage){.o = o, .until = MOTET_NEVER};
    return (stage_ends_in(o->file, ".lua") ? stage_load_scenario(s) : stage_load_firmware(s)) &&
           stage_prepare(s, terminal);
}

bool stage_hold(struct stage *s, struct run_options *o, motet_network *n)
{
    *s = (struct stage){.o = o, .until = MOTET_NEVER, .network = n};
    return stage_prepare(s, false);
}

/* ---- what looks on ---- */

static bool stage_attach_scripts(struct stage *s)
{
    s->attached = attached_new(&s->o->attachments, &s->error);
    for (size_t i = 0; s->attached && i < motet_network_count(s->network); i++)
        if (!attached_add(s->attached, motet_network_at(s->network, i), show_said, &s->seats[i], &s->error))
            return false;
    return s->attached != NULL;
}

bool stage_attach(struct stage *s)
{
    const struct run_options *o = s->o;
    struct motet_error why;
    if (!motet_monitors_attach_network(o->monitors, s->network, &s->error) ||
        (o->view && !motet_view_attach(o->view, s->network, &s->error)))
        return false;
    if (o->pcap && !motet_network_capture(s->network, o->pcap, &why))
        return sentence(&s->error, "--pcap: %.1000s", why.text);
    if (o->save && !(s->save = motet_save_network(s->network, o->save, &why)))
        return sentence(&s->error, "--save: %.1000s", why.text);
    if (s->save)
        run_save_begin(s->save, o);
    return stage_attach_scripts(s);
}

void stage_free(struct stage *s)
{
    attached_free_scripts(s->attached);
    stimuli_free(s->stimuli);
    batteries_free(s->batteries);
    ports_free(s->ports);
    lines_free(s->lines);
    for (size_t i = 0; s->seats && i < motet_network_count(s->network); i++)
        free(s->seats[i].explained);
    free(s->seats);
    if (s->scenario)
        motet_scenario_free(s->scenario);
    else if (s->owned)
        motet_network_free(s->network);
    attached_free(s->attached);
    machines_free(s->machines);
}
