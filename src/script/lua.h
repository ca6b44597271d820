/* Lua states for scripts of users: deterministic, without the outside world, and bounded.
 *
 * There is no io, os, require, load or debug. math.random is seeded with the run's seed; pairs goes by sorted keys,
 * since the order of Lua's own changes from run to run. Invariant: a script's result is a function of its text and what
 * it is given. One that runs on and on, or takes too much memory, ends with an error.
 */
#ifndef SCRIPT_LUA_H
#define SCRIPT_LUA_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

struct script {
    lua_State *state;
    size_t memory;       /* bytes in use */
    uint64_t steps_left; /* thousands of instructions until it has run on too long */
};

void script_open(struct script *s, uint64_t seed);
void script_close(struct script *s);

/* Calls the function below its arguments on the stack, with the bounds above; an error leaves its text on the stack. */
bool script_call(struct script *s, int arguments, int results);

/* The text of the error on the stack, which always names the file. */
void script_sentence(const struct script *s, const char *path, char *text, size_t size);

#endif
