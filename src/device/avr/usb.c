#include "device/avr/usb.h"

#include "node/node.h"

struct state {
    bool told; /* since power-on */
};

static const char *const usb_unspecified[] = {
    "the firmware uses USB, which is not modelled: its registers keep what is written and no host is ever connected. "
    "Serial over USB prints nothing; use a USART (Serial1 on a Leonardo)",
};

static void usb_connect(const struct device *d, struct wiring *w)
{
    const struct avr_usb *c = d->config;
    for (size_t i = 0; i < c->count; i++)
        wire_register(w, d, c->registers[i], 0, WIRE_STORE, 0xff);
}

static void usb_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    struct state *s = device_state(n, d);
    (void)role, (void)value, (void)old;
    if (s->told)
        return;
    s->told = true;
    node_unspecified(n, d, 0);
}

const struct device_type avr_usb = {
    .name = "USB controller",
    .state_size = sizeof(struct state),
    .connect = usb_connect,
    .write = usb_write,
    .unspecified = usb_unspecified,
};
