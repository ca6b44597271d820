#include "rewrite/loops.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/entry_steps.h"
#include "rewrite/rounds.h"

/* A function's own section begins, or goes on. */
static bool is_text_section(const char *line)
{
    line = listing_trimmed(line);
    return listing_starts(line, ".section") && listing_starts(listing_trimmed(line + strlen(".section")), ".text.");
}

/* ---- loops ---- */

/* A line of ours: a count, an entry of the recorder, the mark of a polling loop. */
static bool loops_is_known(const char *line)
{
    return (strstr(line, "motet_") && !strstr(line, "motet_uncounted")) || strstr(line, ".motet.polls");
}

/* Labels in it that are named elsewhere too: by debug information, or by jumps. */
static bool is_named_elsewhere(const struct listing *l, size_t first, size_t last, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < l->count; i++) {
        if (i == first)
            i = last + 1;
        for (const char *at = i < l->count ? l->list[i] : ""; (at = strstr(at, name)); at += n)
            if (!isalnum((unsigned char)at[n]) && at[n] != '_')
                return true;
    }
    return false;
}

/* Whether lines can go elsewhere as they are: all ways in them stay in them, and their end leads to what follows. */
static bool is_closed(const struct listing *l, size_t first, size_t last)
{
    char name[FLOW_NAME], label[FLOW_NAME];
    for (size_t i = first; i <= last; i++) {
        const char *line = listing_trimmed(l->list[i]);
        flow_label(line, name);
        if (name[0] && !isdigit((unsigned char)name[0]) && is_named_elsewhere(l, first, last, name))
            return false;
        if (listing_starts(line, ".") && !name[0] && !listing_starts(line, ".loc"))
            return false;
        if (!flow_jumps(line, name))
            continue;
        size_t digits = strspn(name, "0123456789"), to = first;
        name[digits ? digits : strlen(name)] = '\0';
        for (; to <= last; to++) {
            flow_label(l->list[to], label);
            if (strcmp(label, name) == 0)
                break;
        }
        if (to > last)
            return false;
    }
    return true;
}

/* Whether a jump from elsewhere in the function leads to a number among the lines. */
static bool is_entered(const struct listing *l, size_t function, size_t end, size_t first, size_t last)
{
    char target[FLOW_NAME], label[FLOW_NAME];
    for (size_t i = function; i <= end; i++) {
        if (i == first)
            i = last + 1;
        if (i > end || !flow_jumps(l->list[i], target) || !isdigit((unsigned char)target[0]))
            continue;
        size_t digits = strspn(target, "0123456789");
        bool backward = target[digits] == 'b';
        target[digits] = '\0';
        for (size_t at = i; at >= function && at <= end; at += backward ? (size_t)-1 : 1) {
            flow_label(l->list[at], label);
            if (strcmp(label, target) != 0)
                continue;
            if (at >= first && at <= last)
                return true;
            break;
        }
    }
    return false;
}

/* A loop of few lines without a call that ends in a jump back: of those that the compiler makes in one piece. It begins
 * with its label, or with a jump into it. */
static bool is_short_loop(const struct listing *l, size_t first, size_t jump, size_t *begin)
{
    enum { LONGEST = 24 };
    char target[FLOW_NAME], label[FLOW_NAME];
    if (!flow_jumps(l->list[jump], target) || !target[0])
        return false;
    size_t digits = strspn(target, "0123456789");
    if (digits && (target[digits] != 'b' || target[digits + 1]))
        return false;
    target[digits ? digits : strlen(target)] = '\0';
    size_t at = jump;
    do {
        if (at-- == first || jump - at > LONGEST || loops_is_known(l->list[at]) || strstr(l->list[at], "call"))
            return false;
        flow_label(l->list[at], label);
    } while (strcmp(label, target) != 0);
    size_t before = at;
    while (before > first && !flow_is_instruction(l->list[before - 1]) && !listing_starts(l->list[before - 1], "."))
        before--;
    if (before > first && flow_jumps(l->list[before - 1], label) && isdigit((unsigned char)label[0]) &&
        strchr(label, 'f') && is_closed(l, before - 1, jump))
        at = before - 1;
    *begin = at;
    for (before = at; before > first && !flow_is_instruction(l->list[before - 1]);)
        before--;
    return is_closed(l, at, jump) && !flow_skips(l->list[before > first ? before - 1 : first]);
}

