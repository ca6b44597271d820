#include "part/outside.h"

#include <string.h>

#include "node/machine.h"
#include "node/node.h"
#include "node/pins.h"
#include "node/taps.h"

enum { GUARD = 16 }; /* bytes after the part's own state, which stay zero */
enum { DEPTH = 4 };  /* how often a part may change pins within the change of another pin by it */

/* Before the part's own state, which so is aligned as well. */
struct outside_state {
    _Alignas(16) uint32_t addressed; /* bit i: the I2C master talks to the part over leg i */
    uint32_t silent;                 /* bit i: the part is changing its leg i */
    uint8_t depth;
    uint8_t starting; /* its power comes on */
    uint8_t misused;  /* bit i: MISUSE_ i, to be reported when observers are there */
};

struct outside_mount {
    struct motet_mount mount; /* first */
    struct node *node;
    const struct device *device;
};

enum {
    MISUSE_DRIVE,
    MISUSE_LEVEL,
    MISUSE_SEND,
    MISUSE_SENSE,
    MISUSE_PARAMETER,
    MISUSE_TIMER,
    MISUSE_LOOP,
    MISUSE_BEYOND,
    MISUSES
};
static const char *const outside_unspecified[] = {
    [MISUSE_DRIVE] = "it drives a leg that its table does not have as an output",
    [MISUSE_LEVEL] = "it asks for the level of a leg that its table does not have as a pin",
    [MISUSE_SEND] = "it sends over a leg that its table does not have as a serial line",
    [MISUSE_SENSE] = "it senses with a leg that its table does not have as a quantity",
    [MISUSE_PARAMETER] = "it asks for a parameter that its table does not have",
    [MISUSE_TIMER] = "it uses a timer that its table does not have",
    [MISUSE_LOOP] = "pins change each other without end while no time passes; let a timer change the pin",
    [MISUSE_BEYOND] = "it has written beyond the end of its state; the state of the node may be damaged",
};

static struct outside_state *outside_own(const struct node *n, const struct device *d)
{
    return device_state(n, d);
}

void *outside_state(const struct node *n, const struct device *d)
{
    return outside_own(n, d) + 1;
}

static const struct outside_mount *outside_of(const struct motet_mount *m)
{
    return (const struct outside_mount *)m;
}

static const struct outside *outside_part(const struct motet_mount *m)
{
    return outside_of(m)->device->config;
}

/* When the power comes on nobody looks yet: an event after the timers reports it. */
static void outside_misused(const struct motet_mount *m, unsigned how)
{
    const struct outside_mount *o = outside_of(m);
    struct outside_state *s = outside_own(o->node, o->device);
    if (!s->starting) {
        node_unspecified(o->node, o->device, how);
        return;
    }
    s->misused |= (uint8_t)(1u << how);
    event_in(o->node, o->device, outside_part(m)->table->timers, CLOCK_TICK, 1);
}

/* After a callback: what follows the state is as it was. */
static void outside_guard(const struct motet_mount *m)
{
    static const uint8_t zero[GUARD];
    uint8_t *guard = (uint8_t *)m->state + outside_part(m)->table->state_size;
    if (memcmp(guard, zero, GUARD) == 0)
        return;
    memset(guard, 0, GUARD);
    outside_misused(m, MISUSE_BEYOND);
}

static void outside_report_misuse(struct node *n, const struct device *d)
{
    struct outside_state *s = outside_own(n, d);
    for (unsigned how = 0; how < MISUSES; how++)
        if (s->misused >> how & 1)
            node_unspecified(n, d, how);
    s->misused = 0;
}

/* Whether the leg is there, of a kind from `first` to `last`. */
static bool outside_has(const struct motet_mount *m, unsigned leg, enum motet_leg_kind first, enum motet_leg_kind last)
{
    const struct motet_part *t = outside_part(m)->table;
    return leg < t->leg_count && t->legs[leg].kind >= first && t->legs[leg].kind <= last;
}

