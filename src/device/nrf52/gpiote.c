#include "device/nrf52/gpiote.h"

#include "device/cortex/register32.h"
#include "node/pins.h"

enum { CHANNELS = 8, PINS = 48, TASK_SET = 12, TASK_CLR = 24, PORT_EVENT = 31, CONFIG = 0x510 };
enum { MODE_EVENT = 1, MODE_TASK = 3, RISES = 1, FALLS = 2, TOGGLES = 3 };
enum { ROLE_CONFIG = NRF52_OWN };

struct gpiote {
    uint8_t high; /* bit i: what channel i drives */
};

static void nrf52_gpiote_connect(const struct device *d, struct wiring *w)
{
    uint32_t channels = (1u << CHANNELS) - 1;
    nrf52_block_wire(w, d, channels | channels << TASK_SET | channels << TASK_CLR, channels | 1u << PORT_EVENT, 0);
    for (unsigned i = 0; i < CHANNELS; i++)
        nrf52_told(w, d, CONFIG + 4 * i, ROLE_CONFIG + i, WIRE_STORE);
    for (unsigned pin = 0; pin < PINS; pin++)
        wire_pin(w, d, pin, pin);
}

static void nrf52_gpiote_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    *(struct gpiote *)device_state(n, d) = (struct gpiote){0};
}

static unsigned nrf52_gpiote_pin(uint32_t config)
{
    return config >> 8 & 0x3f;
}

static void nrf52_gpiote_drive(struct node *n, const struct device *d, unsigned channel, bool high)
{
    struct gpiote *s = device_state(n, d);
    uint32_t config = nrf52_get(n, d, CONFIG + 4 * channel);
    if ((config & 3) != MODE_TASK || nrf52_gpiote_pin(config) >= PINS)
        return;
    s->high = (uint8_t)(high ? s->high | 1u << channel : s->high & ~(1u << channel));
    pin_set_override(n, nrf52_gpiote_pin(config), high ? PIN_OUTPUT_HIGH : PIN_OUTPUT_LOW);
}

static void nrf52_gpiote_configure(struct node *n, const struct device *d, unsigned channel, uint32_t old)
{
    uint32_t config = nrf52_get(n, d, CONFIG + 4 * channel);
    if ((old & 3) == MODE_TASK && nrf52_gpiote_pin(old) < PINS)
        pin_set_override(n, nrf52_gpiote_pin(old), PIN_NO_OVERRIDE);
    nrf52_gpiote_drive(n, d, channel, config >> 20 & 1);
}

/* OUT does what the polarity says, SET and CLR what their names say. */
static void nrf52_gpiote_task(struct node *n, const struct device *d, unsigned task)
{
    const struct gpiote *s = device_state(n, d);
    unsigned channel = task >= TASK_CLR ? task - TASK_CLR : task >= TASK_SET ? task - TASK_SET : task;
    unsigned polarity = nrf52_get(n, d, CONFIG + 4 * channel) >> 16 & 3;
    if (task >= TASK_SET)
        nrf52_gpiote_drive(n, d, channel, task < TASK_CLR);
    else if (polarity)
        nrf52_gpiote_drive(n, d, channel, polarity == TOGGLES ? !(s->high >> channel & 1) : polarity == RISES);
}

static void nrf52_gpiote_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    if (nrf52_block_write(n, d, role, value))
        return;
    if (role >= ROLE_CONFIG)
        nrf52_gpiote_configure(n, d, role - ROLE_CONFIG, old);
    else if (value & 1)
        nrf52_gpiote_task(n, d, role);
}

/* PIN_CNF.SENSE of a pin: 0 none, 2 high, 3 low. */
static unsigned nrf52_gpiote_sense(const struct node *n, unsigned pin)
{
    uint32_t port = pin < 32 ? 0x50000000u : 0x50000300u;
    return register32_get(n, port + 0x700 + 4 * (pin % 32)) >> 16 & 3;
}

static void nrf52_gpiote_input(struct node *n, const struct device *d, unsigned pin, bool level)
{
    for (unsigned i = 0; i < CHANNELS; i++) {
        uint32_t config = nrf52_get(n, d, CONFIG + 4 * i), polarity = config >> 16 & 3;
        if ((config & 3) == MODE_EVENT && nrf52_gpiote_pin(config) == pin && polarity & (level ? RISES : FALLS))
            nrf52_happens(n, d, i);
    }
    unsigned sense = nrf52_gpiote_sense(n, pin);
    if (sense == (level ? 2u : 3u))
        nrf52_happens(n, d, PORT_EVENT);
}

const struct device_type nrf52_gpiote = {
    .name = "gpiote",
    .state_size = sizeof(struct gpiote),
    .connect = nrf52_gpiote_connect,
    .reset = nrf52_gpiote_reset,
    .write = nrf52_gpiote_write,
    .input = nrf52_gpiote_input,
};
