#include "dap/arguments.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

bool(argument_error)(struct motet_error *e, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(e->text, sizeof e->text, format, list);
    va_end(list);
    return false;
}

/* NULL where it is absent. */
static json_t *argument_of(const json_t *in, const char *name)
{
    json_t *is = json_object_get(in, name);
    return json_is_null(is) ? NULL : is;
}

bool argument_needs(const json_t *in, const char *name, struct motet_error *e)
{
    return argument_of(in, name) || argument_error(e, "the argument '%s' is missing", name);
}

bool argument_number(const json_t *in, const char *name, int64_t least, int64_t most, int64_t *value,
                     struct motet_error *e)
{
    const json_t *is = argument_of(in, name);
    if (!is)
        return true;
    double real = json_number_value(is);
    if (!json_is_number(is) || (json_is_real(is) && real != floor(real)))
        return argument_error(e, "the argument '%s' must be a whole number", name);
    int64_t number = json_is_integer(is) ? json_integer_value(is) : fabs(real) < 9e15 ? (int64_t)real : INT64_MAX;
    if (number < least || number > most)
        return argument_error(e, "the argument '%s' must be from %" PRId64 " to %" PRId64, name, least, most);
    *value = number;
    return true;
}

bool argument_text(const json_t *in, const char *name, const char **text, struct motet_error *e)
{
    const json_t *is = argument_of(in, name);
    if (is && !json_is_string(is))
        return argument_error(e, "the argument '%s' must be a string", name);
    *text = is ? json_string_value(is) : *text;
    return true;
}

bool argument_flag(const json_t *in, const char *name, bool *flag, struct motet_error *e)
{
    const json_t *is = argument_of(in, name);
    if (is && !json_is_boolean(is))
        return argument_error(e, "the argument '%s' must be true or false", name);
    *flag = is ? json_is_true(is) : *flag;
    return true;
}

bool argument_list(const json_t *in, const char *name, json_t **list, struct motet_error *e)
{
    json_t *is = argument_of(in, name);
    if (is && !json_is_array(is))
        return argument_error(e, "the argument '%s' must be a list", name);
    *list = is ? is : *list;
    return true;
}

bool argument_object(const json_t *in, const char *name, json_t **object, struct motet_error *e)
{
    json_t *is = argument_of(in, name);
    if (is && !json_is_object(is))
        return argument_error(e, "the argument '%s' must be an object", name);
    *object = is ? is : *object;
    return true;
}