/* ---- services ---- */

static void outside_drive(const struct motet_mount *m, unsigned leg, enum motet_drive how)
{
    const struct outside_mount *o = outside_of(m);
    struct outside_state *s = outside_own(o->node, o->device);
    if (!outside_has(m, leg, MOTET_LEG_OUTPUT, MOTET_LEG_BOTH) || (unsigned)how > MOTET_HIGH) {
        outside_misused(m, MISUSE_DRIVE);
        return;
    }
    if (s->depth == DEPTH) {
        outside_misused(m, MISUSE_LOOP);
        return;
    }
    uint32_t silent = s->silent;
    s->silent |= UINT32_C(1) << leg;
    s->depth++;
    pin_drive(o->node, outside_part(m)->places[leg], (enum pin_drive)how);
    s->depth--;
    s->silent = silent;
}

_Static_assert((int)MOTET_FLOATING == (int)PIN_FLOATING && (int)MOTET_PULLED_UP == (int)PIN_PULLED_UP &&
                   (int)MOTET_PULLED_DOWN == (int)PIN_PULLED_DOWN && (int)MOTET_LOW == (int)PIN_LOW &&
                   (int)MOTET_HIGH == (int)PIN_HIGH,
               "one list of drives");

static bool outside_level(const struct motet_mount *m, unsigned leg)
{
    if (outside_has(m, leg, MOTET_LEG_INPUT, MOTET_LEG_BOTH))
        return pin_level(outside_of(m)->node, outside_part(m)->places[leg]);
    outside_misused(m, MISUSE_LEVEL);
    return false;
}

static bool outside_send(const struct motet_mount *m, unsigned leg, uint8_t byte)
{
    if (outside_has(m, leg, MOTET_LEG_SERIAL, MOTET_LEG_SERIAL))
        return serial_receive(outside_of(m)->node, outside_part(m)->places[leg], byte);
    outside_misused(m, MISUSE_SEND);
    return false;
}

static int32_t outside_sense(const struct motet_mount *m, unsigned leg)
{
    const struct outside_mount *o = outside_of(m);
    const struct wire *lines = o->node->machine->analog;
    bool senses = outside_has(m, leg, MOTET_LEG_SENSE, MOTET_LEG_SENSE);
    if (senses && outside_own(o->node, o->device)->starting)
        return outside_part(m)->table->legs[leg].usual;
    if (senses)
        for (unsigned i = 0; i < MACHINE_CHANNELS; i++)
            if (lines[i].device == o->device && lines[i].role == leg)
                return analog_read(o->node, i);
    outside_misused(m, MISUSE_SENSE);
    return 0;
}

static int64_t outside_parameter(const struct motet_mount *m, unsigned number)
{
    if (number < outside_part(m)->table->parameter_count)
        return outside_part(m)->parameters[number];
    outside_misused(m, MISUSE_PARAMETER);
    return 0;
}

static uint64_t outside_now(const struct motet_mount *m)
{
    const struct node *n = outside_of(m)->node;
    return (uint64_t)((unsigned __int128)node_now(n) * MOTET_SECOND / n->machine->hz);
}

static uint64_t outside_ticks(const struct motet_mount *m)
{
    return node_now(outside_of(m)->node);
}

static uint64_t outside_hz(const struct motet_mount *m)
{
    return outside_of(m)->node->machine->hz;
}

/* A timer that were due at once could keep time from passing. */
static void outside_after_ticks(const struct motet_mount *m, unsigned timer, uint64_t ticks)
{
    const struct outside_mount *o = outside_of(m);
    if (timer >= outside_part(m)->table->timers)
        outside_misused(m, MISUSE_TIMER);
    else
        event_in(o->node, o->device, timer, CLOCK_TICK, ticks < 1 ? 1 : ticks > NEVER / 4 ? NEVER / 4 : ticks);
}

