#include "part/cc2420_internal.h"

#include "base/decibel.h"

enum { RSSI_SYMBOLS = 8, RSSI_OFFSET = -45 };

#define NOISE_DBM (-98.0) /* with the loss of earshot_byte_loss: the -95 dBm sensitivity of "RF Receive Section" */

double cc2420_noise(void)
{
    return 1.5848931924611134e-10; /* NOISE_DBM in milliwatts */
}

bool cc2420_rssi_valid(const struct node *n, const struct cc2420 *s)
{
    return cc2420_listens(s) && node_now(n) >= s->listening_since + earshot_symbols(n, RSSI_SYMBOLS);
}

int8_t cc2420_rssi(const struct node *n, const struct cc2420 *s, uint64_t from, uint64_t to)
{
    (void)n;
    double dbm = decibel_of(cc2420_noise() + earshot_energy(&s->ear, s->hertz, from, to));
    if (dbm > 0)
        dbm = 0; /* saturated: the dynamic range is 100 dB */
    double value = dbm - RSSI_OFFSET;
    return (int8_t)(value < 0 ? value - 0.5 : value + 0.5);
}

/* ---- clear channel assessment ---- */

/* Clear below CCA_THR - CCA_HYST, busy from CCA_THR on; between them it stays what it was ("Clear Channel Assessment").
 */
static bool clear_at(const struct node *n, const struct cc2420 *s, uint64_t tick, bool was)
{
    uint64_t window = earshot_symbols(n, RSSI_SYMBOLS);
    double power = cc2420_noise() + earshot_energy(&s->ear, s->hertz, tick - window, tick);
    int threshold = (int8_t)(s->registers[RSSI] >> 8) + RSSI_OFFSET, hysteresis = s->registers[MDMCTRL0] >> 8 & 7;
    return power < decibel_ratio(was ? threshold : threshold - hysteresis);
}

bool cc2420_channel_clear(const struct node *n, const struct cc2420 *s)
{
    bool receiving = s->fsm == RX_FRAME || s->fsm == RX_WAIT;
    if (!cc2420_rssi_valid(n, s))
        return false;
    switch (s->registers[MDMCTRL0] >> 6 & 3) {
    case 2: return !receiving;
    case 3: return s->energy_clear && !receiving;
    default: return s->energy_clear;
    }
}

/* The next symbol at which the energy, as far as is known now, crosses the threshold. */
static uint64_t next_change(const struct node *n, const struct cc2420 *s)
{
    uint64_t window = earshot_symbols(n, RSSI_SYMBOLS), symbol = earshot_symbols(n, 1), t = node_now(n);
    for (int i = 0; i < 256; i++) {
        uint64_t edge = earshot_edge(&s->ear, t - window);
        if (edge == NEVER)
            return NEVER;
        t = edge > t ? edge + symbol : t + symbol;
        if (clear_at(n, s, t, s->energy_clear) != s->energy_clear)
            return t;
    }
    return t;
}

void cc2420_assess(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    if (!cc2420_listens(s))
        return;
    if (!cc2420_rssi_valid(n, s)) {
        event_at(n, d, EVENT_CCA, CLOCK_TICK, s->listening_since + earshot_symbols(n, RSSI_SYMBOLS));
        return;
    }
    s->energy_clear = clear_at(n, s, node_now(n), s->energy_clear);
    uint64_t next = next_change(n, s);
    if (next == NEVER)
        event_cancel(n, d, EVENT_CCA);
    else
        event_at(n, d, EVENT_CCA, CLOCK_TICK, next);
    cc2420_update_pins(n, d);
}
