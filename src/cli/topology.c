#include "topology.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "sentence.h"

enum { NODE_LIMIT = 1000000 };

void topology_init(struct topology *t)
{
    *t = (struct topology){.nodes = 0};
    motet_medium_default(&t->medium);
    t->boot = MOTET_SECOND;
}

void topology_free(struct topology *t)
{
    for (size_t i = 0; i < t->variable_count; i++)
        free(t->variables[i].name);
    free(t->variables);
    free(t->links);
    free(t->exact);
}

/* ---- numbers with units ---- */

/* A decimal number with an optional unit, up to one of the characters in `ends`; returns what follows it, or NULL. */
static const char *real(const char *text, const char *unit, const char *ends, double *value)
{
    char *end;
    size_t length = strlen(unit);
    if (!isdigit((unsigned char)*text) && *text != '-' && *text != '.')
        return NULL;
    *value = strtod(text, &end);
    if (end == text || strpbrk(text, "xXnNiI") == text + 1 || !(*value > -1e12 && *value < 1e12))
        return NULL;
    if (strncmp(end, unit, length) == 0)
        end += length;
    return !*end || strchr(ends, *end) ? end : NULL;
}

static const char *topology_whole(const char *text, const char *ends, uint64_t limit, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return NULL;
    *value = strtoull(text, &end, 10);
    return *value <= limit && (!*end || strchr(ends, *end)) ? end : NULL;
}

/* ---- options ---- */

bool topology_nodes(struct topology *t, const char *text, struct motet_error *e)
{
    if (!motet_read_number(text, NODE_LIMIT, &t->nodes, e))
        return false;
    return t->nodes ? true : sentence(e, "a network has at least one node");
}

bool topology_shape(struct topology *t, const char *text, struct motet_error *e)
{
    static const char *const names[] = {[SHAPE_LINE] = "line:", [SHAPE_GRID] = "grid:", [SHAPE_RANDOM] = "random:"};
    t->shape = SHAPE_NONE;
    for (enum topology_shape s = SHAPE_LINE; s <= SHAPE_RANDOM; s++)
        if (strncmp(text, names[s], strlen(names[s])) == 0)
            t->shape = s;
    const char *at = t->shape ? text + strlen(names[t->shape]) : NULL;
    t->rows = 1;
    if (at)
        at = topology_whole(at, t->shape == SHAPE_GRID ? "x" : ":", NODE_LIMIT, &t->columns);
    if (at && t->shape == SHAPE_GRID)
        at = *at ? topology_whole(at + 1, ":", NODE_LIMIT, &t->rows) : NULL;
    if (at)
        at = *at ? real(at + 1, "m", "", &t->metres) : NULL;
    if (!at || t->metres < 0)
        return sentence(e,
                        "'%s' is not a topology; write it like grid:3x3:10m (columns, rows, distance), line:9:10m or "
                        "random:20:100m (nodes, side of the square)",
                        text);
    if (t->columns * t->rows == 0 || t->columns * t->rows > NODE_LIMIT)
        return sentence(e, "'%s' has no nodes, or more than %d", text, NODE_LIMIT);
    return true;
}

bool topology_link(struct topology *t, const char *text, struct motet_error *e)
{
    uint64_t from, to;
    double dbm;
    const char *at = topology_whole(text, ",", UINT32_MAX, &from);
    at = at && *at ? topology_whole(at + 1, ",", UINT32_MAX, &to) : NULL;
    at = at && *at ? real(at + 1, "dBm", "", &dbm) : NULL;
    if (!at)
        return sentence(e, "'%s' is not a link; write it like 0,1,-62dBm (from, to, power heard)", text);
    t->said = true;
    t->links = cli_one_more(t->links, t->link_count, sizeof *t->links);
    t->links[t->link_count++] = (struct topology_link){(uint32_t)from, (uint32_t)to, dbm};
    return true;
}

