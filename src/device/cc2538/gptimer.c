#include "device/cc2538/gptimer.h"

#include "node/clock.h"

enum {
    CFG = 0x00,
    MR = 0x04, /* from here on, two of each: A, B */
    CTL = 0x0c,
    IMR = 0x18,
    RIS = 0x1c,
    MIS = 0x20,
    ICR = 0x24,
    ILR = 0x28,
    MATCHR = 0x30,
    PR = 0x38,
    PMR = 0x40,
    R = 0x48,
    V = 0x50,
    RTCPD = 0x58,
    PV = 0x64,
    PP = 0xfc0,
};
enum { ROLE_CFG, ROLE_CTL, ROLE_IMR, ROLE_ICR, ROLE_MR = 8, ROLE_ILR = 10, ROLE_MATCHR = 12, ROLE_V = 14, ROLE_R = 16 };
enum { EVENT_TIMEOUT, EVENT_MATCH = 2 };
enum { MODE = 3, ONE_SHOT = 1, PERIODIC = 2, CAPTURE = 3, ALTERNATE = 8, UP = 0x10, MATCH_ENABLE = 0x20 };
enum { ENABLE_A = 1, ENABLE_B = 0x100, WIDE = 0, NARROW = 4, TIMEOUT_BIT = 1 };

/* Of half A and B. */
static const uint32_t gptimer_match_bit[2] = {0x10, 0x800};

struct gptimer_half {
    uint64_t since; /* cycle of the system clock at which it began a round */
    uint64_t count; /* while it stands still */
};

struct gptimer {
    struct gptimer_half half[2];
};

/* How a half counts, by its registers. */
struct gptimer_way {
    uint64_t divisor; /* cycles of a count */
    uint64_t last;    /* counts 0 to this, or from this down to 0 */
    uint64_t match;
    bool up, wide;
};

static struct gptimer_way gptimer_way_of(const struct node *n, const struct device *d, unsigned h)
{
    uint32_t mode = block32_get(n, d, MR + 4 * h), load = block32_get(n, d, ILR + 4 * h);
    uint32_t match = block32_get(n, d, MATCHR + 4 * h), pre = block32_get(n, d, PR + 4 * h) & 0xff;
    struct gptimer_way w = {.divisor = 1, .last = load, .match = match, .up = mode & UP};
    w.wide = (block32_get(n, d, CFG) & 7) != NARROW;
    if (w.wide)
        return w;
    w.last = load & 0xffff;
    w.match = match & 0xffff;
    if (w.up) { /* the prescaler has the highest bits of the count */
        w.last |= (uint64_t)pre << 16;
        w.match |= (uint64_t)(block32_get(n, d, PMR + 4 * h) & 0xff) << 16;
    } else {
        w.divisor = pre + 1;
    }
    return w;
}

static bool gptimer_runs(const struct node *n, const struct device *d, unsigned h)
{
    return block32_get(n, d, CTL) & (h ? ENABLE_B : ENABLE_A);
}

static uint64_t gptimer_count(const struct node *n, const struct device *d, unsigned h)
{
    const struct gptimer *s = device_state(n, d);
    if (!gptimer_runs(n, d, h))
        return s->half[h].count;
    struct gptimer_way w = gptimer_way_of(n, d, h);
    uint64_t passed = (node_cycle(n, CLOCK_IO) - s->half[h].since) / w.divisor;
    passed = passed > w.last ? w.last : passed;
    return w.up ? passed : w.last - passed;
}

static void gptimer_ask(struct node *n, const struct device *d)
{
    const struct cc2538_gptimer *c = d->config;
    uint32_t asks = block32_get(n, d, RIS) & block32_get(n, d, IMR);
    block32_set(n, d, MIS, asks);
    node_irq(n, c->block.line, asks & 0xff);
    node_irq(n, c->line_b, asks & 0xff00);
}

static void gptimer_plan(struct node *n, const struct device *d, unsigned h)
{
    const struct gptimer *s = device_state(n, d);
    struct gptimer_way w = gptimer_way_of(n, d, h);
    uint64_t since = s->half[h].since, at = w.up ? w.match : w.last - w.match;
    event_cancel(n, d, EVENT_MATCH + h);
    event_cancel(n, d, EVENT_TIMEOUT + h);
    if (!gptimer_runs(n, d, h))
        return;
    event_at(n, d, EVENT_TIMEOUT + h, CLOCK_IO, since + (w.last + 1) * w.divisor);
    if (block32_get(n, d, MR + 4 * h) & MATCH_ENABLE && w.match <= w.last &&
        since + at * w.divisor > node_cycle(n, CLOCK_IO))
        event_at(n, d, EVENT_MATCH + h, CLOCK_IO, since + at * w.divisor);
}

/* The round under way is such that the half has that count now. */
static void gptimer_set_count(struct node *n, const struct device *d, unsigned h, uint64_t count)
{
    struct gptimer *s = device_state(n, d);
    struct gptimer_way w = gptimer_way_of(n, d, h);
    uint64_t passed = w.up ? count : count > w.last ? 0 : w.last - count, now = node_cycle(n, CLOCK_IO);
    s->half[h].count = count;
    s->half[h].since = now - (passed * w.divisor > now ? now : passed * w.divisor);
    gptimer_plan(n, d, h);
}

static void gptimer_begin(struct node *n, const struct device *d, unsigned h)
{
    struct gptimer_way w = gptimer_way_of(n, d, h);
    uint32_t mode = block32_get(n, d, MR + 4 * h);
    unsigned kind = mode & MODE;
    if (kind == CAPTURE || kind == 0 || mode & ALTERNATE || (block32_get(n, d, CFG) & 7) == 1)
        node_unspecified(n, d, 0);
    gptimer_set_count(n, d, h, w.up ? 0 : w.last);
}

