/* Voltages from a script: a Lua file with a function `volts(channel, seconds)`.
 *
 * Invariant: what a script says depends on the channel and the time alone, as for every analog source, so that a run
 * can be repeated. It has no access to files, the clock or random numbers, and assigning to a global after it was
 * loaded is an error.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "motet/node.h"
#include "script/lua.h"

struct motet_voltage {
    struct script script;
};

static int refuse_assignment(lua_State *lua)
{
    return luaL_error(lua, "volts() assigns to the global '%s'; it must not remember anything",
                      luaL_tolstring(lua, 2, NULL));
}

/* Random numbers remember how many were drawn. */
static void forget_random(lua_State *lua)
{
    lua_getglobal(lua, "math");
    lua_pushnil(lua);
    lua_setfield(lua, -2, "random");
    lua_settop(lua, 0);
}

static void freeze_globals(lua_State *lua)
{
    lua_pushglobaltable(lua);
    lua_newtable(lua);
    lua_pushcfunction(lua, refuse_assignment);
    lua_setfield(lua, -2, "__newindex");
    lua_setmetatable(lua, -2);
    lua_settop(lua, 0);
}

static bool script_voltage_failed(lua_State *lua, struct motet_error *e)
{
    const char *why = lua_tostring(lua, -1);
    error_set(e, "%.900s", why ? why : "the script failed without saying why");
    lua_settop(lua, 0);
    return false;
}

motet_voltage *motet_voltage_load(const char *path, struct motet_error *e)
{
    struct motet_voltage *s = memory_bytes(sizeof *s);
    script_open(&s->script, 0, 1);
    lua_State *lua = s->script.state;
    forget_random(lua);
    if (luaL_loadfilex(lua, path, "t") != LUA_OK || !script_call(&s->script, 0, 0)) {
        script_voltage_failed(lua, e);
    } else if (lua_getglobal(lua, "volts") != LUA_TFUNCTION) {
        error_set(e, "%s defines no function volts(channel, seconds)", path);
    } else {
        freeze_globals(lua);
        return s;
    }
    motet_voltage_free(s);
    return NULL;
}

void motet_voltage_free(motet_voltage *s)
{
    if (!s)
        return;
    script_close(&s->script);
    free(s);
}

bool motet_voltage_at(motet_voltage *s, unsigned channel, double seconds, int32_t *microvolts, struct motet_error *e)
{
    lua_State *lua = s->script.state;
    lua_getglobal(lua, "volts");
    lua_pushinteger(lua, (lua_Integer)channel);
    lua_pushnumber(lua, seconds);
    if (!script_call(&s->script, 2, 1))
        return script_voltage_failed(lua, e);
    bool nothing = lua_isnil(lua, -1);
    int number;
    double volts = lua_tonumberx(lua, -1, &number);
    lua_settop(lua, 0);
    if (nothing) {
        *microvolts = INT32_MIN;
        return true;
    }
    if (!number || !(volts > -1000 && volts < 1000))
        return error_set(e, "volts(%u, %g) gave no voltage", channel, seconds);
    *microvolts = (int32_t)(volts * 1e6 + (volts < 0 ? -0.5 : 0.5));
    return true;
}
