/* What the files of a USART share: its state, and which file changes what.
 *
 * usart.c has the registers, usart_baud.c modes, frame formats and the clock, usart_transmit.c the transmitter and the
 * pins it drives, usart_receive.c the line and the receiver. Invariant: only the file that owns a group of fields below
 * writes them (reset excepted).
 */
#ifndef DEVICE_AVR_USART_INTERNAL_H
#define DEVICE_AVR_USART_INTERNAL_H

#include "device/avr/usart.h"
#include "node/node.h"

#define USART_QUEUE 64u

enum { USART_EVENT_TX, USART_EVENT_RX, USART_EVENT_PINS, USART_EVENTS };
enum usart_mode { USART_ASYNCHRONOUS, USART_SYNCHRONOUS, USART_RESERVED, USART_MASTER_SPI };
enum usart_rx_phase { USART_RX_IDLE, USART_RX_BITS, USART_RX_STOP };

struct usart_queue {
    uint8_t first, count;
    uint16_t frames[USART_QUEUE];
};

struct usart {
    /* Clock: a prescaler tick falls on tick_base and every ubrr + 1 cycles after; phase counts ticks at tick_base. */
    uint64_t tick_base;
    uint16_t ubrr;
    uint8_t phase;

    /* Transmitter. */
    uint8_t tx_on;    /* enabled, or disabled with frames yet to send */
    uint8_t tx_full;  /* the buffer holds tx_buffer */
    uint8_t tx_busy;  /* a frame is going out of tx_shift */
    uint8_t tx_bits;  /* its length with start, parity and stop bits */
    uint8_t tx_edges; /* clock edges it still needs, as synchronous slave */
    uint16_t tx_buffer, tx_shift;
    uint16_t tx_wire; /* its bits as they go out, first in bit 0 */
    uint8_t tx_step;  /* how far the pins are with it */
    uint64_t tx_bit_cycles, tx_end;
    uint64_t tx_left; /* while the device's clock is stopped: cycles to tx_end */

    /* Receiver. Frames have SERIAL_ flags. */
    uint8_t rx_phase; /* of the frame passing on the line, the queue's first */
    uint8_t rx_heard; /* the receiver was on from its start */
    uint8_t rx_edges;
    uint8_t rx_waiting; /* rx_shift holds a frame the buffer has no room for */
    uint8_t rx_overrun; /* a frame was lost before the one in the shift register */
    uint8_t rx_count;
    uint16_t rx_shift;
    uint16_t rx_buffer[2];
    uint64_t rx_expected; /* I/O cycle of its stop bit */
    uint64_t rx_end;      /* tick */
    uint64_t io_period;   /* of the I/O clock when it last ran */
    struct usart_queue queue;
};

/* ---- usart_baud.c ---- */

struct usart_format {
    uint8_t data, parity, stop; /* bits */
};

enum usart_mode usart_mode(const struct node *n, const struct usart_config *c);
bool usart_is_slave(const struct node *n, const struct usart_config *c);
struct usart_format usart_format(const struct node *n, const struct usart_config *c);
unsigned usart_parity(const struct node *n, const struct usart_config *c, unsigned data); /* the right parity bit */

void usart_baud_set(struct node *n, struct usart *s, unsigned ubrr, bool reload);
unsigned usart_divider(const struct node *n, const struct usart_config *c); /* prescaler ticks in a bit */
uint64_t usart_bit_cycles(const struct node *n, const struct device *d);
uint64_t usart_next_bit(const struct node *n, const struct device *d);  /* first bit boundary after now */
uint64_t usart_next_tick(const struct node *n, const struct device *d); /* first prescaler tick from now on */

/* The bits of a byte the other way round, if the device sends its least significant bit first. */
uint8_t usart_spi_order(const struct node *n, const struct usart_config *c, uint8_t byte);

/* ---- usart_transmit.c ---- */

void usart_tx_write(struct node *n, const struct device *d, unsigned value);
void usart_tx_enable(struct node *n, const struct device *d);
void usart_tx_done(struct node *n, const struct device *d);
void usart_tx_edge(struct node *n, const struct device *d);
void usart_baud_changed(struct node *n, const struct device *d);
void usart_pins_event(struct node *n, const struct device *d);
void usart_pins_idle(struct node *n, const struct device *d);

/* ---- usart_receive.c ---- */

void usart_rx_read(struct node *n, const struct device *d);
void usart_rx_enable(struct node *n, const struct device *d, bool on);
void usart_rx_event(struct node *n, const struct device *d);
void usart_rx_edge(struct node *n, const struct device *d);
void usart_rx_mode_changed(struct node *n, const struct device *d);
void usart_rx_deliver(struct node *n, const struct device *d, unsigned frame);
bool usart_line_offer(struct node *n, const struct device *d, unsigned frame);
void usart_line_passed(struct node *n, const struct device *d);

#endif
