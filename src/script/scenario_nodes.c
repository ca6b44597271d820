/* What a scenario does to single nodes, and what it can see of them. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "script/scenario.h"

/* In the order of adding. */
static struct scenario_node *record_of(lua_State *l, const motet_node *n)
{
    struct motet_scenario *s = scenario_of(l);
    size_t i = 0;
    while (motet_network_at(s->network, i) != n)
        i++;
    return &s->nodes[i];
}

/* ---- life ---- */

static int kill_node(lua_State *l)
{
    motet_network_kill(scenario_of(l)->network, scenario_node(l, 1));
    return 0;
}

static int boot(lua_State *l)
{
    motet_node *n = scenario_node(l, 1);
    struct scenario_node *r = record_of(l, n);
    motet_network_boot(scenario_of(l)->network, n);
    for (size_t i = 0; i < r->level_count; i++)
        r->levels[i].tick = 0; /* voltages stay, ticks begin again */
    for (unsigned pin = 0; pin < SCENARIO_PINS; pin++)
        if (r->driven[pin])
            motet_node_drive(n, pin, (enum motet_drive)(r->driven[pin] - 1));
    return 0;
}

static int scenario_nodes_reset(lua_State *l)
{
    motet_node_reset(scenario_node(l, 1));
    return 0;
}

static int scenario_nodes_move(lua_State *l)
{
    struct motet_error e;
    bool good = motet_network_move(scenario_of(l)->network, scenario_node(l, 1), luaL_checknumber(l, 2),
                                   luaL_checknumber(l, 3), luaL_optnumber(l, 4, 0), &e);
    return good ? 0 : scenario_fail(l, &e);
}

/* ---- inputs ---- */

typedef size_t scenario_sender(motet_node *n, unsigned line, const uint8_t *bytes, size_t count);

static int scenario_nodes_send_by(lua_State *l, scenario_sender *send)
{
    size_t count;
    motet_node *n = scenario_node(l, 1);
    lua_Integer line = luaL_checkinteger(l, 2);
    const char *bytes = luaL_checklstring(l, 3, &count);
    if (line < 0 || line >= MOTET_CONSOLE || !motet_machine_has_serial(motet_node_machine(n), (unsigned)line))
        return luaL_error(l, "node %d has no serial port %d", (int)motet_node_id(n), (int)line);
    lua_pushinteger(l, (lua_Integer)send(n, (unsigned)line, (const uint8_t *)bytes, count));
    return 1;
}

static int scenario_nodes_send(lua_State *l)
{
    return scenario_nodes_send_by(l, motet_node_send);
}

static int scenario_nodes_send_now(lua_State *l)
{
    return scenario_nodes_send_by(l, motet_node_send_now);
}

static int scenario_nodes_drive(lua_State *l)
{
    static const char *const levels[] = {"float", "up", "down", "low", "high", NULL};
    motet_node *n = scenario_node(l, 1);
    const char *name = luaL_checkstring(l, 2);
    int pin = motet_machine_pin_named(motet_node_machine(n), name);
    if (pin < 0 || pin >= SCENARIO_PINS)
        return luaL_error(l, "node %d has no pin '%s'", (int)motet_node_id(n), name);
    const char *driver = motet_machine_pin_driver(motet_node_machine(n), (unsigned)pin);
    if (driver)
        return luaL_error(l, "the part %s of node %d drives %s already", driver, (int)motet_node_id(n), name);
    int level = luaL_checkoption(l, 3, NULL, levels);
    record_of(l, n)->driven[pin] = (uint8_t)(1 + level);
    motet_node_drive(n, (unsigned)pin, (enum motet_drive)level);
    return 0;
}

static int32_t level_at(void *context, unsigned channel, uint64_t tick)
{
    const struct motet_scenario *s = ((void **)context)[0];
    const struct scenario_node *r = &s->nodes[(size_t)(uintptr_t)((void **)context)[1]];
    for (size_t i = r->level_count; i-- > 0;)
        if (r->levels[i].channel == channel && r->levels[i].tick <= tick)
            return r->levels[i].microvolts;
    return INT32_MIN;
}

/* From now on the channel of the node has this level. */
static void put_level(lua_State *l, motet_node *n, unsigned channel, double level)
{
    struct motet_scenario *s = scenario_of(l);
    struct scenario_node *r = record_of(l, n);
    r->levels = memory_resize(r->levels, r->level_count + 1, sizeof *r->levels);
    int32_t microvolts = (int32_t)(level < 0 ? level - 0.5 : level + 0.5);
    r->levels[r->level_count++] = (struct scenario_level){motet_node_now(n), channel, microvolts};
    if (r->level_count == 1) {
        void **context = lua_newuserdatauv(l, 2 * sizeof *context, 0);
        context[0] = s;
        context[1] = (void *)(uintptr_t)(r - s->nodes);
        luaL_ref(l, LUA_REGISTRYINDEX); /* kept as long as the scenario */
        motet_node_analog(n, level_at, context);
    }
}

