#include "rewrite/flow.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void flow_label(const char *line, char name[FLOW_NAME])
{
    line = listing_trimmed(line);
    size_t n = strcspn(line, ": \t\"");
    name[0] = '\0';
    if (line[n] == ':' && n < FLOW_NAME && *line != ';') /* no comment */
        snprintf(name, FLOW_NAME, "%.*s", (int)n, line);
}

/* What follows a label. */
static const char *code_of(const char *line)
{
    char label[FLOW_NAME];
    line = listing_trimmed(line);
    flow_label(line, label);
    return label[0] ? listing_trimmed(line + strlen(label) + 1) : line;
}

bool flow_is_instruction(const char *line)
{
    return isalpha((unsigned char)*code_of(line));
}

static bool flow_is_word(const char *code, const char *list)
{
    size_t n = strcspn(code, " \t;");
    for (const char *at = list; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == n && strncmp(at, code, n) == 0)
            return true;
    return false;
}

bool flow_skips(const char *line)
{
    return flow_is_word(code_of(line), "cpse sbrc sbrs sbic sbis");
}

/* Nothing follows it. */
static bool ends(const char *code)
{
    return flow_is_word(code, "ret reti rjmp jmp ijmp eijmp br");
}

/* It goes to a place that is worked out: in a table, or in a register. */
static bool goes_anywhere(const char *code)
{
    const char *operand = listing_trimmed(code + strcspn(code, " \t"));
    return flow_is_word(code, "ijmp eijmp") || (flow_is_word(code, "br") && *operand != '#') ||
           (flow_is_word(code, "rjmp jmp") && strstr(operand, "tablejump"));
}

bool flow_jumps(const char *line, char target[FLOW_NAME])
{
    const char *code = code_of(line);
    target[0] = '\0';
    if ((!listing_starts(code, "br") && !listing_starts(code, "j") && !listing_starts(code, "rjmp")) ||
        flow_is_word(code, "break"))
        return false;
    const char *operand = code + strcspn(code, " \t"), *comma;
    if ((comma = strrchr(operand, ',')))
        operand = comma + 1;
    operand = listing_trimmed(operand);
    operand += *operand == '#';
    snprintf(target, FLOW_NAME, "%.*s", (int)strcspn(operand, " \t;"), operand);
    return true;
}

/* ---- the lines that may follow ---- */

struct flow {
    const struct listing *l;
    size_t first, count;
    size_t *next, next_count, next_room; /* of all lines, one after the other */
    size_t *from;                        /* where those of a line begin in it */
    bool *calls, *returns;               /* lines that call, or go elsewhere; that return */
};

static void follows(struct flow *f, size_t line)
{
    if (line >= f->count)
        return;
    f->next = memory_grow(f->next, &f->next_room, f->next_count, sizeof *f->next);
    f->next[f->next_count++] = line;
}

static const char *line_at(const struct flow *f, size_t line)
{
    return f->l->list[f->first + line];
}

/* After the next instruction. */
static size_t behind_next(const struct flow *f, size_t line)
{
    do
        line++;
    while (line < f->count && !flow_is_instruction(line_at(f, line)));
    return line + 1;
}

/* Labels of the function that the jump leads to; numbers may be there several times. False: it leads elsewhere. */
static bool follow_jump(struct flow *f, size_t line, const char *target)
{
    char label[FLOW_NAME], name[FLOW_NAME];
    size_t digits = strspn(target, "0123456789");
    bool number = digits && (target[digits] == 'b' || target[digits] == 'f') && !target[digits + 1];
    bool backward = number && target[digits] == 'b';
    snprintf(name, sizeof name, "%.*s", (int)(number ? digits : strlen(target)), target);
    if (name[0] == '.' && (!name[1] || name[1] == '+')) { /* near: to one of the next */
        follows(f, line + 1);
        follows(f, behind_next(f, line));
        return true;
    }
    if (listing_starts(name, ".-") || listing_starts(name, "$-")) {
        follows(f, line);
        return true;
    }
    for (size_t i = 0; i < f->count; i++) {
        size_t at = backward ? line - i : number ? line + i : i;
        if ((backward && i > line) || at >= f->count)
            return false;
        flow_label(line_at(f, at), label);
        if (strcmp(label, name) == 0) {
            follows(f, at);
            return true;
        }
    }
    return false;
}

bool flow_is_place(const char *label)
{
    bool llvm = listing_starts(label, ".LBB") && strchr(label, '_');
    return llvm || (listing_starts(label, ".L") && isdigit((unsigned char)label[2]));
}

/* Whether its address is in a table, or is put into a register. */
static bool is_taken(const struct listing *l, const char *label)
{
    size_t n = strlen(label);
    for (size_t i = 0; i < l->count; i++) {
        const char *line = listing_trimmed(l->list[i]);
        bool constant =
            listing_starts(line, ".word") || listing_starts(line, ".short") || listing_starts(line, ".2byte");
        if (!constant && !strstr(line, "gs(") && !strstr(line, "pm(") && !strstr(line, "#.L"))
            continue;
        const char *at = strstr(line, label);
        if (at && !isalnum((unsigned char)at[n]) && at[n] != '_')
            return true;
    }
    return false;
}

/* Tail calls of other functions go out of this one. */
static void follow_anywhere(struct flow *f)
{
    char label[FLOW_NAME] = "";
    for (size_t i = 0; i < f->count; i++) {
        flow_label(line_at(f, i), label);
        if (flow_is_place(label) && is_taken(f->l, label))
            follows(f, i);
    }
}

