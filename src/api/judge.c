#include "api/judge.h"

#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "api/named.h"
#include "base/memory.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/map.h"
#include "node/taps.h"

/* Where a variable is, as a data address. */
struct judge_place {
    uint32_t address, size;
    const struct debug_type *type;
    struct debug_field bits;
};

/* A name that was looked up, once for each machine: without pointers on its way, its place never changes. */
struct judge_name {
    const struct machine *machine;
    char *expression;
    struct judge_place place;
};

enum { JUDGE_NAMES = 1024 }; /* a power of two; a hash table that is emptied when it is half full */

struct motet_view {
    motet_network *network;
    struct properties *properties;
    struct judge_name names[JUDGE_NAMES];
    size_t name_count;
};

/* An operand that waits for something to happen on a node. */
struct judge_event {
    struct judge *judge;
    size_t property;
    unsigned operand;
    uint32_t node;
    motet_tap *tap;
};

struct judge {
    struct motet_view view;
    struct motet_properties set;
    struct property *list;
    struct judge_event *events;
    size_t event_count;
    uint64_t patience;
};

/* ---- views ---- */

size_t motet_view_count(const motet_view *v)
{
    return motet_network_count(v->network);
}

uint32_t motet_view_id(const motet_view *v, size_t node)
{
    return motet_node_id(motet_network_at(v->network, node));
}

bool motet_view_up(const motet_view *v, size_t node)
{
    return properties_up(v->properties, (uint32_t)node);
}

uint64_t motet_view_generation(const motet_view *v)
{
    return properties_generation(v->properties);
}

bool motet_view_hears(const motet_view *v, size_t from, size_t to, double dbm)
{
    return properties_hears(v->properties, (uint32_t)from, (uint32_t)to, dbm);
}

struct judge_reading {
    motet_view *view;
    uint32_t node;
    bool followed; /* a pointer, or a variable as an index */
};

static bool judge_read(void *context, uint32_t address, void *to, uint32_t size)
{
    struct judge_reading *r = context;
    const struct node *n = motet_network_at(r->view->network, r->node)->node;
    r->followed = true;
    return properties_read(r->view->properties, r->node, map_of_image(n->machine, address), to, size);
}

static struct judge_name *judge_slot(motet_view *v, const struct machine *m, const char *expression)
{
    size_t at = 5381;
    for (const char *c = expression; *c; c++)
        at = at * 33 + (unsigned char)*c;
    for (;; at++) {
        struct judge_name *n = &v->names[at % JUDGE_NAMES];
        if (!n->expression || (n->machine == m && strcmp(n->expression, expression) == 0))
            return n;
    }
}

static void judge_forget_names(motet_view *v)
{
    for (size_t i = 0; i < JUDGE_NAMES; i++)
        free(v->names[i].expression);
    memset(v->names, 0, sizeof v->names);
    v->name_count = 0;
}

static bool judge_find(motet_view *v, size_t node, const char *expression, struct judge_place *found,
                       struct motet_error *e)
{
    const struct machine *m = motet_network_at(v->network, node)->node->machine;
    struct judge_reading r = {v, (uint32_t)node, false};
    struct judge_name *known = judge_slot(v, m, expression);
    if (known->expression) {
        *found = known->place;
        return true;
    }
    if (!debug_resolve(m->image, expression, judge_read, &r, &found->address, &found->type, &found->bits, e))
        return false;
    found->address = map_of_image(m, found->address);
    found->size = found->bits.bit_size ? (found->bits.bit_offset + found->bits.bit_size + 7u) / 8u : found->type->size;
    if (r.followed)
        return true;
    *known = (struct judge_name){m, memory_string(expression), *found};
    if (++v->name_count > JUDGE_NAMES / 2)
        judge_forget_names(v);
    return true;
}

static bool judge_no_memory(const char *expression, uint32_t address, struct motet_error *e)
{
    return error_set(e, "'%s' lies at 0x%x, where there is no memory", expression, address);
}

