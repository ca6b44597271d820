#include "part/cc2420_internal.h"

#include "base/decibel.h"

enum { RSSI_OFFSET = -45 };

/* What the receiver adds to the noise around it: together they are -98 dBm where no medium says otherwise, which with
 * the loss of earshot_byte_loss is the sensitivity of -95 dBm of "RF Receive Section". */
#define OWN_NOISE 5.848931924611134e-11

double cc2420_noise(const struct node *n)
{
    return decibel_ratio_again(&n->air_memo->noise, (double)air_noise(n)) + OWN_NOISE;
}

int8_t cc2420_rssi(const struct node *n, const struct cc2420 *s, uint64_t from, uint64_t to)
{
    double dbm = decibel_of(cc2420_noise(n) + earshot_energy(&s->heard.ear, s->heard.hertz, from, to));
    if (dbm > 0)
        dbm = 0; /* saturated: the dynamic range is 100 dB */
    double value = dbm - RSSI_OFFSET;
    return (int8_t)(value < 0 ? value - 0.5 : value + 0.5);
}

/* ---- clear channel assessment ---- */

/* Clear below CCA_THR - CCA_HYST, busy from CCA_THR on; between them it stays what it was ("Clear Channel
 * Assessment"). In milliwatts: below which it is clear. */
static double clear_below(const struct node *n, const struct cc2420 *s)
{
    int threshold = (int8_t)(s->registers[RSSI] >> 8) + RSSI_OFFSET, hysteresis = s->registers[MDMCTRL0] >> 8 & 7;
    struct decibel_memo *memo = &n->air_memo->threshold[s->energy_clear != 0];
    return decibel_ratio_again(memo, s->energy_clear ? threshold : threshold - hysteresis);
}

static double cc2420_energy_power_at(const struct node *n, const struct cc2420 *s, uint64_t tick, double noise)
{
    uint64_t window = earshot_symbols(n, RSSI_SYMBOLS);
    return noise + earshot_energy(&s->heard.ear, s->heard.hertz, tick - window, tick);
}

/* The number of the first of the receiver's symbols that begins after a tick, counting every `step` of them. */
static uint64_t symbol_after(const struct node *n, const struct cc2420 *s, uint64_t tick, unsigned step)
{
    uint64_t since = tick - s->listening_since, symbol;
    if (since >> 43) /* months */
        symbol = (uint64_t)((unsigned __int128)since * 1000000 / (16 * n->machine->hz)) / step * step;
    else
        symbol = since * 1000000 / (16 * n->machine->hz) / step * step;
    while (s->listening_since + earshot_symbols(n, symbol) <= tick)
        symbol += step;
    return symbol;
}

static uint64_t symbol_tick(const struct node *n, const struct cc2420 *s, uint64_t symbol)
{
    return s->listening_since + earshot_symbols(n, symbol);
}

/* A busy channel stays so while one sound alone is strong enough: the last symbol of that time, or `tick`. Edges are
 * looked for from there, but not beyond the last. */
static uint64_t cc2420_energy_still_busy(const struct node *n, const struct cc2420 *s,
                                         const struct earshot_scene *scene, uint64_t tick, double limit)
{
    uint64_t window = earshot_symbols(n, RSSI_SYMBOLS), until = scene_fills(scene, tick - window, tick, limit);
    uint64_t over = scene_last_edge(scene) + window; /* from then on nothing is known to change */
    until = until < over ? until : over - 1;
    return until > tick ? symbol_tick(n, s, symbol_after(n, s, until, 1) - 1) : tick;
}

/* When to look again where no sound is known to begin or to end. A message reports the end of the sounds that keep the
 * channel busy. If noise does, no message reports its end: look again after every window. */
static uint64_t cc2420_energy_no_edge(const struct node *n, const struct cc2420 *s, const struct earshot_scene *scene,
                                      uint64_t tick, double limit)
{
    if (s->energy_clear || scene_energy(scene, tick - earshot_symbols(n, RSSI_SYMBOLS), tick) > limit)
        return NEVER;
    return symbol_tick(n, s, symbol_after(n, s, tick, RSSI_SYMBOLS));
}

/* The next symbol at which the energy, as far as is known now, crosses the threshold. The noise of now is left out
 * of it: plans must not depend on when they are made. */
static uint64_t cc2420_energy_next_change(const struct node *n, const struct cc2420 *s)
{
    const double sure = 1 + 1e-9;
    uint64_t window = earshot_symbols(n, RSSI_SYMBOLS), t = node_now(n);
    struct earshot_scene scene;
    earshot_look(&s->heard.ear, s->heard.hertz, t - window, &scene);
    uint64_t edge = scene_edge(&scene, t - window);
    double limit = edge == NEVER && s->energy_clear ? 0 : clear_below(n, s);
    /* Most of what is heard is weak: not even all of it at once would matter. */
    if (s->energy_clear && edge != NEVER && OWN_NOISE + scene_worst(&scene, t - window) * sure < limit)
        return NEVER;
    for (int i = 0; i < 256; i++) {
        if (edge == NEVER)
            return cc2420_energy_no_edge(n, s, &scene, t, limit * sure);
        t = symbol_tick(n, s, symbol_after(n, s, edge > t ? edge : t, 1));
        if ((OWN_NOISE + scene_energy(&scene, t - window, t) < limit) != s->energy_clear)
            return t;
        if (!s->energy_clear)
            t = cc2420_energy_still_busy(n, s, &scene, t, limit * sure);
        edge = scene_edge(&scene, t - window);
    }
    return t;
}

void cc2420_plan_assessment(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    uint64_t valid = s->listening_since + earshot_symbols(n, RSSI_SYMBOLS);
    if (event_cycle(n, d, EVENT_CCA) <= node_now(n))
        return; /* due now, and plans anew itself */
    uint64_t next = node_now(n) < valid ? valid : cc2420_energy_next_change(n, s);
    if (next == NEVER)
        event_cancel(n, d, EVENT_CCA);
    else
        event_at(n, d, EVENT_CCA, CLOCK_TICK, next);
}

void cc2420_assess(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    if (!cc2420_listens(s))
        return;
    if (cc2420_rssi_valid(n, s))
        s->energy_clear = cc2420_energy_power_at(n, s, node_now(n), cc2420_noise(n)) < clear_below(n, s);
    cc2420_plan_assessment(n, d);
    cc2420_update_pins(n, d);
}
