/* What the files of the CC2420 share: its state, its registers, and what each file offers the others.
 */
#ifndef PART_CC2420_INTERNAL_H
#define PART_CC2420_INTERNAL_H

#include "node/machine.h"
#include "node/node.h"
#include "node/pins.h"
#include "node/uses.h"
#include "part/cc2420.h"
#include "part/frame154.h"
#include "part/reception.h"
#include "part/transmission.h"

enum cc2420_strobe {
    SNOP,
    SXOSCON,
    STXCAL,
    SRXON,
    STXON,
    STXONCCA,
    SRFOFF,
    SXOSCOFF,
    SFLUSHRX,
    SFLUSHTX,
    SACK,
    SACKPEND,
    SRXDEC,
    STXENC,
    SAES,
};

enum cc2420_register {
    MAIN = 0x10,
    MDMCTRL0,
    MDMCTRL1,
    RSSI,
    SYNCWORD,
    TXCTRL,
    RXCTRL0,
    RXCTRL1,
    FSCTRL,
    SECCTRL0,
    SECCTRL1,
    BATTMON,
    IOCFG0,
    IOCFG1,
    MANFIDL,
    MANFIDH,
    FSMTC,
    MANAND,
    MANOR,
    AGCCTRL,
    AGCTST0,
    AGCTST1,
    AGCTST2,
    FSTST0,
    FSTST1,
    FSTST2,
    FSTST3,
    RXBPFTST,
    FSMSTATE,
    ADCTST,
    DACTST,
    TOPTST,
    RESERVED,
    TXFIFO = 0x3e,
    RXFIFO = 0x3f,
};

enum { /* bits */
       MAIN_RESETN = 0x8000,
       MDMCTRL0_RESERVED_FRAMES = 0x2000,
       MDMCTRL0_COORDINATOR = 0x1000,
       MDMCTRL0_ADR_DECODE = 0x0800,
       MDMCTRL0_AUTOCRC = 0x0020,
       MDMCTRL0_AUTOACK = 0x0010,
       TXCTRL_TURNAROUND = 0x2000,
       SECCTRL0_CBC_HEAD = 0x0100,
       SECCTRL0_SAKEY = 0x0080,
       SECCTRL0_TXKEY = 0x0040,
       SECCTRL0_RXKEY = 0x0020,
       BATTMON_OK = 0x0040,
       BATTMON_EN = 0x0020,
       IOCFG0_BCN_ACCEPT = 0x0800,
       IOCFG0_FIFO_POLARITY = 0x0400,
       IOCFG0_FIFOP_POLARITY = 0x0200,
       IOCFG0_SFD_POLARITY = 0x0100,
       IOCFG0_CCA_POLARITY = 0x0080,
};

/* RAM (figure 13); words in it have their low byte first. */
enum {
    RAM_TXFIFO = 0x000,
    RAM_RXFIFO = 0x080,
    RAM_KEY0 = 0x100,
    RAM_RXNONCE = 0x110,
    RAM_SABUF = 0x120,
    RAM_KEY1 = 0x130,
    RAM_TXNONCE = 0x140,
    RAM_IEEEADR = 0x160,
    RAM_PANID = 0x168,
    RAM_SHORTADR = 0x16a,
    RAM_SIZE = 0x180,
    FIFO_SIZE = 128,
};

/* The states of figure 25, numbered as FSMSTATE shows them. */
enum cc2420_fsm {
    POWER_DOWN = 0,
    IDLE = 1,
    RX_CALIBRATE = 2,
    RX_SFD_SEARCH = 3,
    RX_WAIT = 14,
    RX_FRAME = 16,
    RX_OVERFLOW = 17,
    TX_CALIBRATE = 32,
    TX_PREAMBLE = 34,
    TX_FRAME = 37,
    TX_ACK_CALIBRATE = 48,
    TX_ACK_PREAMBLE = 49,
    TX_ACK = 52,
    TX_UNDERFLOW = 56,
};

enum cc2420_supply { SUPPLY_OFF, SUPPLY_STARTING, SUPPLY_ON };
enum cc2420_crystal { CRYSTAL_OFF, CRYSTAL_STARTING, CRYSTAL_STABLE };
enum cc2420_access { ACCESS_HEADER, ACCESS_HIGH, ACCESS_LOW, ACCESS_TXFIFO, ACCESS_RXFIFO, ACCESS_BANK, ACCESS_RAM };
enum cc2420_security { SECURITY_NONE, SECURITY_ALONE, SECURITY_TRANSMIT, SECURITY_RECEIVE };

enum { EVENT_START, EVENT_FSM, EVENT_SAY, EVENT_RECEIVE, EVENT_CCA, EVENT_SECURITY, EVENTS };

struct cc2420 {
    struct reception heard;
    struct transmission sent;
    uint64_t listening_since; /* the receiver measures from here */

    uint16_t registers[RESERVED + 1];
    uint8_t ram[RAM_SIZE];
    uint64_t specified; /* the tick from which its datasheet promises that it answers, after VREG_EN's last rise */
    uint8_t supply, crystal, fsm;
    uint8_t early; /* an access before the supply is specified has been reported since then */
    uint8_t pins;  /* as driven: FIFO, FIFOP, SFD, CCA from bit 0 */

