/* Bytes on an SPI bus (SLAU049, chapter 14). */
#include "device/msp430/usart_internal.h"

#include "node/machine.h"

static bool is_master(const struct node *n, const struct msp430_usart *c)
{
    return usart_get(n, c, USART_CTL) & USART_MM;
}

static bool usart_spi_on(const struct node *n, const struct msp430_usart *c)
{
    return usart_runs(n, c, USART_MODE_SPI) && usart_enabled(n, c, c->rx); /* USPIE is URXE's bit */
}

static bool four_wires(const struct node *n, const struct msp430_usart *c)
{
    return !(usart_get(n, c, USART_TCTL) & USART_STC);
}

/* With four wires STE is a slave's select, and takes the bus away from a master: low is active (14.2.2). */
bool spi_may_send(const struct node *n, const struct msp430_usart *c)
{
    return usart_spi_on(n, c) && is_master(n, c) && !(four_wires(n, c) && !pin_level(n, c->ste));
}

static bool usart_spi_selected(const struct node *n, const struct msp430_usart *c)
{
    return usart_spi_on(n, c) && !is_master(n, c) && !(four_wires(n, c) && pin_level(n, c->ste));
}

static unsigned usart_spi_bits(const struct node *n, const struct msp430_usart *c)
{
    return usart_get(n, c, USART_CTL) & USART_CHAR ? 8 : 7;
}

uint64_t spi_cycles(const struct node *n, const struct msp430_usart *c)
{
    return (uint64_t)usart_spi_bits(n, c) * usart_br(n, c);
}

static void usart_spi_show_bit(struct node *n, unsigned pin, bool high)
{
    msp430_port_output(n, pin, high ? PIN_OUTPUT_HIGH : PIN_OUTPUT_LOW);
}

void spi_claim_pins(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    const struct usart *s = device_state(n, d);
    bool master = spi_may_send(n, c), slave = usart_spi_selected(n, c);
    msp430_port_output(n, c->simo, PIN_INPUT);
    msp430_port_output(n, c->uclk, PIN_INPUT);
    msp430_port_output(n, c->somi, PIN_INPUT);
    msp430_port_output(n, c->ste, PIN_INPUT);
    if (master) {
        usart_spi_show_bit(n, c->simo, s->out_bit);
        usart_spi_show_bit(n, c->uclk, usart_get(n, c, USART_TCTL) & USART_CKPL);
    }
    if (slave)
        usart_spi_show_bit(n, c->somi, s->out_bit);
}

static void leave_bit(struct node *n, struct usart *s, unsigned pin, bool high)
{
    if (high == s->out_bit)
        return;
    s->out_bit = high;
    usart_spi_show_bit(n, pin, high);
}

/* Another master has taken the bus by STE: FE. */
void spi_selected(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    if (usart_spi_on(n, c) && is_master(n, c) && four_wires(n, c) && !pin_level(n, c->ste))
        usart_set(n, c, USART_RCTL, usart_get(n, c, USART_RCTL) | USART_FE);
}

static bool alone(const struct node *n, const struct msp430_usart *c)
{
    return n->machine->spi[c->bus].count == 1;
}

void spi_sent(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    uint8_t sent = (uint8_t)(s->tx_shift & ((1u << usart_spi_bits(n, c)) - 1)), answer;
    leave_bit(n, s, c->simo, sent & 1);
    answer = spi_exchange(n, c->bus, sent);
    if (alone(n, c)) /* what comes in is the level of the pin */
        answer = pin_level(n, c->somi) ? 0xff : 0;
    if (usart_get(n, c, USART_CTL) & USART_LISTEN)
        answer = sent;
    usart_receive(n, d, (uint8_t)(answer & ((1u << usart_spi_bits(n, c)) - 1)));
}

/* As slave: a master elsewhere on the bus has clocked a byte. What was not written anew goes out again. */
uint8_t spi_exchanged(struct node *n, const struct device *d, unsigned role, uint8_t byte)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    (void)role;
    if (!usart_spi_selected(n, c))
        return 0xff;
    uint8_t answer = usart_get(n, c, USART_TXBUF);
    leave_bit(n, s, c->somi, answer & 1);
    if (s->tx_full) {
        s->tx_full = 0;
        usart_flag(n, d, c->tx, true);
    }
    usart_receive(n, d, byte);
    return answer;
}
