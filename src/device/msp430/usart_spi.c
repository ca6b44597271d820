/* Bytes on an SPI bus (SLAU049, chapter 14). */
#include "device/msp430/usart_internal.h"

#include "node/machine.h"

static bool is_master(const struct node *n, const struct msp430_usart *c)
{
    return usart_get(n, c, USART_CTL) & USART_MM;
}

static bool on(const struct node *n, const struct msp430_usart *c)
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
    return on(n, c) && is_master(n, c) && !(four_wires(n, c) && !pin_level(n, c->ste));
}

static bool selected(const struct node *n, const struct msp430_usart *c)
{
    return on(n, c) && !is_master(n, c) && !(four_wires(n, c) && pin_level(n, c->ste));
}

static unsigned bits(const struct node *n, const struct msp430_usart *c)
{
    return usart_get(n, c, USART_CTL) & USART_CHAR ? 8 : 7;
}

uint64_t spi_cycles(const struct node *n, const struct msp430_usart *c)
{
    return (uint64_t)bits(n, c) * usart_br(n, c);
}

static bool module_has(const struct node *n, const struct msp430_usart *c, uint8_t pin)
{
    return n->data[c->spi_select] >> pin % 8 & 1;
}

static void claim(struct node *n, const struct msp430_usart *c, uint8_t pin, enum pin_override how)
{
    if (pin != PIN_NONE)
        pin_set_override(n, pin, module_has(n, c, pin) ? how : PIN_NO_OVERRIDE);
}

void spi_claim_pins(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    const struct usart *s = device_state(n, d);
    enum pin_override none = PIN_NO_OVERRIDE, out = s->out_bit ? PIN_OUTPUT_HIGH : PIN_OUTPUT_LOW;
    enum pin_override idle = usart_get(n, c, USART_TCTL) & USART_CKPL ? PIN_OUTPUT_HIGH : PIN_OUTPUT_LOW;
    bool spi = usart_runs(n, c, USART_MODE_SPI), master = spi_may_send(n, c);
    claim(n, c, c->simo, !spi ? none : master ? out : PIN_INPUT);
    claim(n, c, c->uclk, !spi ? none : master ? idle : PIN_INPUT);
    claim(n, c, c->somi, !spi ? none : selected(n, c) ? out : PIN_INPUT);
    claim(n, c, c->ste, spi && four_wires(n, c) ? PIN_INPUT : none);
}

/* Another master has taken the bus by STE: FE. */
void spi_selected(struct node *n, const struct device *d)
{
    const struct msp430_usart *c = d->config;
    if (on(n, c) && is_master(n, c) && four_wires(n, c) && !pin_level(n, c->ste))
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
    uint8_t sent = (uint8_t)(s->tx_shift & ((1u << bits(n, c)) - 1)), answer;
    s->out_bit = sent & 1;
    spi_claim_pins(n, d);
    answer = spi_exchange(n, c->bus, sent);
    if (alone(n, c)) /* what comes in is the level of the pin */
        answer = pin_level(n, c->somi) ? 0xff : 0;
    if (usart_get(n, c, USART_CTL) & USART_LISTEN)
        answer = sent;
    usart_receive(n, d, (uint8_t)(answer & ((1u << bits(n, c)) - 1)));
}

/* As slave: a master elsewhere on the bus has clocked a byte. What was not written anew goes out again. */
uint8_t spi_exchanged(struct node *n, const struct device *d, unsigned role, uint8_t byte)
{
    const struct msp430_usart *c = d->config;
    struct usart *s = device_state(n, d);
    (void)role;
    if (!selected(n, c))
        return 0xff;
    uint8_t answer = usart_get(n, c, USART_TXBUF);
    s->out_bit = answer & 1;
    spi_claim_pins(n, d);
    if (s->tx_full) {
        s->tx_full = 0;
        usart_flag(n, d, c->tx, true);
    }
    usart_receive(n, d, byte);
    return answer;
}