/* ---- functions ---- */

/* The line that ends a function of that name with its size; 0: none. */
static size_t find_end(const struct listing *l, size_t first, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = first; i < l->count; i++) {
        const char *line = listing_trimmed(l->list[i]);
        if (!listing_starts(line, ".size"))
            continue;
        line = listing_trimmed(line + 5);
        if (listing_starts(line, name) && line[n] == ',')
            return i;
    }
    return 0;
}

static bool is_function(const struct listing *l, size_t label, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = label, seen = 0; i-- > 0 && seen < 16; seen++) {
        const char *line = listing_trimmed(l->list[i]);
        if (listing_starts(line, ".type") && listing_starts(listing_trimmed(line + 5), name) &&
            listing_trimmed(line + 5)[n] == ',')
            return strstr(line, "function") != NULL;
    }
    return false;
}

/* What is to be moved: whole functions, or loops alone. */
struct moves {
    struct emitted *functions; /* all there are, in the order of their lines */
    size_t count;
    size_t *loop_end; /* of a loop's first line, its last; 0: begins none */
    bool *passed;     /* counts, or is in such a loop */
    bool *counting;   /* calls a routine that will count */
};

/* Loops of a function that can be moved alone; false if others are left that do not count. */
static bool take_loops(const struct listing *l, const struct flow *f, size_t first, size_t last, struct moves *m)
{
    size_t begin;
    if (!flow_has_circle(f, m->passed))
        return true;
    for (size_t i = first; i <= last; i++)
        if (is_short_loop(l, first, i, &begin) && !m->passed[begin] && !is_entered(l, first, last, begin, i)) {
            m->loop_end[begin] = i;
            memset(m->passed + begin, true, i - begin + 1);
        }
    if (!flow_has_circle(f, m->passed))
        return true;
    memset(m->loop_end + first, 0, (last - first + 1) * sizeof *m->loop_end);
    return false;
}

/* ---- steps ---- */

/* How many lines from this one on are a step; 0: it begins none. */
static size_t loops_step(const struct listing *l, size_t i)
{
    return strstr(l->list[i], "motet_step_far") && strstr(l->list[i], "call") ? 1 : rounds_step(l, i);
}

/* Whether a step distinguishes no two moments: every way round passes another one, or an event; so does every way
 * from it to a call, which may or may not count by itself; and each pass through the function has one all the same,
 * before this or after. Its lines end with `last`. */
static bool is_spare(const struct flow *f, const struct emitted *of, size_t step, size_t last, const bool *counted)
{
    return !flow_comes_to(f, last, step, counted) && !flow_comes_to_call(f, last, counted) &&
           ((step != of->first && (of->enters || !flow_comes_to(f, of->first, step, counted))) ||
            !flow_comes_to_return(f, last, counted));
}

/* Lines of a function that always count. */
static bool *find_counted(const struct listing *l, const struct emitted *of, const struct moves *m)
{
    bool *counted = memory_array(l->count + 1, sizeof *counted);
    for (size_t i = of->first; i <= of->last; i++)
        counted[i] = rounds_counts(l->list[i]) || m->counting[i];
    return counted;
}

/* Leaves a step out that is spare. */
static void spare_step(struct listing *l, const struct flow *f, const struct emitted *of, size_t step, size_t lines,
                       bool *counted)
{
    bool was = counted[step];
    memset(counted + step, false, lines * sizeof *counted);
    counted[step] = was && !is_spare(f, of, step, step + lines - 1, counted);
    for (size_t i = step; i < step + lines && !counted[step]; i++)
        l->list[i][0] = '\0';
}

/* Functions that the compiler has made part of others bring the steps of their loops there, where many are spare. One
 * that an instruction may skip stays. */
static void spare_steps(struct listing *l, const struct flow *f, struct emitted *of, const struct moves *m)
{
    bool *counted = find_counted(l, of, m);
    size_t before = of->first, lines;
    if (of->enters && is_spare(f, of, of->first, of->first, counted)) {
        of->enters = false;
        of->counts = true;
    }
    counted[of->first] = of->enters;
    for (size_t i = of->first; i <= of->last; before = flow_is_instruction(l->list[i]) ? i : before, i++)
        if ((lines = loops_step(l, i)) && !flow_skips(l->list[before]))
            spare_step(l, f, of, i, lines, counted);
    free(counted);
}

