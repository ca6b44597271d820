#include "rewrite/facts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite/registers.h"

static const char *const facts_codecs[FACTS_CODECS] = {"plain", "tardis", "motet"};

/* ---- words of a line ---- */

static bool facts_number(const char *word, unsigned long least, unsigned long most, unsigned *number)
{
    char *end;
    unsigned long n = strtoul(word, &end, 0);
    if (!isdigit((unsigned char)word[0]) || *end || n < least || n > most)
        return false;
    *number = (unsigned)n;
    return true;
}

static bool facts_register(const struct registers *r, const char *name, unsigned size, uint16_t *at,
                           struct motet_error *e)
{
    const struct chip_register *found = registers_named(r, name);
    if (!found)
        return error_set(e, "%s is not a register of this file", name);
    if (size && found->size != size)
        return error_set(e, "%s has %u bytes, %u are wanted here", name, found->size, size);
    *at = found->address;
    return true;
}

static int facts_codec(const char *name)
{
    for (int i = 0; i < FACTS_CODECS; i++)
        if (strcmp(facts_codecs[i], name) == 0)
            return i;
    return -1;
}

/* ---- one line of each kind: its words, the first of which is its name ---- */

enum { MOST_WORDS = 16 };

static bool facts_ram(struct facts *f, const struct registers *r, char **word, unsigned words, struct motet_error *e)
{
    unsigned first, last;
    (void)r;
    if (words != 4 || !facts_number(word[1], 1, 0xffff, &first) || !facts_number(word[2], first, 0xffff, &last) ||
        !facts_number(word[3], 16, 4096, &f->block) || (f->block & (f->block - 1)))
        return error_set(e, "not a line of RAM: its first and last address and a power of two are wanted");
    f->ram_first = (uint16_t)first;
    f->ram_last = (uint16_t)last;
    return true;
}

static bool facts_codec_line(struct facts *f, const struct registers *r, char **word, unsigned words,
                             struct motet_error *e)
{
    (void)r;
    if (words != 2 || facts_codec(word[1]) < 0)
        return error_set(e, "not a codec: plain, tardis or motet is wanted");
    snprintf(f->codec, sizeof f->codec, "%s", word[1]);
    return true;
}

static bool facts_ring(struct facts *f, const struct registers *r, char **word, unsigned words, struct motet_error *e)
{
    int codec = words >= 3 ? facts_codec(word[1]) : -1;
    unsigned bytes, stamped;
    (void)r;
    if (codec < 0 || words > 4 || !facts_number(word[2], 256, 8192, &bytes) ||
        !facts_number(word[words - 1], 256, 8192, &stamped) || bytes % 4 || stamped % 4)
        return error_set(e, "not a ring: a codec and its bytes are wanted, a multiple of 4, perhaps those with stamps");
    f->ring[codec] = bytes;
    f->stamped_ring[codec] = stamped;
    return true;
}

static bool facts_multiplier(struct facts *f, const struct registers *r, char **word, unsigned words,
                             struct motet_error *e)
{
    return words == 2 ? facts_register(r, word[1], 2, &f->multiplier, e)
                      : error_set(e, "not a multiplier: the register of its first operand is wanted");
}

static bool facts_compare(struct facts *f, const struct registers *r, char **word, unsigned words,
                          struct motet_error *e)
{
    if (f->compare_count == FACTS_COMPARES || words < 3 || words > 4)
        return error_set(e, "not a compare register, or too many: a vector and its register are wanted");
    struct fact_compare *c = &f->compares[f->compare_count++];
    const struct chip_register *at = registers_named(r, word[2]);
    *c = (struct fact_compare){.wide = at && at->size == 2};
    return (facts_number(word[1], 1, 127, &c->vector) || error_set(e, "%s is not a vector", word[1])) &&
           facts_register(r, word[2], 0, &c->at, e) && (words == 3 || facts_register(r, word[3], 2, &c->control, e));
}

static bool facts_overflow(struct facts *f, const struct registers *r, char **word, unsigned words,
                           struct motet_error *e)
{
    unsigned bits;
    struct fact_overflow *o = &f->overflows[f->overflow_count];
    (void)r;
    if (f->overflow_count == FACTS_OVERFLOWS || words != 3 || !facts_number(word[1], 1, 127, &o->vector) ||
        !facts_number(word[2], 8, 16, &bits) || bits % 8)
        return error_set(e, "not an overflow, or too many: a vector and 8 or 16 bits are wanted");
    o->wide = bits == 16;
    f->overflow_count++;
    return true;
}