static void outside_after(const struct motet_mount *m, unsigned timer, uint64_t nanoseconds)
{
    unsigned __int128 ticks = (unsigned __int128)nanoseconds * outside_hz(m) + (MOTET_SECOND - 1);
    ticks /= MOTET_SECOND;
    outside_after_ticks(m, timer, ticks > NEVER / 4 ? NEVER / 4 : (uint64_t)ticks);
}

static void outside_cancel(const struct motet_mount *m, unsigned timer)
{
    if (timer >= outside_part(m)->table->timers)
        outside_misused(m, MISUSE_TIMER);
    else
        event_cancel(outside_of(m)->node, outside_of(m)->device, timer);
}

static uint32_t outside_random(const struct motet_mount *m)
{
    return node_random(outside_of(m)->node);
}

static void outside_report(const struct motet_mount *m, const char *text)
{
    if (text && taps_wanted(outside_of(m)->node, MOTET_ON(PART)))
        taps_part_report(outside_of(m)->node, outside_of(m)->device, text);
}

static const struct motet_part_services services = {
    .size = sizeof services,
    .drive = outside_drive,
    .level = outside_level,
    .send = outside_send,
    .sense = outside_sense,
    .parameter = outside_parameter,
    .now = outside_now,
    .ticks = outside_ticks,
    .hz = outside_hz,
    .after = outside_after,
    .after_ticks = outside_after_ticks,
    .cancel = outside_cancel,
    .random = outside_random,
    .report = outside_report,
};

/* ---- callbacks ---- */

static struct outside_mount outside_mount(struct node *n, const struct device *d)
{
    return (struct outside_mount){{&services, outside_state(n, d)}, n, d};
}

static const struct motet_part *outside_table(const struct device *d)
{
    return ((const struct outside *)d->config)->table;
}

static void outside_connect(const struct device *d, struct wiring *w)
{
    const struct outside *p = d->config;
    for (unsigned leg = 0; leg < p->table->leg_count; leg++) {
        const struct motet_leg *l = &p->table->legs[leg];
        unsigned place = p->places[leg];
        if (l->kind <= MOTET_LEG_BOTH)
            wire_pin(w, d, place, leg);
        switch (l->kind) {
        case MOTET_LEG_INPUT: break;
        case MOTET_LEG_OUTPUT:
        case MOTET_LEG_BOTH: wire_drive(w, d, place); break;
        case MOTET_LEG_SPI: wire_spi(w, d, place, leg); break;
        case MOTET_LEG_I2C: wire_twi(w, d, place, leg); break;
        case MOTET_LEG_SERIAL: wire_listener(w, d, place, leg); break;
        case MOTET_LEG_ANALOG: wire_voltage(w, d, place, leg); break;
        case MOTET_LEG_SENSE:
            place = wire_free_channel(w);
            wire_analog(w, d, place, leg);
            wire_quantity(w, d, (struct quantity){l->name, l->unit, place, 0, 1e6});
            break;
        }
    }
}

/* Parts are reset at power-on only, when their state is zero. The environment is connected after that at first, but
 * not when a node is booted again: so no part senses it. */
static void outside_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct outside_mount m = outside_mount(n, d);
    (void)cause;
    if (!outside_table(d)->power_on)
        return;
    outside_own(n, d)->starting = 1;
    outside_table(d)->power_on(&m.mount);
    outside_guard(&m.mount);
    outside_own(n, d)->starting = 0;
}

static void outside_event(struct node *n, const struct device *d, unsigned event)
{
    struct outside_mount m = outside_mount(n, d);
    if (event == outside_table(d)->timers) {
        outside_report_misuse(n, d);
        return;
    }
    outside_table(d)->timer(&m.mount, event);
    outside_guard(&m.mount);
}

