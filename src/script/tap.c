/* Scripts that look on: taps on a node, from Lua. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "motet/motet.h"
#include "motet/timeline.h"
#include "script/lua.h"
#include "script/variable.h"

struct callback {
    struct motet_script *script;
    motet_tap *tap;
    int function; /* in the registry */
    char *text;   /* what an assertion is about, else NULL */
    struct callback *next;
};

/* when(condition, function) */
struct tap_condition {
    motet_condition *condition;
    int function;
    struct tap_condition *next;
};

struct motet_script {
    struct script script;
    char *path;
    motet_node *node;
    struct variable_reader reader;
    motet_said *said;
    void *context;
    struct callback *callbacks;
    struct tap_condition *conditions;
    int at_end;         /* a list of functions, in the registry */
    motet_meter *meter; /* of energy, once it was asked for */
    bool wrong, over;
    size_t failed;
    struct motet_error error;
};

static struct motet_script *of(lua_State *l)
{
    lua_getfield(l, LUA_REGISTRYINDEX, "script");
    struct motet_script *s = lua_touserdata(l, -1);
    lua_pop(l, 1);
    return s;
}

static int raise_sentence(lua_State *l, const struct motet_error *e)
{
    return luaL_error(l, "%s", e->text);
}

static double seconds(const struct motet_script *s)
{
    return (double)motet_node_now(s->node) / (double)motet_machine_hz(motet_node_machine(s->node));
}

/* ---- variables: node.var.table[2].etx ---- */

static const struct motet_script *tap_reading(const struct variable_reader *r)
{
    return (const struct motet_script *)((const char *)r - offsetof(struct motet_script, reader));
}

static bool tap_value(const struct variable_reader *r, const char *expression, struct motet_value *v,
                      struct motet_error *e)
{
    return motet_node_value(tap_reading(r)->node, expression, v, e);
}

static size_t tap_text(const struct variable_reader *r, const char *expression, char *text, size_t size,
                       struct motet_error *e)
{
    return motet_node_value_text(tap_reading(r)->node, expression, text, size, e);
}

static int tap_cannot_write(lua_State *l)
{
    return luaL_error(l, "a script looks on and changes nothing");
}

/* ---- the node ---- */

static void push_energy(lua_State *l)
{
    if (!of(l)->meter)
        luaL_error(l, "node.energy counts from the call of meter(): call it where the script begins");
    lua_pushnumber(l, motet_meter_millijoules(of(l)->meter));
}

static int node_index(lua_State *l)
{
    const motet_node *n = of(l)->node;
    const char *key = luaL_checkstring(l, 2);
    if (strcmp(key, "var") == 0)
        variable_push_all(l, &of(l)->reader);
    else if (strcmp(key, "now") == 0)
        lua_pushnumber(l, seconds(of(l)));
    else if (strcmp(key, "tick") == 0)
        lua_pushinteger(l, (lua_Integer)motet_node_now(n));
    else if (strcmp(key, "cycles") == 0)
        lua_pushinteger(l, (lua_Integer)motet_node_cycles(n));
    else if (strcmp(key, "instructions") == 0)
        lua_pushinteger(l, (lua_Integer)motet_node_instructions(n));
    else if (strcmp(key, "pc") == 0)
        lua_pushinteger(l, motet_node_pc(n));
    else if (strcmp(key, "sp") == 0)
        lua_pushinteger(l, motet_node_sp(n));
    else if (strcmp(key, "id") == 0)
        lua_pushinteger(l, motet_node_id(n));
    else if (strcmp(key, "energy") == 0)
        push_energy(l);
    else
        return luaL_error(l, "a node has no '%s'; it has var, now, tick, cycles, instructions, pc, sp, energy and id",
                          key);
    return 1;
}

/* meter(table): from now on node.energy counts. */
static int tap_meter(lua_State *l)
{
    struct motet_script *s = of(l);
    struct motet_error e = {""};
    if (!s->meter)
        s->meter = motet_meter_new(s->node, luaL_optstring(l, 1, NULL), &e);
    return s->meter ? 0 : raise_sentence(l, &e);
}

