/* Scenarios: a network, what happens to it and what is expected of it, written in Lua (docs/scenarios.md).
 *
 * The file runs once and declares; functions it gives to at, every and at_end run later, at their times. Invariant:
 * nothing runs before the whole file has been read without an error, and an error names its file and line. The public
 * names are those of motet.h; this is what the files of the module share.
 */
#ifndef SCRIPT_SCENARIO_H
#define SCRIPT_SCENARIO_H

#include "motet/condition.h"
#include "motet/motet.h"
#include "script/lua.h"

struct scenario_machine {
    char *path, *board;
    char *parts; /* from outside, a line each */
    motet_machine *machine;
};

/* Something to do at a time; the function is in Lua's registry. */
struct scenario_action {
    uint64_t when, order, period; /* period 0: once */
    int function;
};

/* when(condition, function) */
struct scenario_condition {
    motet_condition *condition;
    int function;
};

/* What the caller gave for parameter(name, default). */
struct scenario_parameter {
    char *name, *value;
    bool asked;
};

/* check(condition, what), by its line */
struct scenario_check {
    char place[32];
    char *what;
    size_t times, failed;
    char *sentences; /* of those that failed, a line each */
};

/* report(name, number) */
struct scenario_report {
    char *name;
    double value;
};

enum { SCENARIO_PINS = 128, SCENARIO_PARTS = 32 };

/* What a node's analog inputs were set to, and its output: by number. The world outlasts a node's life. */
struct scenario_level {
    uint64_t tick;
    unsigned channel;
    int32_t microvolts;
};

struct scenario_node {
    char *output;
    size_t output_count, output_room;
    struct scenario_level *levels;
    size_t level_count;
    uint8_t driven[SCENARIO_PINS]; /* 1 + how a pin was driven last; 0: never */
};

struct motet_scenario {
    struct script script;
    char *path;
    motet_network *network;
    uint64_t until;
    bool over, running; /* running: the file has been read */
    struct scenario_machine *machines;
    size_t machine_count;
    struct scenario_action *actions; /* by time and order */
    size_t action_count;
    uint64_t action_order;
    struct scenario_condition *conditions;
    size_t condition_count;
    int *endings; /* functions for the end */
    size_t ending_count;
    struct scenario_node *nodes;
    size_t node_count;
    char *failures; /* a line each */
    struct scenario_check *checks;
    size_t check_count;
    size_t failure_count;
    struct scenario_parameter *parameters;
    size_t parameter_count;
    struct scenario_report *reports;
    size_t report_count;
};

/* ---- shared by the functions a scenario can call ---- */
struct motet_scenario *scenario_of(lua_State *l);
uint64_t scenario_time(lua_State *l, int argument);    /* seconds to nanoseconds */
motet_node *scenario_node(lua_State *l, int argument); /* by id; an error if there is none */
uint32_t scenario_id(lua_State *l, int argument);
int scenario_fail(lua_State *l, const struct motet_error *e); /* raises its sentence */

/* Registers the functions: those that declare and change, and those that look and check. */
void scenario_register_network(lua_State *l);
void scenario_register_nodes(lua_State *l);

/* ---- parameters and reports (scenario_values.c) ---- */
void scenario_register_values(lua_State *l);
void scenario_set_parameters(struct motet_scenario *s, const struct motet_scenario_parameter *parameters, size_t count);
bool scenario_all_asked(const struct motet_scenario *s, struct motet_error *e); /* after the file was read */
void scenario_free_values(struct motet_scenario *s);

#endif