static bool facts_timer_vectors(struct fact_timer *t, const char *text)
{
    char end;
    return sscanf(text, "%u-%u%c", &t->first, &t->last, &end) == 2 && t->first <= t->last;
}

static bool facts_timer_control(struct fact_timer *t, const struct registers *r, char *text, struct motet_error *e)
{
    char *second = strchr(text, ',');
    if (second)
        *second++ = '\0';
    return facts_register(r, text, 0, &t->control[0], e) &&
           (!second || facts_register(r, second, 0, &t->control[1], e));
}

static bool facts_timer_own(struct fact_timer *t, char *text, struct motet_error *e)
{
    unsigned count = 0;
    for (char *name = strtok(text, ","); name; name = strtok(NULL, ",")) {
        if (count == FACTS_OWN)
            return error_set(e, "own: more than %d registers", FACTS_OWN);
        snprintf(t->own[count++], sizeof *t->own, "%s", name);
    }
    return count > 0 || error_set(e, "own: no register");
}

/* One of the words NAME=VALUE of a timer. */
static bool facts_timer_word(struct fact_timer *t, const struct registers *r, const char *name, char *value,
                             struct motet_error *e)
{
    unsigned number = 0;
    bool bits = facts_number(value, 1, 0xffff, &number);
    if (strcmp(name, "vectors") == 0)
        return facts_timer_vectors(t, value) || error_set(e, "%s: not two vectors", value);
    if (strcmp(name, "halfway") == 0 && bits)
        return (t->halfway = number) != 0;
    if (strcmp(name, "overflow") == 0 && bits)
        return (t->overflow = (uint16_t)number) != 0;
    if (strcmp(name, "enable") == 0 && bits)
        return (t->enable = (uint16_t)number) != 0;
    if (strcmp(name, "count") == 0)
        return facts_register(r, value, 2, &t->count, e);
    if (strcmp(name, "compare") == 0)
        return facts_register(r, value, 2, &t->compare, e);
    if (strcmp(name, "flags") == 0)
        return facts_register(r, value, 1, &t->flags, e);
    if (strcmp(name, "mask") == 0)
        return facts_register(r, value, 1, &t->mask, e);
    if (strcmp(name, "block") == 0)
        return facts_register(r, value, 2, &t->block, e);
    if (strcmp(name, "control") == 0)
        return facts_timer_control(t, r, value, e);
    if (strcmp(name, "own") == 0)
        return facts_timer_own(t, value, e);
    if (strcmp(name, "clocks") == 0) {
        uint16_t at;
        snprintf(t->clocks, sizeof t->clocks, "%s", value);
        return facts_register(r, value, 1, &at, e);
    }
    return error_set(e, "%s=%s: not a fact of a timer", name, value);
}

static bool facts_timer_line(struct facts *f, const struct registers *r, char **word, unsigned words,
                             struct motet_error *e)
{
    if (f->timer_count == FACTS_TIMERS || words < 2)
        return error_set(e, "not a timer, or too many: its name and NAME=VALUE are wanted");
    struct fact_timer *t = &f->timers[f->timer_count++];
    *t = (struct fact_timer){0};
    snprintf(t->name, sizeof t->name, "%s", word[1]);
    for (unsigned i = 2; i < words; i++) {
        char *value = strchr(word[i], '=');
        if (!value)
            return error_set(e, "%s: NAME=VALUE is wanted", word[i]);
        *value++ = '\0';
        if (!facts_timer_word(t, r, word[i], value, e))
            return false;
    }
    if (!t->last || t->halfway < t->first || t->halfway > t->last || !t->count || !t->compare || !t->control[0] ||
        !t->own[0][0])
        return error_set(e, "timer %s: vectors, halfway, count, compare, control and own are wanted", t->name);
    return (t->flags && t->mask && t->overflow && t->enable && t->control[1]) || (t->block && t->clocks[0]) ||
           error_set(
               e,
               "timer %s: flags, mask, overflow, enable and two registers of control are wanted, or block and clocks",
               t->name);
}

