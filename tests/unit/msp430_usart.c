/* The MSP430's USART by its registers, against SLAU049 chapters 13 to 15. */
#include "msp430_io.h"

#include "part/twi_memory.h"
#include "node/taps.h"

enum { SMCLK_SOURCE = 0x20, ACLK_SOURCE = 0x10 };

struct sent {
    unsigned count, frames[16];
    uint64_t ticks[16];
};

static void record(void *context, const struct motet_node *handle, const struct motet_happened *h)
{
    (void)handle;
    struct sent *s = context;
    assert_int_equal(h->serial.line, 1);
    assert_true(s->count < 16);
    s->frames[s->count] = h->serial.frame;
    s->ticks[s->count++] = h->tick;
}

/* USART1 as a UART, running from tick 0. */
static struct node *uart(unsigned ctl, unsigned tctl, unsigned br, unsigned mctl, struct sent *s)
{
    struct node *n = msp430_io(NULL);
    *s = (struct sent){0};
    tap_hook(n, MOTET_ON(SERIAL), record, s);
    node_write(n, U1CTL, (uint8_t)(ctl | SWRST));
    node_write(n, U1TCTL, (uint8_t)tctl);
    node_write(n, U1BR0, (uint8_t)br);
    node_write(n, U1BR1, (uint8_t)(br >> 8));
    node_write(n, U1MCTL, (uint8_t)mctl);
    node_write(n, ME2, URXE1 | UTXE1);
    node_write(n, U1CTL, (uint8_t)ctl);
    return n;
}

static void registers_have_their_reset_values(void **state)
{
    (void)state;
    struct node *n = msp430_io(NULL);
    assert_int_equal(node_read(n, U0CTL), SWRST);
    assert_int_equal(node_read(n, U0TCTL), TXEPT);
    assert_int_equal(node_read(n, U0RCTL), 0);
    assert_int_equal(node_read(n, IFG1) & (URXIFG0 | UTXIFG0), UTXIFG0);
    assert_int_equal(node_read(n, IFG2) & (URXIFG1 | UTXIFG1), UTXIFG1);
    assert_int_equal(node_read(n, ME1) | node_read(n, ME2), 0);
    node_write(n, ME2, 0xff);
    assert_int_equal(node_read(n, ME2), URXE1 | UTXE1); /* the other bits are unused */
    bare_node_free(n);
}

/* 9600 baud from 32768 Hz, table 13-2: UxBR = 3, UxMCTL = 0x4a. Of the ten bits of 8N1 those with numbers 1, 3, 6 and 9
 * (modulation bit 1 again) have four cycles: 34 in all, from the cycle of ACLK after the write. */
static void bits_are_modulated(void **state)
{
    (void)state;
    struct sent s;
    struct node *n = uart(CHAR, ACLK_SOURCE, 3, 0x4a, &s);
    bare_node_at(n, 950);
    node_write(n, U1TXBUF, 0x5a);
    bare_node_at(n, 1000 + 3400 - 1);
    assert_int_equal(s.count, 0);
    assert_int_equal(node_read(n, U1TCTL) & TXEPT, 0);
    bare_node_at(n, 1000 + 3400);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.frames[0], 0x5a);
    assert_int_equal(s.ticks[0], 4400);
    assert_int_equal(node_read(n, U1TCTL) & TXEPT, TXEPT);
    bare_node_free(n);
}

static void formats_have_their_lengths(void **state)
{
    (void)state;
    static const struct {
        unsigned ctl, bits;
    } formats[] = {
        {0, 9},          {CHAR, 10},           {CHAR | SPB, 11}, {CHAR | PENA, 11}, {CHAR | PENA | PEV | SPB, 12},
        {CHAR | MM, 11}, {MM | PENA | SPB, 12}};
    for (unsigned i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct sent s;
        struct node *n = uart(formats[i].ctl, SMCLK_SOURCE, 0x123, 0, &s);
        node_write(n, U1TXBUF, 0xff);
        bare_node_at(n, 10000);
        assert_int_equal(s.count, 1);
        assert_int_equal(s.ticks[0], 1 + 0x123 * formats[i].bits);
        assert_int_equal(s.frames[0], formats[i].ctl & CHAR ? 0xff : 0x7f);
        bare_node_free(n);
    }
}

