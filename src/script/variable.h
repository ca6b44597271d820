/* Variables of firmware in Lua, by their C names: var.table[2].etx.
 *
 * A number or a named value is given as such; a struct, an array or a pointer as something that is indexed further.
 * Invariant: reading changes nothing, and writing is an error.
 */
#ifndef SCRIPT_VARIABLE_H
#define SCRIPT_VARIABLE_H

#include "motet/motet.h"
#include "script/lua.h"

/* Where values come from. It lives as long as the Lua state. */
struct variable_reader {
    bool (*value)(const struct variable_reader *r, const char *expression, struct motet_value *v,
                  struct motet_error *e);
    size_t (*text)(const struct variable_reader *r, const char *expression, char *text, size_t size,
                   struct motet_error *e);
};

void variable_register(lua_State *l);

/* Pushes what all variables of a reader are found in; and the value of any expression. */
void variable_push_all(lua_State *l, const struct variable_reader *r);
int variable_push(lua_State *l, const struct variable_reader *r, const char *expression);

#endif
