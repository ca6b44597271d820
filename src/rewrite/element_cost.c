#include "rewrite/element_cost.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum cost_way { COST_LOGGED, COST_LOST, COST_INTERRUPTED, COST_WAYS };
enum { COST_LINES = 256, COST_DEPTH = 4 };

struct cost {
    char *lines[COST_LINES]; /* of assembly, with the labels before them */
    size_t count;
    bool avr;
    enum cost_way way;
};

/* ---- lines ---- */

static void cost_split(struct cost *c, char *text)
{
    for (char *at = text, *end; at && c->count < COST_LINES; at = end) {
        end = strstr(at, "\\n");
        if (end) {
            *end = 0;
            end += 2;
        }
        for (char *tab; (tab = strstr(at, "\\t"));)
            tab[0] = tab[1] = ' ';
        c->lines[c->count++] = at;
    }
}

/* The instruction of a line, after its label. */
static const char *cost_instruction(const char *line)
{
    const char *colon = strchr(line, ':');
    size_t name = strspn(line, " ");
    if (colon && name + strspn(line + name, "_abcdefghijklmnopqrstuvwxyz0123456789") == (size_t)(colon - line))
        line = colon + 1;
    return line + strspn(line, " %~");
}

static bool cost_is_label(const char *line, const char *label)
{
    size_t length = strlen(label);
    line += strspn(line, " ");
    return strncmp(line, label, length) == 0 && line[length] == ':';
}

/* The line of a label; a number with f or b is looked for after or before `from`. */
static size_t cost_find(const struct cost *c, const char *label, size_t from)
{
    size_t length = strlen(label);
    if (isdigit((unsigned char)label[0])) {
        char number[2] = {label[0], 0};
        bool back = label[length - 1] == 'b';
        for (size_t i = from; i < c->count; i += back ? (size_t)-1 : 1)
            if (cost_is_label(c->lines[i], number))
                return i;
        return c->count;
    }
    for (size_t i = 0; i < c->count; i++)
        if (cost_is_label(c->lines[i], label))
            return i;
    return c->count;
}

/* ---- instructions ---- */

static bool cost_is(const char *instruction, const char *names)
{
    char word[16];
    size_t length = strcspn(instruction, " ");
    snprintf(word, sizeof word, " %.*s ", (int)(length < 12 ? length : 12), instruction);
    return strstr(names, word) != NULL;
}

/* The AVR's, with a program counter of 16 bits. */
static unsigned cost_avr(const char *i)
{
    return cost_is(i, " call ret ")                               ? 4
           : cost_is(i, " jmp icall rcall ")                      ? 3
           : cost_is(i, " lds sts push pop st ld std adiw rjmp ") ? 2
                                                                  : 1;
}

/* How an operand of an MSP430 is reached: 0 in a register, or a constant that is made without a word; 1 through a
 * register, or a word of the instruction; 2 in memory. */
static unsigned cost_mode(const char *operand)
{
    static const char *const made[] = {"#0", "#1", "#2", "#4", "#8", "#-1"};
    for (size_t k = 0; k < sizeof made / sizeof *made; k++)
        if (strcmp(operand, made[k]) == 0)
            return 0;
    return operand[0] == 'r' ? 0 : operand[0] == '#' || operand[0] == '@' ? 1 : 2;
}

/* The MSP430's (user's guide of the 1xx family, 3.4.4). */
static unsigned cost_msp430(const char *i)
{
    static const unsigned to_register[] = {1, 2, 3}, to_memory[] = {4, 5, 6};
    char from[80] = "", to[80] = "";
    if (i[0] == 'j')
        return 2;
    if (cost_is(i, " ret "))
        return 3;
    if (i[0] == '.')
        return strncmp(i, ".short", 6) == 0 ? to_memory[1] : 0;
    int count = sscanf(i + strcspn(i, " "), " %79[^, ] , %79[^, ]", from, to);
    if (cost_is(i, " call "))
        return from[0] == 'r' ? 4 : 5;
    if (cost_is(i, " push "))
        return 3 + cost_mode(from);
    if (cost_is(i, " pop "))
        return 2;
    if (count == 1) { /* dec, inc, tst, clr: with a constant that is made */
        strcpy(to, from);
        strcpy(from, "#1");
    }
    return cost_mode(to) ? to_memory[cost_mode(from)] : to_register[cost_mode(from)];
}

