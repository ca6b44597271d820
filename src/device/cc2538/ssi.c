#include "device/cc2538/ssi.h"

#include "device/cc2538/sys_ctrl.h"

enum { CR0 = 0x00, CR1 = 0x04, DR = 0x08, SR = 0x0c, CPSR = 0x10, IM = 0x14, RIS = 0x18, MIS = 0x1c, ICR = 0x20 };
enum { DMACTL = 0x24, CC = 0xfc8 };
enum { ROLE_CR1, ROLE_DR, ROLE_SR, ROLE_IM, ROLE_ICR, ROLE_DMACTL };
enum { FIFO = 8, ENABLE = 2, SLAVE = 4, LOOP = 1, INT_TX = 8, INT_RX = 4, INT_OVERRUN = 1 };

struct ssi {
    uint8_t tx_head, tx_count, rx_head, rx_count, sending;
    uint8_t tx[FIFO], rx[FIFO];
};

static void ssi_ask(struct node *n, const struct device *d)
{
    const struct ssi *s = device_state(n, d);
    uint32_t flags = block32_get(n, d, RIS) & INT_OVERRUN;
    flags |= (s->tx_count <= FIFO / 2 ? INT_TX : 0) | (s->rx_count >= FIFO / 2 ? INT_RX : 0);
    block32_set(n, d, RIS, flags);
    block32_set(n, d, MIS, flags & block32_get(n, d, IM));
    node_irq(n, block32_of(d)->line, flags & block32_get(n, d, IM));
}

static void ssi_next(struct node *n, const struct device *d)
{
    struct ssi *s = device_state(n, d);
    uint32_t control = block32_get(n, d, CR0), divisor = block32_get(n, d, CPSR) & 0xfe;
    if (s->sending || !s->tx_count || !(block32_get(n, d, CR1) & ENABLE))
        return;
    double bit = (divisor ? divisor : 2) * (1 + (control >> 8 & 0xff)) / cc2538_io_hz(n);
    s->sending = 1;
    event_in(n, d, 0, CLOCK_TICK, node_ticks(n, 8 * bit));
}

static void ssi_event(struct node *n, const struct device *d, unsigned event)
{
    const struct cc2538_ssi *c = d->config;
    struct ssi *s = device_state(n, d);
    uint8_t byte = s->tx[s->tx_head];
    (void)event;
    s->sending = 0;
    s->tx_head = (s->tx_head + 1) % FIFO;
    s->tx_count--;
    uint8_t answer = block32_get(n, d, CR1) & LOOP ? byte : spi_exchange(n, c->bus, byte);
    if (s->rx_count == FIFO)
        block32_set(n, d, RIS, block32_get(n, d, RIS) | INT_OVERRUN);
    else
        s->rx[(s->rx_head + s->rx_count++) % FIFO] = answer;
    ssi_next(n, d);
    ssi_ask(n, d);
}

static void ssi_connect(const struct device *d, struct wiring *w)
{
    const struct cc2538_ssi *c = d->config;
    block32_plain(w, d, CR0, 0xffff);
    block32_told(w, d, CR1, ROLE_CR1, WIRE_STORE);
    block32_told(w, d, DR, ROLE_DR, WIRE_READ | WIRE_WRITE);
    block32_told(w, d, SR, ROLE_SR, WIRE_READ);
    block32_plain(w, d, CPSR, 0xff);
    block32_told(w, d, IM, ROLE_IM, WIRE_STORE);
    block32_plain(w, d, RIS, 0);
    block32_plain(w, d, MIS, 0);
    block32_told(w, d, ICR, ROLE_ICR, WIRE_WRITE);
    block32_told(w, d, DMACTL, ROLE_DMACTL, WIRE_STORE);
    block32_plain(w, d, CC, 7);
    wire_interrupt(w, d, block32_of(d)->line, 0);
    wire_spi_bus(w, d, c->bus);
}

static void ssi_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct ssi *s = device_state(n, d);
    (void)cause;
    *s = (struct ssi){0};
    block32_set(n, d, RIS, INT_TX);
}

static void ssi_read(struct node *n, const struct device *d, unsigned role)
{
    struct ssi *s = device_state(n, d);
    if (role == ROLE_SR) {
        block32_set(n, d, SR,
                    (s->tx_count || s->sending ? 0x10u : 0) | (s->rx_count == FIFO ? 8u : 0) | (s->rx_count ? 4u : 0) |
                        (s->tx_count < FIFO ? 2u : 0) | (s->tx_count ? 0 : 1u));
    } else if (s->rx_count) {
        block32_set(n, d, DR, s->rx[s->rx_head]);
        s->rx_head = (s->rx_head + 1) % FIFO;
        s->rx_count--;
        ssi_ask(n, d);
    }
}

static void ssi_put(struct node *n, const struct device *d, uint8_t byte)
{
    struct ssi *s = device_state(n, d);
    if ((block32_get(n, d, CR0) & 0x3f) != 7 || block32_get(n, d, CR1) & SLAVE)
        node_unspecified(n, d, 0);
    if (s->tx_count < FIFO)
        s->tx[(s->tx_head + s->tx_count++) % FIFO] = byte;
    ssi_next(n, d);
    ssi_ask(n, d);
}

static void ssi_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    switch (role) {
    case ROLE_DR: ssi_put(n, d, (uint8_t)value); break;
    case ROLE_CR1: ssi_next(n, d); break;
    case ROLE_IM: ssi_ask(n, d); break;
    case ROLE_ICR:
        block32_set(n, d, RIS, block32_get(n, d, RIS) & ~value);
        ssi_ask(n, d);
        break;
    case ROLE_DMACTL:
        if (value & 3)
            node_unspecified(n, d, 1);
        break;
    default: break;
    }
}

static const char *const ssi_unspecified[] = {
    "the SSI sends as a slave, in another frame format, or frames of other lengths than eight bits, which Motet does "
    "not have: it sends bytes as a master of SPI",
    "the SSI is asked to request transfers of the uDMA, which Motet does not have: it never does",
};

const struct device_type cc2538_ssi = {
    .name = "ssi",
    .state_size = sizeof(struct ssi),
    .events = 1,
    .connect = ssi_connect,
    .reset = ssi_reset,
    .event = ssi_event,
    .read = ssi_read,
    .write = ssi_write,
    .unspecified = ssi_unspecified,
};
