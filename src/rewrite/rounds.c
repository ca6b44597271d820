#include "rewrite/rounds.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/flow.h"
#include "rewrite/reach.h"

/* ---- steps ---- */

/* Whether a line has these words, however far they stand from each other. */
static bool rounds_reads(const char *line, const char *words)
{
    for (line = listing_trimmed(line); *words; words++) {
        if (*words != ' ' ? *words != *line : !isspace((unsigned char)*line))
            return false;
        line = *words == ' ' ? listing_trimmed(line) : line + 1;
    }
    return !*listing_trimmed(line);
}

size_t rounds_step(const struct listing *l, size_t line)
{
    static const char *const avr[] = {
        "lds r0,motet_count", "inc r0", "sts motet_count,r0", "brne 1f", "call motet_wrapped", "1:", NULL};
    char target[FLOW_NAME], label[FLOW_NAME];
    size_t n = 0;
    while (avr[n] && line + n < l->count && rounds_reads(l->list[line + n], avr[n]))
        n++;
    if (!avr[n])
        return n;
    if (line + 3 >= l->count || !rounds_reads(l->list[line], "inc.b &motet_count") ||
        !flow_jumps(l->list[line + 1], target) || !rounds_reads(l->list[line + 2], "call #motet_wrapped"))
        return 0;
    flow_label(l->list[line + 3], label);
    target[isdigit((unsigned char)target[0]) ? strspn(target, "0123456789") : strlen(target)] = '\0';
    return strcmp(target, label) == 0 ? 4 : 0;
}

bool rounds_counts(const char *line)
{
    static const char *const lines[] = {"motet_step_far", "motet_count",   "motet_read8",
                                        "motet_read16",   "motet_timer16", NULL};
    for (unsigned i = 0; lines[i]; i++)
        if (strstr(line, lines[i]))
            return true;
    return false;
}

/* ---- loops ---- */

enum {
    LONGEST = 100, /* lines */
    NOTABLE = 10,  /* a step that takes less than one part in so many of a round stays as it is */
    PARTS = 16,    /* copies are as many as make it less than one part in so many, */
    MOST = 8,      /* but no more than these, */
    BYTES = 24,    /* and they take no more than this, */
    INSIDE = 240,  /* or this if the loop is in another one, where it is often executed */
};

struct loop {
    size_t first, last;      /* lines: its label, and its last jump there */
    size_t step, step_lines; /* of its step */
    unsigned copies;         /* of its round, with the first */
    unsigned bytes, cycles;  /* of one, without the step */
    bool nested;             /* in another loop */
    bool drops;              /* its last jump is always taken */
    char head[FLOW_NAME];    /* its label */
    const char *inverse;     /* of its last jump; NULL: there is none */
};

struct rounds {
    struct listing l;
    bool avr;
    struct loop *loops;
    size_t count, room;
};

static bool rounds_is_number(const char *name)
{
    return isdigit((unsigned char)name[0]);
}

static bool rounds_mentions(const char *line, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = line; (at = strstr(at, name)); at += n)
        if (!isalnum((unsigned char)at[n]) && at[n] != '_')
            return true;
    return false;
}

static bool rounds_is_label_in(const struct listing *l, const struct loop *of, const char *name, size_t *line)
{
    char label[FLOW_NAME];
    for (size_t i = of->first; i <= of->last; i++) {
        flow_label(l->list[i], label);
        if (strcmp(label, name) == 0) {
            *line = i;
            return true;
        }
    }
    return false;
}

/* A comment, or what debug information needs once. */
static bool rounds_is_silent(const char *line)
{
    line = listing_trimmed(line);
    return !*line || *line == ';' || listing_starts(line, "/*") || reach_is_one_of(line, ".file .stabs .stabn .stabd");
}

/* Whether a jump of the loop leads to the label. */
static bool rounds_is_target(const struct listing *l, const struct loop *of, const char *label)
{
    char target[FLOW_NAME];
    for (size_t i = of->first; i <= of->last; i++)
        if (flow_jumps(l->list[i], target) && strcmp(target, label) == 0)
            return true;
    return false;
}

/* Whether a jump to a number leads on, to one in the loop that is not the step's: copies have none of that. */
static bool rounds_is_near(const struct listing *l, const struct loop *of, size_t jump, const char *target)
{
    char label[FLOW_NAME];
    size_t digits = strspn(target, "0123456789"), step_end = 0;
    for (size_t i = jump + 1; target[digits] == 'f' && i <= of->last; i++) {
        size_t lines = rounds_step(l, i);
        step_end = lines ? i + lines : step_end;
        flow_label(l->list[i], label);
        if (strlen(label) == digits && strncmp(label, target, digits) == 0)
            return i >= step_end;
    }
    return false;
}

