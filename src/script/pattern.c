#include "script/pattern.h"

#include <lauxlib.h>
#include <string.h>

#include "script/lua.h"

enum item_kind { ITEM_SET, ITEM_BALANCE, ITEM_FRONTIER, ITEM_OPEN, ITEM_POSITION, ITEM_CLOSE, ITEM_AGAIN, ITEM_LAST };
enum item_often { ONCE, MANY, MANY_OR_NONE, FEW_OR_NONE, ONCE_OR_NONE };
enum { PATTERN_DEPTH = 200, PATTERN_FLUSH = 1000 }; /* nested repetitions; steps between two looks at the bound */

struct item {
    uint8_t kind, often;
    uint8_t capture;        /* of those about captures */
    char open, close;       /* of ITEM_BALANCE */
    uint32_t characters[8]; /* a bit each */
};

struct pattern {
    bool anchored, to_the_end; /* begins with ^, ends with $ */
    unsigned captures;
    struct item items[];
};

/* ---- compiling ---- */

struct compiler {
    lua_State *state;
    const char *at, *end;
    struct pattern *pattern;
    size_t count;
    uint8_t open[PATTERN_CAPTURES]; /* captures that are not closed yet */
    unsigned open_count;
    uint64_t closed; /* a bit for each capture */
};

static void set_add(uint32_t set[8], unsigned char c)
{
    set[c / 32] |= UINT32_C(1) << c % 32;
}

static bool set_has(const uint32_t set[8], unsigned char c)
{
    return set[c / 32] >> c % 32 & 1;
}

static bool is_between(unsigned c, char from, char to)
{
    return c >= (unsigned char)from && c <= (unsigned char)to;
}

/* Classes of the C locale, in which Motet always is. */
static bool class_has(char class, unsigned c)
{
    bool lower = is_between(c, 'a', 'z'), upper = is_between(c, 'A', 'Z'), digit = is_between(c, '0', '9');
    bool visible = is_between(c, '!', '~');
    switch (class) {
    case 'a': return lower || upper;
    case 'c': return c < ' ' || c == 127;
    case 'd': return digit;
    case 'g': return visible;
    case 'l': return lower;
    case 'p': return visible && !lower && !upper && !digit;
    case 's': return c == ' ' || is_between(c, '\t', '\r');
    case 'u': return upper;
    case 'w': return lower || upper || digit;
    case 'x': return digit || is_between(c, 'a', 'f') || is_between(c, 'A', 'F');
    default: return c == 0; /* z */
    }
}

/* What %C stands for: a class, its complement, or the character itself. */
static void set_add_escaped(uint32_t set[8], char letter)
{
    char class = (char)(letter | 0x20);
    bool known = class_has('a', (unsigned char)letter) && strchr("acdglpsuwxz", class);
    if (!known) {
        set_add(set, (unsigned char)letter);
        return;
    }
    for (unsigned c = 0; c < 256; c++)
        if (class_has(class, c) == (class == letter))
            set_add(set, (unsigned char)c);
}

static char compiler_escaped(struct compiler *c)
{
    if (c->at == c->end)
        luaL_error(c->state, "malformed pattern (ends with '%%')");
    return *c->at++;
}

/* The members of a set, from behind its [ up to past its ]. */
static void compile_set(struct compiler *c, uint32_t set[8])
{
    bool complement = c->at < c->end && *c->at == '^', first = true;
    c->at += complement;
    for (;; first = false) {
        if (c->at == c->end)
            luaL_error(c->state, "malformed pattern (missing ']')");
        char from = *c->at++;
        if (from == ']' && !first)
            break;
        if (from == '%') {
            if (c->at == c->end)
                luaL_error(c->state, "malformed pattern (missing ']')");
            set_add_escaped(set, *c->at++);
        } else if (c->end - c->at >= 2 && c->at[0] == '-' && c->at[1] != ']') {
            for (unsigned k = (unsigned char)from; k <= (unsigned char)c->at[1]; k++)
                set_add(set, (unsigned char)k);
            c->at += 2;
        } else {
            set_add(set, (unsigned char)from);
        }
    }
    for (unsigned i = 0; complement && i < 8; i++)
        set[i] = ~set[i];
}

