/* The TelosB's parts by the pins and buses they are on, against their datasheets. */
#include "msp430_io.h"

#include "part/ds2411.h"
#include "part/led.h"

extern const struct board board_telosb;

enum { CS = MSP430_PIN(4, 4), HOLD = MSP430_PIN(4, 7), RADIO_CS = MSP430_PIN(4, 2) };

static uint64_t micros(const struct node *n, double us)
{
    return node_ticks(n, us * 1e-6);
}

static void later(struct node *n, double us)
{
    bare_node_at(n, node_now(n) + micros(n, us));
}

/* ---- flash ---- */

static uint8_t exchange(struct node *n, const uint8_t *out, unsigned count, uint8_t *in, unsigned answers)
{
    uint8_t last = 0;
    pin_set_port(n, CS, true, false, false);
    for (unsigned i = 0; i < count; i++)
        last = spi_exchange(n, 0, out[i]);
    for (unsigned i = 0; i < answers; i++)
        in[i] = spi_exchange(n, 0, 0xff);
    pin_set_port(n, CS, true, true, false);
    return last;
}

static void command(struct node *n, uint8_t code)
{
    exchange(n, &code, 1, NULL, 0);
}

static uint8_t status(struct node *n)
{
    uint8_t value, code = 0x05;
    exchange(n, &code, 1, &value, 1);
    return value;
}

static void addressed(struct node *n, uint8_t code, uint32_t address, uint8_t *in, unsigned answers)
{
    uint8_t out[5] = {code, (uint8_t)(address >> 16), (uint8_t)(address >> 8), (uint8_t)address, 0};
    exchange(n, out, code == 0x0b ? 5 : 4, in, answers);
}

static struct node *flash_node(void)
{
    struct node *n = msp430_io(&board_telosb);
    pin_set_port(n, RADIO_CS, true, true, false);
    pin_set_port(n, CS, true, true, false);
    pin_set_port(n, HOLD, true, true, false);
    return n;
}

static void flash_says_what_it_is(void **state)
{
    (void)state;
    struct node *n = flash_node();
    uint8_t in[4];
    uint8_t rdid = 0x9f;
    exchange(n, &rdid, 1, in, 3);
    assert_int_equal(in[0], 0x20);
    assert_int_equal(in[1], 0x20);
    assert_int_equal(in[2], 0x14);
    addressed(n, 0xab, 0, in, 1);
    assert_int_equal(in[0], 0x13);
    command(n, 0xb9); /* deep power-down: deaf but for RES */
    later(n, 10);
    exchange(n, &rdid, 1, in, 3);
    assert_int_equal(in[0], 0xff);
    command(n, 0xab);
    later(n, 10);
    exchange(n, &rdid, 1, in, 3);
    assert_int_equal(in[0], 0x20);
    bare_node_free(n);
}

static void program(struct node *n, uint32_t address, const uint8_t *bytes, unsigned count)
{
    uint8_t out[300] = {0x02, (uint8_t)(address >> 16), (uint8_t)(address >> 8), (uint8_t)address};
    memcpy(out + 4, bytes, count);
    exchange(n, out, 4 + count, NULL, 0);
}

static void flash_programs_and_erases(void **state)
{
    (void)state;
    struct node *n = flash_node();
    uint8_t in[4];
    program(n, 0x1fffe, (const uint8_t *)"\x11\x22\x33", 3);
    assert_int_equal(status(n), 0); /* not without WREN */
    command(n, 0x06);
    assert_int_equal(status(n), 0x02);
    program(n, 0x1fffe, (const uint8_t *)"\x11\x22\x33", 3);
    assert_int_equal(status(n), 0x03);
    addressed(n, 0x03, 0x1fffe, in, 2);
    assert_int_equal(in[0], 0xff); /* busy: not now */
    later(n, 411);                 /* 0.4 ms and three bytes of 1/256 ms: 411.7 us */
    assert_int_equal(status(n), 0x03);
    later(n, 2);
    assert_int_equal(status(n), 0);
    addressed(n, 0x03, 0x1fffe, in, 3);
    assert_int_equal(in[0], 0x11);
    assert_int_equal(in[1], 0x22);
    assert_int_equal(in[2], 0xff); /* the third byte went to the beginning of the page */
    addressed(n, 0x0b, 0x1ff00, in, 1);
    assert_int_equal(in[0], 0x33);
    uint8_t page[256] = {0};
    command(n, 0x06);
    program(n, 0x20000, page, sizeof page);
    later(n, 1399);
    assert_int_equal(status(n), 0x03);
    later(n, 2);
    assert_int_equal(status(n), 0);
    command(n, 0x06);
    program(n, 0x1fffe, (const uint8_t *)"\xf0", 1);
    later(n, 2000);
    addressed(n, 0x03, 0x1fffe, in, 1);
    assert_int_equal(in[0], 0x10); /* ones do not come back */
    command(n, 0x06);
    addressed(n, 0xd8, 0x12345, NULL, 0);
    later(n, 999999);
    assert_int_equal(status(n), 0x03);
    later(n, 2);
    addressed(n, 0x03, 0x1fffe, in, 1);
    assert_int_equal(in[0], 0xff);
    bare_node_free(n);
}

