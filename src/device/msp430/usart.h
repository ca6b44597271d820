/* USART of the MSP430x1xx (SLAU049, chapters 13 to 15): UART, SPI and, where the chip has it, I2C.
 *
 * A character of any length costs one event to send and two to receive. Bits last UxBR cycles of BRCLK and one more
 * where the bit of UxMCTL for it is set, beginning with the start bit (13.2.6). The bit clock starts with the cycle of
 * BRCLK after the one in which UxTXBUF was written to an idle transmitter, and the buffer counts as moved to the shift
 * register at once. Sent characters go to the node's serial line when their last stop bit is out; characters from the
 * line wait in a ring and pass at the pace of the USART's own settings, whether or not the receiver listens, also while
 * BRCLK stands still. In SPI mode a byte goes over the bus when its last bit is out.
 *
 * The transmitted bits themselves are
 * not shown on them; URXD shows the start edge of each character received and the return to idle.
 *
 * Invariant: the flags in IFGx, UxTCTL and UxRCTL are those of now; while SWRST is set nothing is under way.
 */
#ifndef DEVICE_MSP430_USART_H
#define DEVICE_MSP430_USART_H

#include "device/msp430/dma.h"
#include "node/device.h"

/* What I2C mode adds. */
struct msp430_usart_i2c {
    uint16_t ie, ifg, ndat, oa, sa, iv;
    uint8_t bus;
};

struct msp430_usart {
    uint16_t ctl;         /* UxCTL; TCTL, RCTL, MCTL, BR0, BR1, RXBUF and TXBUF follow */
    uint16_t me, ie, ifg; /* special function registers */
    uint8_t rx, tx;       /* masks in all three of them */
    uint8_t rx_line, tx_line;
    uint8_t line;                              /* serial line */
    uint8_t bus;                               /* SPI */
    uint8_t utxd, urxd, uclk, simo, somi, ste; /* pins */
    struct msp430_dma_line dma_rx, dma_tx;
    const struct msp430_usart_i2c *i2c; /* NULL: none */
};

extern const struct device_type msp430_usart;

#endif
