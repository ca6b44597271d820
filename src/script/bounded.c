#include "script/bounded.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdbool.h>
#include <string.h>

#include "script/lua.h"
#include "script/pattern.h"

/* ---- strings: find and match ---- */

/* From a position, 1 for the first byte, negative from the end; past the end by more than one if it is not there. */
static size_t string_start(lua_Integer position, size_t size)
{
    if (position > 0)
        return (uint64_t)position - 1 <= size ? (size_t)position - 1 : size + 1;
    return position == 0 || (lua_Integer)size < -position ? 0 : size - (size_t)-position;
}

static int push_captures(const struct pattern *p, const struct pattern_match *m, const char *from, const char *to)
{
    unsigned count = pattern_captures(p);
    luaL_checkstack(m->state, PATTERN_CAPTURES, "too many captures");
    for (unsigned i = 0; i < count; i++)
        pattern_push(p, m, i, from, to);
    return (int)count;
}

static int find_plain(lua_State *l, const char *subject, size_t size, size_t start, const char *what, size_t length)
{
    script_charge(l, 1 + (size + length) / 64);
    const char *found = length ? memmem(subject + start, size - start, what, length) : subject + start;
    if (!found) {
        luaL_pushfail(l);
        return 1;
    }
    lua_pushinteger(l, found - subject + 1);
    lua_pushinteger(l, found - subject + (lua_Integer)length);
    return 2;
}

static bool is_plain(const char *pattern, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (pattern[i] && strchr("^$*+?.([%-", pattern[i]))
            return false;
    return true;
}

static int find_or_match(lua_State *l, bool find)
{
    size_t size, length;
    const char *subject = luaL_checklstring(l, 1, &size), *text = luaL_checklstring(l, 2, &length);
    size_t start = string_start(luaL_optinteger(l, 3, 1), size);
    if (start > size) {
        luaL_pushfail(l);
        return 1;
    }
    if (find && (lua_toboolean(l, 4) || is_plain(text, length)))
        return find_plain(l, subject, size, start, text, length);
    const struct pattern *p = pattern_compile(l, text, length, true);
    struct pattern_match m = {.state = l, .subject = subject, .end = subject + size};
    for (const char *at = subject + start, *to; at <= m.end; at++) {
        if ((to = pattern_match(p, &m, at))) {
            if (find) {
                lua_pushinteger(l, at - subject + 1);
                lua_pushinteger(l, to - subject);
                return 2 + push_captures(p, &m, at, to);
            }
            if (pattern_captures(p))
                return push_captures(p, &m, at, to);
            pattern_push(p, &m, 0, at, to);
            return 1;
        }
        if (pattern_is_anchored(p))
            break;
    }
    luaL_pushfail(l);
    return 1;
}

static int string_find(lua_State *l)
{
    return find_or_match(l, true);
}

static int string_match(lua_State *l)
{
    return find_or_match(l, false);
}

/* ---- strings: gmatch ---- */

struct gmatch {
    size_t at, last; /* where to go on; where the match before ended, SIZE_MAX: there was none */
};

static int gmatch_next(lua_State *l) /* upvalues: the subject, the pattern, where it is */
{
    size_t size;
    const char *subject = lua_tolstring(l, lua_upvalueindex(1), &size);
    const struct pattern *p = lua_touserdata(l, lua_upvalueindex(2));
    struct gmatch *g = lua_touserdata(l, lua_upvalueindex(3));
    struct pattern_match m = {.state = l, .subject = subject, .end = subject + size};
    for (; g->at <= size; g->at++) {
        const char *from = subject + g->at, *to = pattern_match(p, &m, from);
        if (!to || (size_t)(to - subject) == g->last)
            continue;
        g->at = g->last = (size_t)(to - subject);
        if (pattern_captures(p))
            return push_captures(p, &m, from, to);
        pattern_push(p, &m, 0, from, to);
        return 1;
    }
    return 0;
}

static int string_gmatch(lua_State *l)
{
    size_t size, length;
    luaL_checklstring(l, 1, &size);
    const char *text = luaL_checklstring(l, 2, &length);
    size_t start = string_start(luaL_optinteger(l, 3, 1), size);
    lua_settop(l, 2);
    lua_pushvalue(l, 1);
    pattern_compile(l, text, length, false);
    *(struct gmatch *)lua_newuserdatauv(l, sizeof(struct gmatch), 0) = (struct gmatch){start, SIZE_MAX};
    lua_pushcclosure(l, gmatch_next, 3);
    return 1;
}

