/* TinyOS's frames on a CC1000, as its driver puts them on the air: preamble of 0xaa, 0x33 0xcc, destination, source,
 * length, group, type, data, a check sequence with its low byte first, then the last byte again and again while the
 * transmitter is flushed. A unicast is answered with 0xab 0xba 0x83 0xaa 0xaa after a preamble for which the SPI gets
 * only its first byte; the line repeats it. The answer begins while the sender still flushes.
 *
 * Node 1 sends to node 0 and to all in turn, LONG_PREAMBLE bytes of preamble before every fourth frame. All others
 * receive. */
#include "cc1000_driver.h"

enum { PREAMBLE = 0xaa, EVERYBODY = 0xffff, GROUP = 0x22, TYPE = 6, LENGTH = 4, HEADER = 7 };
enum { SHORT_PREAMBLE = 28, LONG_PREAMBLE = 200, FLUSH = 4, ANSWER = 16, ANSWER_WAIT = 18 };

uint16_t TOS_NODE_ID;
volatile uint16_t sent, received, damaged, answered;

static uint16_t crc_byte(uint16_t crc, uint8_t byte)
{
    crc ^= (uint16_t)byte << 8;
    for (uint8_t i = 0; i < 8; i++)
        crc = crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1;
    return crc;
}

static void transmit_on(void)
{
    SPDR = PREAMBLE;
    set(MAIN, TRANSMIT);
    set(PA_POW, 0x60);
    DDRB |= _BV(3);
}

static void receive_on(void)
{
    DDRB &= ~_BV(3);
    set(MAIN, RECEIVE);
}

static uint8_t next_heard(void)
{
    return (uint8_t)~next_byte(PREAMBLE); /* the oscillator is above the signal, which inverts it */
}

/* ---- node 1 ---- */

static void await_answer(void)
{
    uint16_t window = 0;
    for (uint8_t i = 0; i < ANSWER_WAIT; i++) {
        uint8_t in = next_heard();
        for (uint8_t b = 0; b < 8; b++, in <<= 1) {
            window = window << 1 | in >> 7;
            if (window == 0xba83) {
                answered++;
                return;
            }
        }
    }
}

static void send(uint16_t to, uint8_t preamble)
{
    uint8_t frame[HEADER + LENGTH] = {to >> 8, to, TOS_NODE_ID >> 8, TOS_NODE_ID, LENGTH, GROUP, TYPE, sent >> 8, sent};
    uint16_t crc = 0;
    transmit_on();
    for (uint8_t i = 0; i < preamble; i++)
        next_byte(PREAMBLE);
    next_byte(0x33);
    next_byte(0xcc);
    for (uint8_t i = 0; i < sizeof frame; i++) {
        next_byte(frame[i]);
        crc = crc_byte(crc, frame[i]);
    }
    next_byte(crc);
    for (uint8_t i = 0; i < FLUSH; i++)
        next_byte(crc >> 8);
    sent++;
    receive_on();
    if (to != EVERYBODY)
        await_answer();
}

/* ---- the others ---- */

static void answer(void)
{
    static const uint8_t last[] = {0xab, 0xba, 0x83, PREAMBLE, PREAMBLE};
    transmit_on();
    for (uint8_t i = 0; i < ANSWER - sizeof last; i++) { /* the line repeats the first byte */
        while (!(SPSR & _BV(SPIF)))
            ;
        (void)SPDR;
    }
    for (uint8_t i = 0; i < sizeof last; i++)
        next_byte(last[i]);
    next_byte(PREAMBLE);
    receive_on();
}

/* After 0x33cc, of which `left` bits of the byte before belong to the frame. */
static void receive(uint8_t before, uint8_t left)
{
    uint8_t frame[HEADER + LENGTH + 2];
    uint16_t crc = 0;
    for (uint8_t i = 0; i < sizeof frame; i++) {
        uint8_t in = next_heard();
        frame[i] = (uint16_t)((uint16_t)before << 8 | in) >> left;
        before = in;
        if (i < HEADER + LENGTH)
            crc = crc_byte(crc, frame[i]);
    }
    if (frame[4] != LENGTH || crc != (uint16_t)(frame[HEADER + LENGTH] | frame[HEADER + LENGTH + 1] << 8)) {
        damaged++;
        return;
    }
    received++;
    if ((frame[0] << 8 | frame[1]) == (int)TOS_NODE_ID)
        answer();
}

static void listen(void)
{
    uint32_t window = 0;
    for (;;) {
        uint8_t in = next_heard();
        for (uint8_t left = 8; left--;) {
            window = window << 1 | (in >> left & 1);
            if (window != 0xaaaa33cc)
                continue;
            receive(in, left);
            window = 0;
            break;
        }
    }
}

int main(void)
{
    radio_start();
    if (TOS_NODE_ID != 1)
        listen();
    _delay_ms(20);
    for (;;) {
        send(sent % 2 ? EVERYBODY : 0, sent % 4 == 2 ? LONG_PREAMBLE : SHORT_PREAMBLE);
        _delay_ms(30);
    }
}
