/* The USART by its registers: formats, timing, buffers and errors, against the datasheet's chapter. */
#include "bare_node.h"

#include "device/avr/usart.h"
#include "registers/atmega328p.h"
#include "node/interrupts.h"
#include "node/taps.h"

enum { U2X = 0x02, MPCM = 0x01, UPE = 0x04, DOR = 0x08, FE = 0x10, UDRE = 0x20, TXC = 0x40, RXC = 0x80 };
enum { TXB8 = 0x01, RXB8 = 0x02, UCSZ2 = 0x04, TXEN = 0x08, RXEN = 0x10, UDRIE = 0x20, TXCIE = 0x40, RXCIE = 0x80 };
enum { UCPOL = 0x01, SIZE8 = 0x06, TWO_STOP = 0x08, EVEN = 0x20, ODD = 0x30, SYNC = 0x40, SPI_MODE = 0xc0 };

struct sent {
    unsigned count, frames[16];
    uint64_t ticks[16];
};

static void record(void *context, const struct motet_node *handle, const struct motet_happened *h)
{
    (void)handle;
    struct sent *s = context;
    assert_int_equal(h->serial.line, 0);
    assert_true(s->count < 16);
    s->frames[s->count] = h->serial.frame;
    s->ticks[s->count++] = h->tick;
}

/* Set up at a tick that is a multiple of 16, when the dividers after the prescaler, free-running since reset, are at
 * zero: bits then begin at the tick and every bit length after it. */
static struct node *set_up(const struct board *board, uint64_t tick, unsigned ubrr, uint8_t a, uint8_t b, uint8_t c)
{
    struct node *n = bare_node(&chip_atmega328p, board);
    bare_node_at(n, tick);
    node_write(n, UBRR0H, (uint8_t)(ubrr >> 8));
    node_write(n, UBRR0L, (uint8_t)ubrr);
    node_write(n, UCSR0A, a);
    node_write(n, UCSR0B, b);
    node_write(n, UCSR0C, c);
    return n;
}

static void observe(struct node *n, struct sent *s)
{
    *s = (struct sent){0};
    tap_hook(n, MOTET_ON(SERIAL), record, s);
}

static void registers_have_their_reset_values(void **state)
{
    (void)state;
    struct node *n = bare_node(&chip_atmega328p, NULL);
    assert_int_equal(node_read(n, UCSR0A), UDRE);
    assert_int_equal(node_read(n, UCSR0B), 0);
    assert_int_equal(node_read(n, UCSR0C), SIZE8);
    assert_int_equal(node_read(n, UBRR0L), 0);
    assert_int_equal(node_read(n, UBRR0H), 0);
    node_write(n, UBRR0H, 0xff);
    assert_int_equal(node_read(n, UBRR0H), 0x0f);
    node_write(n, UCSR0A, 0xff);
    assert_int_equal(node_read(n, UCSR0A), UDRE | U2X | MPCM);
    bare_node_free(n);
}

static void two_frames_follow_without_a_gap(void **state)
{
    (void)state;
    struct sent sent;
    struct node *n = set_up(NULL, 160, 8, 0, TXEN, SIZE8); /* 9 * 16 = 144 cycles a bit */
    observe(n, &sent);
    bare_node_at(n, 200);
    node_write(n, UDR0, 0x41); /* to the idle shift register; its start bit begins at 160 + 144 = 304 */
    assert_int_equal(node_read(n, UCSR0A), UDRE);
    node_write(n, UDR0, 0x42); /* waits in the buffer */
    assert_int_equal(node_read(n, UCSR0A), 0);
    node_write(n, UDR0, 0x43); /* no room: ignored */
    bare_node_at(n, 304 + 1440 - 1);
    assert_int_equal(node_read(n, UCSR0A), 0);
    bare_node_at(n, 304 + 1440);
    assert_int_equal(node_read(n, UCSR0A), UDRE); /* and no TXC: there was more to send */
    bare_node_at(n, 304 + 2880 - 1);
    assert_int_equal(node_read(n, UCSR0A), UDRE);
    bare_node_at(n, 304 + 2880);
    assert_int_equal(node_read(n, UCSR0A), UDRE | TXC);
    bare_node_at(n, 100000);
    assert_int_equal(sent.count, 2);
    assert_int_equal(sent.frames[0], 0x41);
    assert_int_equal(sent.frames[1], 0x42);
    assert_int_equal(sent.ticks[0], 304 + 1440);
    assert_int_equal(sent.ticks[1], 304 + 2880);
    node_write(n, UCSR0A, TXC);
    assert_int_equal(node_read(n, UCSR0A), UDRE);
    bare_node_free(n);
}

