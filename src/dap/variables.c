/* Variables: what references stand for, their members, setting them. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dap/arguments.h"
#include "dap/dap.h"
#include "dap/text.h"

enum { VARIABLES_MOST = 10000 }; /* in one answer */

/* ---- references ---- */

json_int_t variables_hold(motet_dap *d, struct dap_held h)
{
    d->held = memory_grow(d->held, &d->held_room, d->held_count, sizeof *d->held);
    d->held[d->held_count++] = h;
    return d->held_first + (json_int_t)d->held_count - 1;
}

struct dap_held *variables_held(motet_dap *d, json_int_t reference)
{
    json_int_t at = reference - d->held_first;
    return at >= 0 && (size_t)at < d->held_count ? &d->held[at] : NULL;
}

/* References are numbers below 2^31, so they begin anew long before that. */
void variables_forget(motet_dap *d)
{
    for (size_t i = 0; i < d->held_count; i++)
        motet_variable_free(d->held[i].variable);
    d->held_first += (json_int_t)d->held_count;
    if (d->held_first > 1 << 30)
        d->held_first = 1;
    d->held_count = 0;
}

/* ---- describing ---- */

/* Takes over the variable: it is kept if it has members. */
void variables_describe(motet_dap *d, motet_variable *v, uint32_t node, size_t level, char format, json_t *into)
{
    char text[DAP_TEXT];
    enum motet_members kind;
    uint32_t address, size;
    size_t members = motet_variable_members(v, &kind);
    motet_variable_text(v, format, text, sizeof text);
    json_object_set_new(into, "value", text_string(text));
    if (*motet_variable_type(v))
        json_object_set_new(into, "type", text_string(motet_variable_type(v)));
    if (*motet_variable_expression(v))
        json_object_set_new(into, "evaluateName", text_string(motet_variable_expression(v)));
    if (motet_variable_address(v, &address) || motet_variable_place(v, &address, &size))
        json_object_set_new(into, "memoryReference", memory_reference(node, address));
    json_int_t reference = 0;
    if (members)
        reference = variables_hold(d, (struct dap_held){.node = node, .level = level, .variable = v});
    json_object_set_new(into, "variablesReference", json_integer(reference));
    if (members)
        json_object_set_new(into, kind == MOTET_MEMBERS_ELEMENTS ? "indexedVariables" : "namedVariables",
                            json_integer((json_int_t)members));
    else
        motet_variable_free(v);
}

static size_t variables_count(motet_dap *d, const struct dap_held *h, enum motet_members *kind)
{
    *kind = MOTET_MEMBERS_FIELDS;
    if (h->variable)
        return motet_variable_members(h->variable, kind);
    return motet_node_variables(motet_timeline_node(d->timeline, h->node), h->level, h->scope, 0, NULL, 0);
}

/* One of them, which is the caller's. */
static motet_variable *variables_at(motet_dap *d, const struct dap_held *h, size_t number)
{
    motet_variable *v = NULL;
    if (h->variable)
        return motet_variable_member(h->variable, number);
    motet_node_variables(motet_timeline_node(d->timeline, h->node), h->level, h->scope, number, &v, 1);
    return v;
}

motet_variable *variables_member(motet_dap *d, const struct dap_held *h, const char *name)
{
    enum motet_members kind;
    size_t count = variables_count(d, h, &kind);
    for (size_t i = 0; i < count; i++) {
        motet_variable *v = variables_at(d, h, i);
        if (strcmp(motet_variable_name(v), name) == 0)
            return v;
        motet_variable_free(v);
    }
    return NULL;
}

bool variables_format(const json_t *a, char *format, struct motet_error *e)
{
    json_t *how = NULL;
    bool hex = false;
    if (!argument_object(a, "format", &how, e) || !argument_flag(how, "hex", &hex, e))
        return false;
    *format = hex ? 'x' : 0;
    return true;
}

