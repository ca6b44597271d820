#include "script/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "script/property.h"

enum { ACTION_LIMIT = 100000, OUTPUT_LIMIT = 1 << 20 };

/* ---- what the functions share ---- */

struct motet_scenario *scenario_of(lua_State *l)
{
    lua_getfield(l, LUA_REGISTRYINDEX, "scenario");
    struct motet_scenario *s = lua_touserdata(l, -1);
    lua_pop(l, 1);
    return s;
}

uint64_t scenario_time(lua_State *l, int argument)
{
    lua_Number seconds = luaL_checknumber(l, argument);
    if (!(seconds >= 0 && seconds <= 1e9))
        luaL_argerror(l, argument, "a time in seconds, from 0 to a thousand million");
    return (uint64_t)(seconds * 1e9 + 0.5);
}

uint32_t scenario_id(lua_State *l, int argument)
{
    lua_Integer id = luaL_checkinteger(l, argument);
    if (id < 0 || id > UINT32_MAX)
        luaL_argerror(l, argument, "a node's id");
    return (uint32_t)id;
}

motet_node *scenario_node(lua_State *l, int argument)
{
    motet_node *n = motet_network_node(scenario_of(l)->network, scenario_id(l, argument));
    if (!n)
        luaL_error(l, "there is no node %d", (int)lua_tointeger(l, argument));
    return n;
}

int scenario_fail(lua_State *l, const struct motet_error *e)
{
    return luaL_error(l, "%s", e->text);
}

/* ---- time ---- */

static void add_action(struct motet_scenario *s, struct scenario_action a)
{
    size_t at = s->action_count;
    s->actions = memory_resize(s->actions, s->action_count + 1, sizeof a);
    a.order = s->action_order++;
    while (at > 0 && s->actions[at - 1].when > a.when)
        at--;
    memmove(s->actions + at + 1, s->actions + at, (s->action_count - at) * sizeof a);
    s->actions[at] = a;
    s->action_count++;
}

static int scenario_plan(lua_State *l, uint64_t when, uint64_t period)
{
    struct motet_scenario *s = scenario_of(l);
    luaL_checktype(l, 2, LUA_TFUNCTION);
    if (when < motet_network_now(s->network))
        return luaL_error(l, "%f s is over already; it is %f s now", (double)when / 1e9,
                          (double)motet_network_now(s->network) / 1e9);
    if (s->action_count >= ACTION_LIMIT)
        return luaL_error(l, "there are more than %d actions", ACTION_LIMIT);
    lua_pushvalue(l, 2);
    add_action(s, (struct scenario_action){.when = when, .period = period, .function = luaL_ref(l, LUA_REGISTRYINDEX)});
    return 0;
}

static int scenario_at(lua_State *l)
{
    return scenario_plan(l, scenario_time(l, 1), 0);
}

static int scenario_every(lua_State *l)
{
    uint64_t period = scenario_time(l, 1);
    if (period < 1000)
        return luaL_argerror(l, 1, "at least a microsecond");
    return scenario_plan(l, motet_network_now(scenario_of(l)->network) + period, period);
}

static int scenario_when(lua_State *l)
{
    struct motet_scenario *s = scenario_of(l);
    struct motet_error e;
    const char *text = luaL_checkstring(l, 1);
    luaL_checktype(l, 2, LUA_TFUNCTION);
    motet_condition *c = motet_condition_new(s->network, text, &e);
    if (!c)
        return scenario_fail(l, &e);
    s->conditions = memory_resize(s->conditions, s->condition_count + 1, sizeof *s->conditions);
    lua_pushvalue(l, 2);
    s->conditions[s->condition_count++] = (struct scenario_condition){c, luaL_ref(l, LUA_REGISTRYINDEX)};
    return motet_condition_follow(c, &e) ? 0 : scenario_fail(l, &e);
}

static int scenario_at_end(lua_State *l)
{
    struct motet_scenario *s = scenario_of(l);
    luaL_checktype(l, 1, LUA_TFUNCTION);
    s->endings = memory_resize(s->endings, s->ending_count + 1, sizeof *s->endings);
    lua_pushvalue(l, 1);
    s->endings[s->ending_count++] = luaL_ref(l, LUA_REGISTRYINDEX);
    return 0;
}

static int run_for(lua_State *l)
{
    scenario_of(l)->until = scenario_time(l, 1);
    return 0;
}

static int scenario_stop(lua_State *l)
{
    scenario_of(l)->over = true;
    return 0;
}

