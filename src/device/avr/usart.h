/* The AVR USART: asynchronous, synchronous and (where the chip has it) master SPI mode.
 *
 * A frame of any length costs one event to send and two to receive. Sent frames go to the node's serial line when their
 * last stop bit is out; frames from the line wait in a ring and pass at the pace of the USART's own settings, whether
 * or not the receiver listens. Invariant: UCSRnA always holds the flags of now, and the two-level receive buffer never
 * holds a frame while the receiver is off.
 *
 * Pins. The transmitter holds TXD high and drives the bits of a frame onto it (and the clock onto XCK) only on boards
 * where a part is wired to the pin: observers get whole frames. RXD shows the start edge of each frame received and its
 * return to idle, so that pin interrupts can wake the chip, but not the bits in between.
 */
#ifndef DEVICE_AVR_USART_H
#define DEVICE_AVR_USART_H

#include "device/avr/interrupt.h"
#include "node/device.h"

struct usart_config {
    uint16_t udr, ucsra, ucsrb, ucsrc, ubrrl, ubrrh;
    bool master_spi; /* UMSEL has two bits and 3 is master SPI mode */
    struct avr_interrupt rx, udre, tx;
    uint8_t rxd, txd, xck;
    uint8_t line;    /* serial line */
    uint8_t spi_bus; /* where bytes go in master SPI mode; 0: it has no such mode */
    struct bits power_reduction;
};

enum usart_ucsra { USART_MPCM, USART_U2X, USART_UPE, USART_DOR, USART_FE, USART_UDRE, USART_TXC, USART_RXC };
enum usart_ucsrb {
    USART_TXB8,
    USART_RXB8,
    USART_UCSZ2,
    USART_TXEN,
    USART_RXEN,
    USART_UDRIE,
    USART_TXCIE,
    USART_RXCIE,
};
enum usart_ucsrc { USART_UCPOL, USART_UCSZ, USART_USBS = 3, USART_UPM, USART_UMSEL = 6 };

/* For chip tables: the fields of USART `n_` that all chips name alike; vectors are those of RX, UDRE and TX. */
#define USART_REGISTERS(n_)                                                                                 \
    .udr = UDR##n_, .ucsra = UCSR##n_##A, .ucsrb = UCSR##n_##B, .ucsrc = UCSR##n_##C, .ubrrl = UBRR##n_##L, \
    .ubrrh = UBRR##n_##H
#define USART_INTERRUPTS(n_, rx_, udre_, tx_)         \
    .rx = {.vector = rx_,                             \
           .enable = BIT(UCSR##n_##B, USART_RXCIE),   \
           .flag = BIT(UCSR##n_##A, USART_RXC),       \
           .level = true},                            \
    .udre = {.vector = udre_,                         \
             .enable = BIT(UCSR##n_##B, USART_UDRIE), \
             .flag = BIT(UCSR##n_##A, USART_UDRE),    \
             .level = true},                          \
    .tx = {.vector = tx_, .enable = BIT(UCSR##n_##B, USART_TXCIE), .flag = BIT(UCSR##n_##A, USART_TXC)}

extern const struct device_type usart_type;

#endif
