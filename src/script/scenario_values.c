/* Values that go into a scenario and come out of it: parameter(name, default) and report(name, number). */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "script/scenario.h"

enum { SCENARIO_REPORTS = 1000, SCENARIO_NAME = 64 };

/* Names are words, so that tables and files need no quotation marks around them. */
static const char *scenario_word(lua_State *l, int argument)
{
    const char *name = luaL_checkstring(l, argument);
    size_t length = strlen(name), good = isalpha((unsigned char)name[0]) || name[0] == '_';
    while (good && good < length && (isalnum((unsigned char)name[good]) || name[good] == '_'))
        good++;
    if (!good || good < length || length > SCENARIO_NAME)
        luaL_argerror(l, argument, "a word of at most 64 letters, digits and _, which does not begin with a digit");
    return name;
}

/* A number where the text is one, true and false, or the text. */
static int scenario_parameter(lua_State *l)
{
    struct motet_scenario *s = scenario_of(l);
    const char *name = scenario_word(l, 1);
    luaL_checkany(l, 2);
    if (s->running)
        return luaL_error(l, "parameters are asked for while the file is read, not during the run");
    for (size_t i = 0; i < s->parameter_count; i++) {
        const struct scenario_parameter *p = &s->parameters[i];
        if (strcmp(p->name, name) != 0)
            continue;
        s->parameters[i].asked = true;
        if (lua_stringtonumber(l, p->value))
            return 1;
        if (strcmp(p->value, "true") == 0 || strcmp(p->value, "false") == 0)
            lua_pushboolean(l, p->value[0] == 't');
        else
            lua_pushstring(l, p->value);
        return 1;
    }
    lua_pushvalue(l, 2);
    return 1;
}

/* The last value of a name counts. */
static int scenario_report(lua_State *l)
{
    struct motet_scenario *s = scenario_of(l);
    const char *name = scenario_word(l, 1);
    double value = lua_isboolean(l, 2) ? lua_toboolean(l, 2) : luaL_checknumber(l, 2);
    size_t i = 0;
    if (!isfinite(value))
        return luaL_argerror(l, 2, "a number that is finite");
    for (size_t k = 0; k < s->parameter_count; k++)
        if (strcmp(s->parameters[k].name, name) == 0)
            return luaL_argerror(l, 1, "a name that is not a parameter's; tables have both");
    while (i < s->report_count && strcmp(s->reports[i].name, name) != 0)
        i++;
    if (i == SCENARIO_REPORTS)
        return luaL_error(l, "there are more than %d reports", SCENARIO_REPORTS);
    if (i == s->report_count) {
        s->reports = memory_resize(s->reports, i + 1, sizeof *s->reports);
        s->reports[s->report_count++].name = memory_string(name);
    }
    s->reports[i].value = value;
    return 0;
}

void scenario_register_values(lua_State *l)
{
    lua_register(l, "parameter", scenario_parameter);
    lua_register(l, "report", scenario_report);
}

void scenario_set_parameters(struct motet_scenario *s, const struct motet_scenario_parameter *parameters, size_t count)
{
    s->parameters = memory_array(count, sizeof *s->parameters);
    for (size_t i = 0; i < count; i++)
        s->parameters[i] =
            (struct scenario_parameter){memory_string(parameters[i].name), memory_string(parameters[i].value), false};
    s->parameter_count = count;
}

bool scenario_all_asked(const struct motet_scenario *s, struct motet_error *e)
{
    for (size_t i = 0; i < s->parameter_count; i++)
        if (!s->parameters[i].asked)
            return error_set(e, "%s: there is no parameter %s; a scenario asks for it by parameter(\"%s\", default)",
                             s->path, s->parameters[i].name, s->parameters[i].name);
    return true;
}

void scenario_free_values(struct motet_scenario *s)
{
    for (size_t i = 0; i < s->parameter_count; i++) {
        free(s->parameters[i].name);
        free(s->parameters[i].value);
    }
    for (size_t i = 0; i < s->report_count; i++)
        free(s->reports[i].name);
    free(s->parameters);
    free(s->reports);
}

bool motet_scenario_report(const motet_scenario *s, size_t number, struct motet_report *r)
{
    if (number >= s->report_count)
        return false;
    *r = (struct motet_report){s->reports[number].name, s->reports[number].value};
    return true;
}
