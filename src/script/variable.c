#include "script/variable.h"

static const char variable_name[] = "motet.value";
static const char variable_source[] = "motet.value.reader";

/* The path is kept under a key that no script can have: an index would find it, and not the element. */
static void variable_push_path(lua_State *l, const struct variable_reader *r, const char *path)
{
    lua_createtable(l, 0, 2);
    lua_pushstring(l, path);
    lua_rawsetp(l, -2, variable_name);
    lua_pushlightuserdata(l, (void *)(uintptr_t)r);
    lua_rawsetp(l, -2, variable_source);
    luaL_setmetatable(l, variable_name);
}

static const char *variable_path(lua_State *l, int index)
{
    luaL_checktype(l, index, LUA_TTABLE);
    lua_rawgetp(l, index, variable_name);
    const char *path = lua_tostring(l, -1);
    lua_pop(l, 1); /* the table holds it */
    return path ? path : "";
}

static const struct variable_reader *variable_reader(lua_State *l, int index)
{
    lua_rawgetp(l, index, variable_source);
    const struct variable_reader *r = lua_touserdata(l, -1);
    lua_pop(l, 1);
    if (!r)
        luaL_error(l, "this is no variable");
    return r;
}

void variable_push_all(lua_State *l, const struct variable_reader *r)
{
    variable_push_path(l, r, "");
}

int variable_push(lua_State *l, const struct variable_reader *r, const char *path)
{
    struct motet_error e;
    struct motet_value v;
    if (!r->value(r, path, &v, &e))
        return luaL_error(l, "%s", e.text);
    switch (v.kind) {
    case MOTET_VALUE_ENUM:
        if (v.name) {
            lua_pushstring(l, v.name);
            return 1;
        }
        __attribute__((fallthrough));
    case MOTET_VALUE_INTEGER: lua_pushinteger(l, v.number); return 1;
    case MOTET_VALUE_REAL: lua_pushnumber(l, v.real); return 1;
    default: variable_push_path(l, r, path); return 1;
    }
}

static int variable_index(lua_State *l)
{
    const char *path = variable_path(l, 1);
    const struct variable_reader *r = variable_reader(l, 1);
    struct motet_error e;
    struct motet_value v;
    if (lua_isinteger(l, 2)) {
        lua_pushfstring(l, "%s[%I]", path, (LUAI_UACINT)lua_tointeger(l, 2));
    } else {
        bool pointer = *path && r->value(r, path, &v, &e) && v.kind == MOTET_VALUE_POINTER;
        lua_pushfstring(l, "%s%s%s", path, *path ? pointer ? "->" : "." : "", luaL_checkstring(l, 2));
    }
    return variable_push(l, r, lua_tostring(l, -1));
}

static int variable_length(lua_State *l)
{
    const struct variable_reader *r = variable_reader(l, 1);
    struct motet_error e;
    struct motet_value v;
    if (!r->value(r, variable_path(l, 1), &v, &e))
        return luaL_error(l, "%s", e.text);
    lua_pushinteger(l, v.count);
    return 1;
}

static int variable_text(lua_State *l)
{
    const struct variable_reader *r = variable_reader(l, 1);
    char text[2048];
    struct motet_error e;
    if (!r->text(r, variable_path(l, 1), text, sizeof text, &e))
        return luaL_error(l, "%s", e.text);
    lua_pushstring(l, text);
    return 1;
}

static int variable_cannot_write(lua_State *l)
{
    return luaL_error(l, "a script looks on and changes nothing");
}

void variable_register(lua_State *l)
{
    static const luaL_Reg value[] = {{"__index", variable_index},
                                     {"__newindex", variable_cannot_write},
                                     {"__len", variable_length},
                                     {"__tostring", variable_text},
                                     {NULL, NULL}};
    luaL_newmetatable(l, variable_name);
    luaL_setfuncs(l, value, 0);
    lua_pushliteral(l, "a struct, array or pointer");
    lua_setfield(l, -2, "__name"); /* in messages of Lua */
    lua_pop(l, 1);
}