/* Clones that a compiler makes of a function have dots in their names. */
static size_t name_length(const char *name)
{
    return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$");
}

/* The function of this file that a line calls; NULL: none. */
static struct emitted *called_here(const struct moves *m, const char *line)
{
    line = listing_trimmed(line);
    if (!listing_starts(line, "call") && !listing_starts(line, "rcall"))
        return NULL;
    const char *name = listing_trimmed(line + strcspn(line, " \t"));
    name += *name == '#';
    size_t n = name_length(name);
    for (size_t i = 0; i < m->count; i++)
        if (strlen(m->functions[i].name) == n && strncmp(m->functions[i].name, name, n) == 0)
            return &m->functions[i];
    return NULL;
}

/* A function needs no step either that always calls one that counts before it calls others. That one then keeps its
 * own. */
static void spare_entry(const struct listing *l, struct emitted *of, const struct moves *m)
{
    struct flow *f = flow_new(l, of->first, of->last);
    bool *counted = find_counted(l, of, m);
    for (size_t i = of->first; i <= of->last; i++) {
        const struct emitted *to = called_here(m, l->list[i]);
        counted[i] |= to && to != of && (to->enters || to->counts);
    }
    if (is_spare(f, of, of->first, of->first, counted)) {
        of->enters = false;
        for (size_t i = of->first; i <= of->last; i++) {
            struct emitted *to = called_here(m, l->list[i]);
            if (to)
                to->counts |= to->enters;
        }
    }
    free(counted);
    flow_free(f);
}

/* Code before main, which nothing interrupts. */
static bool is_early_section(const char *line)
{
    line = listing_trimmed(line + strlen(".section"));
    return listing_starts(line, ".init") || listing_starts(line, ".fini");
}

/* Of functions that are recorded as a whole replay executes nothing: all their addresses are one place. */
static void find_functions(const struct listing *l, struct moves *m)
{
    const char *section = NULL;
    bool early = false;
    size_t room = 0;
    for (size_t i = 0; i < l->count; i++) {
        char name[FLOW_NAME];
        if (is_text_section(l->list[i]))
            section = listing_trimmed(l->list[i]);
        if (listing_starts(listing_trimmed(l->list[i]), ".section"))
            early = is_early_section(listing_trimmed(l->list[i]));
        flow_label(l->list[i], name);
        if (early || !name[0] || name[0] == '.' || !section || !is_function(l, i, name) ||
            listing_starts(name, "motet_whole_"))
            continue;
        size_t last = find_end(l, i, name);
        if (!last)
            continue;
        m->functions = memory_grow(m->functions, &room, m->count, sizeof *m->functions);
        struct emitted *of = &m->functions[m->count++];
        *of = (struct emitted){.first = i, .last = last, .section = section};
        snprintf(of->name, sizeof of->name, "%s", name);
    }
}

/* Whether the functions are counted, and which of their loops or they themselves are moved. */
static void find_late(struct listing *l, struct moves *m)
{
    for (size_t i = 0; i < l->count; i++)
        m->passed[i] = loops_is_known(l->list[i]);
    find_functions(l, m);
    for (size_t i = 0; i < m->count; i++) {
        struct emitted *of = &m->functions[i];
        struct flow *f = flow_new(l, of->first, of->last);
        of->late = !take_loops(l, f, of->first, of->last, m);
        flow_free(f);
    }
    entry_steps_find(l, m->functions, m->count);
    for (size_t i = 0; i < m->count; i++) {
        struct emitted *of = &m->functions[i];
        struct flow *f = of->late ? NULL : flow_new(l, of->first, of->last);
        if (f)
            spare_steps(l, f, of, m);
        flow_free(f);
    }
    for (size_t i = 0; i < m->count; i++)
        if (m->functions[i].enters && !m->functions[i].late && !m->functions[i].counts)
            spare_entry(l, &m->functions[i], m);
}