static bool facts_dma(struct facts *f, const struct registers *r, char **word, unsigned words, struct motet_error *e)
{
    unsigned byte, way, backward;
    if (f->dma_count == FACTS_DMA || words != 7 || !facts_number(word[4], 1, 0xffff, &byte) ||
        !facts_number(word[5], 1, 0xffff, &way) || !facts_number(word[6], 1, 0xffff, &backward))
        return error_set(e, "not a channel of DMA, or too many: its registers for control, destination and count, and "
                            "bits of the control for bytes, for its way and for going backward are wanted");
    struct fact_dma *d = &f->dma[f->dma_count++];
    *d = (struct fact_dma){.byte = (uint16_t)byte, .way = (uint16_t)way, .backward = (uint16_t)backward};
    return facts_register(r, word[1], 2, &d->control, e) && facts_register(r, word[2], 2, &d->into, e) &&
           facts_register(r, word[3], 2, &d->count, e);
}

static const struct {
    const char *word;
    bool (*parse)(struct facts *f, const struct registers *r, char **word, unsigned words, struct motet_error *e);
} facts_lines[] = {
    {"ram", facts_ram},          {"codec", facts_codec_line},
    {"ring", facts_ring},        {"multiplier", facts_multiplier},
    {"compare", facts_compare},  {"overflow", facts_overflow},
    {"timer", facts_timer_line}, {"dma", facts_dma},
};
enum { FACTS_LINES = sizeof facts_lines / sizeof *facts_lines };

static unsigned facts_line(const char *line)
{
    unsigned i = 0;
    for (; i < FACTS_LINES; i++) {
        size_t n = strlen(facts_lines[i].word);
        if (strncmp(line, facts_lines[i].word, n) == 0 && isspace((unsigned char)line[n]))
            break;
    }
    return i;
}

bool facts_is_line(const char *line)
{
    return facts_line(line) < FACTS_LINES;
}

bool facts_parse(struct facts *f, const struct registers *r, const char *line, struct motet_error *e)
{
    char text[512], *word[MOST_WORDS];
    unsigned words = 0;
    snprintf(text, sizeof text, "%s", line);
    char *rest = NULL;
    for (char *w = strtok_r(text, " \t\r\n", &rest); w; w = strtok_r(NULL, " \t\r\n", &rest)) {
        if (words == MOST_WORDS)
            return error_set(e, "more than %d words", MOST_WORDS);
        word[words++] = w;
    }
    return facts_lines[facts_line(line)].parse(f, r, word, words, e);
}

/* ---- what is known ---- */

const struct fact_timer *facts_timer(const struct facts *f, const char *name)
{
    for (unsigned i = 0; i < f->timer_count; i++)
        if (strcmp(f->timers[i].name, name) == 0)
            return &f->timers[i];
    return NULL;
}

bool facts_owns(const struct fact_timer *t, const char *name)
{
    for (unsigned i = 0; i < FACTS_OWN && t->own[i][0]; i++)
        if (strncmp(name, t->own[i], strlen(t->own[i])) == 0)
            return true;
    return false;
}

/* ---- chip.h ---- */

/* An MSP430's vectors are named by their offset, two bytes each. */
static unsigned facts_vector(unsigned vector, bool avr)
{
    return avr ? vector : vector / 2;
}

static bool facts_is_own(const struct registers *r, const struct fact_timer *stamp, uint16_t at)
{
    for (size_t i = 0; stamp && i < r->count; i++)
        if (r->list[i].address == at && facts_owns(stamp, r->list[i].name))
            return true;
    return false;
}

/* Not of the timer that tells cycles: replay knows nothing of it. */
static void facts_write_compares(const struct facts *f, const struct registers *r, bool avr,
                                 const struct fact_timer *stamp, FILE *to)
{
    unsigned count = 0;
    const struct fact_compare *told[FACTS_COMPARES];
    for (unsigned i = 0; i < f->compare_count; i++)
        if (!facts_is_own(r, stamp, f->compares[i].at))
            told[count++] = &f->compares[i];
    fprintf(to, "#define CHIP_COMPARE_COUNT %u\n", count);
    for (unsigned i = 0; i < count; i++)
        fprintf(to,
                "#define CHIP_COMPARE_%u_VECTOR %u\n#define CHIP_COMPARE_%u_WIDE %d\n#define CHIP_COMPARE_%u_AT 0x%x\n"
                "#define CHIP_COMPARE_%u_CONTROL 0x%x\n",
                i, facts_vector(told[i]->vector, avr), i, told[i]->wide, i, told[i]->at, i, told[i]->control);
    fprintf(to, "#define CHIP_COMPARES(X)");
    for (unsigned i = 0; i < count; i++)
        fprintf(to, " X(%u, %d, 0x%x, 0x%x)", facts_vector(told[i]->vector, avr), told[i]->wide, told[i]->at,
                told[i]->control);
    fprintf(to, "\n#define CHIP_OVERFLOWS(X)");
    for (unsigned i = 0; i < f->overflow_count; i++)
        fprintf(to, " X(%u, %d, 0, 0)", facts_vector(f->overflows[i].vector, avr), f->overflows[i].wide);
    fprintf(to, "\n");
}