static void the_buffer_holds_one_character_more(void **state)
{
    (void)state;
    struct sent s;
    struct node *n = uart(CHAR, SMCLK_SOURCE, 10, 0, &s);
    node_write(n, U1TXBUF, 1);
    assert_int_equal(node_read(n, IFG2) & UTXIFG1, UTXIFG1); /* moved on */
    node_write(n, U1TXBUF, 2);
    assert_int_equal(node_read(n, IFG2) & UTXIFG1, 0);
    bare_node_at(n, 100);
    assert_int_equal(node_read(n, IFG2) & UTXIFG1, 0);
    bare_node_at(n, 101);
    assert_int_equal(node_read(n, IFG2) & UTXIFG1, UTXIFG1);
    assert_int_equal(node_read(n, U1TCTL) & TXEPT, 0);
    bare_node_at(n, 201);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.ticks[1], 201); /* without a gap */
    assert_int_equal(node_read(n, U1TCTL) & TXEPT, TXEPT);
    bare_node_free(n);
}

static void interrupts_clear_their_flags(void **state)
{
    (void)state;
    struct sent s;
    struct node *n = uart(CHAR, SMCLK_SOURCE, 10, 0, &s);
    assert_false(bare_node_asks(n, USART1TX_LINE));
    node_write(n, IE2, UTXIE1 | URXIE1);
    bare_node_acknowledge(n, USART1TX_LINE);
    assert_int_equal(node_read(n, IFG2) & UTXIFG1, 0);
    assert_false(bare_node_asks(n, USART1TX_LINE));
    assert_true(serial_receive(n, 1, 0x33));
    bare_node_at(n, 96);
    assert_false(bare_node_asks(n, USART1RX_LINE));
    bare_node_at(n, 97); /* a cycle to see the edge, nine bits, half a bit and the last sample of three */
    bare_node_acknowledge(n, USART1RX_LINE);
    assert_int_equal(node_read(n, IFG2) & URXIFG1, 0);
    assert_int_equal(node_read(n, U1RXBUF), 0x33);
    bare_node_free(n);
}

static void an_unread_character_is_overrun(void **state)
{
    (void)state;
    struct sent s;
    struct node *n = uart(CHAR, SMCLK_SOURCE, 10, 0, &s);
    serial_receive(n, 1, 1);
    serial_receive(n, 1, 2);
    bare_node_at(n, 150);
    assert_int_equal(node_read(n, U1RCTL) & (OE | RXERR), 0);
    bare_node_at(n, 300);
    assert_int_equal(node_read(n, U1RCTL) & (OE | RXERR), OE | RXERR);
    assert_int_equal(node_read(n, U1RXBUF), 2);
    assert_int_equal(node_read(n, U1RCTL) & (OE | RXERR), 0);
    bare_node_free(n);
}

static void errors_are_kept_or_dropped(void **state)
{
    (void)state;
    static const struct {
        unsigned ctl, frame, flags;
    } errors[] = {
        {CHAR, SERIAL_FRAMING_ERROR | 5, FE | RXERR},
        {CHAR | PENA, SERIAL_PARITY_ERROR | 5, PE | RXERR},
        {CHAR, SERIAL_BREAK, BRK | FE | RXERR},
    };
    for (unsigned i = 0; i < 3; i++)
        for (unsigned kept = 0; kept < 2; kept++) {
            struct sent s;
            struct node *n = uart(errors[i].ctl, SMCLK_SOURCE, 10, 0, &s);
            node_write(n, U1RCTL, kept ? URXEIE : 0);
            serial_receive(n, 1, errors[i].frame);
            bare_node_at(n, 500);
            assert_int_equal(node_read(n, IFG2) & URXIFG1, kept ? URXIFG1 : 0);
            assert_int_equal(node_read(n, U1RCTL) & (FE | PE | OE | BRK | RXERR), kept ? errors[i].flags : 0);
            bare_node_free(n);
        }
}