/* How long the line is up to the name of its section: after a table of jumps it goes on by that alone. */
static size_t section_length(const char *line)
{
    return strcspn(line, ",");
}

/* The line that begins a section, with the section under its other name if it is to have one; constants of any length
 * may lie before it there. */
static void loops_write_line(FILE *f, const char *line, const struct moves *m, const char *prefix)
{
    const char *begins = listing_trimmed(line);
    size_t length = section_length(begins);
    bool section = is_text_section(line);
    for (size_t i = 0; i < m->count && section; i++)
        if (m->functions[i].late && section_length(m->functions[i].section) == length &&
            strncmp(begins, m->functions[i].section, length) == 0) {
            fprintf(f, "\t.section\t%s%s\n\t.p2align 1\n", prefix,
                    listing_trimmed(begins + strlen(".section")) + strlen(".text."));
            return;
        }
    fprintf(f, "%s\n", line);
}

/* The function that the line is in, and the place in the source that it comes from. */
static void find_origin(const struct listing *l, size_t line, char function[FLOW_NAME], const char **place)
{
    *place = "";
    function[0] = '\0';
    for (size_t i = line; i-- > 0 && !function[0];) {
        if (!**place && listing_starts(listing_trimmed(l->list[i]), ".loc"))
            *place = l->list[i];
        flow_label(l->list[i], function);
        if (function[0] == '.' || isdigit((unsigned char)function[0]))
            function[0] = '\0';
    }
}

/* A loop goes to a section of its own, where it is named FUNCTION.loopN, and jumps back from there. */
static void write_loop(FILE *f, const struct listing *l, size_t first, size_t last, const char *prefix)
{
    char function[FLOW_NAME], name[FLOW_NAME + 32];
    const char *jump = strstr(prefix, "progmem") ? "jmp " : "br #", *place;
    find_origin(l, first, function, &place);
    snprintf(name, sizeof name, "%s.loop%zu", function, first);
    fprintf(f, "\t%s%s\n\t.pushsection %sloops,\"ax\",@progbits\n\t.p2align 1\n\t.type %s,@function\n%s:\n%s\n", jump,
            name, prefix, name, name, place);
    for (size_t i = first; i <= last; i++)
        fprintf(f, "%s\n", l->list[i]);
    fprintf(f, "\t%s.Lmotet_behind%zu\n\t.size %s, .-%s\n\t.popsection\n.Lmotet_behind%zu:\n", jump, first, name, name,
            first);
}

/* A call of what the compiler has for division, floating point and the like: it is not in the source, does not count,
 * and looks the same from within if the same is worked out twice. Where its name begins in the line; NULL: none. */
static const char *routine_called(const char *line)
{
    static const char *const others[] = {"__prologue", "__epilogue", "__tablejump", "__vector", NULL};
    line = listing_trimmed(line);
    if (!listing_starts(line, "call") && !listing_starts(line, "rcall"))
        return NULL;
    const char *name = listing_trimmed(line + strcspn(line, " \t"));
    name += *name == '#';
    for (unsigned i = 0; others[i]; i++)
        if (listing_starts(name, others[i]))
            return NULL;
    return listing_starts(name, "__") ? name : NULL;
}

/* So what is called counts first. It is as long as it was: branches over it reach as far as they must. No register or
 * flag is of use there that a step changes. */
static void write_counted(FILE *f, const char *line, const char *name)
{
    fprintf(f, "%.*smotet_r%s\n", (int)(name - line), line, name);
}

/* The routines called, each once, but functions of the file itself. */
struct routines {
    const char *names[1024];
    size_t count;
};

static bool is_among(const struct routines *r, const char *name)
{
    for (size_t i = 0; name && i < r->count; i++)
        if (name_length(r->names[i]) == name_length(name) && strncmp(r->names[i], name, name_length(name)) == 0)
            return true;
    return false;
}

static bool is_defined(const struct listing *l, const char *name)
{
    char label[FLOW_NAME];
    for (size_t i = 0; i < l->count; i++) {
        flow_label(l->list[i], label);
        if (strlen(label) == name_length(name) && strncmp(label, name, strlen(label)) == 0)
            return true;
    }
    return false;
}

