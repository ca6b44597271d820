/* Lua states for scripts of users: deterministic, without the outside world, and bounded.
 *
 * There is no io, os, require, load or debug. math.random is seeded with the run's seed; pairs goes by sorted keys,
 * since the order of Lua's own changes from run to run. Invariant: a script's result is a function of its text and what
 * it is given. One that runs on and on, or takes too much memory, ends with an error that it cannot catch.
 *
 * Three things bound a call. Instructions of Lua and the work of C functions (matching, copying, shifting) are counted
 * as steps; this bound is the same everywhere. Comparing long texts is not counted: a limit of CPU time ends what is
 * left, always with an error, so that no result depends on it. A signal that a user sent during a long call ends it
 * too.
 */
#ifndef SCRIPT_LUA_H
#define SCRIPT_LUA_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

struct script {
    lua_State *state;
    size_t memory, memory_limit; /* bytes in use, and how many may be */
    uint64_t steps_left;         /* thousands of steps until it has run on too long */
    uint64_t steps;              /* those that are not a thousand yet */
    uint64_t begun;              /* CPU time in nanoseconds at the first thousand instructions of a call; 0: before */
    bool (*interrupted)(void);   /* a user wants the end; or NULL */
    bool was_interrupted;        /* already when the call began: it is one for the end */
    const char *ended_from_outside; /* by a signal or by CPU time: the sentence; NULL: it was not */
};

/* `sharers`: as many scripts share the memory that scripts may use. */
void script_open(struct script *s, uint64_t seed, size_t sharers);
void script_close(struct script *s);

/* Calls the function below its arguments on the stack, with the bounds above; an error leaves its text on the stack. */
bool script_call(struct script *s, int arguments, int results);

/* Counts steps of a C function that a script calls; an error if it has run on too long. */
void script_charge(lua_State *l, uint64_t steps);

/* Runs a text of Motet's own, while the script is being opened. */
void script_prelude(lua_State *l, const char *name, const char *text, size_t size);

/* The text of the error on the stack, which always names the file. */
void script_sentence(const struct script *s, const char *path, char *text, size_t size);

#endif