static void every_format_has_its_length_and_width(void **state)
{
    (void)state;
    static const struct {
        uint8_t b, c;
        unsigned bits, data;
    } formats[] = {
        {0, 0x00, 7, 0x1f},
        {0, 0x02, 8, 0x3f},
        {0, 0x04, 9, 0x7f},
        {0, 0x06, 10, 0xff},
        {UCSZ2, 0x06, 11, 0xff},
        {UCSZ2 | TXB8, 0x06, 11, 0x1ff},
        {TXB8, 0x06, 10, 0xff},
        {0, 0x06 | EVEN, 11, 0xff},
        {0, 0x06 | ODD | TWO_STOP, 12, 0xff},
        {UCSZ2 | TXB8, 0x06 | EVEN | TWO_STOP, 13, 0x1ff},
        {0, 0x00 | TWO_STOP, 8, 0x1f},
    };
    for (unsigned speed = 0; speed < 2; speed++) {
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
            struct sent sent;
            struct node *n = set_up(NULL, 1600, 103, speed ? U2X : 0, formats[i].b | TXEN, formats[i].c);
            unsigned bit = 104 * (speed ? 8 : 16);
            observe(n, &sent);
            node_write(n, UDR0, 0xff);
            bare_node_at(n, 1600 + bit + formats[i].bits * bit);
            assert_int_equal(sent.count, 1);
            assert_int_equal(sent.frames[0], formats[i].data);
            assert_int_equal(sent.ticks[0], 1600 + bit + formats[i].bits * bit);
            bare_node_free(n);
        }
    }
}

static void transmitter_finishes_before_it_goes_off(void **state)
{
    (void)state;
    struct sent sent;
    struct node *n = set_up(NULL, 160, 0, 0, TXEN, SIZE8); /* 16 cycles a bit */
    observe(n, &sent);
    assert_true(pin_level(n, PIN(D, 1)));
    assert_true(pin_is_output(n, PIN(D, 1)));
    node_write(n, UDR0, 1);
    node_write(n, UDR0, 2);
    node_write(n, UCSR0B, 0);
    bare_node_at(n, 176 + 319);
    assert_int_equal(sent.count, 1);
    assert_true(pin_is_output(n, PIN(D, 1)));
    bare_node_at(n, 176 + 320);
    assert_int_equal(sent.count, 2);
    assert_false(pin_is_output(n, PIN(D, 1)));
    node_write(n, UDR0, 3); /* kept until the transmitter is on */
    bare_node_at(n, 1600);
    assert_int_equal(sent.count, 2);
    node_write(n, UCSR0B, TXEN);
    bare_node_at(n, 1616 + 160);
    assert_int_equal(sent.count, 3);
    assert_int_equal(sent.frames[2], 3);
    bare_node_free(n);
}

static void interrupts_follow_their_flags(void **state)
{
    (void)state;
    struct node *n = set_up(NULL, 160, 0, 0, TXEN | RXEN | UDRIE | TXCIE | RXCIE, SIZE8);
    assert_true(bare_node_asks(n, USART_UDRE_vect_num));
    bare_node_acknowledge(n, USART_UDRE_vect_num);
    assert_true(bare_node_asks(n, USART_UDRE_vect_num)); /* as long as the buffer is empty */
    node_write(n, UDR0, 1);
    node_write(n, UDR0, 2);
    assert_false(bare_node_asks(n, USART_UDRE_vect_num));
    bare_node_at(n, 176 + 320);
    assert_true(bare_node_asks(n, USART_TX_vect_num));
    bare_node_acknowledge(n, USART_TX_vect_num);
    assert_false(bare_node_asks(n, USART_TX_vect_num));
    assert_int_equal(node_read(n, UCSR0A) & TXC, 0);
    assert_true(serial_receive(n, 0, 0x55));
    bare_node_at(n, 1000);
    assert_true(bare_node_asks(n, USART_RX_vect_num));
    bare_node_acknowledge(n, USART_RX_vect_num);
    assert_true(bare_node_asks(n, USART_RX_vect_num)); /* until the data is read */
    node_read(n, UDR0);
    assert_false(bare_node_asks(n, USART_RX_vect_num));
    bare_node_free(n);
}