/* ---- the network ---- */

static int network_index(lua_State *l)
{
    const motet_node *n = of(l)->node;
    const char *key = luaL_checkstring(l, 2);
    if (strcmp(key, "now") != 0)
        return luaL_error(l, "a network has no '%s'; it has now", key);
    lua_pushnumber(l, (double)motet_network_time(motet_node_network(n), n, motet_node_now(n)) / 1e9);
    return 1;
}

/* ---- looking closer ---- */

static int value_of(lua_State *l) /* value("p->x"): any expression */
{
    return variable_push(l, &of(l)->reader, luaL_checkstring(l, 1));
}

static int tap_peek(lua_State *l)
{
    uint8_t byte;
    lua_Integer address = luaL_checkinteger(l, 1);
    if (address < 0 || !motet_node_peek(of(l)->node, (uint32_t)address, &byte, 1))
        return luaL_error(l, "there is no memory at that address");
    lua_pushinteger(l, byte);
    return 1;
}

static int tap_place(lua_State *l)
{
    char text[256];
    uint32_t pc = (uint32_t)luaL_optinteger(l, 1, motet_node_pc(of(l)->node));
    lua_pushstring(l, motet_machine_place(motet_node_machine(of(l)->node), pc, text, sizeof text));
    return 1;
}

static void tap_say(struct motet_script *s, const char *text)
{
    if (s->said)
        s->said(s->context, s->node, motet_node_now(s->node), text);
}

static int print(lua_State *l)
{
    luaL_Buffer b;
    int count = lua_gettop(l);
    luaL_buffinit(l, &b);
    for (int i = 1; i <= count; i++) {
        if (i > 1)
            luaL_addchar(&b, '\t');
        luaL_tolstring(l, i, NULL);
        luaL_addvalue(&b);
    }
    luaL_pushresult(&b);
    tap_say(of(l), lua_tostring(l, -1));
    return 0;
}

static int tap_stop(lua_State *l)
{
    of(l)->over = true;
    motet_node_stop(of(l)->node);
    return 0;
}

/* ---- callbacks ---- */

static void go_wrong(struct motet_script *s)
{
    if (!s->wrong)
        script_sentence(&s->script, s->path, s->error.text, sizeof s->error.text);
    s->wrong = true;
    lua_pop(s->script.state, 1);
    motet_node_stop(s->node);
}

/* The function is below its arguments; one result is left if it went well. */
static bool tap_call(struct callback *c, int arguments)
{
    struct motet_script *s = c->script;
    if (s->wrong || s->over) {
        lua_pop(s->script.state, arguments + 1);
        return false;
    }
    if (script_call(&s->script, arguments, 1)) {
        if (s->script.was_interrupted)
            motet_node_stop(s->node);
        return true;
    }
    go_wrong(s);
    return false;
}

static lua_State *tap_begin(struct callback *c)
{
    lua_State *l = c->script->script.state;
    lua_rawgeti(l, LUA_REGISTRYINDEX, c->function);
    return l;
}

static void tap_probed(void *context, const motet_node *n, uint32_t pc, bool after)
{
    lua_State *l = tap_begin(context);
    (void)n, (void)after;
    lua_pushinteger(l, pc);
    if (tap_call(context, 1))
        lua_pop(l, 1);
}

static void set_integer(lua_State *l, const char *name, lua_Integer value)
{
    lua_pushinteger(l, value);
    lua_setfield(l, -2, name);
}

static void set_text(lua_State *l, const char *name, const char *text)
{
    lua_pushstring(l, text ? text : "");
    lua_setfield(l, -2, name);
}

static void set_access(lua_State *l, const struct motet_access *a)
{
    if (!a->held)
        set_integer(l, "address", a->address);
    set_integer(l, "pc", a->pc);
    set_integer(l, "value", a->value);
    set_integer(l, "old", a->old);
    set_integer(l, "size", a->size);
    lua_pushboolean(l, a->write);
    lua_setfield(l, -2, "write");
}

