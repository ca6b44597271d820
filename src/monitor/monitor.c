#include "monitor/monitor.h"

#include <errno.h>
#include <stdarg.h>

#include "export/json.h"
#include "motet/amount.h"

bool monitor_sentence(struct motet_error *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    return false;
}

void *monitor_reaching(void *list, size_t *room, size_t number, size_t size)
{
    size_t before = *room;
    if (number < before)
        return list;
    *room = number + 4096;
    list = memory_resize(list, *room, size);
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
        return monitor_sentence(e, "%s=%.40s: a whole number is needed, from 0 to %" PRIu64, name, text, UINT64_MAX);
    *value = number;
    return true;
}

static bool read_span(const struct monitor_site *site, const char *name, struct motet_span *span, struct motet_error *e)
{
    struct motet_error why;
    return motet_read_time(monitor_option(site, name), span, &why) || monitor_sentence(e, "%s: %.500s", name, why.text);
}

bool monitor_ticks(const struct monitor_site *site, const char *name, uint64_t *value, struct motet_error *e)
{
    struct motet_span span;
    if (!monitor_option(site, name))
        return true;
    if (!read_span(site, name, &span, e))
        return false;
    *value = motet_span_ticks(&span, motet_machine_hz(site->machine));
    return true;
}

static uint64_t nanoseconds(const struct monitor_site *site, uint64_t ticks)
{
    uint64_t hz = motet_machine_hz(site->machine);
    return ticks / hz * MOTET_SECOND + (uint64_t)((unsigned __int128)(ticks % hz) * MOTET_SECOND / hz);
}

bool monitor_nanoseconds(const struct monitor_site *site, const char *name, uint64_t *value, struct motet_error *e)
{
    struct motet_span span;
    if (!monitor_option(site, name))
        return true;
    if (!read_span(site, name, &span, e))
        return false;
    *value = span.in_ticks ? nanoseconds(site, span.ticks) : span.nanoseconds;
    return true;
}

bool monitor_stretch(const struct monitor_site *site, const char *name, double *from, double *to, struct motet_error *e)
{
    const char *text = monitor_option(site, name), *dash = text ? strchr(text, '-') : NULL;
    char first[32] = "";
    struct motet_span begin, end;
    if (!text)
        return true;
    if (dash && (size_t)(dash - text) < sizeof first)
        memcpy(first, text, (size_t)(dash - text));
    if (!dash || !motet_read_time(first, &begin, e) || !motet_read_time(dash + 1, &end, e) || begin.in_ticks ||
        end.in_ticks || begin.nanoseconds >= end.nanoseconds)
        return monitor_sentence(e, "%s=%s: give two times, as in %s=30s-50s", name, text, name);
    *from = (double)begin.nanoseconds / 1e9;
    *to = (double)end.nanoseconds / 1e9;
    return true;
}

uint64_t monitor_time(const struct monitor_site *site, uint64_t tick)
{
    if (site->clock)
        return motet_replay_clock_time(site->clock, tick);
    return motet_network_time(site->network, site->node, tick);
}

double monitor_seconds(const struct monitor_site *site, uint64_t ticks)
{
    return (double)ticks / (double)motet_machine_hz(site->machine);
}

void monitor_json_string(FILE *out, const char *text)
{
    json_put(out, text);
}

uint64_t monitor_cycles(const motet_node *n)
{
    uint64_t tick, cycles;
    return motet_node_ended(n, &tick, &cycles) ? cycles : motet_node_cycles(n);
}

uint64_t monitor_now(const motet_node *n)
{
    uint64_t tick, cycles;
    return motet_node_ended(n, &tick, &cycles) ? tick : motet_node_now(n);
}