static bool topology_value(const char *text, const char *equals, uint64_t *value, struct motet_error *e)
{
    int name = (int)(equals - text);
    if (!equals[1])
        return sentence(e, "'%s' gives %.*s no value; write it like %.*s=1, or %.*s=%%id for the node's id", text, name,
                        text, name, text, name, text);
    if (motet_read_number(equals + 1, UINT64_MAX, value, e))
        return true;
    if (motet_word_nearer(equals + 1, NULL, "%id"))
        return sentence(e, "'%s' is not a value for %.*s; did you mean %%id, the node's id?", equals + 1, name, text);
    return sentence(e,
                    "'%s' is not a value for %.*s; give a whole number such as 12 or 0x1f, or %%id for the node's id",
                    equals + 1, name, text);
}

bool topology_variable(struct topology *t, struct which which, const char *text, struct motet_error *e)
{
    const char *equals = strchr(text, '=');
    struct topology_variable v = {.which = which};
    if (!equals || equals == text)
        return sentence(e, "'%s' is not SYMBOL=VALUE, such as TOS_NODE_ID=%%id", text);
    v.is_id = strcmp(equals + 1, "%id") == 0;
    if (!v.is_id && !topology_value(text, equals, &v.value, e))
        return false;
    v.name = cli_text(text, (size_t)(equals - text));
    t->variables = cli_one_more(t->variables, t->variable_count, sizeof v);
    t->variables[t->variable_count++] = v;
    return true;
}

bool topology_medium(struct topology *t, const char *text, struct motet_error *e)
{
    struct motet_medium *m = &t->medium;
    const char *at = NULL;
    t->said = t->medium_said = true;
    if (strcmp(text, "links") == 0) {
        m->model = MOTET_MODEL_LINKS;
        at = "";
    } else if (strncmp(text, "disk:", 5) == 0) {
        m->model = MOTET_MODEL_DISK;
        at = real(text + 5, "m", "", &m->range);
    } else if (strncmp(text, "log", 3) == 0) {
        m->model = MOTET_MODEL_LOG_DISTANCE;
        at = text + 3;
        if (*at)
            at = *at == ':' ? real(at + 1, "", ":", &m->exponent) : NULL;
        if (at && *at)
            at = real(at + 1, "dB", "", &m->shadowing);
    }
    return at ? true
              : sentence(e,
                         "'%s' is not a medium; write it like disk:50m, log, log:3 (exponent), log:3:4dB (and "
                         "shadowing) or links",
                         text);
}

bool topology_noise(struct topology *t, const char *text, struct motet_error *e)
{
    t->said = true;
    if (!real(text, "dBm", "", &t->medium.noise))
        return sentence(e, "'%s' is not a power; write it like -95dBm", text);
    return true;
}

bool topology_loss(struct topology *t, const char *text, struct motet_error *e)
{
    t->said = true;
    if (!real(text, "", "", &t->medium.loss) || t->medium.loss < 0 || t->medium.loss > 1)
        return sentence(e, "'%s' is not a probability between 0 and 1", text);
    return true;
}

static struct topology_exact *topology_exact(struct topology *t, uint32_t id)
{
    t->exact = cli_one_more(t->exact, t->exact_count, sizeof *t->exact);
    t->exact[t->exact_count] = (struct topology_exact){.id = id};
    return &t->exact[t->exact_count++];
}

bool topology_boot(struct topology *t, struct which which, const char *text, struct motet_error *e)
{
    struct motet_span span;
    t->said = true;
    if (!motet_read_time(text, &span, e))
        return false;
    if (span.in_ticks)
        return sentence(e, "nodes have ticks of their own; give a time such as 500ms");
    if (which.one) {
        struct topology_exact *x = topology_exact(t, which.id);
        x->is_boot = true;
        x->boot = span.nanoseconds;
    } else {
        t->boot_said = true;
        t->boot = span.nanoseconds;
    }
    return true;
}

bool topology_drift(struct topology *t, struct which which, const char *text, struct motet_error *e)
{
    double drift;
    t->said = true;
    if (!real(text, "ppm", "", &drift) || (drift < 0 && !which.one) || drift > 1000 || drift < -1000)
        return sentence(e, "'%s' is not a drift; write it like 20ppm", text);
    if (which.one)
        topology_exact(t, which.id)->drift = drift;
    else
        t->drift = drift;
    return true;
}

bool topology_counts(const struct topology *t)
{
    return t->nodes || t->shape;
}

/* ---- the network ---- */