    /* SPI: the access under way */
    uint8_t access, reading, address, high;
    uint16_t at;

    /* TXFIFO */
    uint8_t tx_count;
    uint8_t tx_sent; /* the frame in it has gone out: the next byte written begins another */

    /* RXFIFO, a ring */
    uint8_t rx_head, rx_count;
    uint8_t rx_frames; /* complete ones in it */
    uint8_t rx_left;   /* bytes of the frame being read out; 0: the next byte read is a length */
    uint8_t rx_signal; /* FIFOP for a complete frame, until a byte is read */

    /* transmission */
    uint16_t tx_crc;
    uint8_t tx_underflow; /* the transmission will end, or has ended, for want of bytes */
    uint8_t ack[4], ack_pending, ack_wanted;

    /* reception */
    uint8_t rx_next; /* byte to come, the length being 0 */
    uint8_t rx_length, rx_undecided;
    uint8_t rx_header[FRAME154_HEADER];
    uint16_t rx_crc;
    uint8_t sfd, energy_clear;

    uint8_t security; /* under way */
};

static inline bool cc2420_listens(const struct cc2420 *s)
{
    return s->fsm >= RX_SFD_SEARCH && s->fsm <= RX_OVERFLOW;
}

static inline bool cc2420_transmits(const struct cc2420 *s)
{
    return s->fsm >= TX_CALIBRATE && s->fsm <= TX_ACK;
}

/* cc2420.c */
void cc2420_update_pins(struct node *n, const struct device *d);
void cc2420_reset_chip(struct node *n, const struct device *d);
void cc2420_too_early(struct node *n, const struct device *d); /* an access before the supply is specified */
void cc2420_start_crystal(struct node *n, const struct device *d);
void cc2420_enter(struct node *n, const struct device *d, enum cc2420_fsm state); /* ends the current activity */
void cc2420_tune(struct cc2420 *s);

/* cc2420_spi.c */
uint8_t cc2420_spi(struct node *n, const struct device *d, unsigned role, uint8_t byte);
void cc2420_default_registers(struct cc2420 *s);

/* cc2420_fifo.c */
void cc2420_tx_write(struct cc2420 *s, uint8_t byte);
bool cc2420_rx_put(struct cc2420 *s, uint8_t byte); /* false: it is full */
uint8_t cc2420_rx_take(struct cc2420 *s);
void cc2420_rx_drop(struct cc2420 *s, unsigned count); /* the youngest bytes */
void cc2420_rx_flush(struct cc2420 *s);
bool cc2420_fifop(const struct cc2420 *s);

/* cc2420_transmit.c */
void cc2420_transmit(struct node *n, const struct device *d);
void cc2420_acknowledge(struct node *n, const struct device *d);
void cc2420_transmit_step(struct node *n, const struct device *d); /* EVENT_FSM while transmitting */
void cc2420_say(struct node *n, const struct device *d);           /* EVENT_SAY */

/* cc2420_receive.c */
void cc2420_hear(struct node *n, const struct device *d, const struct air_message *m);
void cc2420_fetch(const struct node *n, const struct device *d);
void cc2420_listen(struct node *n, const struct device *d); /* calibrates first */
void cc2420_search(struct node *n, const struct device *d);
void cc2420_receive(struct node *n, const struct device *d); /* EVENT_RECEIVE */
void cc2420_catch_up_bytes(struct node *n, const struct device *d);
static inline bool cc2420_receives(const struct cc2420 *s)
{
    return s->fsm == RX_FRAME || s->fsm == RX_WAIT;
}
static inline void cc2420_catch_up(struct node *n, const struct device *d) /* with the bytes heard so far */
{
    if (cc2420_receives(device_state(n, d)))
        cc2420_catch_up_bytes(n, d);
}
void cc2420_plan_receive(struct node *n, const struct device *d); /* after the firmware changed something */

/* cc2420_energy.c */
enum { RSSI_SYMBOLS = 8 };
static inline bool cc2420_rssi_valid(const struct node *n, const struct cc2420 *s)
{
    return cc2420_listens(s) && node_now(n) >= s->listening_since + earshot_symbols(n, RSSI_SYMBOLS);
}
int8_t cc2420_rssi(const struct node *n, const struct cc2420 *s, uint64_t from, uint64_t to);
double cc2420_noise(const struct node *n); /* milliwatts */
static inline bool cc2420_channel_clear(const struct node *n, const struct cc2420 *s)
{
    if (!cc2420_rssi_valid(n, s))
        return false;
    switch (s->registers[MDMCTRL0] >> 6 & 3) {
    case 2: return !cc2420_receives(s);
    case 3: return s->energy_clear && !cc2420_receives(s);
    default: return s->energy_clear;
    }
}
void cc2420_plan_assessment(struct node *n, const struct device *d);
void cc2420_assess(struct node *n, const struct device *d); /* EVENT_CCA, and whenever something changed */

/* cc2420_security.c */
void cc2420_secure(struct node *n, const struct device *d, enum cc2420_security what);
void cc2420_secured(struct node *n, const struct device *d); /* EVENT_SECURITY */

#endif