static void facts_write_stamp(const struct fact_timer *t, const struct registers *r, FILE *to)
{
    fprintf(to, "#define MOTET_STAMP\n#define CHIP_STAMP_NAME motet_stamps_of_%s\n#define CHIP_STAMP_VECTOR %u\n",
            t->name, t->halfway);
    fprintf(to, "#define CHIP_STAMP_COUNT 0x%x\n#define CHIP_STAMP_COMPARE 0x%x\n", t->count, t->compare);
    if (t->block) {
        fprintf(to, "#define CHIP_STAMP_CONTROL 0x%x\n#define CHIP_STAMP_BLOCK 0x%x\n#define CHIP_STAMP_CLOCKS 0x%x\n",
                t->control[0], t->block, registers_named(r, t->clocks)->address);
        return;
    }
    fprintf(to, "#define CHIP_STAMP_CONTROL_A 0x%x\n#define CHIP_STAMP_CONTROL_B 0x%x\n", t->control[0], t->control[1]);
    fprintf(to, "#define CHIP_STAMP_FLAGS 0x%x\n#define CHIP_STAMP_MASK 0x%x\n", t->flags, t->mask);
    fprintf(to, "#define CHIP_STAMP_OVERFLOW 0x%x\n#define CHIP_STAMP_ENABLE 0x%x\n", t->overflow, t->enable);
}

bool facts_write(const struct facts *f, const struct registers *r, const char *chip, bool avr,
                 const struct fact_timer *stamp, FILE *to, struct motet_error *e)
{
    unsigned bits = 0;
    if (!f->ram_last || !f->ring[FACTS_PLAIN] || !f->ring[FACTS_TARDIS] || !f->ring[FACTS_MOTET])
        return error_set(
            e,
            "the register file of %s has no facts for the recorder: lines `ram` and, for each codec, `ring` "
            "are wanted (docs/recorder.md)",
            chip);
    while (1u << bits < f->block)
        bits++;
    fprintf(to, "/* Facts of the %s, by motet cc. */\n#ifndef CHIP_H\n#define CHIP_H\n", chip);
    fprintf(to, "#define CHIP_RAM_SIZE %d\n#define CHIP_RAM_LAST 0x%x\n#define CHIP_BLOCK_BITS %u\n",
            f->ram_last - f->ram_first + 1, f->ram_last, bits);
    for (unsigned i = 0; i < FACTS_CODECS; i++) {
        fprintf(to, "#define CHIP_RING_");
        for (const char *c = facts_codecs[i]; *c; c++)
            fputc(toupper((unsigned char)*c), to);
        fprintf(to, " %u\n", stamp ? f->stamped_ring[i] : f->ring[i]);
        if (strcmp(f->codec, facts_codecs[i]) == 0)
            fprintf(to, "#define CHIP_CODEC CODEC_%s\n",
                    i == FACTS_PLAIN    ? "PLAIN"
                    : i == FACTS_TARDIS ? "TARDIS"
                                        : "MOTET");
    }
    if (f->multiplier)
        fprintf(to, "#define CHIP_MULTIPLIER 0x%x\n", f->multiplier);
    char *ranges = registers_ranges(r);
    fprintf(to, "#define CHIP_REGISTER_END 0x%x\n#define CHIP_REGISTERS %s\n", r->limit, ranges);
    free(ranges);
    facts_write_compares(f, r, avr, stamp, to);
    if (stamp)
        facts_write_stamp(stamp, r, to);
    fprintf(to, "#endif\n");
    return true;
}