/* Whether the line, in the loop, can be written once more. */
static bool rounds_may_repeat(const struct listing *l, const struct loop *of, size_t i)
{
    static const char *const never[] = {"motet", "tablejump", "gs(", "pm(", "#.L", ".+", ".-", "$", "%", NULL};
    char target[FLOW_NAME], label[FLOW_NAME];
    const char *line = listing_trimmed(l->list[i]);
    size_t at;
    flow_label(line, label);
    if (rounds_is_silent(line) || listing_starts(line, ".loc"))
        return true;
    if (label[0] && line[strlen(label) + 1] && *listing_trimmed(line + strlen(label) + 1) != ';')
        return false; /* and an instruction after it */
    if (label[0])
        return rounds_is_number(label) || listing_starts(label, ".L");
    if (*line == '.')
        return listing_starts(line, ".p2align");
    if (!isalpha((unsigned char)*line) || reach_is_one_of(line, "call rcall icall eicall ret reti ijmp eijmp push pop"))
        return false;
    char code[FLOW_NAME];
    snprintf(code, sizeof code, "%.*s", (int)strcspn(line, ";"), line);
    for (unsigned k = 0; never[k]; k++)
        if (strstr(code, never[k]))
            return false;
    if (!flow_jumps(code, target))
        return true;
    if (rounds_is_number(target))
        return rounds_is_near(l, of, i, target);
    if (strncmp(target, ".L", 2) != 0)
        return false;
    return !rounds_is_label_in(l, of, target, &at) || at > i || at == of->first;
}

/* The instruction before a line; 0: none. */
static size_t rounds_before(const struct listing *l, size_t line)
{
    while (line-- > 0)
        if (flow_is_instruction(l->list[line]))
            return line;
    return 0;
}

/* Whether another loop begins in this one, and ends after it: one that this one is around, as compilers turn them. */
static bool rounds_is_around(const struct listing *l, const struct loop *of, size_t last)
{
    char target[FLOW_NAME];
    size_t at;
    for (size_t i = of->last + 1; i <= last && i - of->last < LONGEST; i++)
        if (flow_jumps(l->list[i], target) && !rounds_is_number(target) && rounds_is_label_in(l, of, target, &at) &&
            at != of->first)
            return true;
    return false;
}

/* What a round takes. */
static void rounds_measure(const struct rounds *r, struct loop *of)
{
    for (size_t i = of->first; i <= of->last; i++) {
        i += i == of->step ? of->step_lines : 0;
        of->bytes += reach_size(r->l.list[i], r->avr);
        of->cycles += reach_cycles(r->l.list[i], r->avr);
    }
}

/* All but the loop's label is come to from the loop alone, or from where each way from the loop counts. */
static bool rounds_is_apart(const struct rounds *r, const struct loop *of, size_t first, size_t last)
{
    const struct listing *l = &r->l;
    char label[FLOW_NAME], target[FLOW_NAME];
    struct flow *f = flow_new(l, first, last);
    bool *counts = memory_array(l->count + 1, sizeof *counts), good = true;
    for (size_t i = first; i <= last; i++)
        counts[i] = (i < of->first || i > of->last) && rounds_counts(l->list[i]);
    for (size_t i = of->first + 1; i <= of->last && good; i++) {
        flow_label(l->list[i], label);
        if (!label[0] || rounds_is_number(label))
            continue;
        bool place = flow_is_place(label); /* others are named by debug information, too */
        for (size_t k = place ? 0 : first, end = place ? l->count : last + 1; k < end && good; k++) {
            k = k == of->first ? of->last + 1 : k;
            if (k >= end || !rounds_mentions(l->list[k], label))
                continue;
            bool jump = k >= first && k <= last && flow_jumps(l->list[k], target) && strcmp(target, label) == 0;
            good = jump ? !flow_comes_to(f, of->first, k, counts) : !place && !flow_is_instruction(l->list[k]);
        }
    }
    free(counts);
    flow_free(f);
    return good;
}

