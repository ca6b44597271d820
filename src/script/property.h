/* Properties in scenarios, for the scenario itself: it passes over them, checks read them (motet/property.h). */
#ifndef SCRIPT_PROPERTY_H
#define SCRIPT_PROPERTY_H

#include "script/lua.h"

void property_register_ignored(lua_State *l);

#endif
