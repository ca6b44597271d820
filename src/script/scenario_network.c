/* What a scenario says of its network: nodes, the medium, links, and how they change. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "script/scenario.h"

/* ---- fields of a table ---- */

/* Every field a table has must be one that is known, or a mistyped one would be silently without effect. */
static void known_fields(lua_State *l, int table, const char *const names[])
{
    lua_pushnil(l);
    while (lua_next(l, table)) {
        const char *name = lua_type(l, -2) == LUA_TSTRING ? lua_tostring(l, -2) : "(not a name)";
        size_t i = 0;
        while (names[i] && strcmp(names[i], name) != 0)
            i++;
        if (!names[i])
            luaL_error(l, "there is nothing called '%s' to say here", name);
        lua_pop(l, 1);
    }
}

static double number_field(lua_State *l, int table, const char *name, double otherwise)
{
    double value = otherwise;
    if (lua_getfield(l, table, name) != LUA_TNIL) {
        if (!lua_isnumber(l, -1))
            luaL_error(l, "'%s' must be a number", name);
        value = lua_tonumber(l, -1);
    }
    lua_pop(l, 1);
    return value;
}

/* Left on the stack, so that it stays; NULL if it is not there. */
static const char *text_field(lua_State *l, int table, const char *name)
{
    if (lua_getfield(l, table, name) == LUA_TNIL)
        return NULL;
    if (lua_type(l, -1) != LUA_TSTRING)
        luaL_error(l, "'%s' must be a text", name);
    return lua_tostring(l, -1);
}

/* ---- nodes ---- */