static void flash_protects_its_sectors(void **state)
{
    (void)state;
    struct node *n = flash_node();
    uint8_t in[1];
    command(n, 0x06);
    exchange(n, (const uint8_t[]){0x01, 0x08}, 2, NULL, 0); /* BP1: the upper eighth, two sectors */
    later(n, 6000);
    assert_int_equal(status(n), 0x08);
    command(n, 0x06);
    program(n, 0xe0000, (const uint8_t *)"\x00", 1);
    later(n, 2000);
    assert_int_equal(status(n), 0x0a); /* refused */
    program(n, 0xdffff, (const uint8_t *)"\x00", 1);
    later(n, 2000);
    addressed(n, 0x03, 0xe0000, in, 1);
    assert_int_equal(in[0], 0xff);
    addressed(n, 0x03, 0xdffff, in, 1);
    assert_int_equal(in[0], 0x00);
    command(n, 0x06);
    command(n, 0xc7); /* bulk erase wants no protection at all */
    assert_int_equal(status(n), 0x0a);
    bare_node_free(n);
}

/* TinyOS puts the memory into deep power-down before it has set up the USART. */
static uint8_t by_hand(struct node *n, uint8_t byte)
{
    enum { UCLK0 = MSP430_PIN(3, 3), SIMO0 = MSP430_PIN(3, 1), SOMI0 = MSP430_PIN(3, 2) };
    uint8_t answer = 0;
    for (unsigned i = 8; i-- > 0;) {
        pin_set_port(n, SIMO0, true, byte >> i & 1, false);
        pin_set_port(n, UCLK0, true, false, false);
        answer = (uint8_t)(answer << 1 | pin_level(n, SOMI0));
        pin_set_port(n, UCLK0, true, true, false);
    }
    return answer;
}

static void flash_takes_bits_by_hand(void **state)
{
    (void)state;
    struct node *n = flash_node();
    static const uint8_t identification[] = {0x20, 0x20, 0x14};
    pin_set_port(n, MSP430_PIN(3, 3), true, true, false);
    pin_set_port(n, CS, true, false, false);
    by_hand(n, 0x9f);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(by_hand(n, 0), identification[i]);
    pin_set_port(n, CS, true, true, false);
    pin_set_port(n, CS, true, false, false);
    by_hand(n, 0xb9);
    pin_set_port(n, MSP430_PIN(3, 3), true, false, false); /* a ninth bit: not executed */
    pin_set_port(n, MSP430_PIN(3, 3), true, true, false);
    pin_set_port(n, CS, true, true, false);
    later(n, 3.1);
    assert_int_equal(status(n), 0);
    pin_set_port(n, CS, true, false, false);
    by_hand(n, 0xb9);
    pin_set_port(n, CS, true, true, false);
    later(n, 3.1);
    assert_int_equal(status(n), 0xff);
    command(n, 0xab);
    later(n, 3.1);
    assert_int_equal(status(n), 0);
    bare_node_free(n);
}

static void flash_is_held(void **state)
{
    (void)state;
    struct node *n = flash_node();
    pin_set_port(n, CS, true, false, false);
    spi_exchange(n, 0, 0x9f);
    pin_set_port(n, HOLD, true, false, false);
    assert_int_equal(spi_exchange(n, 0, 0), 0xff);
    pin_set_port(n, HOLD, true, true, false);
    assert_int_equal(spi_exchange(n, 0, 0), 0x20);
    bare_node_free(n);
}

/* The button's and the serial number's resistors are there before the chip is: no device sees an edge. */
static void no_edge_comes_with_the_power(void **state)
{
    (void)state;
    struct node *n = msp430_io(&board_telosb);
    assert_int_equal(node_read(n, P2IN) & 0x90, 0x90);
    assert_int_equal(node_read(n, P2IFG), 0);
    assert_int_equal(node_read(n, P1IFG), 0);
    bare_node_free(n);
}

/* ---- serial number ---- */

enum { ONE_WIRE = MSP430_PIN(2, 4) };