static int scenario_now(lua_State *l)
{
    lua_pushnumber(l, (double)motet_network_now(scenario_of(l)->network) / 1e9);
    return 1;
}

static void scenario_append(char **lines, const char *line, size_t length)
{
    size_t old = *lines ? strlen(*lines) : 0;
    *lines = memory_resize(*lines, old + length + 1, 1);
    memcpy(*lines + old, line, length + 1);
}

/* The check of the line that calls it; a new one gets the text that it has now. */
static struct scenario_check *scenario_check_here(lua_State *l, struct motet_scenario *s, const char *what)
{
    lua_Debug caller = {.currentline = -1};
    char place[sizeof s->checks->place];
    if (lua_getstack(l, 1, &caller))
        lua_getinfo(l, "l", &caller);
    snprintf(place, sizeof place, "line %d", caller.currentline);
    for (size_t i = 0; i < s->check_count; i++)
        if (strcmp(s->checks[i].place, place) == 0)
            return &s->checks[i];
    s->checks = memory_resize(s->checks, s->check_count + 1, sizeof *s->checks);
    struct scenario_check *c = &s->checks[s->check_count++];
    *c = (struct scenario_check){.what = memory_string(what)};
    memcpy(c->place, place, sizeof place);
    return c;
}

static int scenario_check(lua_State *l)
{
    struct motet_scenario *s = scenario_of(l);
    luaL_checkany(l, 1);
    const char *what = luaL_optstring(l, 2, "a check failed");
    struct scenario_check *c = scenario_check_here(l, s, lua_isnoneornil(l, 2) ? "check" : what);
    c->times++;
    if (lua_toboolean(l, 1))
        return 0;
    luaL_where(l, 1);
    lua_pushfstring(l, "%s%s (at %f s)\n", lua_tostring(l, -1), what, (double)motet_network_now(s->network) / 1e9);
    scenario_append(&s->failures, lua_tostring(l, -1), lua_rawlen(l, -1));
    scenario_append(&c->sentences, lua_tostring(l, -1), lua_rawlen(l, -1));
    c->failed++;
    s->failure_count++;
    return 0;
}

/* ---- life ---- */

static bool scenario_fail_with(struct motet_scenario *s, struct motet_error *e)
{
    script_sentence(&s->script, s->path, e->text, sizeof e->text);
    lua_settop(s->script.state, 0);
    return false;
}

static bool scenario_read_file(struct motet_scenario *s, struct motet_error *e)
{
    lua_State *l = s->script.state;
    if (luaL_loadfilex(l, s->path, "t") != LUA_OK || !script_call(&s->script, 0, 0))
        return scenario_fail_with(s, e);
    if (motet_network_count(s->network) == 0) {
        snprintf(e->text, sizeof e->text, "%s: there are no nodes; declare them with node{...}", s->path);
        return false;
    }
    return true;
}

motet_scenario *motet_scenario_load(const char *path, uint64_t seed, unsigned threads,
                                    const struct motet_scenario_parameter *parameters, size_t parameter_count,
                                    struct motet_error *e)
{
    static const luaL_Reg functions[] = {
        {"at", scenario_at},       {"every", scenario_every}, {"at_end", scenario_at_end},
        {"run_for", run_for},      {"stop", scenario_stop},   {"now", scenario_now},
        {"check", scenario_check}, {"when", scenario_when},   {NULL, NULL},
    };
    struct motet_medium medium;
    motet_medium_default(&medium);
    struct motet_scenario *s = memory_new(sizeof *s);
    s->path = memory_string(path);
    s->until = MOTET_NEVER;
    s->network = motet_network_new(seed, threads, &medium, e);
    script_open(&s->script, seed, 1);
    lua_State *l = s->script.state;
    lua_pushlightuserdata(l, s);
    lua_setfield(l, LUA_REGISTRYINDEX, "scenario");
    lua_pushglobaltable(l);
    luaL_setfuncs(l, functions, 0);
    lua_pop(l, 1);
    scenario_register_network(l);
    scenario_register_nodes(l);
    scenario_register_values(l);
    scenario_set_parameters(s, parameters, parameter_count);
    property_register_ignored(l);
    if (!scenario_read_file(s, e) || !scenario_all_asked(s, e)) {
        motet_scenario_free(s);
        return NULL;
    }
    s->running = true;
    return s;
}

