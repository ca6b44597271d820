/* What the files of a USART share: its state, and which file changes what.
 *
 * usart.c has the registers, modes and flags, usart_uart.c characters on a serial line, usart_spi.c bytes on an SPI
 * bus, usart_i2c.c the two-wire bus. Invariant: only the file of the mode that is on changes its group of fields below.
 */
#ifndef DEVICE_MSP430_USART_INTERNAL_H
#define DEVICE_MSP430_USART_INTERNAL_H

#include "device/msp430/clocks.h"
#include "device/msp430/port.h"
#include "device/msp430/usart.h"
#include "device/msp430/words.h"
#include "node/node.h"
#include "node/pins.h"

#define USART_QUEUE 64u

/* Registers, by their distance from UxCTL. */
enum { USART_CTL, USART_TCTL, USART_RCTL, USART_MCTL, USART_BR0, USART_BR1, USART_RXBUF, USART_TXBUF };

enum usart_ctl {
    USART_SWRST = 1,
    USART_MM = 2,
    USART_SYNC = 4,
    USART_LISTEN = 8,
    USART_CHAR = 0x10,
    USART_SPB = 0x20,
    USART_I2C = 0x20,
    USART_PEV = 0x40,
    USART_PENA = 0x80,
};
enum usart_tctl {
    USART_TXEPT = 1,
    USART_STC = 2,
    USART_TXWAKE = 4,
    USART_URXSE = 8,
    USART_SSEL = 4, /* shift */
    USART_CKPL = 0x40,
    USART_CKPH = 0x80,
};
enum usart_rctl {
    USART_RXERR = 1,
    USART_RXWAKE = 2,
    USART_URXWIE = 4,
    USART_URXEIE = 8,
    USART_BRK = 0x10,
    USART_OE = 0x20,
    USART_PE = 0x40,
    USART_FE = 0x80,
};

enum { USART_EVENT_TX, USART_EVENT_RX, USART_EVENT_I2C, USART_EVENTS };
enum usart_mode { USART_MODE_UART, USART_MODE_SPI, USART_MODE_I2C };

struct usart_queue {
    uint8_t first, count;
    uint16_t frames[USART_QUEUE];
};

struct usart {
    /* Transmitter, in UART and SPI mode. */
    uint8_t tx_full;   /* UxTXBUF waits for the shift register */
    uint8_t tx_busy;   /* a character is going out of tx_shift */
    uint8_t tx_idling; /* what goes out is the idle line before an address */
    uint16_t tx_shift;
    uint64_t tx_end; /* cycle of BRCLK */

    /* Receiver. */
    uint8_t rx_full;      /* UxRXBUF holds what was not read */
    uint8_t rx_started;   /* URXS: a start edge asks for an interrupt */
    uint8_t rx_phase;     /* of the frame passing on the line, the queue's first */
    uint8_t rx_heard;     /* the receiver was on from its start */
    uint8_t rx_address;   /* it follows an idle line */
    uint8_t out_bit;      /* SPI: what the output pin was left at */
    uint64_t rx_expected; /* cycle of BRCLK in which its stop bit is sampled */
    uint64_t rx_end;      /* tick at which it is over */
    uint64_t period;      /* of BRCLK when it last ran */
    struct usart_queue queue;

    /* I2C. */
    uint8_t i2c_step, i2c_standing;
    uint8_t i2c_more;  /* bytes of I2CNDAT yet to be moved over the bus */
    uint8_t i2c_loads; /* and yet to be written to I2CDR */
    uint8_t i2c_count; /* bytes in I2CDR */
    uint8_t i2c_data[2];
    uint8_t i2c_busy;  /* another master has the bus */
    uint8_t i2c_match; /* the first half of a ten-bit address was ours */
};

/* ---- usart.c ---- */

static inline uint8_t usart_get(const struct node *n, const struct msp430_usart *c, unsigned reg)
{
    return n->data[c->ctl + reg];
}

static inline void usart_set(struct node *n, const struct msp430_usart *c, unsigned reg, unsigned value)
{
    n->data[c->ctl + reg] = (uint8_t)value;
}

static inline bool usart_enabled(const struct node *n, const struct msp430_usart *c, uint8_t which)
{
    return n->data[c->me] & which;
}

enum usart_mode usart_mode_now(const struct node *n, const struct msp430_usart *c);

/* Neither in reset nor in another mode. */
bool usart_runs(const struct node *n, const struct msp430_usart *c, enum usart_mode mode);

/* The clock that is BRCLK; one that is always stopped for UCLK from outside. */
unsigned usart_clock(const struct node *n, const struct msp430_usart *c);
unsigned usart_br(const struct node *n, const struct msp430_usart *c); /* UxBR */

/* Sets or clears a flag of IFGx (c->rx or c->tx), interrupts and DMA included. */
void usart_flag(struct node *n, const struct device *d, uint8_t which, bool up);
void usart_update(struct node *n, const struct device *d);

/* The transmitter is, or is not, empty. */
void usart_show_empty(struct node *n, const struct device *d);

/* A character reaches UxRXBUF. */
void usart_receive(struct node *n, const struct device *d, uint8_t character);

/* Starts the next character if the shift register is free and there is one; it begins at the given cycle. */
void usart_load(struct node *n, const struct device *d, uint64_t start);

/* ---- usart_uart.c ---- */

unsigned uart_shape(struct node *n, const struct device *d, uint64_t *cycles); /* frame, and how long it takes */
void uart_sent(struct node *n, const struct device *d);
void uart_line_event(struct node *n, const struct device *d);
bool uart_line_offer(struct node *n, const struct device *d, unsigned frame);
void uart_line_passed(struct node *n, const struct device *d);

/* ---- usart_spi.c ---- */

bool spi_may_send(const struct node *n, const struct msp430_usart *c);
uint64_t spi_cycles(const struct node *n, const struct msp430_usart *c);
void spi_sent(struct node *n, const struct device *d);
uint8_t spi_exchanged(struct node *n, const struct device *d, unsigned role, uint8_t byte);
void spi_claim_pins(struct node *n, const struct device *d);
void spi_selected(struct node *n, const struct device *d);

/* ---- usart_i2c.c ---- */

enum { I2C_ROLE_IE, I2C_ROLE_IFG, I2C_ROLE_NDAT, I2C_ROLE_OA, I2C_ROLE_SA, I2C_ROLE_IV, I2C_ROLES };

void i2c_connect(const struct device *d, struct wiring *w, unsigned first_role);
void i2c_event(struct node *n, const struct device *d);
void i2c_read(struct node *n, const struct device *d, unsigned reg); /* one of the eight that all modes share */
void i2c_write(struct node *n, const struct device *d, unsigned reg, unsigned value, unsigned old);
void i2c_read_own(struct node *n, const struct device *d, unsigned role);
void i2c_write_own(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old);
bool i2c_asks(const struct node *n, const struct msp430_usart *c);
unsigned i2c_signalled(struct node *n, const struct device *d, unsigned role, enum twi_event event, uint8_t byte);

#endif