static void wire_low(struct node *n)
{
    pin_set_port(n, ONE_WIRE, true, false, false);
}

static void wire_release(struct node *n)
{
    pin_set_port(n, ONE_WIRE, false, false, false);
}

static bool wire_reset(struct node *n)
{
    wire_low(n);
    later(n, 500);
    wire_release(n);
    bool before = pin_level(n, ONE_WIRE);
    later(n, 70);
    bool present = before && !pin_level(n, ONE_WIRE);
    later(n, 400);
    return present && pin_level(n, ONE_WIRE);
}

static bool wire_slot(struct node *n, bool bit)
{
    wire_low(n);
    later(n, 6);
    if (bit)
        wire_release(n);
    later(n, 8);
    bool read = pin_level(n, ONE_WIRE);
    later(n, 60);
    wire_release(n);
    later(n, 10);
    return read;
}

static void wire_send(struct node *n, uint8_t byte)
{
    for (unsigned i = 0; i < 8; i++)
        wire_slot(n, byte >> i & 1);
}

static void the_serial_number_is_read(void **state)
{
    (void)state;
    struct node *n = msp430_io(&board_telosb);
    n->id = 0x1234;
    assert_true(wire_reset(n));
    wire_send(n, 0x33);
    uint64_t number = 0;
    for (unsigned i = 0; i < 64; i++)
        number |= (uint64_t)wire_slot(n, true) << i;
    assert_true(number == ds2411_number(0x1234));
    assert_int_equal(number & 0xff, 0x01);
    assert_int_equal(number >> 8 & 0xffff, 0x1334);
    unsigned crc = 0; /* Maxim's application note 27: over all eight bytes it comes to nothing */
    for (unsigned i = 0; i < 64; i++) {
        unsigned mix = (crc ^ (unsigned)(number >> i)) & 1;
        crc >>= 1;
        if (mix)
            crc ^= 0x8c;
    }
    assert_int_equal(crc, 0);
    bare_node_free(n);
}

static void the_serial_number_is_searched(void **state)
{
    (void)state;
    struct node *n = msp430_io(&board_telosb);
    n->id = 77;
    assert_true(wire_reset(n));
    wire_send(n, 0xf0);
    for (unsigned i = 0; i < 64; i++) {
        bool bit = wire_slot(n, true), complement = wire_slot(n, true);
        assert_int_equal(bit, ds2411_number(77) >> i & 1);
        assert_int_equal(complement, !bit);
        wire_slot(n, bit);
    }
    bare_node_free(n);
}

/* ---- temperature and humidity ---- */

enum { DATA = MSP430_PIN(1, 5), SCK = MSP430_PIN(1, 6), POWER = MSP430_PIN(1, 7) };

static void sck(struct node *n, bool high)
{
    later(n, 1);
    pin_set_port(n, SCK, true, high, false);
}

static void data(struct node *n, bool high)
{
    later(n, 1);
    pin_set_port(n, DATA, !high, false, false);
}

static void sht_start(struct node *n)
{
    data(n, true);
    sck(n, true);
    data(n, false);
    sck(n, false);
    sck(n, true);
    data(n, true);
    sck(n, false);
}

static bool sht_send(struct node *n, uint8_t byte)
{
    for (unsigned i = 0; i < 8; i++) {
        data(n, byte >> (7 - i) & 1);
        sck(n, true);
        sck(n, false);
    }
    data(n, true);
    sck(n, true);
    bool acknowledged = !pin_level(n, DATA);
    sck(n, false);
    return acknowledged;
}

static uint8_t sht_receive(struct node *n, bool acknowledge)
{
    unsigned byte = 0;
    for (unsigned i = 0; i < 8; i++) {
        sck(n, true);
        byte = byte << 1 | pin_level(n, DATA);
        sck(n, false);
    }
    data(n, !acknowledge);
    sck(n, true);
    sck(n, false);
    data(n, true);
    return (uint8_t)byte;
}

static struct node *climate_node(void)
{
    struct node *n = msp430_io(&board_telosb);
    pin_set_port(n, POWER, true, true, false);
    return n;
}

/* The CRC of Sensirion's application note, as Contiki's driver computes it (its bits reversed when compared). */
static uint8_t sht_crc(const uint8_t *bytes, unsigned count)
{
    unsigned crc = 0, reversed = 0;
    for (unsigned i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (unsigned k = 0; k < 8; k++)
            crc = crc & 0x80 ? (crc << 1 ^ 0x31) & 0xff : crc << 1;
    }
    for (unsigned k = 0; k < 8; k++)
        reversed |= (crc >> k & 1) << (7 - k);
    return (uint8_t)reversed;
}