/* A jump through a table that it names, as in `br .LJTI7_0(r12)`: to the places in that alone. False: it names none, or
 * one that leads elsewhere. */
static bool follow_table(struct flow *f, size_t line, const char *code)
{
    char table[FLOW_NAME], label[FLOW_NAME];
    const char *operand = listing_trimmed(code + strcspn(code, " \t"));
    size_t n = strcspn(operand, "("), at = 0;
    if (!flow_is_word(code, "br") || !listing_starts(operand, ".LJTI") || operand[n] != '(' || n >= sizeof table)
        return false;
    snprintf(table, sizeof table, "%.*s", (int)n, operand);
    do {
        if (at == f->l->count)
            return false;
        flow_label(f->l->list[at++], label);
    } while (strcmp(label, table) != 0);
    size_t begin = at;
    for (; at < f->l->count && listing_starts(listing_trimmed(f->l->list[at]), ".short"); at++) {
        const char *place = listing_trimmed(listing_trimmed(f->l->list[at]) + strlen(".short"));
        snprintf(label, sizeof label, "%.*s", (int)strcspn(place, " \t;"), place);
        if (!follow_jump(f, line, label))
            return false;
    }
    return at > begin;
}

static void find_next(struct flow *f)
{
    char target[FLOW_NAME];
    for (size_t i = 0; i < f->count; i++) {
        const char *code = code_of(line_at(f, i));
        f->from[i] = f->next_count;
        if (!isalpha((unsigned char)*code)) {
            follows(f, i + 1);
            continue;
        }
        bool anywhere = goes_anywhere(code) && !follow_table(f, i, code);
        f->calls[i] = anywhere || strstr(code, "call");
        f->returns[i] = flow_is_word(code, "ret reti");
        if (anywhere)
            follow_anywhere(f);
        else if (!goes_anywhere(code) && flow_jumps(code, target))
            f->calls[i] = !follow_jump(f, i, target);
        if (!ends(code))
            follows(f, i + 1);
        if (flow_skips(code))
            follows(f, behind_next(f, i));
    }
    f->from[f->count] = f->next_count;
}

/* ---- circles ---- */

enum colour { UNSEEN, UNDER_WAY, DONE };

/* From one line on, in depth. */
static bool comes_round(const struct flow *f, size_t start, const bool *passed, unsigned char *colour, size_t *way,
                        size_t *at)
{
    size_t depth = 0;
    way[0] = start;
    at[start] = f->from[start];
    colour[start] = UNDER_WAY;
    for (;;) {
        size_t line = way[depth];
        if (at[line] == f->from[line + 1]) {
            colour[line] = DONE;
            if (!depth--)
                return false;
            continue;
        }
        size_t next = f->next[at[line]++];
        if (passed[next] || colour[next] == DONE)
            continue;
        if (colour[next] == UNDER_WAY)
            return true;
        colour[next] = UNDER_WAY;
        at[next] = f->from[next];
        way[++depth] = next;
    }
}

bool flow_has_circle(const struct flow *f, const bool *passed)
{
    size_t *way = memory_array(f->count + 1, sizeof *way), *at = memory_array(f->count + 1, sizeof *at);
    unsigned char *colour = memory_array(f->count + 1, 1);
    bool circle = false;
    for (size_t i = 0; i < f->count && !circle; i++)
        circle = !passed[f->first + i] && colour[i] == UNSEEN && comes_round(f, i, passed + f->first, colour, way, at);
    free(way);
    free(at);
    free(colour);
    return circle;
}

/* ---- from one line on ---- */

static bool comes_to(const struct flow *f, size_t from, size_t to, const bool *any, const bool *passed)
{
    size_t *open = memory_array(f->count + 1, sizeof *open), count = 1;
    bool *seen = memory_array(f->count + 1, sizeof *seen), found = false;
    open[0] = from - f->first;
    while (count && !found) {
        size_t line = open[--count];
        for (size_t i = f->from[line]; i < f->from[line + 1] && !found; i++) {
            size_t next = f->next[i];
            found = next + f->first == to;
            if (found || seen[next] || (passed && passed[f->first + next]))
                continue;
            seen[next] = true;
            found = any && any[next];
            open[count++] = next;
        }
    }
    free(open);
    free(seen);
    return found;
}

bool flow_comes_to(const struct flow *f, size_t from, size_t to, const bool *passed)
{
    return comes_to(f, from, to, NULL, passed);
}

bool flow_comes_to_call(const struct flow *f, size_t from, const bool *passed)
{
    return comes_to(f, from, SIZE_MAX, f->calls, passed);
}

bool flow_comes_to_return(const struct flow *f, size_t from, const bool *passed)
{
    return comes_to(f, from, SIZE_MAX, f->returns, passed);
}

/* ---- all of them ---- */

struct flow *flow_new(const struct listing *l, size_t first, size_t last)
{
    struct flow *f = memory_new(sizeof *f);
    *f = (struct flow){.l = l, .first = first, .count = last - first + 1};
    f->from = memory_array(f->count + 1, sizeof *f->from);
    f->calls = memory_array(f->count + 1, sizeof *f->calls);
    f->returns = memory_array(f->count + 1, sizeof *f->returns);
    find_next(f);
    return f;
}

void flow_free(struct flow *f)
{
    if (!f)
        return;
    free(f->from);
    free(f->calls);
    free(f->returns);
    free(f->next);
    free(f);
}