static void addresses_wake_the_receiver(void **state)
{
    (void)state;
    struct sent s;
    struct node *n = uart(CHAR | MM, SMCLK_SOURCE, 10, 0, &s);
    node_write(n, U1RCTL, URXWIE);
    serial_receive(n, 1, 0x042); /* data */
    bare_node_at(n, 200);
    assert_int_equal(node_read(n, IFG2) & URXIFG1, 0);
    serial_receive(n, 1, 0x142); /* an address */
    bare_node_at(n, 400);
    assert_int_equal(node_read(n, IFG2) & URXIFG1, URXIFG1);
    assert_int_equal(node_read(n, U1RCTL) & RXWAKE, RXWAKE);
    node_write(n, U1TCTL, SMCLK_SOURCE | TXWAKE);
    node_write(n, U1TXBUF, 0x99);
    assert_int_equal(node_read(n, U1TCTL) & TXWAKE, 0);
    bare_node_at(n, 600);
    assert_int_equal(s.frames[0], 0x199);
    bare_node_free(n);
}

static void an_idle_line_marks_an_address(void **state)
{
    (void)state;
    struct sent s;
    struct node *n = uart(CHAR, SMCLK_SOURCE, 10, 0, &s);
    node_write(n, U1RCTL, URXWIE);
    bare_node_at(n, 100);
    serial_receive(n, 1, 1);
    serial_receive(n, 1, 2);
    bare_node_at(n, 300);
    assert_int_equal(node_read(n, U1RXBUF), 1); /* the second followed without a gap */
    bare_node_at(n, 399);
    serial_receive(n, 1, 3); /* 99 cycles after the last stop bit, ten bits are 100 */
    bare_node_at(n, 499);
    assert_int_equal(node_read(n, IFG2) & URXIFG1, 0);
    bare_node_at(n, 599);
    serial_receive(n, 1, 4);
    bare_node_at(n, 699);
    assert_int_equal(node_read(n, U1RXBUF), 4);
    node_write(n, U1TCTL, SMCLK_SOURCE | TXWAKE);
    node_write(n, U1TXBUF, 0);
    node_write(n, U1TXBUF, 0x77);
    bare_node_at(n, 2000);
    assert_int_equal(s.count, 1); /* eleven bits of idle line, then the address */
    assert_int_equal(s.ticks[0], 700 + 110 + 100);
    bare_node_free(n);
}

/* The receiver cannot see a start bit while BRCLK stands still; with URXSE the edge asks for an interrupt, and the
 * clock that this starts in time receives the character. */
static void a_start_edge_wakes(void **state)
{
    (void)state;
    struct sent s;
    struct node *n = uart(CHAR, SMCLK_SOURCE | URXSE, 1000, 0, &s);
    node_write(n, IE2, URXIE1);
    serial_receive(n, 1, 0x11);
    bare_node_at(n, 20000);
    node_read(n, U1RXBUF);
    node_write(n, U1TCTL, SMCLK_SOURCE);
    node_write(n, U1TCTL, SMCLK_SOURCE | URXSE);
    node_set_clock(n, MSP430_SMCLK, 0);
    assert_false(bare_node_asks(n, USART1RX_LINE));
    serial_receive(n, 1, 0x12);
    assert_true(bare_node_asks(n, USART1RX_LINE));
    assert_int_equal(node_read(n, IFG2) & URXIFG1, 0);
    bare_node_at(n, 20300);
    node_set_clock(n, MSP430_SMCLK, CLOCK_ONE);
    node_write(n, U1TCTL, SMCLK_SOURCE);
    assert_false(bare_node_asks(n, USART1RX_LINE));
    bare_node_at(n, 32000);
    assert_int_equal(node_read(n, U1RXBUF), 0x12);
    node_set_clock(n, MSP430_SMCLK, 0); /* and without URXSE it is lost */
    serial_receive(n, 1, 0x13);
    bare_node_at(n, 32300);
    node_set_clock(n, MSP430_SMCLK, CLOCK_ONE);
    bare_node_at(n, 50000);
    assert_int_equal(node_read(n, U1RXBUF), 0x12);
    bare_node_free(n);
}

/* Nothing has been received before: the first character comes at the rate that was set while BRCLK ran. */
static void the_first_character_wakes_too(void **state)
{
    (void)state;
    struct node *n = msp430_io(NULL);
    node_set_clock(n, MSP430_SMCLK, 4 * CLOCK_ONE);
    node_write(n, U1CTL, CHAR | SWRST);
    node_write(n, U1TCTL, SMCLK_SOURCE | URXSE);
    node_write(n, U1BR0, 100);
    node_write(n, ME2, UTXE1 | URXE1);
    node_write(n, U1CTL, CHAR);
    node_write(n, IE2, URXIE1);
    node_set_clock(n, MSP430_SMCLK, 0);
    serial_receive(n, 1, 0x12);
    serial_receive(n, 1, 0x13);
    assert_true(bare_node_asks(n, USART1RX_LINE));
    bare_node_at(n, 40);
    node_set_clock(n, MSP430_SMCLK, 4 * CLOCK_ONE);
    bare_node_at(n, 4000); /* ten bits of 100 cycles of 4 ticks */
    assert_int_equal(node_read(n, U1RXBUF), 0x12);
    bare_node_at(n, 8000);
    assert_int_equal(node_read(n, U1RXBUF), 0x13);
    bare_node_free(n);
}

