#include "monitor/states.h"

static size_t states_find(const struct states *s, const char *name)
{
    size_t i = 0;
    while (i < s->count && strcmp(s->names[i], name) != 0)
        i++;
    return i;
}

/* What a device does within an instruction is reported with its own tick, which may be before one reported earlier. */
void states_settle(struct states *s, uint64_t tick, uint64_t cycles)
{
    if (s->count && tick > s->since) {
        s->ticks[s->now] += tick - s->since;
        s->since = tick;
    }
    if (s->count && cycles > s->since_cycles) {
        s->cycles[s->now] += cycles - s->since_cycles;
        s->since_cycles = cycles;
    }
}

void states_enter(struct states *s, uint64_t tick, uint64_t cycles, const char *name)
{
    size_t number = states_find(s, name);
    if (!s->count) {
        s->since = tick;
        s->since_cycles = cycles;
    }
    states_settle(s, tick, cycles);
    if (number == s->count && s->count < STATES)
        s->names[s->count++] = name;
    number = number < STATES ? number : STATES - 1;
    s->entries[number] += number != s->now || s->count == 1;
    s->now = number;
}

void states_restart(struct states *s, uint64_t tick, uint64_t cycles, const char *name)
{
    s->since = tick;
    s->since_cycles = cycles;
    states_enter(s, tick, cycles, name);
}

bool states_power_on(const struct motet_happened *h)
{
    return h->what == MOTET_ON_RESET && strcmp(h->reset, "power-on") == 0;
}

uint64_t states_ticks(const struct states *s, const char *name)
{
    size_t number = states_find(s, name);
    return number < s->count ? s->ticks[number] : 0;
}

const char *states_radio(enum motet_radio_state state)
{
    static const char *const names[] = {"off", "idle", "listening", "sending", "power-down"};
    return names[state];
}