/* ---- strings: gsub ---- */

/* A replacement text, with %0 to %9 and %% in it. */
static void gsub_add_text(const struct pattern *p, struct pattern_match *m, luaL_Buffer *b, const char *from,
                          const char *to)
{
    size_t size;
    const char *text = lua_tolstring(m->state, 3, &size), *end = text + size;
    for (; text < end; text++) {
        if (*text != '%') {
            luaL_addchar(b, *text);
            continue;
        }
        char c = ++text < end ? *text : 0;
        if (c == '%') {
            luaL_addchar(b, '%');
        } else if (c == '0') {
            luaL_addlstring(b, from, (size_t)(to - from));
        } else if (c >= '1' && c <= '9') {
            if (c > '1' && (unsigned)(c - '1') >= pattern_captures(p))
                luaL_error(m->state, "invalid capture index %%%d in replacement string", c - '0');
            pattern_push(p, m, (unsigned)(c - '1'), from, to);
            luaL_tolstring(m->state, -1, NULL); /* a position is a number */
            lua_remove(m->state, -2);
            luaL_addvalue(b);
        } else {
            luaL_error(m->state, "invalid use of '%%' in replacement string");
        }
    }
}

/* A match's replacement by the third argument; false: it stays as it is. */
static bool gsub_add(const struct pattern *p, struct pattern_match *m, luaL_Buffer *b, const char *from, const char *to)
{
    lua_State *l = m->state;
    int kind = lua_type(l, 3);
    if (kind == LUA_TFUNCTION) {
        lua_pushvalue(l, 3);
        int count = push_captures(p, m, from, to);
        if (!count)
            pattern_push(p, m, 0, from, to);
        lua_call(l, count ? count : 1, 1);
    } else if (kind == LUA_TTABLE) {
        pattern_push(p, m, 0, from, to);
        lua_gettable(l, 3);
    } else {
        gsub_add_text(p, m, b, from, to);
        return true;
    }
    if (!lua_toboolean(l, -1)) {
        lua_pop(l, 1);
        luaL_addlstring(b, from, (size_t)(to - from));
        return false;
    }
    if (!lua_isstring(l, -1))
        luaL_error(l, "invalid replacement value (a %s)", luaL_typename(l, -1));
    luaL_addvalue(b);
    return true;
}

static int string_gsub(lua_State *l)
{
    size_t size, length;
    const char *subject = luaL_checklstring(l, 1, &size), *text = luaL_checklstring(l, 2, &length), *last = NULL;
    int kind = lua_type(l, 3);
    lua_Integer limit = luaL_optinteger(l, 4, (lua_Integer)size + 1), count = 0;
    luaL_argexpected(l, kind == LUA_TNUMBER || kind == LUA_TSTRING || kind == LUA_TFUNCTION || kind == LUA_TTABLE, 3,
                     "string/function/table");
    const struct pattern *p = pattern_compile(l, text, length, true);
    struct pattern_match m = {.state = l, .subject = subject, .end = subject + size};
    luaL_Buffer b;
    const char *at = subject;
    luaL_buffinit(l, &b);
    while (count < limit) {
        const char *to = pattern_match(p, &m, at);
        if (to && to != last) {
            count++;
            gsub_add(p, &m, &b, at, to);
            at = last = to;
        } else if (at < m.end) {
            luaL_addchar(&b, *at++);
        } else {
            break;
        }
        if (pattern_is_anchored(p))
            break;
    }
    luaL_addlstring(&b, at, (size_t)(m.end - at));
    luaL_pushresult(&b);
    lua_pushinteger(l, count);
    return 2;
}

/* ---- what costs by its arguments ---- */

/* Calls the library's own function, which is the upvalue, with all arguments. */
static int call_own(lua_State *l)
{
    lua_pushvalue(l, lua_upvalueindex(1));
    lua_insert(l, 1);
    lua_call(l, lua_gettop(l) - 1, LUA_MULTRET);
    return lua_gettop(l);
}

static void charge_span(lua_State *l, lua_Integer from, lua_Integer to)
{
    if (from <= to)
        script_charge(l, (uint64_t)to - (uint64_t)from + 1);
}

