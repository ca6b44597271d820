/* Radios and flash among random pins, bytes, messages and times: nothing may crash, hang or lose determinism. */
#include "bare_node.h"

#include "board/boards.h"

static uint32_t draw(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*random >> 33);
}

static void hear_something(struct node *n, uint64_t *random)
{
    static const double channels[] = {2405e6, 2410e6, 2480e6, 914.998e6, 868e6};
    struct air_message m = {.kind = (enum air_kind)(draw(random) % 3), .sender = 1 + draw(random) % 3};
    m.modulation = draw(random) % 4 ? AIR_OQPSK_250K : AIR_FSK_MANCHESTER;
    m.transmission = draw(random) % 4;
    m.tick = n->time + draw(random) % 2000;
    m.hertz = channels[draw(random) % 5];
    m.bit_rate = 250000;
    m.dbm = -(float)(draw(random) % 110);
    m.first = draw(random) % 3 ? 0 : (uint16_t)(draw(random) % 200);
    m.count = (uint16_t)(draw(random) % 300); /* more than there is room for, at times */
    for (unsigned i = 0; i < AIR_BYTES_MAX; i++)
        m.bytes[i] = i < 4 ? 0 : i == 4 ? 0xa7 : (uint8_t)draw(random);
    air_hear(n, &m);
}

/* A frame in tune, of random bytes, whose end may come early. */
static void hear_frame(struct node *n, uint64_t *random)
{
    struct air_message m = {.kind = AIR_BEGIN, .sender = 9, .bit_rate = 250000, .dbm = -(float)(draw(random) % 105)};
    bool fsk = n->machine->board == &board_mica2;
    m.modulation = fsk ? AIR_FSK_MANCHESTER : AIR_OQPSK_250K;
    m.hertz = fsk ? 914.998e6 : 2405e6;
    m.transmission = draw(random);
    m.tick = n->time + draw(random) % 500;
    air_hear(n, &m);
    m.kind = AIR_BYTES;
    m.count = (uint16_t)(5 + draw(random) % 130);
    for (unsigned i = 0; i < m.count; i++)
        m.bytes[i] = i < 4 ? 0 : i == 4 ? 0xa7 : (uint8_t)(draw(random) % 3 ? draw(random) % 32 : draw(random));
    air_hear(n, &m);
    m.kind = AIR_END;
    m.tick += draw(random) % 40000;
    air_hear(n, &m);
}

static void send_bytes(struct node *n, const uint8_t *bytes, unsigned count)
{
    pin_set_port(n, PIN(B, 0), true, true, false);
    pin_set_port(n, PIN(B, 0), true, false, false);
    while (count--)
        spi_exchange(n, 0, *bytes++);
    pin_set_port(n, PIN(B, 0), true, true, false);
}

/* Brings the board's radio to reception, or at times to transmission, whatever has been done to it. */
static void listen(struct node *n, uint64_t *random)
{
    pin_set_port(n, PIN(A, 5), true, true, false);
    pin_set_port(n, PIN(A, 6), true, true, false);
    bare_node_at(n, n->time + 8000);
    if (n->machine->board == &board_micaz) {
        send_bytes(n, (const uint8_t[]){0x01}, 1);
        bare_node_at(n, n->time + 8000);
        send_bytes(n, (const uint8_t[]){0x18, 0x41, 0x65, 0x11, draw(random) % 2 ? 0x02 : 0x3a, 0xf2, 0x03}, 7);
    } else if (n->machine->board == &board_iris) {
        pin_set_port(n, PIN(B, 7), true, false, false);
        send_bytes(n, (const uint8_t[]){0xc2, 0x03}, 2);
        bare_node_at(n, n->time + 8000);
        send_bytes(n, (const uint8_t[]){0xc8, 0x2b}, 2);
        static const uint8_t states[] = {0x06, 0x16, 0x09, 0x19};
        send_bytes(n, (const uint8_t[]){0xc2, states[draw(random) % 4]}, 2);
        bare_node_at(n, n->time + 4000);
        send_bytes(n, (const uint8_t[]){0xc2, 0x02}, 2);
    } else {
        const uint8_t settings[][2] = {
            {0, 0x10}, {1, 0x7c}, {2, 0}, {3, 0}, {12, 0x40}, {17, 0x55}, {0, draw(random) % 4 ? 0x11 : 0xe1}};
        for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++)
            for (unsigned bit = 0; bit < 16; bit++) {
                unsigned word = (unsigned)(settings[i][0] << 1 | 1) << 8 | settings[i][1];
                pin_set_port(n, PIN(D, 4), true, bit >= 8, false);
                pin_set_port(n, PIN(D, 7), true, word >> (15 - bit) & 1, false);
                pin_set_port(n, PIN(D, 6), true, true, false);
                pin_set_port(n, PIN(D, 6), true, false, false);
            }
    }
    bare_node_at(n, n->time + 4000);
}

