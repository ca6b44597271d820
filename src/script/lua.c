#include "script/lua.h"

#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "script/bounded.h"

enum {
    MEMORY_LIMIT = 256 << 20, /* of all scripts of a network, but */
    MEMORY_LEAST = 2 << 20,   /* each has this */
    MEMORY_LARGE = 64 << 10,  /* a block that is refused when the steps are used up */
    THOUSAND = 1000,
    STEPS_LIMIT = 200000, /* thousands a call */
    LASTING = 1000,       /* thousands after which a signal ends a call; a shorter one comes to its end */
    COPIED_BYTES = 16,    /* of memory that are taken cost a step */
    CPU_SECONDS = 60
};

static const char no_memory[] = "not enough memory"; /* as Lua says it */

/* ---- bounds ---- */

static struct script *script_of(lua_State *l)
{
    return *(struct script **)lua_getextraspace(l);
}

static void script_spend(struct script *s, uint64_t steps)
{
    s->steps += steps < UINT64_MAX / 2 ? steps : UINT64_MAX / 2;
    uint64_t thousands = s->steps / THOUSAND;
    s->steps %= THOUSAND;
    s->steps_left = thousands < s->steps_left ? s->steps_left - thousands : 0;
}

/* Strings are made by taking memory: so their bytes are counted here. */
static void *allocate(void *context, void *block, size_t old, size_t new)
{
    struct script *s = context;
    size_t had = block ? old : 0;
    if (new == 0) {
        free(block);
        s->memory -= had;
        return NULL;
    }
    if (new > had && (new - had > s->memory_limit - s->memory || (!s->steps_left && new > MEMORY_LARGE)))
        return NULL;
    if (new > had)
        script_spend(s, (new - had) / COPIED_BYTES);
    void *moved = realloc(block, new);
    if (moved)
        s->memory += new - had;
    return moved;
}

static int lua_run_on(lua_State *l, int level)
{
    const struct script *s = script_of(l);
    luaL_where(l, level);
    if (s->ended_from_outside)
        lua_pushstring(l, s->ended_from_outside);
    else
        lua_pushfstring(l, "this runs on and on; ended after %d million steps", STEPS_LIMIT / THOUSAND);
    lua_concat(l, 2);
    return lua_error(l);
}

static uint64_t cpu_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec + 1;
}

/* What is not a function of the script: it ends the script, whatever that would have done. */
static void check_outside(lua_State *l, struct script *s, int level)
{
    if (!s->begun)
        s->begun = cpu_time();
    if (s->steps_left % 8 == 0 && cpu_time() - s->begun > CPU_SECONDS * UINT64_C(1000000000))
        s->ended_from_outside = "this runs on and on; ended after 60 s";
    if (s->steps_left < STEPS_LIMIT - LASTING && !s->was_interrupted && s->interrupted && s->interrupted())
        s->ended_from_outside = "interrupted";
    if (!s->ended_from_outside)
        return;
    s->steps_left = 0; /* so that nothing catches it */
    lua_run_on(l, level);
}

static void lua_count(lua_State *l, lua_Debug *d)
{
    struct script *s = script_of(l);
    (void)d;
    if (!s->steps_left)
        lua_run_on(l, 0);
    s->steps_left--;
    check_outside(l, s, 0);
}

void script_charge(lua_State *l, uint64_t steps)
{
    struct script *s = script_of(l);
    script_spend(s, steps);
    if (!s->steps_left)
        lua_run_on(l, 1);
    if (steps >= THOUSAND)
        check_outside(l, s, 1);
}

/* pcall and xpcall, but what has run on too long, or had no memory left, does not live on in what called it. */
static int guarded(lua_State *l)
{
    const struct script *s = script_of(l);
    lua_pushvalue(l, lua_upvalueindex(1));
    lua_insert(l, 1);
    lua_call(l, lua_gettop(l) - 1, LUA_MULTRET);
    if (!s->steps_left)
        return lua_run_on(l, 1);
    bool failed = lua_gettop(l) == 2 && !lua_toboolean(l, 1) && lua_type(l, 2) == LUA_TSTRING;
    return failed && strcmp(lua_tostring(l, 2), no_memory) == 0 ? lua_error(l) : lua_gettop(l);
}

static void guard(lua_State *l, const char *name)
{
    lua_getglobal(l, name);
    lua_pushcclosure(l, guarded, 1);
    lua_setglobal(l, name);
}

/* ---- what there is ---- */

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

void script_prelude(lua_State *l, const char *name, const char *text, size_t size)
{
    if (luaL_loadbufferx(l, text, size, name, "t") != LUA_OK || lua_pcall(l, 0, 0, 0) != LUA_OK)
        abort();
}

void script_open(struct script *s, uint64_t seed, size_t sharers)
{
    static const luaL_Reg libraries[] = {
        {LUA_GNAME, luaopen_base},       {LUA_TABLIBNAME, luaopen_table}, {LUA_STRLIBNAME, luaopen_string},
        {LUA_MATHLIBNAME, luaopen_math}, {LUA_UTF8LIBNAME, luaopen_utf8},
    };
    size_t share = MEMORY_LIMIT / (sharers ? sharers : 1);
    *s = (struct script){.steps_left = STEPS_LIMIT, .memory_limit = share > MEMORY_LEAST ? share : MEMORY_LEAST};
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
    script_prelude(l, "=prelude", prelude, sizeof prelude - 1);
    bounded_register(l);
    restrict_base(l);
    guard(l, "pcall");
    guard(l, "xpcall");
    seed_random(s, seed);
    lua_sethook(l, lua_count, LUA_MASKCOUNT, THOUSAND);
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
    s->steps = s->begun = 0;
    s->ended_from_outside = NULL;
    s->was_interrupted = s->interrupted && s->interrupted();
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
    if (why && strcmp(why, no_memory) == 0 && !s->steps_left) {
        snprintf(text, size, "%s: this runs on and on; ended after %d million steps", path, STEPS_LIMIT / THOUSAND);
        return;
    }
    if (why && strcmp(why, no_memory) == 0) {
        snprintf(text, size, "%s: not enough memory: this script may take %zu MB", path, s->memory_limit >> 20);
        return;
    }
    snprintf(text, size, "%s%s%s", named ? "" : path, named ? "" : ": ", why ? why : "it failed without saying why");
}
