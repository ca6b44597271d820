/* The legs of a part, as a user connects them: PLACE or NAME=VALUE, separated by commas. A place without a name is that
 * of the next leg in the table's order. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/part.h"
#include "base/line.h"
#include "motet/amount.h"
#include "node/machine.h"

enum { ITEM = 80 };

/* What places a kind of leg has, and how they are written: a word and a number below the limit. */
struct part_legs_kind {
    const char *is;   /* for sentences, */
    const char *one;  /* with its article */
    const char *word; /* NULL: the name of a pin */
    unsigned limit;
};

static const struct part_legs_kind kinds[] = {
    [MOTET_LEG_INPUT] = {"pin", "a pin", NULL, 0},
    [MOTET_LEG_OUTPUT] = {"pin", "a pin", NULL, 0},
    [MOTET_LEG_BOTH] = {"pin", "a pin", NULL, 0},
    [MOTET_LEG_SPI] = {"SPI bus", "an SPI bus", "spi", MACHINE_BUSES},
    [MOTET_LEG_I2C] = {"I2C bus", "an I2C bus", "i2c", MACHINE_BUSES},
    [MOTET_LEG_SERIAL] = {"serial port", "a serial port", "serial", MACHINE_BUSES - 1}, /* the last is the console */
    [MOTET_LEG_ANALOG] = {"analog line", "an analog line", "analog", MACHINE_CHANNELS},
    [MOTET_LEG_SENSE] = {"quantity", "a quantity", NULL, 0},
};

/* "its legs are bus (SPI bus), select (pin)" */
static char *part_legs_list(const struct motet_part *t, char *text, size_t size)
{
    struct line l = {text, size, 0};
    bool any = false;
    for (size_t i = 0; i < t->leg_count; i++) {
        if (t->legs[i].kind == MOTET_LEG_SENSE)
            continue;
        line_say(&l, "%s%s (%s)", any ? ", " : "its legs are ", t->legs[i].name, kinds[t->legs[i].kind].is);
        any = true;
    }
    if (!any)
        line_say(&l, "it has no legs to connect");
    return text;
}

/* ---- places ---- */

/* The number after a word, "spi1"; -1 if it is none of them. */
static int part_legs_number(const char *text, const struct part_legs_kind *k)
{
    size_t length = strlen(k->word);
    if (strncmp(text, k->word, length) != 0)
        return -1;
    text += length;
    bool digits = *text && strspn(text, "0123456789") == strlen(text);
    return digits && strtoul(text, NULL, 10) < k->limit ? (int)strtoul(text, NULL, 10) : -1;
}

static int part_legs_place(const struct chip *chip, enum motet_leg_kind kind, const char *text)
{
    return kinds[kind].word ? part_legs_number(text, &kinds[kind]) : chip_pin_named(chip, text);
}

/* What the text names, if it is a place of some other kind. */
static const char *part_legs_other(const struct chip *chip, const char *text)
{
    for (unsigned k = 0; k < MOTET_LEG_SENSE; k++)
        if (part_legs_place(chip, (enum motet_leg_kind)k, text) >= 0)
            return kinds[k].one;
    return NULL;
}

static bool part_legs_connect(struct outside *p, size_t leg, const char *text, const struct chip *chip,
                              struct motet_error *e)
{
    const struct motet_leg *l = &p->table->legs[leg];
    const struct part_legs_kind *k = &kinds[l->kind];
    char list[600];
    int place = part_legs_place(chip, l->kind, text);
    if (place >= 0) {
        p->places[leg] = (uint8_t)place;
        return true;
    }
    part_legs_list(p->table, list, sizeof list);
    if (part_legs_other(chip, text))
        return error_set(e, "wants %s for its leg '%s', and %s is %s; in order %s", k->one, l->name, text,
                         part_legs_other(chip, text), list);
    if (k->word)
        return error_set(e, "wants %s such as %s0 for its leg '%s', and '%s' is none", k->one, k->word, l->name, text);
    return error_set(e, "wants a pin for its leg '%s', and %s has no pin '%s'", l->name, chip->name, text);
}