/* Paths are seen from where the scenario is. Left on the stack. */
static const char *beside_scenario(lua_State *l, const char *path)
{
    const char *own = scenario_of(l)->path, *slash = strrchr(own, '/');
    if (path[0] == '/' || !slash)
        return lua_pushstring(l, path);
    lua_pushlstring(l, own, (size_t)(slash + 1 - own));
    lua_pushstring(l, path);
    lua_concat(l, 2);
    return lua_tostring(l, -1);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The parts from outside that a node is to have: texts that stay on the stack, and all of them as lines above them. */
struct scenario_parts {
    const char *wishes[SCENARIO_PARTS];
    size_t count;
    const char *lines;
};

static void scenario_network_parts(lua_State *l, int table, struct scenario_parts *p)
{
    luaL_Buffer lines;
    p->count = 0;
    luaL_checkstack(l, 2 * SCENARIO_PARTS + 8, "too many parts");
    if (lua_getfield(l, table, "parts") != LUA_TNIL) {
        int list = lua_gettop(l);
        if (!lua_istable(l, list) || lua_rawlen(l, list) > SCENARIO_PARTS)
            luaL_error(l, "'parts' must be a list of at most %d texts such as \"display.so:spi0,PB2\"", SCENARIO_PARTS);
        for (size_t i = 0; i < lua_rawlen(l, list); i++) {
            if (lua_rawgeti(l, list, (lua_Integer)i + 1) != LUA_TSTRING)
                luaL_error(l, "'parts' must be a list of texts such as \"display.so:spi0,PB2\"");
            p->wishes[p->count++] = beside_scenario(l, lua_tostring(l, -1));
        }
    }
    luaL_buffinit(l, &lines);
    for (size_t i = 0; i < p->count; i++) {
        luaL_addstring(&lines, p->wishes[i]);
        luaL_addchar(&lines, '\n');
    }
    luaL_pushresult(&lines);
    p->lines = lua_tostring(l, -1);
}

static motet_machine *machine_for(lua_State *l, const char *path, const char *board, const struct scenario_parts *parts)
{
    struct motet_scenario *s = scenario_of(l);
    struct motet_options options = MOTET_OPTIONS_DEFAULT;
    struct motet_error e;
    for (size_t i = 0; i < s->machine_count; i++)
        if (same_text(s->machines[i].path, path) && same_text(s->machines[i].board, board) &&
            same_text(s->machines[i].parts, parts->lines))
            return s->machines[i].machine;
    options.board = board;
    options.parts = parts->wishes;
    options.part_count = parts->count;
    motet_machine *m = motet_machine_load(path, &options, &e);
    if (!m)
        scenario_fail(l, &e);
    s->machines = memory_resize(s->machines, s->machine_count + 1, sizeof *s->machines);
    s->machines[s->machine_count++] = (struct scenario_machine){
        memory_string(path), board ? memory_string(board) : NULL, memory_string(parts->lines), m};
    return m;
}

static void set_variables(lua_State *l, motet_node *n)
{
    struct motet_error e;
    if (lua_getfield(l, 1, "set") == LUA_TNIL)
        return;
    if (!lua_istable(l, -1))
        luaL_error(l, "'set' must be a table such as {TOS_NODE_ID = 7}");
    lua_pushnil(l);
    while (lua_next(l, -2)) {
        int whole;
        lua_Integer value = lua_tointegerx(l, -1, &whole);
        if (lua_type(l, -2) != LUA_TSTRING || !whole || value < 0)
            luaL_error(l, "'set' must give each variable a whole number that is not negative");
        if (!motet_node_set(n, lua_tostring(l, -2), (uint64_t)value, &e))
            scenario_fail(l, &e);
        lua_pop(l, 1);
    }
}

/* What a memory holds before the run. */
static void fill_store(lua_State *l, motet_node *n, enum motet_store which, const char *field)
{
    struct motet_error e;
    const char *path = text_field(l, 1, field);
    if (path && !motet_node_store_load(n, which, beside_scenario(l, path), &e))
        scenario_fail(l, &e);
}

static int scenario_network_node(lua_State *l)
{
    static const char *const fields[] = {"id",    "firmware", "board", "x",      "y",     "z", "boot",
                                         "drift", "set",      "flash", "eeprom", "parts", NULL};
    struct motet_scenario *s = scenario_of(l);
    struct scenario_parts parts;
    struct motet_error e;
    luaL_checktype(l, 1, LUA_TTABLE);
    known_fields(l, 1, fields);
    if (s->running)
        return luaL_error(l, "nodes are declared before the run; one that comes later has a boot time");
    double id = number_field(l, 1, "id", (double)motet_network_count(s->network));
    double boot = number_field(l, 1, "boot", 0);
    struct motet_place p = {
        .x = number_field(l, 1, "x", 0),
        .y = number_field(l, 1, "y", 0),
        .z = number_field(l, 1, "z", 0),
        .drift = number_field(l, 1, "drift", 0),
    };
    if (!(id >= 0 && id <= UINT32_MAX) || id != (double)(uint32_t)id)
        return luaL_error(l, "'id' must be a whole number from 0 on");
    if (!(boot >= 0 && boot <= 1e9))
        return luaL_error(l, "'boot' must be a time in seconds");
    p.id = (uint32_t)id;
    p.boot = (uint64_t)(boot * 1e9 + 0.5);
    const char *firmware = text_field(l, 1, "firmware"), *board = text_field(l, 1, "board");
    if (!firmware)
        return luaL_error(l, "node %d has no 'firmware'", (int)p.id);
    scenario_network_parts(l, 1, &parts);
    motet_machine *m = machine_for(l, beside_scenario(l, firmware), board, &parts);
    motet_node *n = motet_network_add(s->network, m, &p, &e);
    s->nodes = memory_resize(s->nodes, s->node_count + 1, sizeof *s->nodes);
    s->nodes[s->node_count++] = (struct scenario_node){.output = NULL};
    if (!n)
        return scenario_fail(l, &e);
    set_variables(l, n);
    fill_store(l, n, MOTET_STORE_FLASH, "flash");
    fill_store(l, n, MOTET_STORE_EEPROM, "eeprom");
    lua_pushinteger(l, p.id);
    return 1;
}

/* ---- the medium ---- */

static int medium(lua_State *l)
{
    static const char *const fields[] = {"model",     "range",   "gain",  "exponent", "metre",
                                         "shadowing", "cut_off", "noise", "loss",     NULL};
    static const char *const models[] = {"links", "disk", "log"};
    struct motet_medium m;
    struct motet_error e;
    luaL_checktype(l, 1, LUA_TTABLE);
    known_fields(l, 1, fields);
    motet_network_get_medium(scenario_of(l)->network, &m);
    const char *model = text_field(l, 1, "model");
    size_t i = 0;
    while (model && i < 3 && strcmp(model, models[i]) != 0)
        i++;
    if (i == 3)
        return luaL_error(l, "there is no model '%s'; there are links, disk and log", model);
    if (model)
        m.model = (enum motet_model)i;
    m.range = number_field(l, 1, "range", m.range);
    m.gain = number_field(l, 1, "gain", m.gain);
    m.exponent = number_field(l, 1, "exponent", m.exponent);
    m.metre = number_field(l, 1, "metre", m.metre);
    m.shadowing = number_field(l, 1, "shadowing", m.shadowing);
    m.cut_off = number_field(l, 1, "cut_off", m.cut_off);
    m.noise = number_field(l, 1, "noise", m.noise);
    m.loss = number_field(l, 1, "loss", m.loss);
    return motet_network_medium(scenario_of(l)->network, &m, &e) ? 0 : scenario_fail(l, &e);
}

static int noise_trace(lua_State *l)
{
    struct motet_error e;
    luaL_checktype(l, 1, LUA_TTABLE);
    size_t count = lua_rawlen(l, 1);
    float *dbm = lua_newuserdatauv(l, (count + 1) * sizeof *dbm, 0);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(l, 1, (lua_Integer)i + 1);
        if (!lua_isnumber(l, -1))
            return luaL_error(l, "reading %d of the noise is not a number", (int)i + 1);
        dbm[i] = (float)lua_tonumber(l, -1);
        lua_pop(l, 1);
    }
    bool good = motet_network_noise(scenario_of(l)->network, dbm, count, scenario_time(l, 2), &e);
    return good ? 0 : scenario_fail(l, &e);
}

