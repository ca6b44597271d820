#include "machines.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

struct machines {
    struct machines_kind {
        struct which which; /* the node that it is for, or every other one */
        const char **parts;
        size_t part_count;
        motet_machine *machine;
        bool shared; /* the machine is that of a kind before it */
    } * kinds;       /* that of every other node first */
    size_t count;
};

/* ---- which kinds there are ---- */

static struct machines_kind *machines_add(struct machines *m, struct which which)
{
    for (size_t i = 0; i < m->count; i++)
        if (which_same(m->kinds[i].which, which))
            return &m->kinds[i];
    m->kinds = cli_one_more(m->kinds, m->count, sizeof *m->kinds);
    m->kinds[m->count] = (struct machines_kind){.which = which};
    return &m->kinds[m->count++];
}

/* The parts given for the node and for every node, in the order of the options. */
static void machines_take_parts(struct machines_kind *k, const struct run_options *o)
{
    for (size_t i = 0; i < o->part_count; i++) {
        const struct part_option *p = &o->parts[i];
        if (p->which.one && !which_same(p->which, k->which))
            continue;
        k->parts = cli_one_more(k->parts, k->part_count, sizeof *k->parts);
        k->parts[k->part_count++] = p->wish;
    }
}

static bool machines_same_parts(const struct machines_kind *a, const struct machines_kind *b)
{
    bool same = a->part_count == b->part_count;
    for (size_t i = 0; same && i < a->part_count; i++)
        same = strcmp(a->parts[i], b->parts[i]) == 0;
    return same;
}

/* ---- loading ---- */

static bool machines_load_kind(struct machines *m, size_t number, const struct run_options *o, struct motet_error *e)
{
    struct machines_kind *k = &m->kinds[number];
    struct motet_options options = o->machine;
    for (size_t i = 0; i < number; i++)
        if (machines_same_parts(&m->kinds[i], k)) {
            k->machine = m->kinds[i].machine;
            k->shared = true;
            return true;
        }
    options.parts = k->parts;
    options.part_count = k->part_count;
    k->machine = motet_machine_load(o->file, &options, e);
    return k->machine != NULL;
}

struct machines *machines_load(const struct run_options *o, struct motet_error *e)
{
    struct machines *m = cli_array(1, sizeof *m);
    if (o->part_count)
        motet_plugins_explain_crashes();
    machines_add(m, (struct which){.one = false});
    for (size_t i = 0; i < o->part_count; i++)
        machines_add(m, o->parts[i].which);
    for (size_t i = 0; i < m->count; i++) {
        machines_take_parts(&m->kinds[i], o);
        if (!machines_load_kind(m, i, o, e)) {
            machines_free(m);
            return NULL;
        }
    }
    return m;
}

const motet_machine *machines_of(const struct machines *m, uint32_t id)
{
    for (size_t i = 1; i < m->count; i++)
        if (m->kinds[i].which.id == id)
            return m->kinds[i].machine;
    return m->kinds[0].machine;
}

void machines_free(struct machines *m)
{
    for (size_t i = 0; m && i < m->count; i++) {
        if (!m->kinds[i].shared)
            motet_machine_free(m->kinds[i].machine);
        free(m->kinds[i].parts);
    }
    if (m)
        free(m->kinds);
    free(m);
}
