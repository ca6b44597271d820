/* What the files of the radio share: its state, its registers, and what each file offers the others.
 */
#ifndef DEVICE_CC2538_RF_INTERNAL_H
#define DEVICE_CC2538_RF_INTERNAL_H

#include "device/cc2538/rf.h"
#include "part/frame154.h"
#include "part/reception.h"
#include "part/transmission.h"

/* Offsets from the beginning of the radio's memory. */
enum {
    RF_RXFIFO = 0x000,
    RF_TXFIFO = 0x200,
    RF_SOURCES = 0x400, /* 96 bytes: 24 short or 12 extended addresses */
    RF_SRCRESMASK = 0x580,
    RF_SRCRESINDEX = 0x58c,
    RF_SRCEXTPENDEN = 0x590,
    RF_SRCSHORTPENDEN = 0x59c,
    RF_EXT_ADDR = 0x5a8,
    RF_PAN_ID = 0x5c8,
    RF_SHORT_ADDR = 0x5d0,
    RF_FRMFILT0 = 0x600,
    RF_FRMFILT1 = 0x604,
    RF_SRCMATCH = 0x608,
    RF_SRCSHORTEN = 0x60c,
    RF_SRCEXTEN = 0x618,
    RF_FRMCTRL0 = 0x624,
    RF_FRMCTRL1 = 0x628,
    RF_RXENABLE = 0x62c,
    RF_RXMASKSET = 0x630,
    RF_RXMASKCLR = 0x634,
    RF_FREQCTRL = 0x63c,
    RF_TXPOWER = 0x640,
    RF_FSMSTAT0 = 0x648,
    RF_FSMSTAT1 = 0x64c,
    RF_FIFOPCTRL = 0x650,
    RF_CCACTRL0 = 0x658,
    RF_CCACTRL1 = 0x65c,
    RF_RSSI = 0x660,
    RF_RSSISTAT = 0x664,
    RF_RXFIRST = 0x668,
    RF_RXFIFOCNT = 0x66c,
    RF_TXFIFOCNT = 0x670,
    RF_RXFIRST_PTR = 0x674,
    RF_RXLAST_PTR = 0x678,
    RF_TXFIRST_PTR = 0x684,
    RF_TXLAST_PTR = 0x688,
    RF_RFIRQM0 = 0x68c,
    RF_RFIRQM1 = 0x690,
    RF_RFERRM = 0x694,
    RF_RFRND = 0x69c,
    RF_MDMCTRL0 = 0x6a0,
    RF_CSPPROG = 0x700,
    RF_CSPCTRL = 0x780,
    RF_CSPSTAT = 0x784,
    RF_CSPX = 0x788,
    RF_CSPY = 0x78c,
    RF_CSPZ = 0x790,
    RF_CSPT = 0x794,
    RF_XREG_END = 0x7ec,
    RF_MTCSPCFG = 0x800,
    RF_MTCTRL = 0x804,
    RF_MTIRQM = 0x808,
    RF_MTIRQF = 0x80c,
    RF_MTMSEL = 0x810,
    RF_MTM0 = 0x814,
    RF_MTM1 = 0x818,
    RF_MTMOVF2 = 0x81c,
    RF_MTMOVF1 = 0x820,
    RF_MTMOVF0 = 0x824,
    RF_RFDATA = 0x828,
    RF_RFERRF = 0x82c,
    RF_RFIRQF1 = 0x830,
    RF_RFIRQF0 = 0x834,
    RF_RFST = 0x838,
};

enum { /* bits */
       FRMFILT0_ENABLE = 0x01,
       FRMFILT0_COORDINATOR = 0x02,
       SRCMATCH_ENABLE = 0x01,
       SRCMATCH_AUTOPEND = 0x02,
       SRCMATCH_DATAREQ_ONLY = 0x04,
       FRMCTRL0_APPEND = 0x80,
       FRMCTRL0_AUTOCRC = 0x40,
       FRMCTRL0_AUTOACK = 0x20,
       FRMCTRL1_PENDING_OR = 0x04,
       FRMCTRL1_IGNORE_UNDERFLOW = 0x02,
       FRMCTRL1_RX_AFTER_TX = 0x01,
       IRQ0_SFD = 0x02,
       IRQ0_FIFOP = 0x04,
       IRQ0_MATCH_DONE = 0x08,
       IRQ0_MATCH_FOUND = 0x10,
       IRQ0_ACCEPTED = 0x20,
       IRQ0_RXPKTDONE = 0x40,
       IRQ0_RXMASKZERO = 0x80,
       IRQ1_TXACKDONE = 0x01,
       IRQ1_TXDONE = 0x02,
       IRQ1_RFIDLE = 0x04,
       IRQ1_CSP_MANINT = 0x08,
       IRQ1_CSP_STOP = 0x10,
       IRQ1_CSP_WAIT = 0x20,
       ERROR_RXABO = 0x02,
       ERROR_RXOVERF = 0x04,
       ERROR_RXUNDERF = 0x08,
       ERROR_TXOVERF = 0x10,
       ERROR_TXUNDERF = 0x20,
       ERROR_STROBE = 0x40,
};

