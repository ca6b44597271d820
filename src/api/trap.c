#include "api/trap.h"

#include <string.h>

#include "image/debug.h"

#define BIT(cause) (1u << MOTET_TRAP_##cause)
enum {
    ZERO_CAUSES = BIT(NULL) | BIT(DIVISION),
    RANGE_CAUSES = BIT(BOUNDS) | BIT(SHIFT),
    CHECKED = ZERO_CAUSES | RANGE_CAUSES | BIT(OVERFLOW),
};

/* ---- options of the compiler ---- */

/* The checks of gcc and clang that end in a trap on a condition of these kinds. */
static unsigned checks_of(const char *name, size_t length)
{
    static const struct {
        const char *name;
        unsigned causes;
    } known[] = {
        {"undefined", CHECKED},
        {"all", CHECKED},
        {"bounds", BIT(BOUNDS)},
        {"bounds-strict", BIT(BOUNDS)},
        {"array-bounds", BIT(BOUNDS)},
        {"local-bounds", BIT(BOUNDS)},
        {"object-size", BIT(BOUNDS)},
        {"null", BIT(NULL)},
        {"nonnull-attribute", BIT(NULL)},
        {"returns-nonnull-attribute", BIT(NULL)},
        {"integer-divide-by-zero", BIT(DIVISION)},
        {"shift", BIT(SHIFT)},
        {"shift-base", BIT(SHIFT)},
        {"shift-exponent", BIT(SHIFT)},
        {"signed-integer-overflow", BIT(OVERFLOW)},
        {"integer", BIT(OVERFLOW) | BIT(DIVISION) | BIT(SHIFT)},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i].name) == length && memcmp(known[i].name, name, length) == 0)
            return known[i].causes;
    return 0;
}

/* The causes in a list such as "bounds,null", up to the end of the option. */
static unsigned checks_in(const char *list)
{
    unsigned causes = 0;
    for (size_t length; (length = strcspn(list, ", ")) > 0 || *list == ','; list += length + (list[length] == ',')) {
        causes |= checks_of(list, length);
        if (list[length] != ',')
            break;
    }
    return causes;
}

/* gcc keeps its options in debug information, clang does so with -grecord-command-line. Without them there can be any
 * check. */
static unsigned checks_at(const struct machine *m, uint32_t pc)
{
    static const char on[] = " -fsanitize=", off[] = " -fno-sanitize=";
    const char *producer = image_producer_at(m->image, pc);
    unsigned causes = 0;
    if (!producer || !strstr(producer, " -"))
        return CHECKED;
    for (const char *at = producer; (at = strstr(at, " -f")); at++)
        if (strncmp(at, on, strlen(on)) == 0)
            causes |= checks_in(at + strlen(on));
        else if (strncmp(at, off, strlen(off)) == 0)
            causes &= ~checks_in(at + strlen(off));
    return causes;
}

/* ---- causes ---- */

/* A call that is in the source, rather than put in by the compiler: debug information describes it, or has it on
 * another line than the condition. */
static bool is_written(const struct image *i, const struct trap *t)
{
    struct image_line call, from;
    if (t->call == TRAP_NOWHERE)
        return false;
    bool lines = !t->shared && t->from != TRAP_NOWHERE && image_line_at(i, t->call, &call) &&
                 image_line_at(i, t->from, &from) && call.line != from.line;
    return lines || debug_calls_abort(i, t->after);
}

/* Functions whose name says it. */
static enum motet_trap_cause cause_by_name(const struct machine *m, uint32_t entry)
{
    const struct image_symbol *s = image_symbol_at(m->image, entry);
    if (s && strncmp(s->name, "__assert", 8) == 0)
        return MOTET_TRAP_ASSERTION;
    return s && strcmp(s->name, "__stack_chk_fail") == 0 ? MOTET_TRAP_STACK_SMASHED : MOTET_TRAP_UNKNOWN;
}

/* A number is shifted by at most as many bits as it has. */
static bool can_be_width(const struct trap *t)
{
    return !t->size || t->bound == 8 || t->bound == 16 || t->bound == 32 || t->bound == 64;
}

