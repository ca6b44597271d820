#include "device/msp430/svs.h"

#include "node/machine.h"

enum { SVSFG = 0x01, SVSOP = 0x02, SVSON = 0x04, PORON = 0x08, VLD = 0xf0 };

/* Datasheet, td(SVSon) and tsettle: from off to on, and from one level to another. */
/* SLAS421A, page 23 (the same module): td(SVSon) 20 us typical, 150 at most; tsettle 12 us at most. */
static const double start_seconds = 20e-6, settle_seconds = 12e-6;

struct state {
    uint8_t control;
};

static void svs_connect(const struct device *d, struct wiring *w)
{
    const struct msp430_svs *c = d->config;
    wire_register(w, d, c->control, 0, WIRE_STORE, VLD | PORON | SVSFG);
}

/* Settled: the comparator's output counts. */
static void svs_compare(struct node *n, const struct device *d)
{
    const struct msp430_svs *c = d->config;
    struct state *s = device_state(n, d);
    bool low = n->machine->millivolts < c->millivolts[s->control >> 4];
    s->control = (uint8_t)((s->control & ~SVSOP) | SVSON | (low ? SVSOP | SVSFG : 0));
    n->data[c->control] = s->control;
    if (low && (s->control & PORON))
        node_request_reset(n, RESET_BROWN_OUT);
}

static void svs_settle(struct node *n, const struct device *d, unsigned old)
{
    const struct msp430_svs *c = d->config;
    struct state *s = device_state(n, d);
    if (s->control & VLD) {
        s->control &= (uint8_t) ~(SVSON | SVSOP);
        event_in(n, d, 0, CLOCK_TICK, node_ticks(n, old & VLD ? settle_seconds : start_seconds));
    } else {
        s->control &= (uint8_t) ~(SVSON | SVSOP);
        event_cancel(n, d, 0);
    }
    n->data[c->control] = s->control;
}

static void svs_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct state *s = device_state(n, d);
    if (cause == RESET_POWER_ON)
        s->control = 0;
    if (cause == RESET_BROWN_OUT) /* by this supervisor: SVSFG tells, and it does not reset for ever */
        s->control &= SVSFG;
    svs_settle(n, d, 0);
}

static void svs_event(struct node *n, const struct device *d, unsigned event)
{
    (void)event;
    svs_compare(n, d);
}

static void svs_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    struct state *s = device_state(n, d);
    (void)role;
    s->control = (uint8_t)((s->control & (SVSON | SVSOP)) | (value & (VLD | PORON | SVSFG)));
    if ((value ^ old) & VLD)
        svs_settle(n, d, old);
    else if (s->control & SVSON)
        svs_compare(n, d);
    else
        n->data[((const struct msp430_svs *)d->config)->control] = s->control;
}

const struct device_type msp430_svs = {
    .name = "supply supervisor",
    .state_size = sizeof(struct state),
    .events = 1,
    .connect = svs_connect,
    .reset = svs_reset,
    .event = svs_event,
    .write = svs_write,
};