static void tap_watched(void *context, const motet_node *n, const struct motet_access *a)
{
    lua_State *l = tap_begin(context);
    (void)n;
    lua_createtable(l, 0, 6);
    set_access(l, a);
    if (tap_call(context, 1))
        lua_pop(l, 1);
}

static void alarmed(void *context, const motet_node *n, uint64_t due)
{
    lua_State *l = tap_begin(context);
    (void)n, (void)due;
    if (tap_call(context, 0))
        lua_pop(l, 1);
}

static void set_radio(lua_State *l, const struct motet_happened *h)
{
    set_integer(l, "sender", h->radio.sender);
    set_integer(l, "transmission", h->radio.transmission);
    lua_pushlstring(l, (const char *)h->radio.bytes, h->radio.bytes ? h->radio.count : 0);
    lua_setfield(l, -2, "bytes");
    lua_pushnumber(l, h->radio.dbm);
    lua_setfield(l, -2, "dbm");
    if (h->what == MOTET_ON_RADIO_LOSS)
        set_text(l, "why", motet_loss_name(h->radio.why));
}

static void set_happened(lua_State *l, const struct motet_happened *h)
{
    switch (h->what) {
    case MOTET_ON_INTERRUPT_POST:
    case MOTET_ON_INTERRUPT_ENTRY:
    case MOTET_ON_INTERRUPT_EXIT:
        set_integer(l, "line", h->interrupt.line);
        set_text(l, "name", h->interrupt.name);
        set_integer(l, "from", h->interrupt.from);
        set_integer(l, "handler", h->interrupt.handler);
        break;
    case MOTET_ON_CALL:
    case MOTET_ON_RETURN:
        set_integer(l, "from", h->call.from);
        set_integer(l, "to", h->call.to);
        set_integer(l, "sp", h->call.sp);
        break;
    case MOTET_ON_REGISTER:
        set_access(l, &h->access);
        set_text(l, "name", h->access.name);
        break;
    case MOTET_ON_PIN:
        set_integer(l, "pin", h->pin.pin);
        lua_pushboolean(l, h->pin.level);
        lua_setfield(l, -2, "level");
        break;
    case MOTET_ON_SERIAL:
    case MOTET_ON_SERIAL_INPUT:
        set_integer(l, "line", h->serial.line);
        set_integer(l, "byte", h->serial.frame & MOTET_FRAME_DATA);
        break;
    case MOTET_ON_SPI:
        set_integer(l, "bus", h->spi.bus);
        set_integer(l, "out", h->spi.out);
        set_integer(l, "in", h->spi.in);
        break;
    case MOTET_ON_RADIO_SEND:
    case MOTET_ON_RADIO_RECEIVE:
    case MOTET_ON_RADIO_LOSS: set_radio(l, h); break;
    case MOTET_ON_RADIO_STATE: set_integer(l, "state", h->state); break;
    case MOTET_ON_PART:
        set_text(l, "name", h->part.name);
        set_text(l, h->part.report ? "report" : "doing", h->part.report ? h->part.report : h->part.doing);
        break;
    case MOTET_ON_MARK: set_integer(l, "mark", h->mark); break;
    case MOTET_ON_FAULT:
        set_text(l, "fault", motet_fault_name(h->fault->kind));
        set_integer(l, "pc", h->fault->pc);
        set_integer(l, "address", h->fault->address);
        break;
    case MOTET_ON_LOGGED:
        set_text(l, "name", h->logged.name);
        set_integer(l, "value", h->logged.value);
        break;
    case MOTET_ON_RESET: set_text(l, "cause", h->reset); break;
    default: set_integer(l, "pc", h->pc); break;
    }
}

static void hooked(void *context, const motet_node *n, const struct motet_happened *h)
{
    lua_State *l = tap_begin(context);
    (void)n;
    lua_createtable(l, 0, 8);
    set_text(l, "what", motet_happening_name(h->what));
    set_integer(l, "tick", (lua_Integer)h->tick);
    set_happened(l, h);
    if (tap_call(context, 1))
        lua_pop(l, 1);
}