static void a_frame_arrives_with_the_samples_of_its_stop_bit(void **state)
{
    (void)state;
    for (unsigned speed = 0; speed < 2; speed++) {
        struct node *n = set_up(NULL, 160, 8, speed ? U2X : 0, RXEN, SIZE8);
        unsigned samples = speed ? 8 : 16, bit = 9 * samples;
        bare_node_at(n, 160 + 9 * 5 - 3);
        serial_receive(n, 0, 0x5a);
        serial_receive(n, 0, 0xa5);
        /* Seen at 160 + 9 * 5; the stop bit is decided at sample 10 of 16, or 6 of 8 (the first is number 1). */
        uint64_t stop = 160 + 9 * 5 + 9 * bit + 9 * (speed ? 5 : 9);
        bare_node_at(n, stop - 1);
        assert_int_equal(node_read(n, UCSR0A) & RXC, 0);
        bare_node_at(n, stop);
        assert_int_equal(node_read(n, UCSR0A) & RXC, RXC);
        assert_int_equal(node_read(n, UDR0), 0x5a);
        bare_node_at(n, stop + 10 * bit - 1);
        assert_int_equal(node_read(n, UCSR0A) & RXC, 0);
        bare_node_at(n, stop + 10 * bit);
        assert_int_equal(node_read(n, UCSR0A) & RXC, RXC);
        assert_int_equal(node_read(n, UDR0), 0xa5);
        bare_node_free(n);
    }
}

static void two_frames_and_one_in_the_shift_register_are_kept(void **state)
{
    (void)state;
    struct node *n = set_up(NULL, 160, 0, 0, RXEN, SIZE8);
    for (unsigned i = 1; i <= 3; i++)
        serial_receive(n, 0, i);
    bare_node_at(n, 160 + 3 * 160);
    assert_int_equal(node_read(n, UCSR0A), RXC | UDRE);
    for (unsigned i = 1; i <= 3; i++)
        assert_int_equal(node_read(n, UDR0), i);
    assert_int_equal(node_read(n, UCSR0A), UDRE);
    bare_node_free(n);
}

static void a_fourth_start_bit_overruns_the_third_frame(void **state)
{
    (void)state;
    struct node *n = set_up(NULL, 160, 0, 0, RXEN, SIZE8);
    for (unsigned i = 1; i <= 4; i++)
        serial_receive(n, 0, i);
    bare_node_at(n, 160 + 3 * 160 - 1);
    assert_int_equal(node_read(n, UCSR0A) & DOR, 0);
    bare_node_at(n, 160 + 3 * 160); /* the start bit of the fourth */
    assert_int_equal(node_read(n, UCSR0A) & DOR, DOR);
    bare_node_at(n, 160 + 4 * 160);
    assert_int_equal(node_read(n, UDR0), 1);
    assert_int_equal(node_read(n, UCSR0A) & DOR, 0);
    assert_int_equal(node_read(n, UDR0), 2);
    assert_int_equal(node_read(n, UCSR0A) & DOR, DOR); /* lost between this frame and the one before */
    assert_int_equal(node_read(n, UDR0), 4);
    assert_int_equal(node_read(n, UCSR0A), UDRE);
    bare_node_free(n);
}