static void gptimer_event(struct node *n, const struct device *d, unsigned event)
{
    struct gptimer *s = device_state(n, d);
    unsigned h = event & 1;
    uint32_t bit = event >= EVENT_MATCH ? gptimer_match_bit[h] : (uint32_t)TIMEOUT_BIT << 8 * h;
    block32_set(n, d, RIS, block32_get(n, d, RIS) | bit);
    if (event < EVENT_MATCH) {
        struct gptimer_way w = gptimer_way_of(n, d, h);
        if ((block32_get(n, d, MR + 4 * h) & MODE) == ONE_SHOT) {
            s->half[h].count = w.up ? 0 : w.last;
            block32_set(n, d, CTL, block32_get(n, d, CTL) & ~(uint32_t)(h ? ENABLE_B : ENABLE_A));
        }
        s->half[h].since = node_cycle(n, CLOCK_IO);
        gptimer_plan(n, d, h);
    }
    gptimer_ask(n, d);
}

/* ---- registers ---- */

static void gptimer_connect(const struct device *d, struct wiring *w)
{
    const struct cc2538_gptimer *c = d->config;
    block32_told(w, d, CFG, ROLE_CFG, WIRE_STORE);
    block32_told(w, d, CTL, ROLE_CTL, WIRE_STORE);
    block32_told(w, d, IMR, ROLE_IMR, WIRE_STORE);
    block32_told(w, d, ICR, ROLE_ICR, WIRE_WRITE);
    block32_plain(w, d, RIS, 0);
    block32_plain(w, d, MIS, 0);
    for (unsigned h = 0; h < 2; h++) {
        block32_told(w, d, MR + 4 * h, ROLE_MR + h, WIRE_STORE);
        block32_told(w, d, ILR + 4 * h, ROLE_ILR + h, WIRE_STORE);
        block32_told(w, d, MATCHR + 4 * h, ROLE_MATCHR + h, WIRE_STORE);
        block32_told(w, d, V + 4 * h, ROLE_V + h, WIRE_WRITE | WIRE_READ);
        block32_told(w, d, R + 4 * h, ROLE_R + h, WIRE_READ);
        block32_plain(w, d, PR + 4 * h, 0xff);
        block32_plain(w, d, PMR + 4 * h, 0xff);
        block32_plain(w, d, PV + 4 * h, 0);
    }
    block32_plain(w, d, RTCPD, 0);
    block32_plain(w, d, PP, 0);
    wire_interrupt(w, d, c->block.line, 0);
    wire_interrupt(w, d, c->line_b, 1);
}

static void gptimer_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct gptimer *s = device_state(n, d);
    (void)cause;
    *s = (struct gptimer){.half = {{.count = 0xffffffff}, {.count = 0xffff}}};
    for (unsigned h = 0; h < 2; h++) {
        block32_set(n, d, ILR + 4 * h, h ? 0xffff : 0xffffffff);
        block32_set(n, d, MATCHR + 4 * h, h ? 0xffff : 0xffffffff);
    }
    block32_set(n, d, PP, 0x70);
}

static void gptimer_read(struct node *n, const struct device *d, unsigned role)
{
    unsigned h = role & 1;
    uint64_t count = gptimer_count(n, d, h);
    struct gptimer_way w = gptimer_way_of(n, d, h);
    block32_set(n, d, (role >= ROLE_R ? R : V) + 4 * h, (uint32_t)(w.wide ? count : count & 0xffffff));
}

static void gptimer_control(struct node *n, const struct device *d, uint32_t value, uint32_t old)
{
    struct gptimer *s = device_state(n, d);
    for (unsigned h = 0; h < 2; h++) {
        uint32_t bit = h ? ENABLE_B : ENABLE_A;
        if (value & bit && !(old & bit)) {
            gptimer_begin(n, d, h);
        } else if (old & bit && !(value & bit)) {
            block32_set(n, d, CTL, old);
            uint64_t count = gptimer_count(n, d, h);
            block32_set(n, d, CTL, value);
            s->half[h].count = count;
            gptimer_plan(n, d, h);
        }
    }
}

static void gptimer_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    unsigned h = role & 1;
    switch (role) {
    case ROLE_CTL: gptimer_control(n, d, value, old); break;
    case ROLE_IMR: gptimer_ask(n, d); break;
    case ROLE_ICR:
        block32_set(n, d, RIS, block32_get(n, d, RIS) & ~value);
        gptimer_ask(n, d);
        break;
    case ROLE_ILR:
    case ROLE_ILR + 1:
        if (!gptimer_runs(n, d, h) || !(block32_get(n, d, MR + 4 * h) & UP))
            gptimer_set_count(n, d, h, value);
        else
            gptimer_plan(n, d, h);
        break;
    case ROLE_V:
    case ROLE_V + 1: gptimer_set_count(n, d, h, value); break;
    case ROLE_MR:
    case ROLE_MR + 1:
    case ROLE_MATCHR:
    case ROLE_MATCHR + 1: gptimer_plan(n, d, h); break;
    default: break;
    }
}

static const char *const gptimer_unspecified[] = {
    "a general-purpose timer is started to capture, to count edges, as PWM or as a real-time clock, which Motet does "
    "not have: it counts as a periodic timer",
};

const struct device_type cc2538_gptimer = {
    .name = "gptimer",
    .state_size = sizeof(struct gptimer),
    .events = 4,
    .connect = gptimer_connect,
    .reset = gptimer_reset,
    .event = gptimer_event,
    .read = gptimer_read,
    .write = gptimer_write,
    .unspecified = gptimer_unspecified,
};
