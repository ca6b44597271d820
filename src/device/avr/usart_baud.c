/* Modes, frame formats and the clock of a USART ("Clock Generation", "Frame Formats"). */
#include "device/avr/usart_internal.h"

#include "device/bit_order.h"
#include "node/pins.h"

enum usart_mode usart_mode(const struct node *n, const struct usart_config *c)
{
    unsigned umsel = n->data[c->ucsrc] >> USART_UMSEL;
    return (enum usart_mode)(c->master_spi ? umsel : umsel & 1);
}

/* The direction of XCK selects master or slave operation. */
bool usart_is_slave(const struct node *n, const struct usart_config *c)
{
    return usart_mode(n, c) == USART_SYNCHRONOUS && c->xck != PIN_NONE && !pin_is_output(n, c->xck);
}

struct usart_format usart_format(const struct node *n, const struct usart_config *c)
{
    static const uint8_t sizes[8] = {5, 6, 7, 8, 8, 8, 8, 9}; /* 4 to 6 are reserved */
    if (usart_mode(n, c) == USART_MASTER_SPI)
        return (struct usart_format){.data = 8};
    unsigned b = n->data[c->ucsrb], r = n->data[c->ucsrc];
    return (struct usart_format){
        .data = sizes[((b >> USART_UCSZ2) & 1) << 2 | ((r >> USART_UCSZ) & 3)],
        .parity = (r >> (USART_UPM + 1)) & 1,
        .stop = (uint8_t)(1 + ((r >> USART_USBS) & 1)),
    };
}

unsigned usart_parity(const struct node *n, const struct usart_config *c, unsigned data)
{
    unsigned odd = (n->data[c->ucsrc] >> USART_UPM) & 1;
    return (unsigned)__builtin_parity(data) ^ odd;
}

uint8_t usart_spi_order(const struct node *n, const struct usart_config *c, uint8_t byte)
{
    bool least_first = n->data[c->ucsrc] & 1u << (USART_UCSZ + 1); /* UDORD */
    return least_first ? bit_order_reversed(byte) : byte;
}

/* The down-counter loads UBRR when it reaches zero, and at once when UBRRL is written; the dividers after it run on.
 * Until the next zero, tick_base lies ahead. */
void usart_baud_set(struct node *n, struct usart *s, unsigned ubrr, bool reload)
{
    uint64_t now = node_cycle(n, CLOCK_IO), length = s->ubrr + 1u;
    int64_t ticks = now >= s->tick_base ? (int64_t)((now - s->tick_base) / length) : -1;
    if (!reload)
        ticks++;
    s->phase = (uint8_t)((s->phase + ticks) & 15);
    s->tick_base = reload ? now : s->tick_base + (uint64_t)ticks * length;
    s->ubrr = (uint16_t)ubrr;
}

unsigned usart_divider(const struct node *n, const struct usart_config *c)
{
    switch (usart_mode(n, c)) {
    case USART_SYNCHRONOUS:
    case USART_MASTER_SPI: return 2;
    default: return n->data[c->ucsra] & 1u << USART_U2X ? 8 : 16;
    }
}

uint64_t usart_bit_cycles(const struct node *n, const struct device *d)
{
    const struct usart *s = device_state(n, d);
    return (uint64_t)usart_divider(n, d->config) * (s->ubrr + 1u);
}

uint64_t usart_next_bit(const struct node *n, const struct device *d)
{
    const struct usart *s = device_state(n, d);
    uint64_t now = node_cycle(n, CLOCK_IO), length = s->ubrr + 1u;
    unsigned divider = usart_divider(n, d->config);
    uint64_t ticks = now >= s->tick_base ? (now - s->tick_base) / length + 1 : 0;
    unsigned past = (unsigned)((s->phase + ticks) % divider);
    return s->tick_base + (ticks + (past ? divider - past : 0)) * length;
}

uint64_t usart_next_tick(const struct node *n, const struct device *d)
{
    const struct usart *s = device_state(n, d);
    uint64_t now = node_cycle(n, CLOCK_IO), length = s->ubrr + 1u;
    return now <= s->tick_base ? s->tick_base : s->tick_base + (now - s->tick_base + length - 1) / length * length;
}