static void errors_and_the_ninth_bit_go_with_their_frame(void **state)
{
    (void)state;
    struct node *n = set_up(NULL, 160, 0, 0, RXEN | UCSZ2, SIZE8 | EVEN);
    serial_receive(n, 0, 0x155 | SERIAL_PARITY_ERROR);
    serial_receive(n, 0, 0x0aa | SERIAL_FRAMING_ERROR);
    bare_node_at(n, 1600);
    assert_int_equal(node_read(n, UCSR0A), RXC | UPE | UDRE);
    assert_int_equal(node_read(n, UCSR0B) & RXB8, RXB8);
    assert_int_equal(node_read(n, UDR0), 0x55);
    assert_int_equal(node_read(n, UCSR0A), RXC | FE | UDRE);
    assert_int_equal(node_read(n, UCSR0B) & RXB8, 0);
    assert_int_equal(node_read(n, UDR0), 0xaa);
    serial_receive(n, 0, SERIAL_BREAK);
    bare_node_at(n, 3200);
    assert_int_equal(node_read(n, UCSR0A), RXC | FE | UDRE); /* zero has even parity */
    assert_int_equal(node_read(n, UDR0), 0);
    node_write(n, UCSR0B, RXEN);
    node_write(n, UCSR0C, 0x02); /* six bits, no parity: what does not fit the format is not there */
    serial_receive(n, 0, 0x1ff | SERIAL_PARITY_ERROR);
    bare_node_at(n, 4800);
    assert_int_equal(node_read(n, UCSR0A), RXC | UDRE);
    assert_int_equal(node_read(n, UDR0), 0x3f);
    bare_node_free(n);
}

static void processor_mode_hears_addresses_only(void **state)
{
    (void)state;
    struct node *n = set_up(NULL, 160, 0, MPCM, RXEN | UCSZ2, SIZE8);
    serial_receive(n, 0, 0x011);
    serial_receive(n, 0, 0x122);
    bare_node_at(n, 1600);
    assert_int_equal(node_read(n, UDR0), 0x22);
    assert_int_equal(node_read(n, UCSR0A) & RXC, 0);
    node_write(n, UCSR0B, RXEN); /* with eight bits the first stop bit tells */
    serial_receive(n, 0, 0x33 | SERIAL_FRAMING_ERROR);
    serial_receive(n, 0, 0x44);
    bare_node_at(n, 3200);
    assert_int_equal(node_read(n, UDR0), 0x44);
    assert_int_equal(node_read(n, UCSR0A) & (RXC | FE), 0);
    bare_node_free(n);
}

static void switching_the_receiver_off_flushes(void **state)
{
    (void)state;
    struct node *n = set_up(NULL, 160, 0, 0, RXEN, SIZE8);
    for (unsigned i = 0; i < 4; i++)
        serial_receive(n, 0, i | SERIAL_FRAMING_ERROR);
    bare_node_at(n, 160 + 640);
    assert_int_equal(node_read(n, UCSR0A), RXC | FE | DOR | UDRE);
    node_write(n, UCSR0B, 0);
    assert_int_equal(node_read(n, UCSR0A), UDRE);
    node_write(n, UCSR0B, RXEN);
    assert_int_equal(node_read(n, UCSR0A), UDRE);
    serial_receive(n, 0, 0x77);
    bare_node_at(n, 800 + 20); /* off and on within the frame: it is lost */
    node_write(n, UCSR0B, 0);
    node_write(n, UCSR0B, RXEN);
    bare_node_at(n, 1600);
    assert_int_equal(node_read(n, UCSR0A), UDRE);
    bare_node_free(n);
}

static void frames_pass_a_deaf_receiver(void **state)
{
    (void)state;
    struct node *n = set_up(NULL, 160, 0, 0, 0, SIZE8);
    assert_false(serial_receive(n, 0, 'w' | SERIAL_WAIT));
    assert_true(serial_receive(n, 0, 'a'));
    assert_true(serial_receive(n, 0, 'b'));
    bare_node_at(n, 160 + 159);
    node_write(n, UCSR0B, RXEN); /* just before the second begins */
    assert_true(serial_receive(n, 0, 'w' | SERIAL_WAIT));
    bare_node_at(n, 1600);
    assert_int_equal(node_read(n, UDR0), 'b');
    assert_int_equal(node_read(n, UDR0), 'w');
    assert_int_equal(node_read(n, UCSR0A), UDRE);
    unsigned taken = 0;
    while (serial_receive(n, 0, taken))
        taken++;
    assert_int_equal(taken, 64);
    bare_node_at(n, 1600 + 160);
    assert_true(serial_receive(n, 0, 0));
    bare_node_free(n);
}