static void reset_holds_everything(void **state)
{
    (void)state;
    struct sent s;
    struct node *n = uart(CHAR, SMCLK_SOURCE, 10, 0, &s);
    node_write(n, IE2, URXIE1 | UTXIE1);
    node_write(n, U1TXBUF, 1);
    serial_receive(n, 1, 9);
    bare_node_at(n, 50);
    node_write(n, U1CTL, CHAR | SWRST);
    assert_int_equal(node_read(n, IE2), 0);
    bare_node_at(n, 500);
    assert_int_equal(s.count, 0);
    assert_int_equal(node_read(n, IFG2) & (URXIFG1 | UTXIFG1), UTXIFG1);
    assert_false(serial_receive(n, 1, SERIAL_WAIT | 7));
    node_write(n, U1CTL, CHAR);
    assert_true(serial_receive(n, 1, SERIAL_WAIT | 7));
    bare_node_free(n);
}

static void listening_to_itself(void **state)
{
    (void)state;
    struct sent s;
    struct node *n = uart(CHAR | LISTEN, SMCLK_SOURCE, 10, 0, &s);
    node_write(n, U1TXBUF, 0xa7);
    bare_node_at(n, 200);
    assert_int_equal(node_read(n, U1RXBUF), 0xa7);
    bare_node_free(n);
}

/* ---- SPI ---- */

struct echo {
    uint8_t last, count;
};

static void echo_connect(const struct device *d, struct wiring *w)
{
    wire_spi(w, d, 0, 0);
}

static uint8_t echo_spi(struct node *n, const struct device *d, unsigned role, uint8_t byte)
{
    struct echo *s = device_state(n, d);
    (void)role;
    uint8_t answer = s->last;
    s->last = byte;
    s->count++;
    return answer;
}

static const struct device_type echo_type = {
    .name = "echo", .state_size = sizeof(struct echo), .connect = echo_connect, .spi = echo_spi};
static const struct twi_memory_config memory = {
    .size = 256, .page_size = 16, .address = 0x50, .bus = 0, .write_protect = PIN_NONE, .write_seconds = 1e-6};
static const struct chip_device parts[] = {{"echo", &echo_type, NULL}, {"memory", &twi_memory_type, &memory}};
static const struct board board = {.name = "bench",
                                   .chip = &chip_msp430f1611,
                                   .hz = 1 << 30,
                                   .watch_hz = 32768,
                                   .millivolts = 3000,
                                   BOARD_PARTS(parts)};

static struct node *spi(unsigned ctl, unsigned br)
{
    struct node *n = msp430_io(&board);
    node_write(n, U0CTL, (uint8_t)(CHAR | SYNC | ctl | SWRST));
    node_write(n, U0TCTL, SMCLK_SOURCE | STC | CKPH);
    node_write(n, U0BR0, (uint8_t)br);
    node_write(n, ME1, USPIE0);
    node_write(n, U0CTL, (uint8_t)(CHAR | SYNC | ctl));
    return n;
}

static void a_master_exchanges_bytes(void **state)
{
    (void)state;
    struct node *n = spi(MM, 2);
    struct echo *e = device_state(n, bare_node_device(n, "echo"));
    e->last = 0x31;
    bare_node_at(n, 99);
    node_write(n, U0TXBUF, 0x12);
    node_write(n, U0TXBUF, 0x34);
    bare_node_at(n, 115);
    assert_int_equal(e->count, 0);
    bare_node_at(n, 116);
    assert_int_equal(e->last, 0x12);
    assert_int_equal(node_read(n, IFG1) & (URXIFG0 | UTXIFG0), URXIFG0 | UTXIFG0);
    assert_int_equal(node_read(n, U0RXBUF), 0x31);
    assert_int_equal(node_read(n, U0TCTL) & TXEPT, 0);
    bare_node_at(n, 132);
    assert_int_equal(e->last, 0x34);
    assert_int_equal(node_read(n, U0RXBUF), 0x12);
    assert_int_equal(node_read(n, U0TCTL) & TXEPT, TXEPT);
    bare_node_free(n);
}

