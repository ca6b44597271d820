#include "monitor/meter.h"

#include <math.h>

/* ---- states ---- */

/* The current of a state without more about it. */
static double meter_base(const struct motet_meter *m, const char *component, const char *state)
{
    if (strcmp(component, "radio") == 0 && strcmp(state, "sending") == 0)
        return currents_sending(&m->currents, 0);
    const struct current *c = currents_find(&m->currents, component, state);
    return c ? c->milliamps : NAN;
}

static void meter_on_sent(struct motet_meter *m, const struct motet_happened *h)
{
    double more = currents_sending(&m->currents, h->radio.dbm) - currents_sending(&m->currents, 0);
    if (!isnan(more))
        m->more_sent += more * (double)(h->tick - h->radio.begun);
}

static void meter_on_pin(struct motet_meter *m, const motet_node *n, const struct motet_happened *h, uint64_t cycles)
{
    for (size_t i = 0; i < m->led_count; i++)
        if (m->led[i].pin == h->pin.pin)
            states_enter(&m->leds[i], h->tick, cycles, motet_node_led(n, i) ? "on" : "off");
}

/* Called often, so that little is lost where the power is cut. */
void meter_settle(struct motet_meter *m, uint64_t tick, uint64_t cycles)
{
    states_settle(&m->cpu, tick, cycles);
    states_settle(&m->radio, tick, cycles);
    states_settle(&m->flash, tick, cycles);
    for (size_t i = 0; i < m->led_count; i++)
        states_settle(&m->leds[i], tick, cycles);
}

static void meter_restart(struct motet_meter *m, uint64_t tick, uint64_t cycles)
{
    states_restart(&m->cpu, tick, cycles, "active");
    states_restart(&m->radio, tick, cycles, "off");
    states_restart(&m->flash, tick, cycles, "standby");
    for (size_t i = 0; i < m->led_count; i++)
        states_restart(&m->leds[i], tick, cycles, "off");
}

static void meter_told(void *context, const motet_node *n, const struct motet_happened *h)
{
    struct motet_meter *m = context;
    uint64_t cycles = motet_node_cycles(n);
    if (states_power_on(h)) {
        meter_restart(m, h->tick, cycles);
        return;
    }
    switch (h->what) {
    case MOTET_ON_SLEEP:
    case MOTET_ON_WAKE:
    case MOTET_ON_RESET:
        meter_settle(m, h->tick, cycles);
        states_enter(&m->cpu, h->tick, cycles, h->what == MOTET_ON_SLEEP ? motet_node_doing(n, NULL) : "active");
        break;
    case MOTET_ON_RADIO_STATE: states_enter(&m->radio, h->tick, cycles, states_radio(h->state)); break;
    case MOTET_ON_RADIO_SEND: meter_on_sent(m, h); break;
    case MOTET_ON_PIN: meter_on_pin(m, n, h, cycles); break;
    default: /* a part */
        if (h->part.doing && strcmp(h->part.name, "flash") == 0)
            states_enter(&m->flash, h->tick, cycles, h->part.doing);
        break;
    }
}

/* ---- beginning and end ---- */

static bool meter_read_table(struct motet_meter *m, const char *path, struct motet_error *e)
{
    const char *board = motet_machine_board(m->machine);
    if (path)
        return currents_load(&m->currents, path, e);
    m->text = motet_machine_currents(m->machine);
    if (!m->text)
        return monitor_sentence(e, "there is no table of currents for %s; give one with table=FILE (docs/monitors.md)",
                                board);
    return currents_read(&m->currents, m->text, board, e);
}

static void meter_begin(struct motet_meter *m)
{
    uint64_t tick = motet_node_now(m->node), cycles = motet_node_cycles(m->node);
    m->has_radio = currents_find(&m->currents, "radio", "off") != NULL;
    m->has_flash = motet_node_doing(m->node, "flash") != NULL;
    states_enter(&m->cpu, tick, cycles, "active");
    states_enter(&m->radio, tick, cycles, "off");
    states_enter(&m->flash, tick, cycles, "standby");
    while (m->led_count < METER_LEDS && motet_machine_led(m->machine, m->led_count, &m->led[m->led_count]))
        states_enter(&m->leds[m->led_count++], tick, cycles, "off");
}

