#include "script/voltage.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>

enum { STEPS = 10 * 1000 * 1000 }; /* instructions a call may take: more is a loop without end */

struct voltage_script {
    lua_State *lua;
};

static void too_long(lua_State *lua, lua_Debug *where)
{
    (void)where;
    luaL_error(lua, "volts() does not come to an end");
}

static int refuse_assignment(lua_State *lua)
{
    return luaL_error(lua, "volts() assigns to the global '%s'; it must not remember anything",
                      luaL_tolstring(lua, 2, NULL));
}

/* The parts of the standard library whose results depend on their arguments alone. */
static void open_library(lua_State *lua)
{
    static const char *const forbidden[] = {"dofile", "loadfile", "load", "print", "collectgarbage"};
    luaL_requiref(lua, LUA_GNAME, luaopen_base, 1);
    luaL_requiref(lua, LUA_MATHLIBNAME, luaopen_math, 1);
    luaL_requiref(lua, LUA_STRLIBNAME, luaopen_string, 1);
    luaL_requiref(lua, LUA_TABLIBNAME, luaopen_table, 1);
    lua_settop(lua, 0);
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
        lua_pushnil(lua);
        lua_setglobal(lua, forbidden[i]);
    }
    lua_getglobal(lua, LUA_MATHLIBNAME);
    lua_pushnil(lua);
    lua_setfield(lua, -2, "random");
    lua_pushnil(lua);
    lua_setfield(lua, -2, "randomseed");
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

static bool failed(lua_State *lua, struct error *e)
{
    const char *why = lua_tostring(lua, -1);
    error_set(e, "%.900s", why ? why : "the script failed without saying why");
    lua_settop(lua, 0);
    return false;
}

struct voltage_script *voltage_script_load(const char *path, struct error *e)
{
    struct voltage_script *s = malloc(sizeof *s);
    if (!s)
        abort();
    s->lua = luaL_newstate();
    if (!s->lua)
        abort();
    open_library(s->lua);
    lua_sethook(s->lua, too_long, LUA_MASKCOUNT, STEPS);
    if (luaL_loadfilex(s->lua, path, "t") != LUA_OK || lua_pcall(s->lua, 0, 0, 0) != LUA_OK) {
        failed(s->lua, e);
    } else if (lua_getglobal(s->lua, "volts") != LUA_TFUNCTION) {
        error_set(e, "%s defines no function volts(channel, seconds)", path);
    } else {
        freeze_globals(s->lua);
        return s;
    }
    voltage_script_free(s);
    return NULL;
}

void voltage_script_free(struct voltage_script *s)
{
    if (!s)
        return;
    lua_close(s->lua);
    free(s);
}

bool voltage_script_at(struct voltage_script *s, unsigned channel, double seconds, int32_t *microvolts, struct error *e)
{
    lua_State *lua = s->lua;
    lua_sethook(lua, too_long, LUA_MASKCOUNT, STEPS);
    lua_getglobal(lua, "volts");
    lua_pushinteger(lua, (lua_Integer)channel);
    lua_pushnumber(lua, seconds);
    if (lua_pcall(lua, 2, 1, 0) != LUA_OK)
        return failed(lua, e);
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