static void a_stopped_clock_costs_the_frame(void **state)
{
    (void)state;
    struct node *n = set_up(NULL, 160, 0, 0, RXEN, SIZE8);
    serial_receive(n, 0, 'a');
    serial_receive(n, 0, 'b');
    serial_receive(n, 0, 'c');
    bare_node_at(n, 200);
    node_set_clock(n, CLOCK_IO, 0);
    bare_node_at(n, 160 + 160 + 30); /* 'b' began meanwhile */
    node_set_clock(n, CLOCK_IO, CLOCK_ONE);
    bare_node_at(n, 1600);
    assert_int_equal(node_read(n, UDR0), 'c');
    assert_int_equal(node_read(n, UCSR0A), UDRE);
    bare_node_free(n);
}

static void changing_the_rate_keeps_the_bits_to_go(void **state)
{
    (void)state;
    struct sent sent;
    struct node *n = set_up(NULL, 160, 0, 0, TXEN, SIZE8);
    observe(n, &sent);
    node_write(n, UDR0, 0x12); /* from 176, 16 cycles a bit */
    bare_node_at(n, 176 + 64);
    node_write(n, UBRR0L, 9); /* six bits to go at 160 cycles */
    bare_node_at(n, 176 + 64 + 960);
    assert_int_equal(sent.count, 1);
    assert_int_equal(sent.ticks[0], 176 + 64 + 960);
    bare_node_free(n);
}

static void power_reduction_freezes(void **state)
{
    (void)state;
    struct sent sent;
    struct node *n = set_up(NULL, 160, 0, 0, TXEN | RXEN, SIZE8);
    observe(n, &sent);
    node_write(n, UDR0, 0x12); /* would end at 176 + 160 */
    bare_node_at(n, 200);
    node_write(n, PRR, 1 << PRUSART0);
    node_write(n, UCSR0B, 0); /* not reached */
    serial_receive(n, 0, 'x');
    bare_node_at(n, 1200);
    assert_int_equal(sent.count, 0);
    node_write(n, PRR, 0);
    assert_int_equal(node_read(n, UCSR0B), TXEN | RXEN);
    bare_node_at(n, 1336);
    assert_int_equal(sent.count, 1);
    assert_int_equal(sent.ticks[0], 1336);
    assert_int_equal(node_read(n, UCSR0A) & RXC, 0);
    bare_node_free(n);
}

/* ---- synchronous and SPI ---- */

static void synchronous_master_has_two_cycles_a_tick(void **state)
{
    (void)state;
    struct sent sent;
    struct node *n = set_up(NULL, 160, 9, 0, TXEN | RXEN, SIZE8 | SYNC);
    observe(n, &sent);
    pin_set_port(n, PIN(D, 4), true, false, false); /* XCK is an output: master */
    node_write(n, UDR0, 0x99);
    serial_receive(n, 0, 0x66);
    bare_node_at(n, 180 + 9 * 20 + 9);
    assert_int_equal(node_read(n, UCSR0A) & RXC, 0);
    bare_node_at(n, 180 + 9 * 20 + 10);
    assert_int_equal(node_read(n, UCSR0A) & RXC, RXC);
    bare_node_at(n, 180 + 200);
    assert_int_equal(sent.count, 1);
    assert_int_equal(sent.ticks[0], 380);
    bare_node_free(n);
}

static void synchronous_slave_waits_for_edges(void **state)
{
    (void)state;
    for (unsigned polarity = 0; polarity < 2; polarity++) {
        struct sent sent;
        struct node *n = set_up(NULL, 160, 9, 0, TXEN | RXEN, (uint8_t)(SIZE8 | SYNC | polarity));
        unsigned wire = 0;
        observe(n, &sent);
        pin_drive(n, PIN(D, 4), polarity ? PIN_HIGH : PIN_LOW);
        node_write(n, UDR0, 0x99);
        serial_receive(n, 0, 0x66);
        bare_node_at(n, 100000);
        assert_int_equal(sent.count, 0);
        for (unsigned i = 0; i < 10; i++) {
            assert_int_equal(sent.count, 0);
            assert_int_equal(node_read(n, UCSR0A) & RXC, 0);
            pin_drive(n, PIN(D, 4), polarity ? PIN_LOW : PIN_HIGH);
            wire |= (unsigned)pin_level(n, PIN(D, 1)) << i;
            pin_drive(n, PIN(D, 4), polarity ? PIN_HIGH : PIN_LOW);
        }
        assert_int_equal(wire, 0x99 << 1 | 1 << 9);
        assert_int_equal(node_read(n, UCSR0A) & RXC, RXC);
        assert_int_equal(node_read(n, UDR0), 0x66);
        pin_drive(n, PIN(D, 4), polarity ? PIN_LOW : PIN_HIGH);
        assert_int_equal(sent.count, 1);
        assert_int_equal(sent.frames[0], 0x99);
        bare_node_free(n);
    }
}

