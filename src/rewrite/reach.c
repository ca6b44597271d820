#include "rewrite/reach.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/flow.h"
#include "rewrite/listing.h"

/* ---- instructions ---- */

bool reach_is_one_of(const char *line, const char *words)
{
    line = listing_trimmed(line);
    size_t n = strcspn(line, " \t;");
    for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == n && strncmp(at, line, n) == 0)
            return true;
    return false;
}

bool reach_is_always(const char *line)
{
    return reach_is_one_of(line, "rjmp jmp br");
}

const char *reach_inverse(const char *line)
{
    static const char *const pairs[][2] = {{"breq", "brne"}, {"brcs", "brcc"}, {"brlo", "brsh"}, {"brmi", "brpl"},
                                           {"brge", "brlt"}, {"brts", "brtc"}, {"brvs", "brvc"}, {"brhs", "brhc"},
                                           {"jeq", "jne"},   {"jz", "jnz"},    {"jc", "jnc"},    {"jhs", "jlo"},
                                           {"jge", "jl"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (unsigned k = 0; k < 2; k++)
            if (reach_is_one_of(line, pairs[i][k]))
                return pairs[i][1 - k];
    return NULL;
}

bool reach_is_code_section(const char *line)
{
    line = listing_trimmed(line);
    return listing_starts(line, ".section") && listing_starts(listing_trimmed(line + strlen(".section")), ".text.");
}

/* Operands of the MSP430 that take a word of their own: numbers, names, places beside a register. */
static unsigned reach_words(const char *line)
{
    char target[FLOW_NAME];
    unsigned words = 0;
    if (flow_jumps(line, target) && !reach_is_one_of(line, "br"))
        return 0;
    const char *at = listing_trimmed(line + strcspn(line, " \t;"));
    for (const char *end; *at && *at != ';'; at = listing_trimmed(*end == ',' ? end + 1 : end)) {
        size_t number = at[0] == 'r' ? strspn(at + 1, "0123456789") : 0;
        end = at + strcspn(at, ",;");
        words += !(*at == '@' || (number && !isalnum((unsigned char)at[1 + number])));
    }
    return words;
}

unsigned reach_size(const char *line, bool avr)
{
    if (!flow_is_instruction(line))
        return 0;
    line = listing_trimmed(line);
    if (avr)
        return reach_is_one_of(line, "call jmp lds sts") ? 4 : 2;
    unsigned words = reach_words(line);
    return 2 + 2 * words + 2 * (words && reach_is_one_of(line, "rla rla.b rlc rlc.b adc adc.b"));
}

unsigned reach_cycles(const char *line, bool avr)
{
    char target[FLOW_NAME];
    if (!flow_is_instruction(line))
        return 0;
    line = listing_trimmed(line);
    if (flow_jumps(line, target))
        return 2;
    if (avr)
        return 1 + reach_is_one_of(line, "lds sts ld ldd st std lpm adiw sbiw mul muls mulsu push pop");
    return 1 + 2 * reach_words(line) + (strchr(line, '@') != NULL);
}

/* ---- how far they reach ---- */

/* Bytes that jumps of one word reach in either direction. */
enum { REACH_AVR_FAR = 4094, REACH_AVR = 126, REACH_MSP430 = 1022 };

struct reach {
    struct listing l;
    bool avr;
    long *at;     /* where each line lies in its section */
    size_t *to;   /* of a jump, the line it leads to; 0: none of the file, or of another section */
    bool *longer; /* jumps that do not reach */
};

static void reach_find_targets(struct reach *r)
{
    char target[FLOW_NAME], label[FLOW_NAME];
    size_t section = 0;
    for (size_t i = 0; i < r->l.count; i++) {
        if (listing_starts(listing_trimmed(r->l.list[i]), ".section"))
            section = i;
        if (!flow_jumps(r->l.list[i], target) || target[0] != '.')
            continue;
        for (size_t k = section; k < r->l.count && !r->to[i]; k++) {
            if (k > section && listing_starts(listing_trimmed(r->l.list[k]), ".section"))
                break;
            flow_label(r->l.list[k], label);
            if (strcmp(label, target) == 0)
                r->to[i] = k;
        }
    }
}

static bool reach_is_cut(const struct reach *r, size_t i)
{
    long most = !r->avr ? REACH_MSP430 : reach_is_always(r->l.list[i]) ? REACH_AVR_FAR : REACH_AVR;
    return r->to[i] && !reach_is_one_of(r->l.list[i], r->avr ? "jmp" : "br") && labs(r->at[r->to[i]] - r->at[i]) > most;
}

/* Bytes more if it is longer. */
static unsigned reach_more(const struct reach *r, size_t i)
{
    return r->avr || reach_is_always(r->l.list[i]) ? 2 : 4;
}

/* Until all are long enough. */
static void reach_lengthen(struct reach *r)
{
    for (bool again = true; again;) {
        long at = 0;
        again = false;
        for (size_t i = 0; i < r->l.count; i++) {
            if (listing_starts(listing_trimmed(r->l.list[i]), ".section"))
                at = 0;
            r->at[i] = at;
            at += (long)reach_size(r->l.list[i], r->avr) + (r->longer[i] ? (long)reach_more(r, i) : 0);
        }
        for (size_t i = 0; i < r->l.count; i++)
            if (!r->longer[i] && reach_is_cut(r, i))
                again = r->longer[i] = true;
    }
}

/* A jump over a longer one, if it is not always taken. False: there is none. */
static bool reach_write(FILE *f, const struct reach *r, size_t i, const char *before)
{
    char target[FLOW_NAME];
    const char *inverse = reach_inverse(r->l.list[i]);
    bool always = reach_is_always(r->l.list[i]);
    flow_jumps(r->l.list[i], target);
    if (!always && (!inverse || flow_skips(before) || (r->avr && labs(r->at[r->to[i]] - r->at[i]) > REACH_AVR_FAR)))
        return false;
    if (!always)
        fprintf(f, "\t%s\t.Lreach%zu\n", inverse, i);
    fprintf(f, "\t%s%s\n", !r->avr ? "br\t#" : always ? "jmp " : "rjmp ", target);
    if (!always)
        fprintf(f, ".Lreach%zu:\n", i);
    return true;
}

bool reach_jumps(const char *path, bool avr, bool *reached, struct motet_error *e)
{
    struct reach r = {.avr = avr};
    if (!listing_read(&r.l, path, e))
        return false;
    r.at = memory_array(r.l.count + 1, sizeof *r.at);
    r.to = memory_array(r.l.count + 1, sizeof *r.to);
    r.longer = memory_array(r.l.count + 1, sizeof *r.longer);
    reach_find_targets(&r);
    reach_lengthen(&r);
    FILE *f = fopen(path, "wb");
    const char *before = "";
    *reached = true;
    for (size_t i = 0; f && i < r.l.count; i++) {
        if (!r.longer[i])
            fprintf(f, "%s\n", r.l.list[i]);
        else
            *reached &= reach_write(f, &r, i, before);
        before = flow_is_instruction(r.l.list[i]) ? r.l.list[i] : before;
    }
    bool good = f && !ferror(f);
    good = (!f || fclose(f) == 0) && good;
    free(r.at);
    free(r.to);
    free(r.longer);
    listing_free(&r.l);
    return good || error_set(e, "cannot write %s: %s", path, strerror(errno));
}
