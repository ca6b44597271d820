/* Properties of a scenario: its text is read once more for each network, with functions that define properties in place
 * of those that make and change networks. */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/memory.h"
#include "motet/property.h"
#include "script/lua.h"
#include "script/property.h"
#include "script/variable.h"

struct property_text {
    struct motet_property_maker maker;
    char *text, *path;
    uint64_t seed;
};

struct property_reader {
    struct variable_reader reader;
    struct property_script *script;
    size_t node;
};

struct property_operand {
    struct property_script *script;
    const char *name; /* of the property */
    int function;     /* in the registry; LUA_NOREF: a value, or nothing to compare */
    int64_t value;
};

struct property_script {
    struct script script;
    const char *path;
    motet_network *network;
    motet_view *view; /* while something is judged */
    struct property_reader *readers;
    size_t nodes, declared;
    int all, net; /* the nodes' tables by number, and what functions get, in the registry */
    uint64_t generation;
    bool current;
    struct motet_property *list;
    size_t count, room;
};

static const char property_node_name[] = "motet.property.node";

static struct property_script *property_of(lua_State *l)
{
    lua_getfield(l, LUA_REGISTRYINDEX, "properties");
    struct property_script *s = lua_touserdata(l, -1);
    lua_pop(l, 1);
    return s;
}

/* ---- nodes ---- */

static bool property_value(const struct variable_reader *r, const char *expression, struct motet_value *v,
                           struct motet_error *e)
{
    const struct property_reader *p = (const struct property_reader *)r;
    if (p->script->view)
        return motet_view_value(p->script->view, p->node, expression, v, e);
    snprintf(e->text, sizeof e->text, "variables can be read while a property is judged, not before");
    return false;
}

static size_t property_value_text(const struct variable_reader *r, const char *expression, char *text, size_t size,
                                  struct motet_error *e)
{
    struct motet_value v;
    (void)text, (void)size;
    if (property_value(r, expression, &v, e))
        snprintf(e->text, sizeof e->text, "'%s' is of type '%s'; compare its members", expression, v.type);
    return 0;
}

static size_t property_number(lua_State *l, int argument)
{
    luaL_checktype(l, argument, LUA_TTABLE);
    if (lua_getfield(l, argument, "number") != LUA_TNUMBER)
        luaL_argerror(l, argument, "a node");
    size_t number = (size_t)lua_tointeger(l, -1);
    lua_pop(l, 1);
    return number;
}

static motet_view *property_view(lua_State *l)
{
    motet_view *v = property_of(l)->view;
    if (!v)
        luaL_error(l, "nodes can be looked at while a property is judged, not before");
    return v;
}

static int property_node_value(lua_State *l) /* n:value("p->x") */
{
    const struct property_script *s = property_of(l);
    return variable_push(l, &s->readers[property_number(l, 1)].reader, luaL_checkstring(l, 2));
}

static int property_node_bytes(lua_State *l) /* n:bytes("table") */
{
    motet_view *v = property_view(l);
    size_t number = property_number(l, 1), size = 0, has;
    const char *expression = luaL_checkstring(l, 2);
    struct motet_error e;
    struct motet_value value;
    luaL_Buffer b;
    if (!motet_view_value(v, number, expression, &value, &e))
        return luaL_error(l, "%s", e.text);
    char *to = luaL_buffinitsize(l, &b, value.size);
    if (!motet_view_bytes(v, number, expression, to, value.size, &has, &e))
        return luaL_error(l, "%s", e.text);
    size = has < value.size ? has : value.size;
    luaL_pushresultsize(&b, size);
    return 1;
}

static int property_node_hears(lua_State *l) /* n:hears(other, dbm) */
{
    size_t to = property_number(l, 1), from = property_number(l, 2);
    lua_pushboolean(l, motet_view_hears(property_view(l), from, to, luaL_optnumber(l, 3, -90)));
    return 1;
}