/* Copies of nothing take no memory, so nothing else would bound them. */
static int string_rep(lua_State *l)
{
    size_t size, between;
    luaL_checklstring(l, 1, &size);
    lua_Integer count = luaL_checkinteger(l, 2);
    luaL_optlstring(l, 3, "", &between);
    if (count > 0 && size + between == 0)
        lua_pushliteral(l, "");
    return count > 0 && size + between == 0 ? 1 : call_own(l);
}

static int table_concat(lua_State *l)
{
    charge_span(l, luaL_optinteger(l, 3, 1), lua_isnoneornil(l, 4) ? luaL_len(l, 1) : luaL_checkinteger(l, 4));
    return call_own(l);
}

static int table_insert(lua_State *l)
{
    if (lua_gettop(l) == 3)
        charge_span(l, luaL_checkinteger(l, 2), luaL_len(l, 1));
    return call_own(l);
}

static int table_remove(lua_State *l)
{
    if (lua_gettop(l) >= 2)
        charge_span(l, luaL_checkinteger(l, 2), luaL_len(l, 1));
    return call_own(l);
}

static int table_move(lua_State *l)
{
    charge_span(l, luaL_checkinteger(l, 2), luaL_checkinteger(l, 3));
    return call_own(l);
}

/* No instructions are counted in a finalizer, and nothing says when it runs. */
static int set_metatable(lua_State *l)
{
    if (lua_istable(l, 2) && lua_getfield(l, 2, "__gc") != LUA_TNIL)
        return luaL_error(l, "__gc is not available: when it would run is not known");
    lua_settop(l, 2);
    return call_own(l);
}

static void bounded_wrap(lua_State *l, int table, const char *name, lua_CFunction with)
{
    lua_getfield(l, table, name);
    lua_pushcclosure(l, with, 1);
    lua_setfield(l, table, name);
}

/* A merge sort, whose instructions are counted. */
static const char bounded_sort[] =
    "local error, type, min = error, type, math.min\n"
    "local function less(a, b) return a < b end\n"
    "function table.sort(list, before)\n"
    "    if type(list) ~= 'table' then error('sort needs a table, not a ' .. type(list), 2) end\n"
    "    if before ~= nil and type(before) ~= 'function' then\n"
    "        error('sort needs a function to compare by, not a ' .. type(before), 2)\n"
    "    end\n"
    "    before = before or less\n"
    "    local count, from, to = #list, {}, {}\n"
    "    for i = 1, count do from[i] = list[i] end\n"
    "    local width = 1\n"
    "    while width < count do\n"
    "        for first = 1, count, 2 * width do\n"
    "            local a, middle, last = first, min(first + width, count + 1), min(first + 2 * width, count + 1)\n"
    "            local b = middle\n"
    "            for i = first, last - 1 do\n"
    "                if a < middle and (b >= last or not before(from[b], from[a])) then\n"
    "                    to[i], a = from[a], a + 1\n"
    "                else\n"
    "                    to[i], b = from[b], b + 1\n"
    "                end\n"
    "            end\n"
    "        end\n"
    "        from, to, width = to, from, 2 * width\n"
    "    end\n"
    "    for i = 1, count do list[i] = from[i] end\n"
    "end\n";

void bounded_register(lua_State *l)
{
    static const luaL_Reg strings[] = {
        {"find", string_find}, {"match", string_match}, {"gmatch", string_gmatch}, {"gsub", string_gsub}, {NULL, NULL}};
    lua_getglobal(l, LUA_STRLIBNAME);
    luaL_setfuncs(l, strings, 0);
    bounded_wrap(l, lua_gettop(l), "rep", string_rep);
    lua_getglobal(l, LUA_TABLIBNAME);
    bounded_wrap(l, lua_gettop(l), "concat", table_concat);
    bounded_wrap(l, lua_gettop(l), "insert", table_insert);
    bounded_wrap(l, lua_gettop(l), "remove", table_remove);
    bounded_wrap(l, lua_gettop(l), "move", table_move);
    lua_pushglobaltable(l);
    bounded_wrap(l, lua_gettop(l), "setmetatable", set_metatable);
    lua_pop(l, 3);
    script_prelude(l, "=sort", bounded_sort, sizeof bounded_sort - 1);
}
