#include "script/lua.h"

#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MEMORY_LIMIT = 256 << 20, STEP = 1000, STEPS_LIMIT = 200000 }; /* 200 million instructions a call */

static void *allocate(void *context, void *block, size_t old, size_t new)
{
    struct script *s = context;
    size_t had = block ? old : 0;
    if (new == 0) {
        free(block);
        s->memory -= had;
        return NULL;
    }
    if (new > had &&new - had > MEMORY_LIMIT - s->memory)
        return NULL;
    void *moved = realloc(block, new);
    if (moved)
        s->memory += new - had;
    return moved;
}

static int lua_run_on(lua_State *l, int level)
{
    luaL_where(l, level);
    lua_pushfstring(l, "%sthis runs on and on; ended after %d million instructions", lua_tostring(l, -1),
                    STEPS_LIMIT / 1000);
    return lua_error(l);
}

static void lua_count(lua_State *l, lua_Debug *d)
{
    struct script *s = *(struct script **)lua_getextraspace(l);
    (void)d;
    if (s->steps_left > 0)
        s->steps_left--;
    else
        lua_run_on(l, 0);
}

/* pcall and xpcall, but what has run on too long does not live on in what called it. */
static int guarded(lua_State *l)
{
    const struct script *s = *(struct script **)lua_getextraspace(l);
    lua_pushvalue(l, lua_upvalueindex(1));
    lua_insert(l, 1);
    lua_call(l, lua_gettop(l) - 1, LUA_MULTRET);
    return s->steps_left ? lua_gettop(l) : lua_run_on(l, 1);
}

static void guard(lua_State *l, const char *name)
{
    lua_getglobal(l, name);
    lua_pushcclosure(l, guarded, 1);
    lua_setglobal(l, name);
}

static const char prelude[] =
    "local rank = {number = 1, string = 2, boolean = 3}\n"
    "local function before(a, b)\n"
    "    local x, y = rank[type(a)], rank[type(b)]\n"
    "    if x ~= y then return x < y end\n"
    "    if x == 3 then return not a and b end\n"
    "    return a < b\n"
    "end\n"
    "local next, sort, error, type = next, table.sort, error, type\n"
    "function pairs(t)\n"
    "    if type(t) ~= 'table' then error('pairs needs a table, not a ' .. type(t), 2) end\n"
    "    local keys, i = {}, 0\n"
    "    for k in next, t do\n"
    "        if not rank[type(k)] then error('pairs cannot order keys that are a ' .. type(k), 2) end\n"
    "        keys[#keys + 1] = k\n"
    "    end\n"
    "    sort(keys, before)\n"
    "    return function()\n"
    "        i = i + 1\n"
    "        while keys[i] ~= nil and t[keys[i]] == nil do i = i + 1 end\n"
    "        if keys[i] ~= nil then return keys[i], t[keys[i]] end\n"
    "    end\n"
    "end\n";

static void lua_forget(lua_State *l, const char *name)
{
    lua_pushnil(l);
    lua_setglobal(l, name);
}

static void restrict_base(lua_State *l)
{
    static const char *const names[] = {"dofile", "loadfile", "load", "next", "collectgarbage", "warn"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        lua_forget(l, names[i]);
}

static void seed_random(struct script *s, uint64_t seed)
{
    lua_State *l = s->state;
    lua_getfield(l, LUA_REGISTRYINDEX, "randomseed");
    lua_pushinteger(l, (lua_Integer)seed);
    if (lua_pcall(l, 1, 0, 0) != LUA_OK)
        abort();
}

void script_open(struct script *s, uint64_t seed)
{
    static const luaL_Reg libraries[] = {
        {LUA_GNAME, luaopen_base},       {LUA_TABLIBNAME, luaopen_table}, {LUA_STRLIBNAME, luaopen_string},
        {LUA_MATHLIBNAME, luaopen_math}, {LUA_UTF8LIBNAME, luaopen_utf8},
    };
    *s = (struct script){.steps_left = STEPS_LIMIT};
    lua_State *l = s->state = memory_must(lua_newstate(allocate, s));
    *(struct script **)lua_getextraspace(l) = s;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        luaL_requiref(l, libraries[i].name, libraries[i].func, 1);
        lua_pop(l, 1);
    }
    lua_getglobal(l, "math");
    lua_getfield(l, -1, "randomseed"); /* without arguments it would take the time of day */
    lua_setfield(l, LUA_REGISTRYINDEX, "randomseed");
    lua_pushnil(l);
    lua_setfield(l, -2, "randomseed");
    lua_pop(l, 1);
    if (luaL_loadbufferx(l, prelude, sizeof prelude - 1, "=prelude", "t") != LUA_OK || lua_pcall(l, 0, 0, 0) != LUA_OK)
        abort();
    restrict_base(l);
    guard(l, "pcall");
    guard(l, "xpcall");
    seed_random(s, seed);
    lua_sethook(l, lua_count, LUA_MASKCOUNT, STEP);
}

void script_close(struct script *s)
{
    if (s->state)
        lua_close(s->state);
    s->state = NULL;
}

bool script_call(struct script *s, int arguments, int results)
{
    s->steps_left = STEPS_LIMIT;
    if (lua_pcall(s->state, arguments, results, 0) == LUA_OK)
        return true;
    if (!lua_isstring(s->state, -1)) {
        lua_pop(s->state, 1);
        lua_pushliteral(s->state, "an error that is not a text");
    }
    return false;
}

/* Lua puts file and line before what code has done wrong, but not before running out of memory and the like; of a
 * long path it keeps the end, after three dots. */
void script_sentence(const struct script *s, const char *path, char *text, size_t size)
{
    const char *why = lua_tostring(s->state, -1);
    bool named = why && (strstr(why, path) || strncmp(why, "...", 3) == 0);
    snprintf(text, size, "%s%s%s", named ? "" : path, named ? "" : ": ", why ? why : "it failed without saying why");
}