static enum motet_trap_cause cause_by_test(const struct trap *t, unsigned checks)
{
    static const unsigned causes[] = {
        [TRAP_TEST_NONE] = CHECKED,
        [TRAP_TEST_ZERO] = ZERO_CAUSES,
        [TRAP_TEST_RANGE] = RANGE_CAUSES,
        [TRAP_TEST_OVERFLOW] = BIT(OVERFLOW),
    };
    unsigned left = causes[t->test] & checks & (can_be_width(t) ? ~0u : ~BIT(SHIFT));
    if (left == ZERO_CAUSES)
        return MOTET_TRAP_ZERO;
    if (left == RANGE_CAUSES)
        return MOTET_TRAP_RANGE;
    bool one = left && !(left & (left - 1));
    return one ? (enum motet_trap_cause)__builtin_ctz(left) : MOTET_TRAP_UNKNOWN;
}

static int64_t as_signed(uint32_t value, unsigned size)
{
    int64_t range = INT64_C(1) << 8 * size;
    return value >= range / 2 ? value - range : value;
}

void trap_judge(const struct machine *m, const struct fault *f, struct motet_fault *judged)
{
    const struct trap *t = &f->trap;
    unsigned checks = checks_at(m, f->pc);
    judged->cause = cause_by_name(m, t->entry);
    if (judged->cause != MOTET_TRAP_UNKNOWN)
        return;
    judged->cause = checks && !is_written(m->image, t) ? cause_by_test(t, checks) : MOTET_TRAP_ABORT;
    /* An optimising compiler may compare something else that comes to the same; then it is no array's size. */
    if ((judged->cause == MOTET_TRAP_BOUNDS || judged->cause == MOTET_TRAP_RANGE) && t->size &&
        debug_has_array(m->image, t->bound)) {
        judged->index = t->size > 1 ? as_signed(t->value, t->size) : t->value; /* bytes are unsigned numbers */
        judged->bound = t->bound;
    }
}

/* ---- words ---- */

static const struct {
    const char *name, *title, *sentence;
} words[MOTET_TRAP_CAUSES] = {
    [MOTET_TRAP_UNKNOWN] = {"unknown", "trap", "a check of the compiler failed, or abort() was called"},
    [MOTET_TRAP_ABORT] = {"abort", "trap", "abort() was called"},
    [MOTET_TRAP_ASSERTION] = {"assertion", "failed assertion", "assert() found its condition to be false"},
    [MOTET_TRAP_STACK_SMASHED] = {"stack-smashed", "stack smashed",
                                  "the end of a buffer on the stack was written over"},
    [MOTET_TRAP_BOUNDS] = {"index-out-of-bounds", "index out of bounds", "a check of the compiler failed"},
    [MOTET_TRAP_NULL] = {"null-pointer", "null pointer", "a check of the compiler failed: the pointer is null"},
    [MOTET_TRAP_DIVISION] = {"division-by-zero", "division by zero", "a check of the compiler failed"},
    [MOTET_TRAP_SHIFT] = {"shift-too-far", "shift too far",
                          "a check of the compiler failed: a number was shifted by as many bits as it has, or more"},
    [MOTET_TRAP_ZERO] = {"null-pointer-or-division-by-zero", "null pointer or division by zero",
                         "a check of the compiler failed: a value was zero"},
    [MOTET_TRAP_RANGE] = {"index-out-of-bounds-or-shift-too-far", "index out of bounds or shift too far",
                          "a check of the compiler failed"},
    [MOTET_TRAP_OVERFLOW] = {"integer-overflow", "integer overflow", "a check of the compiler failed"},
};

const char *motet_trap_name(enum motet_trap_cause cause)
{
    return (unsigned)cause < MOTET_TRAP_CAUSES ? words[cause].name : NULL;
}

const char *trap_title(enum motet_trap_cause cause)
{
    return words[cause].title;
}

const char *trap_sentence(enum motet_trap_cause cause)
{
    return words[cause].sentence;
}
