#include <stdio.h>

#include "motet/motet.h"
#include "script/voltage.h"

static void hand_on(const struct error *from, struct motet_error *to)
{
    snprintf(to->text, sizeof to->text, "%s", from->text);
}

motet_voltage *motet_voltage_load(const char *path, struct motet_error *e)
{
    struct error error = {""};
    struct voltage_script *s = voltage_script_load(path, &error);
    if (!s)
        hand_on(&error, e);
    return (motet_voltage *)s;
}

bool motet_voltage_at(motet_voltage *v, unsigned channel, double seconds, int32_t *microvolts, struct motet_error *e)
{
    struct error error = {""};
    if (voltage_script_at((struct voltage_script *)v, channel, seconds, microvolts, &error))
        return true;
    hand_on(&error, e);
    return false;
}

void motet_voltage_free(motet_voltage *v)
{
    voltage_script_free((struct voltage_script *)v);
}