/* ---- items ---- */

static int part_legs_named(const struct motet_part *t, const char *name)
{
    for (size_t i = 0; i < t->leg_count; i++)
        if (t->legs[i].kind != MOTET_LEG_SENSE && strcmp(t->legs[i].name, name) == 0)
            return (int)i;
    return -1;
}

static bool part_legs_parameter(struct outside *p, const char *name, const char *text, struct motet_error *e)
{
    const struct motet_part *t = p->table;
    char list[600];
    bool negative = *text == '-';
    uint64_t amount;
    size_t i = 0;
    while (i < t->parameter_count && strcmp(t->parameters[i].name, name) != 0)
        i++;
    if (i == t->parameter_count)
        return error_set(e, "has neither a leg nor a parameter '%s'; %s", name, part_legs_list(t, list, sizeof list));
    if (!motet_read_number(text + negative, INT64_MAX, &amount, e))
        return error_prefix(e, "has a parameter '%s'", name);
    p->parameters[i] = negative ? -(int64_t)amount : (int64_t)amount;
    if (p->parameters[i] >= t->parameters[i].least && p->parameters[i] <= t->parameters[i].most)
        return true;
    return error_set(e, "takes a '%s' from %" PRId64 " to %" PRId64 ", not %s", name, t->parameters[i].least,
                     t->parameters[i].most, text);
}

/* The next leg in order that a place without a name is for; leg_count past the last. */
static size_t part_legs_next(const struct motet_part *t, size_t from)
{
    while (from < t->leg_count && t->legs[from].kind == MOTET_LEG_SENSE)
        from++;
    return from;
}

struct part_legs {
    struct outside *part;
    const struct chip *chip;
    uint32_t given; /* bit i: leg i */
    size_t next;
};

static bool part_legs_item(struct part_legs *p, char *item, struct motet_error *e)
{
    const struct motet_part *t = p->part->table;
    char list[600], *value = strchr(item, '=');
    int leg = -1;
    if (value) {
        *value++ = 0;
        leg = part_legs_named(t, item);
        if (leg < 0)
            return part_legs_parameter(p->part, item, value, e);
    } else {
        value = item;
        p->next = part_legs_next(t, p->next);
        if (p->next == t->leg_count)
            return error_set(e, "has no leg for %s; %s", item, part_legs_list(t, list, sizeof list));
        leg = (int)p->next++;
    }
    if (p->given >> leg & 1)
        return error_set(e, "is given two places for its leg '%s'", t->legs[leg].name);
    p->given |= UINT32_C(1) << leg;
    return part_legs_connect(p->part, (size_t)leg, value, p->chip, e);
}

bool part_legs_read(struct outside *p, const char *text, const struct chip *chip, struct motet_error *e)
{
    const struct motet_part *t = p->table;
    struct part_legs legs = {.part = p, .chip = chip};
    char list[600];
    for (size_t i = 0; i < t->parameter_count; i++)
        p->parameters[i] = t->parameters[i].usual;
    while (*text) {
        char item[ITEM];
        size_t length = strcspn(text, ",");
        if (length == 0 || length >= sizeof item)
            return error_set(e, "is wired by places such as PB2,spi0, and '%.40s' is none", text);
        snprintf(item, sizeof item, "%.*s", (int)length, text);
        if (!part_legs_item(&legs, item, e))
            return false;
        text += length + (text[length] == ',');
    }
    for (size_t i = 0; i < t->leg_count; i++)
        if (t->legs[i].kind != MOTET_LEG_SENSE && !(legs.given >> i & 1))
            return error_set(e, "is not told where its leg '%s' goes; %s", t->legs[i].name,
                             part_legs_list(t, list, sizeof list));
    return true;
}
