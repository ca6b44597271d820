/* What the files of the AT86RF230 share.
 */
#ifndef PART_AT86RF230_INTERNAL_H
#define PART_AT86RF230_INTERNAL_H

#include "node/machine.h"
#include "node/node.h"
#include "node/pins.h"
#include "node/uses.h"
#include "part/at86rf230.h"
#include "part/frame154.h"
#include "part/reception.h"
#include "part/transmission.h"

enum rf230_register {
    TRX_STATUS = 0x01,
    TRX_STATE = 0x02,
    TRX_CTRL_0 = 0x03,
    TRX_CTRL_1 = 0x04, /* of the AT86RF233 */
    PHY_TX_PWR = 0x05,
    PHY_RSSI = 0x06,
    PHY_ED_LEVEL = 0x07,
    PHY_CC_CCA = 0x08,
    CCA_THRES = 0x09,
    IRQ_MASK = 0x0e,
    IRQ_STATUS = 0x0f,
    VREG_CTRL = 0x10,
    BATMON = 0x11,
    XOSC_CTRL = 0x12,
    PLL_CF = 0x1a,
    PLL_DCU = 0x1b,
    PART_NUM = 0x1c,
    VERSION_NUM = 0x1d,
    MAN_ID_0 = 0x1e,
    MAN_ID_1 = 0x1f,
    SHORT_ADDR_0 = 0x20,
    PAN_ID_0 = 0x22,
    IEEE_ADDR_0 = 0x24,
    XAH_CTRL = 0x2c,
    CSMA_SEED_0 = 0x2d,
    CSMA_SEED_1 = 0x2e,
    RF230_REGISTERS = 0x40,
};

enum { /* bits */
       CCA_DONE = 0x80,
       CCA_CLEAR = 0x40,
       TX_AUTO_CRC_ON = 0x80,
       TX_AUTO_CRC_ON_233 = 0x20, /* in TRX_CTRL_1 */
       RX_CRC_VALID = 0x80,
       CCA_REQUEST = 0x80,
       AACK_SET_PD = 0x20,
       I_AM_COORD = 0x08,
       IRQ_TRX_UR = 0x40,
       IRQ_TRX_END = 0x08,
       IRQ_RX_START = 0x04,
       IRQ_PLL_LOCK = 0x01,
};

/* As TRX_STATUS shows them. */
enum rf230_state {
    P_ON = 0x00,
    BUSY_RX = 0x01,
    BUSY_TX = 0x02,
    RX_ON = 0x06,
    TRX_OFF = 0x08,
    PLL_ON = 0x09,
    SLEEP = 0x0f,
    BUSY_RX_AACK = 0x11,
    BUSY_TX_ARET = 0x12,
    RX_AACK_ON = 0x16,
    TX_ARET_ON = 0x19,
    RX_ON_NOCLK = 0x1c,
    RX_AACK_ON_NOCLK = 0x1d,
    IN_TRANSITION = 0x1f,
};

/* Other commands of TRX_STATE are the states they lead to. */
enum { COMMAND_NOP = 0, COMMAND_TX_START = 2, COMMAND_FORCE_TRX_OFF = 3 };

enum trac_status {
    TRAC_SUCCESS,
    TRAC_DATA_PENDING,
    TRAC_CHANNEL_ACCESS_FAILURE = 3,
    TRAC_NO_ACK = 5,
    TRAC_INVALID = 7
};
enum rf230_access { ACCESS_COMMAND, ACCESS_VALUE, ACCESS_FRAME, ACCESS_ADDRESS, ACCESS_SRAM, ACCESS_DONE };
enum rf230_aret { ARET_NONE, ARET_BACKOFF, ARET_ASSESS, ARET_SEND, ARET_WAIT };

enum { EVENT_STATE, EVENT_IRQ, EVENT_SAY, EVENT_SENT, EVENT_RECEIVE, EVENT_MEASURE, EVENT_ARET, EVENTS };

struct rf230 {
    uint8_t is_233;
    struct reception heard;
    struct transmission sent;
    uint64_t measured_from; /* energy is being measured since */
    uint8_t registers[RF230_REGISTERS];
    uint8_t buffer[128]; /* length and frame */
    uint8_t lqi;
    uint8_t state, target; /* where a transition leads */
    uint8_t waiting;       /* a command for when what goes on has ended */
    uint8_t irq, irq_late; /* asked for; to be asked for */

    uint8_t access, command, at; /* SPI */
    uint8_t written;             /* bytes of the frame buffer written by the access under way */

    uint16_t tx_crc;
    uint8_t ack[4], acking;

    uint8_t receiving, rx_next, rx_length, rx_undecided, rx_rejected;
    uint16_t rx_crc;
    uint8_t rx_header[FRAME154_HEADER];

    uint8_t aret, backoffs, exponent, tries;
};

#define RF230_WORD 0xa70fu /* preamble and start delimiter are fixed */

/* An access to a byte of the frame buffer (node/uses.h). */
static inline void rf230_use(struct node *n, const struct device *d, unsigned byte, bool write)
{
    uses_state(n, d, offsetof(struct rf230, buffer) + byte, 1, write);
}

/* at86rf230.c */
bool rf230_listens(const struct rf230 *s);
void rf230_enter(struct node *n, const struct device *d, enum rf230_state state);
void rf230_interrupt(struct node *n, const struct device *d, unsigned which);      /* a little later */
void rf230_settle(struct node *n, const struct device *d, enum rf230_state state); /* what went on has ended */

/* at86rf230_transmit.c */
void rf230_transmit(struct node *n, const struct device *d, uint64_t tick);
void rf230_acknowledge(struct node *n, const struct device *d);
void rf230_say(struct node *n, const struct device *d);
void rf230_sent(struct node *n, const struct device *d);
void rf230_aret_start(struct node *n, const struct device *d);
void rf230_aret_step(struct node *n, const struct device *d);
void rf230_aret_heard(struct node *n, const struct device *d); /* an acknowledgement, or something else */

/* at86rf230_receive.c */
void rf230_hear(struct node *n, const struct device *d, const struct air_message *m);
void rf230_search(struct node *n, const struct device *d);
void rf230_receive(struct node *n, const struct device *d);
void rf230_catch_up(struct node *n, const struct device *d);
void rf230_measure(struct node *n, const struct device *d);
void rf230_measured(struct node *n, const struct device *d);
bool rf230_channel_clear(const struct node *n, const struct rf230 *s, uint64_t from, uint64_t to);
uint8_t rf230_rssi(const struct node *n, const struct rf230 *s);

#endif