static bool tap_holds(void *context, const motet_node *n)
{
    struct callback *c = context;
    lua_State *l = tap_begin(c);
    (void)n;
    lua_pushcfunction(l, value_of);
    lua_pushstring(l, c->text);
    bool good = true;
    if (!script_call(&c->script->script, 1, 1)) {
        lua_remove(l, -2);
        go_wrong(c->script);
    } else if (tap_call(c, 1)) {
        good = lua_toboolean(l, -1);
        lua_pop(l, 1);
    }
    return good;
}

static void tap_failed(void *context, const motet_node *n, uint32_t pc)
{
    struct callback *c = context;
    char text[1024], where[256], value[400] = "?";
    struct motet_error e;
    c->script->failed++;
    motet_node_value_text(n, c->text, value, sizeof value, &e);
    motet_machine_place(motet_node_machine(n), pc, where, sizeof where);
    snprintf(text, sizeof text, "the assertion on %s does not hold at %.6f s: it became %s in %s", c->text,
             seconds(c->script), value, where);
    tap_say(c->script, text);
}

/* ---- putting on and taking off ---- */

static struct callback *callback(lua_State *l, int function)
{
    struct motet_script *s = of(l);
    luaL_checktype(l, function, LUA_TFUNCTION);
    struct callback *c = memory_new(sizeof *c);
    lua_pushvalue(l, function);
    *c = (struct callback){.script = s, .function = luaL_ref(l, LUA_REGISTRYINDEX), .next = s->callbacks};
    s->callbacks = c; /* kept to the script's end, so that a tap may be taken off at any time */
    return c;
}

static int take_off(lua_State *l)
{
    struct callback *c = lua_touserdata(l, lua_upvalueindex(1));
    motet_tap_remove(c->tap);
    c->tap = NULL;
    return 0;
}

static int put_on(lua_State *l, struct callback *c, motet_tap *t, const struct motet_error *e)
{
    if (!t)
        return raise_sentence(l, e);
    c->tap = t;
    lua_pushlightuserdata(l, c);
    lua_pushcclosure(l, take_off, 1);
    return 1;
}

static int probe(lua_State *l)
{
    static const char *const names[] = {"before", "after", NULL};
    static const unsigned whens[] = {MOTET_BEFORE, MOTET_AFTER};
    struct motet_error e;
    const char *where = luaL_checkstring(l, 1);
    unsigned when = whens[luaL_checkoption(l, 3, "before", names)];
    struct callback *c = callback(l, 2);
    return put_on(l, c, motet_probe_named(of(l)->node, where, when, tap_probed, c, &e), &e);
}

/* Loads and stores reach it: a register or RAM, or, where data has no space of its own, any memory. */
static bool can_be_watched(const motet_node *n, lua_Integer address)
{
    struct motet_memory_info data = {.start = 0};
    uint8_t byte;
    if (address < 0 || address > UINT32_MAX)
        return false;
    motet_node_memory(n, MOTET_MEMORY_DATA, &data);
    return motet_node_peek(n, (uint32_t)address, &byte, 1) ||
           (!data.start && motet_node_look(n, (uint32_t)address, &byte, 1));
}

static int tap_watch_one(lua_State *l)
{
    static const char *const names[] = {"write", "read", "access", NULL};
    static const unsigned whens[] = {MOTET_WRITE, MOTET_READ, MOTET_READ | MOTET_WRITE};
    struct motet_error e;
    unsigned when = whens[luaL_checkoption(l, 3, "write", names)] | MOTET_AFTER;
    lua_Integer number = lua_isinteger(l, 1) ? lua_tointeger(l, 1) : 0;
    luaL_argcheck(l, !lua_isinteger(l, 1) || can_be_watched(of(l)->node, number), 1,
                  "there is no memory at this data address");
    struct callback *c = callback(l, 2);
    if (lua_isinteger(l, 1)) {
        uint32_t address = (uint32_t)number;
        return put_on(l, c, motet_watch(of(l)->node, address, address, when, tap_watched, c), &e);
    }
    return put_on(l, c, motet_watch_named(of(l)->node, luaL_checkstring(l, 1), when, tap_watched, c, &e), &e);
}