/* A command of the flash by its pins. */
static void use_flash(struct node *n, uint64_t *random)
{
    static const uint8_t opcodes[] = {0x57, 0x68, 0x52, 0x54, 0x56, 0x84, 0x87, 0x83, 0x88,
                                      0x82, 0x81, 0x50, 0x53, 0x60, 0x58, 0x85, 0x00, 0xff};
    unsigned count = 1 + draw(random) % (draw(random) % 4 ? 9 : 300);
    pin_set_port(n, PIN(A, 3), true, true, false);
    pin_set_port(n, PIN(A, 3), true, false, false);
    for (unsigned i = 0; i < count; i++) {
        uint8_t byte = i ? (uint8_t)draw(random) : opcodes[draw(random) % sizeof opcodes];
        for (int bit = 7; bit >= 0; bit--) {
            pin_set_port(n, PIN(D, 5), true, false, false);
            pin_set_port(n, PIN(D, 3), true, byte >> bit & 1, false);
            pin_set_port(n, PIN(D, 5), true, true, false);
        }
    }
    pin_set_port(n, PIN(A, 3), true, true, false);
}

/* Bursts over the bus that often are commands of a radio: low bytes first, with the pins of its board about. */
static void talk(struct node *n, uint64_t *random)
{
    unsigned count = 1 + draw(random) % (draw(random) % 4 ? 4 : 160);
    pin_set_port(n, PIN(B, 0), true, true, false);
    pin_set_port(n, PIN(B, 0), true, false, false);
    for (unsigned i = 0; i < count; i++)
        spi_exchange(n, 0, (uint8_t)(draw(random) % 2 ? draw(random) % 16 : draw(random)));
    pin_set_port(n, PIN(B, 0), true, draw(random) % 8, false);
}

static void do_something(struct node *n, uint64_t *random)
{
    static const uint8_t pins[] = {PIN(A, 4), PIN(A, 5), PIN(A, 6), PIN(B, 7), PIN(D, 4), PIN(D, 6), PIN(D, 7)};
    switch (draw(random) % 24) {
    case 0: pin_set_port(n, pins[draw(random) % sizeof pins], true, draw(random) % 2, false); break;
    case 1: listen(n, random); break;
    case 2:
    case 3: talk(n, random); break;
    case 4: hear_something(n, random); break;
    case 5:
    case 6: hear_frame(n, random); break;
    case 7: use_flash(n, random); break;
    case 8: analog_read(n, 0); break;
    default: bare_node_at(n, n->time + draw(random) % (draw(random) % 8 ? 2000 : 40000));
    }
}

static struct digest life(const struct board *board, uint64_t random, unsigned steps)
{
    struct node *n = bare_node(board->chip, board);
    for (unsigned i = 0; i < steps; i++)
        do_something(n, &random);
    struct digest d = node_digest(n);
    bare_node_free(n);
    return d;
}

static void nothing_breaks_them(void **state)
{
    (void)state;
    const struct board *const all[] = {&board_mica2, &board_micaz, &board_iris};
    for (unsigned k = 0; k < 3; k++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            struct digest a = life(all[k], seed, 20000), b = life(all[k], seed, 20000);
            assert_memory_equal(&a, &b, sizeof a);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_breaks_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