bool motet_view_value(motet_view *v, size_t node, const char *expression, struct motet_value *value,
                      struct motet_error *e)
{
    struct judge_place p;
    struct named found = {.in_memory = true};
    if (!judge_find(v, node, expression, &p, e))
        return false;
    bool whole = p.type->kind == DEBUG_ARRAY || p.type->kind == DEBUG_STRUCT || p.type->kind == DEBUG_UNION;
    found.address = p.address;
    found.size = p.size;
    found.type = p.type;
    found.bits = p.bits;
    found.known = whole || p.size > sizeof found.bytes ? 0 : p.size;
    if (found.known && !properties_read(v->properties, (uint32_t)node, p.address, found.bytes, found.known))
        return judge_no_memory(expression, p.address, e);
    named_value(&found, value);
    return true;
}

bool motet_view_bytes(motet_view *v, size_t node, const char *expression, void *to, size_t room, size_t *size,
                      struct motet_error *e)
{
    struct judge_place found;
    if (!judge_find(v, node, expression, &found, e))
        return false;
    *size = found.size;
    uint32_t count = found.size < room ? found.size : (uint32_t)room;
    return properties_read(v->properties, (uint32_t)node, found.address, to, count) ||
           judge_no_memory(expression, found.address, e);
}

/* ---- answers ---- */

static int judge_holds(void *context, size_t property, unsigned operand, uint32_t node, uint32_t *blame,
                       struct motet_error *e)
{
    struct judge *j = context;
    const struct motet_operand *o = &j->set.list[property].operands[operand];
    size_t reason = *blame;
    int answer = o->holds(o->context, &j->view, node == UINT32_MAX ? MOTET_NO_NODE : node, &reason, e);
    *blame = (uint32_t)reason;
    return answer;
}

static int judge_counts(void *context, size_t property, unsigned operand, uint32_t node, int64_t value,
                        struct motet_error *e)
{
    struct judge *j = context;
    const struct motet_operand *o = &j->set.list[property].operands[operand];
    return o->counts ? o->counts(o->context, &j->view, node, value, e) : 1;
}

/* ---- events ---- */

static void judge_probed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    const struct judge_event *v = context;
    const struct node *node = node_seen(n);
    unsigned bytes = v->judge->set.list[v->property].operands[v->operand].bytes;
    unsigned value = node->machine->chip->isa->argument(node, 0);
    (void)pc, (void)after;
    properties_event(v->judge->view.properties, v->property, v->operand, v->node,
                     bytes == 1 ? (uint8_t)value : (uint16_t)value);
}

static void judge_hooked(void *context, const motet_node *n, const struct motet_happened *h)
{
    const struct judge_event *v = context;
    (void)n, (void)h;
    properties_event(v->judge->view.properties, v->property, v->operand, v->node, 0);
}

static bool judge_listen(struct judge_event *v, motet_node *n, const struct motet_operand *o, struct motet_error *e)
{
    char *where = o->kind == MOTET_OF_HOOK
                      ? NULL
                      : memory_format("%s%s", o->function, o->kind == MOTET_OF_RETURN ? ":returns" : "");
    v->tap = where ? motet_probe_named(n, where, MOTET_BEFORE, judge_probed, v, e)
                   : motet_hook(n, UINT32_C(1) << o->what, judge_hooked, v);
    free(where);
    return v->tap != NULL;
}

static bool judge_is_event(const struct motet_operand *o)
{
    return o->kind != MOTET_OF_NETWORK && o->kind != MOTET_OF_EACH;
}