static void a_master_yields_to_another(void **state)
{
    (void)state;
    struct node *n = spi(MM, 2);
    struct echo *e = device_state(n, bare_node_device(n, "echo"));
    node_write(n, P3SEL, 1);
    pin_drive(n, MSP430_PIN(3, 0), PIN_HIGH);
    node_write(n, U0TCTL, SMCLK_SOURCE);
    pin_drive(n, MSP430_PIN(3, 0), PIN_LOW);
    assert_int_equal(node_read(n, U0RCTL) & FE, FE);
    node_write(n, U0TXBUF, 0x12);
    bare_node_at(n, 1000);
    assert_int_equal(e->count, 0);
    pin_drive(n, MSP430_PIN(3, 0), PIN_HIGH);
    bare_node_at(n, 2000);
    assert_int_equal(e->last, 0x12);
    bare_node_free(n);
}

static void a_slave_answers(void **state)
{
    (void)state;
    struct node *n = spi(0, 2);
    node_write(n, U0TXBUF, 0x77);
    assert_int_equal(node_read(n, IFG1) & UTXIFG0, 0);
    assert_int_equal(spi_exchange(n, 0, 0x99) & 0x77, 0x00); /* the echo answers too, with its 0 */
    assert_int_equal(node_read(n, IFG1) & (URXIFG0 | UTXIFG0), URXIFG0 | UTXIFG0);
    assert_int_equal(node_read(n, U0RXBUF), 0x99);
    assert_int_equal(spi_exchange(n, 0, 0x01), 0x99 & 0x77); /* two on one line: open drain */
    bare_node_free(n);
}

/* ---- I2C ---- */

enum { I2C_ON = SYNC | I2C | I2CEN };

/* Clock: SMCLK, SCL of 5 + 5 cycles: a byte with its acknowledge takes 90. */
static struct node *i2c(void)
{
    struct node *n = msp430_io(&board);
    node_write(n, U0CTL, SWRST);
    node_write(n, U0CTL, SYNC | I2C | SWRST);
    node_write(n, U0CTL, SYNC | I2C);
    node_write(n, I2CTCTL, I2CSSEL1);
    node_write(n, I2CPSC, 0);
    node_write(n, I2CSCLH, 3);
    node_write(n, I2CSCLL, 3);
    node_write_word(n, I2CSA, 0x50);
    node_write(n, U0CTL, I2C_ON);
    return n;
}

static uint64_t i2c_write_bytes(struct node *n, uint64_t at, const uint8_t *bytes, unsigned count)
{
    bare_node_at(n, at);
    node_write(n, I2CNDAT, (uint8_t)count);
    node_write(n, U0CTL, I2C_ON | MST);
    node_write(n, I2CTCTL, I2CSSEL1 | I2CTRX | I2CSTT | I2CSTP);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned wait = 0; !(node_read(n, I2CIFG) & TXRDYIFG); wait++) {
            assert_true(wait < 1000);
            bare_node_at(n, ++at);
        }
        node_write(n, I2CDRB, bytes[i]);
    }
    while (node_read(n, U0CTL) & MST)
        bare_node_at(n, ++at);
    return at;
}

static void a_master_writes_and_reads(void **state)
{
    (void)state;
    struct node *n = i2c();
    static const uint8_t data[3] = {0x20, 0xca, 0xfe}, address[1] = {0x20};
    uint64_t end = i2c_write_bytes(n, 100, data, 3);
    assert_int_equal(end, 100 + 100 + 3 * 90 + 10); /* START and address, three bytes, STOP */
    assert_int_equal(node_read(n, I2CIFG) & (ARDYIFG | NACKIFG), ARDYIFG);
    assert_int_equal(node_read(n, I2CDCTL) & I2CBB, 0);
    uint64_t at = i2c_write_bytes(n, 5000, address, 1);
    node_write(n, I2CNDAT, 2);
    node_write(n, U0CTL, I2C_ON | MST);
    node_write(n, I2CTCTL, I2CSSEL1 | I2CSTT | I2CSTP);
    bare_node_at(n, at + 100 + 89);
    assert_int_equal(node_read(n, I2CIFG) & RXRDYIFG, 0);
    bare_node_at(n, at + 100 + 90);
    assert_int_equal(node_read(n, I2CIFG) & RXRDYIFG, RXRDYIFG);
    assert_int_equal(node_read(n, I2CDCTL) & I2CSCLLOW, I2CSCLLOW); /* until it is read */
    assert_int_equal(node_read(n, I2CDRB), 0xca);
    bare_node_at(n, at + 500);
    assert_int_equal(node_read(n, I2CDRB), 0xfe);
    assert_int_equal(node_read(n, U0CTL) & MST, 0);
    bare_node_free(n);
}