/* States, numbered as FSMSTAT0 shows them. */
enum rf_state {
    RF_IDLE = 0,
    RF_RX_CALIBRATE = 2,
    RF_RX_SEARCH = 3,
    RF_RX_FRAME = 7,
    RF_RX_WAIT = 14,
    RF_RX_OVERFLOW = 17,
    RF_TX_CALIBRATE = 32,
    RF_TX_PREAMBLE = 34,
    RF_TX_FRAME = 37,
    RF_ACK_CALIBRATE = 48,
    RF_ACK_PREAMBLE = 49,
    RF_ACK = 52,
    RF_TX_UNDERFLOW = 56,
};

enum { RF_EVENT_FSM, RF_EVENT_SAY, RF_EVENT_RECEIVE, RF_EVENT_CSP, RF_EVENT_MAC, RF_EVENTS };
enum {
    RF_FIFO = 128,
    RF_CALIBRATION = 12,
    RF_RSSI_SYMBOLS = 8,
    RF_RSSI_OFFSET = 73,
    RF_PROGRAM = 24,
    RF_MAC_VALUES = 5
};
#define RF_WORD 0xa70fu /* preamble and start delimiter are fixed */

struct rf {
    struct reception heard;
    struct transmission sent;
    uint64_t listening_since; /* the receiver measures from here */
    uint8_t fsm;
    uint8_t sampled_cca, sfd;

    /* FIFOs */
    uint8_t tx_count;
    uint8_t tx_sent; /* the frame in it has gone out: the next byte written begins another */
    uint8_t rx_head, rx_count;
    uint8_t rx_frames; /* complete ones in it */
    uint8_t rx_left;   /* bytes of the frame being read out; 0: the next byte read is a length */
    uint8_t rx_signal; /* FIFOP for a complete frame, until a byte is read */

    /* transmission */
    uint16_t tx_crc;
    uint8_t tx_underflow;
    uint8_t ack[4], ack_wanted, ack_pending;

    /* reception */
    uint8_t rx_next; /* byte to come, the length being 0 */
    uint8_t rx_length, rx_undecided;
    uint8_t rx_header[FRAME154_HEADER];
    uint8_t rx_source; /* index of the source match, 0x3f: none; bit 6: pending */
    uint16_t rx_crc;

    /* command strobe processor */
    uint8_t csp_running, csp_next, csp_end, csp_label, csp_waits;

    /* MAC timer: its count and overflows, and those values that firmware sets */
    uint8_t mac_running;
    uint64_t mac_since; /* tick at which the total was 0, while it runs; else the total */
    uint16_t mac_value[RF_MAC_VALUES], mac_latched;
    uint32_t mac_overflow[RF_MAC_VALUES], mac_latched_overflow;
};

static inline bool rf_listens(const struct rf *s)
{
    return s->fsm >= RF_RX_SEARCH && s->fsm <= RF_RX_OVERFLOW;
}

static inline bool rf_transmits(const struct rf *s)
{
    return s->fsm >= RF_TX_CALIBRATE && s->fsm <= RF_ACK;
}

/* rf.c */
void rf_flag(struct node *n, const struct device *d, uint32_t offset, uint32_t bits); /* RFIRQF0, RFIRQF1, RFERRF */
void rf_enter(struct node *n, const struct device *d, enum rf_state state);           /* ends the current activity */
void rf_tune(struct node *n, const struct device *d);
void rf_strobe(struct node *n, const struct device *d, unsigned strobe);
double rf_noise(const struct node *n); /* milliwatts */
bool rf_rssi_valid(const struct node *n, const struct rf *s);
int8_t rf_rssi(const struct node *n, const struct rf *s, uint64_t from, uint64_t to);
bool rf_clear(const struct node *n, const struct device *d);

/* rf_receive.c */
void rf_hear(struct node *n, const struct device *d, const struct air_message *m);
void rf_listen(struct node *n, const struct device *d); /* calibrates first */
void rf_search(struct node *n, const struct device *d);
void rf_receive(struct node *n, const struct device *d);  /* RF_EVENT_RECEIVE */
void rf_catch_up(struct node *n, const struct device *d); /* with the bytes heard so far, and plans what comes */
void rf_flush(struct node *n, const struct device *d);
uint8_t rf_take(struct node *n, const struct device *d);
bool rf_fifop(const struct node *n, const struct device *d);

/* rf_transmit.c */
void rf_transmit(struct node *n, const struct device *d);
void rf_acknowledge(struct node *n, const struct device *d);
void rf_transmit_step(struct node *n, const struct device *d); /* RF_EVENT_FSM while transmitting */
void rf_say(struct node *n, const struct device *d);           /* RF_EVENT_SAY */
void rf_put(struct node *n, const struct device *d, uint8_t byte);

/* rf_source.c */
void rf_match_source(struct node *n, const struct device *d);

/* rf_csp.c: the command strobe processor */
void rf_csp_write(struct node *n, const struct device *d, uint8_t instruction);
void rf_csp_go(struct node *n, const struct device *d); /* RF_EVENT_CSP */

/* rf_mac_timer.c */
void rf_mac_read(struct node *n, const struct device *d, uint32_t offset);
void rf_mac_write(struct node *n, const struct device *d, uint32_t offset, uint32_t value);
void rf_mac_capture(struct node *n, const struct device *d); /* a start delimiter was sent or received */
void rf_mac_event(struct node *n, const struct device *d);   /* RF_EVENT_MAC */
uint64_t rf_mac_overflows(const struct node *n, const struct device *d, unsigned count); /* tick of so many from now */

#endif