motet_meter *motet_meter_new(motet_node *n, const char *table, struct motet_error *e)
{
    struct motet_meter *m = memory_new(sizeof *m);
    m->node = n;
    m->machine = motet_node_machine(n);
    if (!meter_read_table(m, table, e)) {
        motet_meter_free(m);
        return NULL;
    }
    meter_begin(m);
    m->hook = motet_hook(n,
                         MOTET_ON(SLEEP) | MOTET_ON(WAKE) | MOTET_ON(RESET) | MOTET_ON(RADIO_STATE) |
                             MOTET_ON(RADIO_SEND) | MOTET_ON(PIN) | MOTET_ON(PART),
                         meter_told, m);
    return m;
}

void motet_meter_free(motet_meter *m)
{
    if (!m)
        return;
    motet_tap_remove(m->hook);
    meter_drop(m);
}

void meter_drop(struct motet_meter *m)
{
    if (!m)
        return;
    currents_free(&m->currents);
    free(m);
}

/* ---- adding up ---- */

static double meter_seconds(const struct motet_meter *m, uint64_t ticks)
{
    return (double)ticks / (double)motet_machine_hz(m->machine);
}

/* Asleep the CPU has no clock; what goes on beside it has the one that the CPU had when it was active. */
static double meter_megahertz(const struct motet_meter *m, uint64_t cycles, double seconds)
{
    double active = meter_seconds(m, m->cpu.ticks[0]);
    double in = cycles ? seconds : active, counted = (double)(cycles ? cycles : m->cpu.cycles[0]);
    return in > 0 ? counted / 1e6 / in : 0;
}

static void meter_add(const struct motet_meter *m, struct meter_bill *b, const char *component, const char *state,
                      uint64_t ticks, uint64_t cycles)
{
    const struct current *c = currents_find(&m->currents, component, state);
    double seconds = meter_seconds(m, ticks), milliamps = meter_base(m, component, state);
    if (c && c->per_mhz)
        milliamps *= meter_megahertz(m, cycles, seconds);
    if (strcmp(state, "sending") == 0 && ticks)
        milliamps += m->more_sent / (double)ticks;
    double used = isnan(milliamps) ? 0 : milliamps * seconds * m->currents.volts;
    b->millijoules += used;
    b->items[b->count++] = (struct meter_item){component, state, seconds, milliamps, used};
}

static void meter_add_states(const struct motet_meter *m, struct meter_bill *b, const char *component,
                             const struct states *s)
{
    for (size_t i = 0; i < s->count; i++)
        meter_add(m, b, component, s->names[i], s->ticks[i], s->cycles[i]);
}

void meter_add_up(const struct motet_meter *m, struct meter_bill *b)
{
    *b = (struct meter_bill){.count = 0};
    for (size_t i = 0; i < m->cpu.count; i++)
        b->seconds += meter_seconds(m, m->cpu.ticks[i]);
    meter_add_states(m, b, "cpu", &m->cpu);
    if (m->has_radio)
        meter_add_states(m, b, "radio", &m->radio);
    if (m->has_flash)
        meter_add_states(m, b, "flash", &m->flash);
    for (size_t i = 0; i < m->led_count; i++)
        meter_add(m, b, "led", m->led[i].name, states_ticks(&m->leds[i], "on"), 0);
}

/* ---- for others ---- */

double motet_meter_millijoules(motet_meter *m)
{
    struct meter_bill b;
    meter_settle(m, motet_node_now(m->node), motet_node_cycles(m->node));
    meter_add_up(m, &b);
    return b.millijoules;
}

double motet_meter_milliamp_hours(motet_meter *m)
{
    return motet_meter_millijoules(m) / m->currents.volts / 3600;
}

double motet_meter_largest_milliamps(const motet_meter *m)
{
    static const char *const components[] = {"cpu", "radio", "flash"};
    double all = 0, mhz = (double)motet_machine_hz(m->machine) / 1e6;
    for (size_t k = 0; k < sizeof components / sizeof *components; k++) {
        double most = 0;
        for (size_t i = 0; i < m->currents.count; i++) {
            const struct current *c = &m->currents.list[i];
            double milliamps = c->milliamps * (c->per_mhz ? mhz : 1);
            if (strcmp(c->component, components[k]) == 0 && milliamps > most)
                most = milliamps;
        }
        all += most;
    }
    for (size_t i = 0; i < m->led_count; i++) {
        double led = meter_base(m, "led", m->led[i].name);
        all += isnan(led) ? 0 : led;
    }
    return all;
}