void motet_scenario_free(motet_scenario *s)
{
    if (!s)
        return;
    script_close(&s->script);
    for (size_t i = 0; i < s->condition_count; i++)
        motet_condition_free(s->conditions[i].condition);
    motet_network_free(s->network);
    for (size_t i = 0; i < s->machine_count; i++) {
        motet_machine_free(s->machines[i].machine);
        free(s->machines[i].path);
        free(s->machines[i].board);
        free(s->machines[i].parts);
    }
    for (size_t i = 0; i < s->node_count; i++) {
        free(s->nodes[i].output);
        free(s->nodes[i].levels);
    }
    free(s->machines);
    free(s->nodes);
    free(s->actions);
    free(s->conditions);
    free(s->endings);
    for (size_t i = 0; i < s->check_count; i++) {
        free(s->checks[i].what);
        free(s->checks[i].sentences);
    }
    free(s->checks);
    free(s->failures);
    scenario_free_values(s);
    free(s->path);
    free(s);
}

motet_network *motet_scenario_network(const motet_scenario *s)
{
    return s->network;
}

uint64_t motet_scenario_until(const motet_scenario *s)
{
    return s->until;
}

bool motet_scenario_has_conditions(const motet_scenario *s)
{
    return s->condition_count > 0;
}

uint64_t motet_scenario_next(const motet_scenario *s)
{
    for (size_t i = 0; i < s->condition_count; i++)
        if (motet_condition_changed(s->conditions[i].condition))
            return motet_network_now(s->network);
    return s->action_count ? s->actions[0].when : MOTET_NEVER;
}

bool motet_scenario_over(const motet_scenario *s)
{
    return s->over;
}

/* Calls the functions of conditions that have become true. */
static bool scenario_meet(struct motet_scenario *s, struct motet_error *e)
{
    lua_State *l = s->script.state;
    uint64_t time;
    uint32_t node;
    for (size_t i = 0; i < s->condition_count; i++)
        while (!s->over && motet_condition_next(s->conditions[i].condition, &time, &node)) {
            lua_rawgeti(l, LUA_REGISTRYINDEX, s->conditions[i].function);
            lua_pushnumber(l, (double)time / 1e9);
            lua_pushinteger(l, node);
            if (!script_call(&s->script, 2, 0))
                return scenario_fail_with(s, e);
        }
    return true;
}

bool motet_scenario_act(motet_scenario *s, struct motet_error *e)
{
    lua_State *l = s->script.state;
    uint64_t time = motet_network_now(s->network);
    if (!scenario_meet(s, e))
        return false;
    while (!s->over && s->action_count && s->actions[0].when <= time) {
        struct scenario_action a = s->actions[0];
        memmove(s->actions, s->actions + 1, --s->action_count * sizeof a);
        lua_rawgeti(l, LUA_REGISTRYINDEX, a.function);
        if (!script_call(&s->script, 0, 0))
            return scenario_fail_with(s, e);
        if (a.period) {
            a.when += a.period;
            add_action(s, a);
        } else {
            luaL_unref(l, LUA_REGISTRYINDEX, a.function);
        }
    }
    return true;
}

void motet_scenario_heard(motet_scenario *s, size_t number, unsigned line, uint8_t byte)
{
    struct scenario_node *n = &s->nodes[number];
    unsigned terminal = motet_machine_terminal(motet_node_machine(motet_network_at(s->network, number)));
    if ((line != terminal && line != MOTET_CONSOLE) || n->output_count == OUTPUT_LIMIT)
        return;
    n->output = memory_grow(n->output, &n->output_room, n->output_count, 1);
    n->output[n->output_count++] = (char)byte;
}

bool motet_scenario_failed(const motet_scenario *s, size_t *failed, struct motet_error *e)
{
    *failed = s->failure_count;
    return !s->failure_count || error_set(e, "%s", s->failures);
}

bool motet_scenario_checked(const motet_scenario *s, size_t number, struct motet_scenario_checked *c)
{
    if (number >= s->check_count)
        return false;
    const struct scenario_check *is = &s->checks[number];
    *c =
        (struct motet_scenario_checked){is->place, is->what, is->times, is->failed, is->sentences ? is->sentences : ""};
    return true;
}

bool motet_scenario_check(motet_scenario *s, size_t *failed, struct motet_error *e)
{
    for (size_t i = 0; i < s->ending_count; i++) {
        lua_rawgeti(s->script.state, LUA_REGISTRYINDEX, s->endings[i]);
        *failed = 0;
        if (!script_call(&s->script, 0, 0))
            return scenario_fail_with(s, e);
    }
    return motet_scenario_failed(s, failed, e);
}