static void property_make_nodes(struct property_script *s)
{
    static const luaL_Reg methods[] = {
        {"value", property_node_value}, {"bytes", property_node_bytes}, {"hears", property_node_hears}, {NULL, NULL}};
    lua_State *l = s->script.state;
    luaL_newmetatable(l, property_node_name);
    lua_newtable(l);
    luaL_setfuncs(l, methods, 0);
    lua_setfield(l, -2, "__index");
    lua_pop(l, 1);
    lua_newtable(l);
    for (size_t i = 0; i < s->nodes; i++) {
        s->readers[i] = (struct property_reader){{property_value, property_value_text}, s, i};
        lua_createtable(l, 0, 3);
        lua_pushinteger(l, (lua_Integer)i);
        lua_setfield(l, -2, "number");
        lua_pushinteger(l, motet_node_id(motet_network_at(s->network, i)));
        lua_setfield(l, -2, "id");
        variable_push_all(l, &s->readers[i].reader);
        lua_setfield(l, -2, "var");
        luaL_setmetatable(l, property_node_name);
        lua_rawseti(l, -2, (lua_Integer)i + 1);
    }
    s->all = luaL_ref(l, LUA_REGISTRYINDEX);
}

/* The network as functions get it: the nodes that are up, in order and by id. */
static void property_push_network(struct property_script *s)
{
    lua_State *l = s->script.state;
    if (s->current && s->generation == motet_view_generation(s->view)) {
        lua_rawgeti(l, LUA_REGISTRYINDEX, s->net);
        return;
    }
    lua_createtable(l, 0, 2);
    lua_newtable(l);
    lua_newtable(l);
    lua_rawgeti(l, LUA_REGISTRYINDEX, s->all);
    for (size_t i = 0, count = 0; i < s->nodes; i++) {
        if (!motet_view_up(s->view, i))
            continue;
        lua_rawgeti(l, -1, (lua_Integer)i + 1);
        lua_pushvalue(l, -1);
        lua_rawseti(l, -5, (lua_Integer)++count);
        lua_rawseti(l, -3, (lua_Integer)motet_view_id(s->view, i));
    }
    lua_pop(l, 1);
    lua_setfield(l, -3, "by_id");
    lua_setfield(l, -2, "nodes");
    if (s->current)
        luaL_unref(l, LUA_REGISTRYINDEX, s->net);
    lua_pushvalue(l, -1);
    s->net = luaL_ref(l, LUA_REGISTRYINDEX);
    s->generation = motet_view_generation(s->view);
    s->current = true;
}

/* ---- judging ---- */

/* Calls the function below its argument. The results stay on the stack. */
static bool property_call(struct property_operand *o, struct motet_error *e)
{
    struct property_script *s = o->script;
    bool good = script_call(&s->script, 1, 2);
    s->view = NULL;
    if (good && !lua_isnil(s->script.state, -2))
        return true;
    if (good)
        snprintf(e->text, sizeof e->text, "%s: property '%s' gives nothing; it must return true or false", s->path,
                 o->name);
    else
        script_sentence(&s->script, s->path, e->text, sizeof e->text);
    lua_settop(s->script.state, 0);
    return false;
}

static int property_holds(void *context, motet_view *v, size_t node, size_t *blame, struct motet_error *e)
{
    struct property_operand *o = context;
    struct property_script *s = o->script;
    lua_State *l = s->script.state;
    s->view = v;
    lua_settop(l, 0);
    lua_rawgeti(l, LUA_REGISTRYINDEX, o->function);
    if (node == MOTET_NO_NODE) {
        property_push_network(s);
    } else {
        lua_rawgeti(l, LUA_REGISTRYINDEX, s->all);
        lua_rawgeti(l, -1, (lua_Integer)node + 1);
        lua_remove(l, -2);
    }
    if (!property_call(o, e))
        return -1;
    int holds = lua_toboolean(l, -2);
    if (lua_istable(l, -1) && lua_getfield(l, -1, "number") == LUA_TNUMBER)
        *blame = (size_t)lua_tointeger(l, -1);
    lua_settop(l, 0);
    return holds;
}

static int property_counts(void *context, motet_view *v, size_t node, int64_t value, struct motet_error *e)
{
    struct property_operand *o = context;
    lua_State *l = o->script->script.state;
    (void)node;
    if (o->function == LUA_NOREF)
        return value == o->value;
    o->script->view = v;
    lua_settop(l, 0);
    lua_rawgeti(l, LUA_REGISTRYINDEX, o->function);
    lua_pushinteger(l, value);
    if (!property_call(o, e))
        return -1;
    int counts = lua_toboolean(l, -2);
    lua_settop(l, 0);
    return counts;
}

/* ---- defining ---- */

