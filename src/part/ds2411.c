#include "part/ds2411.h"

#include "node/node.h"
#include "node/pins.h"

enum { FAMILY = 0x01, READ_ROM = 0x33, MATCH_ROM = 0x55, SKIP_ROM = 0xcc, SEARCH_ROM = 0xf0 };
enum phase { SILENT, COMMAND, SENDING, MATCHING, SEARCHING };
enum { SEARCH_BIT, SEARCH_COMPLEMENT, SEARCH_CHOICE };
enum { EVENT_SAMPLE, EVENT_PRESENCE, EVENTS };

static const double sample_seconds = 30e-6, presence_delay = 30e-6, presence_seconds = 120e-6, reset_seconds = 480e-6;

struct state {
    uint64_t fell;   /* tick at which the master pulled the line low */
    uint8_t low;     /* it has been pulled low and not risen since */
    uint8_t pulling; /* by us */
    uint8_t phase;
    uint8_t bit; /* of the command or the number */
    uint8_t step;
    uint8_t command;
};

uint64_t ds2411_number(uint32_t id)
{
    uint64_t number = FAMILY | (id + UINT64_C(0x100)) << 8;
    unsigned crc = 0; /* x^8 + x^5 + x^4 + 1, least significant bit first */
    for (unsigned i = 0; i < 56; i++) {
        unsigned feedback = (crc ^ (unsigned)(number >> i)) & 1;
        crc = crc >> 1 ^ (feedback ? 0x8c : 0);
    }
    return number | (uint64_t)crc << 56;
}

static void ds2411_connect(const struct device *d, struct wiring *w)
{
    const struct ds2411 *c = d->config;
    wire_pin(w, d, c->pin, 0);
    wire_drive(w, d, c->pin);
}

static void ds2411_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    const struct ds2411 *c = d->config;
    struct state *s = device_state(n, d);
    (void)cause;
    *s = (struct state){.phase = SILENT};
    pin_drive(n, c->pin, PIN_PULLED_UP);
}

static void ds2411_pull(struct node *n, const struct device *d, bool low)
{
    const struct ds2411 *c = d->config;
    struct state *s = device_state(n, d);
    s->pulling = low;
    pin_drive(n, c->pin, low ? PIN_LOW : PIN_PULLED_UP);
}

static unsigned number_bit(const struct node *n, unsigned bit)
{
    return ds2411_number(n->id) >> bit & 1;
}

/* What to say in the slot that begins: 1 leaves the line alone. */
static unsigned to_say(const struct node *n, const struct state *s)
{
    if (s->phase == SENDING)
        return number_bit(n, s->bit);
    if (s->phase == SEARCHING && s->step != SEARCH_CHOICE)
        return number_bit(n, s->bit) ^ (s->step == SEARCH_COMPLEMENT);
    return 1;
}

static void next_bit(struct state *s)
{
    if (++s->bit == 64)
        s->phase = SILENT;
}

static void ds2411_decode(struct state *s)
{
    s->bit = s->step = 0;
    switch (s->command) {
    case READ_ROM: s->phase = SENDING; break;
    case MATCH_ROM: s->phase = MATCHING; break;
    case SEARCH_ROM: s->phase = SEARCHING; break;
    default: s->phase = SILENT; break; /* after SKIP_ROM there is nothing more to ask of it */
    }
}

/* A slot has got to where its bit is decided. */
static void ds2411_slot(const struct node *n, struct state *s, unsigned level)
{
    switch ((enum phase)s->phase) {
    case SILENT: break;
    case COMMAND:
        s->command = (uint8_t)(s->command >> 1 | level << 7);
        if (++s->bit == 8)
            ds2411_decode(s);
        break;
    case SENDING: next_bit(s); break;
    case MATCHING:
        if (level != number_bit(n, s->bit))
            s->phase = SILENT;
        else
            next_bit(s);
        break;
    case SEARCHING:
        if (s->step != SEARCH_CHOICE) {
            s->step++;
        } else if (level != number_bit(n, s->bit)) {
            s->phase = SILENT;
        } else {
            s->step = SEARCH_BIT;
            next_bit(s);
        }
        break;
    }
}

static void ds2411_event(struct node *n, const struct device *d, unsigned which)
{
    const struct ds2411 *c = d->config;
    struct state *s = device_state(n, d);
    if (which == EVENT_PRESENCE) {
        ds2411_pull(n, d, !s->pulling);
        if (s->pulling)
            event_in(n, d, EVENT_PRESENCE, CLOCK_TICK, node_ticks(n, presence_seconds));
        return;
    }
    unsigned level = pin_level(n, c->pin);
    if (s->pulling)
        ds2411_pull(n, d, false);
    ds2411_slot(n, s, level);
}

static void ds2411_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    struct state *s = device_state(n, d);
    (void)role;
    if (!level) {
        if (s->pulling)
            return; /* our own doing */
        s->low = 1;
        s->fell = node_now(n);
        if (s->phase == SILENT)
            return;
        event_in(n, d, EVENT_SAMPLE, CLOCK_TICK, node_ticks(n, sample_seconds));
        if (!to_say(n, s))
            ds2411_pull(n, d, true);
        return;
    }
    if (s->low && node_now(n) - s->fell >= node_ticks(n, reset_seconds)) {
        event_cancel(n, d, EVENT_SAMPLE);
        *s = (struct state){.phase = COMMAND};
        event_in(n, d, EVENT_PRESENCE, CLOCK_TICK, node_ticks(n, presence_delay));
    }
    s->low = 0;
}

const struct device_type part_ds2411 = {
    .name = "ds2411",
    .state_size = sizeof(struct state),
    .events = EVENTS,
    .connect = ds2411_connect,
    .reset = ds2411_reset,
    .event = ds2411_event,
    .input = ds2411_input,
};
