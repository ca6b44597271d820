#include "part/cc2420_internal.h"

/* "TXFIFO access": a new frame's first byte flushes the one that was sent, unless that one ran out of bytes. */
void cc2420_tx_write(struct cc2420 *s, uint8_t byte)
{
    if (s->tx_sent && !s->tx_underflow) {
        s->tx_sent = 0;
        s->tx_count = 0;
    }
    if (s->tx_count < FIFO_SIZE)
        s->ram[RAM_TXFIFO + s->tx_count++] = byte;
}

bool cc2420_rx_put(struct cc2420 *s, uint8_t byte)
{
    if (s->rx_count == FIFO_SIZE)
        return false;
    s->ram[RAM_RXFIFO + (s->rx_head + s->rx_count) % FIFO_SIZE] = byte;
    s->rx_count++;
    return true;
}

/* With the last byte of a frame read, FIFOP asks for the next if that is complete. */
static void account_for_read(struct cc2420 *s, uint8_t byte)
{
    s->rx_signal = 0;
    if (s->rx_left == 0)
        s->rx_left = byte & 0x7f;
    else
        s->rx_left--;
    if (s->rx_left == 0 && s->rx_frames > 0) {
        s->rx_frames--;
        s->rx_signal = s->rx_frames > 0;
    }
}

uint8_t cc2420_rx_take(struct cc2420 *s)
{
    if (s->rx_count == 0)
        return 0;
    uint8_t byte = s->ram[RAM_RXFIFO + s->rx_head];
    s->rx_head = (uint8_t)((s->rx_head + 1) % FIFO_SIZE);
    s->rx_count--;
    account_for_read(s, byte);
    return byte;
}

void cc2420_rx_drop(struct cc2420 *s, unsigned count)
{
    s->rx_count = (uint8_t)(s->rx_count > count ? s->rx_count - count : 0);
}

void cc2420_rx_flush(struct cc2420 *s)
{
    s->rx_head = s->rx_count = s->rx_frames = s->rx_left = s->rx_signal = 0;
}

/* "FIFOP": over the threshold (but not by a frame whose address is still to be judged), or a complete frame. */
bool cc2420_fifop(const struct cc2420 *s)
{
    unsigned hidden = s->rx_undecided ? s->rx_next : 0, threshold = s->registers[IOCFG0] & 0x7f;
    return s->fsm == RX_OVERFLOW || s->rx_signal || s->rx_count > threshold + hidden;
}

bool cc2420_unread(const struct node *n, const struct device *d, unsigned *front)
{
    const struct cc2420 *s = device_state(n, d);
    *front = s->rx_head;
    return s->rx_frames > 0;
}