static uint64_t property_time(lua_State *l, int table, const char *field, uint64_t otherwise)
{
    uint64_t time = otherwise;
    if (lua_getfield(l, table, field) != LUA_TNIL) {
        double seconds = lua_isnumber(l, -1) ? lua_tonumber(l, -1) : -1;
        if (!(seconds >= 0 && seconds <= 1e9))
            luaL_error(l, "'%s' must be a time in seconds", field);
        time = (uint64_t)(seconds * 1e9 + 0.5);
    }
    lua_pop(l, 1);
    return time;
}

static void property_options(lua_State *l, int table, struct motet_property *p)
{
    static const char *const fields[] = {"within", "patience", "handlers"};
    p->within = MOTET_NO_BOUND;
    if (lua_isnoneornil(l, table))
        return;
    luaL_checktype(l, table, LUA_TTABLE);
    lua_pushnil(l);
    while (lua_next(l, table)) {
        const char *name = lua_type(l, -2) == LUA_TSTRING ? lua_tostring(l, -2) : "(not a name)";
        if (strcmp(name, fields[0]) != 0 && strcmp(name, fields[1]) != 0 && strcmp(name, fields[2]) != 0)
            luaL_error(l, "a property has no '%s'; it has within, patience and handlers", name);
        lua_pop(l, 1);
    }
    p->within = property_time(l, table, fields[0], MOTET_NO_BOUND);
    p->patience = property_time(l, table, fields[1], 0);
    lua_getfield(l, table, fields[2]);
    p->handlers = lua_toboolean(l, -1);
    lua_pop(l, 1);
}

/* A function is about the network; a table says what else it is (each, called, ...). */
static void property_set_operand(lua_State *l, int argument, const char *name, struct motet_operand *o)
{
    struct property_operand *own = lua_newuserdatauv(l, sizeof *own, 0);
    *own = (struct property_operand){property_of(l), name, LUA_NOREF, 0};
    luaL_ref(l, LUA_REGISTRYINDEX); /* kept as long as the script */
    *o = (struct motet_operand){.kind = MOTET_OF_NETWORK, .holds = property_holds, .bytes = 2, .context = own};
    if (lua_isfunction(l, argument)) {
        lua_pushvalue(l, argument);
        own->function = luaL_ref(l, LUA_REGISTRYINDEX);
        return;
    }
    if (!lua_istable(l, argument) || lua_getfield(l, argument, "kind") != LUA_TNUMBER)
        luaL_argerror(l, argument, "a function, each(...), called(...), returned(...) or happened(...)");
    o->kind = (enum motet_operand_kind)lua_tointeger(l, -1);
    lua_getfield(l, argument, "where");
    o->function = lua_tostring(l, -1); /* the table is kept */
    lua_getfield(l, argument, "what");
    o->what = (enum motet_happening)lua_tointeger(l, -1);
    lua_getfield(l, argument, "bytes");
    o->bytes = (unsigned)luaL_optinteger(l, -1, 2);
    int type = lua_getfield(l, argument, "f");
    own->value = type == LUA_TNUMBER ? (int64_t)lua_tonumber(l, -1) : 0;
    o->counts = o->kind != MOTET_OF_EACH && type != LUA_TNIL ? property_counts : NULL;
    if (type == LUA_TFUNCTION)
        own->function = luaL_ref(l, LUA_REGISTRYINDEX);
    lua_pushvalue(l, argument);
    luaL_ref(l, LUA_REGISTRYINDEX);
}

static int property_add(lua_State *l, enum motet_property_kind kind)
{
    struct property_script *s = property_of(l);
    struct motet_property p = {.name = luaL_checkstring(l, 1), .kind = kind};
    lua_pushvalue(l, 1);
    luaL_ref(l, LUA_REGISTRYINDEX);
    property_options(l, kind == MOTET_LEADS_TO ? 4 : 3, &p);
    property_set_operand(l, 2, p.name, &p.operands[0]);
    if (kind == MOTET_LEADS_TO)
        property_set_operand(l, 3, p.name, &p.operands[1]);
    s->list = memory_grow(s->list, &s->room, s->count, sizeof p);
    s->list[s->count++] = p;
    return 0;
}

static int property_always(lua_State *l)
{
    return property_add(l, MOTET_ALWAYS);
}

static int property_never(lua_State *l)
{
    return property_add(l, MOTET_NEVER_DOES);
}