static uint64_t ticks_of(lua_State *l, int index)
{
    double value = luaL_checknumber(l, index);
    luaL_argcheck(l, value >= 0 && value < 1e9, index, "a time in seconds is needed");
    return (uint64_t)(value * (double)motet_machine_hz(motet_node_machine(of(l)->node)) + 0.5);
}

static int tap_at(lua_State *l)
{
    struct callback *c = callback(l, 2);
    uint64_t when = ticks_of(l, 1);
    return put_on(l, c, motet_alarm(of(l)->node, MOTET_TICKS, when, 0, alarmed, c), NULL);
}

static int tap_every(lua_State *l)
{
    struct callback *c = callback(l, 2);
    uint64_t period = ticks_of(l, 1), now = motet_node_now(of(l)->node);
    luaL_argcheck(l, period > 0, 1, "the time between two calls is too short");
    return put_on(l, c, motet_alarm(of(l)->node, MOTET_TICKS, now + period, period, alarmed, c), NULL);
}

static int every_cycles(lua_State *l)
{
    struct callback *c = callback(l, 2);
    lua_Integer period = luaL_checkinteger(l, 1);
    luaL_argcheck(l, period > 0, 1, "a number of cycles is needed");
    uint64_t next = motet_node_cycles(of(l)->node) + (uint64_t)period;
    return put_on(l, c, motet_alarm(of(l)->node, MOTET_CYCLES, next, (uint64_t)period, alarmed, c), NULL);
}

static int hook(lua_State *l)
{
    const char *name = luaL_checkstring(l, 1);
    luaL_Buffer known;
    luaL_buffinit(l, &known);
    for (int i = 0; i < MOTET_HAPPENINGS; i++) {
        const char *has = motet_happening_name((enum motet_happening)i);
        if (strcmp(has, name) == 0) {
            luaL_pushresult(&known);
            struct callback *c = callback(l, 2);
            return put_on(l, c, motet_hook(of(l)->node, UINT32_C(1) << i, hooked, c), NULL);
        }
        luaL_addstring(&known, i ? ", " : "");
        luaL_addstring(&known, has);
    }
    luaL_pushresult(&known);
    return luaL_error(l, "nothing that happens is called '%s'; there are %s", name, lua_tostring(l, -1));
}

static int assertion(lua_State *l)
{
    struct motet_error e;
    const char *about = luaL_checkstring(l, 1);
    struct callback *c = callback(l, 2);
    c->text = memory_string(about);
    return put_on(l, c, motet_assert(of(l)->node, about, tap_holds, tap_failed, c, &e), &e);
}

static int tap_when(lua_State *l)
{
    struct motet_script *s = of(l);
    struct motet_error e;
    const char *text = luaL_checkstring(l, 1);
    luaL_checktype(l, 2, LUA_TFUNCTION);
    motet_condition *is = motet_condition_new(motet_node_network(s->node), text, &e);
    if (!is)
        return raise_sentence(l, &e);
    struct tap_condition *c = memory_new(sizeof *c);
    lua_pushvalue(l, 2);
    *c = (struct tap_condition){is, luaL_ref(l, LUA_REGISTRYINDEX), s->conditions};
    s->conditions = c;
    return motet_condition_follow(is, &e) ? 0 : raise_sentence(l, &e);
}

static int tap_at_end(lua_State *l)
{
    luaL_checktype(l, 1, LUA_TFUNCTION);
    lua_rawgeti(l, LUA_REGISTRYINDEX, of(l)->at_end);
    lua_pushvalue(l, 1);
    lua_rawseti(l, -2, (lua_Integer)lua_rawlen(l, -2) + 1);
    return 0;
}

/* ---- life ---- */

/* A global table that only functions fill. */
static void register_looked_at(lua_State *l, const char *name, const luaL_Reg functions[])
{
    lua_newtable(l);
    lua_newtable(l);
    luaL_setfuncs(l, functions, 0);
    lua_setmetatable(l, -2);
    lua_setglobal(l, name);
}