static int scenario_nodes_analog(lua_State *l)
{
    motet_node *n = scenario_node(l, 1);
    lua_Integer channel = luaL_checkinteger(l, 2);
    lua_Number volts = luaL_checknumber(l, 3);
    if (channel < 0 || channel >= MOTET_CHANNELS ||
        !motet_machine_has_channel(motet_node_machine(n), (unsigned)channel))
        return luaL_error(l, "node %d has no analog channel %d", (int)motet_node_id(n), (int)channel);
    if (!(volts >= -100 && volts <= 100))
        return luaL_argerror(l, 3, "volts");
    put_level(l, n, (unsigned)channel, volts * 1e6);
    return 0;
}

/* sense(node, "temperature", 25): for all its sensors of that quantity. */
static int scenario_nodes_sense(lua_State *l)
{
    motet_node *n = scenario_node(l, 1);
    const char *name = luaL_checkstring(l, 2);
    lua_Number amount = luaL_checknumber(l, 3);
    struct motet_quantity q;
    bool found = false;
    for (size_t i = 0; motet_machine_quantity(motet_node_machine(n), i, &q); i++) {
        double level = q.offset + q.factor * amount;
        if (strcmp(q.name, name) != 0)
            continue;
        found = true;
        if (!(level > -2e9 && level < 2e9))
            return luaL_argerror(l, 3, "more than the sensor can show");
        put_level(l, n, q.channel, level);
    }
    return found ? 0 : luaL_error(l, "node %d does not sense '%s'", (int)motet_node_id(n), name);
}

/* ---- looking ---- */

static int alive(lua_State *l)
{
    lua_pushboolean(l, motet_network_alive(scenario_of(l)->network, scenario_node(l, 1)));
    return 1;
}

static void find_variable(lua_State *l, const motet_node *n, uint32_t *address, uint32_t *size)
{
    const char *name = luaL_checkstring(l, 2);
    if (!motet_machine_variable(motet_node_machine(n), name, address, size))
        luaL_error(l, "the firmware of node %d has no variable '%s'", (int)motet_node_id(n), name);
}

static int scenario_nodes_read(lua_State *l)
{
    motet_node *n = scenario_node(l, 1);
    uint32_t address, size;
    uint8_t bytes[8];
    uint64_t value = 0;
    find_variable(l, n, &address, &size);
    if (size > 8 || !motet_node_peek(n, address, bytes, size))
        return luaL_error(l, "'%s' is not a number of up to 8 bytes; use bytes and string.unpack", lua_tostring(l, 2));
    for (uint32_t i = size; i-- > 0;)
        value = value << 8 | bytes[i];
    lua_pushinteger(l, (lua_Integer)value);
    return 1;
}

static int scenario_nodes_bytes_of(lua_State *l)
{
    motet_node *n = scenario_node(l, 1);
    uint32_t address, size;
    luaL_Buffer b;
    find_variable(l, n, &address, &size);
    char *to = luaL_buffinitsize(l, &b, size);
    if (!motet_node_peek(n, address, to, size))
        return luaL_error(l, "'%s' cannot be read", lua_tostring(l, 2));
    luaL_pushresultsize(&b, size);
    return 1;
}

static int output(lua_State *l)
{
    const struct scenario_node *r = record_of(l, scenario_node(l, 1));
    lua_pushlstring(l, r->output ? r->output : "", r->output_count);
    return 1;
}

static int led(lua_State *l)
{
    motet_node *n = scenario_node(l, 1);
    const char *name = luaL_checkstring(l, 2);
    struct motet_led info;
    for (size_t i = 0; motet_machine_led(motet_node_machine(n), i, &info); i++)
        if (strcmp(info.name, name) == 0) {
            lua_pushboolean(l, motet_node_led(n, i));
            return 1;
        }
    return luaL_error(l, "node %d has no LED '%s'", (int)motet_node_id(n), name);
}

static int scenario_nodes_position(lua_State *l)
{
    double p[3];
    motet_network_position(scenario_of(l)->network, scenario_node(l, 1), p);
    for (int i = 0; i < 3; i++)
        lua_pushnumber(l, p[i]);
    return 3;
}

void scenario_register_nodes(lua_State *l)
{
    static const luaL_Reg functions[] = {
        {"kill", kill_node},
        {"boot", boot},
        {"reset", scenario_nodes_reset},
        {"move", scenario_nodes_move},
        {"send", scenario_nodes_send},
        {"send_now", scenario_nodes_send_now},
        {"drive", scenario_nodes_drive},
        {"analog", scenario_nodes_analog},
        {"sense", scenario_nodes_sense},
        {"alive", alive},
        {"read", scenario_nodes_read},
        {"bytes", scenario_nodes_bytes_of},
        {"output", output},
        {"led", led},
        {"position", scenario_nodes_position},
        {NULL, NULL},
    };
    lua_pushglobaltable(l);
    luaL_setfuncs(l, functions, 0);
    lua_pop(l, 1);
}