struct listener {
    uint32_t count, bytes[4];
    uint64_t edges[16];
    uint32_t edge_count;
};

static void listener_connect(const struct device *d, struct wiring *w)
{
    wire_spi(w, d, 1, 0);
    wire_pin(w, d, PIN(D, 1), 0);
}

static uint8_t listener_spi(struct node *n, const struct device *d, unsigned role, uint8_t byte)
{
    (void)role;
    struct listener *s = device_state(n, d);
    s->bytes[s->count++ % 4] = byte;
    return (uint8_t)(0xc0 + s->count);
}

static void listener_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    (void)role;
    struct listener *s = device_state(n, d);
    s->edges[s->edge_count++ % 16] = node_now(n) << 1 | level;
}

static const struct device_type listener_type = {
    .name = "listener",
    .state_size = sizeof(struct listener),
    .connect = listener_connect,
    .spi = listener_spi,
    .input = listener_input,
};
static const struct chip_device parts[] = {{"listener", &listener_type, NULL}};
static const struct board board = {
    .name = "listening", .chip = &chip_atmega328p, .hz = 16000000, .millivolts = 5000, BOARD_PARTS(parts)};

static void master_spi_mode_exchanges_bytes(void **state)
{
    (void)state;
    for (unsigned least_first = 0; least_first < 2; least_first++) {
        struct node *n = set_up(&board, 160, 1, 0, TXEN | RXEN, (uint8_t)(SPI_MODE | least_first << 2));
        const struct listener *l = device_state(n, bare_node_device(n, "listener"));
        node_write(n, UDR0, 0x12); /* from 164, four cycles a bit */
        node_write(n, UDR0, 0x34);
        bare_node_at(n, 164 + 31);
        assert_int_equal(l->count, 0);
        bare_node_at(n, 164 + 32);
        assert_int_equal(l->count, 1);
        assert_int_equal(node_read(n, UCSR0A), RXC | UDRE);
        bare_node_at(n, 164 + 64);
        assert_int_equal(node_read(n, UCSR0A), RXC | UDRE | TXC);
        assert_int_equal(l->bytes[0], least_first ? 0x48 : 0x12);
        assert_int_equal(l->bytes[1], least_first ? 0x2c : 0x34);
        assert_int_equal(node_read(n, UDR0), least_first ? 0x83 : 0xc1);
        assert_int_equal(node_read(n, UDR0), least_first ? 0x43 : 0xc2);
        bare_node_free(n);
    }
}

static void a_part_on_the_pin_sees_the_bits(void **state)
{
    (void)state;
    struct node *n = set_up(&board, 160, 0, 0, 0, SIZE8 | ODD);
    const struct listener *l = device_state(n, bare_node_device(n, "listener"));
    node_write(n, UCSR0B, TXEN);
    node_write(n, UDR0, 0x33); /* 0 11001100 1 1: from 176, sixteen cycles a bit */
    bare_node_at(n, 1600);
    static const uint64_t edges[] = {160 << 1 | 1, 176 << 1, 192 << 1 | 1, 224 << 1,
                                     256 << 1 | 1, 288 << 1, 320 << 1 | 1};
    assert_int_equal(l->edge_count, 7);
    assert_memory_equal(l->edges, edges, sizeof edges);
    bare_node_free(n);
}

static void a_snapshot_in_a_frame_goes_on_alike(void **state)
{
    (void)state;
    struct node *n = set_up(NULL, 160, 5, 0, TXEN | RXEN | RXCIE | TXCIE, SIZE8);
    node_write(n, UDR0, 0x12);
    node_write(n, UDR0, 0x34);
    for (unsigned i = 0; i < 6; i++)
        serial_receive(n, 0, i);
    bare_node_at(n, 500);
    struct snapshot *s = snapshot_take(n);
    bare_node_at(n, 100000);
    struct digest first = node_digest(n);
    snapshot_restore(n, s);
    bare_node_at(n, 100000);
    assert_true(digest_equal(node_digest(n), first));
    snapshot_free(s);
    bare_node_free(n);
}