/* Whether the loop can be left. */
static bool rounds_leaves(const struct rounds *r, const struct loop *of)
{
    char target[FLOW_NAME];
    size_t at;
    for (size_t i = of->first; i <= of->last; i++)
        if (flow_jumps(r->l.list[i], target) && !rounds_is_number(target) &&
            !rounds_is_label_in(&r->l, of, target, &at))
            return true;
    return !of->drops;
}

/* Whether it is part of a loop. */
static bool rounds_is_nested(const struct rounds *r, const struct loop *of, size_t first, size_t last)
{
    struct flow *f = flow_new(&r->l, first, last);
    char target[FLOW_NAME];
    bool nested = flow_comes_to(f, of->first, of->first - 1, NULL);
    for (size_t i = first; i <= last && !nested; i++) {
        if (i == of->first)
            i = of->last + 1;
        nested = i <= last && flow_jumps(r->l.list[i], target) && strcmp(target, of->head) == 0 &&
                 flow_comes_to(f, of->first, i, NULL);
    }
    flow_free(f);
    return nested;
}

/* Whether the lines from a label to a jump back there are a loop of which rounds can be copied. */
static bool rounds_is_loop(const struct rounds *r, struct loop *of)
{
    const struct listing *l = &r->l;
    for (size_t i = of->first; i <= of->last; i++) {
        size_t lines = rounds_step(l, i);
        if (lines && of->step)
            return false;
        if (lines) {
            of->step = i;
            of->step_lines = lines;
            i += lines - 1;
        } else if (!rounds_may_repeat(l, of, i)) {
            return false;
        }
    }
    size_t before = rounds_before(l, of->last);
    bool skipped = flow_skips(l->list[before]), always = reach_is_always(l->list[of->last]);
    of->drops = always && !skipped;
    of->inverse = skipped || always ? NULL : reach_inverse(l->list[of->last]);
    return of->step && !flow_skips(l->list[rounds_before(l, of->step)]);
}

/* Powers of two, as the numbers of rounds often are. */
static void rounds_choose(const struct rounds *r, struct loop *of)
{
    unsigned step = r->avr ? 7 : 6, most = of->nested ? INSIDE : BYTES;
    rounds_measure(r, of);
    of->copies = 1;
    if (step * NOTABLE < of->cycles)
        return;
    while (of->copies < MOST && of->copies * of->cycles < step * (PARTS - 1) &&
           (2 * of->copies - 1) * of->bytes <= most)
        of->copies *= 2;
}

/* Whether it is known how long each line is. */
static bool rounds_is_plain(const struct listing *l, size_t first, size_t last)
{
    static const char words[] =
        ".loc .file .p2align .size .type .section .global .globl .weak .local .set .word .short "
        ".long .byte .text .stabs .stabn .stabd";
    char label[FLOW_NAME];
    for (size_t i = first; i <= last; i++) {
        const char *line = listing_trimmed(l->list[i]);
        flow_label(line, label);
        if (*line == '.' && !label[0] && !listing_starts(line, ".cfi_") && !listing_starts(line, ".L__stack_usage") &&
            !reach_is_one_of(line, words))
            return false;
        if (flow_is_instruction(line) && memchr(line, '$', strcspn(line, ";")))
            return false;
    }
    return true;
}

/* The loops of a function, whose lines these are. */
static void rounds_find(struct rounds *r, size_t first, size_t last)
{
    const struct listing *l = &r->l;
    char label[FLOW_NAME], target[FLOW_NAME];
    for (size_t i = first, plain = rounds_is_plain(l, first, last); plain && i <= last; i++) {
        flow_label(l->list[i], label);
        if (!label[0] || rounds_is_number(label))
            continue;
        struct loop of = {.first = i};
        for (size_t k = i + 1; k <= last && k - i < LONGEST; k++)
            if (flow_jumps(l->list[k], target) && strcmp(target, label) == 0)
                of.last = k;
        snprintf(of.head, sizeof of.head, "%s", label);
        if (!of.last || rounds_is_around(l, &of, last) || !rounds_is_loop(r, &of) || !rounds_leaves(r, &of) ||
            !rounds_is_apart(r, &of, first, last))
            continue;
        of.nested = rounds_is_nested(r, &of, first, last);
        rounds_choose(r, &of);
        if (of.copies < 2)
            continue;
        r->loops = memory_grow(r->loops, &r->room, r->count, sizeof *r->loops);
        r->loops[r->count++] = of;
        i = of.last;
    }
}

/* ---- copies ---- */