static unsigned sht_measure(struct node *n, uint8_t what, double milliseconds)
{
    sht_start(n);
    assert_true(sht_send(n, what));
    later(n, milliseconds * 1000 - 10);
    assert_true(pin_level(n, DATA));
    later(n, 20);
    assert_false(pin_level(n, DATA));
    uint8_t bytes[3] = {what, sht_receive(n, true), sht_receive(n, true)};
    assert_int_equal(sht_receive(n, false), sht_crc(bytes, 3));
    assert_true(pin_level(n, DATA));
    return (unsigned)bytes[1] << 8 | bytes[2];
}

static int32_t frost(void *context, unsigned channel, uint64_t tick)
{
    (void)context, (void)tick;
    return channel == 18 ? -10000000 : channel == 19 ? 90000000 : INT32_MIN;
}

/* T = -39.6 + 0.01 SO; RH = -4 + 0.0405 SO - 2.8e-6 SO^2 (datasheet, section 4). */
static void the_climate_is_measured(void **state)
{
    (void)state;
    struct node *n = climate_node();
    assert_int_equal(sht_measure(n, 0x03, 210), 6460); /* 25 degrees */
    unsigned so = sht_measure(n, 0x05, 55);
    double humidity = -4 + 0.0405 * so - 2.8e-6 * so * so;
    assert_true(humidity >= 50 && humidity < 50.05);
    n->analog = frost;
    assert_int_equal(sht_measure(n, 0x03, 210), 2960);
    so = sht_measure(n, 0x05, 55);
    humidity = -4 + 0.0405 * so - 2.8e-6 * so * so;
    assert_true(humidity >= 90 && humidity < 90.05);
    bare_node_free(n);
}

static void the_status_register_is_kept(void **state)
{
    (void)state;
    struct node *n = climate_node();
    sht_start(n);
    assert_true(sht_send(n, 0x06));
    assert_true(sht_send(n, 0x01)); /* 12 and 8 bits */
    sht_start(n);
    assert_true(sht_send(n, 0x07));
    assert_int_equal(sht_receive(n, false), 0x01);
    sht_start(n);
    assert_true(sht_send(n, 0x03));
    later(n, 55020);
    assert_false(pin_level(n, DATA));
    assert_int_equal(sht_receive(n, true), 1615 >> 8);
    assert_int_equal(sht_receive(n, false), 1615 & 0xff);
    sht_start(n);
    assert_false(sht_send(n, 0x1f)); /* no such command */
    pin_set_port(n, POWER, true, false, false);
    sht_start(n);
    assert_false(sht_send(n, 0x07)); /* without power */
    pin_set_port(n, POWER, true, true, false);
    sht_start(n);
    assert_true(sht_send(n, 0x07));
    assert_int_equal(sht_receive(n, false), 0);
    bare_node_free(n);
}

/* ---- the rest of the board ---- */

static void light_is_on_two_channels(void **state)
{
    (void)state;
    struct node *n = msp430_io(&board_telosb);
    assert_int_equal(analog_read(n, 4), 100000);
    assert_int_equal(analog_read(n, 5), 200000);
    bare_node_free(n);
}

static void leds_and_button_are_active_low(void **state)
{
    (void)state;
    struct node *n = msp430_io(&board_telosb);
    const struct device *red = led_on_pin(n, MSP430_PIN(5, 4));
    assert_non_null(red);
    assert_non_null(led_on_pin(n, MSP430_PIN(5, 5)));
    assert_non_null(led_on_pin(n, MSP430_PIN(5, 6)));
    node_write(n, P5DIR, 0x70);
    node_write(n, P5OUT, 0x70);
    assert_false(led_is_lit(n, red));
    node_write(n, P5OUT, 0x60);
    assert_true(led_is_lit(n, red));
    assert_int_equal(node_read(n, P2IN) & 0x80, 0x80);
    bare_node_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flash_says_what_it_is),      cmocka_unit_test(flash_programs_and_erases),
        cmocka_unit_test(flash_protects_its_sectors), cmocka_unit_test(flash_is_held),
        cmocka_unit_test(flash_takes_bits_by_hand),   cmocka_unit_test(no_edge_comes_with_the_power),
        cmocka_unit_test(the_serial_number_is_read),  cmocka_unit_test(the_serial_number_is_searched),
        cmocka_unit_test(the_climate_is_measured),    cmocka_unit_test(the_status_register_is_kept),
        cmocka_unit_test(light_is_on_two_channels),   cmocka_unit_test(leds_and_button_are_active_low),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