static void register_all(struct motet_script *s)
{
    static const luaL_Reg functions[] = {
        {"probe", probe},
        {"watch", tap_watch_one},
        {"at", tap_at},
        {"every", tap_every},
        {"every_cycles", every_cycles},
        {"hook", hook},
        {"assertion", assertion},
        {"at_end", tap_at_end},
        {"when", tap_when},
        {"value", value_of},
        {"peek", tap_peek},
        {"meter", tap_meter},
        {"place", tap_place},
        {"print", print},
        {"stop", tap_stop},
        {NULL, NULL},
    };
    lua_State *l = s->script.state;
    lua_pushlightuserdata(l, s);
    lua_setfield(l, LUA_REGISTRYINDEX, "script");
    lua_newtable(l);
    s->at_end = luaL_ref(l, LUA_REGISTRYINDEX);
    lua_pushglobaltable(l);
    luaL_setfuncs(l, functions, 0);
    lua_pop(l, 1);
    variable_register(l);
    static const luaL_Reg node[] = {{"__index", node_index}, {"__newindex", tap_cannot_write}, {NULL, NULL}};
    static const luaL_Reg network[] = {{"__index", network_index}, {"__newindex", tap_cannot_write}, {NULL, NULL}};
    register_looked_at(l, "node", node);
    register_looked_at(l, "network", network);
}

motet_script *motet_script_load(motet_node *n, const char *path, motet_said *said, void *context, struct motet_error *e)
{
    struct motet_script *s = memory_new(sizeof *s);
    *s = (struct motet_script){.path = memory_string(path), .node = n, .said = said, .context = context};
    s->reader = (struct variable_reader){tap_value, tap_text};
    script_open(&s->script, motet_node_id(n), motet_network_count(motet_node_network(n)));
    register_all(s);
    if (luaL_loadfilex(s->script.state, path, "t") == LUA_OK && script_call(&s->script, 0, 0))
        return s;
    script_sentence(&s->script, path, e->text, sizeof e->text);
    motet_script_free(s);
    return NULL;
}

void motet_script_free(motet_script *s)
{
    if (!s)
        return;
    for (struct callback *c = s->callbacks, *next; c; c = next) {
        next = c->next;
        motet_tap_remove(c->tap);
        free(c->text);
        free(c);
    }
    for (struct tap_condition *c = s->conditions, *next; c; c = next) {
        next = c->next;
        motet_condition_free(c->condition);
        free(c);
    }
    motet_meter_free(s->meter);
    script_close(&s->script);
    free(s->path);
    free(s);
}

void motet_script_interruptible(motet_script *s, bool (*interrupted)(void))
{
    s->script.interrupted = interrupted;
}

bool motet_script_heed(motet_script *s, struct motet_error *e)
{
    lua_State *l = s->script.state;
    uint64_t time;
    uint32_t node;
    for (struct tap_condition *c = s->conditions; c; c = c->next)
        while (!s->wrong && !s->over && motet_condition_next(c->condition, &time, &node)) {
            lua_rawgeti(l, LUA_REGISTRYINDEX, c->function);
            lua_pushnumber(l, (double)time / 1e9);
            lua_pushinteger(l, node);
            if (!script_call(&s->script, 2, 0))
                go_wrong(s);
        }
    return motet_script_good(s, e);
}

bool motet_script_good(const motet_script *s, struct motet_error *e)
{
    if (s->wrong)
        *e = s->error;
    return !s->wrong;
}

bool motet_script_over(const motet_script *s)
{
    return s->over;
}

size_t motet_script_failed(const motet_script *s)
{
    return s->failed;
}

bool motet_script_end(motet_script *s, struct motet_error *e)
{
    lua_State *l = s->script.state;
    lua_rawgeti(l, LUA_REGISTRYINDEX, s->at_end);
    int list = lua_gettop(l);
    for (lua_Integer i = 1; !s->wrong && lua_rawgeti(l, list, i) == LUA_TFUNCTION; i++)
        if (!script_call(&s->script, 0, 0))
            go_wrong(s);
    lua_settop(l, list - 1);
    return motet_script_good(s, e);
}