/* A line's jump with another target. */
static void rounds_write_jump(FILE *f, const char *line, const char *target, const char *to, unsigned copy)
{
    const char *at = strstr(line, target);
    fprintf(f, "%.*s%s", (int)(at - line), line, to);
    if (copy)
        fprintf(f, "_%u", copy);
    fprintf(f, "%s\n", at + strlen(target));
}

static void rounds_write_line(FILE *f, const struct rounds *r, const struct loop *of, size_t i, unsigned copy)
{
    char label[FLOW_NAME], target[FLOW_NAME];
    const char *line = r->l.list[i], *code = listing_trimmed(line);
    size_t at;
    flow_label(line, label);
    bool comment = rounds_is_silent(code);
    if (copy && (comment || listing_starts(code, ".p2align")))
        return;
    if (copy && label[0] && !rounds_is_number(label)) {
        if (i == of->first || rounds_is_target(&r->l, of, label))
            fprintf(f, "%s_%u:\n", label, copy);
    } else if (copy && listing_starts(code, ".loc")) {
        const char *view = strstr(line, " view ");
        fprintf(f, "%.*s\n", (int)(view ? (size_t)(view - line) : strlen(line)), line);
    } else if (comment || !flow_jumps(line, target)) {
        fprintf(f, "%s\n", line);
    } else if (strcmp(target, of->head) == 0) {
        rounds_write_jump(f, line, target, target, (copy + 1) % of->copies);
    } else if (copy && !rounds_is_number(target) && rounds_is_label_in(&r->l, of, target, &at)) {
        rounds_write_jump(f, line, target, target, copy);
    } else {
        fprintf(f, "%s\n", line);
    }
}

/* The last line of a copy, but for the last copy. */
static void rounds_write_end(FILE *f, const struct rounds *r, const struct loop *of, unsigned copy)
{
    char target[FLOW_NAME];
    const char *line = r->l.list[of->last], *jump = r->avr ? "rjmp " : "jmp\t";
    if (of->drops)
        return;
    if (of->inverse) {
        fprintf(f, "\t%s\t%s_out\n", of->inverse, of->head);
        return;
    }
    flow_jumps(line, target);
    rounds_write_jump(f, line, target, of->head, copy + 1);
    fprintf(f, "\t%s%s_out\n", jump, of->head);
}

static void rounds_write_loop(FILE *f, const struct rounds *r, const struct loop *of)
{
    for (unsigned copy = 0; copy < of->copies; copy++) {
        for (size_t i = of->first; i <= of->last; i++) {
            if (copy && i == of->step)
                i += of->step_lines;
            if (i == of->last && copy + 1 < of->copies)
                rounds_write_end(f, r, of, copy);
            else
                rounds_write_line(f, r, of, i, copy);
        }
    }
    if (!of->drops)
        fprintf(f, "%s_out:\n", of->head);
}

static bool rounds_write(const struct rounds *r, const char *path, bool copies, struct motet_error *e)
{
    FILE *f = fopen(path, "wb");
    for (size_t i = 0, next = 0; f && i < r->l.count; i++) {
        if (copies && next < r->count && r->loops[next].first == i) {
            rounds_write_loop(f, r, &r->loops[next]);
            i = r->loops[next++].last;
        } else {
            fprintf(f, "%s\n", r->l.list[i]);
        }
    }
    bool good = f && !ferror(f);
    good = (!f || fclose(f) == 0) && good;
    return good || error_set(e, "cannot write %s: %s", path, strerror(errno));
}

/* A function's lines: from where its section begins to its size. */
static void rounds_find_all(struct rounds *r)
{
    size_t first = r->l.count;
    for (size_t i = 0; i < r->l.count; i++) {
        const char *line = listing_trimmed(r->l.list[i]);
        if (reach_is_code_section(line))
            first = i;
        else if (listing_starts(line, ".section"))
            first = r->l.count;
        else if (listing_starts(line, ".size") && first < i) {
            rounds_find(r, first, i);
            first = i;
        }
    }
}

bool rounds_copy(const char *path, bool avr, struct motet_error *e)
{
    struct rounds r = {.avr = avr};
    bool reached;
    if (!listing_read(&r.l, path, e))
        return false;
    rounds_find_all(&r);
    bool good = !r.count || (rounds_write(&r, path, true, e) && reach_jumps(path, avr, &reached, e) &&
                             (reached || rounds_write(&r, path, false, e)));
    free(r.loops);
    listing_free(&r.l);
    return good;
}
