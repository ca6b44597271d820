/* Lua's patterns, with a bound.
 *
 * Lua's own matcher runs in C, where instructions are not counted: a pattern such as ("a*"):rep(30) .. "b" runs for
 * years. Here a pattern is compiled into a list of items, and each comparison is a step of the script (script_charge).
 * Invariant: patterns mean what Lua 5.4's manual says (6.4.1). A malformed one is an error before anything is matched.
 */
#ifndef SCRIPT_PATTERN_H
#define SCRIPT_PATTERN_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PATTERN_CAPTURES = 32 };

struct pattern; /* compiled */

/* Compiles it into a userdata, which is left on the stack. `anchors`: a ^ at its beginning is an anchor. */
const struct pattern *pattern_compile(lua_State *l, const char *text, size_t size, bool anchors);
bool pattern_is_anchored(const struct pattern *p);

/* A subject, and what a match has captured of it. */
struct pattern_match {
    lua_State *state;
    const char *subject, *end;
    unsigned depth, steps;
    struct pattern_capture {
        const char *from, *to; /* to is NULL: a position */
    } captures[PATTERN_CAPTURES];
};

/* Where the match that begins there ends, or NULL. */
const char *pattern_match(const struct pattern *p, struct pattern_match *m, const char *at);

unsigned pattern_captures(const struct pattern *p);

/* Pushes a capture; of a pattern without captures, 0 is the whole match. */
void pattern_push(const struct pattern *p, const struct pattern_match *m, unsigned number, const char *from,
                  const char *to);

#endif