static bool judge_listen_all(struct judge *j, struct motet_error *e)
{
    size_t nodes = motet_network_count(j->view.network);
    j->events = memory_array(2 * j->set.count * nodes + 1, sizeof *j->events);
    for (size_t i = 0; i < j->set.count; i++)
        for (unsigned k = 0; k < (j->set.list[i].kind == MOTET_LEADS_TO ? 2 : 1); k++)
            for (uint32_t node = 0; judge_is_event(&j->set.list[i].operands[k]) && node < nodes; node++) {
                struct judge_event *v = &j->events[j->event_count++];
                *v = (struct judge_event){j, i, k, node, NULL};
                if (!judge_listen(v, motet_network_at(j->view.network, node), &j->set.list[i].operands[k], e))
                    return false;
            }
    return true;
}

/* ---- life ---- */

_Static_assert((int)MOTET_LEADS_TO == (int)PROPERTY_LEADS_TO, "public and internal kinds of properties agree");

static bool judge_define(const struct motet_property *from, uint64_t patience, struct property *to,
                         struct motet_error *e)
{
    *to = (struct property){.name = memory_string(from->name),
                            .kind = (enum property_kind)from->kind,
                            .within = from->within,
                            .patience = from->patience ? from->patience : patience,
                            .handlers = from->handlers};
    for (unsigned i = 0; i < 2; i++)
        to->operands[i] = judge_is_event(&from->operands[i])        ? OPERAND_EVENT
                          : from->operands[i].kind == MOTET_OF_EACH ? OPERAND_EACH
                                                                    : OPERAND_NETWORK;
    if (to->within == PROPERTY_NO_BOUND && to->kind <= PROPERTY_NEVER)
        to->within = 0;
    if (to->kind == PROPERTY_ALWAYS && to->operands[0] == OPERAND_EVENT)
        return error_set(e, "property '%s': what happens at a moment cannot hold always", from->name);
    if (to->kind == PROPERTY_LEADS_TO && to->operands[0] == OPERAND_NETWORK && to->operands[1] != OPERAND_NETWORK)
        return error_set(e, "property '%s': what is about the whole network cannot lead to something of one node",
                         from->name);
    return true;
}

bool judge_new(motet_network *n, const struct judge_options *o, struct judge **made, struct motet_error *e)
{
    *made = NULL;
    if (!o->maker)
        return true;
    struct judge *j = memory_new(sizeof *j);
    j->view.network = n;
    bool good = o->maker->make(o->maker->context, n, &j->set, e);
    j->list = memory_array(j->set.count + 1, sizeof *j->list);
    for (size_t i = 0; good && i < j->set.count; i++) {
        good = judge_define(&j->set.list[i], o->patience, &j->list[i], e);
        if (j->list[i].within == PROPERTY_NO_BOUND && j->list[i].patience > j->patience)
            j->patience = j->list[i].patience;
    }
    struct property_judge answers = {j, judge_holds, judge_counts};
    if (good && j->set.count)
        j->view.properties = properties_new(network_of(n), j->list, j->set.count, &answers, o->from);
    if (good && j->set.count && judge_listen_all(j, e)) {
        *made = j;
        return true;
    }
    good = good && !j->set.count;
    judge_free(j);
    return good;
}

void judge_free(struct judge *j)
{
    if (!j)
        return;
    for (size_t i = 0; i < j->event_count; i++)
        motet_tap_remove(j->events[i].tap);
    properties_free(j->view.properties);
    for (size_t i = 0; j->list && i < j->set.count; i++)
        free(j->list[i].name);
    if (j->set.release)
        j->set.release(&j->set);
    judge_forget_names(&j->view);
    free(j->events);
    free(j->list);
    free(j);
}

struct properties *judge_properties(const struct judge *j)
{
    return j ? j->view.properties : NULL;
}

const char *judge_name(const struct judge *j, size_t property)
{
    return j->list[property].name;
}

uint64_t judge_patience_of(const struct judge *j, size_t property)
{
    return j->list[property].within == PROPERTY_NO_BOUND ? j->list[property].patience : 0;
}

uint64_t judge_patience(const struct judge *j)
{
    return j ? j->patience : 0;
}