static struct item *compile_item(struct compiler *c, enum item_kind kind)
{
    struct item *i = &c->pattern->items[c->count++];
    *i = (struct item){.kind = (uint8_t)kind};
    return i;
}

static void compile_open(struct compiler *c)
{
    bool position = c->at < c->end && *c->at == ')';
    if (c->pattern->captures == PATTERN_CAPTURES)
        luaL_error(c->state, "too many captures");
    uint8_t number = (uint8_t)c->pattern->captures++;
    compile_item(c, position ? ITEM_POSITION : ITEM_OPEN)->capture = number;
    if (position)
        c->at++;
    else
        c->open[c->open_count++] = number;
    c->closed |= position ? UINT64_C(1) << number : 0;
}

static void compile_close(struct compiler *c)
{
    if (!c->open_count)
        luaL_error(c->state, "invalid pattern capture");
    uint8_t number = c->open[--c->open_count];
    compile_item(c, ITEM_CLOSE)->capture = number;
    c->closed |= UINT64_C(1) << number;
}

static void compile_again(struct compiler *c, char digit)
{
    int number = digit - '1';
    if (number < 0 || !(c->closed >> number & 1))
        luaL_error(c->state, "invalid capture index %%%d in pattern", number + 1);
    compile_item(c, ITEM_AGAIN)->capture = (uint8_t)number;
}

static void compile_balance(struct compiler *c)
{
    if (c->end - c->at < 2)
        luaL_error(c->state, "malformed pattern (missing arguments to '%%b')");
    struct item *i = compile_item(c, ITEM_BALANCE);
    i->open = *c->at++;
    i->close = *c->at++;
}

static void compile_frontier(struct compiler *c)
{
    if (c->at == c->end || *c->at++ != '[')
        luaL_error(c->state, "missing '[' after '%%f' in pattern");
    compile_set(c, compile_item(c, ITEM_FRONTIER)->characters);
}

/* One character of those that `first` stands for, as often as what follows says. */
static void compile_single(struct compiler *c, char first, char escaped)
{
    static const char signs[] = "+*-?";
    static const uint8_t often[] = {MANY, MANY_OR_NONE, FEW_OR_NONE, ONCE_OR_NONE};
    struct item *i = compile_item(c, ITEM_SET);
    if (first == '%')
        set_add_escaped(i->characters, escaped);
    else if (first == '[')
        compile_set(c, i->characters);
    else if (first == '.')
        memset(i->characters, 0xff, sizeof i->characters);
    else
        set_add(i->characters, (unsigned char)first);
    const char *sign = c->at < c->end && *c->at ? strchr(signs, *c->at) : NULL;
    if (sign) {
        i->often = often[sign - signs];
        c->at++;
    }
}

static void compile_next(struct compiler *c)
{
    char first = *c->at++, escaped = first == '%' ? compiler_escaped(c) : 0;
    if (first == '(')
        compile_open(c);
    else if (first == ')')
        compile_close(c);
    else if (first == '$' && c->at == c->end)
        c->pattern->to_the_end = true;
    else if (first == '%' && escaped == 'b')
        compile_balance(c);
    else if (first == '%' && escaped == 'f')
        compile_frontier(c);
    else if (first == '%' && is_between((unsigned char)escaped, '0', '9'))
        compile_again(c, escaped);
    else
        compile_single(c, first, escaped);
}

const struct pattern *pattern_compile(lua_State *l, const char *text, size_t size, bool anchors)
{
    struct compiler c = {.state = l, .at = text, .end = text + size};
    c.pattern = lua_newuserdatauv(l, sizeof *c.pattern + (size + 1) * sizeof(struct item), 0);
    *c.pattern = (struct pattern){.anchored = anchors && size && *text == '^'};
    c.at += c.pattern->anchored;
    while (c.at < c.end)
        compile_next(&c);
    if (c.open_count)
        luaL_error(l, "unfinished capture");
    compile_item(&c, ITEM_LAST);
    return c.pattern;
}

bool pattern_is_anchored(const struct pattern *p)
{
    return p->anchored;
}

unsigned pattern_captures(const struct pattern *p)
{
    return p->captures;
}

