/* Whether the table of a part is sound. */
#include <ctype.h>
#include <string.h>

#include "api/part.h"

/* Names are written in wishes and lists. */
static bool part_table_is_name(const char *name)
{
    size_t length = name ? strnlen(name, MOTET_PART_NAME + 1) : 0;
    if (length == 0 || length > MOTET_PART_NAME)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '-' && name[i] != '_')
            return false;
    return true;
}

static bool part_table_versions(const struct motet_part *t, struct motet_error *e)
{
    if (t->version != MOTET_PART_VERSION)
        return error_set(e, "was made for version %u of the interface, and this is version %u; compile it anew",
                         t->version, MOTET_PART_VERSION);
    if (t->size != sizeof *t)
        return error_set(e, "has a table of %u bytes, and this version has %zu; set size to sizeof(struct motet_part)",
                         t->size, sizeof *t);
    return true;
}

static bool part_table_sizes(const struct motet_part *t, struct motet_error *e)
{
    if (!part_table_is_name(t->name))
        return error_set(e, "has no name of up to %d letters, digits, - and _", MOTET_PART_NAME);
    if (t->leg_count > MOTET_PART_LEGS)
        return error_set(e, "has %zu legs, and a part has at most %d", t->leg_count, MOTET_PART_LEGS);
    if (t->leg_count && !t->legs)
        return error_set(e, "says that it has %zu legs, but has no list of them", t->leg_count);
    if (!t->leg_count)
        return error_set(e, "has no legs, so it would do nothing");
    if (t->parameter_count > MOTET_PART_PARAMETERS)
        return error_set(e, "has %zu parameters, and a part has at most %d", t->parameter_count, MOTET_PART_PARAMETERS);
    if (t->parameter_count && !t->parameters)
        return error_set(e, "says that it has %zu parameters, but has no list of them", t->parameter_count);
    if (t->state_size > MOTET_PART_STATE)
        return error_set(e, "has a state of %zu bytes, and a part has at most %d", t->state_size, MOTET_PART_STATE);
    if (t->timers > MOTET_PART_TIMERS)
        return error_set(e, "has %u timers, and a part has at most %d", t->timers, MOTET_PART_TIMERS);
    return true;
}

/* The function that a leg of the kind needs; NULL if it is there. */
static const char *part_table_missing(const struct motet_part *t, enum motet_leg_kind kind)
{
    switch (kind) {
    case MOTET_LEG_INPUT:
    case MOTET_LEG_BOTH: return t->pin ? NULL : "pin";
    case MOTET_LEG_SPI: return t->spi ? NULL : "spi";
    case MOTET_LEG_I2C: return !t->i2c_start ? "i2c_start" : !t->i2c_write && !t->i2c_read ? "i2c_read" : NULL;
    case MOTET_LEG_SERIAL: return t->serial ? NULL : "serial";
    case MOTET_LEG_ANALOG: return t->analog ? NULL : "analog";
    default: return NULL;
    }
}

static bool part_table_leg(const struct motet_part *t, size_t number, struct motet_error *e)
{
    const struct motet_leg *l = &t->legs[number];
    if (!part_table_is_name(l->name))
        return error_set(e, "has a leg %zu without a name of up to %d letters, digits, - and _", number,
                         MOTET_PART_NAME);
    if ((unsigned)l->kind > MOTET_LEG_SENSE)
        return error_set(e, "has a leg '%s' of kind %d, which is none", l->name, (int)l->kind);
    if (l->kind == MOTET_LEG_SENSE && (!l->unit || !l->unit[0] || strnlen(l->unit, 9) > 8))
        return error_set(e, "senses '%s' but does not say in which unit, such as \"C\"", l->name);
    for (size_t i = 0; i < number; i++)
        if (strcmp(t->legs[i].name, l->name) == 0)
            return error_set(e, "has two legs called '%s'", l->name);
    const char *missing = part_table_missing(t, l->kind);
    return !missing || error_set(e, "has a leg '%s' but no function %s for it", l->name, missing);
}

static bool part_table_parameter(const struct motet_part *t, size_t number, struct motet_error *e)
{
    const struct motet_parameter *p = &t->parameters[number];
    if (!part_table_is_name(p->name))
        return error_set(e, "has a parameter %zu without a name of up to %d letters, digits, - and _", number,
                         MOTET_PART_NAME);
    if (p->usual < p->least || p->usual > p->most)
        return error_set(e, "has a parameter '%s' that is usually %lld, which is not from %lld to %lld", p->name,
                         (long long)p->usual, (long long)p->least, (long long)p->most);
    for (size_t i = 0; i < number; i++)
        if (strcmp(t->parameters[i].name, p->name) == 0)
            return error_set(e, "has two parameters called '%s'", p->name);
    for (size_t i = 0; i < t->leg_count; i++)
        if (strcmp(t->legs[i].name, p->name) == 0)
            return error_set(e, "has a leg and a parameter called '%s'", p->name);
    return true;
}

bool part_table_check(const struct motet_part *t, struct motet_error *e)
{
    if (!part_table_versions(t, e) || !part_table_sizes(t, e))
        return false;
    for (size_t i = 0; i < t->leg_count; i++)
        if (!part_table_leg(t, i, e))
            return false;
    for (size_t i = 0; i < t->parameter_count; i++)
        if (!part_table_parameter(t, i, e))
            return false;
    return !t->timers || t->timer || error_set(e, "has %u timers but no function timer for them", t->timers);
}