static struct dap_held *variables_referred(motet_dap *d, const json_t *a, struct motet_error *e)
{
    int64_t reference = 0;
    if (!argument_needs(a, "variablesReference", e) ||
        !argument_number(a, "variablesReference", 1, INT32_MAX, &reference, e))
        return NULL;
    struct dap_held *h = variables_held(d, reference);
    if (!h)
        argument_error(e, "there are no such variables any more");
    return h;
}

/* ---- requests ---- */

bool variables_list(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    json_t *list = json_array();
    int64_t first = 0, most = 0;
    const char *filter = NULL;
    char format;
    enum motet_members kind;
    json_object_set_new(body, "variables", list);
    const struct dap_held *h = variables_referred(d, a, e);
    if (!h || !argument_number(a, "start", 0, INT32_MAX, &first, e) ||
        !argument_number(a, "count", 0, INT32_MAX, &most, e) || !argument_text(a, "filter", &filter, e) ||
        !variables_format(a, &format, e))
        return false;
    struct dap_held of = *h; /* describing adds to the table */
    size_t count = variables_count(d, &of, &kind);
    if (filter && (strcmp(filter, "indexed") == 0) != (kind == MOTET_MEMBERS_ELEMENTS))
        return true;
    most = most && most < VARIABLES_MOST ? most : VARIABLES_MOST;
    for (size_t i = (size_t)first; i < count && i < (size_t)(first + most); i++) {
        motet_variable *v = variables_at(d, &of, i);
        json_t *one = json_object();
        json_object_set_new(one, "name", text_string(motet_variable_name(v)));
        variables_describe(d, v, of.node, of.level, format, one);
        json_array_append_new(list, one);
    }
    return true;
}

/* What shows the same memory is another now. */
static void variables_changed(motet_dap *d, const motet_variable *v, uint32_t node)
{
    uint32_t address, size;
    if (d->client->invalidated)
        client_event(d->client, "invalidated", json_pack("{s:[s]}", "areas", "variables"));
    if (!d->client->memory_event || !motet_variable_place(v, &address, &size))
        return;
    json_t *body = json_pack("{s:i, s:I}", "offset", 0, "count", (json_int_t)size);
    json_object_set_new(body, "memoryReference", memory_reference(node, address));
    client_event(d->client, "memory", body);
}

bool variables_change(motet_dap *d, motet_variable *v, uint32_t node, size_t level, const char *text, char format,
                      json_t *body, struct motet_error *e)
{
    if (!motet_variable_set(v, d->timeline, node, text, e)) {
        motet_variable_free(v);
        return false;
    }
    variables_changed(d, v, node);
    variables_describe(d, v, node, level, format, body);
    return true;
}

/* What a request sets something to. */
static bool variables_value(const json_t *a, const char **text, char *format, struct motet_error *e)
{
    return argument_needs(a, "value", e) && argument_text(a, "value", text, e) && variables_format(a, format, e);
}

bool variables_set(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    const char *name = NULL, *text = NULL;
    char format;
    const struct dap_held *h = variables_referred(d, a, e);
    if (!h || !argument_needs(a, "name", e) || !argument_text(a, "name", &name, e) ||
        !variables_value(a, &text, &format, e))
        return false;
    motet_variable *v = variables_member(d, h, name);
    if (!v)
        return argument_error(e, "there is no '%.100s'", name);
    return variables_change(d, v, h->node, h->level, text, format, body, e);
}

bool variables_set_expression(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    const char *expression = NULL, *text = NULL;
    uint32_t node;
    size_t level;
    char format;
    if (!argument_needs(a, "expression", e) || !argument_text(a, "expression", &expression, e) ||
        !look_frame(d, a, &node, &level, e) || !variables_value(a, &text, &format, e))
        return false;
    motet_variable *v = motet_variable_find(motet_timeline_node(d->timeline, node), level, expression, e);
    return v && variables_change(d, v, node, level, text, format, body, e);
}
