/* Functions of Lua's libraries that could run on without executing instructions of Lua, each with a bound: find, match,
 * gmatch, gsub and rep of strings; concat, insert, remove, move and sort of tables; setmetatable without finalizers.
 *
 * Invariant: within the bound they do what Lua 5.4's manual says. sort is also stable, so that its result does not
 * depend on how Lua chooses pivots (by the time of day, for large tables).
 */
#ifndef SCRIPT_BOUNDED_H
#define SCRIPT_BOUNDED_H

#include <lua.h>

void bounded_register(lua_State *l); /* the libraries are there already */

#endif