static int property_eventually(lua_State *l)
{
    return property_add(l, MOTET_EVENTUALLY);
}

static int property_leads_to(lua_State *l)
{
    return property_add(l, MOTET_LEADS_TO);
}

static int property_operand_table(lua_State *l, enum motet_operand_kind kind, int f)
{
    lua_settop(l, 3);
    lua_createtable(l, 0, 4);
    lua_pushinteger(l, kind);
    lua_setfield(l, -2, "kind");
    if (!lua_isnoneornil(l, f)) {
        if (!lua_isfunction(l, f) && (kind == MOTET_OF_EACH || !lua_isinteger(l, f)))
            luaL_argerror(l, f, kind == MOTET_OF_EACH ? "a function" : "a whole number or a function");
        lua_pushvalue(l, f);
        lua_setfield(l, -2, "f");
    }
    return 1;
}

static int property_each(lua_State *l)
{
    luaL_checktype(l, 1, LUA_TFUNCTION);
    return property_operand_table(l, MOTET_OF_EACH, 1);
}

static int property_in_code(lua_State *l, enum motet_operand_kind kind)
{
    luaL_checkstring(l, 1);
    lua_Integer bytes = luaL_optinteger(l, 3, 2);
    luaL_argcheck(l, bytes == 1 || bytes == 2, 3, "the bytes of the value: 1 or 2");
    property_operand_table(l, kind, 2);
    lua_pushvalue(l, 1);
    lua_setfield(l, -2, "where");
    lua_pushinteger(l, bytes);
    lua_setfield(l, -2, "bytes");
    return 1;
}

static int property_called(lua_State *l)
{
    return property_in_code(l, MOTET_OF_CALL);
}

static int property_returned(lua_State *l)
{
    return property_in_code(l, MOTET_OF_RETURN);
}

static int property_happened(lua_State *l)
{
    const char *name = luaL_checkstring(l, 1);
    for (int i = 0; i < MOTET_HAPPENINGS; i++)
        if (strcmp(motet_happening_name((enum motet_happening)i), name) == 0) {
            property_operand_table(l, MOTET_OF_HOOK, 2);
            lua_pushinteger(l, i);
            lua_setfield(l, -2, "what");
            return 1;
        }
    return luaL_error(l, "nothing that happens is called '%s'; docs/instrumentation.md has a list", name);
}

/* ---- what a scenario does else ---- */

static int property_pass_over(lua_State *l)
{
    (void)l;
    return 0;
}

static int property_declared(lua_State *l)
{
    struct property_script *s = property_of(l);
    luaL_checktype(l, 1, LUA_TTABLE);
    if (lua_getfield(l, 1, "id") == LUA_TNIL)
        lua_pushinteger(l, (lua_Integer)s->declared);
    s->declared++;
    return 1;
}

static const char *const property_passed_over[] = {
    "at",        "every",     "at_end",  "run_for", "stop",  "now",    "check", "medium",   "noise_trace",   "link",
    "link_loss", "link_down", "link_up", "kill",    "boot",  "reset",  "move",  "send",     "send_now",      "drive",
    "analog",    "sense",     "alive",   "read",    "bytes", "output", "led",   "position", "transmissions", NULL,
};

static const char property_helpers[] =
    "function all_equal(net, name)\n"
    "    local first\n"
    "    for _, n in ipairs(net.nodes) do\n"
    "        local bytes = n:bytes(name)\n"
    "        first = first or bytes\n"
    "        if bytes ~= first then return false, n end\n"
    "    end\n"
    "    return true\n"
    "end\n"
    "local function node_of(net, n) return type(n) == 'table' and n or net.by_id[n] end\n"
    "function reaches(net, from, to, name)\n"
    "    local at, goal = node_of(net, from), node_of(net, to)\n"
    "    for _ = 0, #net.nodes do\n"
    "        if not at or not goal then return false end\n"
    "        if at == goal then return true end\n"
    "        at = net.by_id[at:value(name)]\n"
    "    end\n"
    "    return false\n"
    "end\n"
    "function acyclic(net, name)\n"
    "    for _, n in ipairs(net.nodes) do\n"
    "        local at, steps = n, 0\n"
    "        while at do\n"
    "            at, steps = net.by_id[at:value(name)], steps + 1\n"
    "            if steps > #net.nodes then return false, n end\n"
    "        end\n"
    "    end\n"
    "    return true\n"
    "end\n"
    "function connected(net, from, to, dbm)\n"
    "    local start, goal = node_of(net, from), node_of(net, to)\n"
    "    if not start or not goal then return false end\n"
    "    local seen, queue, head = {[start.id] = true}, {start}, 1\n"
    "    while queue[head] do\n"
    "        local at = queue[head]\n"
    "        if at == goal then return true end\n"
    "        for _, n in ipairs(net.nodes) do\n"
    "            if not seen[n.id] and n:hears(at, dbm) and at:hears(n, dbm) then\n"
    "                seen[n.id] = true\n"
    "                queue[#queue + 1] = n\n"
    "            end\n"
    "        end\n"
    "        head = head + 1\n"
    "    end\n"
    "    return false\n"
    "end\n";