static void outside_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    struct outside_mount m = outside_mount(n, d);
    bool listens = outside_table(d)->legs[role].kind != MOTET_LEG_OUTPUT;
    if (!listens || outside_own(n, d)->silent >> role & 1)
        return;
    outside_table(d)->pin(&m.mount, role, level);
    outside_guard(&m.mount);
}

static uint8_t outside_spi(struct node *n, const struct device *d, unsigned role, uint8_t byte)
{
    struct outside_mount m = outside_mount(n, d);
    uint8_t answer = outside_table(d)->spi(&m.mount, role, byte);
    outside_guard(&m.mount);
    return answer;
}

/* The end of what the master has to do with the part, by STOP or by another START. */
static void outside_i2c_end(const struct motet_mount *m, unsigned leg)
{
    struct outside_state *s = outside_own(outside_of(m)->node, outside_of(m)->device);
    const struct motet_part *t = outside_part(m)->table;
    if (!(s->addressed >> leg & 1))
        return;
    s->addressed &= ~(UINT32_C(1) << leg);
    if (t->i2c_stop)
        t->i2c_stop(m, leg);
}

static unsigned outside_i2c_start(const struct motet_mount *m, unsigned leg, uint8_t byte)
{
    struct outside_state *s = outside_own(outside_of(m)->node, outside_of(m)->device);
    outside_i2c_end(m, leg);
    if (!outside_part(m)->table->i2c_start(m, leg, byte >> 1, byte & 1))
        return 0;
    s->addressed |= UINT32_C(1) << leg;
    return TWI_ACKNOWLEDGE;
}

static unsigned outside_i2c(const struct motet_mount *m, unsigned leg, enum twi_event event, uint8_t byte)
{
    const struct motet_part *t = outside_part(m)->table;
    bool addressed = outside_own(outside_of(m)->node, outside_of(m)->device)->addressed >> leg & 1;
    switch (event) {
    case TWI_START: return outside_i2c_start(m, leg, byte);
    case TWI_WRITE: return addressed && t->i2c_write && t->i2c_write(m, leg, byte) ? TWI_ACKNOWLEDGE : 0;
    case TWI_READ:
    case TWI_READ_NACKED: return addressed && t->i2c_read ? t->i2c_read(m, leg, event == TWI_READ_NACKED) : 0xff;
    case TWI_STOP: outside_i2c_end(m, leg); return 0;
    case TWI_CLOCK_HELD: return 0;
    }
    return 0;
}

static unsigned outside_twi(struct node *n, const struct device *d, unsigned role, enum twi_event event, uint8_t byte)
{
    struct outside_mount m = outside_mount(n, d);
    unsigned answer = outside_i2c(&m.mount, role, event, byte);
    outside_guard(&m.mount);
    return answer;
}

static void outside_listen(struct node *n, const struct device *d, unsigned role, unsigned frame)
{
    struct outside_mount m = outside_mount(n, d);
    if (frame & SERIAL_BREAK)
        return;
    outside_table(d)->serial(&m.mount, role, (uint8_t)frame);
    outside_guard(&m.mount);
}

static int32_t outside_analog(struct node *n, const struct device *d, unsigned role)
{
    struct outside_mount m = outside_mount(n, d);
    const struct motet_leg *l = &outside_table(d)->legs[role];
    if (l->kind == MOTET_LEG_SENSE)
        return l->usual;
    int32_t microvolts = outside_table(d)->analog(&m.mount, role);
    outside_guard(&m.mount);
    return microvolts;
}

void outside_type(struct outside *p)
{
    p->type = (struct device_type){
        .name = "part from outside",
        .state_size = sizeof(struct outside_state) + p->table->state_size + GUARD,
        .events = p->table->timers + 1,
        .outside = true,
        .connect = outside_connect,
        .reset = outside_reset,
        .event = outside_event,
        .input = outside_input,
        .spi = outside_spi,
        .twi = outside_twi,
        .listen = outside_listen,
        .analog = outside_analog,
        .unspecified = outside_unspecified,
    };
}