/* ---- ways ---- */

/* What the logger's functions take, without the call: elements_avr.h and elements_msp430.h. */
static unsigned cost_of_logger(const struct cost *c, const char *name)
{
    if (strcmp(name, "motet_lose") == 0)
        return c->avr ? 19 : 11;
    if (strcmp(name, "motet_interrupt") == 0)
        return c->avr ? 34 : 13; /* an AVR's ends with motet_lose */
    if (strcmp(name, "log_commit") == 0)
        return 8;
    return 0;
}

static bool cost_is_taken(const struct cost *c, const char *i)
{
    if (cost_is(i, " brne jne ")) /* another component is the target */
        return false;
    if (cost_is(i, " brpl jge "))
        return c->way == COST_INTERRUPTED;
    return cost_is(i, " jmp ") || c->way != COST_LOGGED;
}

static unsigned cost_walk(const struct cost *c, size_t at, unsigned depth)
{
    unsigned cycles = 0;
    for (unsigned steps = 0; at < c->count && steps < 2 * COST_LINES; steps++, at++) {
        const char *i = cost_instruction(c->lines[at]);
        char to[80] = "";
        sscanf(i + strcspn(i, " "), " #%79[^, ]", to);
        if (!to[0])
            sscanf(i + strcspn(i, " "), " %79[^, ]", to);
        if (at == c->count || !*i || *i == ';' || (*i == '.' && (c->avr || strncmp(i, ".short", 6) != 0)))
            continue;
        bool branches = c->avr ? strncmp(i, "br", 2) == 0 : i[0] == 'j';
        cycles += c->avr ? cost_avr(i) : cost_msp430(i);
        if (branches && cost_is_taken(c, i)) {
            cycles += c->avr;
            at = cost_find(c, to, at) - 1;
        } else if (!branches && cost_is(i, " call rcall jmp rjmp ")) {
            size_t routine = cost_find(c, to, 0);
            cycles += cost_of_logger(c, to);
            if (routine < c->count && depth < COST_DEPTH)
                cycles += cost_walk(c, routine, depth + 1);
        }
        if (cost_is(i, " ret ") || (c->avr && cost_is(i, " jmp rjmp ")))
            break;
    }
    return cycles;
}

static char *cost_routines(const struct element *e)
{
    char *text = NULL, call[40], back[40];
    size_t size;
    FILE *f = memory_must(open_memstream(&text, &size));
    if (e->avr) {
        element_routines(e, call, back);
        element_write_routine(call, f);
        element_write_routine(back, f);
        element_write_tails(f);
    }
    memory_written(f);
    return text;
}

void element_cost(const struct element *e, struct element_cost *is)
{
    char *text = NULL;
    size_t size;
    FILE *f = memory_must(open_memstream(&text, &size));
    element_write(e, f);
    memory_written(f);
    char *begin = strchr(text, '"') + 1, *end = strstr(begin, "\":"), *routines = cost_routines(e);
    if (end)
        *end = 0;
    struct cost c = {.avr = e->avr};
    cost_split(&c, begin);
    cost_split(&c, routines);
    is->most = is->logged = cost_walk(&c, 0, 0);
    for (c.way = COST_LOST; c.way < COST_WAYS; c.way++) {
        unsigned cycles = cost_walk(&c, 0, 0);
        is->most = cycles > is->most ? cycles : is->most;
    }
    free(text);
    free(routines);
}