static void a_wrong_address_is_not_acknowledged(void **state)
{
    (void)state;
    struct node *n = i2c();
    node_write_word(n, I2CSA, 0x51);
    node_write(n, I2CIE, NACKIE | ARDYIE);
    node_write(n, I2CNDAT, 1);
    node_write(n, U0CTL, I2C_ON | MST);
    node_write(n, I2CTCTL, I2CSSEL1 | I2CTRX | I2CSTT);
    node_write(n, I2CDRB, 1);
    bare_node_at(n, 99);
    assert_false(bare_node_asks(n, USART0TX_LINE));
    bare_node_at(n, 100);
    assert_true(bare_node_asks(n, USART0TX_LINE));
    assert_int_equal(node_read_word(n, I2CIV), 4);
    assert_false(bare_node_asks(n, USART0TX_LINE));
    node_write(n, I2CTCTL, I2CSSEL1 | I2CTRX | I2CSTP);
    bare_node_at(n, 110);
    assert_int_equal(node_read_word(n, I2CIV), 8);
    assert_int_equal(node_read(n, U0CTL) & MST, 0);
    bare_node_free(n);
}

static void a_slave_is_addressed(void **state)
{
    (void)state;
    struct node *n = i2c();
    node_write_word(n, I2COA, 0x28);
    assert_int_equal(twi_signal(n, 0, TWI_START, 0x29 << 1), 0);
    assert_int_equal(twi_signal(n, 0, TWI_START, 0x28 << 1), TWI_ACKNOWLEDGE);
    assert_int_equal(node_read(n, I2CIFG) & (OAIFG | STTIFG), OAIFG | STTIFG);
    assert_int_equal(twi_signal(n, 0, TWI_WRITE, 0x61), TWI_ACKNOWLEDGE);
    assert_true(twi_signal(n, 0, TWI_CLOCK_HELD, 0));
    assert_int_equal(node_read(n, I2CDRB), 0x61);
    assert_false(twi_signal(n, 0, TWI_CLOCK_HELD, 0));
    assert_int_equal(twi_signal(n, 0, TWI_START, 0x28 << 1 | 1), TWI_ACKNOWLEDGE);
    assert_true(twi_signal(n, 0, TWI_CLOCK_HELD, 0));
    node_write(n, I2CDRB, 0x62);
    assert_int_equal(twi_signal(n, 0, TWI_READ_NACKED, 0), 0x62);
    twi_signal(n, 0, TWI_STOP, 0);
    assert_int_equal(node_read(n, I2CDCTL) & (I2CBB | I2CBUSY), 0);
    bare_node_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_have_their_reset_values),
        cmocka_unit_test(bits_are_modulated),
        cmocka_unit_test(formats_have_their_lengths),
        cmocka_unit_test(the_buffer_holds_one_character_more),
        cmocka_unit_test(interrupts_clear_their_flags),
        cmocka_unit_test(an_unread_character_is_overrun),
        cmocka_unit_test(errors_are_kept_or_dropped),
        cmocka_unit_test(addresses_wake_the_receiver),
        cmocka_unit_test(an_idle_line_marks_an_address),
        cmocka_unit_test(a_start_edge_wakes),
        cmocka_unit_test(the_first_character_wakes_too),
        cmocka_unit_test(reset_holds_everything),
        cmocka_unit_test(listening_to_itself),
        cmocka_unit_test(a_master_exchanges_bytes),
        cmocka_unit_test(a_master_yields_to_another),
        cmocka_unit_test(a_slave_answers),
        cmocka_unit_test(a_master_writes_and_reads),
        cmocka_unit_test(a_wrong_address_is_not_acknowledged),
        cmocka_unit_test(a_slave_is_addressed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
