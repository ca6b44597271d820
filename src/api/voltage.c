#include "motet/motet.h"
#include "script/voltage.h"

motet_voltage *motet_voltage_load(const char *path, struct motet_error *e)
{
    return (motet_voltage *)voltage_script_load(path, e);
}

bool motet_voltage_at(motet_voltage *v, unsigned channel, double seconds, int32_t *microvolts, struct motet_error *e)
{
    return voltage_script_at((struct voltage_script *)v, channel, seconds, microvolts, e);
}

void motet_voltage_free(motet_voltage *v)
{
    voltage_script_free((struct voltage_script *)v);
}
