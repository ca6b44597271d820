#include "part/twi_memory.h"

#include "base/pages.h"
#include "node/node.h"
#include "node/pins.h"

enum { EVENT_WRITTEN, EVENTS };
enum phase { IDLE, ADDRESS_HIGH, ADDRESS_LOW, DATA, READING };

struct twi_memory {
    uint32_t at;    /* next byte to read or write */
    uint32_t start; /* of the page in the buffer */
    uint8_t phase;
    uint8_t dirty[TWI_MEMORY_PAGE / 8]; /* which bytes of the buffer were sent */
    uint8_t buffer[TWI_MEMORY_PAGE];
};

static void twi_memory_connect(const struct device *d, struct wiring *w)
{
    const struct twi_memory_config *c = d->config;
    wire_twi(w, d, c->bus, 0);
    wire_pages(w, d, c->size, 0xff);
}

static bool two_address_bytes(const struct twi_memory_config *c)
{
    return c->size > 2048;
}

static unsigned twi_memory_start(struct node *n, const struct device *d, uint8_t byte)
{
    const struct twi_memory_config *c = d->config;
    struct twi_memory *s = device_state(n, d);
    uint32_t blocks = two_address_bytes(c) || c->size < 256 ? 1 : c->size / 256;
    bool ours = ((byte >> 1) & ~(blocks - 1)) == (c->address & ~(blocks - 1));
    s->phase = IDLE;
    for (unsigned i = 0; i < sizeof s->dirty; i++)
        s->dirty[i] = 0; /* a START in place of the STOP cancels a write */
    if (!ours || event_pending(n, d, EVENT_WRITTEN))
        return 0;
    if (blocks > 1)
        s->at = (s->at & 0xff) | (((uint32_t)byte >> 1) & (blocks - 1)) << 8;
    s->phase = byte & 1 ? READING : two_address_bytes(c) ? ADDRESS_HIGH : ADDRESS_LOW;
    return TWI_ACKNOWLEDGE;
}

static unsigned twi_memory_receive(struct node *n, const struct device *d, uint8_t byte)
{
    const struct twi_memory_config *c = d->config;
    struct twi_memory *s = device_state(n, d);
    switch ((enum phase)s->phase) {
    case IDLE:
    case READING: return 0;
    case ADDRESS_HIGH:
        s->at = (s->at & 0xff) | ((uint32_t)byte << 8 & (c->size - 1));
        s->phase = ADDRESS_LOW;
        return TWI_ACKNOWLEDGE;
    case ADDRESS_LOW:
        s->at = ((s->at & ~UINT32_C(0xff)) | byte) & (c->size - 1);
        s->start = s->at & ~(c->page_size - 1u);
        s->phase = DATA;
        return TWI_ACKNOWLEDGE;
    case DATA: break;
    }
    if (c->write_protect != PIN_NONE && pin_level(n, c->write_protect))
        return 0;
    unsigned offset = s->at & (c->page_size - 1u);
    s->buffer[offset] = byte;
    s->dirty[offset / 8] |= (uint8_t)(1u << offset % 8);
    s->at = s->start | ((offset + 1) & (c->page_size - 1u));
    return TWI_ACKNOWLEDGE;
}

static unsigned transmit(struct node *n, const struct device *d)
{
    const struct twi_memory_config *c = d->config;
    struct twi_memory *s = device_state(n, d);
    if (s->phase != READING)
        return 0xff;
    uint8_t byte = pages_get(device_pages(n, d), s->at);
    s->at = (s->at + 1) & (c->size - 1);
    return byte;
}

static void twi_memory_stop(struct node *n, const struct device *d)
{
    const struct twi_memory_config *c = d->config;
    struct twi_memory *s = device_state(n, d);
    bool written = false;
    for (unsigned i = 0; i < c->page_size; i++) {
        if (s->dirty[i / 8] >> i % 8 & 1) {
            pages_set(device_pages(n, d), s->start + i, s->buffer[i]);
            written = true;
        }
    }
    *s = (struct twi_memory){.at = s->at};
    if (written)
        event_in(n, d, EVENT_WRITTEN, CLOCK_TICK, node_ticks(n, c->write_seconds));
}

static unsigned twi(struct node *n, const struct device *d, unsigned role, enum twi_event event, uint8_t byte)
{
    (void)role;
    switch (event) {
    case TWI_START: return twi_memory_start(n, d, byte);
    case TWI_WRITE: return twi_memory_receive(n, d, byte);
    case TWI_READ:
    case TWI_READ_NACKED: return transmit(n, d);
    case TWI_STOP: twi_memory_stop(n, d); return 0;
    case TWI_CLOCK_HELD: return 0;
    }
    return 0;
}

/* The end of a write needs nothing done: that it is no longer pending is all. */
static void twi_memory_event(struct node *n, const struct device *d, unsigned which)
{
    (void)n, (void)d, (void)which;
}

const struct device_type twi_memory_type = {
    .name = "twi_memory",
    .state_size = sizeof(struct twi_memory),
    .events = EVENTS,
    .connect = twi_memory_connect,
    .event = twi_memory_event,
    .twi = twi,
};
