/* Lua's patterns with a bound: the same results as Lua's own matcher, over many random patterns and subjects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <lualib.h>

#include "script/lua.h"

/* A call and what it gave, as one text. */
static const char work[] =
    "local f, s, p, extra = ...\n"
    "local function words(...)\n"
    "    local t = table.pack(...)\n"
    "    for i = 1, t.n do t[i] = (math.type(t[i]) or type(t[i])) .. '<' .. tostring(t[i]) .. '>' end\n"
    "    return table.concat(t, '|')\n"
    "end\n"
    "local function run()\n"
    "    if f == 'gmatch' then\n"
    "        local all = {}\n"
    "        for a, b, c in s:gmatch(p, extra) do all[#all + 1] = words(a, b, c) end\n"
    "        return table.concat(all, ';')\n"
    "    elseif f == 'gsub' then\n"
    "        local r = extra % 4\n"
    "        if r == 0 then return words(s:gsub(p, '<%0%1>', extra % 3 == 0 and extra or nil)) end\n"
    "        if r == 1 then return words(s:gsub(p, {a = 'A', ab = 1, b = false})) end\n"
    "        if r == 2 then return words(s:gsub(p, function(x, y) return y and x .. y end)) end\n"
    "        return words(s:gsub(p, '%%%2'))\n"
    "    end\n"
    "    return words(string[f](s, p, extra))\n"
    "end\n"
    "local good, what = pcall(run)\n"
    "return good, what\n";

static uint32_t seed = 1;

static unsigned below(unsigned limit)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % limit;
}

static void random_pattern(char *to)
{
    static const char *const pieces[] = {"a",    "b",    "c",      ".",    "%a",   "%d",     "%s",   "%W",   "%%",
                                         "[ab]", "[^a]", "[a-c]",  "[%d]", "[]a]", "[^%sb]", "*",    "+",    "-",
                                         "?",    "(",    ")",      "()",   "%1",   "%2",     "%bab", "%b()", "%f[a]",
                                         "^",    "$",    "%f[%w]", "[a-]", "%u",   "%p",     "%z",   "%x",   "%"};
    *to = 0;
    for (unsigned i = 1 + below(7); i; i--)
        strcat(to, pieces[below(sizeof pieces / sizeof *pieces)]);
}

static void random_subject(char *to)
{
    static const char letters[] = "aaabbbcAB 1()%.x";
    unsigned i = 0;
    for (unsigned length = below(12); i < length; i++)
        to[i] = letters[below(sizeof letters - 1)];
    to[i] = 0;
}

/* True with its results as a text, false with the error. */
static bool result(lua_State *l, const char *f, const char *s, const char *p, int extra, char *text, size_t size)
{
    assert_int_equal(luaL_loadbuffer(l, work, sizeof work - 1, "=work"), LUA_OK);
    lua_pushstring(l, f);
    lua_pushstring(l, s);
    lua_pushstring(l, p);
    lua_pushinteger(l, extra);
    assert_int_equal(lua_pcall(l, 4, 2, 0), LUA_OK);
    snprintf(text, size, "%s", lua_tostring(l, -1));
    bool good = lua_toboolean(l, -2);
    lua_settop(l, 0);
    return good;
}

/* Lua finds a malformed pattern when it gets there; here it is found at once. */
static bool is_malformed(const char *text)
{
    return strstr(text, "malformed") || strstr(text, "capture") || strstr(text, "missing '['");
}

static void test_same_as_lua(void **state)
{
    static const char *const functions[] = {"find", "match", "gmatch", "gsub"};
    struct script ours;
    lua_State *theirs = luaL_newstate();
    unsigned compared = 0, matched = 0;
    (void)state;
    luaL_openlibs(theirs);
    script_open(&ours, 1, 1);
    for (unsigned i = 0; i < 20000; i++) {
        char p[80], s[40], a[2000], b[2000];
        const char *f = functions[below(4)];
        int extra = f[0] == 'g' && f[1] == 's' ? (int)below(12) : (int)below(8) - 3;
        random_pattern(p);
        random_subject(s);
        ours.steps_left = 1000;
        bool good = result(theirs, f, s, p, extra, a, sizeof a), same = result(ours.state, f, s, p, extra, b, sizeof b);
        if (good && !same && is_malformed(b))
            continue;
        if (good != same || (good && strcmp(a, b) != 0))
            fail_msg("%s('%s', '%s', %d): Lua %s, here %s", f, s, p, extra, a, b);
        if (!good && is_malformed(a))
            assert_true(is_malformed(b));
        compared++;
        matched += good && strcmp(a, "nil<nil>") != 0;
    }
    assert_true(compared > 10000 && matched > 3000);
    script_close(&ours);
    lua_close(theirs);
}

static void test_long_subjects(void **state)
{
    static const char text[] =
        "local s = ('a'):rep(100000)\n"
        "assert(s:match('^a*$') == s and s:sub(1, 3000):find('a-b') == nil and s:gsub('a', 'b') == ('b'):rep(100000))\n"
        "assert(select(2, s:gsub('', '')) == 100001 and #s:match('.-$') == 100000)\n"
        "assert(not pcall(string.find, s, ('a?'):rep(300)))\n"; /* too complex */
    struct script ours;
    (void)state;
    script_open(&ours, 1, 1);
    assert_int_equal(luaL_loadbuffer(ours.state, text, sizeof text - 1, "=long"), LUA_OK);
    if (!script_call(&ours, 0, 0))
        fail_msg("%s", lua_tostring(ours.state, -1));
    script_close(&ours);
}

/* A C function of the script that takes a minute: as much CPU time seems to be over when it returns. */
static int take_a_minute(lua_State *l)
{
    struct script *s = lua_touserdata(l, lua_upvalueindex(1));
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    s->begun = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec - UINT64_C(61000000000);
    return 0;
}

/* Comparing long texts counts no steps. What takes a minute of CPU time all the same ends, and no pcall catches it. */
static void test_cpu_time(void **state)
{
    static const char text[] = "local slow = ...\n"
                               "local a, b = ('x'):rep(100) .. 'a', ('x'):rep(100) .. 'b'\n"
                               "local function compare() for i = 1, 20000 do assert(a < b) end end\n"
                               "compare()\n"
                               "if slow then pcall(function() minute() compare() end) went_on = true end\n";
    struct script ours;
    (void)state;
    script_open(&ours, 1, 1);
    lua_pushlightuserdata(ours.state, &ours);
    lua_pushcclosure(ours.state, take_a_minute, 1);
    lua_setglobal(ours.state, "minute");
    for (int slow = 0; slow < 2; slow++) {
        assert_int_equal(luaL_loadbuffer(ours.state, text, sizeof text - 1, "=time"), LUA_OK);
        lua_pushboolean(ours.state, slow);
        assert_int_equal(script_call(&ours, 1, 0), !slow);
    }
    assert_non_null(strstr(lua_tostring(ours.state, -1), "this runs on and on; ended after 60 s"));
    lua_getglobal(ours.state, "went_on");
    assert_true(lua_isnil(ours.state, -1));
    script_close(&ours);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_lua), cmocka_unit_test(test_long_subjects),
                                       cmocka_unit_test(test_cpu_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
