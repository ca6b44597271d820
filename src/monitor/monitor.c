#include "monitor/monitor.h"

#include <errno.h>
#include <stdarg.h>

#include "export/json.h"

bool monitor_sentence(struct motet_error *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    return false;
}

void *monitor_zeroed(size_t size)
{
    void *p = calloc(1, size ? size : 1);
    if (!p)
        abort();
    return p;
}

void *monitor_grown(void *list, size_t size)
{
    list = realloc(list, size);
    if (!list)
        abort();
    return list;
}

void *monitor_reaching(void *list, size_t *room, size_t number, size_t size)
{
    size_t before = *room;
    if (number < before)
        return list;
    *room = number + 4096;
    list = monitor_grown(list, *room * size);
    memset((char *)list + before * size, 0, (*room - before) * size);
    return list;
}

bool monitor_number(const struct monitor_site *site, const char *name, uint64_t *value, struct motet_error *e)
{
    const char *text = monitor_option(site, name);
    char *end;
    if (!text)
        return true;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 0);
    if (*text < '0' || *text > '9' || *end || errno)
        return monitor_sentence(e, "%s=%.40s: a number is needed", name, text);
    *value = number;
    return true;
}

bool monitor_ticks(const struct monitor_site *site, const char *name, uint64_t *value, struct motet_error *e)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"m", 60}, {"h", 3600}};
    const char *text = monitor_option(site, name);
    char *end;
    if (!text)
        return true;
    errno = 0;
    if (text[0] == '@' && text[1] >= '0' && text[1] <= '9') {
        *value = strtoull(text + 1, &end, 10);
        if (!*end && !errno)
            return true;
    }
    double number = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        double ticks = number * units[i].seconds * (double)motet_machine_hz(site->machine);
        if (*text < '0' || *text > '9' || strcmp(end, units[i].name) != 0 || !(ticks < 1e18))
            continue;
        *value = (uint64_t)(ticks + 0.5);
        return true;
    }
    return monitor_sentence(e, "%s=%.40s: a time is needed, such as 10s, 1.5ms, 200us or @N for N ticks", name, text);
}

static uint64_t nanoseconds(const struct monitor_site *site, uint64_t ticks)
{
    uint64_t hz = motet_machine_hz(site->machine);
    return ticks / hz * MOTET_SECOND + (uint64_t)((unsigned __int128)(ticks % hz) * MOTET_SECOND / hz);
}

bool monitor_nanoseconds(const struct monitor_site *site, const char *name, uint64_t *value, struct motet_error *e)
{
    uint64_t ticks = 0;
    if (!monitor_ticks(site, name, &ticks, e))
        return false;
    if (monitor_option(site, name))
        *value = nanoseconds(site, ticks);
    return true;
}

uint64_t monitor_time(const struct monitor_site *site, uint64_t tick)
{
    if (site->clock)
        return clock_time(site->clock, tick);
    return site->network ? motet_network_time(site->network, site->node, tick) : nanoseconds(site, tick);
}

double monitor_seconds(const struct monitor_site *site, uint64_t ticks)
{
    return (double)ticks / (double)motet_machine_hz(site->machine);
}

void monitor_json_string(FILE *out, const char *text)
{
    json_put(out, text);
}
