#include "stretch.h"

#include "topology.h"

motet_node *stretch_node(const struct stretch *s)
{
    return motet_network_at(s->network, 0);
}

static const motet_machine *stretch_machine(const void *machine, uint32_t id)
{
    (void)id;
    return machine;
}

static bool stretch_begin(struct stretch *s, struct run_options *o, motet_machine *m, struct motet_error *e)
{
    s->machine = m;
    s->network = s->machine ? topology_build(&o->topology, stretch_machine, s->machine, 0, 1, e) : NULL;
    return s->network && which_exist(&o->named, s->network, e);
}

bool stretch_load(struct stretch *s, struct run_options *o, const motet_log *l, size_t part, struct motet_error *e)
{
    s->part = part;
    return stretch_begin(s, o, motet_replay_load(o->file, &o->machine, l, part, e), e);
}

bool stretch_load_component(struct stretch *s, struct run_options *o, const char *log, struct motet_error *e)
{
    s->part = 0;
    return stretch_begin(s, o, motet_component_load(o->file, &o->machine, log, e), e);
}

void stretch_free(struct stretch *s)
{
    attached_free_scripts(s->attached);
    motet_network_free(s->network);
    attached_free(s->attached);
    motet_machine_free(s->machine);
}

size_t stretch_part_after(const motet_log *l, size_t part)
{
    struct motet_log_part p;
    while (motet_log_part(l, ++part, &p))
        if (p.usable)
            return part;
    return SIZE_MAX;
}