static void the_line_shows_on_the_pin(void **state)
{
    (void)state;
    struct node *n = set_up(NULL, 160, 0, 0, 0, SIZE8);
    assert_false(pin_level(n, PIN(D, 0))); /* nothing is connected yet */
    serial_receive(n, 0, 0x00);
    serial_receive(n, 0, SERIAL_BREAK);
    assert_false(pin_level(n, PIN(D, 0)));
    bare_node_at(n, 160 + 154); /* the stop bit */
    assert_true(pin_level(n, PIN(D, 0)));
    bare_node_at(n, 160 + 319);
    assert_false(pin_level(n, PIN(D, 0)));
    bare_node_at(n, 160 + 320);
    assert_true(pin_level(n, PIN(D, 0)));
    bare_node_free(n);
}

static void record_line(void *context, const struct motet_node *handle, const struct motet_happened *h)
{
    (void)handle;
    unsigned *seen = context;
    *seen = h->serial.line << 16 | h->serial.frame;
}

static void every_usart_of_every_chip_is_wired(void **state)
{
    (void)state;
    static const struct {
        const struct chip *chip;
        unsigned usarts;
    } all[] = {{&chip_atmega128, 2},
               {&chip_atmega1281, 2},
               {&chip_atmega2560, 4},
               {&chip_atmega168, 1},
               {&chip_atmega328p, 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct node *n = bare_node(all[i].chip, NULL);
        unsigned count = 0, seen;
        tap_hook(n, MOTET_ON(SERIAL), record_line, &seen);
        for (size_t k = 0; k < n->machine->device_count; k++) {
            if (n->machine->devices[k].type != &usart_type)
                continue;
            const struct usart_config *c = n->machine->devices[k].config;
            assert_int_equal(c->line, count++);
            node_write(n, c->ucsrb, TXEN | RXEN | RXCIE | TXCIE);
            node_write(n, c->udr, 0x60 + count);
            assert_true(serial_receive(n, c->line, 0x70 + count));
            seen = 0;
            bare_node_at(n, node_now(n) + 16 + 160);
            assert_int_equal(seen, (unsigned)c->line << 16 | (0x60 + count));
            assert_true(pin_level(n, c->txd) && pin_is_output(n, c->txd));
            assert_int_equal(interrupts_word(n, 0), UINT64_C(1) << c->rx.vector | UINT64_C(1) << c->tx.vector);
            assert_int_equal(node_read(n, c->udr), 0x70 + count);
            node_write(n, c->ucsrb, 0);
            assert_int_equal(interrupts_word(n, 0), 0);
        }
        assert_int_equal(count, all[i].usarts);
        bare_node_free(n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_have_their_reset_values),
        cmocka_unit_test(two_frames_follow_without_a_gap),
        cmocka_unit_test(every_format_has_its_length_and_width),
        cmocka_unit_test(transmitter_finishes_before_it_goes_off),
        cmocka_unit_test(interrupts_follow_their_flags),
        cmocka_unit_test(a_frame_arrives_with_the_samples_of_its_stop_bit),
        cmocka_unit_test(two_frames_and_one_in_the_shift_register_are_kept),
        cmocka_unit_test(a_fourth_start_bit_overruns_the_third_frame),
        cmocka_unit_test(errors_and_the_ninth_bit_go_with_their_frame),
        cmocka_unit_test(processor_mode_hears_addresses_only),
        cmocka_unit_test(switching_the_receiver_off_flushes),
        cmocka_unit_test(frames_pass_a_deaf_receiver),
        cmocka_unit_test(a_stopped_clock_costs_the_frame),
        cmocka_unit_test(changing_the_rate_keeps_the_bits_to_go),
        cmocka_unit_test(power_reduction_freezes),
        cmocka_unit_test(synchronous_master_has_two_cycles_a_tick),
        cmocka_unit_test(synchronous_slave_waits_for_edges),
        cmocka_unit_test(master_spi_mode_exchanges_bytes),
        cmocka_unit_test(a_part_on_the_pin_sees_the_bits),
        cmocka_unit_test(the_line_shows_on_the_pin),
        cmocka_unit_test(every_usart_of_every_chip_is_wired),
        cmocka_unit_test(a_snapshot_in_a_frame_goes_on_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