/* splitmix64 */
static double chance(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static struct motet_place topology_place(const struct topology *t, uint32_t id, bool alone, uint64_t *random)
{
    double chances[4];
    for (int i = 0; i < 4; i++) /* always as many, so that one option does not change what another gives */
        chances[i] = chance(random);
    struct motet_place p = {.id = id, .drift = (2 * chances[1] - 1) * t->drift, .own_id = alone};
    if (!alone || t->boot_said)
        p.boot = (uint64_t)(chances[0] * (double)t->boot);
    for (size_t i = 0; i < t->exact_count; i++) {
        const struct topology_exact *x = &t->exact[i];
        if (x->id == id && x->is_boot)
            p.boot = x->boot;
        else if (x->id == id)
            p.drift = x->drift;
    }
    if (t->shape == SHAPE_RANDOM) {
        p.x = chances[2] * t->metres;
        p.y = chances[3] * t->metres;
    } else if (t->shape) {
        p.x = (double)(id % t->columns) * t->metres;
        p.y = (double)(id / t->columns) * t->metres;
    }
    return p;
}

bool topology_set(const struct topology *t, motet_node *n, struct motet_error *e)
{
    uint32_t id = motet_node_id(n);
    for (unsigned one = 0; one < 2; one++) /* what is given for every node first */
        for (size_t i = 0; i < t->variable_count; i++) {
            const struct topology_variable *v = &t->variables[i];
            if (v->which.one == one && which_is(v->which, id) &&
                !motet_node_set(n, v->name, v->is_id ? id : v->value, e))
                return false;
        }
    return true;
}

static bool topology_fill(const struct topology *t, motet_network *n, topology_machine *machine, const void *context,
                          uint64_t seed, uint64_t count, struct motet_error *e)
{
    uint64_t random = seed ^ UINT64_C(0x746f706f);
    for (uint64_t i = 0; i < count; i++) {
        struct motet_place p = topology_place(t, (uint32_t)(t->id_said ? t->id : i), count == 1, &random);
        p.own_id &= !t->id_said;
        motet_node *node = motet_network_add(n, machine(context, p.id), &p, e);
        if (!node || !topology_set(t, node, e))
            return false;
    }
    for (size_t i = 0; i < t->link_count; i++)
        if (!motet_network_link(n, t->links[i].from, t->links[i].to, t->links[i].dbm, e)) {
            char why[sizeof e->text];
            memcpy(why, e->text, sizeof why);
            return sentence(e, "--link %u,%u: %.900s", t->links[i].from, t->links[i].to, why);
        }
    return true;
}

/* Of two strengths of one link none is the right one. */
static bool links_agree(const struct topology *t, struct motet_error *e)
{
    for (size_t i = 0; i < t->link_count; i++)
        for (size_t k = 0; k < i; k++)
            if (t->links[i].from == t->links[k].from && t->links[i].to == t->links[k].to)
                return sentence(e, "--link %u,%u is given twice, with %g dBm and %g dBm", t->links[i].from,
                                t->links[i].to, t->links[k].dbm, t->links[i].dbm);
    return true;
}

motet_network *topology_build(const struct topology *t, topology_machine *machine, const void *context, uint64_t seed,
                              unsigned threads, struct motet_error *e)
{
    uint64_t shaped = t->shape ? t->columns * t->rows : 0, count = t->nodes ? t->nodes : shaped ? shaped : 1;
    struct motet_medium medium = t->medium;
    if (shaped && shaped != count) {
        sentence(e, "--nodes says %llu, but --topology has %llu", (unsigned long long)count,
                 (unsigned long long)shaped);
        return NULL;
    }
    if (!shaped && t->link_count && t->medium_said && medium.model != MOTET_MODEL_LINKS) {
        sentence(e, "--medium needs to know where the nodes are; give a --topology, or only --link");
        return NULL;
    }
    if (!links_agree(t, e))
        return NULL;
    if (!shaped && t->link_count)
        medium.model = MOTET_MODEL_LINKS;
    motet_network *n = motet_network_new(seed, threads, &medium, e);
    if (n && !topology_fill(t, n, machine, context, seed, count, e)) {
        motet_network_free(n);
        return NULL;
    }
    return n;
}