static int link(lua_State *l)
{
    motet_network *n = scenario_of(l)->network;
    uint32_t from = scenario_id(l, 1), to = scenario_id(l, 2);
    struct motet_error e;
    if (!motet_network_link(n, from, to, luaL_checknumber(l, 3), &e))
        return scenario_fail(l, &e);
    if (!lua_isnoneornil(l, 4) && !motet_network_link_loss(n, from, to, luaL_checknumber(l, 4), &e))
        return scenario_fail(l, &e);
    return 0;
}

static int link_loss(lua_State *l)
{
    struct motet_error e;
    bool good = motet_network_link_loss(scenario_of(l)->network, scenario_id(l, 1), scenario_id(l, 2),
                                        luaL_checknumber(l, 3), &e);
    return good ? 0 : scenario_fail(l, &e);
}

/* Both directions. */
static int set_down(lua_State *l, bool down)
{
    motet_network *n = scenario_of(l)->network;
    uint32_t a = scenario_id(l, 1), b = scenario_id(l, 2);
    struct motet_error e;
    bool good = motet_network_link_down(n, a, b, down, &e) && motet_network_link_down(n, b, a, down, &e);
    return good ? 0 : scenario_fail(l, &e);
}

static int link_down(lua_State *l)
{
    return set_down(l, true);
}

static int link_up(lua_State *l)
{
    return set_down(l, false);
}

static int transmissions(lua_State *l)
{
    lua_pushinteger(l, (lua_Integer)motet_network_transmissions(scenario_of(l)->network));
    return 1;
}

void scenario_register_network(lua_State *l)
{
    static const luaL_Reg functions[] = {
        {"node", scenario_network_node},
        {"medium", medium},
        {"noise_trace", noise_trace},
        {"link", link},
        {"link_loss", link_loss},
        {"link_down", link_down},
        {"link_up", link_up},
        {"transmissions", transmissions},
        {NULL, NULL},
    };
    lua_pushglobaltable(l);
    luaL_setfuncs(l, functions, 0);
    lua_pop(l, 1);
}