/* ---- matching ---- */

static void match_step(struct pattern_match *m)
{
    if (++m->steps == PATTERN_FLUSH) {
        m->steps = 0;
        script_charge(m->state, PATTERN_FLUSH);
    }
}

static bool match_one(struct pattern_match *m, const struct item *i, const char *at)
{
    match_step(m);
    return at < m->end && set_has(i->characters, (unsigned char)*at);
}

static const char *match_balance(struct pattern_match *m, const struct item *i, const char *at)
{
    size_t open = 0;
    if (at == m->end || *at != i->open)
        return NULL;
    for (; at < m->end; at++) {
        match_step(m);
        if (*at == i->close && open == 1)
            return at + 1;
        if (*at == i->close && open)
            open--;
        else if (*at == i->open)
            open++;
    }
    return NULL;
}

/* Between a character that is not of the set and one that is; zero bytes are around the subject. */
static bool match_frontier(struct pattern_match *m, const struct item *i, const char *at)
{
    unsigned char before = at == m->subject ? 0 : (unsigned char)at[-1], after = at == m->end ? 0 : (unsigned char)*at;
    match_step(m);
    return !set_has(i->characters, before) && set_has(i->characters, after);
}

static const char *match_again(struct pattern_match *m, const struct item *i, const char *at)
{
    const struct pattern_capture *c = &m->captures[i->capture];
    size_t length = c->to ? (size_t)(c->to - c->from) : 0;
    script_charge(m->state, 1 + length / 16);
    return c->to && length <= (size_t)(m->end - at) && memcmp(c->from, at, length) == 0 ? at + length : NULL;
}

static const char *match_from(const struct pattern *p, struct pattern_match *m, const struct item *i, const char *at);

static const char *match_repeated(const struct pattern *p, struct pattern_match *m, const struct item *i,
                                  const char *at)
{
    const char *to = at, *found = NULL;
    if (++m->depth > PATTERN_DEPTH)
        luaL_error(m->state, "pattern too complex");
    if (i->often == FEW_OR_NONE) {
        while (!(found = match_from(p, m, i + 1, to)) && match_one(m, i, to))
            to++;
    } else {
        while ((i->often != ONCE_OR_NONE || to == at) && match_one(m, i, to))
            to++;
        for (at += i->often == MANY; !found && to >= at; to--)
            found = match_from(p, m, i + 1, to);
    }
    m->depth--;
    return found;
}

static const char *match_from(const struct pattern *p, struct pattern_match *m, const struct item *i, const char *at)
{
    for (; at; i++) {
        struct pattern_capture *c = &m->captures[i->capture];
        switch ((enum item_kind)i->kind) {
        case ITEM_SET:
            if (i->often != ONCE)
                return match_repeated(p, m, i, at);
            at = match_one(m, i, at) ? at + 1 : NULL;
            break;
        case ITEM_BALANCE: at = match_balance(m, i, at); break;
        case ITEM_FRONTIER: at = match_frontier(m, i, at) ? at : NULL; break;
        case ITEM_OPEN: c->from = at; break;
        case ITEM_POSITION: *c = (struct pattern_capture){.from = at}; break;
        case ITEM_CLOSE: c->to = at; break;
        case ITEM_AGAIN: at = match_again(m, i, at); break;
        case ITEM_LAST: match_step(m); return !p->to_the_end || at == m->end ? at : NULL;
        }
    }
    return NULL;
}

const char *pattern_match(const struct pattern *p, struct pattern_match *m, const char *at)
{
    m->depth = 0;
    return match_from(p, m, p->items, at);
}

void pattern_push(const struct pattern *p, const struct pattern_match *m, unsigned number, const char *from,
                  const char *to)
{
    const struct pattern_capture *c = &m->captures[number];
    if (number >= p->captures && number > 0)
        luaL_error(m->state, "invalid capture index %%%d", (int)number + 1);
    else if (!p->captures)
        lua_pushlstring(m->state, from, (size_t)(to - from));
    else if (!c->to)
        lua_pushinteger(m->state, c->from - m->subject + 1);
    else
        lua_pushlstring(m->state, c->from, (size_t)(c->to - c->from));
}
