#include "device/msp430/multiplier.h"

#include "device/msp430/words.h"

/* Registers by their distance from MPY, in words; the first four also are the operations. */
enum { MPY, MPYS, MAC, MACS, OP2, RESLO, RESHI, SUMEXT };

struct state {
    uint8_t operation;
};

static void multiplier_connect(const struct device *d, struct wiring *w)
{
    const struct msp430_multiplier *m = d->config;
    for (unsigned i = MPY; i <= OP2; i++)
        wire_register(w, d, (uint16_t)(m->mpy + 2 * i), i, WIRE_STORE | WIRE_WORD, 0xffff);
    wire_register(w, d, (uint16_t)(m->mpy + 2 * RESLO), 0, WIRE_PLAIN | WIRE_WORD, 0xffff);
    wire_register(w, d, (uint16_t)(m->mpy + 2 * RESHI), 0, WIRE_PLAIN | WIRE_WORD, 0xffff);
    wire_register(w, d, (uint16_t)(m->mpy + 2 * SUMEXT), 0, WIRE_PLAIN | WIRE_WORD, 0);
}

static void multiplier_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct state *s = device_state(n, d);
    (void)cause;
    s->operation = MPY;
}

/* SUMEXT: zero, the carry of an unsigned sum, or the sign of a signed result (table 7-2). */
static unsigned extension(unsigned operation, uint64_t sum)
{
    switch (operation) {
    case MPY: return 0;
    case MAC: return sum >> 32 & 1;
    default: return sum >> 31 & 1 ? 0xffff : 0;
    }
}

static void multiply(struct node *n, const struct msp430_multiplier *m, unsigned operation, uint16_t second)
{
    uint16_t first = word_get(n, m->mpy), low = (uint16_t)(m->mpy + 2 * RESLO), high = (uint16_t)(m->mpy + 2 * RESHI);
    bool is_signed = operation == MPYS || operation == MACS;
    uint64_t sum = is_signed ? (uint32_t)((int16_t)first * (int16_t)second) : (uint32_t)first * second;
    if (operation >= MAC)
        sum += word_get(n, low) | (uint32_t)word_get(n, high) << 16;
    word_set(n, low, (unsigned)sum);
    word_set(n, high, (unsigned)(sum >> 16));
    word_set(n, (uint16_t)(m->mpy + 2 * SUMEXT), extension(operation, sum));
}

static void multiplier_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    const struct msp430_multiplier *m = d->config;
    struct state *s = device_state(n, d);
    (void)old;
    if (role == OP2) {
        multiply(n, m, s->operation, (uint16_t)value);
        msp430_dma_raise(n, m->ready);
        return;
    }
    s->operation = (uint8_t)role;
    for (unsigned i = MPY; i <= MACS; i++)
        word_set(n, (uint16_t)(m->mpy + 2 * i), value);
}

const struct device_type msp430_multiplier = {
    .name = "multiplier",
    .core = true,
    .state_size = sizeof(struct state),
    .connect = multiplier_connect,
    .reset = multiplier_reset,
    .write = multiplier_write,
};