static const luaL_Reg property_functions[] = {
    {"always", property_always},     {"never", property_never},       {"eventually", property_eventually},
    {"leads_to", property_leads_to}, {"each", property_each},         {"called", property_called},
    {"returned", property_returned}, {"happened", property_happened}, {NULL, NULL},
};

static void property_register(lua_State *l)
{
    variable_register(l);
    lua_pushglobaltable(l);
    for (size_t i = 0; property_passed_over[i]; i++) {
        lua_pushcfunction(l, property_pass_over);
        lua_setfield(l, -2, property_passed_over[i]);
    }
    lua_pushcfunction(l, property_declared);
    lua_setfield(l, -2, "node");
    luaL_setfuncs(l, property_functions, 0);
    lua_pop(l, 1);
    if (luaL_loadbufferx(l, property_helpers, sizeof property_helpers - 1, "=properties", "t") != LUA_OK ||
        lua_pcall(l, 0, 0, 0) != LUA_OK)
        abort();
}

/* For the scenario itself, which leaves properties to the checks. */
void property_register_ignored(lua_State *l)
{
    static const char *const helpers[] = {"all_equal", "reaches", "acyclic", "connected"};
    lua_pushglobaltable(l);
    for (size_t i = 0; property_functions[i].name; i++) {
        lua_pushcfunction(l, property_pass_over);
        lua_setfield(l, -2, property_functions[i].name);
    }
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++) {
        lua_pushcfunction(l, property_pass_over);
        lua_setfield(l, -2, helpers[i]);
    }
    lua_pop(l, 1);
}

/* ---- life ---- */

static void property_release(struct motet_properties *set)
{
    struct property_script *s = set->context;
    if (!s)
        return;
    script_close(&s->script);
    free(s->readers);
    free(s->list);
    free(s);
}

static bool property_make(void *context, motet_network *n, struct motet_properties *set, struct motet_error *e)
{
    const struct property_text *from = context;
    struct property_script *s = memory_new(sizeof *s);
    *set = (struct motet_properties){.context = s, .release = property_release};
    s->path = from->path;
    s->network = n;
    s->nodes = motet_network_count(n);
    s->readers = memory_array(s->nodes, sizeof *s->readers);
    script_open(&s->script, from->seed, 1);
    lua_State *l = s->script.state;
    lua_pushlightuserdata(l, s);
    lua_setfield(l, LUA_REGISTRYINDEX, "properties");
    property_register(l);
    property_make_nodes(s);
    char *name = memory_format("@%s", from->path);
    bool good =
        luaL_loadbufferx(l, from->text, strlen(from->text), name, "t") == LUA_OK && script_call(&s->script, 0, 0);
    free(name);
    if (!good)
        script_sentence(&s->script, from->path, e->text, sizeof e->text);
    lua_settop(l, 0);
    set->list = s->list;
    set->count = s->count;
    return good;
}

struct motet_property_maker *motet_scenario_properties(const char *text, const char *path, uint64_t seed)
{
    struct property_text *p = memory_new(sizeof *p);
    struct digest d = digest_of(text, strlen(text));
    p->maker = (struct motet_property_maker){p, property_make, 0};
    memcpy(&p->maker.identity, &d, sizeof p->maker.identity);
    p->text = memory_string(text);
    p->path = memory_string(path);
    p->seed = seed;
    return &p->maker;
}

void motet_scenario_properties_free(struct motet_property_maker *m)
{
    if (!m)
        return;
    struct property_text *p = m->context;
    free(p->text);
    free(p->path);
    free(p);
}