static void find_routines(const struct listing *l, struct routines *r)
{
    struct routines own = {.count = 0};
    for (size_t i = 0; i < l->count; i++) {
        const char *name = routine_called(l->list[i]);
        if (!name || is_among(r, name) || is_among(&own, name))
            continue;
        struct routines *to = is_defined(l, name) ? &own : r;
        if (to->count < sizeof to->names / sizeof *to->names)
            to->names[to->count++] = name;
    }
}

/* On MSP430 the step is in place: multiplications are many. */
static void write_counting(FILE *f, const struct routines *r, const char *prefix)
{
    const char *step = strstr(prefix, "progmem") ? "call motet_step_far\n\tjmp "
                                                 : "inc.b &motet_count\n\tjnz 1f\n\tcall #motet_wrapped\n1:\tbr #";
    for (size_t i = 0; i < r->count; i++) {
        const char *name = r->names[i];
        int n = (int)name_length(name);
        fprintf(f,
                "\t.section .text.motet_r%.*s,\"axG\",@progbits,motet_r%.*s,comdat\n\t.weak motet_r%.*s\n\t"
                ".type motet_r%.*s,@function\nmotet_r%.*s:\n\t%s%.*s\n\t.size motet_r%.*s, .-motet_r%.*s\n",
                n, name, n, name, n, name, n, name, n, name, step, n, name, n, name, n, name);
    }
}

/* The line after which a function's step goes: the last before its first instruction that only describes the function.
 * So the step is part of the function for debug information: parameters are where they are from .LVL0 on. A place that
 * jumps lead to stays after the step. */
static size_t loops_step_after(const struct listing *l, const struct emitted *of)
{
    static const char *const describe[] = {".LFB",  ".LVL", ".LFSB", ".Lfunc_begin", ".loc", ".file",
                                           ".cfi_", ";",    "/*"};
    size_t after = of->first;
    for (size_t i = of->first + 1; i < of->last; i++) {
        const char *line = listing_trimmed(l->list[i]);
        bool describes = !*line;
        for (size_t k = 0; k < sizeof describe / sizeof *describe; k++)
            describes |= listing_starts(line, describe[k]);
        if (!describes)
            break;
        after = i;
    }
    return after;
}

/* All lines, with what is moved and what counts. */
static void write_all(FILE *f, const struct listing *l, const struct moves *m, const char *prefix)
{
    const struct emitted *next = m->functions, *end = m->functions + m->count;
    for (size_t i = 0; i < l->count; i++) {
        if (m->loop_end[i]) {
            write_loop(f, l, i, m->loop_end[i], prefix);
            i = m->loop_end[i];
        } else if (m->counting[i]) {
            write_counted(f, l->list[i], routine_called(l->list[i]));
        } else {
            loops_write_line(f, l->list[i], m, prefix);
        }
        for (; next != end && loops_step_after(l, next) <= i; next++)
            if (next->enters)
                fprintf(f, "\tcall %smotet_step_far\n", strstr(prefix, "progmem") ? "" : "#");
    }
}

static void free_moves(struct moves *m)
{
    free(m->functions);
    free(m->loop_end);
    free(m->passed);
    free(m->counting);
}

bool loops_move(const char *path, const char *prefix, unsigned *entries, struct motet_error *e)
{
    struct listing l = {0};
    if (!listing_read(&l, path, e))
        return false;
    struct moves m = {.loop_end = memory_array(l.count + 1, sizeof *m.loop_end),
                      .passed = memory_array(l.count + 1, sizeof *m.passed),
                      .counting = memory_array(l.count + 1, sizeof *m.counting)};
    struct routines routines = {.count = 0};
    find_routines(&l, &routines);
    for (size_t i = 0; i < l.count; i++)
        m.counting[i] = is_among(&routines, routine_called(l.list[i]));
    find_late(&l, &m);
    *entries = 0;
    for (size_t i = 0; i < m.count; i++)
        *entries += m.functions[i].enters;
    FILE *f = fopen(path, "wb");
    if (f) {
        write_all(f, &l, &m, prefix);
        write_counting(f, &routines, prefix);
    }
    bool good = f && !ferror(f);
    good = (!f || fclose(f) == 0) && good;
    free_moves(&m);
    listing_free(&l);
    return good || error_set(e, "cannot write %s: %s", path, strerror(errno));
}
